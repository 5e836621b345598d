"""Cells that often stand in a row together, in bundles; what each block of rows has of them.

The passes of EM add up shares by bundle (see mixture_bundle_kernels); which rows have which pattern
of a bundle never changes, so it is found once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
ShortInts = NDArray[np.int32]

# Cells in a bundle: more share more work, but have more patterns.
BUNDLE = 6
# Rows whose shares are at hand together, when they are added up; fewer if they have so many pairs.
BLOCK_ROWS, BLOCK_PAIRS = 8192, 4_000_000
# How many rows tell which cells occur together, and up to how many cells they are asked.
_SAMPLE_ROWS, _MOST_CELLS = 2000, 1500


@dataclass(frozen=True, eq=False)
class Block:
    """Patterns of bundles, `keys` rising; `rows[ends[i − 1]:ends[i]]` have the pattern keys[i]."""

    begin: int
    end: int
    keys: Ints
    ends: Ints
    rows: ShortInts
    later: ShortInts


@dataclass(frozen=True, eq=False)
class Bundles:
    """The complete rows again, cells numbered by rank: neighbours often stand together."""

    starts: Ints
    cells: ShortInts
    cell_count: int
    _blocks: dict[tuple[int, int], Block] = field(default_factory=dict, init=False)

    @cached_property
    def rank_of(self) -> Ints:
        """Per cell its rank."""
        ranks = np.empty(self.cell_count, dtype=np.int64)
        ranks[self._order()] = np.arange(self.cell_count)
        return ranks

    @cached_property
    def ranked(self) -> ShortInts:
        """Per row, where `starts` tells, the ranks of its cells, rising; of the blocks so far."""
        return np.empty(self.cells.size, dtype=np.int32)

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """All rows, in runs of about the same number of rows."""
        total, lengths = self.starts.size - 1, np.diff(self.starts)
        pairs = float((lengths * (lengths + 1) // 2).sum())
        most = int(BLOCK_PAIRS * total / max(pairs, 1.0))
        return even_blocks(0, total, min(max(most, 256), BLOCK_ROWS))

    def block(self, begin: int, end: int) -> Block:
        """What the rows of one of the runs have."""
        if (begin, end) not in self._blocks:
            self._blocks[begin, end] = self._new_block(begin, end)
        return self._blocks[begin, end]

    def _new_block(self, begin: int, end: int) -> Block:
        from pgmstudio.core.learning.mixture_bundle_kernels import bundle_rows, rank_cells

        ends, places = np.empty(self.cell_count, np.int64), np.empty(end - begin, np.int64)
        sorted_rows = np.empty(int(self.starts[end] - self.starts[begin]), dtype=np.int32)
        rank_cells(
            self.starts,
            self.cells,
            begin,
            end,
            self.rank_of,
            ends,
            sorted_rows,
            places,
            self.ranked,
        )
        bundles = -(-self.cell_count // BUNDLE)
        counts = np.zeros((bundles << BUNDLE) + 1, dtype=np.int64)
        none = np.empty(0, dtype=np.int32)
        bundle_rows(self.starts, self.ranked, begin, end, BUNDLE, counts, none, none)
        keys = np.flatnonzero(counts[1:])
        counts = np.cumsum(counts)
        rows, later = np.empty((2, int(counts[-1])), dtype=np.int32)
        bundle_rows(self.starts, self.ranked, begin, end, BUNDLE, counts, rows, later)
        return Block(begin, end, keys, counts[keys], rows, later)

    def _order(self) -> Ints:
        """The cells, each bundle begun with the most frequent left and filled with its company."""
        count, total = self.cell_count, self.starts.size - 1
        if count > _MOST_CELLS or count <= BUNDLE or total == 0:
            return np.arange(count)
        chosen = np.unique(np.linspace(0, total - 1, min(total, _SAMPLE_ROWS)).astype(np.int64))
        there = np.zeros((chosen.size, count), dtype=np.float32)
        for place, row in enumerate(chosen):
            there[place, self.cells[self.starts[row] : self.starts[row + 1]]] = 1.0
        together = there.T @ there  # whole numbers, so the same on every machine
        frequency, order = np.diag(together), np.empty(count, dtype=np.int64)
        is_left = np.ones(count, dtype=bool)
        for place in range(count):
            if place % BUNDLE == 0:
                company = frequency.copy()
            order[place] = np.where(is_left, company, -1.0).argmax()
            company = together[order[place]] + (company if place % BUNDLE else 0.0)
            is_left[order[place]] = False
        return order


def even_blocks(first: int, last: int, most: int = BLOCK_ROWS) -> list[tuple[int, int]]:
    """Runs of at most `most` rows, an even number of them unless there are few."""
    count = last - first
    pieces = 2 * -(-count // (2 * most)) if count > 256 else min(count, 1)
    edges = np.linspace(first, last, pieces + 1).astype(int)
    return [(int(edges[n]), int(edges[n + 1])) for n in range(pieces)]
