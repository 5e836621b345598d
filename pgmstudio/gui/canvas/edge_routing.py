"""Finding the ways of all edges as a task; nothing of the window, so a child process can run it.

Ways for edges: at once where they are few, beside the window where they are many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.drawing.diagram import GraphPicture, PictureEdge, Point, Size
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute, edge_route
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.gui.canvas.edge_item import EdgeItem
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.jobs.latest_task import LatestTask

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.scene import CanvasScene


Edge = tuple[str, str]
# From here on it takes so long that a thread would be felt in the window.
PROCESS_FROM = 500


@dataclass(frozen=True, slots=True)
class Routing:
    """The ways of all edges of a picture, as a task that a child process can run too."""

    picture: GraphPicture
    positions: dict[str, Point]
    sizes: dict[str, Size]

    def routes(self, edges: Sequence[PictureEdge] | None = None) -> dict[Edge, EdgeRoute]:
        """By their ends; of all edges or of the given."""
        chosen = self.picture.edges if edges is None else edges
        result = edge_route(self.picture, self.positions, self.sizes, chosen)
        return {(e.source, e.target): route for e, route in zip(chosen, result, strict=True)}

    def __call__(self, cancel: CancelToken, /) -> Iterator[dict[Edge, EdgeRoute]]:
        cancel.raise_if_cancelled()
        yield self.routes()

    def answer(self, cancel: CancelToken) -> dict[Edge, EdgeRoute]:
        """For a worker; where it takes seconds, a process keeps the window quick meanwhile."""
        if len(self.picture.edges) < PROCESS_FROM:
            return self.routes()
        return next(in_process(self, cancel))


# Looking for bends costs up to a millisecond an edge.
MAX_AT_ONCE = 16


class RouteMaker(QObject):
    """`routed` brings the ways of edges by their ends."""

    routed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self.routed)

    def route_some(self, scene: CanvasScene, items: Sequence[EdgeItem]) -> None:
        """Edges at a node that is being moved: with bends when they are few."""
        self._latest_task.forget()
        if len(items) <= MAX_AT_ONCE:
            edges = [item.edge for item in items]
            task = Routing(scene.picture, scene.positions, scene.sizes)
            self.routed.emit(task.routes(edges))
        else:
            self.routed.emit({item.ends: self._straight(scene, item) for item in items})

    def route_all(self, scene: CanvasScene) -> None:
        """Every edge: first straight, then, when there are many, with bends as they are found."""
        task = Routing(scene.picture, scene.positions, scene.sizes)
        if len(scene.edges) <= MAX_AT_ONCE:
            self._latest_task.forget()
            self.routed.emit(task.routes())
            return
        # Edges whose ends stayed keep their old way meanwhile.
        moved = [item for item in scene.edges.values() if not scene.is_routed(item)]
        self.routed.emit({item.ends: self._straight(scene, item) for item in moved})
        self._latest_task.ask(task.answer)

    @staticmethod
    def _straight(scene: CanvasScene, item: EdgeItem) -> EdgeRoute:
        return straight_route(scene.nodes[item.edge.source], scene.nodes[item.edge.target])

    def stop(self) -> None:
        self._latest_task.forget()


def straight_route(source: NodeItem, target: NodeItem) -> EdgeRoute:
    """From outline to outline, whatever lies between."""
    return EdgeRoute(_leaving(source, target.centre), _leaving(target, source.centre))


def _leaving(item: NodeItem, toward: Point) -> Point:
    (x, y), (width, height) = item.centre, item.size
    dx, dy = toward[0] - x, toward[1] - y
    reach = max(abs(dx) / (width / 2), abs(dy) / (height / 2), 1.0)
    return x + dx / reach, y + dy / reach
