"""Markers of the model languages on plots and next to names: ●, ■, ◆, ▼, ▲, ★, ⬢."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

from pgmstudio.core.drawing.svg.plot_labels import corners_of, language_marker, marker_family
from pgmstudio.core.drawing.theme import tokens
from pgmstudio.core.experiments.language_comparison.candidates import Candidate
from pgmstudio.gui.theme.theme import theme


@lru_cache(maxsize=16)
def mark_path(marker: str) -> QPainterPath:
    """The outline of a mark by its name in the tokens, about 1 wide around the origin."""
    path = QPainterPath()
    if marker == "o":
        path.addEllipse(QRectF(-0.5, -0.5, 1, 1))
    elif marker == "s":
        path.addRect(QRectF(-0.45, -0.45, 0.9, 0.9))
    elif marker == "+":
        path.addRect(QRectF(-0.5, -0.14, 1, 0.28))
        path.addRect(QRectF(-0.14, -0.5, 0.28, 1))
    else:
        for number, corner in enumerate(corners_of(marker, 0.52 if marker == "h" else 0.62)):
            path.lineTo(*corner) if number else path.moveTo(*corner)
        path.closeSubpath()
    return path


def mark_colors(family: str) -> tuple[QColor, QColor]:
    """Fill and line of a language in the present look."""
    category = language_marker(family)[1]
    entry = next(e for e in tokens()["category"][theme().shade] if e["name"] == category)
    return QColor(entry["fill"]), QColor(entry["line"])


def mark_icon(family: str) -> QIcon:
    """The marker of a language as an icon."""
    return _icon(family, theme().shade, theme().px("icon_small"))


@lru_cache(maxsize=64)
def _icon(family: str, _shade: str, size: int) -> QIcon:
    ratio = 2
    pixmap = QPixmap(QSize(size, size) * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    fill, line = mark_colors(family)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(size / 2, size / 2)
    painter.scale(size * 0.72, size * 0.72)
    pen = QPen(line, 1.2)
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.setBrush(fill)
    painter.drawPath(mark_path(language_marker(family)[0]))
    painter.end()
    return QIcon(pixmap)


def _family(language: Candidate) -> str:
    return marker_family(language.family, language.learner)


def paint_marker(painter: QPainter, at: QPointF, language: Candidate, size: float) -> None:
    """Paint the marker of a language around a point, `size` pixels wide."""
    fill, ink = mark_colors(_family(language))
    painter.save()
    painter.translate(at)
    painter.scale(size, size)
    pen = QPen(ink, 1.2)
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.setBrush(fill)
    painter.drawPath(mark_path(language_marker(_family(language))[0]))
    painter.restore()


def language_icon(language: Candidate) -> QIcon:
    """The marker as an icon, in the present theme."""
    return mark_icon(_family(language))
