"""How EM for mixtures of trees divides its work: rows in blocks and steps, pairs in strips."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.learning.component_shares import BLOCK_ROWS, Shares
from pgmstudio.core.learning.mixture_rows import SparseRows

# Pairs of cells times components between two looks at the cancel token; some tenths of a second.
_STEP_VISITS = 150_000_000
# Numbers in a strip of joint tables whose logarithms are taken together.
_STRIP = 1 << 16


class Workspace(Shares):
    """Room of one thread."""

    def __init__(self, cells: int, pairs: int, lanes: int, width: int) -> None:
        super().__init__(lanes)
        self.masses = np.zeros(0)
        self.cell_ends = np.zeros(cells + 1, dtype=np.int64)
        self.row_of = self.place_of = np.zeros(0, dtype=np.int64)
        self.pairs = np.zeros(pairs)
        self.joints = self.logs = np.zeros(0)
        self.entropies = np.zeros(width)
        self.information = np.zeros((width, width))


def strips(cards: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Runs of variables u whose joint tables with all v > u have so many numbers together."""
    after = np.concatenate((np.cumsum(cards[::-1])[::-1][1:], [0]))
    sizes = cards * after
    found, begin, size = list[tuple[int, int, int]](), 0, 0
    for u in range(cards.size):
        if u > begin and size + int(sizes[u]) > _STRIP:
            found.append((begin, u, size))
            begin, size = u, 0
        size += int(sizes[u])
    return [*found, (begin, cards.size, size)] if cards.size else []


def blocks(first: int, last: int, whole: int) -> Iterator[tuple[int, int]]:
    """Runs of at most `BLOCK_ROWS` rows, none with complete and incomplete ones."""
    at = first
    while at < last:
        end = min(at + BLOCK_ROWS, last)
        if at < whole < end:
            end = whole
        yield at, end
        at = end


def steps_of(rows: SparseRows, count: int) -> Sequence[tuple[int, int]]:
    """Runs of rows, each short enough to listen to the cancel token in between."""
    visits = rows.pair_visits * count
    if rows.gap_count:
        visits += rows.gap_count * count * 4 * (rows.cell_count**2 + 1)
    steps = min(max(1, math.ceil(visits / _STEP_VISITS)), max(1, rows.row_count))
    edges = np.linspace(0, rows.row_count, steps + 1).astype(int)
    return [(int(a), int(b)) for a, b in pairwise(edges)]
