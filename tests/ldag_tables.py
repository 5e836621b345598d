"""Tables for which scores of labelled graphs are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain

Floats = NDArray[np.float64]

# Counts of a binary child for the rows 000 … 111 of three binary parents.
C8: Floats = np.array(
    [[40, 10], [38, 12], [15, 35], [30, 20], [5, 45], [6, 44], [4, 46], [5, 45]], dtype=np.float64
).reshape(2, 2, 2, 2)

# The classes of Fig. 7: 00*, 010, 011, 1**.
FIG7 = np.array([0, 0, 1, 2, 3, 3, 3, 3]).reshape(2, 2, 2)

# Edwards and Havránek 1985: A fastest, then B, C, D, E, F.
_CORONARY = """
44 40 112 67 129 145 12 23 35 12 80 33 109 67 7 9 23 32 70 66 50 80 7 13 24 25 73 57 51 63 7 16
5 7 21 9 9 17 1 4 4 3 11 8 14 17 5 2 7 3 14 14 9 16 2 3 4 0 13 11 5 14 4 4
"""


def rows_of(counts: Floats, names: str) -> DataSet:
    """The cells of a table as weighted rows of binary or other variables."""
    domain = Domain.of(
        {name: map(str, range(card)) for name, card in zip(names, counts.shape, strict=True)}
    )
    codes = np.array(np.unravel_index(np.arange(counts.size), counts.shape), dtype=np.uint8)
    return DataSet(domain, codes, counts.ravel())


def coronary(names: str = "ABCDEF") -> DataSet:
    """The coronary table, or a margin of it, as weighted rows."""
    whole = np.array(_CORONARY.split(), dtype=np.float64).reshape((2,) * 6).T
    kept = ["ABCDEF".index(name) for name in names]
    return rows_of(whole.sum(axis=tuple(i for i in range(6) if i not in kept)), names)


def t3() -> DataSet:
    """X2 ⟂ X3 where X1 = 1, exactly, and only there."""
    counts = np.array([280, 70, 45, 105, 150, 150, 100, 100], dtype=np.float64)
    return rows_of(counts.reshape(2, 2, 2), "123")
