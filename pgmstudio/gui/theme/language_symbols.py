"""Markers of the model languages on plots and next to names: ●, ■, ◆, ▼, ▲, ★, ⬢."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QTransform

from pgmstudio.core.drawing.markers import corners_of
from pgmstudio.core.drawing.theme import tokens
from pgmstudio.core.languages.markers import language_marker, marker_family
from pgmstudio.gui.theme.icons import PaintedIconEngine
from pgmstudio.gui.theme.theme import theme

if TYPE_CHECKING:
    from pgmstudio.core.experiments.language_comparison.candidates import Candidate


@lru_cache(maxsize=16)
def mark_path(symbol: str) -> QPainterPath:
    """The outline of a mark by its symbol, about 1 wide around the origin."""
    path = QPainterPath()
    if symbol == "o":
        path.addEllipse(QRectF(-0.5, -0.5, 1, 1))
    elif symbol == "s":
        path.addRect(QRectF(-0.45, -0.45, 0.9, 0.9))
    elif symbol == "+":
        path.addRect(QRectF(-0.5, -0.14, 1, 0.28))
        path.addRect(QRectF(-0.14, -0.5, 0.28, 1))
    else:
        for number, corner in enumerate(corners_of(symbol, 0.52 if symbol == "h" else 0.62)):
            path.lineTo(*corner) if number else path.moveTo(*corner)
        path.closeSubpath()
    return path


def mark_colors(family: str) -> tuple[QColor, QColor]:
    """Fill and line of a language in the present look."""
    color = language_marker(family).color
    entry = next(e for e in tokens()["category"][theme().shade] if e["name"] == color)
    return QColor(entry["fill"]), QColor(entry["line"])


@lru_cache(maxsize=64)
def mark_icon(family: str) -> QIcon:
    """The marker of a language as an icon."""

    def paint(painter: QPainter, rect: QRect, _mode: QIcon.Mode, _state: QIcon.State) -> None:
        size = min(rect.height(), theme().px("icon_small"))
        paint_family_marker(painter, QRectF(rect).center(), family, size * 0.72)

    return QIcon(PaintedIconEngine(paint))


def _family(language: Candidate) -> str:
    return marker_family(language.family, language.learner)


def paint_family_marker(
    painter: QPainter, at: QPointF, family: str, size: float, width: float = 1.2
) -> None:
    """Paint the marker of a family around a point, `size` pixels wide, with a line of `width`."""
    fill, line = mark_colors(family)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(line, width))
    painter.setBrush(fill)
    outline = QTransform.fromScale(size, size).map(mark_path(language_marker(family).symbol))
    painter.drawPath(outline.translated(at))
    painter.restore()


def language_icon(language: Candidate) -> QIcon:
    """The marker as an icon, in the present theme."""
    return mark_icon(_family(language))
