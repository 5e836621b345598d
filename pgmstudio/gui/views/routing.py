"""Ways for edges: at once where they are few, beside the window where they are many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.pictures.picture import Point
from pgmstudio.core.pictures.routes import EdgeRoute
from pgmstudio.gui.views.edge_item import EdgeItem
from pgmstudio.gui.views.node_item import NodeItem
from pgmstudio.gui.views.route_task import Routing
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
            task = Routing(scene.picture, scene.positions, scene.sizes)
            self.routed.emit(task.routes(edges))
        else:
            self.routed.emit({item.ends: self._straight(scene, item) for item in items})

    def route_all(self, scene: GraphScene) -> None:
        """Every edge: first straight, then, when there are many, with bends as they are found."""
        task = Routing(scene.picture, scene.positions, scene.sizes)
        if len(scene.edges) <= MOST_AT_ONCE:
            self._asker.forget()
            self.routed.emit(task.routes())
            return
        # Edges whose ends stayed keep their old way meanwhile.
        moved = [item for item in scene.edges.values() if not scene.is_routed(item)]
        self.routed.emit({item.ends: self._straight(scene, item) for item in moved})
        self._asker.ask(task.answer)

    @staticmethod
    def _straight(scene: GraphScene, item: EdgeItem) -> EdgeRoute:
        return straight_route(scene.nodes[item.edge.source], scene.nodes[item.edge.target])

    def stop(self) -> None:
        self._asker.forget()


def straight_route(source: NodeItem, target: NodeItem) -> EdgeRoute:
    """From outline to outline, whatever lies between."""
    return EdgeRoute(_leaving(source, target.centre), _leaving(target, source.centre))


def _leaving(item: NodeItem, toward: Point) -> Point:
    (x, y), (width, height) = item.centre, item.size
    dx, dy = toward[0] - x, toward[1] - y
    reach = max(abs(dx) / (width / 2), abs(dy) / (height / 2), 1.0)
    return x + dx / reach, y + dy / reach
