"""Painting of bars: small histograms, and belief bars with prior outline and hatching."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

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


# A prior outline that hugs its bar only blurs it.
MIN_SHIFT = 0.004


def part_of(bar: QRectF, fraction: float) -> QRectF:
    """The filled part of a bar, at least one pixel wide."""
    return QRectF(bar.left(), bar.top(), max(bar.width() * fraction, 1.0), bar.height())


def paint_prior(painter: QPainter, bar: QRectF, prior: float) -> None:
    """The outline of a prior, a little taller than the bar it stands over."""
    painter.setPen(QPen(theme().color("ghost", 0.6), theme().line("ghost")))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(part_of(bar, prior).adjusted(0.5, -1, -0.5, 1))


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
