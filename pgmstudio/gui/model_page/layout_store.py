"""Positions of nodes in the diagrams of a page: saved in the project, computed, or unknown."""

from __future__ import annotations

from collections.abc import Mapping

from pgmstudio.core.drawing.diagram import GraphPicture, Point
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.layout_worker import Placed, follow_renames, placed_beside
from pgmstudio.gui.canvas.node_geometry import face_size
from pgmstudio.gui.canvas.node_view import NodeView


def sizes_of(picture: GraphPicture, faces: Mapping[str, NodeView]) -> dict[str, Point]:
    """The width and height of every node with its content."""
    return {node.id: face_size(node, faces[node.id]) for node in picture.nodes}


class KnownLocations:
    """The positions in the layouts of one model; those saved in the project go first."""

    def __init__(self) -> None:
        self._computed: dict[str, dict[str, Point]] = {}
        self._without_edges: set[str] = set()  # layouts computed for a graph without edges

    def positions(
        self, name: str, entry: ModelEntry, picture: GraphPicture, sizes: Mapping[str, Point]
    ) -> dict[str, Point] | None:
        """The position of every node, new ones next to the others; None if most have none.

        A run begins with a model without edges: its rows of nodes suit no graph, so the first
        model with several edges is laid out anew.
        """
        if name in self._without_edges and len(picture.edges) > 1:
            self._without_edges.discard(name)
            self._computed.pop(name, None)
        known = {**self._computed.get(name, {}), **entry.layouts.get(name, {})}
        here = {i: known[i] for i in picture.ids if i in known}
        if len(here) * 2 < len(picture.ids):
            return None
        if len(here) < len(picture.ids):
            here = placed_beside(picture, here, sizes)
            self._computed[name] = {**known, **here}
        return here

    def keep(self, placed: Placed) -> None:
        self._computed[placed.picture_name] = dict(placed.positions)
        if placed.picture.edges:
            self._without_edges.discard(placed.picture_name)
        else:
            self._without_edges.add(placed.picture_name)

    def follow(self, before: Model, after: Model) -> None:
        """Variables were renamed; their positions stay."""
        follow_renames(self._computed, before.domain.names, after.domain.names)
