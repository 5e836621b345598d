"""The loops of belief updating in a clique tree, over flat arrays (Nielsen 2007, §4.3; Hugin).

These functions are written once and run in two ways: compiled (passes_kernels.py) for anything
large or repeated, and as they stand, on memoryviews of the same arrays, for a small question in a
fresh process, which would spend longer loading the compiler than answering. The order of the
operations is the same, so the answers are the same to the last bit.

Cliques are numbered parents first. A clique's table has the variables it does not share with its
parent first and the separator last, so both directions of a separator run along memory: with
`width` separator cells, cell r·width + s belongs to separator cell s. Where a table is read through
one of another shape (a factor, a child's separator), `maps` holds the place of every block of
cells, and a block either reads consecutive numbers (IS_RUN) or one number throughout.
"""

from __future__ import annotations

import math
from typing import Any

# Columns of `cliques`.
START, CELLS, SEPARATOR, WIDTH, PARENT = 0, 1, 2, 3, 4
INPUT_FROM, INPUT_TO, MEMBER_FROM, MEMBER_TO, ASK_FROM, ASK_TO = 5, 6, 7, 8, 9, 10
CLIQUE_COLUMNS = 11
# Columns of `inputs`: what is multiplied into a clique, its factors first, then its children.
SOURCE, MAP, BLOCKS, LENGTH, IS_RUN, CHILD = 0, 1, 2, 3, 4, 5
INPUT_COLUMNS = 6
# Columns of `members`: the variables of a clique; INNER cells separate two states.
VARIABLE, INNER, STATES, WEIGHT_AT, IS_HOME = 0, 1, 2, 3, 4
MEMBER_COLUMNS = 5
# Columns of `asks`: which table a belief is summed from; FROM_ROWS, or a separator's place.
ASK_TABLE, ASK_CELLS, ASK_INNER, ASK_STATES, BELIEF_AT = 0, 1, 2, 3, 4
ASK_COLUMNS = 5
FROM_ROWS = -1

# Below this a product of numbers ≤ 1 may have lost cells to underflow; it is then redone in logs.
SMALLEST_TOTAL = 1e-60
# A separator cell this small is as good as impossible, and dividing by it could overflow.
SMALLEST_CELL = 1e-300


