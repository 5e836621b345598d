"""A graph zoomed out: dots coloured by their beliefs, and the names of those best connected."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QPainter

from pgmstudio.core.drawing.diagram import Point
from pgmstudio.core.drawing.layout.dot_labels import LABEL_HEIGHT, by_degree, labels_beside
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.node_painter import dot_radius
from pgmstudio.gui.canvas.node_view import NodeView
from pgmstudio.gui.theme.theme import theme

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.scene import CanvasScene

LABEL_WIDTH = 180


def title_text(face: NodeView) -> str:
    """The name beside a dot."""
    return _elided(face.title.replace("\n", " "))


def label_text(face: NodeView) -> str:
    """The name beside a dot, with its evidence."""
    title, mark = face.title.replace("\n", " "), face.mark
    return _elided(title if mark is None else f"{title} {mark.text}")


@lru_cache(maxsize=2048)
def _elided(text: str) -> str:
    metrics = canvas_metrics("caption", "medium")
    return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, LABEL_WIDTH)


@lru_cache(maxsize=2048)
def label_width(text: str) -> float:
    return canvas_metrics("caption", "medium").horizontalAdvance(text) + 8


class DotLabel:
    """The name beside a dot, in pixels at 100 % font size."""

    def __init__(self, item: NodeItem, zoom: float, corner: Point | None = None) -> None:
        self.item = item
        self.text = label_text(item.face)
        x, y = corner or (1.9 * dot_radius(zoom) * zoom, -LABEL_HEIGHT / 2)
        self._offset = QRectF(x, y, label_width(self.text), LABEL_HEIGHT)

    def rect(self, zoom: float) -> QRectF:
        return self._offset.translated(self.item.pos() * zoom)

    def stay_left_of(self, right: float, zoom: float) -> None:
        """Stand at the other side of the dot if it would reach beyond this."""
        if self.rect(zoom).right() > right:
            self._offset.moveRight(-self._offset.left())

    def paint(self, painter: QPainter, zoom: float) -> None:
        mark, rect = self.item.face.mark, self.rect(zoom)
        painter.save()
        painter.scale(1 / zoom, 1 / zoom)
        painter.setOpacity(self.item.opacity())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("canvas", 0.8))
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 3, 3)
        painter.setPen(theme().color("text" if mark is None else f"{mark.tint}_ink"))
        painter.setFont(canvas_font("caption", "medium"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self.text)
        painter.restore()


class CentralNames(QObject):
    """The names of the best connected nodes of a scene, placed anew when it or the zoom changed."""

    def __init__(self, scene: CanvasScene, parent: QObject) -> None:
        super().__init__(parent)
        self._scene = scene
        self._zoom = 0.0
        self._labels: tuple[DotLabel, ...] = ()
        self._key: object = None  # all that the corners depend on
        self._corners: dict[str, Point] = {}
        scene.contents_changed.connect(self._forget)
        scene.marks_changed.connect(self._forget)  # the text; the corners are kept

    def _forget(self) -> None:
        self._zoom, self._labels = 0.0, ()

    def at(self, zoom: float) -> tuple[DotLabel, ...]:
        if zoom != self._zoom:
            self._zoom, self._labels = zoom, self._placed(zoom)
        return self._labels

    def _placed(self, zoom: float) -> tuple[DotLabel, ...]:
        shown = {i: item for i, item in self._scene.nodes.items() if item.isVisible()}
        nodes = tuple((i, n.x(), n.y(), n.face.title, n.face.is_faint) for i, n in shown.items())
        key = zoom, nodes, self._scene.picture.edges
        if key != self._key:  # evidence moves no name
            self._key, self._corners = key, self._find_corners(shown, zoom)
        return tuple(DotLabel(shown[i], zoom, corner) for i, corner in self._corners.items())

    def _find_corners(self, shown: Mapping[str, NodeItem], zoom: float) -> dict[str, Point]:
        order = [node for node in by_degree(self._scene.picture) if node in shown]
        order.sort(key=lambda node: shown[node].face.is_faint)  # those asked about first
        dots: dict[str, Point] = {i: (n.x() * zoom, n.y() * zoom) for i, n in shown.items()}
        # Nodes with evidence have a label that is not one of these.
        widths = {i: label_width(title_text(item.face)) for i, item in shown.items()}
        return labels_beside(dots, widths, order, dot_radius(zoom) * zoom)
