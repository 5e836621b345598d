"""Compiled gains of conditional tests: projections of tuples and nonspecificities of slices."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.numba_support import compiled

Codes = NDArray[np.int32]


@compiled
def raise_tuples(base: Codes, last: Codes, stride: int, degrees: Floats, cells: Floats) -> None:
    """Raise the cell of every tuple, base + stride · last, to its degree."""
    for t in range(degrees.size):
        cell = base[t] + stride * last[t]
        if degrees[t] > cells[cell]:
            cells[cell] = degrees[t]


@compiled
def raise_sets(
    allowed: NDArray[np.bool_],
    offsets: NDArray[np.int64],
    cards: NDArray[np.int64],
    strides: NDArray[np.int64],
    degrees: Floats,
    cells: Floats,
) -> None:
    """Raise all cells that a set allows to its degree.

    `allowed` is sets × states of all variables; the states of axis k begin at offsets[k].
    """
    axes = cards.size
    steps = np.empty((axes, cards.max()), dtype=np.int64)  # of the states that are allowed
    counts, at = np.empty(axes, dtype=np.int64), np.empty(axes, dtype=np.int64)
    for s in range(degrees.size):
        for k in range(axes):
            counts[k] = at[k] = 0
            for state in range(cards[k]):
                if allowed[s, offsets[k] + state]:
                    steps[k, counts[k]] = strides[k] * state
                    counts[k] += 1
        k = 0
        while k < axes:
            cell = 0
            for axis in range(axes):
                cell += steps[axis, at[axis]]
            if degrees[s] > cells[cell]:
                cells[cell] = degrees[s]
            k = 0  # count on, as an odometer does
            while k < axes:
                at[k] += 1
                if at[k] < counts[k]:
                    break
                at[k] = 0
                k += 1


@compiled
def nonspecificity_bits(degrees: Floats, count: int) -> float:
    """∫ log2 |α-cut| dα of the first degrees, which are sorted."""
    gap = 1  # Shell's sort: that of numba takes seconds to compile
    while gap < count // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            degree = degrees[i]
            j = i - gap
            while j >= 0 and degrees[j] > degree:
                degrees[j + gap] = degrees[j]
                j -= gap
            degrees[j + gap] = degree
        gap //= 3
    below = bits = 0.0
    for i in range(count):
        if degrees[i] > below:
            bits += (degrees[i] - below) * math.log2(count - i)
            below = degrees[i]
    return bits


@compiled
def slice_gains(
    cells: Floats, slices: int, rows: int, columns: int, gains: Floats, totals: Floats
) -> None:
    """Of a table (slice, row, column): the specificity gain within every slice, and its sum."""
    left, right, both = np.empty(rows), np.empty(columns), np.empty(rows * columns)
    for z in range(slices):
        for a in range(rows):
            left[a] = 0.0
        for b in range(columns):
            right[b] = 0.0
        total = top = 0.0
        low = math.inf  # of what is possible
        count = 0
        for a in range(rows):
            for b in range(columns):
                degree = cells[(z * rows + a) * columns + b]
                if degree > 0.0:
                    both[count] = degree
                    count += 1
                    left[a] = max(left[a], degree)
                    right[b] = max(right[b], degree)
                    total += degree
                    top = max(top, degree)
                    low = min(low, degree)
        totals[z] = total
        if count == 0:
            gains[z] = 0.0
        elif low == top:  # a relation
            lefts = rights = 0
            for a in range(rows):
                lefts += left[a] > 0.0
            for b in range(columns):
                rights += right[b] > 0.0
            gains[z] = top * math.log2(lefts * rights / count)
        else:
            gains[z] = (
                nonspecificity_bits(left, rows)
                + nonspecificity_bits(right, columns)
                - nonspecificity_bits(both, count)
            )
