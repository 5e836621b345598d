"""The diagram of a relational network: its graph."""

from __future__ import annotations

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, edges_of, variable_nodes
from pgmstudio.core.languages.relational_network.model import RelationalNetwork


def graph_picture(model: RelationalNetwork) -> GraphPicture:
    return GraphPicture(
        variable_nodes(model.domain.names), edges_of(model.undirected_edges, EdgeStyle.UNDIRECTED)
    )
