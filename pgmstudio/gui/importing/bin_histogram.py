"""Histogram of a numeric column with bin edges that can be dragged, added and removed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.discretization import labels_of, number_text
from pgmstudio.core.data.summary import ColumnValues
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.theme.theme import theme

_ROUND = (1.0, 2.0, 5.0, 10.0)


def round_step(span: float, pieces: int) -> float:
    """The smallest 1, 2 or 5 times a power of ten that divides `span` into at most `pieces`."""
    if span <= 0 or pieces < 1:
        return 1.0
    target = span / pieces
    power = 10.0 ** math.floor(math.log10(target))
    return next(step * power for step in _ROUND if step * power >= target * (1 - 1e-9))


def ticks(low: float, high: float, pieces: int) -> tuple[float, ...]:
    """Round numbers from `low` to `high`, at most `pieces` steps."""
    step = round_step(high - low, pieces)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple(snapped(i * step, step) for i in range(first, last + 1))


def snapped(value: float, step: float) -> float:
    """The multiple of `step` nearest to `value`, without floating-point noise."""
    digits = max(0, 12 - math.floor(math.log10(step))) if step > 0 else 0
    return round(round(value / step) * step, min(digits, 15)) + 0.0


def spread(
    centers: Sequence[float], widths: Sequence[float], low: float, high: float, gap: float
) -> list[float] | None:
    """Left ends of texts near their centres, in order, without overlap; None if they do not fit."""
    if sum(widths) + gap * max(0, len(widths) - 1) > high - low:
        return None
    lefts = []
    edge = low
    for center, width in zip(centers, widths, strict=True):
        left = max(edge, center - width / 2)
        lefts.append(left)
        edge = left + width + gap
    edge = high
    for i in range(len(lefts) - 1, -1, -1):
        lefts[i] = min(lefts[i], edge - widths[i])
        edge = lefts[i] - gap
    return lefts


def moved_between(
    points: Sequence[float], index: int, value: float, low: float, high: float, smallest: float
) -> float:
    """`value` clamped between the neighbours of edge `index` and to the range of the column."""
    below = points[index - 1] if index > 0 else low
    above = points[index + 1] if index + 1 < len(points) else high
    lowest, highest = below + smallest, above - (smallest if index + 1 < len(points) else 0)
    return min(max(value, lowest), highest) if lowest <= highest else points[index]


def with_one_more_edge(
    points: Sequence[float], counts: Sequence[float], low: float, high: float
) -> tuple[float, ...]:
    """The edges with one more in the middle of the largest bin, unless it is too narrow."""
    ends = [low, *points, high]
    fullest = max(range(len(counts)), key=lambda i: counts[i])
    left, right = ends[fullest], ends[fullest + 1]
    middle = snapped((left + right) / 2, round_step(right - left, 20)) if right > left else left
    return tuple(sorted({*points, middle})) if left < middle < right else tuple(points)


def with_one_less_edge(points: Sequence[float], counts: Sequence[float]) -> tuple[float, ...]:
    """The edges without the one between the two adjacent bins with the fewest rows."""
    pair_counts = [left + right for left, right in itertools.pairwise(counts)]
    dropped = min(range(len(pair_counts)), key=lambda i: pair_counts[i])
    return (*points[:dropped], *points[dropped + 1 :])


_EDGE_WIDTH, _DRAGGED_WIDTH = 1.6, 2.4  # line widths (px)
_TINT = 0.06
_GRIP = (6.0, 24.0)


@dataclass(frozen=True, slots=True)
class Frame:
    """Mapping between values and pixels of the plot area."""

    plot: QRectF
    low: float
    high: float

    def x(self, value: float) -> float:
        return self.plot.left() + self.plot.width() * (value - self.low) / (self.high - self.low)

    def value(self, x: float) -> float:
        return self.low + (self.high - self.low) * (x - self.plot.left()) / self.plot.width()


@dataclass(frozen=True, slots=True)
class EdgeState:
    """The focused and the dragged edge, and the value of the latter before the drag."""

    focused: int | None = None
    dragged: int | None = None
    old: float | None = None


def frame_of(width: float, height: float, column: ColumnValues) -> Frame:
    """Plot area inside a widget of that size: edge labels above, ticks and counts below."""
    caption = QFontMetricsF(theme().font("caption"))
    marks = [grouped(int(tick)) for tick in ticks(0, _tallest(column), 3)]
    left = max(map(caption.horizontalAdvance, marks)) + 14
    top = label_height() + theme().space(3)
    below = caption.height() * 3 + theme().space(5)
    plot = QRectF(left, top, max(60.0, width - left - 10), max(40.0, height - top - below))
    return Frame(plot, float(column.edges[0]), float(column.edges[-1]))


def label_height() -> float:
    return QFontMetricsF(theme().font("dense", "semibold")).height() + 6


def label_rects(frame: Frame, points: Sequence[float]) -> list[QRectF]:
    """Rectangles of the edge labels, moved apart where edges are close."""
    metrics = QFontMetricsF(theme().font("dense", "semibold"))
    widths = [metrics.horizontalAdvance(number_text(point)) + 16 for point in points]
    centers = [frame.x(point) for point in points]
    reach = (frame.plot.left() - 24, frame.plot.right() + 10)
    lefts = spread(centers, widths, *reach, 3.0)
    if lefts is None:
        lefts = [center - width / 2 for center, width in zip(centers, widths, strict=True)]
    return [
        QRectF(left, 1.0, width, label_height()) for left, width in zip(lefts, widths, strict=True)
    ]


def paint_histogram(
    painter: QPainter,
    frame: Frame,
    column: ColumnValues,
    points: Sequence[float],
    marks: EdgeState,
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_tints(painter, frame, points)
    _paint_axes(painter, frame, column)
    _paint_bars(painter, frame, column)
    _paint_labels(painter, frame, column, points)
    _paint_edges(painter, frame, points, marks)


def _paint_tints(painter: QPainter, frame: Frame, points: Sequence[float]) -> None:
    ends = [frame.plot.left(), *(frame.x(point) for point in points), frame.plot.right()]
    tint = theme().color("accent", _TINT)
    for i in range(1, len(ends) - 1, 2):
        left, right = ends[i], ends[i + 1]
        painter.fillRect(QRectF(left, frame.plot.top(), right - left, frame.plot.height()), tint)


def _paint_axes(painter: QPainter, frame: Frame, column: ColumnValues) -> None:
    plot = frame.plot
    painter.setFont(theme().font("caption"))
    metrics = QFontMetricsF(painter.font())
    tallest = _tallest(column)
    for tick in ticks(0, tallest, 3):
        y = plot.bottom() - plot.height() * tick / tallest
        painter.setPen(QPen(theme().color("grid"), 1))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        if tick > 0:
            box = QRectF(0, y - metrics.height() / 2, plot.left() - 8, metrics.height())
            painter.setPen(theme().color("text_secondary"))
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, right, grouped(int(tick)))
    painter.setPen(QPen(theme().color("border_control"), 1))
    painter.drawLine(plot.bottomLeft(), plot.bottomRight())
    pieces = max(2, int(plot.width() / (metrics.horizontalAdvance("00 000") + 36)))
    painter.setPen(theme().color("text_secondary"))
    for tick in ticks(frame.low, frame.high, pieces):
        x = frame.x(tick)
        box = QRectF(x - 50, plot.bottom() + 4, 100, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, number_text(tick))


def _tallest(column: ColumnValues) -> float:
    highest = float(column.bars.max(initial=0))
    step = round_step(highest, 3)
    # Up to the next grid line where that wastes little space.
    line = step * math.ceil(highest / step - 1e-9)
    return max(line if line < 1.15 * highest else highest * 1.04, 1.0)


def _paint_bars(painter: QPainter, frame: Frame, column: ColumnValues) -> None:
    tallest = _tallest(column)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("belief"))
    for bar, low, high in zip(column.bars, column.edges, column.edges[1:], strict=False):
        if bar <= 0:
            continue
        height = max(1.0, frame.plot.height() * float(bar) / tallest)
        left, right = frame.x(float(low)), frame.x(float(high))
        painter.drawRect(
            QRectF(left, frame.plot.bottom() - height, max(1.0, right - left - 1), height)
        )


def _paint_labels(
    painter: QPainter, frame: Frame, column: ColumnValues, points: Sequence[float]
) -> None:
    names = labels_of(points)
    counts = column.counts(points)
    ends = [frame.plot.left(), *(frame.x(point) for point in points), frame.plot.right()]
    centers = [(a + b) / 2 for a, b in itertools.pairwise(ends)]
    name_font, count_font = theme().font("caption", "semibold"), theme().font("caption")
    by_name, by_count = QFontMetricsF(name_font), QFontMetricsF(count_font)
    # The longest text that fits: first with "rows", then shorter.
    for wording in (_long, _middle, _short):
        texts = [wording(count, column.total) for count in counts]
        widths = [
            max(by_name.horizontalAdvance(name), by_count.horizontalAdvance(text)) + 2
            for name, text in zip(names, texts, strict=True)
        ]
        lefts = spread(centers, widths, 0, frame.plot.right() + 10, 8)
        if lefts is not None:
            break
    top = frame.plot.bottom() + by_count.height() + theme().space(3)
    if lefts is None:
        lefts, widths = [c - w / 2 for c, w in zip(centers, widths, strict=True)], widths
    edge = -1.0
    for name, text, left, width in zip(names, texts, lefts, widths, strict=True):
        if left < edge:  # not even the shortest text fits
            continue
        edge = left + width + 4
        painter.setFont(name_font)
        painter.setPen(theme().color("accent"))
        center = Qt.AlignmentFlag.AlignHCenter
        painter.drawText(QRectF(left, top, width, by_name.height()), center, name)
        painter.setFont(count_font)
        painter.setPen(theme().color("text"))
        below = QRectF(left, top + by_name.height() + 1, width, by_count.height())
        painter.drawText(below, center, text)


def _long(count: float, total: float) -> str:
    return f"{_number(count)} rows · {_percent(count, total)}"


def _middle(count: float, total: float) -> str:
    return f"{_number(count)} · {_percent(count, total)}"


def _short(count: float, total: float) -> str:
    return _number(count)


def _number(count: float) -> str:
    return grouped(int(count)) if float(count).is_integer() else f"{count:.1f}"


def _percent(count: float, total: float) -> str:
    return f"{100 * count / total:.0f} %" if total > 0 else "0 %"


def _paint_edges(
    painter: QPainter, frame: Frame, points: Sequence[float], marks: EdgeState
) -> None:
    accent, surface = theme().color("accent"), theme().color("surface")
    if marks.old is not None:
        x = frame.x(marks.old)
        painter.setPen(QPen(accent, 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()))
    pills = label_rects(frame, points)
    for index, (point, pill) in enumerate(zip(points, pills, strict=True)):
        dragged = index == marks.dragged
        x = frame.x(point)
        line = _DRAGGED_WIDTH if dragged else _EDGE_WIDTH
        painter.setPen(QPen(accent, line))
        painter.drawLine(
            QPointF(min(max(x, pill.left() + 4), pill.right() - 4), pill.bottom()),
            QPointF(x, frame.plot.top()),
        )
        painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()))
        width, height = _GRIP
        middle = frame.plot.center().y()
        grip = QRectF(x - width / 2, middle - height / 2, width, height)
        if dragged:
            grip.adjust(-1, -3, 1, 3)
        painter.setBrush(surface)
        painter.drawRoundedRect(grip, width / 2, width / 2)
        filled = dragged or index == marks.focused
        _paint_edge_label(painter, pill, number_text(point), accent, filled=filled)
        if index == marks.focused:
            painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(grip.adjusted(-4, -4, 4, 4), 5, 5)


def _paint_edge_label(
    painter: QPainter, pill: QRectF, text: str, accent: QColor, *, filled: bool
) -> None:
    painter.setPen(QPen(accent, 1))
    painter.setBrush(accent if filled else theme().color("surface"))
    radius = theme().radius("control")
    painter.drawRoundedRect(pill, radius, radius)
    painter.setFont(theme().font("dense", "semibold"))
    painter.setPen(theme().color("on_accent") if filled else accent)
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)


_GRAB = 12  # px on both sides of an edge
_SNAPS = 100  # snapping steps over the range


class BinEdgeHistogram(QWidget):
    """Histogram with movable bin edges; `moving` is sent while dragging, `settled` at the end."""

    moving = Signal(object)  # tuple of bin edges
    settled = Signal(str, object)  # undo text, bin edges

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

    # -- the shown column

    @property
    def points(self) -> tuple[float, ...]:
        return self._points

    @property
    def counts(self) -> Floats | None:
        """The rows in each bin for the current edges, also during a drag."""
        return None if self._column is None else self._column.counts(self._points)

    @property
    def old_value(self) -> float | None:
        """Value of the dragged edge before the drag."""
        return None if self._dragged is None else self._before[self._dragged]

    @property
    def dragged(self) -> int | None:
        return self._dragged

    def show_column(self, column: ColumnValues, points: Sequence[float]) -> None:
        """Show another column; a drag in progress is discarded."""
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
        """Pixel x of a value."""
        return round(self._frame().x(value))

    def _frame(self) -> Frame:
        column = self._column or ColumnValues.of("", _NOTHING)
        return frame_of(self.width(), self.height(), column)

    def _describe(self) -> None:
        if self._column is None:
            self.setAccessibleName("Histogram with bin edges")
            return
        counts = self._column.counts(self._points)
        parts = [
            f"{label}: {grouped(int(count))} rows"
            for label, count in zip(labels_of(self._points), counts, strict=True)
        ]
        self.setAccessibleName(f"Histogram of {self._column.name}, {', '.join(parts)}")

    # -- edits

    def move_edge(self, index: int, value: float) -> None:
        """Move an edge to `value`, or as near as its neighbours allow."""
        self._set_edge(index, value)
        self._finish_edit(f"move bin edge of {self._name} to {number_text(self._points[index])}")

    def add_edge_at(self, value: float) -> None:
        column = self._column
        if column is None or value in self._points or not column.low < value <= column.high:
            return
        self._points = tuple(sorted((*self._points, value)))
        self._focused = self._points.index(value)
        self._finish_edit(f"add bin edge of {self._name} at {number_text(value)}")

    def remove_edge(self, index: int) -> None:
        removed = self._points[index]
        self._points = (*self._points[:index], *self._points[index + 1 :])
        self._focused = min(index, len(self._points) - 1) if self._points else None
        self._finish_edit(f"remove bin edge of {self._name} at {number_text(removed)}")

    @property
    def _name(self) -> str:
        return self._column.name if self._column is not None else ""

    @property
    def step(self) -> float:
        """Step of an arrow key, and the grid that dragging snaps to."""
        column = self._column
        return 1.0 if column is None else round_step(column.high - column.low, _SNAPS)

    def _set_edge(self, index: int, value: float) -> None:
        column = self._column
        if column is None:
            return
        smallest = round_step((column.high - column.low), 10_000)
        moved = moved_between(self._points, index, value, column.low, column.high, smallest)
        points = list(self._points)
        points[index] = moved
        self._points = tuple(points)
        self.update()

    def _finish_edit(self, what: str) -> None:
        self._describe()
        self.update()
        self.settled.emit(what, self._points)

    def _snap(self, value: float, modifiers: Qt.KeyboardModifier) -> float:
        fine = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        return snapped(value, self.step / 10 if fine else self.step)

    def _edge_at(self, position: QPoint) -> int | None:
        frame = self._frame()
        for index, pill in enumerate(label_rects(frame, self._points)):
            if pill.contains(position.x(), position.y()):
                return index
        if not frame.plot.top() - 4 <= position.y() <= frame.plot.bottom() + 4:
            return None
        near = [(abs(frame.x(p) - position.x()), index) for index, p in enumerate(self._points)]
        distance, index = min(near, default=(_GRAB + 1, -1))
        return index if distance <= _GRAB else None

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        index = self._edge_at(event.position().toPoint())
        self._focused = index
        if index is not None:
            self._dragged, self._before = index, self._points
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is None:
            over = self._edge_at(event.position().toPoint()) is not None
            shape = Qt.CursorShape.SizeHorCursor if over else Qt.CursorShape.ArrowCursor
            self.setCursor(shape)
            return
        value = self._frame().value(event.position().x())
        self._set_edge(self._dragged, self._snap(value, event.modifiers()))
        self.moving.emit(self._points)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged is None:
            return
        index, self._dragged = self._dragged, None
        if self._points != self._before:
            self._finish_edit(
                f"move bin edge of {self._name} to {number_text(self._points[index])}"
            )
        else:
            self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._edge_at(event.position().toPoint()) is None:
            value = self._frame().value(event.position().x())
            self.add_edge_at(self._snap(value, event.modifiers()))

    # -- keys

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab moves from edge to edge before it leaves the widget."""
        if self.hasFocus() and self._points:
            index = -1 if self._focused is None else self._focused
            index = index + 1 if forward else index - 1
            if 0 <= index < len(self._points):
                self._focused = index
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
        elif key in _DIRECTIONS and self._points:
            index = self._focused if self._focused is not None else 0
            self._focused = index
            size = self.step / 10 if modifiers & Qt.KeyboardModifier.AltModifier else self.step
            if modifiers & Qt.KeyboardModifier.ShiftModifier:
                size *= 10
            self.move_edge(index, snapped(self._points[index] + _DIRECTIONS[key] * size, size))
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self._focused is not None:
            self.remove_edge(self._focused)
        elif key in (Qt.Key.Key_Insert, Qt.Key.Key_Plus):
            self._add_in_widest()
        else:
            super().keyPressEvent(event)

    def _add_in_widest(self) -> None:
        column = self._column
        if column is None:
            return
        ends = (column.low, *self._points, column.high)
        width, low = max((b - a, a) for a, b in itertools.pairwise(ends))
        self.add_edge_at(snapped(low + width / 2, self.step))

    # -- Qt

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._column is None or not self._column.values.size:
            painter.setPen(theme().color("text_secondary"))
            center = Qt.AlignmentFlag.AlignCenter
            painter.drawText(self.rect(), center, "This column has no numbers.")
            return
        focused = self._focused if self.hasFocus() else None
        marks = EdgeState(focused, self._dragged, self.old_value)
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

    def _tip_at(self, position: QPoint) -> str:
        counts = self.counts
        if counts is None:
            return ""
        value = self._frame().value(position.x())
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


_DIRECTIONS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_NOTHING: Floats = np.zeros(0)
