"""Edits of a probabilistic decision graph: operations on nodes, moves in its forest, parameters."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.pdg.candidate_operations import CandidateOperation
from pgmstudio.core.languages.pdg.measures import SMOOTHING, fitted_where_changed, refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.operators import moved, with_parameters
from pgmstudio.core.model import Model


def take_step(
    model: Model, *, step: CandidateOperation, data: DataSet | None = None
) -> DecisionGraph:
    """Merge, split or redirect; with rows, the nodes that other rows reach are fitted to them."""
    before = _graph(model)
    after = step.done(before)
    return after if data is None else fitted_where_changed(before, after, data)


def move_variable(
    model: Model, *, variable: str, above: str | None, data: DataSet | None = None
) -> DecisionGraph:
    """Move a variable and all below it under another variable, or make it a root."""
    result = moved(_graph(model), variable, above, data)
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
