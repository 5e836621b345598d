"""Edits of a project as text: the name of the function and arguments that are Python literals.

An edit of the window is a `partial` of a function below, or several `InOrder`. What has no text,
such as the rows of a table, is stored beside the script (`script.py`).
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache, partial
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import PgmStudioError, named
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.inference.base import Done, Excluded, Finding, Likelihood, Observed
from pgmstudio.core.io.evidence import evidence_document, read_evidence
from pgmstudio.core.json_documents import JsonElement
from pgmstudio.core.project import edits, model_edits
from pgmstudio.core.project.project import ComparisonEntry, Project, fingerprints, restored_params
from pgmstudio.core.project.runs import training_rows

Edit = Callable[[Project], Project]
MAX_NUMBERS = 10_000  # in one argument; larger tables are stored beside the script

EDITS: Mapping[str, Callable[..., Project]] = {
    edit.__name__: edit
    for edit in (
        edits.set_title,
        edits.set_notes,
        edits.remove_data,
        edits.select_columns,
        edits.rename_data,
        edits.edit_data,
        edits.split_data,
        edits.set_missing_markers,
        edits.set_data_notes,
        edits.remove_model,
        edits.rename_model,
        edits.duplicate_model,
        edits.set_knowledge,
        edits.set_edge_prices,
        edits.require_edge,
        edits.forbid_edge,
        edits.forget_edge_rule,
        edits.set_tiers,
        edits.remove_run,
        edits.save_evidence_case,
        edits.rename_evidence_case,
        edits.delete_evidence_case,
        edits.rename_curve,
        edits.remove_curve,
        edits.add_comparison,
        edits.rename_comparison,
        edits.remove_comparison,
        edits.turn_edge,
        model_edits.add_edge,
        model_edits.remove_edge,
        model_edits.reverse_edge,
        model_edits.add_variable,
        model_edits.remove_variable,
        model_edits.rename_variable,
        model_edits.rename_state,
        model_edits.add_state,
        model_edits.move_state,
        model_edits.remove_state,
        model_edits.edit_language,
        model_edits.set_table,
        model_edits.move_nodes,
        model_edits.set_display_mode,
        model_edits.set_node_title,
        model_edits.set_model_notes,
        model_edits.set_node_note,
        model_edits.set_edge_note,
    )
}


@dataclass(frozen=True, slots=True)
class Command:
    """One edit, run or import; the arguments are literals of Python."""

    name: str
    arguments: Mapping[str, Any]


class NoText(Exception):
    """A value or an edit that cannot be written as text."""


def commands_of(edit: Edit, project: Project) -> tuple[Command, ...]:
    """The edit of this project as text; NoText when it has none."""
    if isinstance(edit, edits.InOrder):
        commands: list[Command] = []
        for one in edit.edits:
            commands += commands_of(one, project)
            project = one(project)
        return tuple(commands)
    if isinstance(edit, partial) and not edit.args:
        name = getattr(edit.func, "__name__", "")
        if EDITS.get(name) is edit.func:
            arguments = {key: literal(value, project) for key, value in edit.keywords.items()}
            return (Command(name, arguments),)
    raise NoText


def literal(value: Any, project: Project) -> Any:
    """The value as numbers, texts, lists, tuples, sets and dicts; NoText when it is none."""
    match value:
        case np.generic():
            return literal(value.item(), project)
        case float():
            if not math.isfinite(value):
                raise NoText
            return value
        case None | bool() | int() | str():
            return value
        case np.ndarray():
            if value.size > MAX_NUMBERS or value.dtype == object:
                raise NoText
            return literal(value.tolist(), project)
        case Variable() | ComparisonEntry():
            return {key: literal(entry, project) for key, entry in asdict(value).items()}
        case Knowledge() | EdgePrices():
            return {key: literal(entry, project) for key, entry in vars(value).items()}
        case Observed() | Excluded() | Likelihood() | Done():
            return evidence_document({"": value})[""]
        case DataSet():
            return _reference(value, project)
        case Mapping():
            return {literal(k, project): literal(entry, project) for k, entry in value.items()}
        case list():
            return [literal(entry, project) for entry in value]
        case tuple():
            return tuple(literal(entry, project) for entry in value)
        case set() | frozenset():
            return {literal(entry, project) for entry in value} or ()
        case _:
            raise NoText


def _reference(data: DataSet, project: Project) -> Mapping[str, Any]:
    """The rows of a data set of the project, or of a part of its split."""
    for key, entry in project.data.items():
        if data.fingerprint not in fingerprints(entry):
            continue
        if data.fingerprint == entry.data.fingerprint:
            return {"rows": key, "part": None}
        assert entry.split is not None
        number = entry.split.part_fingerprints.index(data.fingerprint)
        return {"rows": key, "part": entry.split.names[number]}
    raise NoText


def _is_reference(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {"rows", "part"}


def edit_of(command: Command, project: Project) -> Edit:
    """The edit that a command names, for this project."""
    function = named("command", command.name, EDITS)
    check_arguments(command, function, project)
    hints = _hints(function)
    arguments = {
        key: _value(hints.get(key), value, project) for key, value in command.arguments.items()
    }
    return partial(function, **arguments)


def check_arguments(
    command: Command, function: Callable[..., Any], *first: object, **more: object
) -> None:
    """PgmStudioError unless the function has these parameters, and the values are of their types.

    What is made from a mapping, such as a variable, has to be one.
    """
    try:
        inspect.signature(function).bind(*first, **command.arguments, **more)
    except TypeError as error:
        raise PgmStudioError(f"{command.name}: {error}.") from None
    hints = _hints(function)
    for name, value in command.arguments.items():
        if not _is_of(hints.get(name), value):
            raise PgmStudioError(f"{command.name}: {name} cannot be {value!r:.60}.")


_PLAIN: Mapping[object, type] = {
    **{one: one for one in (str, bool, NoneType)},
    **dict.fromkeys((Variable, ComparisonEntry, Knowledge, EdgePrices), Mapping),
    int: Integral,  # those of numpy too
    float: Real,
}


def _is_of(hint: Any, value: Any) -> bool:
    """Whether an argument fits the type of its parameter; any value fits other types."""
    if isinstance(value, bool) and hint in (int, float):
        return False
    if hint in _PLAIN:
        return isinstance(value, _PLAIN[hint])
    kind, parts = get_origin(hint), get_args(hint)
    if kind is UnionType:
        return any(_is_of(one, value) for one in parts)
    if kind is Mapping:
        return isinstance(value, Mapping) and all(
            _is_of(part, one)
            for pair in value.items()
            for part, one in zip(parts, pair, strict=True)
        )
    if kind is tuple:
        return (
            isinstance(value, tuple | list)
            and len(value) == len(parts)
            and all(map(_is_of, parts, value))
        )
    if kind is Iterable:
        is_text = isinstance(value, str | Mapping)
        return (
            not is_text
            and isinstance(value, Collection)
            and all(_is_of(parts[0], v) for v in value)
        )
    return True


@cache
def _hints(function: Callable[..., Any]) -> Mapping[str, Any]:
    return get_type_hints(function)


def _value(hint: Any, value: Any, project: Project) -> Any:
    if hint == Variable:
        return Variable(**{**value, "states": tuple(value["states"])})
    if hint == ComparisonEntry:
        return ComparisonEntry(**{**value, "model_ids": tuple(value["model_ids"])})
    if hint in (Knowledge, EdgePrices):
        rules = restored_params({"": value}, {})[""]
        if type(rules) is not hint:
            raise PgmStudioError(f"This is no {hint.__name__}: {value!r:.60}.")
        return rules
    if hint == Mapping[str, Finding]:
        return read_evidence(JsonElement(value, Path("evidence")))
    if hint == Floats:
        return np.array(value, dtype=np.float64)
    if _is_reference(value):
        return training_rows(project, value["rows"], value["part"])
    return value
