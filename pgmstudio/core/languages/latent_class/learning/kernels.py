"""The two passes over the rows in EM for latent classes, compiled; or both in one, over codes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

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


@compiled
def expect_codes(
    codes: Any,
    weights: Any,
    base: Any,
    added: Any,
    first: Any,
    cards: Any,
    sums: Any,
    masses: Any,
) -> float:
    """E, and the sums for M, of rows given as codes, columns × rows; Σ weight · ln P(row).

    base[c] is ln P(c) and added[cell, c] ln P(state | c) of every state of every column; a missing
    cell adds nothing. `weights` is empty where every row counts once.
    """
    rows, width = codes.shape[1], base.size
    block = 256
    logs = np.empty((block, width))
    total = 0.0
    for begin in range(0, rows, block):
        size = min(block, rows - begin)
        for row in range(size):
            for c in range(width):
                logs[row, c] = base[c]
        for v in range(codes.shape[0]):
            column = codes[v, begin : begin + size]
            for row in range(size):
                code = np.int64(column[row])
                if code < cards[v]:
                    terms = added[first[v] + code]
                    for c in range(width):
                        logs[row, c] += terms[c]
        for row in range(size):
            top = logs[row, 0]
            for c in range(1, width):
                top = max(top, logs[row, c])
            whole = 0.0
            for c in range(width):
                logs[row, c] = math.exp(logs[row, c] - top)
                whole += logs[row, c]
            weight = weights[begin + row] if weights.size else 1.0
            total += weight * (math.log(whole) + top)
            scale = weight / whole
            for c in range(width):
                logs[row, c] *= scale
                masses[c] += logs[row, c]
        for v in range(codes.shape[0]):
            column = codes[v, begin : begin + size]
            for row in range(size):
                code = np.int64(column[row])
                if code < cards[v]:
                    mine = sums[first[v] + code]
                    for c in range(width):
                        mine[c] += logs[row, c]
    return total
