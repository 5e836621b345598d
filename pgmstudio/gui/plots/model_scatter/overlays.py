"""Overlays of a scatter plot of models: the handle of λ and the legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsObject,
    QGraphicsSceneMouseEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from pgmstudio.gui.theme.language_symbols import paint_family_marker
from pgmstudio.gui.theme.theme import theme


class Pill(QGraphicsObject):
    """Handle with a text; `dragged` sends the position of the pointer on the scene."""

    dragged = Signal(QPointF)

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self._is_held = False
        self.setZValue(60)
        self.setCursor(Qt.CursorShape.SizeVerCursor)
        self.setToolTip("Drag to change λ; the selected model is shown at once.")

    def set_text(self, text: str) -> None:
        if text != self.text:
            self.prepareGeometryChange()
            self.text = text
            self.update()

    def boundingRect(self) -> QRectF:
        metrics = QFontMetricsF(theme().font("caption", "semibold"))
        width, height = metrics.horizontalAdvance(self.text) + 18, metrics.height() + 8
        return QRectF(-width / 2 - 2, -height / 2 - 2, width + 4, height + 4)

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        look, rect = theme(), self.boundingRect().adjusted(2, 2, -2, -2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.color("accent" if self._is_held else "text"), 1.4))
        painter.setBrush(look.color("surface"))
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
        painter.setPen(look.color("text"))
        painter.setFont(look.font("caption", "semibold"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self.text)

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self._hold(True)
        event.accept()

    def mouseMoveEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        self.dragged.emit(event.scenePos())

    def mouseReleaseEvent(self, _event: QGraphicsSceneMouseEvent) -> None:
        self._hold(False)

    def _hold(self, is_held: bool) -> None:
        self._is_held = is_held
        self.update()


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """Entry of a legend; `symbol`: a family, or test, training, front, truth or fit."""

    symbol: str
    text: str


class LegendBox(QGraphicsItem):
    """Legend in two columns, in a corner of the plot.

    Not pyqtgraph's LegendItem: that fills rows first, has square corners, and a click on a sample
    hides a curve.
    """

    _SAMPLE = 26.0

    def __init__(self) -> None:
        super().__init__()
        self.setZValue(50)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.entries: tuple[LegendEntry, ...] = ()
        self._box = QRectF()
        self._rows: list[QRectF] = []
        self.hide()

    def set_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Show these entries in the present size of the text; without any the box is hidden."""
        self.prepareGeometryChange()
        self.entries = tuple(entries)
        metrics = QFontMetricsF(theme().font("caption"))
        step, rows = (
            metrics.height() + 4,
            len(entries) if len(entries) < 4 else -(-len(entries) // 2),
        )
        self._rows = []
        left = 8.0
        for start in range(0, len(entries), max(rows, 1)):
            column = entries[start : start + rows]
            wide = max(metrics.horizontalAdvance(each.text) for each in column) + self._SAMPLE + 12
            self._rows += [QRectF(left, 6 + step * row, wide, step) for row in range(len(column))]
            left += wide
        self._box = QRectF(0, 0, left + 4, step * rows + 12)
        self.setVisible(bool(entries))
        self.update()

    def boundingRect(self) -> QRectF:
        return self._box

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        look = theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.color("border"), 1))
        painter.setBrush(look.color("surface", 0.92))
        painter.drawRoundedRect(self._box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.setFont(look.font("caption"))
        for row_area, entry in zip(self._rows, self.entries, strict=True):
            _draw_sample(painter, entry.symbol, QPointF(row_area.left(), row_area.center().y()))
            painter.setPen(look.color("text"))
            side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(row_area.adjusted(self._SAMPLE, 0, 0, 0), side, entry.text)


def _draw_sample(painter: QPainter, symbol: str, at: QPointF) -> None:
    """Draw the symbol of an entry, from the middle of its left side."""
    look = theme()
    lines: dict[str, tuple[QColor, float, Qt.PenStyle]] = {
        "test": (look.color("text"), 2.0, Qt.PenStyle.SolidLine),
        "training": (look.color("text_tertiary"), 1.2, Qt.PenStyle.DashLine),
        "front": (look.color("accent", 0.22), 7.0, Qt.PenStyle.SolidLine),
        "fit": (look.color("text_secondary"), 1.2, Qt.PenStyle.SolidLine),
    }
    if symbol in lines:
        pen = QPen(*lines[symbol])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawLine(at, at + QPointF(20, 0))
    elif symbol == "truth":
        painter.setPen(QPen(look.color("text"), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(at.x() + 4, at.y() - 5, 10, 10))
    else:
        paint_family_marker(painter, at + QPointF(9, 0), symbol, 9, 1.0)
