"""A measure of association for all pairs of columns, in any of the three settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import ReportFraction, family_counter, ignore_progress
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.data.relation import Relation
from pgmstudio.core.errors import ParameterError, TooLargeError, named
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.relational_network.pairs import hartley_counts, hartley_terms
from pgmstudio.core.large_counts import count_text
from pgmstudio.core.scores.association_measures import (
    MEASURES,
    Measure,
    Setting,
    formula_numbers,
    slice_gains,
)

# Cells of a table that a measure looks at.
MAX_CELLS = 10_000_000


@dataclass(frozen=True, slots=True)
class PairValue:
    """The measure of one pair; a symmetric one has each pair once, the earlier column first."""

    parent: str
    child: str
    value: float


@dataclass(frozen=True, eq=False)
class Associations:
    """The measure of every pair: `matrix[a, b]` with a as parent and b as child; not a number on
    the diagonal and for columns of the condition. `is_exact` is False for approximate degrees."""

    measure: Measure
    names: tuple[str, ...]
    given: tuple[str, ...]
    matrix: Floats
    is_exact: bool = True

    def pairs(self) -> list[PairValue]:
        """All pairs, the strongest dependence first."""
        result = [
            PairValue(self.names[a], self.names[b], float(value))
            for (a, b), value in np.ndenumerate(self.matrix)
            if not math.isnan(value) and (a < b or not self.measure.symmetric)
        ]
        sign = -1 if self.measure.larger_is_stronger else 1
        return sorted(result, key=lambda pair: sign * pair.value)


def tables_of(
    data: DataSet, setting: Setting, cancel: CancelToken = NEVER
) -> tuple[Callable[[Sequence[int]], Floats], bool]:
    """The tables of a setting over a few columns each, and whether they are exact: counts, 1 for
    what occurs, or degrees of possibility."""
    if setting is Setting.PROBABILISTIC:
        counter = family_counter(data)
        return lambda scope: counter.counts(scope, cancel), True
    if setting is Setting.RELATIONAL:
        relation = Relation.of(data)
        return lambda scope: relation.occurs(scope).astype(np.float64), True
    distribution = PossibilityDistribution.of(data, cancel=cancel)
    return distribution.projection, distribution.is_exact


def associations(
    data: DataSet,
    key: str,
    given: Sequence[str] = (),
    cancel: CancelToken = NEVER,
    report: ReportFraction = ignore_progress,
) -> Associations:
    """The measure of all pairs of columns; a conditional measure needs columns as condition."""
    measure = named("measure", key, MEASURES)
    condition = [data.domain.index(name) for name in dict.fromkeys(given)]
    if measure.is_conditional != bool(condition):
        needs = "needs a condition" if measure.is_conditional else "has no condition"
        raise ParameterError({"given": f"{measure.title} {needs}"})
    table, is_exact = tables_of(data, measure.setting, cancel)
    cards = data.domain.cardinalities
    n = len(cards)
    slices = math.prod(cards[z] for z in condition)
    matrix = np.full((n, n), np.nan)
    for a in range(n):
        report(1 - (n - a) * (n - a - 1) / max(n * (n - 1), 1))
        for b in range(a + 1, n):
            if a in condition or b in condition:
                continue
            cancel.raise_if_cancelled()
            cells = slices * cards[a] * cards[b]
            if cells > MAX_CELLS:
                raise TooLargeError(
                    f"The table of {data.domain.names[a]} and {data.domain.names[b]} has "
                    f"{count_text(cells)} cells; {count_text(MAX_CELLS)} are possible."
                )
            numbers = np.asarray(table([*condition, a, b]), dtype=np.float64)
            if condition:
                numbers = numbers.reshape(slices, cards[a], cards[b])
            matrix[a, b] = measure.value(numbers)
            matrix[b, a] = (
                matrix[a, b] if measure.symmetric else measure.value(np.swapaxes(numbers, -1, -2))
            )
    return Associations(
        measure, data.domain.names, tuple(data.domain.names[z] for z in condition), matrix, is_exact
    )


@dataclass(frozen=True, eq=False)
class PairDetail:
    """The table of one pair, parent × child, what it would be without an association, and the
    numbers in the formula of the measure; for a conditional one, the gain in every slice.

    `terms`: the gain of a slice of a relation as “log₂ 2 + log₂ 3 − log₂ 4”.
    """

    table: Floats
    expected: Floats
    numbers: dict[str, float]
    terms: dict[str, str] = field(default_factory=dict)


def pair_detail(
    data: DataSet, result: Associations, parent: str, child: str, cancel: CancelToken = NEVER
) -> PairDetail:
    """The table of a pair and the numbers in the formula."""
    table_of, _ = tables_of(data, result.measure.setting, cancel)
    pair = [data.domain.index(parent), data.domain.index(child)]
    table = np.asarray(table_of(pair), dtype=np.float64)
    parts = (1, 0)
    if result.measure.setting is Setting.PROBABILISTIC:
        rows, columns = (table.sum(axis=axis) for axis in parts)
        expected = np.outer(rows, columns) / max(table.sum(), 1.0)
    else:
        expected = np.minimum.outer(*(table.max(axis=axis) for axis in parts))
    if not result.given:
        return PairDetail(table, expected, formula_numbers(result.measure, table))
    condition = [data.domain.index(name) for name in result.given]
    slices = np.asarray(table_of([*condition, *pair])).reshape(-1, *table.shape)
    gains = slice_gains(slices, result.measure.setting)
    states = product(*(data.domain[name].states for name in result.given))
    numbers: dict[str, float] = {}
    terms: dict[str, str] = {}
    for joint, gain, one in zip(states, gains.tolist(), slices, strict=True):
        if one.any():
            pairs = zip(result.given, joint, strict=True)
            condition_text = ", ".join(f"{name} = {state}" for name, state in pairs)
            numbers[condition_text] = gain
            if result.measure.setting is Setting.RELATIONAL:
                terms[condition_text] = hartley_terms(hartley_counts(one > 0))
    return PairDetail(table, expected, numbers, terms)
