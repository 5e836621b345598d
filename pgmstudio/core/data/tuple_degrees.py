"""The tuples of a possibility distribution with their degrees, and its α-cuts, which are relations.

The α-cut has the tuples whose degree is at least α (and above 0). Its projections are the α-cuts of
the largest degrees of the projections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.data.relation import Relation, Tuples, tuple_ids
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, TooLargeError
from pgmstudio.core.large_counts import count_text

# Up to so many joint states the degrees of imprecise rows are listed.
MAX_JOINT_STATES = 1_000_000
# A degree is a sum of weights over their total, so that α = 0.3 must keep a degree of 0.3.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class TupleDegrees:
    """The tuples of degrees above 0, the most possible first, equal ones in lexicographic order."""

    domain: Domain
    tuples: Tuples  # variables × tuples
    degrees: Floats

    @classmethod
    def ranked(cls, domain: Domain, tuples: Tuples, degrees: Floats) -> TupleDegrees:
        order = np.lexsort((*tuples[::-1], -degrees))
        return cls(domain, np.ascontiguousarray(tuples[:, order]), degrees[order])

    @classmethod
    def of(cls, distribution: PossibilityDistribution) -> TupleDegrees:
        """All tuples of the data; TooLargeError where imprecise rows allow too many."""
        domain = distribution.domain
        if distribution.is_precise:
            return cls.ranked(domain, distribution.tuples, distribution.tuple_degrees)
        if domain.joint_states() > MAX_JOINT_STATES:
            raise TooLargeError(
                f"The imprecise rows allow up to {count_text(domain.joint_states())} tuples; at "
                f"most {MAX_JOINT_STATES:,} are listed. Leave out columns."
            )
        table = distribution.projection(range(len(domain)))
        cells = np.nonzero(table)
        tuples = np.array(cells, dtype=np.int64).reshape(len(domain), -1)
        return cls.ranked(domain, tuples, table[cells])

    def __len__(self) -> int:
        return int(self.degrees.size)

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """The degrees that occur, descending."""
        return tuple(np.unique(self.degrees)[::-1].tolist())

    def count(self, alpha: float) -> int:
        """How many tuples the α-cut has."""
        return int(np.searchsorted(-self.degrees, -(alpha - _ROUNDING), side="right"))

    def cut(self, alpha: float) -> Relation:
        """The tuples of at least this degree; DataError if there is none."""
        count = self.count(alpha)
        if not count:
            raise DataError(
                f"No tuple has a degree of {alpha:g} or more; the largest is {self.top:.4g}."
            )
        kept = self.tuples[:, :count]
        return Relation(self.domain, np.ascontiguousarray(kept[:, np.lexsort(kept[::-1])]))

    @property
    def top(self) -> float:
        return float(self.degrees[0]) if len(self) else 0.0

    def projection(self, scope: Sequence[int]) -> Floats:
        """The largest degree above each cell, with an axis for each variable of the scope."""
        table = np.zeros([self.domain.cardinalities[v] for v in scope])
        np.maximum.at(table, tuple(self.tuples[list(scope)]), self.degrees)
        return table

    def projected(self, names: Sequence[str]) -> TupleDegrees:
        """The largest degrees of some variables, as tuples over them."""
        scope = [self.domain.index(name) for name in names]
        domain = Domain(tuple(self.domain.variables[v] for v in scope))
        first, ids = tuple_ids(self.tuples[scope], domain.cardinalities)
        degrees = np.zeros(first.size)
        np.maximum.at(degrees, ids, self.degrees)
        return TupleDegrees.ranked(domain, self.tuples[scope][:, first], degrees)


def kept_at(degrees: Floats, alpha: float) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which degrees are in the α-cut."""
    return (degrees > 0) & (degrees >= alpha - _ROUNDING)
