"""A plan from the plain entries of a file, with everything that is wrong told at once."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from pgmstudio.core.errors import ParameterError
from pgmstudio.core.experiments.empirical import QueryPlan
from pgmstudio.core.experiments.plans.plan import DataPlan, LearnerGrid, Plan
from pgmstudio.core.params import MAX_WHOLE, parse_params


def plan_of(entries: Mapping[str, Any]) -> Plan:
    """The plan that plain entries say; one ParameterError names everything that is wrong."""
    wrong = _Problems()
    wrong.refuse_unknown(entries, {*_PLAN, "data", "learners", "queries"}, "")
    learners = entries.get("learners", [])
    if not isinstance(learners, list):
        wrong.told["learners"] = "must be a list"
        learners = []
    told: dict[str, Any] = {
        "learners": tuple(_grid(entry, place, wrong) for place, entry in enumerate(learners, 1)),
    }
    for option, (name, check) in _PLAN.items():
        value = wrong.checked(option, check, entries[option]) if option in entries else None
        if value is not None:
            told[name] = value
    if (data := wrong.mapping("data", entries)) is not None:
        told["data"] = _data(data, wrong)
    if (queries := wrong.mapping("queries", entries)) is not None:
        try:
            told["queries"] = parse_params(QueryPlan, queries)
        except ParameterError as problem:
            wrong.told |= {f"queries {name}": text for name, text in problem.problems.items()}
    try:
        plan = Plan(**told)
    except ParameterError as problem:
        raise ParameterError(wrong.told | dict(problem.problems)) from None
    if wrong.told:
        raise ParameterError(wrong.told)
    return plan


def _grid(entry: Any, place: int, wrong: _Problems) -> LearnerGrid:
    where = f"learner {place}"
    if isinstance(entry, str):
        return LearnerGrid(entry)
    if not isinstance(entry, Mapping) or not isinstance(entry.get("key"), str):
        wrong.told[where] = "needs an entry “key” with the name of a learner"
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
    told = {
        name: wrong.checked(f"data {option}", check, entries[option])
        for option, (name, check) in _DATA.items()
        if option in entries
    }
    reading = {
        option: wrong.checked(f"data {option}", check, entries[option])
        for option, check in _READING.items()
        if entries.get(option) is not None
    }
    if told.get("file") is None:
        wrong.told["data file"] = "needs the name of a file"
        return None
    return DataPlan(**{k: v for k, v in told.items() if v is not None}, reading=reading)


class _Problems:
    """Collects what is wrong with the entries of a file."""

    def __init__(self) -> None:
        self.told: dict[str, str] = {}

    def refuse_unknown(self, entries: Mapping[str, Any], known: Iterable[str], where: str) -> None:
        listed = ", ".join(sorted(known))
        for name in entries:
            if name not in known:
                self.told[f"{where}{name}"] = f"is not known here; there are {listed}"

    def mapping(self, name: str, entries: Mapping[str, Any]) -> Mapping[str, Any] | None:
        found = entries.get(name)
        if found is None or isinstance(found, Mapping):
            return found
        self.told[name] = "must be a group of entries"
        return None

    def checked(self, name: str, check: Any, value: Any) -> Any:
        try:
            return check(value)
        except ValueError as problem:
            self.told[name] = str(problem)
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


def _share(value: Any) -> float:
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
    return any("\ud800" <= sign <= "\udfff" for sign in text)


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
    "test-share": ("test_share", _share),
    "valid-share": ("valid_share", _share),
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
