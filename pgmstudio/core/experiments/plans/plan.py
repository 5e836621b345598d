"""Plan: data, learners with the values to try, seeds and limits, as a value and as plain entries.

    title = "Trees and networks"
    seeds = [0, 1, 2]
    lambdas = [0.2, 0.5, 0.8]       # none given: about twenty, with those of AIC and BIC

    [data]
    file = "rows.csv"               # with test and valid files, or fractions of its rows
    test-share = 0.1

    [[learners]]
    key = "mixture.trees"
    components = [1, 2, 5]          # each value of a list is tried

A list of lists gives a parameter that is itself a list, such as [[0.3, 1.0]] for greediness.

A plan is read from the plain entries of a file; one error lists all problems.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pgmstudio.core.analysis.query_benchmark import QueryPlan
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.model import Model
from pgmstudio.core.params import MAX_WHOLE, parse_params


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
        payload: dict[str, Any] = {"key": self.key}
        if self.name:
            payload["name"] = self.name
        if self.lambdas:
            payload["lambdas"] = list(self.lambdas)
        if self.time_limit is not None:
            payload["time-limit"] = self.time_limit
        return payload | {
            # A model among the values is replaced by its language; a file of a plan cannot hold it.
            option: [value.kind if isinstance(value, Model) else value for value in values]
            for option, values in self.values.items()
        }


@dataclass(frozen=True)
class DataPlan:
    """The data of a plan: a file and the fraction held out, or separate files.

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
        payload = {
            "file": self.file,
            "test": self.test,
            "valid": self.valid,
            "test-share": self.test_share if self.test is None else None,
            "valid-share": self.valid_share or None,
            "split-seed": self.split_seed,
            "complete": self.complete or None,
            "reference": self.reference,
        }
        return {name: value for name, value in payload.items() if value is not None} | {
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
    def of(cls, keys: Iterable[str], **options: Any) -> Plan:
        """A plan for these learners with their default parameters."""
        return cls(tuple(LearnerGrid(key) for key in keys), **options)

    def plain(self) -> dict[str, Any]:
        """All of it as texts, numbers, lists and dicts: what a plan file holds."""
        payload: dict[str, Any] = {"title": self.title} if self.title else {}
        if self.data is not None:
            payload["data"] = self.data.plain()
        payload["seeds"] = list(self.seeds)
        if self.lambdas:
            payload["lambdas"] = list(self.lambdas)
        if self.time_limit is not None:
            payload["time-limit"] = self.time_limit
        if self.optima != 1:
            payload["optima"] = self.optima
        if self.queries is not None:
            payload["queries"] = self.queries.plain()
        return payload | {"learners": [grid.plain() for grid in self.learners]}


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


def plan_of(entries: Mapping[str, Any]) -> Plan:
    """The plan of plain entries; one ParameterError lists all problems."""
    wrong = _Problems()
    wrong.refuse_unknown(entries, {*_PLAN, "data", "learners", "queries"}, "")
    learners = entries.get("learners", [])
    if not isinstance(learners, list):
        wrong.problems["learners"] = "must be a list"
        learners = []
    fields: dict[str, Any] = {
        "learners": tuple(_grid(entry, index, wrong) for index, entry in enumerate(learners, 1)),
    }
    for option, (name, check) in _PLAN.items():
        value = wrong.checked(option, check, entries[option]) if option in entries else None
        if value is not None:
            fields[name] = value
    if (data := wrong.mapping("data", entries)) is not None:
        fields["data"] = _data(data, wrong)
    if (queries := wrong.mapping("queries", entries)) is not None:
        try:
            fields["queries"] = parse_params(QueryPlan, queries)
        except ParameterError as problem:
            wrong.problems |= {f"queries {name}": text for name, text in problem.problems.items()}
    try:
        plan = Plan(**fields)
    except ParameterError as problem:
        raise ParameterError(wrong.problems | dict(problem.problems)) from None
    if wrong.problems:
        raise ParameterError(wrong.problems)
    return plan


def _grid(entry: Any, index: int, wrong: _Problems) -> LearnerGrid:
    where = f"learner {index}"
    if isinstance(entry, str):
        return LearnerGrid(entry)
    if not isinstance(entry, Mapping) or not isinstance(entry.get("key"), str):
        wrong.problems[where] = "needs an entry “key” with the name of a learner"
        return LearnerGrid("")
    own = {"key", "name", "lambdas", "time-limit"}
    values = {
        str(name): tuple(value) if isinstance(value, list) else (value,)
        for name, value in entry.items()
        if name not in own
    }
    lambdas = wrong.checked(f"{where} lambdas", _numbers, entry.get("lambdas", []))
    limit = entry.get("time-limit")
    if limit is not None:
        limit = wrong.checked(f"{where} time-limit", _positive, limit)
    name = wrong.checked(f"{where} name", _text, entry.get("name", ""))
    return LearnerGrid(entry["key"], values, name or "", lambdas or (), limit)


def _data(entries: Mapping[str, Any], wrong: _Problems) -> DataPlan | None:
    wrong.refuse_unknown(entries, {*_DATA, *_READING}, "data ")
    fields = {
        name: wrong.checked(f"data {option}", check, entries[option])
        for option, (name, check) in _DATA.items()
        if option in entries
    }
    reading = {
        option: wrong.checked(f"data {option}", check, entries[option])
        for option, check in _READING.items()
        if entries.get(option) is not None
    }
    if fields.get("file") is None:
        wrong.problems["data file"] = "needs the name of a file"
        return None
    return DataPlan(**{k: v for k, v in fields.items() if v is not None}, reading=reading)


class _Problems:
    """Collects what is wrong with the entries of a file."""

    def __init__(self) -> None:
        self.problems: dict[str, str] = {}

    def refuse_unknown(self, entries: Mapping[str, Any], known: Iterable[str], where: str) -> None:
        listed = ", ".join(sorted(known))
        for name in entries:
            if name not in known:
                self.problems[f"{where}{name}"] = f"is not known here; there are {listed}"

    def mapping(self, name: str, entries: Mapping[str, Any]) -> Mapping[str, Any] | None:
        result = entries.get(name)
        if result is None or isinstance(result, Mapping):
            return result
        self.problems[name] = "must be a group of entries"
        return None

    def checked(self, name: str, check: Any, value: Any) -> Any:
        try:
            return check(value)
        except ValueError as problem:
            self.problems[name] = str(problem)
            return None


def _numbers(value: Any) -> tuple[float, ...]:
    if not isinstance(value, list) or not all(_is_number(part) for part in value):
        raise ValueError("must be a list of finite numbers")
    return tuple(float(part) for part in value)


def _wholes(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(_is_whole(part) for part in value):
        raise ValueError("must be a list of whole numbers from 0 on")
    return tuple(value)


def _positive(value: Any) -> float:
    if not _is_number(value) or not value > 0:
        raise ValueError("must be a number above 0")
    return float(value)


def _fraction(value: Any) -> float:
    if not _is_number(value) or not 0 <= value < 1:
        raise ValueError("must lie between 0 and 1")
    return float(value)


def _whole(value: Any) -> int:
    if not _is_whole(value):
        raise ValueError("must be a whole number from 0 on")
    return int(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value or _has_half_character(value):
        raise ValueError("must be a text")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    """One text stands for a list of one."""
    return tuple(_text(part) for part in (value if isinstance(value, list) else [value]))


def _yes_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _is_number(value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return -sys.float_info.max <= value <= sys.float_info.max


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MAX_WHOLE


def _has_half_character(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


_PLAN: Mapping[str, tuple[str, Any]] = {
    "title": ("title", _text),
    "lambdas": ("lambdas", _numbers),
    "seeds": ("seeds", _wholes),
    "time-limit": ("time_limit", _positive),
    "optima": ("optima", _whole),
}
_DATA: Mapping[str, tuple[str, Any]] = {
    "file": ("file", _text),
    "test": ("test", _text),
    "valid": ("valid", _text),
    "test-share": ("test_share", _fraction),
    "valid-share": ("valid_share", _fraction),
    "split-seed": ("split_seed", _whole),
    "complete": ("complete", _yes_no),
    "reference": ("reference", _text),
}
# Options of the importer.
_READING: Mapping[str, Any] = {
    "missing-as-state": _yes_no,
    "bins": _whole,
    "binning": _text,
    "target": _text,
    "frequency": _text,
    "leave-out": _texts,
    "as-states": _texts,
}
