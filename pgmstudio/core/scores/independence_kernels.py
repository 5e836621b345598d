"""Compiled sums of an independence test over all slices of its table."""

from __future__ import annotations

import math

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.numba_support import compiled
from pgmstudio.core.scores.kernels import sum_margins


@compiled
def slice_sums(counts: Floats, slices: int, rows: int, columns: int, sums: Floats) -> None:
    """Of a table (slice, row, column): total, χ², G² and the degrees of freedom of what occurs.

    χ² = Σ (N_ab − E_ab)² / E_ab and G² = 2 Σ N_ab ln(N_ab / E_ab) with E_ab = N_a N_b / N inside
    each slice. A slice has (r − 1)(s − 1) degrees of freedom with the r rows and s columns that
    occur in it. A state of weight below 1 counts with its weight: completions of missing cells
    give many states a small chance, and as whole states they would hide every dependence.
    """
    left, right = np.empty(rows), np.empty(columns)
    for i in range(4):
        sums[i] = 0.0
    for z in range(slices):
        start = z * rows * columns
        total = sum_margins(counts, start, rows, columns, left, right)
        if total <= 0:
            continue
        chi2 = g2 = 0.0
        r = s = 0.0
        for b in range(columns):
            if right[b] > 0:
                s += min(right[b], 1.0)
        for a in range(rows):
            if left[a] <= 0:
                continue
            r += min(left[a], 1.0)
            for b in range(columns):
                if right[b] > 0:
                    count = counts[start + a * columns + b]
                    expected = left[a] * right[b] / total
                    chi2 += (count - expected) * (count - expected) / expected
                    if count > 0:
                        g2 += count * math.log(count / expected)
        sums[0] += total
        sums[1] += chi2
        sums[2] += 2.0 * max(g2, 0.0)
        sums[3] += max(r - 1.0, 0.0) * max(s - 1.0, 0.0)