def collect(
    cliques: Any,
    inputs: Any,
    members: Any,
    maps: Any,
    messages: Any,
    up_at: int,
    weights: Any,
    has_finding: Any,
    todo: Any,
    tables: Any,
    totals: Any,
    shifts: Any,
) -> int:
    """Send messages towards the roots from the cliques in `todo`, children before parents.

    Messages are scaled to sum 1; `totals` and `shifts` keep P(e) = Π totals · 2^shifts. Returns −1,
    or the first clique without a possible cell.
    """
    for step in range(len(todo)):
        c = todo[step]
        start, cells, width = cliques[c, 0], cliques[c, 1], cliques[c, 3]
        up = up_at + cliques[c, 2]
        input_from, input_to = cliques[c, 5], cliques[c, 6]
        for in_logs in range(2):
            # The product of the inputs, each read block by block.
            for i in range(input_from, input_to):
                source, at, blocks = inputs[i, 0], inputs[i, 1], inputs[i, 2]
                length, is_run = inputs[i, 3], inputs[i, 4]
                x = start
                if in_logs == 0 and i == input_from and is_run == 1:
                    for b in range(blocks):
                        s = source + maps[at + b]
                        for j in range(length):
                            tables[x + j] = messages[s + j]
                        x += length
                elif in_logs == 0 and i == input_from:
                    for b in range(blocks):
                        value = messages[source + maps[at + b]]
                        for j in range(length):
                            tables[x + j] = value
                        x += length
                elif in_logs == 0 and is_run == 1:
                    for b in range(blocks):
                        s = source + maps[at + b]
                        for j in range(length):
                            tables[x + j] *= messages[s + j]
                        x += length
                elif in_logs == 0:
                    for b in range(blocks):
                        value = messages[source + maps[at + b]]
                        for j in range(length):
                            tables[x + j] *= value
                        x += length
                else:
                    for b in range(blocks):
                        s = source + maps[at + b]
                        for j in range(length):
                            value = messages[s + j * is_run]
                            log = math.log2(value) if value > 0.0 else -math.inf
                            tables[x + j] = log if i == input_from else tables[x + j] + log
                        x += length
            if input_from == input_to:
                for x in range(start, start + cells):
                    tables[x] = 1.0 if in_logs == 0 else 0.0
            # What is impossible is struck out wherever the variable occurs, which keeps the other
            # cells from underflowing; likelihoods may be multiplied in only once, at home.
            for m in range(cliques[c, 7], cliques[c, 8]):
                if has_finding[members[m, 0]] == 0:
                    continue
                inner, states, weight_at = members[m, 1], members[m, 2], members[m, 3]
                is_home = members[m, 4]
                x = start
                while x < start + cells:
                    for s in range(states):
                        weight = weights[weight_at + s]
                        if weight == 0.0:
                            nothing = 0.0 if in_logs == 0 else -math.inf
                            for j in range(x, x + inner):
                                tables[j] = nothing
                        elif is_home == 1 and weight != 1.0:
                            for j in range(x, x + inner):
                                if in_logs == 0:
                                    tables[j] *= weight
                                else:
                                    tables[j] += math.log2(weight)
                        x += inner
            shift = 0.0
            if in_logs == 1:
                shift = -math.inf
                for x in range(start, start + cells):
                    if tables[x] > shift:
                        shift = tables[x]
                if shift == -math.inf:
                    return int(c)
                for x in range(start, start + cells):
                    tables[x] = 2.0 ** (tables[x] - shift)
            # The message to the parent.
            for s in range(up, up + width):
                messages[s] = 0.0
            if width == 1:  # a root, mostly: keep the sum in a register
                total = 0.0
                for x in range(start, start + cells):
                    total += tables[x]
                messages[up] = total
            else:
                x = start
                while x < start + cells:
                    for s in range(width):
                        messages[up + s] += tables[x + s]
                    x += width
            total = 0.0
            for s in range(up, up + width):
                total += messages[s]
            if total >= SMALLEST_TOTAL:
                break
        for s in range(up, up + width):
            messages[s] /= total
        totals[c] = total
        shifts[c] = shift
    return -1


