"""Diagrams of a tree: undirected, and directed away from its roots."""

from __future__ import annotations

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    edges_of,
    variable_nodes,
)
from pgmstudio.core.languages.bayesian_network.diagrams import dag_picture
from pgmstudio.core.languages.tree.model import Tree


def tree_picture(model: Tree) -> GraphPicture:
    """Undirected edges: the distribution of a tree does not depend on their directions."""
    return GraphPicture(
        variable_nodes(model.domain.names), edges_of(model.edges, EdgeStyle.UNDIRECTED)
    )


def directed_tree_picture(model: Tree) -> GraphPicture:
    """The tree as it is stored, arrows leading away from its roots."""
    return dag_picture(model.as_bayesian_network)
