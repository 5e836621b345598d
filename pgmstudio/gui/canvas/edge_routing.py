"""Routes of the edges of a scene: computed at once for few edges, in the background for many."""

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
# From this many edges on, a thread would make the window slow, so a process is used.
PROCESS_FROM = 500


@dataclass(frozen=True, slots=True)
class Routing:
    """The routing of all edges of a picture, as a task that a child process can run too."""

    picture: GraphPicture
    positions: dict[str, Point]
    sizes: dict[str, Size]

    def routes(self, edges: Sequence[PictureEdge] | None = None) -> dict[Edge, EdgeRoute]:
        """Routes by the ends of the edges; of all edges or of the given ones."""
        chosen = self.picture.edges if edges is None else edges
        result = edge_route(self.picture, self.positions, self.sizes, chosen)
        return {(e.source, e.target): route for e, route in zip(chosen, result, strict=True)}

    def __call__(self, cancel: CancelToken, /) -> Iterator[dict[Edge, EdgeRoute]]:
        cancel.raise_if_cancelled()
        yield self.routes()

    def answer(self, cancel: CancelToken) -> dict[Edge, EdgeRoute]:
        """Run in a worker thread; many edges are routed in a process so that the window stays
        quick."""
        if len(self.picture.edges) < PROCESS_FROM:
            return self.routes()
        return next(in_process(self, cancel))


# Looking for bends costs up to a millisecond an edge.
MAX_AT_ONCE = 16


class RouteMaker(QObject):
    """Routes edges; `routed` emits the routes by the ends of the edges."""

    routed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self.routed)

    def route_some(self, scene: CanvasScene, items: Sequence[EdgeItem]) -> None:
        """Route the edges at a moving node, with bends if they are few."""
        self._latest_task.forget()
        if len(items) <= MAX_AT_ONCE:
            edges = [item.edge for item in items]
            task = Routing(scene.picture, scene.positions, scene.sizes)
            self.routed.emit(task.routes(edges))
        else:
            self.routed.emit({item.ends: self._straight(scene, item) for item in items})

    def route_all(self, scene: CanvasScene) -> None:
        """Route every edge; if there are many, first straight, then with bends from a worker."""
        task = Routing(scene.picture, scene.positions, scene.sizes)
        if len(scene.edges) <= MAX_AT_ONCE:
            self._latest_task.forget()
            self.routed.emit(task.routes())
            return
        # Edges whose ends stayed keep their old route meanwhile.
        moved = [item for item in scene.edges.values() if not scene.is_routed(item)]
        self.routed.emit({item.ends: self._straight(scene, item) for item in moved})
        self._latest_task.ask(task.answer)

    @staticmethod
    def _straight(scene: CanvasScene, item: EdgeItem) -> EdgeRoute:
        return straight_route(scene.nodes[item.edge.source], scene.nodes[item.edge.target])

    def stop(self) -> None:
        self._latest_task.forget()


def straight_route(source: NodeItem, target: NodeItem) -> EdgeRoute:
    """A straight route from outline to outline, also across other nodes."""
    return EdgeRoute(_leaving(source, target.centre), _leaving(target, source.centre))


def _leaving(item: NodeItem, toward: Point) -> Point:
    (x, y), (width, height) = item.centre, item.size
    dx, dy = toward[0] - x, toward[1] - y
    reach = max(abs(dx) / (width / 2), abs(dy) / (height / 2), 1.0)
    return x + dx / reach, y + dy / reach
