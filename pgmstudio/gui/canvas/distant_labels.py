"""Labels of nodes drawn as dots: names of hovered, selected and observed nodes when zoomed out."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.node_painter import dot_radius
from pgmstudio.gui.canvas.node_view import Detail, NodeMode
from pgmstudio.gui.theme.theme import theme

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.view import CanvasView


LABEL_WIDTH = 180


def paint_far_labels(
    painter: QPainter, view: CanvasView, *, detail: Detail | None = None, zoom: float | None = None
) -> None:
    """Paint names next to dots at their size at 100 %; a file may show more than the screen."""
    far = (detail or view.detail) is Detail.DOT
    if not far and not view.has_dots:
        return
    hovered = view.hovered
    near = hovered if isinstance(hovered, tuple) else (hovered,)
    for item in view.graph.nodes.values():
        if (far or item.face.mode is NodeMode.DOT) and _matters(item, near) and item.isVisible():
            _paint_label(painter, item, zoom or view.zoom)


def _matters(item: NodeItem, near: Container[str | None]) -> bool:
    look = item.look
    return (
        look.is_selected
        or look.has_focus
        or look.is_match
        or bool(look.role)
        or bool(item.face.weights)
        or item.face.is_target
        or item.id in near
    )


def _paint_label(painter: QPainter, item: NodeItem, zoom: float) -> None:
    mark = item.face.mark
    text = item.face.title.replace("\n", " ")
    if mark is not None:
        text = f"{text} {mark.words}"
    ink = "text" if mark is None else f"{mark.tint}_ink"
    painter.save()
    painter.translate(item.pos() + QPointF(dot_radius(zoom) * 1.9, 0))
    painter.scale(1 / zoom, 1 / zoom)
    metrics = canvas_metrics("caption", "medium")
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, LABEL_WIDTH)
    width = metrics.horizontalAdvance(shown) + 8
    card = QRectF(0, -8.5, width, 17)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("canvas", 0.88))
    painter.drawRoundedRect(card, 3, 3)
    painter.setPen(theme().color(ink))
    painter.setFont(canvas_font("caption", "medium"))
    painter.drawText(card, Qt.AlignmentFlag.AlignCenter, shown)
    painter.restore()
