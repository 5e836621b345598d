"""Compiled operators on the nodes of one variable of a decision graph.

Counts are weights of rows; `table[n]` is n·log2 n for small whole n, since almost every count is
one.

Merging: nodes that may be merged, those with equal successors, occupy adjacent *slots*, in the
order of their numbers. Their distributions can then be compared many at a time, and a bound
excludes most pairs without an exact comparison.

Redirecting: the search for the node that the rows of an edge fit best (Nielsen 2007, Alg. 4.10).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.numba_support import compiled, compiled_with

Ints = NDArray[np.int32]
Codes = NDArray[np.uint16]
Flags = NDArray[np.bool_]


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
    fraction: float,
    table: Floats,
    origins: Ints,
) -> int:
    """Give every edge to a chosen node its own node; `origins` lists the node each new one copies.

    A node is chosen when fraction · splitPotential, in rows, is above its draw (eq. 4.44), unless a
    node above it is new. The first edge keeps the node.
    """
    nodes = draws.shape[0]
    degree, mass, spread = np.empty(nodes, np.int32), np.empty(nodes), np.empty(nodes)
    state = np.empty(nodes, np.int32)  # 1: not to be split, 2: chosen, 3: chosen and met
    for node in range(nodes):
        degree[node], mass[node], spread[node], state[node] = 0, 0.0, 0.0, 0
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
            if fraction * potential > draws[node]:
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


# A gain below this is rounding.
_ROUNDING = 1e-9

# 1/(2 ln 2), a little less for the rounding.
_PINSKER = 0.72134752 * (1 - 1e-9)

# Instead of a merge partner: none, one that has changed, or the node itself was merged away.
_NONE, _STALE, _GONE = -1, -2, -3

# Instead of the single state of a node's rows: several states have rows, or none.
_MIXED, _EMPTY = -1, -2


@compiled
def together_bits(counts: Floats, a: int, b: int, table: Floats) -> float:
    """Σ_h N_h log2(N_h/N) of two nodes merged."""
    total = 0.0
    together = 0.0
    for state in range(counts.shape[1]):
        arriving = counts[a, state] + counts[b, state]
        total += arriving
        together += log_mass(arriving, table)
    return float(together - log_mass(total, table))


@compiled
def _group(heads: Ints, order: Ints, starts: Ints) -> int:
    """List the nodes group by group, those with equal successors together; the number of groups.

    Successors are distinguished by a 64-bit hash; on a collision two kinds form one group, and
    every pair is compared exactly before it is merged.
    """
    nodes = heads.shape[0]
    indices = 4
    while indices < 2 * nodes:
        indices *= 2
    marks = np.empty(indices, np.uint64)
    result, group_of = np.empty(indices, np.int32), np.empty(nodes, np.int32)
    for index in range(indices):
        result[index] = -1
    groups = 0
    for node in range(nodes):
        mark = np.uint64(1469598103934665603)
        for index in range(heads.shape[1]):
            mark = (mark ^ np.uint64(heads[node, index])) * np.uint64(1099511628211)
        at = np.int64((mark ^ (mark >> np.uint64(32))) & np.uint64(indices - 1))
        while result[at] >= 0 and marks[at] != mark:
            at = (at + 1) & (indices - 1)
        if result[at] < 0:
            result[at], marks[at] = groups, mark
            groups += 1
        group_of[node] = result[at]
    for group in range(groups + 1):
        starts[group] = 0
    for node in range(nodes):
        starts[group_of[node] + 1] += 1
    for group in range(groups):
        starts[group + 1] += starts[group]
    for group in range(groups):
        result[group] = starts[group]
    for node in range(nodes):
        order[result[group_of[node]]] = node
        result[group_of[node]] += 1
    return groups


@compiled
def set_slot(
    counts: Floats,
    node: int,
    slot: int,
    table: Floats,
    fractions: Floats,
    totals: Floats,
    kinds: Ints,
    own_bits: Floats,
) -> None:
    """Fill the slot of a node: its distribution, its rows, its kind and its bits.

    The kind is the state that all its rows have, else _MIXED, or _EMPTY without rows.
    """
    total, sum_ = 0.0, 0.0
    kind = _EMPTY
    for state in range(counts.shape[1]):
        arriving = counts[node, state]
        total += arriving
        sum_ += log_mass(arriving, table)
        if arriving > 0:
            kind = state if kind == _EMPTY else _MIXED
    totals[slot], kinds[slot], own_bits[slot] = total, kind, sum_ - log_mass(total, table)
    for state in range(counts.shape[1]):
        fractions[state, slot] = counts[node, state] / total if total > 0 else 0.0


@compiled_with(error_model="numpy")  # no check at every division, so that LLVM vectorises it
def least_lost(
    fractions: Floats, totals: Floats, a: int, low: int, high: int, least: Floats
) -> None:
    """A loss that merging `a` with each slot from `low` to `high` exceeds.

    N_a N_b/(N_a+N_b) · |p_a − p_b|₁²/(2 ln 2) bits: Pinsker's inequality for both parts of eq.
    4.48. It needs no logarithm, and several slots are compared at a time. Not a number where
    neither has rows.
    """
    result, others, mine = least[low:high], totals[low:high], totals[a]
    for slot in range(result.shape[0]):
        result[slot] = 0.0
    for state in range(fractions.shape[0]):
        theirs, fraction = fractions[state, low:high], fractions[state, a]
        for slot in range(result.shape[0]):
            result[slot] += abs(theirs[slot] - fraction)
    for slot in range(result.shape[0]):
        other = others[slot]
        result[slot] = _PINSKER * result[slot] * result[slot] * mine * other / (mine + other)


@compiled
def _find_partner(
    counts: Floats,
    bits: Floats,
    heads: Ints,
    order: Ints,
    is_changed: Flags,
    fractions: Floats,
    totals: Floats,
    kinds: Ints,
    own_bits: Floats,
    limit: float,
    table: Floats,
    a: int,
    low: int,
    high: int,
    is_first: bool,
    partner: Ints,
    lost: Floats,
    next_lost: Floats,
    least: Floats,
) -> None:
    """Find the partner with which merging slot `a` loses least, and less than the limit.

    A merge loses N·mergeScore of eq. 4.48. A node that loses least with `a` stores `a` as its
    partner as well, so in the first pass changed nodes before `a` have been compared with it
    already. Each node stores its best partner and the loss of the next best. All in one loop: a
    call with arrays costs more than the comparison.
    """
    least_lost(fractions, totals, a, low, high, least)
    mine, kind = order[a], kinds[a]
    for b in range(low, high):
        bound = least[b]
        if bound > limit or (bound > next_lost[a] and bound > next_lost[b]):
            continue
        other = order[b]
        if b == a or partner[b] == _GONE or (is_first and b < a and is_changed[other]):
            continue
        if not (is_changed[mine] or is_changed[other]):
            continue
        # Merging with an empty node changes nothing, and rows of one state need no bits; such nodes
        # are frequent after splits, and tie with each other.
        if kind == _EMPTY:
            together = own_bits[b]
        elif kinds[b] == _EMPTY:
            together = own_bits[a]
        elif kind == kinds[b] and kind != _MIXED:
            together = 0.0
        else:
            together = together_bits(counts, mine, other, table)
        loss = bits[mine] + bits[other] - together
        if loss >= limit - _ROUNDING:
            continue
        index = 0
        while index < heads.shape[1] and heads[mine, index] == heads[other, index]:
            index += 1
        if index < heads.shape[1]:
            continue
        if partner[a] != other:
            if loss < lost[a]:
                next_lost[a] = lost[a]
                partner[a], lost[a] = other, loss
            elif loss < next_lost[a]:
                next_lost[a] = loss
        if partner[b] != mine:
            if loss < lost[b]:
                next_lost[b] = lost[b]
                partner[b], lost[b] = mine, loss
            elif loss < next_lost[b]:
                next_lost[b] = loss


@compiled
def _champion(lost: Floats, low: int, high: int) -> int:
    """The first slot of a group that would lose least; −1 where none has a partner."""
    best, least = -1, math.inf
    for slot in range(low, high):
        if lost[slot] < least:
            best, least = slot, lost[slot]
    return best


@compiled
def _close_up(
    low: int,
    high: int,
    order: Ints,
    slot_of: Ints,
    fractions: Floats,
    totals: Floats,
    kinds: Ints,
    own_bits: Floats,
    partner: Ints,
    lost: Floats,
    next_lost: Floats,
) -> int:
    """Move the nodes of a group that are left together, in their order; where they end."""
    end = low
    for slot in range(low, high):
        if partner[slot] != _GONE:
            order[end] = order[slot]
            slot_of[order[end]] = end
            totals[end], partner[end] = totals[slot], partner[slot]
            kinds[end], own_bits[end] = kinds[slot], own_bits[slot]
            lost[end], next_lost[end] = lost[slot], next_lost[slot]
            for state in range(fractions.shape[0]):
                fractions[state, end] = fractions[state, slot]
            end += 1
    return end


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

    Pairs of which neither changed were tried before. `home` gives the node each was merged into,
    `pairs` the node that remained and the one removed at each merge; counts and bits of a node that
    stays become those of all that it became.

    A node whose partner was merged loses what its next best would, or what the merged node offers;
    only when the former comes first are its pairs compared again.
    """
    nodes, states = counts.shape
    order, slot_of = np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    starts = np.empty(nodes + 1, np.int32)
    groups = _group(heads, order, starts)
    ends, gone_of = np.empty(groups, np.int32), np.empty(groups, np.int32)
    group_of, champions = np.empty(nodes, np.int32), np.empty(groups, np.int32)
    partner, lost, next_lost = np.empty(nodes, np.int32), np.empty(nodes), np.empty(nodes)
    fractions, totals, least = np.empty((states, nodes)), np.empty(nodes), np.empty(nodes)
    kinds, own_bits = np.empty(nodes, np.int32), np.empty(nodes)
    for slot in range(nodes):
        partner[slot], lost[slot], next_lost[slot] = _NONE, math.inf, math.inf
    for group in range(groups):
        ends[group], gone_of[group] = starts[group + 1], 0
        for slot in range(starts[group], ends[group]):
            node = order[slot]
            home[node], slot_of[node], group_of[node] = node, slot, group
            set_slot(counts, node, slot, table, fractions, totals, kinds, own_bits)
    for group in range(groups):
        low, high = starts[group], ends[group]
        unchanged = low  # the first slot that has not changed
        while unchanged < high and is_changed[order[unchanged]]:
            unchanged += 1
        for slot in range(low, high):
            if is_changed[order[slot]]:
                first = min(slot + 1, unchanged)
                _find_partner(
                    counts, bits, heads, order, is_changed, fractions, totals, kinds, own_bits,
                    limit, table, slot, first, high, True, partner, lost, next_lost, least,
                )  # fmt: skip
        champions[group] = _champion(lost, low, high)
    made = 0
    while True:
        a = -1
        for group in range(groups):
            slot = champions[group]
            if slot >= 0 and (
                a < 0 or lost[slot] < lost[a] or (lost[slot] == lost[a] and order[slot] < order[a])
            ):
                a = slot
        if a < 0:
            break
        group = group_of[order[a]]
        low, high = starts[group], ends[group]
        if partner[a] == _STALE:
            partner[a] = _NONE
        else:
            keep, gone = min(order[a], partner[a]), max(order[a], partner[a])
            for state in range(states):
                counts[keep, state] += counts[gone, state]
            a, left = slot_of[keep], slot_of[gone]
            set_slot(counts, keep, a, table, fractions, totals, kinds, own_bits)
            bits[keep] = own_bits[a]
            home[gone] = keep
            pairs[made, 0], pairs[made, 1] = keep, gone
            is_changed[keep] = True
            made += 1
            for slot in range(low, high):
                if partner[slot] == keep or partner[slot] == gone:
                    partner[slot], lost[slot] = _STALE, next_lost[slot]
            partner[left], lost[left] = _GONE, math.inf
            partner[a] = _NONE
            gone_of[group] += 1
            if 2 * gone_of[group] > high - low:
                high = _close_up(
                    low, high, order, slot_of, fractions, totals, kinds, own_bits,
                    partner, lost, next_lost,
                )  # fmt: skip
                ends[group], gone_of[group], a = high, 0, slot_of[keep]
        lost[a] = next_lost[a] = math.inf
        _find_partner(
            counts, bits, heads, order, is_changed, fractions, totals, kinds, own_bits,
            limit, table, a, low, high, False, partner, lost, next_lost, least,
        )  # fmt: skip
        champions[group] = _champion(lost, low, high)
    for node in range(nodes):  # a node is merged into one with a smaller number
        home[node] = home[home[node]]
    return made


