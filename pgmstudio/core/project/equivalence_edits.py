"""Edits that change a model's graph and leave its distribution as it is."""

from __future__ import annotations

from dataclasses import replace

from pgmstudio.core.errors import GraphError
from pgmstudio.core.models.arc_reversal import with_edge_turned
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.models.kinds import a_kind
from pgmstudio.core.project.edits import put
from pgmstudio.core.project.project import Project


def turn_edge(project: Project, *, model_id: str, source: str, target: str) -> Project:
    """The edge the other way round, tables and inherited parents such that P stays the same."""
    network = _network(project, model_id)
    return same_distribution(
        project, model_id=model_id, model=with_edge_turned(network, source, target)
    )


def same_distribution(project: Project, *, model_id: str, model: BayesianNetwork) -> Project:
    """Another graph for the same distribution; notes on edges go with edges that turned."""
    entry = project.model_entry(model_id)
    _network(project, model_id)
    notes = {
        (edge[1], edge[0]) if model.dag.has_edge(edge[1], edge[0]) else edge: text
        for edge, text in entry.edge_notes.items()
    }
    entry = replace(entry, model=model, is_edited=True, edge_notes=notes)
    return replace(project, models=put(project.models, model_id, entry))


def _network(project: Project, model_id: str) -> BayesianNetwork:
    model = project.model_entry(model_id).model
    if not isinstance(model, BayesianNetwork):
        raise GraphError(
            f"The edges of {a_kind(model.kind)} cannot be turned; convert it to a Bayesian network."
        )
    return model
