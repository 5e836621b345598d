"""Base of charts with a row for each of several things, which is chosen by mouse or keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QScrollBar

from pgmstudio.gui.plots.chart import StillChart
from pgmstudio.gui.theme.theme import theme

HOVER_Z, FOCUS_Z = -1, 9


class RowChart(StillChart):
    """Rows of equal height with the first at the top; ↑↓ move, Enter chooses."""

    row_selected = Signal(str)  # key
    chosen = Signal(str)  # key

    def __init__(self, name: str, empty_text: str = "") -> None:
        super().__init__(name, empty_text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._row = 0
        self._hovered: int | None = None
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.valueChanged.connect(self.redraw)
        self._bar.hide()

    # -- overridden by subclasses

    @property
    def keys(self) -> list[str]:
        """Of the rows, from the top."""
        return []

    @property
    def row_height(self) -> float:
        """Px of a row."""
        return 24.0

    @property
    def axis(self) -> tuple[float, float]:
        """The ends of the axis."""
        return 0.0, 1.0

    # -- geometry

    @property
    def is_empty(self) -> bool:
        return not self.keys

    @property
    def current(self) -> str | None:
        """The key of the row with the focus."""
        return self.keys[self._row] if self._row < len(self.keys) else None

    def _seen(self, area: QRectF) -> QRectF:
        low, high = self.axis
        visible = area.height() / self.row_height
        return QRectF(low, -self._bar.value() / self.row_height - visible, high - low, visible)

    def x_of(self, value: float) -> float:
        """Px of a value on the axis."""
        return self.frame.point(value, 0).x()

    def row_box(self, row: int) -> QRectF:
        """Px of a row, as wide as the chart."""
        top = self._margins()[1] + row * self.row_height - self._bar.value()
        return QRectF(0, top, self._size.width() - self._bar_width, self.row_height)

    def row_rect(self, key: str) -> QRect:
        """Where a row is."""
        return self.row_box(self.keys.index(key)).toRect()

    def row_at(self, position: QPoint | QPointF) -> int | None:
        below = position.y() - self._margins()[1]
        row = int((below + self._bar.value()) // self.row_height)
        return row if below >= 0 and 0 <= row < len(self.keys) else None

    @property
    def _bar_width(self) -> float:
        return 0.0 if self._bar.isHidden() else float(self._bar.sizeHint().width())

    def _fit_bar(self) -> None:
        """Rows that do not fit are scrolled."""
        _, top, _, bottom = self._margins()
        room = round(self.height() - top - bottom)
        self._bar.setPageStep(room)
        self._bar.setSingleStep(round(self.row_height))
        self._bar.setRange(0, max(0, round(len(self.keys) * self.row_height - room)))
        self._bar.setVisible(self._bar.maximum() > 0)
        width = self._bar.sizeHint().width()
        self._bar.setGeometry(self.width() - width, round(top), width, room)

    def refresh(self, *_: object) -> None:
        self._fit_bar()
        super().refresh()
        self._bar.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit_bar()
        super().resizeEvent(event)

    # -- drawing

    def _draw_focus(self) -> None:
        """The row under the pointer and the one with the focus."""
        if self._is_for_file:
            return
        look = theme()
        if self._hovered is not None and self._hovered < len(self.keys):
            row, fill = self.row_box(self._hovered), look.color("hover", 0.7)
            row.setTop(max(row.top(), self._margins()[1]))
            self.items.frame("hovered", row, HOVER_Z, fill=fill)
        box = self.row_box(self._row).adjusted(3, 1, -3, -1)
        if self.shows_focus and box.top() >= self._margins()[1]:
            pen = QPen(look.color("focus"), look.line("focus"))
            self.items.frame("focus", box, FOCUS_Z, ink=pen, radius=4)

    # -- mouse and keys

    def select_row(self, row: int) -> None:
        self._row = row
        self.row_selected.emit(self.keys[row])
        self.redraw()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        if row != self._hovered:
            self._hovered = row
            self.redraw()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.redraw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._bar.event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, count = Qt.Key(event.key()), len(self.keys)
        if count and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = 1 if key == Qt.Key.Key_Down else -1
            row = min(count - 1, max(0, self._row + step))
            top, bar = round(row * self.row_height), self._bar
            bar.setValue(max(round(top + self.row_height) - bar.pageStep(), min(bar.value(), top)))
            self.select_row(row)
        elif count and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self.keys[self._row])
        else:
            super().keyPressEvent(event)
