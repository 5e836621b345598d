"""Compiled merging of the nodes of one variable of a decision graph.

Nodes that may be merged, those with equal successors, stand side by side in *slots*, in the order
of their numbers: their distributions can then be compared many at a time, and a bound tells for
most pairs that nobody need look at them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.compiled import compiled, compiled_with
from pgmstudio.core.learning.pdg_kernels import log_mass

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

# A gain below this is rounding.
_ROUNDING = 1e-9

# 1/(2 ln 2), a little less for the rounding.
_PINSKER = 0.72134752 * (1 - 1e-9)

# In place of a partner to merge with: none, one that has changed, or the node itself is gone.
_NONE, _STALE, _GONE = -1, -2, -3

# In place of the one state of a node's rows: several have rows, or none.
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

    Successors are told apart by a mark of 64 bits; should two kinds have the same, they are one
    group, and each pair is looked at closely before it is merged.
    """
    nodes = heads.shape[0]
    places = 4
    while places < 2 * nodes:
        places *= 2
    marks = np.empty(places, np.uint64)
    found = np.full(places, -1, np.int32)
    group_of = np.empty(nodes, np.int32)
    groups = 0
    for node in range(nodes):
        mark = np.uint64(1469598103934665603)
        for place in range(heads.shape[1]):
            mark = (mark ^ np.uint64(heads[node, place])) * np.uint64(1099511628211)
        at = np.int64((mark ^ (mark >> np.uint64(32))) & np.uint64(places - 1))
        while found[at] >= 0 and marks[at] != mark:
            at = (at + 1) & (places - 1)
        if found[at] < 0:
            found[at], marks[at] = groups, mark
            groups += 1
        group_of[node] = found[at]
    for group in range(groups + 1):
        starts[group] = 0
    for node in range(nodes):
        starts[group_of[node] + 1] += 1
    for group in range(groups):
        starts[group + 1] += starts[group]
    place_of = starts[:groups].copy()
    for node in range(nodes):
        order[place_of[group_of[node]]] = node
        place_of[group_of[node]] += 1
    return groups


@compiled
def set_slot(
    counts: Floats,
    node: int,
    slot: int,
    table: Floats,
    shares: Floats,
    totals: Floats,
    kinds: Ints,
    own_bits: Floats,
) -> None:
    """What a node is compared by: its distribution, its rows, its kind and its bits.

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
        shares[state, slot] = counts[node, state] / total if total > 0 else 0.0


@compiled_with(error_model="numpy")  # no question at every division, so that LLVM vectorises it
def least_lost(shares: Floats, totals: Floats, a: int, low: int, high: int, least: Floats) -> None:
    """A loss that merging `a` with each slot from `low` to `high` exceeds.

    N_a N_b/(N_a+N_b) · |p_a − p_b|₁²/(2 ln 2) bits: Pinsker's inequality for both parts of eq.
    4.48. It needs no logarithm, and several slots are compared at a time. Not a number where
    neither has rows.
    """
    found, others, mine = least[low:high], totals[low:high], totals[a]
    for slot in range(found.shape[0]):
        found[slot] = 0.0
    for state in range(shares.shape[0]):
        theirs, share = shares[state, low:high], shares[state, a]
        for slot in range(found.shape[0]):
            found[slot] += abs(theirs[slot] - share)
    for slot in range(found.shape[0]):
        other = others[slot]
        found[slot] = _PINSKER * found[slot] * found[slot] * mine * other / (mine + other)


@compiled
def _find_partner(
    counts: Floats,
    bits: Floats,
    heads: Ints,
    order: Ints,
    is_changed: Flags,
    shares: Floats,
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
    """Find whom merging slot `a` with loses least, and less than the limit.

    A merge loses N·mergeScore of eq. 4.48. Whoever would lose least with `a` remembers it as well;
    so when all are looked through for the first time, those before `a` that changed have been
    compared with it already. Either remembers a partner when no other loses less, and what the next
    best would lose. All in one loop: a call with arrays costs more than the comparison.
    """
    least_lost(shares, totals, a, low, high, least)
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
        # What a node without rows joins stays as it is, and rows of one state need no bits; nodes
        # of these kinds are many after splits, and tie with each other.
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
        place = 0
        while place < heads.shape[1] and heads[mine, place] == heads[other, place]:
            place += 1
        if place < heads.shape[1]:
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
    shares: Floats,
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
            for state in range(shares.shape[0]):
                shares[state, end] = shares[state, slot]
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

    Pairs of which neither changed were tried before. `home` tells which node each became, `pairs`
    the node that stayed and the one that went at each merge; counts and bits of a node that stays
    become those of all that it became.

    A node whose partner was merged loses what its next best would, or what the merged node offers;
    only when the former comes first are its pairs compared again.
    """
    nodes, states = counts.shape
    order, slot_of = np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    starts = np.empty(nodes + 1, np.int32)
    groups = _group(heads, order, starts)
    ends, gone_of = starts[1 : groups + 1].copy(), np.zeros(groups, np.int32)
    group_of, champions = np.empty(nodes, np.int32), np.empty(groups, np.int64)
    partner = np.full(nodes, _NONE, np.int32)
    lost, next_lost = np.full(nodes, math.inf), np.full(nodes, math.inf)
    shares, totals, least = np.empty((states, nodes)), np.empty(nodes), np.empty(nodes)
    kinds, own_bits = np.empty(nodes, np.int32), np.empty(nodes)
    for group in range(groups):
        for slot in range(starts[group], ends[group]):
            node = order[slot]
            home[node], slot_of[node], group_of[node] = node, slot, group
            set_slot(counts, node, slot, table, shares, totals, kinds, own_bits)
    for group in range(groups):
        low, high = starts[group], ends[group]
        unchanged = low  # the first slot that has not changed
        while unchanged < high and is_changed[order[unchanged]]:
            unchanged += 1
        for slot in range(low, high):
            if is_changed[order[slot]]:
                first = min(slot + 1, unchanged)
                _find_partner(
                    counts, bits, heads, order, is_changed, shares, totals, kinds, own_bits,
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
            set_slot(counts, keep, a, table, shares, totals, kinds, own_bits)
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
                    low, high, order, slot_of, shares, totals, kinds, own_bits,
                    partner, lost, next_lost,
                )  # fmt: skip
                ends[group], gone_of[group], a = high, 0, slot_of[keep]
        lost[a] = next_lost[a] = math.inf
        _find_partner(
            counts, bits, heads, order, is_changed, shares, totals, kinds, own_bits,
            limit, table, a, low, high, False, partner, lost, next_lost, least,
        )  # fmt: skip
        champions[group] = _champion(lost, low, high)
    for node in range(nodes):  # a home comes before its guests
        home[node] = home[home[node]]
    return made
