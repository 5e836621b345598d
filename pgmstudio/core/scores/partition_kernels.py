"""Compiled scores, in nats, of configurations of parents that share one row of a table."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.numba_support import compiled

Ints = NDArray[np.int64]


@compiled
def block_score(
    sums: Floats,
    at: int,
    r: int,
    fraction: float,
    term: int,
    ess: float,
    cost: float,
    scale: float,
) -> float:
    """The score of one class whose r counts begin at `at` and that holds this fraction of the
    configurations: its data term times `scale`, less `cost` for each free parameter.

    Terms are numbered as in `local_scores.DataTerm`. A Dirichlet weight grows with the fraction, so
    that the weights of merged rows add up; K2 has 1 in every cell of a class.
    """
    row_prior = ess * fraction if term == 1 else float(r)
    cell_prior = row_prior / r
    total, value = 0.0, 0.0
    free = math.lgamma(cell_prior) if term != 0 else 0.0
    for state in range(r):
        count = sums[at + state]
        if count > 0:
            total += count
            if term == 0:
                value += count * math.log(count)
            else:
                value += math.lgamma(cell_prior + count) - free
    if total > 0:
        if term == 0:
            value -= total * math.log(total)
        else:
            value += math.lgamma(row_prior) - math.lgamma(row_prior + total)
    return scale * value - cost * (r - 1)


@compiled
def partition_score(
    counts: Floats,
    classes: Ints,
    class_count: int,
    r: int,
    term: int,
    ess: float,
    cost: float,
    scale: float,
) -> float:
    """Σ over classes of `block_score`; counts are a row of r cells per configuration."""
    q = classes.shape[0]
    sums = np.zeros(class_count * r)
    sizes = np.zeros(class_count, np.int64)
    for c in range(q):
        sizes[classes[c]] += 1
        for state in range(r):
            sums[classes[c] * r + state] += counts[c * r + state]
    value = 0.0
    for one in range(class_count):
        value += block_score(sums, one * r, r, sizes[one] / q, term, ess, cost, scale)
    return value


@compiled
def best_listed(
    counts: Floats,
    r: int,
    q: int,
    blocks: Ints,
    block_starts: Ints,
    members: Ints,
    member_starts: Ints,
    bonus: Floats,
    term: int,
    ess: float,
    cost: float,
    scale: float,
    least_gain: float,
) -> int:
    """Which partition of a list scores best with its bonus; of equal ones the first.

    Block b holds the configurations blocks[block_starts[b] : block_starts[b + 1]], a partition the
    blocks members[member_starts[p] : …]. Every block is scored once.
    """
    block_count = block_starts.shape[0] - 1
    values = np.empty(block_count)
    sums = np.empty(r)
    for b in range(block_count):
        for state in range(r):
            sums[state] = 0.0
        for index in range(block_starts[b], block_starts[b + 1]):
            for state in range(r):
                sums[state] += counts[blocks[index] * r + state]
        fraction = (block_starts[b + 1] - block_starts[b]) / q
        values[b] = block_score(sums, 0, r, fraction, term, ess, cost, scale)
    best, best_value = 0, -math.inf
    for p in range(member_starts.shape[0] - 1):
        value = bonus[p]
        for index in range(member_starts[p], member_starts[p + 1]):
            value += values[members[index]]
        if value > best_value + least_gain:
            best, best_value = p, value
    return best


@compiled
def join_rows(homes: Ints, rows: Ints) -> None:
    """Make the configurations of every row equal; `homes` leads from each to the first of those
    that equal it."""
    for k in range(rows.shape[0]):
        for j in range(1, rows.shape[1]):
            one, other = rows[k, 0], rows[k, j]
            while homes[one] != one:
                one = homes[one]
            while homes[other] != other:
                other = homes[other]
            if one < other:
                homes[other] = one
            else:
                homes[one] = other


@compiled
def classes_of(homes: Ints) -> Ints:
    """The class of every configuration, numbered in the order in which they appear."""
    classes = np.empty_like(homes)
    count = 0
    for c in range(homes.shape[0]):
        if homes[c] == c:
            classes[c] = count
            count += 1
        else:
            classes[c] = classes[homes[c]]  # a home stands before those that it leads to
    return classes


@compiled
def merge_gains(
    counts: Floats,
    classes: Ints,
    class_count: int,
    r: int,
    rows: Ints,
    term: int,
    ess: float,
    cost: float,
    scale: float,
) -> Floats:
    """What each of several merges adds to the score of a partition, each on its own.

    Merge m makes the configurations rows[m, k, 0], rows[m, k, 1], … equal, for every k.
    """
    q = classes.shape[0]
    sums = np.zeros(class_count * r)
    sizes = np.zeros(class_count, np.int64)
    for c in range(q):
        sizes[classes[c]] += 1
        for state in range(r):
            sums[classes[c] * r + state] += counts[c * r + state]
    values = np.empty(class_count)
    for one in range(class_count):
        values[one] = block_score(sums, one * r, r, sizes[one] / q, term, ess, cost, scale)
    homes = np.arange(class_count)
    seen = np.full(class_count, -1)
    touched = np.empty(rows.shape[1] * rows.shape[2], np.int64)
    gains = np.zeros(rows.shape[0])
    merged = np.empty(class_count * r)  # sums, sizes and former values, at the home of a class
    merged_sizes = np.empty(class_count, np.int64)
    former = np.empty(class_count)
    for m in range(rows.shape[0]):
        count = 0
        for k in range(rows.shape[1]):
            for j in range(rows.shape[2]):
                one = classes[rows[m, k, j]]
                if seen[one] != m:
                    seen[one] = m
                    homes[one] = one
                    touched[count] = one
                    count += 1
                if j > 0:
                    other = classes[rows[m, k, 0]]
                    while homes[one] != one:
                        one = homes[one]
                    while homes[other] != other:
                        other = homes[other]
                    if one < other:
                        homes[other] = one
                    else:
                        homes[one] = other
        for t in range(count):
            one = touched[t]
            if homes[one] == one:
                merged_sizes[one] = sizes[one]
                former[one] = values[one]
                for state in range(r):
                    merged[one * r + state] = sums[one * r + state]
        for t in range(count):
            one = touched[t]
            if homes[one] != one:
                home = homes[one]
                while homes[home] != home:
                    home = homes[home]
                merged_sizes[home] += sizes[one]
                former[home] += values[one]
                for state in range(r):
                    merged[home * r + state] += sums[one * r + state]
        for t in range(count):
            one = touched[t]
            if homes[one] == one and merged_sizes[one] > sizes[one]:
                fraction = merged_sizes[one] / q
                value = block_score(merged, one * r, r, fraction, term, ess, cost, scale)
                gains[m] += value - former[one]
    return gains
