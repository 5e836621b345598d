"""One bit per row for every state of a column: counting becomes AND and popcount.

A complete column does not store its state 0, whose bits are what the other states leave. A column
with missing cells stores every state; a missing cell has no bit at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet

# Beyond this many states a histogram counts faster than so many bit columns.
MOST_PACKED_STATES = 32


@dataclass(frozen=True, eq=False)
class BitLayout:
    """Which bit column holds which state; `base[i]` is −1 for a column that is not packed."""

    base: NDArray[np.int64]
    first_state: NDArray[np.int64]
    width: int  # bit columns in all

    @classmethod
    def of(cls, data: DataSet) -> BitLayout:
        cards = np.array(data.domain.cardinalities, dtype=np.int64)
        first = np.array([0 if count else 1 for count in data.missing_counts], dtype=np.int64)
        stored = np.where(cards <= MOST_PACKED_STATES, cards - first, 0)
        base = np.cumsum(stored) - stored
        base[cards > MOST_PACKED_STATES] = -1
        return cls(base.astype(np.int64), first, int(stored.sum()))


def pack_rows(data: DataSet, layout: BitLayout, start: int, stop: int) -> NDArray[np.uint64]:
    """The bit columns of rows start … stop−1, in 64-bit words; `start` counts whole words."""
    words = -(-(stop - start) // 64)
    packed = np.zeros((layout.width, words * 8), dtype=np.uint8)
    cards = np.array(data.domain.cardinalities)
    used = layout.base >= 0
    chunk = data.codes[:, start:stop]
    for state in range(int(cards[used].max(initial=0))):
        having = np.flatnonzero(used & (layout.first_state <= state) & (state < cards))
        if having.size:
            bits = np.packbits(chunk[having] == state, axis=1, bitorder="little")
            columns = layout.base[having] + state - layout.first_state[having]
            packed[columns, : bits.shape[1]] = bits
    return packed.view(np.uint64)
