"""Columns of codes turned into rows of numbers, so few at a time that they stay in the cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.running import NEVER, CancelToken

# Cells turned together: some hundredths of a second.
_CHUNK_CELLS = 1 << 21

Numbers = NDArray[np.signedinteger[Any]]


def row_chunks(
    data: DataSet,
    numbers: Sequence[Numbers],
    order: NDArray[np.intp] | None = None,
    cancel: CancelToken = NEVER,
) -> Iterator[tuple[int, Numbers]]:
    """Rows × columns of `numbers[v][code]`, and the number of the first row of each chunk.

    The numbers of a column have one more than it has states, the last for a missing cell. `order`
    lists the rows in the order they are wanted.
    """
    if not numbers:
        return
    line, sizes = np.concatenate(numbers), data.card_array + 1
    first = (np.cumsum(sizes) - sizes).astype(np.int32)[:, None]
    most = data.card_array.astype(data.codes.dtype)[:, None]
    step = max(1, _CHUNK_CELLS // len(numbers))
    for begin in range(0, data.row_count, step):
        cancel.raise_if_cancelled()
        end = begin + step
        part = data.codes[:, begin:end] if order is None else data.codes.take(order[begin:end], 1)
        yield begin, line.take(np.minimum(part, most) + first).T
