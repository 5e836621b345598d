"""Edits of a probabilistic decision graph: operations on nodes, moves in its forest, parameters."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    Operation,
    whole_rows,
)
from pgmstudio.core.languages.pdg.diagrams import node_named
from pgmstudio.core.languages.pdg.measures import SMOOTHING, fitted_where_changed, refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.operators import moved, with_parameters
from pgmstudio.core.model import Model

# Nodes have the names of the drawing, such as ν7. With rows, the nodes that other rows reach are
# fitted to those of them that have no missing cell.


def merge_nodes(
    model: Model, *, node: str, other: str, data: DataSet | None = None
) -> DecisionGraph:
    """Make two nodes of a variable one."""
    graph = _graph(model)
    variable, one = node_named(graph, node)
    its_variable, two = node_named(graph, other)
    if variable != its_variable:
        raise GraphError(f"{node} and {other} are nodes of different variables.")
    return _after(graph, CandidateOperation(Operation.MERGE, variable, one, two), data)


def split_node(model: Model, *, node: str, data: DataSet | None = None) -> DecisionGraph:
    """Give each arc into a node a copy of it."""
    graph = _graph(model)
    return _after(graph, CandidateOperation(Operation.SPLIT, *node_named(graph, node)), data)


def redirect_arc(
    model: Model, *, source: str, state: str, target: str, data: DataSet | None = None
) -> DecisionGraph:
    """Lead the arc of a state to another node of the same variable."""
    graph = _graph(model)
    upper_variable, upper = node_named(graph, source)
    variable, node = node_named(graph, target)
    if graph.forest[graph.domain.index(variable)] != graph.domain.index(upper_variable):
        raise GraphError(f"No arc leads from nodes of {upper_variable} to nodes of {variable}.")
    code = graph.domain[upper_variable].code(state)
    step = CandidateOperation(Operation.REDIRECT, variable, node, upper=upper, state=code)
    return _after(graph, step, data)


def _after(before: DecisionGraph, step: CandidateOperation, data: DataSet | None) -> DecisionGraph:
    after = step.done(before)
    if data is None:
        return after
    return fitted_where_changed(before, after, whole_rows(before, data))


def move_variable(
    model: Model, *, variable: str, above: str | None, data: DataSet | None = None
) -> DecisionGraph:
    """Move a variable and all below it under another variable, or make it a root."""
    graph = _graph(model)
    data = None if data is None else whole_rows(graph, data)
    result = moved(graph, variable, above, data)
    if data is None or result.is_exact:
        return result.graph
    return refitted(result.graph, data, SMOOTHING)  # unseen states stay possible, as in other edits


def set_node(model: Model, *, variable: str, node: int, numbers: Sequence[float]) -> DecisionGraph:
    """Replace the distribution of one node."""
    return with_parameters(_graph(model), variable, node, numbers)


def _graph(model: Model) -> DecisionGraph:
    if not isinstance(model, DecisionGraph):
        raise GraphError(
            "Nodes are edited in probabilistic decision graphs; this is another model."
        )
    return model
