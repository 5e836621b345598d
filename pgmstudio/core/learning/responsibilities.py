"""Responsibilities of components for rows, a block of rows at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats

# Rows whose responsibilities are computed together.
BLOCK_ROWS = 1024


def padded(count: int) -> int:
    """Components, with empty ones up to a multiple of 4."""
    return -(-count // 4) * 4


def lined_zeros(size: int) -> Floats:
    """Zeros that begin where a cache line of 64 bytes does.

    Numbers of all components are read and written four at a time; four that lie across two lines
    take twice as long.
    """
    buffer = np.zeros(size + 7)
    first = -buffer.ctypes.data // 8 % 8
    return buffer[first : first + size]


class Responsibilities:
    """Buffer for the logarithms, then the responsibilities, of a block of rows in every
    component."""

    def __init__(self, lanes: int, rows: int = BLOCK_ROWS) -> None:
        self._lanes = lanes
        self.resize(rows)

    def resize(self, rows: int) -> None:
        """Resize for so many rows; the content is lost."""
        self.flat_responsibilities = lined_zeros(rows * self._lanes)
        self.responsibilities = self.flat_responsibilities.reshape(rows, self._lanes)
        self._tops, self._sums = np.zeros((2, rows))

    def normalize(
        self, count: int, weights: Floats, choice: NDArray[np.int32], begin: int, end: int
    ) -> Floats:
        """Turn logarithms into responsibilities times weights, of the rows begin … end − 1; ln P of
        each row."""
        from pgmstudio.core.learning.responsibilities_kernels import lower_logs, normalize_rows

        size = end - begin
        block = self.responsibilities[:size]
        lower_logs(self.responsibilities, count, choice, begin, end, self._tops)
        np.exp(block, out=block)  # the padding, exp 0, is cleared below
        normalize_rows(self.responsibilities, count, weights, begin, end, self._sums)
        block[:, count:] = 0.0
        result: Floats = np.log(self._sums[:size])
        result += self._tops[:size]
        return result
