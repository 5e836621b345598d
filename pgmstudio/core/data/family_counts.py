"""Counts of a few columns joined by each of many others, as structure search asks for them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.bit_columns import BitLayout, pack_rows
from pgmstudio.core.data.counting import PACKED_CHUNK, Counts, grouped_rows, joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.running import NEVER, CancelToken

# Bit columns take an eighth of a byte per state and row; beyond this they are not kept.
MOST_BIT_BYTES = 1 << 29
BUFFER_CELLS = 1 << 21
# Larger tables are mostly counted row by row anyway.
MOST_BIT_CELLS = 1 << 12


@dataclass(frozen=True, eq=False)
class JoinedCounts:
    """For each of `candidates`, the table of (members…, candidate), the candidate fastest."""

    candidates: NDArray[np.int64]
    flat: Counts
    offsets: NDArray[np.int64]


class FamilyCounter:
    """Counts on one data set, whose bit columns are packed once and kept."""

    def __init__(self, data: DataSet) -> None:
        self.data = grouped_rows(data)
        self.cards = np.array(data.domain.cardinalities, dtype=np.int64)

    @cached_property
    def _packed(self) -> tuple[BitLayout, NDArray[np.uint64]]:
        layout = BitLayout.of(self.data)
        words = -(-self.data.row_count // 64)
        if layout.width * words * 8 > MOST_BIT_BYTES:
            layout = BitLayout(np.full_like(layout.base, -1), layout.first_state, 0)
        bits = np.empty((layout.width, words), dtype=np.uint64)
        for start in range(0, self.data.row_count, PACKED_CHUNK):
            stop = min(start + PACKED_CHUNK, self.data.row_count)
            bits[:, start // 64 : -(-stop // 64)] = pack_rows(self.data, layout, start, stop)
        return layout, bits

    def counts(self, members: Sequence[int], cancel: CancelToken = NEVER) -> Counts:
        """As `joint_counts`, from the bit columns: one axis per member, in that order."""
        shape = tuple(int(self.cards[m]) for m in members)
        if not members or math.prod(shape) > MOST_BIT_CELLS:
            return joint_counts(self.data, members, cancel)
        (joined,) = self.joined(members[:-1], np.array(members[-1:], dtype=np.int64), cancel)
        return joined.flat.reshape(shape)

    def joined(
        self, members: Sequence[int], candidates: NDArray[np.int64], cancel: CancelToken = NEVER
    ) -> Iterator[JoinedCounts]:
        """The counts of the members with each candidate, as many candidates at a time as fit."""
        cells = math.prod(int(self.cards[m]) for m in members)
        sizes = cells * self.cards[candidates]
        ends = np.cumsum(sizes)
        first = 0
        while first < candidates.size:
            before = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + BUFFER_CELLS, "right")))
            offsets = ends[first:last] - sizes[first:last] - before
            flat = np.zeros(int(ends[last - 1]) - before)
            yield self._count(members, candidates[first:last], offsets, flat, cancel)
            first = last

    def _count(
        self,
        members: Sequence[int],
        candidates: NDArray[np.int64],
        offsets: NDArray[np.int64],
        flat: Counts,
        cancel: CancelToken,
    ) -> JoinedCounts:
        from pgmstudio.core.data.counting_kernels import count_additions, count_additions_weighted

        data, chosen = self.data, np.array(members, dtype=np.int64)
        step = max(PACKED_CHUNK, (50_000_000 // candidates.size) // PACKED_CHUNK * PACKED_CHUNK)
        for start in range(0, data.row_count, step):
            cancel.raise_if_cancelled()
            stop = min(start + step, data.row_count)
            place = (chosen, candidates, start, stop, offsets, flat)
            if data.weights is None:
                layout, bits = self._packed
                base, first = layout.base, layout.first_state
                count_additions(data.codes, bits, base, first, self.cards, *place)
            else:
                weights, missing = data.weights, data.missing_code
                count_additions_weighted(data.codes, weights, self.cards, missing, *place)
        return JoinedCounts(candidates, flat, offsets)
