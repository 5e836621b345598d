"""Plan: data, learners with the values to try, seeds and limits, as a value and as plain entries.

    title = "Trees and networks"
    seeds = [0, 1, 2]
    lambdas = [0.2, 0.5, 0.8]       # none given: about twenty, with those of AIC and BIC

    [data]
    file = "rows.csv"               # with test and valid files, or shares of its rows
    test-share = 0.1

    [[learners]]
    key = "mixture.trees"
    components = [1, 2, 5]          # each value of a list is tried

A list of lists gives a parameter that is itself a list, such as [[0.3, 1.0]] for greediness.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pgmstudio.core.errors import ParameterError
from pgmstudio.core.experiments.empirical import QueryPlan
from pgmstudio.core.models.protocols import Model


@dataclass(frozen=True)
class LearnerGrid:
    """A learner and, for some of its parameters, the values to try; all combinations are run.

    A parameter with one value is simply set. Naming a parameter that the λ sweep would set keeps
    the sweep away from this learner. `lambdas` replace those of the plan.
    """

    key: str
    values: Mapping[str, Sequence[object]] = field(default_factory=dict)
    name: str = ""
    lambdas: tuple[float, ...] = ()
    time_limit: float | None = None

    def plain(self) -> dict[str, Any]:
        """The entries of a plan file."""
        told: dict[str, Any] = {"key": self.key}
        if self.name:
            told["name"] = self.name
        if self.lambdas:
            told["lambdas"] = list(self.lambdas)
        if self.time_limit is not None:
            told["time-limit"] = self.time_limit
        return told | {
            # A model among the values is told by its language; a file of a plan cannot hold it.
            option: [value.kind if isinstance(value, Model) else value for value in values]
            for option, values in self.values.items()
        }


@dataclass(frozen=True)
class DataPlan:
    """Where the rows come from: a file and the share put aside, or files of their own.

    `reading` holds the options of the importer: bins, binning, missing-as-state, as-states,
    leave-out, frequency, target. `complete` leaves out rows with missing cells. `reference` is a
    file with the model that the rows were drawn from.
    """

    file: str
    test: str | None = None
    valid: str | None = None
    test_share: float = 0.1
    valid_share: float = 0.0
    split_seed: int = 0
    complete: bool = False
    reference: str | None = None
    reading: Mapping[str, object] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """The entries of a plan file."""
        told = {
            "file": self.file,
            "test": self.test,
            "valid": self.valid,
            "test-share": self.test_share if self.test is None else None,
            "valid-share": self.valid_share or None,
            "split-seed": self.split_seed,
            "complete": self.complete or None,
            "reference": self.reference,
        }
        return {name: value for name, value in told.items() if value is not None} | {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.reading.items()
        }


@dataclass(frozen=True)
class Plan:
    """What to learn and to measure; `time_limit` is in seconds for each run.

    `optima` is how many local optima of a search with restarts become points, the best first.
    """

    learners: tuple[LearnerGrid, ...]
    lambdas: tuple[float, ...] = ()
    seeds: tuple[int, ...] = (0,)
    time_limit: float | None = None
    optima: int = 1
    queries: QueryPlan | None = None
    data: DataPlan | None = None
    title: str = ""

    def __post_init__(self) -> None:
        problems = plan_problems(self.learners, self.lambdas, self.seeds)
        if self.time_limit is not None and not self.time_limit > 0:
            problems["time-limit"] = "must be more than 0"
        if self.optima < 1:
            problems["optima"] = "must be at least 1"
        if problems:
            raise ParameterError(problems)

    @classmethod
    def of(cls, keys: Iterable[str], **told: Any) -> Plan:
        """A plan for these learners with their default parameters."""
        return cls(tuple(LearnerGrid(key) for key in keys), **told)

    def plain(self) -> dict[str, Any]:
        """All of it as texts, numbers, lists and dicts: what a plan file holds."""
        told: dict[str, Any] = {"title": self.title} if self.title else {}
        if self.data is not None:
            told["data"] = self.data.plain()
        told["seeds"] = list(self.seeds)
        if self.lambdas:
            told["lambdas"] = list(self.lambdas)
        if self.time_limit is not None:
            told["time-limit"] = self.time_limit
        if self.optima != 1:
            told["optima"] = self.optima
        if self.queries is not None:
            told["queries"] = self.queries.plain()
        return told | {"learners": [grid.plain() for grid in self.learners]}


def plan_problems(
    learners: Sequence[LearnerGrid], lambdas: Iterable[float], seeds: Sequence[int]
) -> dict[str, str]:
    """What is wrong with the parts that every plan has, by name."""
    problems = {}
    if not learners:
        problems["learners"] = "needs at least one learner"
    every = [*lambdas, *(value for grid in learners for value in grid.lambdas)]
    if not all(0 < value < 1 for value in every):
        problems["lambdas"] = "must all lie between 0 and 1"
    if not seeds:
        problems["seeds"] = "needs at least one number"
    if any(not values for grid in learners for values in grid.values.values()):
        problems["learners"] = "a parameter needs at least one value"
    return problems
