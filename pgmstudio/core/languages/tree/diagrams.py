"""The diagram of a tree without directions."""

from __future__ import annotations

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    edges_of,
    variable_nodes,
)
from pgmstudio.core.languages.tree.model import Tree


def tree_picture(model: Tree) -> GraphPicture:
    """Undirected edges: the distribution of a tree does not depend on their directions."""
    return GraphPicture(
        variable_nodes(model.domain.names), edges_of(model.edges, EdgeStyle.UNDIRECTED)
    )
