"""Edits of a project as text: the name of the function and arguments that are Python literals.

An edit of the window is a `partial` of a function below, several `InOrder`, or one that was
`Computed` beforehand. Models and tables that are small are written as their content; larger ones
and results of experiments are stored beside the script (`script.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import PgmStudioError, named
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.io.models.project_entry import open_model
from pgmstudio.core.io.models.subnetwork_clipboard import paste_nodes
from pgmstudio.core.io.session.literals import NoText, literal, value_of
from pgmstudio.core.model import Model
from pgmstudio.core.project import edits, model_edits
from pgmstudio.core.project.drawn_data import generate, sample_model
from pgmstudio.core.project.project import ComparisonEntry, DataEntry, ModelEntry, Project

Edit = Callable[[Project], Project]


EDITS: Mapping[str, Callable[..., Project]] = {
    edit.__name__: edit
    for edit in (
        edits.set_title,
        edits.set_notes,
        edits.add_data,
        edits.remove_data,
        edits.select_columns,
        edits.rename_data,
        edits.replace_data,
        edits.edit_data,
        edits.split_data,
        edits.set_missing_markers,
        edits.set_data_notes,
        sample_model,
        generate,
        model_edits.impute_from_model,
        open_model,
        edits.add_model,
        edits.remove_model,
        edits.rename_model,
        edits.duplicate_model,
        edits.replace_model,
        edits.replace_structure,
        edits.same_distribution,
        edits.resolve_choices,
        edits.direct_edges,
        edits.turn_edge,
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
        paste_nodes,
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
        model_edits.edit_from_rows,
        model_edits.make_moves,
        model_edits.convert_model,
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


@dataclass(frozen=True)
class Replayed:
    """The commands of a script that was replayed, as one edit, and what they gave."""

    commands: tuple[Command, ...]
    after: Project

    def __call__(self, _before: Project) -> Project:
        return self.after


def commands_of(edit: Edit, project: Project) -> tuple[Command, ...]:
    """The edit of this project as text; NoText when it has none."""
    if isinstance(edit, edits.InOrder):
        commands: list[Command] = []
        for one in edit.edits:
            commands += commands_of(one, project)
            project = one(project)
        return tuple(commands)
    if isinstance(edit, Replayed):
        if any(command.name == "restore" for command in edit.commands):
            raise NoText  # what it restores is beside the other script
        return edit.commands
    if isinstance(edit, edits.Computed):
        try:
            return commands_of(edit.edit, project)
        except NoText:
            return commands_of(edit.result, project)
    if isinstance(edit, partial) and not edit.args:
        name = getattr(edit.func, "__name__", "")
        if EDITS.get(name) is edit.func:
            arguments = {key: literal(value, project) for key, value in edit.keywords.items()}
            return (Command(name, arguments),)
    raise NoText


def edit_of(command: Command, project: Project) -> Edit:
    """The edit that a command names, for this project."""
    function = named("command", command.name, EDITS)
    check_arguments(command, function, project)
    hints = _hints(function)
    arguments = {
        key: value_of(hints.get(key), value, project) for key, value in command.arguments.items()
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
    **dict.fromkeys((Model, ModelEntry, DataEntry, DataSet), Mapping),
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
    if kind is tuple and parts[-1] is not Ellipsis:
        return (
            isinstance(value, tuple | list)
            and len(value) == len(parts)
            and all(map(_is_of, parts, value))
        )
    if kind in (Iterable, tuple):
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
