"""A histogram whose cuts can be dragged, added and removed, by mouse and by keys."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pgmstudio.core.data.cuts import labels_of, number_text
from pgmstudio.gui.plots.histogram_layout import moved_between, round_step, snapped
from pgmstudio.gui.plots.histogram_paint import (
    ColumnValues,
    CutMarks,
    Floats,
    Frame,
    frame_of,
    paint_histogram,
    pill_rects,
)
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.theme import theme

_GRAB = 12  # px on both sides of a cut
_SNAPS = 100  # round places over the whole range


class HistogramCuts(QWidget):
    """Shows a column and its cuts. `moving` comes while dragging, `settled` once at the end."""

    moving = Signal(object)  # tuple of cut points
    settled = Signal(str, object)  # what was done ("move cut of chol to 240"), cut points

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._column: ColumnValues | None = None
        self._points: tuple[float, ...] = ()
        self._focused: int | None = None
        self._dragged: int | None = None
        self._before: tuple[float, ...] = ()
        theme().changed.connect(self._on_theme_changed)
        self._describe()

    # -- what it shows

    @property
    def points(self) -> tuple[float, ...]:
        return self._points

    @property
    def counts(self) -> Floats | None:
        """The rows in each bin as the cuts stand now, also in the middle of a drag."""
        return None if self._column is None else self._column.counts(self._points)

    @property
    def old_place(self) -> float | None:
        """Where the cut being dragged stood before."""
        return None if self._dragged is None else self._before[self._dragged]

    @property
    def dragged(self) -> int | None:
        return self._dragged

    def show_column(self, column: ColumnValues, points: Sequence[float]) -> None:
        """Another column; a drag under way is forgotten."""
        self._column = column
        self._dragged = self._focused = None
        self.show_points(points)

    def show_points(self, points: Sequence[float]) -> None:
        self._points = tuple(points)
        if self._focused is not None and self._focused >= len(self._points):
            self._focused = len(self._points) - 1 if self._points else None
        self._describe()
        self.update()

    def x_of(self, value: float) -> int:
        """The pixel column of a value, for tests and pointers."""
        return round(self._frame().x(value))

    def _frame(self) -> Frame:
        column = self._column or ColumnValues.of("", _NOTHING)
        return frame_of(self.width(), self.height(), column)

    def _describe(self) -> None:
        if self._column is None:
            self.setAccessibleName("Histogram with cuts")
            return
        counts = self._column.counts(self._points)
        parts = [
            f"{label}: {grouped(int(count))} rows"
            for label, count in zip(labels_of(self._points), counts, strict=True)
        ]
        self.setAccessibleName(f"Histogram of {self._column.name}, {', '.join(parts)}")

    # -- changing cuts

    def move_cut(self, index: int, value: float) -> None:
        """Put a cut at `value`, or as near as its neighbours allow."""
        self._place(index, value)
        self._settle(f"move cut of {self._name} to {number_text(self._points[index])}")

    def add_cut(self, value: float) -> None:
        column = self._column
        if column is None or value in self._points or not column.least < value <= column.most:
            return
        self._points = tuple(sorted((*self._points, value)))
        self._focused = self._points.index(value)
        self._settle(f"add cut of {self._name} at {number_text(value)}")

    def remove_cut(self, index: int) -> None:
        gone = self._points[index]
        self._points = (*self._points[:index], *self._points[index + 1 :])
        self._focused = min(index, len(self._points) - 1) if self._points else None
        self._settle(f"remove cut of {self._name} at {number_text(gone)}")

    @property
    def _name(self) -> str:
        return self._column.name if self._column is not None else ""

    @property
    def step(self) -> float:
        """How far an arrow key moves a cut, and what dragging snaps to."""
        column = self._column
        return 1.0 if column is None else round_step(column.most - column.least, _SNAPS)

    def _place(self, index: int, value: float) -> None:
        column = self._column
        if column is None:
            return
        smallest = round_step((column.most - column.least), 10_000)
        placed = moved_between(self._points, index, value, column.least, column.most, smallest)
        points = list(self._points)
        points[index] = placed
        self._points = tuple(points)
        self.update()

    def _settle(self, what: str) -> None:
        self._describe()
        self.update()
        self.settled.emit(what, self._points)

    def _snap(self, value: float, modifiers: Qt.KeyboardModifier) -> float:
        fine = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        return snapped(value, self.step / 10 if fine else self.step)

    def _cut_at(self, place: QPoint) -> int | None:
        frame = self._frame()
        for index, pill in enumerate(pill_rects(frame, self._points)):
            if pill.contains(place.x(), place.y()):
                return index
        if not frame.plot.top() - 4 <= place.y() <= frame.plot.bottom() + 4:
            return None
        near = [(abs(frame.x(p) - place.x()), index) for index, p in enumerate(self._points)]
        distance, index = min(near, default=(_GRAB + 1, -1))
        return index if distance <= _GRAB else None

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        index = self._cut_at(event.position().toPoint())
        self._focused = index
        if index is not None:
            self._dragged, self._before = index, self._points
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is None:
            over = self._cut_at(event.position().toPoint()) is not None
            shape = Qt.CursorShape.SizeHorCursor if over else Qt.CursorShape.ArrowCursor
            self.setCursor(shape)
            return
        value = self._frame().value(event.position().x())
        self._place(self._dragged, self._snap(value, event.modifiers()))
        self.moving.emit(self._points)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged is None:
            return
        index, self._dragged = self._dragged, None
        if self._points != self._before:
            self._settle(f"move cut of {self._name} to {number_text(self._points[index])}")
        else:
            self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._cut_at(event.position().toPoint()) is None:
            value = self._frame().value(event.position().x())
            self.add_cut(self._snap(value, event.modifiers()))

    # -- keys

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab walks along the cuts before it leaves."""
        if self.hasFocus() and self._points:
            place = -1 if self._focused is None else self._focused
            place = place + 1 if forward else place - 1
            if 0 <= place < len(self._points):
                self._focused = place
                self.update()
                return True
        self._focused = None
        self.update()
        return super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if key == Qt.Key.Key_Escape and self._dragged is not None:
            self._points, self._dragged = self._before, None
            self.moving.emit(self._points)
            self.update()
        elif key in _STEPS and self._points:
            index = self._focused if self._focused is not None else 0
            self._focused = index
            size = self.step / 10 if modifiers & Qt.KeyboardModifier.AltModifier else self.step
            if modifiers & Qt.KeyboardModifier.ShiftModifier:
                size *= 10
            self.move_cut(index, snapped(self._points[index] + _STEPS[key] * size, size))
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self._focused is not None:
            self.remove_cut(self._focused)
        elif key in (Qt.Key.Key_Insert, Qt.Key.Key_Plus):
            self._add_in_widest()
        else:
            super().keyPressEvent(event)

    def _add_in_widest(self) -> None:
        column = self._column
        if column is None:
            return
        ends = (column.least, *self._points, column.most)
        width, low = max((b - a, a) for a, b in itertools.pairwise(ends))
        self.add_cut(snapped(low + width / 2, self.step))

    # -- Qt

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._column is None or not self._column.values.size:
            painter.setPen(theme().color("text_secondary"))
            center = Qt.AlignmentFlag.AlignCenter
            painter.drawText(self.rect(), center, "No numbers to show in this column.")
            return
        focused = self._focused if self.hasFocus() else None
        marks = CutMarks(focused, self._dragged, self.old_place)
        paint_histogram(painter, self._frame(), self._column, self._points, marks)
        if self.hasFocus() and self._focused is None:
            painter.setPen(theme().color("focus"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 5, 5)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip_at(event.pos()), self)
            return True
        return super().event(event)

    def _tip_at(self, place: QPoint) -> str:
        counts = self.counts
        if counts is None:
            return ""
        value = self._frame().value(place.x())
        bin_ = sum(value >= point for point in self._points)
        name = labels_of(self._points)[bin_]
        return f"{name}: {grouped(int(counts[bin_]))} rows"

    def sizeHint(self) -> QSize:
        return QSize(640, 280)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, round(150 * theme().scale))

    def _on_theme_changed(self) -> None:
        self.updateGeometry()
        self.update()


_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_NOTHING: Floats = np.zeros(0)
