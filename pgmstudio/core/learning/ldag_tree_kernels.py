"""Compiled growth of a tree of questions to the parents of one family."""

from __future__ import annotations

import math

import numpy as np

from pgmstudio.core.compiled import compiled
from pgmstudio.core.learning.ldag_kernels import LEAST_GAIN, Floats, Ints, strides_of
from pgmstudio.core.scores.partition_kernels import block_score


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
    """What a leaf gains when the states of a parent go to these groups."""
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
        told = block_score(together, 0, r, part / q, term, ess, cost, scale)
        if group < 0:
            size, before = part, told
        else:
            after += told
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
    """The gain of the best question to one parent at one leaf, whose answers become `groups`.

    A plain question has an answer for every state. A grouped one has two, all ways for up to 5
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
        place = 0
        for value in range(values):
            trial[value] = 0
            if sizes[value] > 0:
                if present <= 5:  # the first state is always in the first group
                    trial[value] = (2 * (way + 1) >> place) & 1
                elif way < present:
                    trial[value] = 1 if place == way else 0
                else:
                    trial[value] = 1 if place > way - present else 0
                place += 1
        gain = split_gain(sums, sizes, trial, 2, r, q, term, ess, cost, scale, log_kappa, together)
        if gain > best + LEAST_GAIN:
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
    """A tree of questions from the root down, at each leaf the one that gains most while one does.

    A parent that no question asks is then asked at the leaf where that costs least, so that it has
    a say. `homes` becomes the leaf of every configuration.
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
        best_leaf, best_axis, best = -1, -1, LEAST_GAIN
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
                for place in range(starts[leaf], ends[leaf]):
                    c = order[place]
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
                if gain > best + (LEAST_GAIN if best_leaf >= 0 else 0.0):
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
            for place in range(begin, stop):
                c = order[place]
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
        for place in range(begin, stop):
            order[place] = moved[place]
    for leaf in range(leaves):
        for place in range(starts[leaf], ends[leaf]):
            homes[order[place]] = leaf
