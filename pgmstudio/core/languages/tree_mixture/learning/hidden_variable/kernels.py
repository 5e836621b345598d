"""Counting pairs of cells within the groups of a drawn hidden variable, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.numba_support import compiled


@compiled
def add_drawn_pairs(
    cells: NDArray[np.int32], drawn: NDArray[np.int64], counts: NDArray[np.float64]
) -> None:
    """counts[k, i, j] and [k, j, i] += rows of group k with the cells i and j of two variables.

    `cells` is rows × variables, each the number of a cell among all variables, −1 where missing.
    """
    rows, width = cells.shape
    for row in range(rows):
        for k in range(drawn.shape[1]):
            times = drawn[row, k]
            if times == 0:
                continue
            for u in range(width):
                one = cells[row, u]
                if one < 0:
                    continue
                for v in range(u):
                    other = cells[row, v]
                    if other >= 0:
                        counts[k, one, other] += times
    for k in range(counts.shape[0]):
        for i in range(counts.shape[1]):
            for j in range(i):
                counts[k, j, i] = counts[k, i, j]
