"""The languages that are compared, with a learner for each, and the splits they are learned on.

All learn from the same rows with the same seeds, in one plan. A language is represented by its
model with most bits on the validation rows; test rows do not take part in that choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pgmstudio.core.analysis.query_benchmark import QueryPlan
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import Split, case_total, deal, in_order, split
from pgmstudio.core.errors import DataError, named
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import Smoothing
from pgmstudio.core.languages.registry import LANGUAGES as REGISTRY
from pgmstudio.core.params import AUTO

# Fractions of the rows held out where a data set has no split of its own.
TEST_SHARE, VALID_SHARE = 0.2, 0.1
# How many splits, each with other test rows, a table with fewer than so many rows has.
SPLITS, ROWS_FOR_ONE_SPLIT = 5, 10_000
# How many updates of all beliefs are timed, and how many cells are given as evidence in each.
TIMED, GIVEN = 20, 3


@dataclass(frozen=True)
class Candidate:
    """A model language and its learner in a comparison."""

    key: str
    title: str
    short: str  # where there is little space
    family: str  # the kind of its models
    learner: str
    settings: Mapping[str, object] = field(default_factory=dict)
    means: str = ""  # one-sentence description
    has_pseudo_counts: bool = True  # its smoothing is a count in every cell of a table

    def grid(self, smoothing: Smoothing = AUTO) -> LearnerGrid:
        """One run; what the settings name is not swept."""
        settings = dict(self.settings)
        if self.has_pseudo_counts and smoothing != AUTO:
            settings["smoothing"] = smoothing
        return LearnerGrid(
            self.learner, {name: (value,) for name, value in settings.items()}, self.title
        )


class CandidateTable(Mapping[str, Candidate]):
    """The candidates of all languages by key, in the order in which they run."""

    def _all(self) -> dict[str, Candidate]:
        entries = [(entry, row) for row in REGISTRY.values() for entry in row.comparison]
        return {
            entry.key: Candidate(
                entry.key,
                entry.title or row.title,
                entry.short_title or row.short_title,
                row.kind,
                entry.learner,
                entry.settings,
                entry.description,
                entry.has_pseudo_counts,
            )
            for entry, row in sorted(entries, key=lambda pair: pair[0].order)
        }

    def __getitem__(self, key: str) -> Candidate:
        return self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


LANGUAGES = CandidateTable()


def language_of(key: str) -> Candidate:
    """The language of that key; UnknownNameError suggests the nearest."""
    return named("language", key, LANGUAGES)


def languages_plan(
    keys: Iterable[str],
    rows: PlanRows,
    *,
    seeds: Sequence[int] = (0,),
    smoothing: Smoothing = AUTO,
) -> Plan:
    """A run for each language and seed, with some updates of beliefs that are timed.

    `smoothing` is that of the languages whose tables have pseudo-counts.
    """
    wanted = [language_of(key) for key in keys]
    ordered = [one for one in LANGUAGES.values() if one in wanted]
    given = max(0, min(GIVEN, len(rows.test.domain) - 1))
    queries = QueryPlan(count=TIMED, targets=0, given=given, timed=TIMED)
    return Plan(
        tuple(one.grid(smoothing) for one in ordered),
        seeds=tuple(seeds),
        queries=queries,
        title="Languages",
    )


def train_valid_test_split(
    data: DataSet,
    own: Split | None = None,
    *,
    seed: int = 0,
    test: DataSet | None = None,
    valid: DataSet | None = None,
    fractions: tuple[float, float] = (VALID_SHARE, TEST_SHARE),
) -> PlanRows:
    """Training, validation and test rows.

    The parts called valid and test of the data's `own` split are used as they are, and so are
    `valid` and `test`. A part that is missing then is drawn from the training rows by the seed;
    `fractions` are those of validation and test rows.
    """
    train = data
    if own is not None and own.fits(data) and "train" in own.names:
        parts = dict(zip(own.names, own.parts(data), strict=True))
        if "test" in parts:
            train, test, valid = parts["train"], parts["test"], parts.get("valid", valid)
    held = (0.0 if valid is not None else fractions[0], 0.0 if test is not None else fractions[1])
    if sum(held) >= 1:
        raise DataError("The fractions of validation and test rows must add up to less than 1.")
    if any(held):
        wanted = (1 - sum(held), *(fraction for fraction in held if fraction))
        made = list(split(train, wanted, seed).parts(train))
        train = made.pop(0)
        valid = made.pop(0) if held[0] else valid
        test = made.pop(0) if held[1] else test
    assert test is not None
    assert valid is not None
    parts_by_use = {"learn from": train, "choose on": valid, "test on": test}
    empty = [name for name, part in parts_by_use.items() if part.total_weight == 0]
    if empty:
        raise DataError(f"There are no rows to {' and to '.join(empty)}. Use more rows.")
    return PlanRows(train, test, valid)


def train_valid_test_splits(
    data: DataSet,
    own: Split | None = None,
    *,
    count: int | None = None,
    seed: int = 0,
    test: DataSet | None = None,
    valid: DataSet | None = None,
    fractions: tuple[float, float] = (VALID_SHARE, TEST_SHARE),
) -> tuple[PlanRows, ...]:
    """`count` splits of the rows, each with other test rows; None: several for few rows.

    Models learned from other rows differ, and with few test rows one split is a poor estimate of
    how good a language is. Where the test rows are given, there is one split; else at most as many
    as leave every split test rows of its own.
    """
    is_split = own is not None and own.fits(data) and {"train", "test"} <= set(own.names)
    if count is None:
        count = SPLITS if case_total(data) < ROWS_FOR_ONE_SPLIT else 1
        count = min(count, int(1 / fractions[1] + 1e-9))
    if count == 1 or is_split or test is not None:
        return (
            train_valid_test_split(
                data, own, seed=seed, test=test, valid=valid, fractions=fractions
            ),
        )
    if count * fractions[1] > 1 + 1e-9:
        raise DataError(
            f"{count} splits with a fraction of {fractions[1]:g} test rows each need more rows "
            "than there are. Use fewer splits or a smaller fraction."
        )
    total = case_total(data)
    size = int(total * fractions[1] + 1e-9)
    sizes = [*(size for _ in range(count)), total - count * size]
    dealt = deal(data, [(in_order(data), sizes)], np.random.default_rng(seed))
    valid_share = fractions[0] / (1 - fractions[1])  # of the rows that are left
    return tuple(
        train_valid_test_split(
            dealt.rest(data, number),
            seed=seed,
            test=dealt.part(data, number),
            valid=valid,
            fractions=(valid_share, fractions[1]),
        )
        for number in range(count)
    )
