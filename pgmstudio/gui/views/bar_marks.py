"""What a bar of a belief can carry: its filled part, the outline of a prior, hatching."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from pgmstudio.gui.style.theme import theme

# A prior outline that hugs its bar only blurs it.
LEAST_SHIFT = 0.004


def part_of(bar: QRectF, share: float) -> QRectF:
    """The filled part of a bar, at least one pixel wide."""
    return QRectF(bar.left(), bar.top(), max(bar.width() * share, 1.0), bar.height())


def paint_prior(painter: QPainter, bar: QRectF, prior: float) -> None:
    """The outline of a prior, a little taller than the bar it stands over."""
    painter.setPen(QPen(theme().color("ghost", 0.6), theme().line("ghost")))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(part_of(bar, prior).adjusted(0.5, -1, -0.5, 1))


def paint_hatched(painter: QPainter, area: QRectF, color: QColor) -> None:
    """Slanted stripes on the surface colour: told apart from a bar without its colour."""
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
