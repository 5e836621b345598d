"""The base class of layers drawn over a graph, and the routes they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QGraphicsItem

from pgmstudio.core.drawing.diagram import PictureEdge
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute, edge_route
from pgmstudio.gui.canvas.scene import CanvasScene


@dataclass(frozen=True, slots=True)
class LayerPen:
    """The line style of one kind of edge in a layer: never its colour alone."""

    color: str
    dash: tuple[float, ...]
    icon: str
    meaning: str
    width: float = 2.0


class SceneLayer(QGraphicsItem):
    """A scene item at a z value over the graph that ignores the mouse."""

    def __init__(self, scene: CanvasScene, height: float) -> None:
        super().__init__()
        self._scene = scene
        self._bounds = QRectF()
        self.setZValue(height)
        self.setAcceptedMouseButtons(self.acceptedMouseButtons().NoButton)
        scene.addItem(self)

    @property
    def has_bounds(self) -> bool:
        return not self._bounds.isEmpty()

    def cover(self, bounds: QRectF) -> None:
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds

    def boundingRect(self) -> QRectF:
        return self._bounds


def routes_of(scene: CanvasScene, edges: Sequence[PictureEdge]) -> list[EdgeRoute]:
    """Routes between nodes of the scene, whether the picture has these edges or not."""
    positions = {name: item.centre for name, item in scene.nodes.items()}
    sizes = {name: item.size for name, item in scene.nodes.items()}
    return list(edge_route(scene.picture, positions, sizes, edges))


def bounds_around(routes: Iterable[EdgeRoute], margin: float) -> QRectF:
    """The bounding rectangle of the routes with a margin."""
    bounds = QRectF()
    for route in routes:
        for point in (route.start, route.end, route.bend or route.start):
            bounds = bounds.united(QRectF(point[0] - 1, point[1] - 1, 2, 2))
    return bounds.adjusted(-margin, -margin, margin, margin)
