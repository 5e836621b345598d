"""Compiled operators on the nodes of one variable of a decision graph.

Counts are weights of rows; `table[n]` is n·log2 n for small whole n, since almost every count is
one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.compiled import compiled

Floats = NDArray[np.float64]
Fits = NDArray[np.float32]
Ints = NDArray[np.int32]
Codes = NDArray[np.uint16]
Flags = NDArray[np.bool_]

# A gain below this is rounding.
_ROUNDING = 1e-9
_SINGLE_ROUNDING = 3e-6  # of sums of single-precision numbers

# 1/(2 ln 2), a little less for the rounding.
_PINSKER = 0.72134752 * (1 - 1e-9)

# In place of a partner to merge with: none, one that has changed, or the node itself is gone.
_NONE, _STALE, _GONE = -1, -2, -3


@compiled
def log_mass(value: float, table: Floats) -> float:
    """x·log2 x, 0 at 0."""
    if value < table.shape[0]:
        whole = np.int64(value)
        if whole == value:
            return float(table[whole])
    return value * math.log2(value) if value > 0 else 0.0


@compiled
def node_bits(counts: Floats, table: Floats, bits: Floats) -> None:
    """Σ_h N_h log2(N_h/N) of every node."""
    for node in range(counts.shape[0]):
        total = 0.0
        sum_ = 0.0
        for state in range(counts.shape[1]):
            total += counts[node, state]
            sum_ += log_mass(counts[node, state], table)
        bits[node] = sum_ - log_mass(total, table)


@compiled
def walk(edges: Ints, above: Ints, above_codes: Codes, reached: Ints) -> None:
    """The node that every row reaches, from the node and the state above it."""
    for row in range(reached.shape[0]):
        reached[row] = edges[above[row], above_codes[row]]


@compiled
def count(reached: Ints, codes: Codes, weights: Floats, counts: Floats) -> None:
    """Add every row to its node and state."""
    for row in range(reached.shape[0]):
        counts[reached[row], codes[row]] += weights[row]


@compiled
def split_nodes(
    edges: Ints,
    above_counts: Floats,
    is_new_above: Flags,
    draws: Floats,
    share: float,
    table: Floats,
    origins: Ints,
) -> int:
    """Give every edge to a chosen node a node of its own, and tell which each new one copies.

    A node is chosen when share · splitPotential, in rows, is above its draw (eq. 4.44), unless a
    node above it is new. The first edge keeps the node.
    """
    nodes = draws.shape[0]
    degree = np.zeros(nodes, np.int64)
    mass, spread = np.zeros(nodes), np.zeros(nodes)
    state = np.zeros(nodes, np.int8)  # 1: not to be split, 2: chosen, 3: chosen and met
    for upper in range(edges.shape[0]):
        for label in range(edges.shape[1]):
            node = edges[upper, label]
            arriving = above_counts[upper, label]
            degree[node] += 1
            mass[node] += arriving
            spread[node] += log_mass(arriving, table)
            if is_new_above[upper]:
                state[node] = 1
    for node in range(nodes):
        if state[node] == 0 and degree[node] > 1:
            potential = (log_mass(mass[node], table) - spread[node]) / math.log2(degree[node])
            if share * potential > draws[node]:
                state[node] = 2
    made = 0
    for upper in range(edges.shape[0]):
        for label in range(edges.shape[1]):
            node = edges[upper, label]
            if node < nodes and state[node] == 2:
                state[node] = 3
            elif node < nodes and state[node] == 3:
                edges[upper, label] = nodes + made
                origins[made] = node
                made += 1
    return made


@compiled
def _lost(nodes: Floats, bits: Floats, a: int, b: int, table: Floats) -> float:
    """What merging two nodes loses, in bits: N·mergeScore of eq. 4.48."""
    total = 0.0
    together = 0.0
    for state in range(nodes.shape[1]):
        arriving = nodes[a, state] + nodes[b, state]
        total += arriving
        together += log_mass(arriving, table)
    return float(bits[a] + bits[b] - (together - log_mass(total, table)))


@compiled
def _is_same(heads: Ints, a: int, b: int) -> bool:
    place = 0
    while place < heads.shape[1] and heads[a, place] == heads[b, place]:
        place += 1
    return bool(place == heads.shape[1])


@compiled
def _offer(a: int, b: int, loss: float, partner: Ints, lost: Floats, next_lost: Floats) -> None:
    """Let `a` remember `b` when no other loses less, and what the next best would lose."""
    if partner[a] == b:
        return
    if loss < lost[a]:
        next_lost[a] = lost[a]
        partner[a], lost[a] = b, loss
    elif loss < next_lost[a]:
        next_lost[a] = loss


@compiled
def _set_shares(counts: Floats, node: int, shares: Floats, totals: Floats) -> None:
    total = 0.0
    for state in range(counts.shape[1]):
        total += counts[node, state]
    totals[node] = total
    for state in range(counts.shape[1]):
        shares[node, state] = counts[node, state] / total if total > 0 else 0.0


@compiled
def _least_lost(shares: Floats, totals: Floats, a: int, b: int) -> float:
    """A loss that merging two nodes exceeds: N_a N_b/(N_a+N_b) · |p_a − p_b|₁²/(2 ln 2) bits.

    Pinsker's inequality for both parts of eq. 4.48; it needs no logarithm.
    """
    total = totals[a] + totals[b]
    if total <= 0:
        return 0.0
    gap = 0.0
    for state in range(shares.shape[1]):
        gap += abs(shares[a, state] - shares[b, state])
    return float(_PINSKER * gap * gap * totals[a] * totals[b] / total)


@compiled
def _find_partner(
    counts: Floats,
    bits: Floats,
    heads: Ints,
    marks: NDArray[np.uint64],
    is_changed: Flags,
    shares: Floats,
    totals: Floats,
    limit: float,
    table: Floats,
    a: int,
    is_first: bool,
    partner: Ints,
    lost: Floats,
    next_lost: Floats,
) -> None:
    """Find whom merging `a` with loses least, and less than the limit.

    Whoever would lose least with `a` remembers it as well; so when all are looked through for the
    first time, those before `a` that changed have been compared with it already.
    """
    for b in range(counts.shape[0]):
        if b == a or partner[b] == _GONE or marks[a] != marks[b]:
            continue
        if (is_first and b < a and is_changed[b]) or not (is_changed[a] or is_changed[b]):
            continue
        least = _least_lost(shares, totals, a, b)
        if least > limit or (least > next_lost[a] and least > next_lost[b]):
            continue
        loss = _lost(counts, bits, a, b, table)
        if loss < limit - _ROUNDING and _is_same(heads, a, b):
            _offer(a, b, loss, partner, lost, next_lost)
            _offer(b, a, loss, partner, lost, next_lost)


@compiled
def merge_nodes(
    counts: Floats,
    bits: Floats,
    heads: Ints,
    is_changed: Flags,
    limit: float,
    table: Floats,
    home: Ints,
    pairs: Ints,
) -> int:
    """Merge nodes with equal successors, the pair that loses least first, below the limit.

    Pairs of which neither changed were tried before. `home` tells which node each became, `pairs`
    the node that stayed and the one that went at each merge; counts and bits of a node that stays
    become those of all that it became.

    A node whose partner was merged loses what its next best would, or what the merged node offers;
    only when the former comes first are its pairs compared again.
    """
    nodes = counts.shape[0]
    marks = np.zeros(nodes, np.uint64)  # equal successors have equal marks
    partner = np.full(nodes, _NONE, np.int32)
    lost, next_lost = np.full(nodes, math.inf), np.full(nodes, math.inf)
    shares, totals = np.empty(counts.shape), np.empty(nodes)
    for node in range(nodes):
        home[node] = node
        mark = np.uint64(1469598103934665603)
        for place in range(heads.shape[1]):
            mark = (mark ^ np.uint64(heads[node, place])) * np.uint64(1099511628211)
        marks[node] = mark
        _set_shares(counts, node, shares, totals)
    for node in range(nodes):
        if is_changed[node]:
            _find_partner(
                counts,
                bits,
                heads,
                marks,
                is_changed,
                shares,
                totals,
                limit,
                table,
                node,
                True,
                partner,
                lost,
                next_lost,
            )
    made = 0
    while True:
        a = -1
        for node in range(nodes):
            if lost[node] < math.inf and (a < 0 or lost[node] < lost[a]):
                a = node
        if a < 0:
            break
        if partner[a] == _STALE:
            partner[a] = _NONE
        else:
            keep, gone = min(a, partner[a]), max(a, partner[a])
            for state in range(counts.shape[1]):
                counts[keep, state] += counts[gone, state]
            node_bits(counts[keep : keep + 1], table, bits[keep : keep + 1])
            _set_shares(counts, keep, shares, totals)
            home[gone] = keep
            pairs[made, 0], pairs[made, 1] = keep, gone
            is_changed[keep] = True
            made += 1
            for node in range(nodes):
                if partner[node] == keep or partner[node] == gone:
                    partner[node], lost[node] = _STALE, next_lost[node]
            partner[gone], lost[gone] = _GONE, math.inf
            a, partner[keep] = keep, _NONE
        lost[a] = next_lost[a] = math.inf
        _find_partner(
            counts,
            bits,
            heads,
            marks,
            is_changed,
            shares,
            totals,
            limit,
            table,
            a,
            False,
            partner,
            lost,
            next_lost,
        )
    for node in range(nodes):  # a home comes before its guests
        home[node] = home[home[node]]
    return made


@compiled
def add_child_fits(fits: Fits, states: Ints, classes: Ints, heads: Ints, child_fits: Fits) -> None:
    """Add log2 f of the child's node that follows, for each class of rows and each node.

    Class c has state `states[c]` and, below, the child's class `classes[c]`; `heads` are the edges,
    state by state.
    """
    for one in range(fits.shape[0]):
        mine, following = fits[one], heads[states[one]]
        below = child_fits[classes[one]]
        for node in range(fits.shape[1]):
            mine[node] += below[following[node]]


@compiled
def redirect_edges(
    edges: Ints,
    above: Ints,
    above_codes: Codes,
    order: Ints,
    classes: Ints,
    weights: Floats,
    fits: Fits,
) -> int:
    """Lead every edge to the node whose f gives the edge's rows the largest likelihood (4.49).

    `order` lists the rows class by class, `fits` has log2 f^ν for every class and node. An edge
    without rows stays.
    """
    labels = edges.shape[1]
    starts = np.zeros(edges.shape[0] * labels + 1, np.int64)
    for row in range(above.shape[0]):
        starts[np.int64(above[row]) * labels + above_codes[row] + 1] += 1
    for edge in range(starts.shape[0] - 1):
        starts[edge + 1] += starts[edge]
    place = starts[:-1].copy()
    rows = np.empty(above.shape[0], np.int32)
    for at in range(order.shape[0]):
        row = order[at]
        edge = np.int64(above[row]) * labels + above_codes[row]
        rows[place[edge]] = row
        place[edge] += 1
    nodes = fits.shape[1]
    worth = np.empty(nodes)
    made = 0
    for edge in range(starts.shape[0] - 1):
        at, end = starts[edge], starts[edge + 1]
        if at == end:
            continue
        for node in range(nodes):
            worth[node] = 0.0
        while at < end:
            one = classes[rows[at]]
            weight = 0.0
            while at < end and classes[rows[at]] == one:
                weight += weights[rows[at]]
                at += 1
            fit = fits[one]
            for node in range(nodes):
                worth[node] += weight * fit[node]
        now = edges[edge // labels, edge % labels]
        best = now
        for node in range(nodes):
            if worth[node] > worth[best]:
                best = node
        if worth[best] > worth[now] + _SINGLE_ROUNDING * (1.0 + abs(worth[now])):
            edges[edge // labels, edge % labels] = best
            made += 1
    return made
