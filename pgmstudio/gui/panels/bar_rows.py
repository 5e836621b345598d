"""Rows of name, bar and number, to look at or to use: what beliefs and rankings share."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pgmstudio.gui.style.theme import theme

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class QuietRows(QWidget):
    """As high as its rows, to look at only."""

    air: ClassVar[int] = 8  # of a row, above and below its words

    def __init__(self, name: str, accessible: str, tip: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setToolTip(tip)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.updateGeometry)

    def _row_count(self) -> int:
        """How many rows there are now."""
        return 0

    def _row_height(self) -> int:
        return QFontMetrics(theme().font("dense")).height() + self.air

    def sizeHint(self) -> QSize:
        return QSize(120, self._row_count() * self._row_height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _paint_fill(self, painter: QPainter, bar: QRectF, color: str) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color(color))
        painter.drawRoundedRect(bar, theme().radius("bar"), theme().radius("bar"))

    def _paint_name(self, painter: QPainter, row: QRectF, name: str, left: float) -> int:
        """Cut where the bars begin; returns how wide it became."""
        metrics = QFontMetrics(painter.font())
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, int(left - 8))
        painter.drawText(row, LEFT, shown)
        return metrics.horizontalAdvance(shown)


class BarRows(QuietRows):
    """The row under the pointer and the row of the keyboard are marked."""

    def __init__(self, name: str, accessible: str, tip: str) -> None:
        super().__init__(name, accessible, tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._row = 0  # of the keyboard
        self._hovered: int | None = None

    def tip_at(self, place: QPoint) -> str | None:
        """What is said about the row at a place; None: what is said about all."""
        return None

    def _hover(self, hovered: int | None, *, can_be_used: bool) -> None:
        if hovered == self._hovered:
            return
        self._hovered = hovered
        hand, arrow = Qt.CursorShape.PointingHandCursor, Qt.CursorShape.ArrowCursor
        self.setCursor(hand if can_be_used else arrow)
        self.update()

    # -- painting

    def _paint_ground(self, painter: QPainter, row: QRectF) -> None:
        """Under the pointer."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("hover"))
        painter.drawRoundedRect(row.adjusted(-2, 1, 2, -1), 3, 3)

    def _paint_focus(self, painter: QPainter, row: QRectF) -> None:
        painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(row.adjusted(1, 1, -1, -1), 3, 3)

    # -- Qt

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.tip_at(event.pos())
            if words is not None:
                QToolTip.showText(event.globalPos(), words, self)
                return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
