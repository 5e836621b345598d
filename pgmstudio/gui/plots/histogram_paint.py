"""How a histogram with cuts is drawn: bars, tinted bins, cuts with pills, labels and counts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from pgmstudio.core.data.cuts import labels_of, number_text
from pgmstudio.gui.plots.histogram_layout import round_step, spread, ticks
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.theme import theme

Floats = NDArray[np.float64]

BARS = 45
_CUT, _DRAGGED_CUT = 1.6, 2.4  # line widths
_TINT = 0.06
_GRIP = (6.0, 24.0)


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The finite values of a column, ascending, with running sums of their weights."""

    name: str
    values: Floats
    reached: Floats  # reached[i] is the weight of the first i values
    bars: Floats
    edges: Floats

    @classmethod
    def of(cls, name: str, values: Floats, weights: Floats | None = None) -> ColumnValues:
        usable = np.isfinite(values)
        kept = np.asarray(values, dtype=np.float64)[usable]
        amounts = np.ones(kept.size) if weights is None else np.asarray(weights)[usable]
        order = np.argsort(kept, kind="stable")
        kept, amounts = kept[order], amounts[order]
        reached = np.concatenate(([0.0], np.cumsum(amounts)))
        if not kept.size:
            return cls(name, kept, reached, np.zeros(BARS), np.linspace(0, 1, BARS + 1))
        edges = bar_edges(kept)
        bars, _ = np.histogram(kept, bins=edges, weights=amounts)
        return cls(name, kept, reached, bars.astype(np.float64), edges)

    @property
    def least(self) -> float:
        return float(self.values[0]) if self.values.size else 0.0

    @property
    def most(self) -> float:
        return float(self.values[-1]) if self.values.size else 1.0

    @property
    def total(self) -> float:
        return float(self.reached[-1])

    def counts(self, points: Sequence[float]) -> Floats:
        """The weight in each interval; a value equal to a cut belongs above it."""
        below = self.reached[np.searchsorted(self.values, np.array(points), side="left")]
        return np.diff(np.concatenate(([0.0], below, [self.total])))


def bar_edges(values: Floats) -> Floats:
    """Ends of 45 bars of equal width over ascending values.

    Values written with at most two decimals get bars that are whole multiples of their unit (and
    so a few bars less): otherwise some bars would hold one value more than their neighbours.
    """
    low, high = float(values[0]), float(values[-1])
    if high <= low:
        return np.linspace(low - 0.5, low + 0.5, 2)
    for decimals in range(3):
        scaled = values * 10.0**decimals
        if np.abs(scaled).max() < 1e12 and np.array_equal(np.round(scaled), np.round(scaled, 6)):
            unit = int(np.ceil(round((high - low) * 10**decimals) / BARS)) or 1
            first = int(np.floor(round(low * 10**decimals) / unit))
            last = int(np.floor(round(high * 10**decimals) / unit)) + 1
            return np.arange(first, last + 1) * unit / 10.0**decimals
    return np.linspace(low, high, BARS + 1)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where values stand on the widget."""

    plot: QRectF
    low: float
    high: float

    def x(self, value: float) -> float:
        return self.plot.left() + self.plot.width() * (value - self.low) / (self.high - self.low)

    def value(self, x: float) -> float:
        return self.low + (self.high - self.low) * (x - self.plot.left()) / self.plot.width()


@dataclass(frozen=True, slots=True)
class CutMarks:
    """Which cut has the focus, which is being dragged and where it stood before."""

    focused: int | None = None
    dragged: int | None = None
    old: float | None = None


def frame_of(width: float, height: float, column: ColumnValues) -> Frame:
    """The plot inside a widget of that size: pills above, ticks, labels and counts below."""
    caption = QFontMetricsF(theme().font("caption"))
    marks = [grouped(int(tick)) for tick in ticks(0, _tallest(column), 3)]
    left = max(map(caption.horizontalAdvance, marks)) + 14
    top = pill_height() + theme().space(3)
    below = caption.height() * 3 + theme().space(5)
    plot = QRectF(left, top, max(60.0, width - left - 10), max(40.0, height - top - below))
    return Frame(plot, float(column.edges[0]), float(column.edges[-1]))


def pill_height() -> float:
    return QFontMetricsF(theme().font("dense", "semibold")).height() + 6


def pill_rects(frame: Frame, points: Sequence[float]) -> list[QRectF]:
    """One pill per cut, moved apart where cuts are close."""
    metrics = QFontMetricsF(theme().font("dense", "semibold"))
    widths = [metrics.horizontalAdvance(number_text(point)) + 16 for point in points]
    centers = [frame.x(point) for point in points]
    reach = (frame.plot.left() - 24, frame.plot.right() + 10)
    lefts = spread(centers, widths, *reach, 3.0)
    if lefts is None:
        lefts = [center - width / 2 for center, width in zip(centers, widths, strict=True)]
    return [
        QRectF(left, 1.0, width, pill_height()) for left, width in zip(lefts, widths, strict=True)
    ]


def paint_histogram(
    painter: QPainter,
    frame: Frame,
    column: ColumnValues,
    points: Sequence[float],
    marks: CutMarks,
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_tints(painter, frame, points)
    _paint_axes(painter, frame, column)
    _paint_bars(painter, frame, column)
    _paint_labels(painter, frame, column, points)
    _paint_cuts(painter, frame, points, marks)


def _paint_tints(painter: QPainter, frame: Frame, points: Sequence[float]) -> None:
    ends = [frame.plot.left(), *(frame.x(point) for point in points), frame.plot.right()]
    tint = theme().color("accent", _TINT)
    for place in range(1, len(ends) - 1, 2):
        left, right = ends[place], ends[place + 1]
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
    # Up to the next line of the grid where that wastes little room.
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
    # The longest wording that fits: first with "rows", then shorter and shorter.
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
        if left < edge:  # no room even for the shortest wording: this bin stays silent
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


def _paint_cuts(painter: QPainter, frame: Frame, points: Sequence[float], marks: CutMarks) -> None:
    accent, surface = theme().color("accent"), theme().color("surface")
    if marks.old is not None:
        x = frame.x(marks.old)
        painter.setPen(QPen(accent, 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()))
    pills = pill_rects(frame, points)
    for index, (point, pill) in enumerate(zip(points, pills, strict=True)):
        dragged = index == marks.dragged
        x = frame.x(point)
        line = _DRAGGED_CUT if dragged else _CUT
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
        _paint_pill(painter, pill, number_text(point), accent, filled=filled)
        if index == marks.focused:
            painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(grip.adjusted(-4, -4, 4, 4), 5, 5)


def _paint_pill(
    painter: QPainter, pill: QRectF, text: str, accent: QColor, *, filled: bool
) -> None:
    painter.setPen(QPen(accent, 1))
    painter.setBrush(accent if filled else theme().color("surface"))
    radius = theme().radius("control")
    painter.drawRoundedRect(pill, radius, radius)
    painter.setFont(theme().font("dense", "semibold"))
    painter.setPen(theme().color("on_accent") if filled else accent)
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)
