"""Edits inside one model of a project; what an edit means to a family lives with the family.

A family offers what it truly has: edges can be edited where the model has `with_edge`, names where
it has `with_domain`, tables where it has `with_table`. Others raise an error with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar, get_args, runtime_checkable

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError, GraphError, UnknownNameError, named
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.background_knowledge import Edge
from pgmstudio.core.inference.base import Done, Excluded, Finding, Likelihood, Observed
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.bayesian_network.learning.missing_data.imputation import (
    impute_by_model,
)
from pgmstudio.core.languages.conversions import converted, same_distribution
from pgmstudio.core.languages.registry import a_kind, edge_analysis, kind_noun, language_edit
from pgmstudio.core.learning.edge_moves import MoveKey, MoveParams
from pgmstudio.core.model import Model, edges_of, has_edges
from pgmstudio.core.project.edits import (
    add_model,
    put,
    replace_data,
    replace_model,
    replace_structure,
    without,
)
from pgmstudio.core.project.file_properties import Properties
from pgmstudio.core.project.model_rows import no_rows_reason, rows_of_model
from pgmstudio.core.project.project import EvidenceCase, ModelEntry, Point, Project
from pgmstudio.core.scores.edge_gains import EdgeAction

V = TypeVar("V")
F = TypeVar("F")

# The key of a converted model's provenance for the check of its distribution.
CHECKED = "checked"


@runtime_checkable
class EditableStructure(Model, Protocol):
    """A model whose edges and variables can be changed one by one."""

    def with_edge(self, source: str, target: str) -> Model: ...
    def without_edge(self, source: str, target: str) -> Model: ...
    def with_variable(self, variable: Variable) -> Model: ...
    def without_variable(self, name: str) -> Model: ...


@runtime_checkable
class ReversibleEdges(Model, Protocol):
    """A model whose edges have directions that can be changed."""

    def with_reversed_edge(self, source: str, target: str) -> Model: ...


@runtime_checkable
class Renamable(Model, Protocol):
    """A model whose variables and states can be renamed."""

    def with_domain(self, domain: Domain) -> Model: ...


@runtime_checkable
class EditableStates(Model, Protocol):
    """A model whose variables can be given other states, its tables following."""

    def with_states(self, name: str, states: Mapping[str, str | None]) -> Model: ...


@runtime_checkable
class EditableTables(Model, Protocol):
    """A model with a table for every variable."""

    def table(self, name: str) -> Floats: ...
    def with_table(self, name: str, table: Floats) -> Model: ...


def add_edge(project: Project, *, model_id: str, source: str, target: str) -> Project:
    """CycleError holds the path when the edge would close a cycle."""
    model = _structure(project, model_id)
    return _with_model(project, model_id, model.with_edge(source, target))


def remove_edge(project: Project, *, model_id: str, source: str, target: str) -> Project:
    """Without the edge and its note; GraphError when there is none."""
    model = _structure(project, model_id)
    edge_notes = without(project.model_entry(model_id).edge_notes, (source, target))
    edited = model.without_edge(source, target)
    return _with_model(project, model_id, edited, edge_notes=edge_notes)


def reverse_edge(project: Project, *, model_id: str, source: str, target: str) -> Project:
    """The edge the other way round; its note goes with it."""
    model = _known(project, model_id).model
    if not isinstance(model, ReversibleEdges):
        raise GraphError(f"The edges of {a_kind(model.kind)} have no direction to reverse.")
    notes = project.model_entry(model_id).edge_notes
    turned = {
        (target, source) if edge == (source, target) else edge: text for edge, text in notes.items()
    }
    edited = model.with_reversed_edge(source, target)
    return _with_model(project, model_id, edited, edge_notes=turned)


def add_variable(
    project: Project,
    *,
    model_id: str,
    variable: Variable,
    picture: str | None = None,
    at: Point | None = None,
) -> Project:
    """One more variable without edges; with `picture` and `at` it also gets its position there."""
    edited = _structure(project, model_id).with_variable(variable)
    layouts = project.model_entry(model_id).layouts
    if picture is not None and at is not None:
        layouts = put(layouts, picture, {**layouts.get(picture, {}), variable.name: at})
    return _with_model(project, model_id, edited, layouts=layouts)


def remove_variable(project: Project, *, model_id: str, name: str) -> Project:
    """Without the variable and everything that refers to it."""
    edited = _structure(project, model_id).without_variable(name)
    entry = project.model_entry(model_id)
    project = _with_model(
        project,
        model_id,
        edited,
        layouts={picture: without(layout, name) for picture, layout in entry.layouts.items()},
        display_modes=without(entry.display_modes, name),
        node_titles=without(entry.node_titles, name),
        node_notes=without(entry.node_notes, name),
        edge_notes={edge: text for edge, text in entry.edge_notes.items() if name not in edge},
        properties=entry.properties.without_variable(name),
    )
    return _with_cases(project, model_id, lambda evidence: without(evidence, name))


def rename_variable(project: Project, *, model_id: str, old: str, new: str) -> Project:
    """The variable under another name, wherever the project names it in this model."""
    model = _renamable(project, model_id)
    position = model.domain.index(old)
    if new != old and new in model.domain:
        raise DataError(f"There is a variable called “{new}” already; names must differ.")
    variables = list(model.domain.variables)
    variables[position] = replace(variables[position], name=new)
    entry = project.model_entry(model_id)

    def renamed(entries: Mapping[str, V]) -> dict[str, V]:
        return {new if name == old else name: value for name, value in entries.items()}

    def renamed_edge(edge: Edge) -> Edge:
        source, target = (new if end == old else end for end in edge)
        return source, target

    project = _with_model(
        project,
        model_id,
        model.with_domain(Domain(tuple(variables))),
        layouts={picture: renamed(layout) for picture, layout in entry.layouts.items()},
        display_modes=renamed(entry.display_modes),
        node_titles=renamed(entry.node_titles),
        node_notes=renamed(entry.node_notes),
        edge_notes={renamed_edge(edge): text for edge, text in entry.edge_notes.items()},
        properties=entry.properties.with_renamed(old, new),
    )
    return _with_cases(project, model_id, renamed)


def rename_state(project: Project, *, model_id: str, variable: str, old: str, new: str) -> Project:
    """The state under another name, also in the model's evidence cases."""
    model = _renamable(project, model_id)
    position = model.domain.index(variable)
    variables = list(model.domain.variables)
    variables[position].code(old)
    states = tuple(new if state == old else state for state in variables[position].states)
    variables[position] = replace(variables[position], states=states)

    def renamed(evidence: Mapping[str, Finding]) -> Mapping[str, Finding]:
        if variable not in evidence:
            return evidence
        return put(evidence, variable, _renamed_finding(evidence[variable], old, new))

    edited = model.with_domain(Domain(tuple(variables)))
    return _with_cases(_with_model(project, model_id, edited), model_id, renamed)


