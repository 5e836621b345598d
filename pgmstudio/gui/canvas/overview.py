"""A graph seen from afar: dots coloured by their beliefs, and the names of those best connected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt

from pgmstudio.core.drawing.diagram import Point
from pgmstudio.core.drawing.layout.dot_labels import LABEL_HEIGHT, by_degree, labels_beside
from pgmstudio.gui.canvas.fonts import canvas_metrics
from pgmstudio.gui.canvas.node_painter import dot_radius
from pgmstudio.gui.canvas.node_view import NodeView

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.scene import CanvasScene

LABEL_WIDTH = 180


def label_text(face: NodeView) -> str:
    """The name beside a dot, with its evidence."""
    mark = face.mark
    title = face.title.replace("\n", " ")
    text = title if mark is None else f"{title} {mark.words}"
    metrics = canvas_metrics("caption", "medium")
    return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, LABEL_WIDTH)


def label_width(text: str) -> float:
    return canvas_metrics("caption", "medium").horizontalAdvance(text) + 8


class CentralNames:
    """The names of the best connected nodes of a scene, placed anew when it or the zoom changed."""

    def __init__(self, scene: CanvasScene) -> None:
        self._scene = scene
        self._zoom = 0.0
        self._placed: dict[str, QRectF] = {}
        scene.contents_changed.connect(self._forget)

    def _forget(self) -> None:
        self._zoom = 0.0

    def at(self, zoom: float) -> Mapping[str, QRectF]:
        """The labels in pixels relative to their dots."""
        if zoom != self._zoom:
            self._zoom = zoom
            self._placed = self._place(zoom)
        return self._placed

    def _place(self, zoom: float) -> dict[str, QRectF]:
        shown = {i: item for i, item in self._scene.nodes.items() if item.isVisible()}
        order = [node for node in by_degree(self._scene.picture) if node in shown]
        dots: dict[str, Point] = {i: (n.x() * zoom, n.y() * zoom) for i, n in shown.items()}
        widths = {i: label_width(label_text(item.face)) for i, item in shown.items()}
        placed = labels_beside(dots, widths, order, dot_radius(zoom) * zoom)
        return {i: QRectF(x, y, widths[i], LABEL_HEIGHT) for i, (x, y) in placed.items()}
