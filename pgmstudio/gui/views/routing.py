"""Ways for edges: at once where they are few, beside the window where they are many."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.pictures.picture import GraphPicture, PictureEdge, Point, Size
from pgmstudio.core.pictures.routes import EdgeRoute, edge_route
from pgmstudio.core.running import CancelToken
from pgmstudio.gui.views.edge_item import EdgeItem
from pgmstudio.gui.views.node_item import NodeItem
from pgmstudio.gui.workers.questions import Asker

if TYPE_CHECKING:
    from pgmstudio.gui.views.graph_scene import GraphScene

# Looking for bends costs up to a millisecond an edge.
MOST_AT_ONCE = 16


class RouteMaker(QObject):
    """`routed` brings the ways of edges by their ends."""

    routed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asker = Asker(self)
        self._asker.answered.connect(self.routed)

    def route_some(self, scene: GraphScene, items: Sequence[EdgeItem]) -> None:
        """Edges at a node that is being moved: with bends when they are few."""
        self._asker.forget()
        if len(items) <= MOST_AT_ONCE:
            edges = [item.edge for item in items]
            self.routed.emit(routes_of(scene.picture, scene.positions, scene.sizes, edges))
        else:
            self.routed.emit({item.ends: self._straight(scene, item) for item in items})

    def route_all(self, scene: GraphScene) -> None:
        """Every edge: first straight, then, when there are many, with bends as they are found."""
        question = partial(
            _routes, scene.picture, scene.positions, scene.sizes, tuple(scene.picture.edges)
        )
        if len(scene.edges) <= MOST_AT_ONCE:
            self._asker.forget()
            self.routed.emit(question(None))
            return
        self.routed.emit({e: self._straight(scene, item) for e, item in scene.edges.items()})
        self._asker.ask(question)

    @staticmethod
    def _straight(scene: GraphScene, item: EdgeItem) -> EdgeRoute:
        return straight_route(scene.nodes[item.edge.source], scene.nodes[item.edge.target])

    def stop(self) -> None:
        self._asker.forget()


def _routes(
    picture: GraphPicture,
    positions: dict[str, Point],
    sizes: dict[str, Size],
    edges: Sequence[PictureEdge],
    _cancel: CancelToken | None,
) -> dict[tuple[str, str], EdgeRoute]:
    return routes_of(picture, positions, sizes, edges)


def routes_of(
    picture: GraphPicture,
    positions: dict[str, Point],
    sizes: dict[str, Size],
    edges: Sequence[PictureEdge],
) -> dict[tuple[str, str], EdgeRoute]:
    found = edge_route(picture, positions, sizes, edges)
    return {(e.source, e.target): route for e, route in zip(edges, found, strict=True)}


def straight_route(source: NodeItem, target: NodeItem) -> EdgeRoute:
    """From outline to outline, whatever lies between."""
    return EdgeRoute(_leaving(source, target.centre), _leaving(target, source.centre))


def _leaving(item: NodeItem, toward: Point) -> Point:
    (x, y), (width, height) = item.centre, item.size
    dx, dy = toward[0] - x, toward[1] - y
    reach = max(abs(dx) / (width / 2), abs(dy) / (height / 2), 1.0)
    return x + dx / reach, y + dy / reach
