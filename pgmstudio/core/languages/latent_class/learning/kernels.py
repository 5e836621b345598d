"""The two passes over the rows in EM for latent classes, compiled."""

from __future__ import annotations

from typing import Any

from pgmstudio.core.learning.responsibilities_kernels import gather, scatter
from pgmstudio.core.numba_support import compiled


@compiled
def expect_rows(
    starts: Any, cells: Any, base: Any, added: Any, begin: int, end: int, logs: Any
) -> None:
    """logs[row − begin, c] = ln P(row, c) = base[c] + Σ added[cell, c] over the row's cells.

    These are the cells that differ from the reference row.
    """
    width = base.size
    for row in range(begin, end):
        mine = (row - begin) * width
        for c in range(width):
            logs[mine + c] = base[c]
        gather(added, 0, width, cells, starts[row], starts[row + 1], logs, mine)


@compiled
def add_cells(
    starts: Any, cells: Any, responsibilities: Any, width: int, begin: int, end: int, sums: Any
) -> None:
    """sums[cell, c] += responsibilities[row − begin, c] for every cell of every row."""
    for row in range(begin, end):
        mine = (row - begin) * width
        scatter(sums, 0, width, cells, starts[row], starts[row + 1], responsibilities, mine)