def add_state(project: Project, *, model_id: str, variable: str, state: str) -> Project:
    """One more state at the end, with probability 0 until its table is edited."""
    if not state:
        raise DataError("A state needs a name.")
    known = _with_editable_states(project, model_id).domain[variable]
    if state in known.states:
        raise DataError(f"{variable} has the state “{state}” already; states must differ.")
    return _with_states(project, model_id, variable, {**{s: s for s in known.states}, state: None})


def move_state(
    project: Project, *, model_id: str, variable: str, state: str, index: int
) -> Project:
    """The state at another index; its probabilities stay the same."""
    known = _with_editable_states(project, model_id).domain[variable]
    known.code(state)
    others = [other for other in known.states if other != state]
    order = [*others[:index], state, *others[index:]]
    if tuple(order) == known.states:
        return project
    return _with_states(project, model_id, variable, {s: s for s in order})


def remove_state(project: Project, *, model_id: str, variable: str, state: str) -> Project:
    """Without the state, in the tables and in the model's evidence cases."""
    known = _with_editable_states(project, model_id).domain[variable]
    known.code(state)
    if known.cardinality < 3:
        raise DataError(
            f"{variable} has {known.cardinality} states; a variable that can be asked needs two. "
            "Rename one, or delete the variable."
        )
    rest = {s: s for s in known.states if s != state}
    project = _with_states(project, model_id, variable, rest)

    def shortened(evidence: Mapping[str, Finding]) -> Mapping[str, Finding]:
        if variable not in evidence:
            return evidence
        left = _finding_without(evidence[variable], state, frozenset(rest))
        return without(evidence, variable) if left is None else put(evidence, variable, left)

    return _with_cases(project, model_id, shortened)


def _finding_without(finding: Finding, state: str, rest: frozenset[str]) -> Finding | None:
    """The finding restricted to the other states; None when no state remains possible."""
    match finding:
        case Observed(seen) | Done(seen):
            return None if seen == state else finding
        case Excluded(states):
            left = states - {state}
            return Excluded(left) if left and left < rest else None
        case Likelihood(weights):
            remaining = tuple((s, weight) for s, weight in weights if s != state)
            return Likelihood(remaining) if any(weight > 0 for _, weight in remaining) else None


def _with_editable_states(project: Project, model_id: str) -> EditableStates:
    model = _known(project, model_id).model
    if not isinstance(model, EditableStates):
        raise GraphError(
            f"The states of {a_kind(model.kind)} cannot be edited; "
            "convert it to a Bayesian network."
        )
    return model


def _with_states(
    project: Project, model_id: str, variable: str, states: Mapping[str, str | None]
) -> Project:
    edited = _with_editable_states(project, model_id).with_states(variable, states)
    return _with_model(project, model_id, edited)


