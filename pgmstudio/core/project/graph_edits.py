"""Edits of a decision graph in a project: steps on its nodes, moves in its forest, parameters."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.core.models.decision_graph_choices import Step
from pgmstudio.core.models.decision_graph_edits import moved, with_parameters
from pgmstudio.core.models.decision_graph_measures import (
    SMOOTHING,
    fitted_where_changed,
    refitted,
)
from pgmstudio.core.project.edits import replace_model
from pgmstudio.core.project.project import Project


def take_step(
    project: Project, *, model_id: str, step: Step, data: DataSet | None = None
) -> Project:
    """Merge, split or redirect; with rows, the nodes that get other rows are fitted to them."""
    before = _graph(project, model_id)
    after = step.done(before)
    if data is not None:
        after = fitted_where_changed(before, after, data)
    return replace_model(project, model_id=model_id, model=after)


def move_variable(
    project: Project,
    *,
    model_id: str,
    variable: str,
    above: str | None,
    data: DataSet | None = None,
) -> Project:
    """The variable, with all below it, below another or as a root."""
    found = moved(_graph(project, model_id), variable, above, data)
    graph = found.graph
    if data is not None and not found.is_exact:
        graph = refitted(graph, data, SMOOTHING)  # as other edits: what was not seen stays possible
    return replace_model(project, model_id=model_id, model=graph)


def set_node(
    project: Project, *, model_id: str, variable: str, node: int, numbers: Sequence[float]
) -> Project:
    """Another distribution in one node."""
    graph = with_parameters(_graph(project, model_id), variable, node, numbers)
    return replace_model(project, model_id=model_id, model=graph)


def _graph(project: Project, model_id: str) -> DecisionGraph:
    model = project.model_entry(model_id).model
    if not isinstance(model, DecisionGraph):
        raise GraphError(
            "Nodes are edited in probabilistic decision graphs; this is another model."
        )
    return model
