"""The compiled parts of the accelerated Chow–Liu algorithms (Meilă 1999, ch. 5).

Variables are numbered by rank: the one that leaves its reference state most often is 0. Of two
variables the earlier owns the pair. For every variable u a short block of its heaviest pairs is
stored; when Kruskal's algorithm has used it up, the next block is made from the rows again, so
memory does not grow with the pairs that occur together.

All of them stand in one file, since they call each other and numba's cache knows only the file a
kernel stands in. None calls itself: such kernels crash when they come from the cache.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pgmstudio.core.numba_support import compiled

# What `Growth.tally` counts.
HEAP, EDGES, EXAMINED, EVALUATED, VISITED, DONE, REFILLS, TOGETHER = range(8)
TALLIES = 8
# The fixed cost of a variable's block, and of examining an edge, in visits of a pair.
VARIABLE_VISITS, EXAMINATION = 200, 50

# What `Growth.side` has per variable v: N_v, the weight of the rows where v leaves its reference
# state, with the prior's share; and 1 / (N_v (N − N_v)), 0 for a constant.
MASS, INVERSE = range(2)

# What `Growth.state` has per variable: the length of its block and how much of it is used; whether
# nothing comes after it; the ranks left of those never together with it; the last pair handed out
# that is together; and how many pairs were handed out (aCL-I).
FILLED, USED, IS_LAST, FRONT, BACK, LOW, GIVEN = range(7)
STATES = 7


class Ranked(NamedTuple):
    """Rows by rank. `cells[starts[r]:starts[r + 1]]` ascends; the entries of variable u, where in
    `cells` it stands and in which row, are `column_starts[u]:column_starts[u + 1]`."""

    starts: Any
    cells: Any
    column_starts: Any
    entry_indices: Any
    entry_rows: Any
    weights: Any
    cell_at: Any
    variable_of: Any
    cell_mass: Any  # N_v^j
    total: float  # N, with the prior's share
    prior: float  # N'
    is_binary: bool


class Growth(NamedTuple):
    """How far every variable's pairs are handed out, and the forest that grows.

    Such tuples are passed on once for a variable, never once for a pair: that copies them.
    """

    side: Any
    met: Any  # per v the weight of the rows where it and the present u leave their references
    state: Any
    lows: Any  # the least information handed out: of pairs together, of pairs never together
    block: Any  # n × K: the other variable
    information: Any  # n × K, of the block, descending
    group: Any  # union–find
    heap: Any
    edges: Any
    edge_information: Any
    table: Any  # by cell of the present u and cell of v
    touched: Any  # who is together with the present u
    lists: Any  # aCL-I: next, step, left, count per list; last column: sorted (count, rank)
    heads: Any
    head_information: Any
    tally: Any
    least: float  # pairs of no more information than this are never joined


# -- mutual information ---------------------------------------------------------------------------


@compiled
def _term(count: float, total: float, left: float, right: float) -> float:
    if count <= 0.0 or left <= 0.0 or right <= 0.0:
        return 0.0
    return count * math.log(count * total / (left * right))


@compiled
def binary_information(total: float, u: float, v: float, both: float) -> float:
    """I in nats of two binary variables that are on u and v times, both at once `both` times.

    I = (1/N) Σ N_ab ln(N_ab N / (N_a N_b)): eq. 5.11, whose last term is −N log N.
    """
    result = (
        _term(both, total, u, v)
        + _term(u - both, total, u, total - v)
        + _term(v - both, total, total - u, v)
        + _term(total - u - v + both, total, total - u, total - v)
    )
    return max(result / total, 0.0)


@compiled
def apart_information(total: float, u: float, v: float) -> float:
    """I in nats of variables that never both leave their reference states (eq. 5.35, corrected).

    Any number of states: it depends only on how often each leaves its reference state, u and v.
    """
    if u <= 0.0 or v <= 0.0:
        return 0.0
    result = (
        u * math.log(total / (total - v))
        + v * math.log(total / (total - u))
        + _term(total - u - v, total, total - u, total - v)
    )
    return max(result / total, 0.0)


@compiled
def table_information(
    total: float, u_mass: float, v_mass: float, u: int, v: int, cell_at: Any, mass: Any, table: Any
) -> float:
    """The same from the counts of cells, for any number of states; reference states are implied."""
    width = mass.shape[0]
    result = 0.0
    u_reference, v_reference = total - u_mass, total - v_mass
    for i in range(cell_at[u], cell_at[u + 1]):
        row = (i - cell_at[u]) * width
        rest = mass[i]
        for j in range(cell_at[v], cell_at[v + 1]):
            both = table[row + j]
            rest -= both
            result += _term(both, total, mass[i], mass[j])
        result += _term(rest, total, mass[i], v_reference)
    corner = u_reference
    for j in range(cell_at[v], cell_at[v + 1]):
        rest = mass[j]
        for i in range(cell_at[u + 1] - cell_at[u]):
            rest -= table[i * width + j]
        corner -= rest
        result += _term(rest, total, u_reference, mass[j])
    result += _term(corner, total, u_reference, v_reference)
    return max(result / total, 0.0)


@compiled
def _apart(total: float, prior: float, u_mass: float, v_mass: float) -> float:
    if prior > 0.0:
        return binary_information(total, u_mass, v_mass, 0.25 * prior)
    return apart_information(total, u_mass, v_mass)


# -- the heaviest pairs of one variable -----------------------------------------------------------


@compiled
def find_root(group: Any, node: int) -> int:
    """The group of a node, with paths halved on the way."""
    while group[node] != node:
        group[node] = group[group[node]]
        node = group[node]
    return node


@compiled
def meet(ranked: Any, growth: Any, u: int) -> int:
    """Count who occurs together with u among the later variables; how many there are."""
    met, touched, cells, table = growth.met, growth.touched, ranked.cells, growth.table
    is_binary, variable_of = ranked.is_binary, ranked.variable_of
    count = 0
    visited = 0
    for entry in range(ranked.column_starts[u], ranked.column_starts[u + 1]):
        row = ranked.entry_rows[entry]
        index = ranked.entry_indices[entry]
        weight = ranked.weights[row]
        others = cells[index + 1 : ranked.starts[row + 1]]
        visited += others.shape[0]
        if is_binary:
            for k in range(others.shape[0]):
                v = np.uint32(others[k])
                before = met[v]
                met[v] = before + weight
                touched[count] = v
                count += int(before == 0.0)
        else:
            shift = (cells[index] - ranked.cell_at[u]) * variable_of.shape[0]
            for k in range(others.shape[0]):
                v = np.uint32(variable_of[others[k]])
                before = met[v]
                met[v] = before + weight
                touched[count] = v
                count += int(before == 0.0)
                table[shift + others[k]] += weight
    growth.tally[VISITED] += visited
    return count


@compiled
def part(ranked: Any, growth: Any, u: int, count: int) -> None:
    """Forget the counts of u."""
    met, cell_at, width = growth.met, ranked.cell_at, ranked.variable_of.shape[0]
    for k in range(count):
        met[growth.touched[k]] = 0.0
    if not ranked.is_binary:
        for k in range(count):
            v = growth.touched[k]
            for i in range(cell_at[u + 1] - cell_at[u]):
                for j in range(cell_at[v], cell_at[v + 1]):
                    growth.table[i * width + j] = 0.0


@compiled
def _is_worse(one: float, one_v: int, other: float, other_v: int) -> bool:
    """The order in which pairs are handed out: by information, then by rank."""
    return one < other or (one == other and one_v > other_v)


@compiled
def _sink(block: Any, information: Any, index: int, size: int) -> None:
    """Restore the heap whose top is the worst."""
    v, value = block[index], information[index]
    while True:
        child = 2 * index + 1
        if child >= size:
            break
        right = child + 1
        if right < size and _is_worse(
            information[right], block[right], information[child], block[child]
        ):
            child = right
        if not _is_worse(information[child], block[child], value, v):
            break
        block[index], information[index] = block[child], information[child]
        index = child
    block[index], information[index] = v, value


@compiled
def _keep(block: Any, information: Any, size: int, v: int, value: float) -> int:
    """Put a pair into the heap of the best; it replaces the worst when the heap is full."""
    if size == block.shape[0]:
        block[0], information[0] = v, value
        _sink(block, information, 0, size)
        return size
    index = size
    while index > 0:
        above = (index - 1) // 2
        if not _is_worse(value, v, information[above], block[above]):
            break
        block[index], information[index] = block[above], information[above]
        index = above
    block[index], information[index] = v, value
    return size + 1


@compiled
def _keep_together(ranked: Any, growth: Any, u: int, count: int, is_later: bool) -> int:
    """Keep the best pairs that occur together and were not handed out yet.

    I ≤ ln(1 + φ²) ≤ φ² for Pearson's φ², so most need no logarithm.
    """
    block, information, side = growth.block[u], growth.information[u], growth.side
    touched, group, table, least = growth.touched, growth.group, growth.table, growth.least
    cell_at, cell_mass, is_binary = ranked.cell_at, ranked.cell_mass, ranked.is_binary
    total, on, most = ranked.total, side[u, MASS], block.shape[0]
    low, low_v = growth.lows[u, 0], growth.state[u, LOW]
    spread = side[u, INVERSE] * (1.0 + 1e-9)
    quarter = 0.25 * ranked.prior
    root = find_root(group, u)
    size, evaluated = 0, 0
    bar = least
    for k in range(count):
        v = touched[k]
        both, mass = growth.met[v] + quarter, side[v, MASS]
        if is_binary:
            excess = both * total - on * mass
            if excess * excess * (spread * side[v, INVERSE]) < bar:
                continue
        if is_later and find_root(group, v) == root:
            continue
        if is_binary:
            value = binary_information(total, on, mass, both)
        else:
            value = table_information(total, on, mass, u, v, cell_at, cell_mass, table)
        evaluated += 1
        if value <= least or not _is_worse(value, v, low, low_v):
            continue
        if size == most and not _is_worse(information[0], block[0], value, v):
            continue
        size = _keep(block, information, size, v, value)
        if size == most:
            bar = information[0]
    growth.tally[EVALUATED] += evaluated
    return size


@compiled
def _keep_apart(ranked: Any, growth: Any, u: int, size: int, is_later: bool) -> int:
    """Walk the pairs never together from the most frequent on, while they are among the best.

    Without a prior their information falls along the ranks. With the uniform prior it falls and
    then rises, so the walk has two ends and takes the better one.
    """
    block, information, side = growth.block[u], growth.information[u], growth.side
    group, state, lows, most = growth.group, growth.state[u], growth.lows[u], block.shape[0]
    met = growth.met
    total, prior, on = ranked.total, ranked.prior, side[u, MASS]
    front, back = state[FRONT], state[BACK]
    root = find_root(group, u)
    has_two_ends = prior > 0.0
    evaluated = 0
    while True:
        while front <= back and (
            met[front] > 0.0 or (is_later and find_root(group, front) == root)
        ):
            front += 1
        while (
            has_two_ends
            and front <= back
            and (met[back] > 0.0 or (is_later and find_root(group, back) == root))
        ):
            back -= 1
        if front > back:
            break
        v = front
        value = _apart(total, prior, on, side[front, MASS])
        evaluated += 1
        if has_two_ends and back > front:
            other = _apart(total, prior, on, side[back, MASS])
            evaluated += 1
            if other > value:
                v, value = back, other
        # Rounding must not let a later pair look better than one before it.
        value = min(value, lows[1])
        if value <= growth.least:
            front = back + 1
            break
        if size == most and not value > information[0]:
            break
        size = _keep(block, information, size, v, value)
        lows[1] = value
        if v == front:
            front += 1
        else:
            back -= 1
    state[FRONT], state[BACK] = front, back
    growth.tally[EVALUATED] += evaluated
    return size


@compiled
def next_blocks(
    ranked: Any, growth: Any, first: int, last: int, budget: int, is_later: bool
) -> int:
    """aCL-II: the next best pairs of variables first … last−1, heaviest first.

    Later on only pairs that join two groups. Returns the first variable not done when so many
    pairs were visited.
    """
    until = growth.tally[VISITED] + budget
    u = first
    while u < last and growth.tally[VISITED] < until:
        count = meet(ranked, growth, u)
        growth.tally[TOGETHER] += 0 if is_later else count
        block, information, state = growth.block[u], growth.information[u], growth.state[u]
        size = _keep_together(ranked, growth, u, count, is_later)
        size = _keep_apart(ranked, growth, u, size, is_later)
        for k in range(size):
            is_together = growth.met[block[k]] > 0.0
            if is_together and _is_worse(information[k], block[k], growth.lows[u, 0], state[LOW]):
                growth.lows[u, 0], state[LOW] = information[k], block[k]
        part(ranked, growth, u, count)
        state[FILLED], state[USED], state[IS_LAST] = size, 0, size < block.shape[0]
        for end in range(size - 1, 0, -1):  # the worst goes to the end
            block[0], block[end] = block[end], block[0]
            information[0], information[end] = information[end], information[0]
            _sink(block, information, 0, end)
        growth.tally[VISITED] += VARIABLE_VISITS
        u += 1
    return u


# -- aCL-I: lists by how often a pair occurs together ---------------------------------------------


@compiled
def make_lists(ranked: Any, growth: Any, u: int, count: int) -> int:
    """Lists V_c⁺ and V_c⁻ of u, each in decreasing information (§5.3.1); how many there are.

    `touched` is sorted by count c, then rank. V_c⁺ holds the variables more frequent than
    N_v* = c N / N_u, read by rank; V_c⁻ the others, read backwards. A row of `lists` is: index of
    the head in `touched`, step, how many are left, c.
    """
    side, met, touched, lists = growth.side, growth.met, growth.touched, growth.lists
    n = side.shape[0]
    for k in range(count):
        touched[k] += np.int64(met[touched[k]]) * n
    touched[:count].sort()
    made, low = 0, 0
    while low < count:
        both = touched[low] // n
        balance = both * ranked.total / side[u, MASS]
        high = low
        middle = -1
        while high < count and touched[high] // n == both:
            touched[high] -= both * n
            if middle < 0 and side[touched[high], MASS] <= balance:
                middle = high
            high += 1
        if middle < 0:
            middle = high
        if middle > low:
            lists[made, 0], lists[made, 1] = low, 1
            lists[made, 2], lists[made, 3] = middle - low, both
            made += 1
        if high > middle:
            lists[made, 0], lists[made, 1] = high - 1, -1
            lists[made, 2], lists[made, 3] = high - middle, both
            made += 1
        low = high
    return made


@compiled
def _raise_head(heads: Any, values: Any, index: int) -> None:
    while index > 0:
        above = (index - 1) // 2
        if values[above] >= values[index]:
            break
        heads[above], heads[index] = heads[index], heads[above]
        values[above], values[index] = values[index], values[above]
        index = above


@compiled
def _sink_head(heads: Any, values: Any, size: int) -> None:
    index = 0
    while True:
        child = 2 * index + 1
        if child >= size:
            break
        if child + 1 < size and values[child + 1] > values[child]:
            child += 1
        if values[index] >= values[child]:
            break
        heads[child], heads[index] = heads[index], heads[child]
        values[child], values[index] = values[index], values[child]
        index = child


@compiled
def next_blocks_of_lists(
    ranked: Any, growth: Any, first: int, last: int, budget: int, is_later: bool
) -> int:
    """aCL-I: the same blocks, merged from the heads of the lists; only heads are evaluated.

    Only the number of pairs handed out is stored, so a later block replays the merging.
    """
    until = growth.tally[VISITED] + budget
    u = first
    while u < last and growth.tally[VISITED] < until:
        _merge_lists(ranked, growth, u, is_later)
        growth.tally[VISITED] += VARIABLE_VISITS
        u += 1
    return u


@compiled
def _merge_lists(ranked: Any, growth: Any, u: int, is_later: bool) -> None:
    count = meet(ranked, growth, u)
    growth.tally[TOGETHER] += 0 if is_later else count
    made = make_lists(ranked, growth, u, count)
    side, touched, lists, group = growth.side, growth.touched, growth.lists, growth.group
    heads, values, state = growth.heads, growth.head_information, growth.state[u]
    met = growth.met
    block, information = growth.block[u], growth.information[u]
    n, total, on = side.shape[0], ranked.total, side[u, MASS]
    root = find_root(group, u)
    apart = u + 1
    while apart < n and met[apart] > 0.0:
        apart += 1
    # List number `made` is the virtual one of those never together.
    lists[made, 2] = n - apart
    size = 0
    for which in range(made + 1):
        if lists[which, 2] <= 0:
            continue
        v = apart if which == made else touched[lists[which, 0]]
        heads[size] = which
        values[size] = binary_information(total, on, side[v, MASS], met[v])
        size += 1
        _raise_head(heads, values, size - 1)
    evaluated, filled, popped, floor = size, 0, 0, math.inf
    while size > 0 and filled < block.shape[0]:
        which = heads[0]
        # Rounding must not let a later pair look better than one before it.
        floor = min(floor, values[0])
        if floor <= growth.least:
            size = 0
            break
        if which == made:
            v = apart
            apart += 1
            while apart < n and met[apart] > 0.0:
                apart += 1
            following = apart if apart < n else -1
        else:
            v = touched[lists[which, 0]]
            lists[which, 0] += lists[which, 1]
            lists[which, 2] -= 1
            following = touched[lists[which, 0]] if lists[which, 2] > 0 else -1
        if following >= 0:
            values[0] = binary_information(total, on, side[following, MASS], met[following])
            evaluated += 1
        else:
            size -= 1
            heads[0], values[0] = heads[size], values[size]
        _sink_head(heads, values, size)
        popped += 1
        if popped <= state[GIVEN] or (is_later and find_root(group, v) == root):
            continue
        block[filled], information[filled] = v, floor
        filled += 1
    part(ranked, growth, u, count)
    growth.tally[EVALUATED] += evaluated
    state[GIVEN] = max(popped, state[GIVEN])
    state[FILLED], state[USED], state[IS_LAST] = filled, 0, size == 0


# -- Kruskal --------------------------------------------------------------------------------------


@compiled
def _sink_variable(heap: Any, state: Any, information: Any, index: int, size: int) -> None:
    """Restore the heap of variables whose top has the heaviest pair."""
    u = heap[index]
    mine = information[u, state[u, USED]]
    while True:
        child = 2 * index + 1
        if child >= size:
            break
        best = information[heap[child], state[heap[child], USED]]
        if child + 1 < size:
            other = information[heap[child + 1], state[heap[child + 1], USED]]
            if _is_worse(best, heap[child], other, heap[child + 1]):
                child, best = child + 1, other
        if not _is_worse(mine, u, best, heap[child]):
            break
        heap[index] = heap[child]
        index = child
    heap[index] = u


@compiled
def make_heap(heap: Any, state: Any, information: Any, tally: Any) -> None:
    """The variables that have a pair, the one with the heaviest on top."""
    size = 0
    for u in range(state.shape[0]):
        if state[u, FILLED] > 0:
            heap[size] = u
            size += 1
    for index in range(size // 2 - 1, -1, -1):
        _sink_variable(heap, state, information, index, size)
    tally[HEAP] = size


@compiled
def grow(growth: Any, budget: int, trail: Any) -> int:
    """Kruskal's algorithm (§5.3.3, step 4) until it is done or so many pairs were examined.

    When the block of a variable is used up that variable is returned, still on top of the heap;
    else −1. Pairs examined are written into `trail`, one row each, as far as it reaches.
    """
    tally, state, group, heap = growth.tally, growth.state, growth.group, growth.heap
    block, information = growth.block, growth.information
    for _ in range(budget):
        if tally[HEAP] > 0 and state[heap[0], USED] == state[heap[0], FILLED]:
            tally[HEAP] -= 1
            heap[0] = heap[tally[HEAP]]
        if tally[HEAP] > 0:  # the top may have a new block
            _sink_variable(heap, state, information, 0, tally[HEAP])
        if tally[HEAP] == 0 or tally[EDGES] >= state.shape[0] - 1:
            tally[DONE] = 1
            return -1
        u = heap[0]
        v = block[u, state[u, USED]]
        value = information[u, state[u, USED]]
        if tally[EXAMINED] < trail.shape[0]:
            trail[tally[EXAMINED], 0] = u
            trail[tally[EXAMINED], 1] = v
            trail[tally[EXAMINED], 2] = value
        tally[EXAMINED] += 1
        one, other = find_root(group, u), find_root(group, v)
        if one != other:
            group[max(one, other)] = min(one, other)
            growth.edges[tally[EDGES], 0] = u
            growth.edges[tally[EDGES], 1] = v
            growth.edge_information[tally[EDGES]] = value
            tally[EDGES] += 1
        state[u, USED] += 1
        if state[u, USED] == state[u, FILLED] and state[u, IS_LAST] == 0:
            tally[REFILLS] += 1
            return int(u)
    return -1


@compiled
def grow_on(ranked: Any, growth: Any, budget: int, trail: Any, by_lists: bool) -> None:
    """`grow`, with new blocks for the variables that need them, until it is done or so many pairs
    were visited; looking at a pair counts as `EXAMINATION` visits."""
    tally = growth.tally
    until = tally[VISITED] + EXAMINATION * tally[EXAMINED] + budget
    while not tally[DONE] and tally[VISITED] + EXAMINATION * tally[EXAMINED] < until:
        used_up = grow(growth, budget // EXAMINATION, trail)
        if used_up >= 0 and by_lists:
            next_blocks_of_lists(ranked, growth, used_up, used_up + 1, 1, True)
        elif used_up >= 0:
            next_blocks(ranked, growth, used_up, used_up + 1, 1, True)
