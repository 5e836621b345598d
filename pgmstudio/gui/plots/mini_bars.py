"""A histogram of a few pixels, for lists of columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from pgmstudio.gui.style.theme import theme

MOST_BARS = 11


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
    for place, bar in enumerate(bars):
        height = max(1.0, rect.height() * bar / tallest) if bar > 0 else 0.0
        painter.drawRect(
            QRectF(rect.left() + place * step, rect.bottom() - height, max(1.0, step - 1), height)
        )
    painter.restore()


def _grouped(heights: Sequence[float]) -> list[float]:
    if len(heights) <= MOST_BARS:
        return [float(height) for height in heights]
    bounds = [round(place * len(heights) / MOST_BARS) for place in range(MOST_BARS + 1)]
    return [float(sum(heights[a:b])) for a, b in itertools.pairwise(bounds)]