def _renamed_finding(finding: Finding, old: str, new: str) -> Finding:
    def renamed(state: str) -> str:
        return new if state == old else state

    match finding:
        case Observed(state):
            return Observed(renamed(state))
        case Done(state):
            return Done(renamed(state))
        case Excluded(states):
            return Excluded(frozenset(map(renamed, states)))
        case Likelihood(weights):
            return Likelihood(tuple((renamed(state), weight) for state, weight in weights))


def edit_language(project: Project, *, model_id: str, edit: str, **arguments: Any) -> Project:
    """An edit that a language's row names, such as `add_context` of labelled DAGs.

    The model's own language is asked first; notes on edges that are gone go with them.
    """
    entry = project.model_entry(model_id)
    change = language_edit(entry.model, edit)
    return edited_model(project, model_id=model_id, model=change(entry.model, **arguments))


def edit_from_rows(project: Project, *, model_id: str, edit: str, **arguments: Any) -> Project:
    """An edit of a language that takes the rows of the model, such as `fit_parameters`: those that
    it was learned from, or the first that fit."""
    rows = _rows(project, model_id)
    return edit_language(project, model_id=model_id, edit=edit, data=rows, **arguments)


def _rows(project: Project, model_id: str) -> DataSet:
    rows = rows_of_model(project, model_id)
    if rows is None:
        raise GraphError(no_rows_reason(project, model_id))
    return rows.data


def impute_from_model(project: Project, *, data_id: str, model_id: str, seed: int) -> Project:
    """Missing cells drawn from the model given the other cells of their row."""
    entry, data = project.model_entry(model_id), project.data_entry(data_id).data
    network = as_network(entry.model)
    if network is None:
        raise GraphError(f"Cells cannot be drawn from {a_kind(entry.model.kind)}.")
    filled = impute_by_model(network, data, np.random.default_rng(seed))
    return replace_data(project, data_id=data_id, data=filled)


def make_moves(
    project: Project, *, model_id: str, moves: Iterable[tuple[str, ...]], smoothing: float
) -> Project:
    """Moves of a structure search, such as `("add", "A", "B")`, with parameters from the rows of
    the model. A fourth entry is the context of an edge that the move is of."""
    model, rows = project.model_entry(model_id).model, _rows(project, model_id)
    analysis = edge_analysis(model.kind)
    graph = analysis.graph_of(model)
    search = analysis.search(rows, MoveParams(score=next(iter(analysis.move_scores))), graph)
    for action, source, target, *context in moves:
        name = named("move", action, {one: one for one in get_args(EdgeAction)})
        graph = search.moved(
            graph, MoveKey(name, source, target, analysis.is_directed, "".join(context))
        )
    fitted = analysis.fitted(model, graph, rows, smoothing)
    return replace_structure(project, model_id=model_id, model=fitted)


def convert_model(project: Project, *, model_id: str, kind: str) -> Project:
    """One more model: this one in another language, with its titles and notes."""
    return add_model(project, entry=converted_entry(project.model_entry(model_id), kind))


def converted_entry(entry: ModelEntry, kind: str, cancel: CancelToken = NEVER) -> ModelEntry:
    """A model in another language, with the outcome of the check of its distribution."""
    model: Model = converted(entry.model, kind)
    checked = same_distribution(entry.model, model, cancel)
    return ModelEntry(
        f"{entry.title} as {kind_noun(kind)}",
        model,
        data_id=entry.data_id,
        node_titles=dict(entry.node_titles),
        notes=entry.notes,
        provenance={
            "made by": f"converted from {entry.title}, {a_kind(entry.model.kind)}",
            CHECKED: checked.message(),
        },
    )


def edited_model(project: Project, *, model_id: str, model: Model) -> Project:
    """The model after an edit of its language; notes on edges that are gone go with them."""
    project = replace_model(project, model_id=model_id, model=model)
    entry = project.model_entry(model_id)
    if entry.edge_notes and has_edges(entry.model):
        edges = set(edges_of(entry.model))
        notes = {edge: text for edge, text in entry.edge_notes.items() if edge in edges}
        project = _changed(project, model_id, edge_notes=notes)
    return project


def set_table(project: Project, *, model_id: str, variable: str, table: Floats) -> Project:
    """Another table P(variable | parents), whose rows sum to 1."""
    model = project.model_entry(model_id).model
    if not isinstance(model, EditableTables):
        raise GraphError(
            f"{a_kind(model.kind, 'A')} has no tables to edit; convert it to a Bayesian network."
        )
    return _with_model(project, model_id, model.with_table(variable, table))


def show_best(project: Project, *, model_id: str, model: Model) -> Project:
    """A better model of the run that this one shows; it has not been edited."""
    return _changed(project, model_id, model=model)


