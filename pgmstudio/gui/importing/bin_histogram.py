"""Histogram of a numeric column with bin edges that can be dragged, added and removed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainterPath, QPen

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.discretization import labels_of, number_text
from pgmstudio.core.data.summary import ColumnValues
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.plots.chart import StillChart
from pgmstudio.gui.plots.items import Frame, Text
from pgmstudio.gui.theme.theme import theme

_ROUND = (1.0, 2.0, 5.0, 10.0)


def round_step(span: float, pieces: int) -> float:
    """The smallest 1, 2 or 5 times a power of ten that divides `span` into at most `pieces`."""
    if span <= 0 or pieces < 1:
        return 1.0
    target = span / pieces
    power = 10.0 ** math.floor(math.log10(target))
    return next(step * power for step in _ROUND if step * power >= target * (1 - 1e-9))


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


def _axis_count(count: float) -> str:
    """Of the axis, which begins at 0."""
    return grouped(round(count)) if count else ""


def _label_height() -> float:
    return QFontMetricsF(theme().font("dense", "semibold")).height() + 6


_EDGE_WIDTH, _DRAGGED_WIDTH = 1.6, 2.4  # line widths (px)
_TINT = 0.06
_GRIP = (6.0, 24.0)
_GRAB = 12  # px on both sides of an edge
_SNAPS = 100  # snapping steps over the range
_DIRECTIONS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
TINT_Z, BARS_Z, EDGE_Z, GRIP_Z, TEXT_Z = range(5)


class BinEdgeHistogram(StillChart):
    """Histogram with movable bin edges; `moving` is sent while dragging, `settled` at the end.

    Not pyqtgraph's movable lines: an edge is also held by its label, snaps to round numbers and
    takes the focus.
    """

    scales = ("left", "bottom")
    moving = Signal(object)  # tuple of bin edges
    settled = Signal(str, object)  # undo text, bin edges

    def __init__(self, name: str) -> None:
        super().__init__(name, "This column has no numbers.")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._column: ColumnValues | None = None
        self._points: tuple[float, ...] = ()
        self._focused: int | None = None
        self._dragged: int | None = None
        self._before: tuple[float, ...] = ()
        self._describe()

    # -- the shown column

    @property
    def is_empty(self) -> bool:
        return self._column is None or not self._column.values.size

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
        self.refresh()

    # -- geometry

    def sizeHint(self) -> QSize:
        return QSize(640, 280)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, round(150 * theme().scale))

    def _margins(self) -> tuple[float, float, float, float]:
        """Labels of the edges above; numbers of the axis, names of the bins and counts below."""
        caption = QFontMetricsF(theme().font("caption"))
        left = caption.horizontalAdvance(grouped(int(self._tallest))) + 14
        below = caption.height() * 3 + theme().space(5)
        return left, _label_height() + theme().space(3), 10.0, below

    def _seen(self, area: QRectF) -> QRectF:
        low, high = (0.0, 1.0) if self._column is None else self._column.edges[[0, -1]].tolist()
        return QRectF(low, 0, high - low, self._tallest)

    @property
    def _tallest(self) -> float:
        """Upper end of the axis, up to the next round number where that wastes little space."""
        highest = 1.0 if self._column is None else float(self._column.bars.max(initial=0))
        step = round_step(highest, 3)
        line = step * math.ceil(highest / step - 1e-9)
        return max(line if line < 1.15 * highest else highest * 1.04, 1.0)

    def x_of(self, value: float) -> int:
        """Pixel x of a value."""
        return round(self.frame.point(value, 0).x())

    def _value_at(self, position: QPointF) -> float:
        return self.frame.value(position)[0]

    def _edge_labels(self) -> list[QRectF]:
        """Rectangles of the edge labels, moved apart where edges are close."""
        frame, metrics = self.frame, QFontMetricsF(theme().font("dense", "semibold"))
        widths = [metrics.horizontalAdvance(number_text(point)) + 16 for point in self._points]
        centers = [frame.point(point, 0).x() for point in self._points]
        lefts = spread(centers, widths, frame.area.left() - 24, frame.area.right() + 10, 3.0)
        if lefts is None:
            lefts = [center - width / 2 for center, width in zip(centers, widths, strict=True)]
        return [QRectF(x, 1, w, _label_height()) for x, w in zip(lefts, widths, strict=True)]

    # -- drawing

    def _build(self) -> None:
        super()._build()
        for side, text in (("left", _axis_count), ("bottom", number_text)):
            axis = self._canvas.getAxis(side)
            axis.setStyle(maxTickLevel=0 if side == "left" else 1)
            axis.tickStrings = lambda values, *_, text=text: [text(value) for value in values]
        self._canvas.getAxis("bottom").setGrid(False)

    def _draw_items(self, frame: Frame) -> None:
        look, column, area = theme(), self._column, frame.area
        assert column is not None
        high, px = frame.seen.height(), frame.seen.width() / area.width()
        ends = np.array([frame.seen.left(), *self._points, frame.seen.right()])
        odd = slice(1, len(ends) - 1, 2)
        tint = look.color("accent", _TINT)
        self.items.boxes("tints", (ends[:-1][odd], ends[1:][odd]), (0, high), TINT_Z, fill=tint)
        known = column.bars > 0
        xs = column.edges[:-1][known], column.edges[1:][known] - px
        fill = look.color("belief")
        self.items.boxes("bars", xs, (0, column.bars[known]), BARS_Z, fill=fill, least=1)
        pen = QPen(look.color("border_control"), 1)
        self.items.line("axis", ends[[0, -1]], np.zeros(2), pen, EDGE_Z)
        self._draw_edges(frame)
        self.items.texts("bins", self._bin_texts(frame, column), TEXT_Z)
        if self.shows_focus and self._focused is None:
            pen, box = QPen(look.color("focus"), 1), QRectF(self.rect()).adjusted(0, 0, -1, -1)
            self.items.frame("focus", box, TEXT_Z, ink=pen, radius=5)

    def _draw_edges(self, frame: Frame) -> None:
        look, heights, texts = theme(), np.array([0.0, frame.seen.height()]), []
        accent, surface, radius = (
            look.color("accent"),
            look.color("surface"),
            look.radius("control"),
        )
        if self.old_value is not None:
            pen = QPen(accent, 1, Qt.PenStyle.DashLine)
            self.items.line("before", np.full(2, self.old_value), heights, pen, EDGE_Z)
        font = look.font("dense", "semibold")
        for index, (point, label) in enumerate(zip(self._points, self._edge_labels(), strict=True)):
            is_held, is_focused = (
                index == self._dragged,
                index == self._focused and self.shows_focus,
            )
            pen = QPen(accent, _DRAGGED_WIDTH if is_held else _EDGE_WIDTH)
            self.items.line(f"edge {index}", np.full(2, point), heights, pen, EDGE_Z)
            top = frame.point(point, heights[1])
            lead = QPainterPath(top)
            lead.lineTo(min(max(top.x(), label.left() + 4), label.right() - 4), label.bottom())
            self.items.shape(f"lead {index}", lead, EDGE_Z, ink=pen)
            grip = QRectF(QPointF(), QSizeF(*_GRIP))
            grip.moveCenter(frame.point(point, heights[1] / 2))
            if is_held:
                grip.adjust(-1, -3, 1, 3)
            self.items.frame(f"grip {index}", grip, GRIP_Z, ink=pen, fill=surface, radius=3)
            if is_focused:
                ring = QPen(look.color("focus"), look.line("focus"))
                around = grip.adjusted(-4, -4, 4, 4)
                self.items.frame("focus", around, GRIP_Z, ink=ring, radius=5)
            is_filled = is_held or is_focused
            fill, ink = (accent, "on_accent") if is_filled else (surface, "accent")
            pen = QPen(accent, 1)
            self.items.frame(f"label {index}", label, GRIP_Z, ink=pen, fill=fill, radius=radius)
            texts.append(Text(label, number_text(point), ink=ink, font=font))
        self.items.texts("labels", texts, TEXT_Z)

    def _bin_texts(self, frame: Frame, column: ColumnValues) -> list[Text]:
        """Name and count of each bin, in the longest wording that fits."""
        names, counts = labels_of(self._points), column.counts(self._points)
        ends = [frame.area.left(), *map(self.x_of, self._points), frame.area.right()]
        centers = [(a + b) / 2 for a, b in itertools.pairwise(ends)]
        bold = theme().font("caption", "semibold")
        by_name, by_count = QFontMetricsF(bold), QFontMetricsF(theme().font("caption"))
        for wording in (_long, _middle, _short):
            texts = [wording(count, column.total) for count in counts]
            widths = [
                max(by_name.horizontalAdvance(name), by_count.horizontalAdvance(text)) + 2
                for name, text in zip(names, texts, strict=True)
            ]
            lefts = spread(centers, widths, 0, frame.area.right() + 10, 8)
            if lefts is not None:
                break
        if lefts is None:
            lefts = [center - width / 2 for center, width in zip(centers, widths, strict=True)]
        top = frame.area.bottom() + by_count.height() + theme().space(3)
        edge, shown = -1.0, []
        for name, text, left, width in zip(names, texts, lefts, widths, strict=True):
            if left < edge:  # not even the shortest text fits
                continue
            edge = left + width + 4
            box = QRectF(left, top, width, by_name.height())
            shown.append(Text(box, name, ink="accent", font=bold))
            shown.append(Text(box.translated(0, by_name.height() + 1), text))
        return shown

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

    def text_at(self, position: QPointF) -> str:
        """Tooltip of the bin under the pointer."""
        counts = self.counts
        if counts is None:
            return ""
        bin_ = sum(self._value_at(position) >= point for point in self._points)
        return f"{labels_of(self._points)[bin_]}: {grouped(int(counts[bin_]))} rows"

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
        self.redraw()

    def _finish_edit(self, what: str) -> None:
        self._describe()
        self.redraw()
        self.settled.emit(what, self._points)

    def _snap(self, value: float, modifiers: Qt.KeyboardModifier) -> float:
        fine = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        return snapped(value, self.step / 10 if fine else self.step)

    def _edge_at(self, position: QPointF) -> int | None:
        for index, label in enumerate(self._edge_labels()):
            if label.contains(position):
                return index
        area = self.frame.area
        if not area.top() - 4 <= position.y() <= area.bottom() + 4:
            return None
        near = [(abs(self.x_of(p) - position.x()), index) for index, p in enumerate(self._points)]
        distance, index = min(near, default=(_GRAB + 1, -1))
        return index if distance <= _GRAB else None

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        index = self._edge_at(event.position())
        self._focused = index
        if index is not None:
            self._dragged, self._before = index, self._points
        self.redraw()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is None:
            over = self._edge_at(event.position()) is not None
            shape = Qt.CursorShape.SizeHorCursor if over else Qt.CursorShape.ArrowCursor
            self.setCursor(shape)
            return
        value = self._value_at(event.position())
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
            self.redraw()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._edge_at(event.position()) is None:
            value = self._value_at(event.position())
            self.add_edge_at(self._snap(value, event.modifiers()))

    # -- keys

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab moves from edge to edge before it leaves the widget."""
        if self.hasFocus() and self._points:
            index = -1 if self._focused is None else self._focused
            index = index + 1 if forward else index - 1
            if 0 <= index < len(self._points):
                self._focused = index
                self.redraw()
                return True
        self._focused = None
        self.redraw()
        return super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if key == Qt.Key.Key_Escape and self._dragged is not None:
            self._points, self._dragged = self._before, None
            self.moving.emit(self._points)
            self.redraw()
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
