"""Compiled searches for the labels of one family.

Configurations of the parents are numbered with the last parent fastest; `counts` has a row of r
cells for each. A class is identified by its lowest configuration. A context of the parent on an
axis is numbered over the other parents, and a candidate by its context after all those of earlier
axes.

The rows of a table can also be merged by a decision tree over the parents, into one default row, or
freely.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.numba_support import compiled
from pgmstudio.core.scores.partition_kernels import block_score

Ints = NDArray[np.int64]

# Gains up to this are rounding.
MIN_GAIN = 1e-9


@compiled
def strides_of(cards: Ints) -> Ints:
    """The stride of each parent in the numbering of configurations."""
    strides = np.empty(cards.shape[0], np.int64)
    stride = 1
    for axis in range(cards.shape[0] - 1, -1, -1):
        strides[axis] = stride
        stride *= cards[axis]
    return strides


@compiled
def is_regular_merge(homes: Ints, marks: Ints, mark: int, cards: Ints, strides: Ints) -> bool:
    """Whether every parent still has an effect when the marked classes are merged."""
    q = homes.shape[0]
    for axis in range(cards.shape[0]):
        card, stride = cards[axis], strides[axis]
        has_effect = card == 1
        for context in range(q // card):
            if has_effect:
                break
            base = context // stride * stride * card + context % stride
            first = homes[base]
            for value in range(1, card):
                other = homes[base + value * stride]
                both = marks[first] == mark and marks[other] == mark
                if other != first and not both:
                    has_effect = True
                    break
        if not has_effect:
            return False
    return True


@compiled
def new_contexts(
    homes: Ints,
    following: Ints,
    hit: Ints,
    hits: int,
    marks: Ints,
    mark: int,
    cards: Ints,
    strides: Ints,
) -> int:
    """How many contexts join the labels when the marked classes, listed in `hit`, become one."""
    result = 0
    for h in range(hits):
        c = hit[h]
        while c >= 0:
            for axis in range(cards.shape[0]):
                card, stride = cards[axis], strides[axis]
                if c // stride % card == 0:
                    is_inside, is_new = True, False
                    for value in range(1, card):
                        other = homes[c + value * stride]
                        is_inside = is_inside and marks[other] == mark
                        is_new = is_new or other != homes[c]
                    if is_inside and is_new:
                        result += 1
            c = following[c]
    return result


@compiled
def greedy_labels(
    counts: Floats,
    cards: Ints,
    r: int,
    term: int,
    ess: float,
    cost: float,
    scale: float,
    log_kappa: float,
    per_context: bool,
    homes: Ints,
    taken: Ints,
    gains: Floats,
) -> int:
    """Contexts added to labels one at a time, each the one that gains most, while one gains.

    `homes` becomes the class of every configuration, `taken` and `gains` the candidates in the
    order they were taken; returns how many. A candidate that would leave a parent without effect is
    never tried again, since in coarser partitions it would as well.
    """
    axes, q = cards.shape[0], homes.shape[0]
    strides, first = strides_of(cards), np.zeros(axes + 1, np.int64)
    for axis in range(axes):
        first[axis + 1] = first[axis] + q // cards[axis]
    sums, sizes = counts.copy(), np.ones(q, np.int64)
    values = np.empty(q)
    following, last = np.full(q, -1, np.int64), np.empty(q, np.int64)
    for c in range(q):
        homes[c] = c
        last[c] = c
        values[c] = block_score(sums, c * r, r, 1 / q, term, ess, cost, scale)
    marks, mark = np.full(q, -1, np.int64), 0
    hit, union = np.empty(q, np.int64), np.empty(r)
    candidates = int(first[axes])
    deltas = np.empty(candidates)
    is_stale = np.ones(candidates, np.uint8)  # 2: never again
    stale = np.arange(candidates)
    stale_count = candidates
    steps = 0
    while True:
        for index in range(stale_count):
            candidate = stale[index]
            axis = 0
            while first[axis + 1] <= candidate:
                axis += 1
            context, stride = candidate - first[axis], strides[axis]
            base = context // stride * stride * cards[axis] + context % stride
            mark += 1
            hits, size, before = 0, 0, 0.0
            for state in range(r):
                union[state] = 0.0
            for value in range(cards[axis]):
                home = homes[base + value * stride]
                if marks[home] != mark:
                    marks[home] = mark
                    hit[hits] = home
                    hits += 1
                    size += sizes[home]
                    before += values[home]
                    for state in range(r):
                        union[state] += sums[home * r + state]
            is_stale[candidate] = 0
            if hits == 1:
                is_stale[candidate] = 2
                deltas[candidate] = -math.inf
                continue
            saved = (r - 1) * (hits - 1)
            if per_context:
                saved = new_contexts(homes, following, hit, hits, marks, mark, cards, strides)
            after = block_score(union, 0, r, size / q, term, ess, cost, scale)
            deltas[candidate] = after - before + saved * log_kappa
        stale_count = 0
        # The best that leaves every parent an effect.
        while True:
            best, best_delta = -1, MIN_GAIN
            for candidate in range(candidates):
                if deltas[candidate] > best_delta:
                    best, best_delta = candidate, deltas[candidate] + MIN_GAIN
            if best < 0:
                return steps
            axis = 0
            while first[axis + 1] <= best:
                axis += 1
            context, stride = best - first[axis], strides[axis]
            base = context // stride * stride * cards[axis] + context % stride
            mark += 1
            into = homes[base]
            for value in range(cards[axis]):
                home = homes[base + value * stride]
                marks[home] = mark
                into = min(into, home)
            if is_regular_merge(homes, marks, mark, cards, strides):
                break
            is_stale[best] = 2
            deltas[best] = -math.inf
        taken[steps], gains[steps] = best, deltas[best]
        steps += 1
        for value in range(cards[axis]):
            home = homes[base + value * stride]
            if home == into:
                continue
            following[last[into]] = home
            last[into] = last[home]
            sizes[into] += sizes[home]
            for state in range(r):
                sums[into * r + state] += sums[home * r + state]
            c = home
            while c >= 0:
                homes[c] = into
                c = following[c]
        values[into] = block_score(sums, into * r, r, sizes[into] / q, term, ess, cost, scale)
        c = into
        while c >= 0:
            for other in range(axes):
                stride = strides[other]
                context = c // (stride * cards[other]) * stride + c % stride
                candidate = first[other] + context
                if is_stale[candidate] == 0:
                    is_stale[candidate] = 1
                    stale[stale_count] = candidate
                    stale_count += 1
            c = following[c]


@compiled
def greedy_merges(
    counts: Floats,
    cards: Ints,
    r: int,
    term: int,
    ess: float,
    cost: float,
    scale: float,
    log_kappa: float,
    homes: Ints,
) -> None:
    """Any two classes merged, the pair that gains most first, while one gains and every parent
    keeps an effect (Chickering, Heckerman and Meek 1997, merges alone)."""
    q, strides = homes.shape[0], strides_of(cards)
    sums, sizes, values = counts.copy(), np.ones(q, np.int64), np.empty(q)
    marks, union, mark = np.full(q, -1, np.int64), np.empty(r), 0
    deltas = np.full((q, q), -math.inf)  # of a < b; nan where a parent would lose its effect
    is_stale = np.ones(q, np.uint8)
    for c in range(q):
        homes[c] = c
        values[c] = block_score(sums, c * r, r, 1 / q, term, ess, cost, scale)
    bonus = (r - 1) * log_kappa
    while True:
        for a in range(q):
            for b in range(a + 1, q):
                is_due = is_stale[a] or is_stale[b]
                if not is_due or sizes[a] == 0 or sizes[b] == 0 or math.isnan(deltas[a, b]):
                    continue
                for state in range(r):
                    union[state] = sums[a * r + state] + sums[b * r + state]
                fraction = (sizes[a] + sizes[b]) / q
                after = block_score(union, 0, r, fraction, term, ess, cost, scale)
                deltas[a, b] = after - values[a] - values[b] + bonus
        for a in range(q):
            is_stale[a] = 0
        while True:
            best_a, best_b, best_delta = -1, -1, MIN_GAIN
            for a in range(q):
                for b in range(a + 1, q):
                    if deltas[a, b] > best_delta:
                        best_a, best_b, best_delta = a, b, deltas[a, b] + MIN_GAIN
            if best_a < 0:
                return
            mark += 1
            marks[best_a] = mark
            marks[best_b] = mark
            if is_regular_merge(homes, marks, mark, cards, strides):
                break
            deltas[best_a, best_b] = math.nan
        sizes[best_a] += sizes[best_b]
        sizes[best_b] = 0
        for state in range(r):
            sums[best_a * r + state] += sums[best_b * r + state]
        for c in range(q):
            if homes[c] == best_b:
                homes[c] = best_a
        fraction = sizes[best_a] / q
        values[best_a] = block_score(sums, best_a * r, r, fraction, term, ess, cost, scale)
        is_stale[best_a] = 1
        for c in range(q):
            # What was refused with the one is refused with both together.
            if c not in (best_a, best_b):
                low, high = min(c, best_a), max(c, best_a)
                if math.isnan(deltas[min(c, best_b), max(c, best_b)]):
                    deltas[low, high] = math.nan
            deltas[min(c, best_b), max(c, best_b)] = -math.inf


@compiled
def shared_gain(
    union: Floats,
    size: int,
    before: float,
    r: int,
    q: int,
    term: int,
    ess: float,
    cost: float,
    scale: float,
    log_kappa: float,
) -> float:
    """The gain of one row for so many configurations, which scored `before` with rows of their own;
    0 for fewer than two."""
    if size < 2:
        return 0.0
    after = block_score(union, 0, r, size / q, term, ess, cost, scale)
    return after - before + (size - 1) * (r - 1) * log_kappa


@compiled
def keeps_effects(
    members: NDArray[np.bool_], homes: Ints, marks: Ints, cards: Ints, strides: Ints
) -> bool:
    """Give the members one class and every other configuration its own; whether every parent still
    has an effect."""
    first = -1
    for c in range(homes.shape[0]):
        homes[c] = c
        if members[c]:
            first = c if first < 0 else first
            homes[c] = first
    return is_regular_merge(homes, marks, 0, cards, strides)


@compiled
def default_rows(
    counts: Floats,
    cards: Ints,
    r: int,
    term: int,
    ess: float,
    cost: float,
    scale: float,
    log_kappa: float,
    is_exact: bool,
    homes: Ints,
) -> None:
    """A default table: the configurations that share one row, which leaves every parent an effect.

    Exact: of all sets of configurations. Else from the best pair and from all but one, one
    configuration joins or leaves at a time, the one that gains most, while one gains.
    """
    q, strides = homes.shape[0], strides_of(cards)
    values, union, sums = np.empty(q), np.empty(r), np.empty(r)
    for c in range(q):
        values[c] = block_score(counts, c * r, r, 1 / q, term, ess, cost, scale)
    marks = np.full(q, -1, np.int64)  # none: classes are looked at as they are
    members, best_members = np.zeros(q, np.bool_), np.zeros(q, np.bool_)
    best = 0.0
    for start in range(1 << q if is_exact else 2):
        # The first set: that of a number, the best pair, or all but one.
        first, second, present = -1, -1, -math.inf
        if not is_exact and start == 0:
            for a in range(q):
                for b in range(a + 1, q):
                    for state in range(r):
                        union[state] = counts[a * r + state] + counts[b * r + state]
                    before = values[a] + values[b]
                    gain = shared_gain(union, 2, before, r, q, term, ess, cost, scale, log_kappa)
                    if gain > present + MIN_GAIN:
                        members[:] = False
                        members[a] = members[b] = True
                        if keeps_effects(members, homes, marks, cards, strides):
                            first, second, present = a, b, gain
            if first < 0:
                continue
        for c in range(q):
            members[c] = (
                (start >> c) & 1 == 1
                if is_exact
                else (c in (first, second) if start == 0 else True)
            )
        while True:
            size, before = 0, 0.0
            for state in range(r):
                sums[state] = 0.0
            for c in range(q):
                if members[c]:
                    size += 1
                    before += values[c]
                    for state in range(r):
                        sums[state] += counts[c * r + state]
            present = shared_gain(sums, size, before, r, q, term, ess, cost, scale, log_kappa)
            if is_exact:
                break
            # All configurations together would leave no parent an effect.
            chosen, next_gain = -1, -math.inf if size == q else present
            for c in range(q):
                sign = -1 if members[c] else 1
                for state in range(r):
                    union[state] = max(0.0, sums[state] + sign * counts[c * r + state])
                without = before + sign * values[c]
                gain = shared_gain(
                    union, size + sign, without, r, q, term, ess, cost, scale, log_kappa
                )
                if gain > next_gain + MIN_GAIN:
                    members[c] = not members[c]
                    if keeps_effects(members, homes, marks, cards, strides):
                        chosen, next_gain = c, gain
                    members[c] = not members[c]
            if chosen < 0:
                break
            members[chosen] = not members[chosen]
        if present > best + MIN_GAIN and keeps_effects(members, homes, marks, cards, strides):
            best = present
            best_members[:] = members
    keeps_effects(best_members, homes, marks, cards, strides)


@compiled
def split_gain(
    sums: Floats,
    sizes: Ints,
    groups: Ints,
    group_count: int,
    r: int,
    q: int,
    term: int,
    ess: float,
    cost: float,
    scale: float,
    log_kappa: float,
    together: Floats,
) -> float:
    """The gain of splitting a leaf by these groups of states of a parent."""
    size, before, after = 0, 0.0, 0.0
    for group in range(-1, group_count):  # -1: the leaf as it is
        part = 0
        for state in range(r):
            together[state] = 0.0
        for value in range(sizes.shape[0]):
            if sizes[value] > 0 and (group < 0 or groups[value] == group):
                part += sizes[value]
                for state in range(r):
                    together[state] += sums[value * r + state]
        score = block_score(together, 0, r, part / q, term, ess, cost, scale)
        if group < 0:
            size, before = part, score
        else:
            after += score
    saved_less = (r - 1) * (group_count - 1)
    return after - before - saved_less * log_kappa if size > 0 else -math.inf


@compiled
def best_question(
    sums: Floats,
    sizes: Ints,
    is_grouped: bool,
    r: int,
    q: int,
    term: int,
    ess: float,
    cost: float,
    scale: float,
    log_kappa: float,
    together: Floats,
    trial: Ints,
    groups: Ints,
) -> float:
    """The gain of the best test of one parent at one leaf; its branches become `groups`.

    A plain test has a branch for every state. A grouped one has two, all partitions for up to 5
    states; for more, one state against the rest and the states up to one against those after.
    """
    values, present = sizes.shape[0], 0
    for value in range(values):
        present += sizes[value] > 0
    if present < 2:
        return -math.inf
    if not is_grouped:
        number = 0
        for value in range(values):
            groups[value] = number
            number += sizes[value] > 0
        return split_gain(
            sums, sizes, groups, present, r, q, term, ess, cost, scale, log_kappa, together
        )
    ways = 2 ** (present - 1) - 1 if present <= 5 else 2 * present - 1
    best = -math.inf
    for way in range(ways):
        index = 0
        for value in range(values):
            trial[value] = 0
            if sizes[value] > 0:
                if present <= 5:  # the first state is always in the first group
                    trial[value] = (2 * (way + 1) >> index) & 1
                elif way < present:
                    trial[value] = 1 if index == way else 0
                else:
                    trial[value] = 1 if index > way - present else 0
                index += 1
        gain = split_gain(sums, sizes, trial, 2, r, q, term, ess, cost, scale, log_kappa, together)
        if gain > best + MIN_GAIN:
            best = gain
            for value in range(values):
                groups[value] = trial[value]
    return best


@compiled
def greedy_tree(
    counts: Floats,
    cards: Ints,
    r: int,
    term: int,
    ess: float,
    cost: float,
    scale: float,
    log_kappa: float,
    is_grouped: bool,
    homes: Ints,
) -> None:
    """A decision tree grown from the root, with the test that gains most at each leaf.

    A parent without a test is then tested at the leaf where that costs least, so that it has an
    effect. `homes` becomes the leaf of every configuration.
    """
    axes, q = cards.shape[0], homes.shape[0]
    strides, widest = strides_of(cards), 1
    for axis in range(axes):
        widest = max(widest, cards[axis])
    sums, sizes = np.empty(widest * r), np.empty(widest, np.int64)
    together, trial = np.empty(r), np.empty(widest, np.int64)
    groups, chosen = np.empty(widest, np.int64), np.empty(widest, np.int64)
    order, moved = np.arange(q), np.empty(q, np.int64)
    starts, ends = np.zeros(q, np.int64), np.zeros(q, np.int64)
    is_asked = np.zeros(axes, np.uint8)
    waiting, waiting_count = np.empty(q, np.int64), 1
    waiting[0], ends[0], leaves = 0, q, 1
    forced = -1  # the parent that has to be asked; before that, all are free to choose from
    while True:
        best_leaf, best_axis, best = -1, -1, MIN_GAIN
        if forced < 0 and waiting_count == 0:
            forced = 0
        while forced >= 0 and forced < axes and (is_asked[forced] or cards[forced] == 1):
            forced += 1
        if forced == axes:
            break
        if forced >= 0:
            best = -math.inf
            begin, stop = 0, leaves
        else:
            waiting_count -= 1
            begin, stop = waiting[waiting_count], waiting[waiting_count] + 1
        for leaf in range(begin, stop):
            for axis in range(axes):
                if forced >= 0 and axis != forced:
                    continue
                card, stride = cards[axis], strides[axis]
                for cell in range(card * r):
                    sums[cell] = 0.0
                for value in range(card):
                    sizes[value] = 0
                for index in range(starts[leaf], ends[leaf]):
                    c = order[index]
                    value = c // stride % card
                    sizes[value] += 1
                    for state in range(r):
                        sums[value * r + state] += counts[c * r + state]
                gain = best_question(
                    sums,
                    sizes[:card],
                    is_grouped,
                    r,
                    q,
                    term,
                    ess,
                    cost,
                    scale,
                    log_kappa,
                    together,
                    trial,
                    groups,
                )
                if gain > best + (MIN_GAIN if best_leaf >= 0 else 0.0):
                    best_leaf, best_axis, best = leaf, axis, gain
                    for value in range(card):
                        chosen[value] = groups[value]
        if best_leaf < 0:
            continue
        # The leaf keeps the first group; every other one becomes a leaf of its own.
        is_asked[best_axis] = 1
        card, stride = cards[best_axis], strides[best_axis]
        begin, stop, done, group = starts[best_leaf], ends[best_leaf], 0, 0
        while done < stop - begin:
            from_place = begin + done
            for index in range(begin, stop):
                c = order[index]
                if chosen[c // stride % card] == group:
                    moved[begin + done] = c
                    done += 1
            leaf = best_leaf
            if group > 0:
                leaf = leaves
                leaves += 1
            starts[leaf], ends[leaf] = from_place, begin + done
            if forced < 0:
                waiting[waiting_count] = leaf
                waiting_count += 1
            group += 1
        for index in range(begin, stop):
            order[index] = moved[index]
    for leaf in range(leaves):
        for index in range(starts[leaf], ends[leaf]):
            homes[order[index]] = leaf