Fits = NDArray[np.float32]
Heads = NDArray[np.uint32]  # unsigned, which saves a bounds check at each access

_SINGLE_ROUNDING = 3e-6  # of sums of single-precision numbers
# So many classes of rows are added before nodes that are behind are left out.
_STEP = 4


@compiled
def sort_stably(order: Ints, keys: Ints, key_count: int, result: Ints) -> None:
    """List the rows of `order` by their keys, which are below `key_count`; equal ones as before."""
    index = np.empty(key_count + 1, np.int64)
    for key in range(key_count + 1):
        index[key] = 0
    for row in range(keys.shape[0]):
        index[keys[row] + 1] += 1
    for key in range(key_count):
        index[key + 1] += index[key]
    for at in range(order.shape[0]):
        row = order[at]
        result[index[keys[row]]] = row
        index[keys[row]] += 1


@compiled
def child_fits(
    fits: Fits, own: Fits, states: Ints, classes: Ints, heads: Heads, below_fits: Fits
) -> None:
    """Set log2 f for each class of rows and each node: its own part, and the child's that follows.

    Class c has state `states[c]` and, below, the child's class `classes[c]`; `own` and the edges
    `heads` are stored state by state.
    """
    for one in range(fits.shape[0]):
        state, below = states[one], classes[one]
        for node in range(fits.shape[1]):
            fits[one, node] = own[state, node] + below_fits[below, heads[state, node]]


