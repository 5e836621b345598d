"""Overlays of a scatter plot of models: the handle of λ and the legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QPointF,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import (
    QGraphicsObject,
    QGraphicsSceneMouseEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from pgmstudio.core.drawing.svg.plot_labels import language_marker
from pgmstudio.gui.plots.model_scatter.layers import CachedShape
from pgmstudio.gui.theme.language_symbols import mark_colors, mark_path
from pgmstudio.gui.theme.theme import theme

Floats = NDArray[np.float64]


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


class LegendBox(CachedShape):
    """Legend in two columns, in a corner of the plot."""

    _SAMPLE = 26.0

    def __init__(self) -> None:
        super().__init__(50)
        self._entries: tuple[LegendEntry, ...] = ()
        self._box = QRectF()
        self.hide()

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        return self._entries

    def set_entries(self, entries: Sequence[LegendEntry]) -> None:
        self.prepareGeometryChange()
        self._entries = tuple(entries)
        columns, widths, step = self._columns()
        wide = widths[0] + (widths[1] if columns[1] else 0.0)
        self._box = QRectF(0, 0, wide + 12, step * len(columns[0]) + 12)
        self.setVisible(bool(entries))
        self.changed()

    def _columns(self) -> tuple[list[list[LegendEntry]], list[float], float]:
        metrics = QFontMetricsF(theme().font("caption"))
        half = (len(self._entries) + 1) // 2 if len(self._entries) > 3 else len(self._entries)
        columns = [list(self._entries[:half]), list(self._entries[half:])]
        widths = [
            max((metrics.horizontalAdvance(e.text) for e in column), default=0.0)
            + self._SAMPLE
            + 12
            for column in columns
        ]
        return columns, widths, metrics.height() + 4

    def boundingRect(self) -> QRectF:
        return self._box

    def draw(self, painter: QPainter, _on_screen: bool) -> None:
        look = theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.color("border"), 1))
        painter.setBrush(look.color("surface", 0.92))
        painter.drawRoundedRect(self._box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        columns, widths, step = self._columns()
        left = 8.0
        for column, width in zip(columns, widths, strict=True):
            for number, entry in enumerate(column):
                middle = 6 + step * (number + 0.5)
                self._sample(painter, entry.symbol, left, middle)
                painter.setPen(look.color("text"))
                painter.setFont(look.font("caption"))
                rect = QRectF(left + self._SAMPLE, middle - step / 2, width, step)
                painter.drawText(
                    rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, entry.text
                )
            left += width

    def _sample(self, painter: QPainter, symbol: str, left: float, middle: float) -> None:
        look = theme()
        lines: dict[str, tuple[QColor, float, Qt.PenStyle]] = {
            "test": (look.color("text"), 2.0, Qt.PenStyle.SolidLine),
            "training": (look.color("text_tertiary"), 1.2, Qt.PenStyle.DashLine),
            "front": (look.color("accent", 0.22), 7.0, Qt.PenStyle.SolidLine),
            "fit": (look.color("text_secondary"), 1.2, Qt.PenStyle.SolidLine),
        }
        if symbol in lines:
            ink, width, style = lines[symbol]
            pen = QPen(ink, width, style)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            painter.drawLine(QPointF(left, middle), QPointF(left + 20, middle))
            return
        painter.save()
        painter.translate(left + 9, middle)
        if symbol == "truth":
            painter.setPen(QPen(look.color("text"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(-5, -5, 10, 10))
        else:
            fill, line = mark_colors(symbol)
            painter.scale(9, 9)
            pen = QPen(line, 1.0)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.setBrush(fill)
            painter.drawPath(mark_path(language_marker(symbol)[0]))
        painter.restore()
