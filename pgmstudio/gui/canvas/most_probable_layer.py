"""States of the most probable explanation on nodes that show no rows: names, dots, thin bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from pgmstudio.gui.canvas.fonts import font_of_height
from pgmstudio.gui.canvas.layers import SceneLayer
from pgmstudio.gui.canvas.legend import LegendEntry
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.node_view import Detail, NodeMode
from pgmstudio.gui.theme.theme import theme

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.scene import CanvasScene

_HEIGHT, _FONT, _PAD = 15.0, 10.0, 5.0  # px on screen
_MIN_ZOOM = 0.3  # labels grow with the distance no further
_MAX_TEXT = 16  # characters of a state


class MostProbableLayer(SceneLayer):
    """Labels under the nodes; of two that would overlap only the first is drawn."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, 2.05)
        self._detail = Detail.FULL  # of the last painting

    def follow(self) -> None:
        """Update after the beliefs, modes or positions of the nodes have changed."""
        has_labels = bool(self._labelled(Detail.NAME))
        if has_labels or self.has_bounds:
            around = self._scene.content_rect().adjusted(-60, -60, 60, 60)
            self.cover(around if has_labels else QRectF())
            self.update()

    def _labelled(self, detail: Detail) -> list[NodeItem]:
        """Nodes whose most probable state is not outlined in a row of their own."""
        return [
            item
            for item in self._scene.nodes.values()
            if isinstance(item, NodeItem)
            and item.isVisible()
            and item.face.most_probable is not None
            and item.face.mark is None
            and not (item.face.shows_rows and detail is Detail.FULL)
        ]

    def legend_entries(self) -> list[LegendEntry]:
        is_drawn = bool(self._labelled(self._detail))
        return [LegendEntry("most probable state", _sample)] if is_drawn else []

    def draw(self, painter: QPainter) -> None:
        zoom = self._scene.zoomed.zoom_of(painter)
        self._detail = detail = self._scene.zoomed.detail_of(zoom)
        scale = 1 / min(1.0, max(_MIN_ZOOM, zoom))
        drawn: list[QRectF] = []
        for item in self._labelled(detail):
            text = _text(item.face.most_probable or "")
            is_dot = detail is Detail.DOT or item.face.mode is NodeMode.DOT
            top = item.y() + 9 * scale if is_dot else item.box.bottom() - 3 * scale
            label = _label_rect(text, item.x(), top, scale)
            if not any(label.intersects(other) for other in drawn):
                drawn.append(label)
                _paint_label(painter, text, label, scale)


def _text(state: str) -> str:
    return f"= {state}" if len(state) <= _MAX_TEXT else f"= {state[: _MAX_TEXT - 1]}…"


def _label_rect(text: str, middle: float, top: float, scale: float) -> QRectF:
    font = font_of_height(round(_FONT * scale))
    wide = QFontMetricsF(font).horizontalAdvance(text) + 2 * _PAD * scale
    return QRectF(middle - wide / 2, top, wide, _HEIGHT * scale)


def _paint_label(painter: QPainter, text: str, label: QRectF, scale: float) -> None:
    painter.setPen(QPen(theme().color("mpe"), 1.5 * scale))
    painter.setBrush(theme().color("surface"))
    painter.drawRoundedRect(label, 3 * scale, 3 * scale)
    painter.setFont(font_of_height(round(_FONT * scale)))
    painter.setPen(theme().color("text"))
    painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)


def _sample(painter: QPainter, position: QRectF) -> None:
    label = _label_rect("= a", position.center().x(), position.center().y() - _HEIGHT / 2, 1.0)
    _paint_label(painter, "= a", label, 1.0)