@compiled
def add_child_fits(fits: Fits, states: Ints, classes: Ints, heads: Heads, below_fits: Fits) -> None:
    """Add what a further child has to log2 f."""
    for one in range(fits.shape[0]):
        state, below = states[one], classes[one]
        for node in range(fits.shape[1]):
            fits[one, node] += below_fits[below, heads[state, node]]


@compiled
def _by_edge(
    labels: int,
    above: Ints,
    above_codes: Codes,
    order: Ints,
    classes: Ints,
    weights: Floats,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    ones: Ints,
    masses: Floats,
) -> None:
    """For every edge the classes of its rows, from `starts` to `ends`, and what each weighs."""
    edge_of = np.empty(above.shape[0], np.int32)
    for row in range(above.shape[0]):
        edge = above[row] * labels + above_codes[row]
        edge_of[row] = edge
        starts[edge + 1] += 1
    for edge in range(ends.shape[0]):
        starts[edge + 1] += starts[edge]
        ends[edge] = starts[edge]
    for at in range(order.shape[0]):
        row = order[at]
        edge, one = edge_of[row], classes[row]
        end = ends[edge]
        if end > starts[edge] and ones[end - 1] == one:
            masses[end - 1] += weights[row]
        else:
            ones[end], masses[end] = one, weights[row]
            ends[edge] = end + 1


