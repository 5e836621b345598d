"""The loops of belief updating in a junction tree, over flat arrays (Nielsen 2007, §4.3; Hugin),
with joint marginals and samples from a calibrated tree.

These functions are written once and run in two ways: compiled (kernels.py) for anything
large or repeated, and as they stand, on memoryviews of the same arrays, for a small question in a
fresh process, which would spend longer loading the compiler than answering. The order of the
operations is the same, so the answers are the same to the last bit.

Cliques are numbered parents first. A clique's table has the variables it does not share with its
parent first and the separator last, so both directions of a separator run along memory: with
`width` separator cells, cell r·width + s belongs to separator cell s. Where a table is read through
one of another shape (a factor, a child's separator), `maps` holds the position of every block of
cells, and a block either reads consecutive numbers (IS_RUN) or one number throughout.
"""

from __future__ import annotations

import math
from typing import Any


def add_counts(
    cliques: Any,
    inputs: Any,
    maps: Any,
    tables: Any,
    down: Any,
    weight: float,
    wanted: Any,
    counts: Any,
) -> None:
    """Add the joint belief of every wanted factor's variables, times `weight`, to `counts`.

    `wanted` has one number per factor in the order of `inputs`; `counts` is laid out as the
    factors' own numbers are. Every clique has to be visited.
    """
    factor = 0
    for c in range(len(cliques)):
        start, sep, width = cliques[c, 0], cliques[c, 2], cliques[c, 3]
        for i in range(cliques[c, 5], cliques[c, 6]):
            if inputs[i, 5] >= 0:
                continue
            factor += 1
            if wanted[factor - 1] == 0:
                continue
            source, at, blocks = inputs[i, 0], inputs[i, 1], inputs[i, 2]
            length, is_run = inputs[i, 3], inputs[i, 4]
            x = 0
            for b in range(blocks):
                s = source + maps[at + b]
                for j in range(length):
                    belief = tables[start + x + j] * down[sep + (x + j) % width]
                    counts[s + j * is_run] += weight * belief
                x += length


