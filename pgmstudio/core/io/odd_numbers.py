"""A number that may stand for “missing”: a usual code, far from every other number of a column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.cuts import Floats
from pgmstudio.core.io.data_columns import Column

_NINES = (9.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
CODES = frozenset((*_NINES, *(-number for number in _NINES)))


@dataclass(frozen=True, slots=True)
class OddNumber:
    """The number as it is written in the file, in all its spellings, and in how many rows."""

    texts: tuple[str, ...]
    rows: int


def odd_number(column: Column, numbers: Floats | None = None) -> OddNumber | None:
    """The lowest or highest number when it is a usual code for “missing” and stands apart.

    Apart means farther from its neighbour than the other numbers, at least two, are from each
    other: −999 among ages, not 99. `numbers`: those of the rows, where they are known already.
    """
    if not column.is_numeric:
        return None
    values = column.distinct_numbers() if numbers is None else numbers[~np.isnan(numbers)]
    if not values.size:
        return None
    low, high = float(values.min()), float(values.max())
    for code in (low, high):
        rest = values[values != code] if code in CODES else values[:0]
        if not rest.size:
            continue
        first, last = float(rest.min()), float(rest.max())
        gap = first - code if code == low else code - last
        if gap > last - first > 0:
            return OddNumber(column.spelling(code), int((column.numbers() == code).sum()))
    return None