# How a model is shown, and notes: the model itself stays as it is.


def move_nodes(
    project: Project, *, model_id: str, picture: str, points: Mapping[str, Point]
) -> Project:
    """New positions of some nodes in one diagram; the others stay where they are."""
    layouts = project.model_entry(model_id).layouts
    moved = {node: (float(x), float(y)) for node, (x, y) in points.items()}
    layouts = put(layouts, picture, {**layouts.get(picture, {}), **moved})
    return _changed(project, model_id, layouts=layouts)


def set_display_mode(
    project: Project, *, model_id: str, nodes: Iterable[str], mode: str | None
) -> Project:
    """How these nodes are drawn; None gives them back to the mode of the whole view."""
    modes = project.model_entry(model_id).display_modes
    nodes = tuple(nodes)
    modes = without(modes, *nodes) if mode is None else {**modes, **dict.fromkeys(nodes, mode)}
    return _changed(project, model_id, display_modes=modes)


def set_node_title(project: Project, *, model_id: str, node: str, title: str) -> Project:
    """What is written on a node instead of its name; an empty title gives the name back."""
    titles = project.model_entry(model_id).node_titles
    return _changed(project, model_id, node_titles=_with_text(titles, node, title))


def set_model_notes(project: Project, *, model_id: str, notes: str) -> Project:
    """The notes on the whole model, in Markdown."""
    return _changed(project, model_id, notes=notes)


def set_node_note(project: Project, *, model_id: str, node: str, note: str) -> Project:
    """What is noted about a node; an empty note is forgotten."""
    notes = project.model_entry(model_id).node_notes
    return _changed(project, model_id, node_notes=_with_text(notes, node, note))


def set_edge_note(
    project: Project, *, model_id: str, source: str, target: str, note: str
) -> Project:
    """What is noted about an edge; an empty note is forgotten."""
    notes = project.model_entry(model_id).edge_notes
    return _changed(project, model_id, edge_notes=_with_text(notes, (source, target), note))


def _with_text(texts: Mapping[F, str], key: F, text: str) -> dict[F, str]:
    return put(texts, key, text) if text else without(texts, key)


def _structure(project: Project, model_id: str) -> EditableStructure:
    model = _known(project, model_id).model
    if not isinstance(model, EditableStructure):
        raise GraphError(
            f"The edges of {a_kind(model.kind)} cannot be edited one by one; "
            "convert it to a Bayesian network first."
        )
    return model


def _renamable(project: Project, model_id: str) -> Renamable:
    model = _known(project, model_id).model
    if not isinstance(model, Renamable):
        raise GraphError(
            f"Names in {a_kind(model.kind)} cannot be edited; "
            "convert it to a Bayesian network first."
        )
    return model


def _known(project: Project, model_id: str) -> ModelEntry:
    if model_id in project.unknown.models:
        kind = project.unknown.models[model_id].kind
        raise GraphError(
            f"This model is {a_kind(kind)}, a language this version does not know; "
            "it is listed by its title and saved unchanged."
        )
    if model_id not in project.models:
        raise UnknownNameError("model", model_id, project.models)
    return project.models[model_id]


def _with_model(project: Project, model_id: str, model: Model, **changes: Any) -> Project:
    entry = _known(project, model_id)
    properties: Properties = changes.pop("properties", entry.properties)
    other = tuple(name for name in properties.tables if not _same_shape(entry.model, model, name))
    changes["properties"] = properties.without_tables(other) if other else properties
    return _changed(project, model_id, model=model, is_edited=True, **changes)


def _same_shape(before: Model, after: Model, name: str) -> bool:
    """Whether both have a table of this variable with the same parents and states."""
    if not (isinstance(before, EditableTables) and isinstance(after, EditableTables)):
        return False
    if len(before.domain) == len(after.domain):  # it may have been renamed
        index = after.domain.index(name)
        tables = before.table(before.domain.names[index]), after.table(name)
    elif name in before.domain and name in after.domain:
        tables = before.table(name), after.table(name)
    else:
        return False
    return tables[0].shape == tables[1].shape


def _changed(project: Project, model_id: str, **changes: Any) -> Project:
    entry = replace(_known(project, model_id), **changes)
    return replace(project, models=put(project.models, model_id, entry))


def _with_cases(
    project: Project,
    model_id: str,
    change: Callable[[Mapping[str, Finding]], Mapping[str, Finding]],
) -> Project:
    """The evidence cases of one model, changed; those of others are shared."""
    own = {name: c for name, c in project.evidence_cases.items() if c.model_id == model_id}
    if not own:
        return project
    changed = {name: EvidenceCase(change(case.evidence), model_id) for name, case in own.items()}
    return replace(project, evidence_cases={**project.evidence_cases, **changed})