def draw(cliques: Any, members: Any, tables: Any, points: Any, states_of: Any) -> None:
    """One joint state from the belief, into `states_of`, by a number from 0 to 1 for each clique.

    After collecting, a clique's table has all that is below it summed in: so states are drawn from
    the roots down, each clique's own given those it shares with its parent.
    """
    for c in range(len(cliques)):
        start, cells, width = cliques[c, 0], cliques[c, 1], cliques[c, 3]
        s = 0
        for m in range(cliques[c, 7], cliques[c, 8]):
            if members[m, 1] * members[m, 2] <= width:
                s += states_of[members[m, 0]] * members[m, 1]
        total = 0.0
        for r in range(cells // width):
            total += tables[start + r * width + s]
        left = points[c] * total
        chosen = 0
        for r in range(cells // width):
            value = tables[start + r * width + s]
            if value > 0.0:
                chosen = r
                left -= value
                if left < 0.0:
                    break
        for m in range(cliques[c, 7], cliques[c, 8]):
            if members[m, 1] * members[m, 2] > width:
                states_of[members[m, 0]] = chosen * width // members[m, 1] % members[m, 2]


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
# Columns of `asks`: which table a belief is summed from; FROM_ROWS, or a separator's index.
ASK_TABLE, ASK_CELLS, ASK_INNER, ASK_STATES, BELIEF_AT = 0, 1, 2, 3, 4
ASK_COLUMNS = 5
FROM_ROWS = -1

# Below this a product of numbers ≤ 1 may have lost cells to underflow; it is then redone in logs.
SMALLEST_TOTAL = 1e-60
# From this many numbers on, four sums side by side are worth a call.
LONG = 8
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
        shift = 0.0
        multiply(cliques, inputs, maps, messages, c, tables)
        weigh(cliques, members, weights, has_finding, c, tables)
        total = send_up(tables, start, cells, messages, up, width)
        if total < SMALLEST_TOTAL:
            add_logs(cliques, inputs, maps, messages, False, c, tables, start)
            weigh_logs(cliques, members, weights, has_finding, c, tables, start)
            shift = -math.inf
            for x in range(start, start + cells):
                if tables[x] > shift:
                    shift = tables[x]
            if shift == -math.inf:
                return int(c)
            for x in range(start, start + cells):
                tables[x] = 2.0 ** (tables[x] - shift)
            total = send_up(tables, start, cells, messages, up, width)
        for s in range(up, up + width):
            messages[s] /= total
        totals[c] = total
        shifts[c] = shift
    return -1


def multiply(cliques: Any, inputs: Any, maps: Any, messages: Any, c: int, tables: Any) -> None:
    """Make a clique's table the product of its inputs, each read block by block."""
    start, first = cliques[c, 0], cliques[c, 5]
    if first == cliques[c, 6]:
        for x in range(start, start + cliques[c, 1]):
            tables[x] = 1.0
    for i in range(first, cliques[c, 6]):
        source, at, blocks = inputs[i, 0], inputs[i, 1], inputs[i, 2]
        length, is_run = inputs[i, 3], inputs[i, 4]
        x = start
        # Four plain loops, so that each can use vector instructions.
        if i == first and is_run == 1:
            for b in range(blocks):
                s = source + maps[at + b]
                for j in range(length):
                    tables[x + j] = messages[s + j]
                x += length
        elif i == first:
            for b in range(blocks):
                value = messages[source + maps[at + b]]
                for j in range(length):
                    tables[x + j] = value
                x += length
        elif is_run == 1:
            for b in range(blocks):
                s = source + maps[at + b]
                for j in range(length):
                    tables[x + j] *= messages[s + j]
                x += length
        else:
            for b in range(blocks):
                value = messages[source + maps[at + b]]
                for j in range(length):
                    tables[x + j] *= value
                x += length


def weigh(cliques: Any, members: Any, weights: Any, has_finding: Any, c: int, tables: Any) -> None:
    """Multiply the findings into a clique's table.

    What is impossible is struck out wherever the variable occurs, which keeps the other cells from
    underflowing; likelihoods may be multiplied in only once, at home.
    """
    end = cliques[c, 0] + cliques[c, 1]
    for m in range(cliques[c, 7], cliques[c, 8]):
        if has_finding[members[m, 0]] == 1:
            inner, states, weight_at = members[m, 1], members[m, 2], members[m, 3]
            x = cliques[c, 0]
            while x < end:
                for s in range(states):
                    weight = weights[weight_at + s]
                    if weight == 0.0 or (weight != 1.0 and members[m, 4] == 1):
                        for j in range(x, x + inner):
                            tables[j] *= weight
                    x += inner


def send_up(tables: Any, start: int, cells: int, messages: Any, up: int, width: int) -> float:
    """Sum a table down to its separator, in `messages`; returns the sum of all."""
    if width == 1:
        messages[up] = sum_of(tables, start, start + cells)
    else:
        for s in range(up, up + width):
            messages[s] = 0.0
        x = start
        while x < start + cells:
            for s in range(width):
                messages[up + s] += tables[x + s]
            x += width
    return sum_of(messages, up, up + width)


def sum_of(values: Any, at: int, end: int) -> float:
    """Σ values[at:end], in four sums side by side: one alone waits for each addition to end."""
    a = b = c = d = 0.0
    while at + 4 <= end:
        a += values[at]
        b += values[at + 1]
        c += values[at + 2]
        d += values[at + 3]
        at += 4
    while at < end:
        a += values[at]
        at += 1
    return (a + b) + (c + d)


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
        input_from, input_to = cliques[c, 5], cliques[c, 6]
        has_children = input_to > input_from and inputs[input_to - 1, 5] >= 0
        if not has_children:  # only the sums of the rows are needed
            for r in range(cells // width):
                value = 0.0
                for s in range(width):
                    value += tables[start + r * width + s] * down[sep + s]
                rows[r] = value
        elif width == 1:
            value = down[sep]
            for x in range(cells):
                local[x] = tables[start + x] * value
        else:
            for r in range(cells // width):
                for s in range(width):
                    local[r * width + s] = tables[start + r * width + s] * down[sep + s]
        for i in range(input_from, input_to):
            child = inputs[i, 5]
            if child < 0:
                continue
            at, blocks, length = inputs[i, 1], inputs[i, 2], inputs[i, 3]
            index, child_width = cliques[child, 2], cliques[child, 3]
            for s in range(index, index + child_width):
                shared[s] = 0.0
            x = 0
            if inputs[i, 4] == 1:
                for b in range(blocks):
                    s = index + maps[at + b]
                    for j in range(length):
                        shared[s + j] += local[x + j]
                    x += length
            else:
                for b in range(blocks):
                    value = 0.0
                    if length < LONG:
                        for j in range(x, x + length):
                            value += local[j]
                    else:
                        value = sum_of(local, x, x + length)
                    shared[index + maps[at + b]] += value
                    x += length
            for s in range(child_width):
                # Eq. 3.17 with 0/0 = 0.
                sent = messages[up_at + index + s] * totals[child]
                down[index + s] = shared[index + s] / sent if sent > SMALLEST_CELL else 0.0
        rows_are_summed = not has_children
        for a in range(cliques[c, 9], cliques[c, 10]):
            at, table_cells, inner = asks[a, 0], asks[a, 1], asks[a, 2]
            states, belief_at = asks[a, 3], asks[a, 4]
            if at == FROM_ROWS and not rows_are_summed:
                for r in range(cells // width):
                    rows[r] = sum_of(local, r * width, (r + 1) * width)
                rows_are_summed = True
            for s in range(belief_at, belief_at + states):
                beliefs[s] = 0.0
            x = 0
            while x < table_cells:
                for s in range(states):
                    value = 0.0
                    if at == FROM_ROWS:
                        for j in range(x, x + inner):
                            value += rows[j]
                    else:
                        for j in range(at + x, at + x + inner):
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
        add_logs(cliques, inputs, maps, log_messages, True, c, local, 0)
        weigh_logs(cliques, members, weights, has_finding, c, local, 0)
        sep, up = cliques[c, 2], up_at + cliques[c, 2]
        for s in range(width):
            log_messages[up + s] = local[s]
            choices[sep + s] = 0
        for r in range(1, cells // width):
            for s in range(width):
                if local[r * width + s] > log_messages[up + s]:
                    log_messages[up + s] = local[r * width + s]
                    choices[sep + s] = r
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


def add_logs(
    cliques: Any,
    inputs: Any,
    maps: Any,
    messages: Any,
    are_logs: bool,
    c: int,
    target: Any,
    start: int,
) -> None:
    """log2 of the product of a clique's inputs, from `start` in `target`."""
    for x in range(start, start + cliques[c, 1]):
        target[x] = 0.0
    for i in range(cliques[c, 5], cliques[c, 6]):
        source, at, blocks = inputs[i, 0], inputs[i, 1], inputs[i, 2]
        length, is_run = inputs[i, 3], inputs[i, 4]
        x = start
        for b in range(blocks):
            s = source + maps[at + b]
            for j in range(length):
                value = messages[s + j * is_run]
                if not are_logs:
                    value = math.log2(value) if value > 0.0 else -math.inf
                target[x + j] += value
            x += length


def weigh_logs(
    cliques: Any,
    members: Any,
    weights: Any,
    has_finding: Any,
    c: int,
    target: Any,
    start: int,
) -> None:
    """`weigh` for a table of logarithms."""
    for m in range(cliques[c, 7], cliques[c, 8]):
        if has_finding[members[m, 0]] == 1:
            inner, states, weight_at = members[m, 1], members[m, 2], members[m, 3]
            x = start
            while x < start + cliques[c, 1]:
                for s in range(states):
                    weight = weights[weight_at + s]
                    log = math.log2(weight) if weight > 0.0 else -math.inf
                    if weight == 0.0 or (weight != 1.0 and members[m, 4] == 1):
                        for j in range(x, x + inner):
                            target[j] += log
                    x += inner