def visit(
    cliques: Any,
    inputs: Any,
    asks: Any,
    maps: Any,
    messages: Any,
    up_at: int,
    totals: Any,
    todo: Any,
    tables: Any,
    down: Any,
    shared: Any,
    local: Any,
    rows: Any,
    beliefs: Any,
) -> None:
    """Send messages away from the roots through the cliques in `todo`, parents before children.

    A visited clique has given every child its message and every variable that it shares with no
    parent its belief.
    """
    for step in range(len(todo)):
        c = todo[step]
        start, cells, sep, width = cliques[c, 0], cliques[c, 1], cliques[c, 2], cliques[c, 3]
        if cliques[c, 4] < 0:
            down[sep] = 1.0 / totals[c]
        input_to = cliques[c, 6]
        is_leaf = input_to == cliques[c, 5] or inputs[input_to - 1, 5] < 0
        if is_leaf:  # only the sums of the rows are needed
            x = start
            for r in range(cells // width):
                value = 0.0
                for s in range(width):
                    value += tables[x + s] * down[sep + s]
                rows[r] = value
                x += width
        elif width == 1:
            value = down[sep]
            for x in range(cells):
                local[x] = tables[start + x] * value
        else:
            x = 0
            while x < cells:
                for s in range(width):
                    local[x + s] = tables[start + x + s] * down[sep + s]
                x += width
        for i in range(cliques[c, 5], input_to):
            child = inputs[i, 5]
            if child < 0:
                continue
            at, blocks, length = inputs[i, 1], inputs[i, 2], inputs[i, 3]
            place, child_width = cliques[child, 2], cliques[child, 3]
            for s in range(place, place + child_width):
                shared[s] = 0.0
            x = 0
            if inputs[i, 4] == 1:
                for b in range(blocks):
                    s = place + maps[at + b]
                    for j in range(length):
                        shared[s + j] += local[x + j]
                    x += length
            else:
                for b in range(blocks):
                    value = 0.0
                    for j in range(x, x + length):
                        value += local[j]
                    shared[place + maps[at + b]] += value
                    x += length
            for s in range(child_width):
                # Eq. 3.17 with 0/0 = 0.
                sent = messages[up_at + place + s] * totals[child]
                down[place + s] = shared[place + s] / sent if sent > SMALLEST_CELL else 0.0
        rows_are_summed = is_leaf
        for a in range(cliques[c, 9], cliques[c, 10]):
            inner, states, belief_at = asks[a, 2], asks[a, 3], asks[a, 4]
            place, table_cells = asks[a, 0], asks[a, 1]
            if place == FROM_ROWS and not rows_are_summed:
                x = 0
                for r in range(cells // width):
                    value = 0.0
                    for j in range(x, x + width):
                        value += local[j]
                    rows[r] = value
                    x += width
                rows_are_summed = True
            for s in range(belief_at, belief_at + states):
                beliefs[s] = 0.0
            x = 0
            while x < table_cells:
                for s in range(states):
                    value = 0.0
                    if place == FROM_ROWS:
                        for j in range(x, x + inner):
                            value += rows[j]
                    else:
                        for j in range(place + x, place + x + inner):
                            value += shared[j]
                    beliefs[belief_at + s] += value
                    x += inner
            total = 0.0
            for s in range(belief_at, belief_at + states):
                total += beliefs[s]
            for s in range(belief_at, belief_at + states):
                beliefs[s] /= total


def explain(
    cliques: Any,
    inputs: Any,
    members: Any,
    maps: Any,
    log_messages: Any,
    up_at: int,
    weights: Any,
    has_finding: Any,
    local: Any,
    choices: Any,
    states_of: Any,
) -> float:
    """The most probable state of every variable, into `states_of`; returns its log2 probability.

    The collecting pass with max for Σ, on logarithms, so nothing underflows; of equally probable
    cells the first wins. `choices` remembers the best row for every separator cell.
    """
    total_log = 0.0
    for c in range(len(cliques) - 1, -1, -1):
        cells, width = cliques[c, 1], cliques[c, 3]
        for x in range(cells):
            local[x] = 0.0
        for i in range(cliques[c, 5], cliques[c, 6]):
            source, at, blocks = inputs[i, 0], inputs[i, 1], inputs[i, 2]
            length, is_run = inputs[i, 3], inputs[i, 4]
            x = 0
            for b in range(blocks):
                s = source + maps[at + b]
                for j in range(length):
                    local[x + j] += log_messages[s + j * is_run]
                x += length
        for m in range(cliques[c, 7], cliques[c, 8]):
            if has_finding[members[m, 0]] == 0:
                continue
            inner, states, weight_at = members[m, 1], members[m, 2], members[m, 3]
            x = 0
            while x < cells:
                for s in range(states):
                    weight = weights[weight_at + s]
                    if weight == 0.0:
                        for j in range(x, x + inner):
                            local[j] = -math.inf
                    elif members[m, 4] == 1 and weight != 1.0:
                        log = math.log2(weight)
                        for j in range(x, x + inner):
                            local[j] += log
                    x += inner
        sep, up = cliques[c, 2], up_at + cliques[c, 2]
        for s in range(width):
            log_messages[up + s] = local[s]
            choices[sep + s] = 0
        x = width
        for r in range(1, cells // width):
            for s in range(width):
                if local[x + s] > log_messages[up + s]:
                    log_messages[up + s] = local[x + s]
                    choices[sep + s] = r
            x += width
        if cliques[c, 4] < 0:
            total_log += log_messages[up]
    for c in range(len(cliques)):
        width = cliques[c, 3]
        s = 0
        for m in range(cliques[c, 7], cliques[c, 8]):
            if members[m, 1] * members[m, 2] <= width:
                s += states_of[members[m, 0]] * members[m, 1]
        r = choices[cliques[c, 2] + s]
        for m in range(cliques[c, 7], cliques[c, 8]):
            if members[m, 1] * members[m, 2] > width:
                states_of[members[m, 0]] = r * width // members[m, 1] % members[m, 2]
    return total_log
