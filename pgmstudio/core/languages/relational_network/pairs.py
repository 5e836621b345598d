"""The projection of a relation to a pair of variables, with its Hartley information."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.relation import Relation
from pgmstudio.core.number_format import decimal


@dataclass(frozen=True, eq=False)
class PairProjection:
    """Which pairs of states occur, first × second, and how many states and pairs that are."""

    first: int
    second: int
    occurs: NDArray[np.bool_]

    @classmethod
    def of(cls, relation: Relation, first: int, second: int) -> PairProjection:
        return cls(first, second, relation.occurs((first, second)))

    @property
    def counts(self) -> tuple[int, int, int]:
        """Occurring states of the first variable and of the second, and occurring pairs."""
        return hartley_counts(self.occurs)

    @property
    def relative(self) -> float:
        """The part of all pairs of states that occur."""
        return self.counts[2] / self.occurs.size

    @property
    def gain_bits(self) -> float:
        """The Hartley information gain: the bits saved by asking for both states at once."""
        return hartley_gain_bits(self.counts)


def all_pairs(relation: Relation) -> list[PairProjection]:
    """The projections to all pairs of variables."""
    pairs = combinations(range(len(relation.domain)), 2)
    return [PairProjection.of(relation, a, b) for a, b in pairs]


def hartley_counts(occurs: NDArray[np.bool_]) -> tuple[int, int, int]:
    """How many rows, columns and cells of a table occur."""
    rows = np.count_nonzero(occurs.any(axis=1))
    columns = np.count_nonzero(occurs.any(axis=0))
    return int(rows), int(columns), int(np.count_nonzero(occurs))


def hartley_gain_bits(counts: tuple[int, int, int]) -> float:
    """log2 of the pairs that the single states allow, over those that occur."""
    rows, columns, cells = counts
    return math.log2(rows) + math.log2(columns) - math.log2(cells)


def hartley_terms(counts: tuple[int, int, int]) -> str:
    """The gain as logarithms: “log₂ 4 + log₂ 3 − log₂ 6”."""
    rows, columns, cells = counts
    return f"log₂ {rows} + log₂ {columns} − log₂ {cells}"


def hartley_text(counts: tuple[int, int, int]) -> str:
    """The arithmetic of a gain: “log₂ 4 + log₂ 3 − log₂ 6 = 2.00 + 1.58 − 2.58 = 1.00 bits”."""
    rows, columns, cells = (decimal(math.log2(count), 2) for count in counts)
    gain = decimal(hartley_gain_bits(counts), 2)
    return f"{hartley_terms(counts)} = {rows} + {columns} − {cells} = {gain} bits"
