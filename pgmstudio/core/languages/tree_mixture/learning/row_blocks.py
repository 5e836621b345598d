"""Division of the work of EM for mixtures of trees: rows in blocks and steps, pairs in strips."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.learning.responsibilities import Responsibilities, lined_zeros
from pgmstudio.core.learning.sparse_rows import BUNDLE, SparseRows

# Pairs of cells times components between two checks of the cancel token; some tenths of a second.
_STEP_VISITS = 500_000_000
# Numbers in a strip of joint tables whose logarithms are taken together.
STRIP = 1 << 16
# Numbers processed in the M step between two checks of the cancel token; a tenth of a second.
_NUMBERS_PER_CHECK = 20_000_000


class Part(NamedTuple):
    """The progress of a step, printed as “34% of the rows”."""

    fraction: float
    of: str

    def __str__(self) -> str:
        return f"{self.fraction:.0%} of the {self.of}"


class Workspace(Responsibilities):
    """The buffers of one thread, and its work since the last check of the cancel token."""

    def __init__(self, cells: int, lanes: int) -> None:
        super().__init__(lanes)
        self.masses = np.zeros(0)
        self.bits, self.tile = np.zeros(cells, dtype=np.uint64), np.zeros(64)
        self.members = np.zeros(BUNDLE, dtype=np.int32)
        self.mass = np.zeros(lanes)
        self.spent = 0
        self.make_pairs(0, 0, 1)

    def make_pairs(self, cells: int, width: int, group: int) -> None:
        """Allocate all pairs of cells of some components, and the information of all pairs."""
        self.line = lined_zeros(cells * self._lanes)
        self.pairs = np.zeros((group, cells * (cells + 1) // 2))
        self.joints = self.logs = np.zeros(0)
        self.entropies = np.zeros(width)
        self.information = np.zeros((width, width))

    def spend(self, numbers: int) -> bool:
        """Count so many more numbers; whether it is time to check the cancel token."""
        self.spent += numbers
        if self.spent < _NUMBERS_PER_CHECK:
            return False
        self.spent = 0
        return True


def strips(cards: NDArray[np.int64], most: int = STRIP) -> list[tuple[int, int, int]]:
    """Runs of variables u whose joint tables with all v > u have so many numbers together."""
    after = np.concatenate((np.cumsum(cards[::-1])[::-1][1:], [0]))
    sizes = cards * after
    result, begin, size = list[tuple[int, int, int]](), 0, 0
    for u in range(cards.size):
        if u > begin and size + int(sizes[u]) > most:
            result.append((begin, u, size))
            begin, size = u, 0
        size += int(sizes[u])
    return [*result, (begin, cards.size, size)] if cards.size else []


def steps_of(rows: SparseRows, count: int) -> Sequence[Sequence[tuple[int, int]]]:
    """The blocks of rows, in groups short enough to check the cancel token in between."""
    visits = rows.pair_visits * count
    if rows.gap_count:
        visits += rows.gap_count * count * 4 * (rows.cell_count**2 + 1)
    steps = max(1, math.ceil(visits / _STEP_VISITS))
    size = 2 * max(1, round(len(rows.blocks) / steps / 2))
    return [rows.blocks[at : at + size] for at in range(0, len(rows.blocks), size)]
