"""The directed graph of a model, where it has one."""

from __future__ import annotations

from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import DirectedModel, HasDag, Model


def dag_of(model: Model) -> Dag:
    """Variables and directed edges; GraphError for a language without them."""
    if isinstance(model, HasDag):
        return model.dag
    if not isinstance(model, DirectedModel):
        raise GraphError(f"{a_kind(model.kind, 'A')} has no directed edges to look at.")
    return Dag.from_edges(model.domain.names, model.edges)
