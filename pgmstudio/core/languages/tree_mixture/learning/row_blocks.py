"""How EM for mixtures of trees divides its work: rows in blocks and steps, pairs in strips."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.learning.responsibilities import Responsibilities, lined_zeros
from pgmstudio.core.learning.sparse_rows import BUNDLE, SparseRows

# Pairs of cells times components between two looks at the cancel token; some tenths of a second.
_STEP_VISITS = 500_000_000
# Numbers in a strip of joint tables whose logarithms are taken together.
STRIP = 1 << 16
# Numbers gone over in the M step between two looks at the cancel token; a tenth of a second.
_LOOK = 20_000_000


class Part(NamedTuple):
    """How far a step is, for people: “34% of the rows”."""

    share: float
    of: str

    def __str__(self) -> str:
        return f"{self.share:.0%} of the {self.of}"


class Workspace(Responsibilities):
    """Room of one thread, and how much it did since it last looked up."""

    def __init__(self, cells: int, lanes: int) -> None:
        super().__init__(lanes)
        self.masses = np.zeros(0)
        self.words, self.tile = np.zeros(cells, dtype=np.uint64), np.zeros(64)
        self.members = np.zeros(BUNDLE, dtype=np.int32)
        self.mass = np.zeros(lanes)
        self.spent = 0
        self.make_pairs(0, 0, 1)

    def make_pairs(self, cells: int, width: int, group: int) -> None:
        """Room for all pairs of cells of some components, and for the information of all pairs."""
        self.line = lined_zeros(cells * self._lanes)
        self.pairs = np.zeros((group, cells * (cells + 1) // 2))
        self.joints = self.logs = np.zeros(0)
        self.entropies = np.zeros(width)
        self.information = np.zeros((width, width))

    def spend(self, numbers: int) -> bool:
        """Whether it is time to look up, after going over so many more numbers."""
        self.spent += numbers
        if self.spent < _LOOK:
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
    """The blocks of rows, in groups short enough to listen to the cancel token in between."""
    visits = rows.pair_visits * count
    if rows.gap_count:
        visits += rows.gap_count * count * 4 * (rows.cell_count**2 + 1)
    steps = max(1, math.ceil(visits / _STEP_VISITS))
    size = 2 * max(1, round(len(rows.blocks) / steps / 2))
    return [rows.blocks[at : at + size] for at in range(0, len(rows.blocks), size)]
