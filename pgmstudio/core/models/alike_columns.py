"""Which columns of a conditional table are alike: the beginning of a context-specific reading.

Two columns are as far apart as their most different probability (the Chebyshev distance). Columns
are put into classes so that any two of a class are at most ε apart (complete linkage), nearest
first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Differences in the last digits of computed numbers are none.
_HAIR = 1e-12


@dataclass(frozen=True)
class ColumnClasses:
    """`classes[i]` is the class of column i, numbered in the order of their first columns.

    `next_epsilon` is the least ε at which more columns fall together, namely those of the two
    classes `next_pair`; None when all are one class.
    """

    classes: tuple[int, ...]
    next_epsilon: float | None = None
    next_pair: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    @property
    def count(self) -> int:
        return len(set(self.classes))

    def members(self, number: int) -> tuple[int, ...]:
        """The columns of a class."""
        return tuple(i for i, own in enumerate(self.classes) if own == number)


def column_classes(columns: NDArray[np.float64], epsilon: float) -> ColumnClasses:
    """Classes of the rows of `columns`, each a distribution over the same states."""
    count = len(columns)
    if count < 2:
        return ColumnClasses((0,) * count)
    from scipy.cluster.hierarchy import linkage

    tree = linkage(columns, "complete", metric="chebyshev")
    members: dict[int, tuple[int, ...]] = {i: (i,) for i in range(count)}
    for number, (left, right, height, _) in enumerate(tree):
        pair = (members.pop(int(left)), members.pop(int(right)))
        if height > epsilon + _HAIR:
            kept = (*members.values(), *pair)
            first, second = sorted(pair)
            return ColumnClasses(_numbered(kept, count), float(height), (first, second))
        members[count + number] = tuple(sorted((*pair[0], *pair[1])))
    return ColumnClasses((0,) * count)


def _numbered(groups: tuple[tuple[int, ...], ...], count: int) -> tuple[int, ...]:
    classes = [0] * count
    for number, group in enumerate(sorted(groups)):
        for column in group:
            classes[column] = number
    return tuple(classes)