@compiled
def _best_head(
    fits: Fits, ones: Ints, masses: Floats, at: int, end: int, now: int, worth: Floats, left: Ints
) -> int:
    """The node that gives the classes of an edge the largest likelihood, `now` if none is better.

    A class never raises the sum of logarithms, so a node that has come down to what `now` has in
    the end is left out, as most are after a few classes.
    """
    aim = 0.0
    for index in range(at, end):
        aim += masses[index] * fits[ones[index], now]
    count = fits.shape[1]
    for node in range(count):
        worth[node], left[node] = 0.0, node
    while at < end and count > 0:
        remaining = 0
        if at + _STEP <= end:
            one, two, three, four = ones[at], ones[at + 1], ones[at + 2], ones[at + 3]
            first, second = masses[at], masses[at + 1]
            third, fourth = masses[at + 2], masses[at + 3]
            for index in range(count):
                node, sum_ = left[index], worth[index]
                sum_ += first * fits[one, node]
                sum_ += second * fits[two, node]
                sum_ += third * fits[three, node]
                sum_ += fourth * fits[four, node]
                worth[remaining], left[remaining] = sum_, node
                remaining += sum_ > aim
            at += _STEP
        else:
            one, first = ones[at], masses[at]
            for index in range(count):
                node = left[index]
                sum_ = worth[index] + first * fits[one, node]
                worth[remaining], left[remaining] = sum_, node
                remaining += sum_ > aim
            at += 1
        count = remaining
    best, most = now, aim
    for index in range(count):
        if worth[index] > most:
            best, most = left[index], worth[index]
    return best if most > aim + _SINGLE_ROUNDING * (1.0 + abs(aim)) else now


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
    """Redirect every edge to the node whose f gives the edge's rows the largest likelihood (4.49).

    `order` lists the rows class by class, `fits` has log2 f^ν for every class and node. An edge
    without rows stays.
    """
    labels = edges.shape[1]
    starts, ends = np.empty(edges.size + 1, np.int64), np.empty(edges.size, np.int64)
    for edge in range(edges.size + 1):
        starts[edge] = 0
    ones, masses = np.empty(above.shape[0], np.int32), np.empty(above.shape[0])
    _by_edge(labels, above, above_codes, order, classes, weights, starts, ends, ones, masses)
    worth, left = np.empty(fits.shape[1]), np.empty(fits.shape[1], np.int32)
    made = 0
    for edge in range(edges.size):
        now = edges[edge // labels, edge % labels]
        best = _best_head(fits, ones, masses, starts[edge], ends[edge], now, worth, left)
        if best != now:
            edges[edge // labels, edge % labels] = best
            made += 1
    return made
