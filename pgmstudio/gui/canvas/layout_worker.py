"""Layouts of graphs, computed in the background; new nodes are placed near their neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.drawing.diagram import GraphPicture, Point, Size
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute, edge_route
from pgmstudio.core.drawing.layout.fitted import CANVAS
from pgmstudio.core.drawing.layout.placement import Frame, Placement, place
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.gui.jobs.latest_task import LatestTask

METHODS = {
    "fit": "Best fit",
    "layered": "Layered",
    "force": "Force",
    "tree": "Tree",
    "circle": "Circle",
    "star": "Star",
}
METHOD_TIPS = {
    "fit": "Of several layouts the one whose names are largest when everything is shown.",
    "layered": "Arrows point down, with few crossings.",
    "force": "Force-directed: connected nodes are near each other.",
    "tree": "A tidy tree; other graphs by a spanning tree.",
    "circle": "All nodes on one circle.",
    "star": "The best connected node in the middle.",
}
# From this many nodes on, a layout takes long enough to be worth starting a process.
PROCESS_FROM = 150
LOW_BOX, CLOSER, WIDER = 40.0, 2.0, 0.6


@dataclass(frozen=True)
class Placed:
    """A finished layout of a picture."""

    picture_name: str
    picture: GraphPicture
    method: str
    sizes: Mapping[str, Size]
    positions: dict[str, Point]
    routes: tuple[EdgeRoute, ...]  # empty when they are routed later


@dataclass(frozen=True)
class LayoutQuestion:
    """A layout task; without a method, the one that suits the picture."""

    picture_name: str
    picture: GraphPicture
    sizes: Mapping[str, Size]
    method: str | None = None
    canvas: Size = CANVAS

    def answer(self, cancel: CancelToken) -> Placed:
        picture, sizes = self.picture, self.sizes
        method = self.method or picture.method
        positions = self._positions(method, cancel)
        is_large = len(picture.nodes) >= PROCESS_FROM
        cancel.raise_if_cancelled()
        # Many edges are shown straight first; bends around boxes follow.
        routes = () if is_large else edge_route(picture, positions, sizes)
        return Placed(self.picture_name, picture, method, sizes, positions, routes)

    def _positions(self, method: str, cancel: CancelToken) -> dict[str, Point]:
        """Gaps are made for boxes with bars; low boxes are laid out larger and shrunk together."""
        heights = sorted(height for _, height in self.sizes.values())
        is_low = bool(heights) and heights[len(heights) // 2] < LOW_BOX
        has_labels = any(edge.label for edge in self.picture.edges)  # labels need space
        closer = CLOSER if is_low and not has_labels and method != "fit" else 1.0
        if self.picture.method == "force" and any(e.strands for e in self.picture.edges):
            closer = WIDER  # parallel lines need space between them
        sizes = {i: (w * closer, h * closer) for i, (w, h) in self.sizes.items()}
        placement = Placement(self.picture, {}, method, sizes, Frame(canvas=self.canvas))
        result = _placed(placement, cancel)
        return {i: (round(x / closer), round(y / closer)) for i, (x, y) in result.items()}


def _placed(placement: Placement, cancel: CancelToken) -> dict[str, Point]:
    if len(placement.picture.nodes) < PROCESS_FROM:
        return next(placement(cancel))
    # Graphviz holds the interpreter lock while it works, and the window would freeze.
    for positions in in_process(placement, cancel):
        return positions
    raise PgmStudioError("The layout failed without a result. Choose another layout.")


def placed_beside(
    picture: GraphPicture, known: Mapping[str, Point], sizes: Mapping[str, Size]
) -> dict[str, Point]:
    """Positions in which known nodes stay and new ones are near their neighbours."""
    return place(picture, known, sizes=sizes)


def follow_renames(
    known: Mapping[str, dict[str, Point]], before: Sequence[str], after: Sequence[str]
) -> None:
    """Keep the positions of renamed nodes in each picture."""
    if len(before) != len(after):
        return
    names = {a: b for a, b in zip(before, after, strict=True) if a != b}
    for positions in known.values():
        for was, now in names.items():
            if was in positions and was not in after:
                positions[now] = positions.pop(was)


class LayoutMaker(QObject):
    """Computes layouts; `placed` emits the layout of the newest task."""

    placed = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._latest_task = LatestTask(self, self.placed, self.failed)

    @property
    def is_busy(self) -> bool:
        return self._latest_task.is_waiting

    def ask(self, question: LayoutQuestion) -> None:
        self._latest_task.ask(partial(LayoutQuestion.answer, question))

    def stop(self) -> None:
        self._latest_task.forget()
