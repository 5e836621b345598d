"""The diagram of two structures: common, added, missing and reversed edges."""

from __future__ import annotations

from collections.abc import Collection

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, PictureEdge, variable_nodes
from pgmstudio.core.graphs.comparison import EdgeChange, EdgeDifferences, UndirectedDifference

STYLES = {
    EdgeChange.COMMON: EdgeStyle.COMMON,
    EdgeChange.ADDED: EdgeStyle.ADDED,
    EdgeChange.MISSING: EdgeStyle.MISSING,
    EdgeChange.REVERSED: EdgeStyle.REVERSED,
}
UNDIRECTED_STYLES = {
    EdgeChange.COMMON: EdgeStyle.COMMON_LINE,
    EdgeChange.ADDED: EdgeStyle.ADDED_LINE,
    EdgeChange.MISSING: EdgeStyle.MISSING_LINE,
}

# Labels of the edges, so that colour is never the only cue.
SYMBOLS = {
    EdgeChange.COMMON: "",
    EdgeChange.ADDED: "+",
    EdgeChange.MISSING: "−",
    EdgeChange.REVERSED: "⇄",
}
OTHER_CONTEXTS = "≠"  # on an edge of both that vanishes in other contexts


def difference_picture(
    difference: EdgeDifferences, other_contexts: Collection[tuple[str, str]] = ()
) -> GraphPicture:
    """The nodes of both, the first graph's first; a reversed edge points as in the second."""
    has_directions = not isinstance(difference, UndirectedDifference)
    styles = STYLES if has_directions else UNDIRECTED_STYLES
    edges = tuple(
        PictureEdge(
            *edge.edge,
            OTHER_CONTEXTS if edge.edge in other_contexts else SYMBOLS[edge.change],
            styles[edge.change],
        )
        for edge in difference.edges
    )
    return GraphPicture(variable_nodes((*difference.names, *difference.only_second)), edges)
