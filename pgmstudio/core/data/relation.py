"""Relations: sets of tuples over a few variables, and the relation of a data set.

The relation of data is the set of its distinct rows; how often a row occurs does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError

Tuples = NDArray[np.int64]  # variables × tuples, state codes
Indices = NDArray[np.intp]

# Joint codes are made small again before they could overflow.
_LARGEST_CODE = 1 << 40


def tuple_ids(columns: Tuples, cards: Sequence[int]) -> tuple[Indices, Indices]:
    """Where each different tuple occurs first, in lexicographic order, and which of them each one
    is."""
    ids = np.zeros(columns.shape[1], dtype=np.int64)
    bound = 1
    for column, card in zip(columns, cards, strict=True):
        if bound * card > _LARGEST_CODE:
            _, ids = np.unique(ids, return_inverse=True)
            ids = ids.astype(np.int64).ravel()
            bound = max(1, ids.size)
        ids = ids * card + column
        bound *= card
    _, first, which = np.unique(ids, return_index=True, return_inverse=True)
    return first, which.ravel()


@dataclass(frozen=True, eq=False)
class Relation:
    """Distinct tuples over a domain, in lexicographic order; `tuples` is variables × tuples."""

    domain: Domain
    tuples: Tuples

    @classmethod
    def of(cls, data: DataSet) -> Relation:
        """The distinct complete rows of positive weight; DataError if there is none."""
        rows = data if data.weights is None else data.take_rows(data.weights > 0)
        codes = rows.complete_rows().codes.astype(np.int64)
        if codes.shape[1] == 0:
            raise DataError("The relation is empty: no row is complete. Fill missing cells first.")
        first, _ = tuple_ids(codes, data.domain.cardinalities)
        return cls(data.domain, np.ascontiguousarray(codes[:, first]))

    def __len__(self) -> int:
        return int(self.tuples.shape[1])

    def project(self, scope: Sequence[int]) -> Tuples:
        """The distinct tuples over some of the variables, in lexicographic order."""
        columns = self.tuples[list(scope)]
        first, _ = tuple_ids(columns, [self.domain.cardinalities[v] for v in scope])
        return np.ascontiguousarray(columns[:, first])

    def occurs(self, scope: Sequence[int]) -> NDArray[np.bool_]:
        """The projection as a table with an axis for each variable: which joint states occur."""
        table = np.zeros([self.domain.cardinalities[v] for v in scope], dtype=bool)
        table[tuple(self.tuples[list(scope)])] = True
        return table

    @cached_property
    def used_states(self) -> tuple[int, ...]:
        """How many states of each variable occur."""
        return tuple(np.unique(column).size for column in self.tuples)

    def hartley_bits(self, scope: Sequence[int]) -> float:
        """log2 of the number of tuples of the projection: the Hartley information."""
        return math.log2(self.project(scope).shape[1])
