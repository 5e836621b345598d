"""The painter of bars: a fraction on its track with its marks, and small histograms."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from pgmstudio.gui.theme.theme import theme

MAX_BARS = 11


def paint_mini_bars(
    painter: QPainter, rect: QRectF, heights: Sequence[float], *, dimmed: bool = False
) -> None:
    """Bars side by side, the tallest as high as `rect`; more than eleven are drawn in groups."""
    bars = _grouped(heights)
    tallest = max(bars, default=0.0)
    if tallest <= 0:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("stale" if dimmed else "belief"))
    step = rect.width() / len(bars)
    for index, bar in enumerate(bars):
        height = max(1.0, rect.height() * bar / tallest) if bar > 0 else 0.0
        painter.drawRect(
            QRectF(rect.left() + index * step, rect.bottom() - height, max(1.0, step - 1), height)
        )
    painter.restore()


def _grouped(heights: Sequence[float]) -> list[float]:
    if len(heights) <= MAX_BARS:
        return [float(height) for height in heights]
    bounds = [round(index * len(heights) / MAX_BARS) for index in range(MAX_BARS + 1)]
    return [float(sum(heights[a:b])) for a, b in itertools.pairwise(bounds)]


MIN_SHIFT = 0.004  # a prior outline that hugs its bar only blurs it
INNER_DARKER = 200  # percent, for QColor.darker
_WEIGHT_HEIGHT = 3.0
_GUIDES = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Bar:
    """A fraction from 0 to 1 and the marks on its bar; equal bars look the same."""

    value: float | None  # None: not known, the track alone
    fill: str | QColor = "belief"  # a colour of the theme by its name, or any other
    inner: float = 0.0  # a darker part of it, as necessity within possibility
    prior: float | None = None  # an outline, where it differs
    weight: float | None = None  # of a likelihood, a hatched strip
    tick: float | None = None  # an observed fraction
    has_guides: bool = False  # at each quarter
    cut: float | None = None  # α of a cut, a dotted line
    error: float = 0.0  # of an estimate: a line from value − error to value + error


def paint_bar(painter: QPainter, track: QRectF, bar: Bar) -> None:
    """The bar on its track; whoever paints has switched antialiasing on."""
    radius = min(theme().radius("bar"), track.height() / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("belief_track"))
    painter.drawRoundedRect(track, radius, radius)
    value = 0.0 if bar.value is None else min(1.0, bar.value)
    if value > 0:
        fill = theme().color(bar.fill) if isinstance(bar.fill, str) else bar.fill
        painter.setBrush(fill)
        painter.drawRoundedRect(_part_of(track, value), radius, radius)
        if bar.inner > 0:
            inset = track.height() / 4
            painter.setBrush(fill.darker(INNER_DARKER))
            painter.drawRect(_part_of(track.adjusted(0, inset, 0, -inset), min(value, bar.inner)))
    if bar.has_guides:
        painter.setPen(QPen(theme().color("surface", 0.6), 0.75))
        quarters = [track.left() + track.width() * fraction for fraction in _GUIDES]
        painter.drawLines([QLineF(x, track.top(), x, track.bottom()) for x in quarters])
    if bar.cut is not None:
        x = track.left() + track.width() * bar.cut
        pen = QPen(theme().color("text"), 1.25)
        pen.setDashPattern([1.2, 1.6])
        painter.setPen(pen)
        painter.drawLine(QLineF(x, track.top() - 3, x, track.bottom() + 3))
    if bar.weight is not None:
        top = track.bottom() - _WEIGHT_HEIGHT
        strip = QRectF(track.left(), top, track.width() * bar.weight, _WEIGHT_HEIGHT)
        paint_hatched(painter, strip, theme().color("virtual"))
    if bar.prior is not None and abs(bar.prior - (bar.value or 0.0)) >= MIN_SHIFT:
        painter.setPen(QPen(theme().color("ghost", 0.6), theme().line("ghost")))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(_part_of(track, bar.prior).adjusted(0.5, -1, -0.5, 1))
    if bar.error > 0 and bar.value is not None:
        low, high = max(0.0, value - bar.error), min(1.0, value + bar.error)
        left, right = track.left() + track.width() * low, track.left() + track.width() * high
        y, half = track.center().y(), track.height() / 4
        painter.setPen(QPen(theme().color("text"), 1.0))
        ends = [QLineF(x, y - half, x, y + half) for x in (left, right)]
        painter.drawLines([QLineF(left, y, right, y), *ends])
    if bar.tick is not None:
        x = round(track.left() + track.width() * bar.tick)
        painter.setPen(QPen(theme().color("text"), 1.5))
        painter.drawLine(QLineF(x, round(track.top()) - 2, x, round(track.bottom()) + 2))


def _part_of(track: QRectF, fraction: float) -> QRectF:
    """The filled part of a bar, at least one pixel wide."""
    return QRectF(track.left(), track.top(), max(track.width() * fraction, 1.0), track.height())


def paint_hatched(painter: QPainter, area: QRectF, color: QColor) -> None:
    """Slanted stripes on the surface colour: differs from a bar also without colour."""
    if area.width() <= 0:
        return
    painter.fillRect(area, theme().color("surface"))
    pen = QPen(color, 2.0)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    left, right, height = area.left(), area.right(), area.height()
    lines = []
    x = left - height
    # Cut by hand at both sides: a clip would get lost in an SVG file.
    while x < right:
        start, end = max(0.0, left - x), min(height, right - x)
        lines.append(QLineF(x + start, area.bottom() - start, x + end, area.bottom() - end))
        x += 4.5
    painter.drawLines(lines)
