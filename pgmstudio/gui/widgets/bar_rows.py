"""Rows of name, bar and number: the base of belief bars, and rankings in bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar
from pgmstudio.gui.widgets.basic import named

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PlainRows(QWidget):
    """As high as its rows, to look at only."""

    air: ClassVar[int] = 8  # of a row, above and below its text

    def __init__(self, name: str, accessible: str, tip: str) -> None:
        super().__init__()
        named(self, name, accessible, tip)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _row_count(self) -> int:
        """How many rows there are now."""
        return 0

    def _row_height(self) -> int:
        return QFontMetrics(theme().font("dense")).height() + self.air

    def sizeHint(self) -> QSize:
        return QSize(120, self._row_count() * self._row_height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _paint_name(self, painter: QPainter, row: QRectF, name: str, left: float) -> int:
        """Cut where the bars begin; returns how wide it became."""
        metrics = QFontMetrics(painter.font())
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, int(left - 8))
        painter.drawText(row, LEFT, shown)
        return metrics.horizontalAdvance(shown)


class BarRows(PlainRows):
    """The row under the pointer and the row of the keyboard are marked."""

    def __init__(self, name: str, accessible: str, tip: str) -> None:
        super().__init__(name, accessible, tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._row = 0  # of the keyboard
        self._hovered: int | None = None

    def tip_at(self, rect: QPoint) -> str | None:
        """Tooltip of the row at a position; None: that of the whole widget."""
        return None

    def _hover(self, hovered: int | None, *, can_be_used: bool) -> None:
        if hovered == self._hovered:
            return
        self._hovered = hovered
        hand, arrow = Qt.CursorShape.PointingHandCursor, Qt.CursorShape.ArrowCursor
        self.setCursor(hand if can_be_used else arrow)
        self.update()

    # -- painting

    def _paint_background(self, painter: QPainter, row: QRectF) -> None:
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
            text = self.tip_at(event.pos())
            if text is not None:
                QToolTip.showText(event.globalPos(), text, self)
                return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()


Rank = tuple[str, str, float]  # key, title, bits


class RankBars(BarRows):
    """Keys: ↑↓ and Enter."""

    chosen = Signal(str)  # key
    air = 7

    def __init__(
        self, name: str, *, most: int = 5, digits: int = 2, name_fraction: float = 0.40
    ) -> None:
        super().__init__(name, "Ranking in bits", "A ranking in bits; a click selects.")
        self._most, self._digits, self._name_fraction = most, digits, name_fraction
        self._ranks: tuple[Rank, ...] = ()

    @property
    def ranks(self) -> tuple[Rank, ...]:
        return self._ranks

    def show_ranks(self, ranks: Sequence[Rank]) -> None:
        """The most first; only the first few are shown."""
        shown = tuple(ranks[: self._most])
        if shown == self._ranks:
            return
        grew = len(shown) != len(self._ranks)
        self._ranks = shown
        self._row = min(self._row, max(0, len(shown) - 1))
        parts = [f"{title} {bits:.2f} bits" for _, title, bits in shown]
        self.setAccessibleName(", ".join(parts))
        if grew:
            self.updateGeometry()
        self.update()

    def _row_count(self) -> int:
        return len(self._ranks)

    def row_at(self, rect: QPoint) -> int | None:
        row = rect.y() // self._row_height()
        return row if 0 <= row < len(self._ranks) else None

    def row_rect(self, key: str) -> QRectF:
        row = [rank[0] for rank in self._ranks].index(key)
        return QRectF(0, row * self._row_height(), self.width(), self._row_height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = theme().font("dense")
        painter.setFont(font)
        metrics = QFontMetrics(font)
        number = metrics.horizontalAdvance("00." + "0" * self._digits) + 10
        left, right = self.width() * self._name_fraction, self.width() - number
        # Below the last digit shown there is nothing to compare.
        most = max((bits for *_, bits in self._ranks), default=0.0)
        most = most if most >= 0.5 * 10**-self._digits else 0.0
        height = self._row_height()
        for row, (_, title, bits) in enumerate(self._ranks):
            rect = QRectF(0, row * height, self.width(), height)
            if row == self._hovered:
                self._paint_background(painter, rect)
            painter.setPen(theme().color("text"))
            self._paint_name(painter, rect, title, left)
            painter.drawText(rect, RIGHT, f"{bits:.{self._digits}f}")
            if most > 0:
                width = max(2.0, (right - left) * bits / most)
                paint_bar(painter, QRectF(left, rect.center().y() - 4, width, 8), Bar(1.0))
            if self.hasFocus() and row == self._row:
                self._paint_focus(painter, rect)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().toPoint())
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            self._row = row
            self.chosen.emit(self._ranks[row][0])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hovered = self.row_at(event.position().toPoint())
        self._hover(hovered, can_be_used=hovered is not None)

    def tip_at(self, rect: QPoint) -> str | None:
        row = self.row_at(rect)
        if row is None:
            return None
        _, title, bits = self._ranks[row]
        return f"{title}: {bits:.4g} bits\nClick selects it."

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._ranks and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            self._row = min(len(self._ranks) - 1, max(0, self._row + step))
            self.update()
        elif self._ranks and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self._ranks[self._row][0])
        else:
            super().keyPressEvent(event)
