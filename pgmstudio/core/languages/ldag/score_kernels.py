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
