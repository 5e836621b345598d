"""Nodes of a decision graph: the selected one, their flows and rows, and steps on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from pgmstudio.core.analysis.belief_query import become
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import Finding, InferenceSession
from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    ScoreWeight,
    whole_rows,
)
from pgmstudio.core.languages.pdg.diagrams import node_name, operation_edit, operation_text
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.session import DecisionGraphSession, NodeFlows
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.project.model_state import ByModel
from pgmstudio.gui.runs.recorded_run import LAMBDA

NodeKey = tuple[str, int]  # a variable and the number of its node, from 0
_MAX_SEEN = 200  # graphs, as many as anybody takes back
_LEAST = 1e-6  # so that what never happens leads somewhere too


class NodeSelection(QObject):
    """The selected nodes of all models; `changed` emits the model whose selection changed.

    Numbers of nodes change with the graph: the node is remembered, whatever its number.
    """

    changed = Signal(str)

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        # The chosen node in every graph since it was chosen: taken back, a step gives it back.
        self._chosen: ByModel[list[tuple[DecisionGraph, NodeKey | None]]] = ByModel(app.document)

    def chosen(self, model_id: str) -> NodeKey | None:
        """The chosen node, when the graph still has it."""
        graph, seen = self._graph(model_id), self._chosen.get(model_id)
        if graph is None or not seen:
            return None
        for known, key in reversed(seen):
            if known is graph:
                return key
        before, last = seen[-1]
        key = None if last is None else same_node(before, graph, last)
        seen.append((graph, key))
        del seen[:-_MAX_SEEN]
        return key

    def _graph(self, model_id: str) -> DecisionGraph | None:
        entry = self._app.project.models.get(model_id)
        graph = None if entry is None else entry.model
        return graph if isinstance(graph, DecisionGraph) else None

    def choose(self, model_id: str, key: NodeKey | None) -> None:
        if key == self.chosen(model_id):
            return
        graph = self._graph(model_id)
        self._chosen[model_id] = [] if graph is None else [(graph, key)]
        self.changed.emit(model_id)


def same_node(before: DecisionGraph, after: DecisionGraph, key: NodeKey) -> NodeKey | None:
    """The node of a later graph that most of the cases come to which came to this one.

    None where other variables lead to it: then no node is the same.
    """
    name, node = key
    if after.domain is not before.domain and after.domain != before.domain:
        return None
    i = before.domain.index(name)
    line = _line(before, i)
    if line != _line(after, i) or node >= before.node_counts[i]:
        return None
    # Pairs of nodes that the same cases come to, with how many; all start at the root.
    old, new = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    mass = np.ones(1)
    for upper, lower in pairwise(line):
        theirs, ours = before.successors[lower], after.successors[lower]
        assert theirs is not None
        assert ours is not None
        mass = (mass[:, None] * (before.parameters[upper][old] + _LEAST)).ravel()
        codes = (theirs[old] * after.node_counts[lower] + ours[new]).ravel()
        pairs, positions = np.unique(codes, return_inverse=True)
        mass = np.bincount(positions.ravel(), mass).astype(np.float64)
        old, new = np.divmod(pairs, after.node_counts[lower])
    mine = np.flatnonzero(old == node)
    return (name, int(new[mine[mass[mine].argmax()]])) if mine.size else None


def _line(graph: DecisionGraph, i: int) -> list[int]:
    """From the root down to the variable."""
    line = [i]
    while (above := graph.forest[line[-1]]) is not None:
        line.append(above)
    return line[::-1]


def graph_nodes(app: AppContext) -> NodeSelection:
    """The `NodeSelection` of a window, made on first use."""
    return app.service(NodeSelection)


# Flows of larger graphs are computed in the background.
MAX_AT_ONCE = 20_000


def ask_flows(live: BeliefService, topic: str, on_answer: Callable[[NodeFlows], None]) -> None:
    """Compute the flows at once where beliefs are computed so, else in the background.

    Nothing comes while the beliefs are stale: they will change, and be asked about again.
    """
    graph = live.model
    if not isinstance(graph, DecisionGraph) or live.is_stale or live.error is not None:
        return
    session = live.session
    if isinstance(session, DecisionGraphSession) and sum(graph.node_counts) <= MAX_AT_ONCE:
        on_answer(session.node_flows())
        return
    live.side.ask(topic, partial(_flows, dict(live.evidence)), partial(_deliver, on_answer))


def _deliver(on_answer: Callable[[NodeFlows], None], flows: NodeFlows | None) -> None:
    if flows is not None:
        on_answer(flows)


def _flows(
    evidence: dict[str, Finding], session: InferenceSession, cancel: CancelToken
) -> NodeFlows | None:
    if not isinstance(session, DecisionGraphSession):
        return None
    try:
        become(session, evidence)
    except PgmStudioError:
        return None  # impossible evidence; the beliefs report it
    cancel.raise_if_cancelled()
    return session.node_flows()


# A run writes the λ of the model it chose under this name.


def rows_of(project: Project, entry: ModelEntry) -> DataSet | None:
    """The whole rows of the data the model was learned from; None when there are none that fit."""
    data = project.data.get(entry.data_id or "")
    if data is None or not isinstance(entry.model, DecisionGraph):
        return None
    try:
        rows = whole_rows(entry.model, data.data)
    except PgmStudioError:
        return None
    return rows if rows.row_count else None


def _data_of(project: Project, entry: ModelEntry) -> DataSet | None:
    """The data set of `rows_of`; edits take its whole rows."""
    return None if rows_of(project, entry) is None else project.data[entry.data_id or ""].data


def weight_of(project: Project, entry: ModelEntry, rows: DataSet | None) -> ScoreWeight:
    """By the λ of the run that made the model, else as BIC weighs."""
    run = project.runs.get(entry.run_id or "")
    result = None if run is None else run.measures.get(LAMBDA)
    if result is None:
        stored = entry.provenance.get(LAMBDA)
        result = float(stored) if isinstance(stored, int | float) else None
    return ScoreWeight(1.0 if rows is None else rows.total_weight, result)


def take(app: AppContext, model_id: str, step: CandidateOperation) -> bool:
    """Make one undoable step; a refusal is reported as an error."""
    entry = app.project.models[model_id]
    if not isinstance(entry.model, DecisionGraph):
        return False
    arguments: dict[str, Any] = operation_edit(entry.model, step)
    data = _data_of(app.project, entry)
    edit = partial(edit_language, model_id=model_id, **arguments, data=data)
    return app.change(operation_text(entry.model, step), edit)


def move(app: AppContext, model_id: str, variable: str, above: str | None) -> bool:
    """The variable below another, or as a root."""
    data = _data_of(app.project, app.project.models[model_id])
    position = "to the top" if above is None else f"below {above}"
    edit = partial(
        edit_language,
        edit="move_variable",
        model_id=model_id,
        variable=variable,
        above=above,
        data=data,
    )
    return app.change(f"Move {variable} {position}", edit)


def set_numbers(
    app: AppContext, model_id: str, variable: str, node: int, numbers: tuple[float, ...]
) -> bool:
    """Another distribution in a node."""
    graph = app.project.models[model_id].model
    if not isinstance(graph, DecisionGraph):
        return False
    name = node_name(graph, variable, node)
    edit = partial(
        edit_language,
        edit="set_node",
        model_id=model_id,
        variable=variable,
        node=node,
        numbers=numbers,
    )
    return app.change(f"Distribution of {name}", edit)
