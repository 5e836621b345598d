"""The diagram of two structures: common, added, missing and reversed edges."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    PictureEdge,
    PictureNode,
    variable_nodes,
)
from pgmstudio.core.graphs.comparison import EdgeChange, GraphDifference, UndirectedDifference

STYLES = {
    EdgeChange.COMMON: EdgeStyle.DIRECTED,
    EdgeChange.ADDED: EdgeStyle.ADDED,
    EdgeChange.MISSING: EdgeStyle.MISSING,
    EdgeChange.REVERSED: EdgeStyle.REVERSED,
}


# Labels of the edges, so that colour is never the only cue.
SYMBOLS = {
    EdgeChange.COMMON: "",
    EdgeChange.ADDED: "+",
    EdgeChange.MISSING: "−",
    EdgeChange.REVERSED: "⇄",
}


def difference_picture(difference: GraphDifference) -> GraphPicture:
    """The nodes of both, the first graph's first; a reversed edge points as in the second."""
    names = (*difference.first.names, *difference.only_second)
    nodes = tuple(PictureNode(name, name, variable=name) for name in names)
    edges = tuple(
        PictureEdge(edge.source, edge.target, SYMBOLS[edge.change], STYLES[edge.change])
        for edge in difference.edges
    )
    return GraphPicture(nodes, edges)


def undirected_difference_picture(
    names: Sequence[str], difference: UndirectedDifference
) -> GraphPicture:
    """The nodes of both, those of the first first; edges have no direction."""
    nodes = variable_nodes((*names, *difference.only_second))
    changes = (
        (difference.common, EdgeChange.COMMON, EdgeStyle.UNDIRECTED),
        (difference.added, EdgeChange.ADDED, EdgeStyle.ADDED_LINE),
        (difference.missing, EdgeChange.MISSING, EdgeStyle.MISSING_LINE),
    )
    edges = tuple(
        PictureEdge(*edge, SYMBOLS[change], style)
        for pairs, change, style in changes
        for edge in pairs
    )
    return GraphPicture(nodes, edges)
