"""The signs of the languages of a race: those of all plots, and a hollow one for the hybrid."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPen, QPixmap

from pgmstudio.core.experiments.languages import Language
from pgmstudio.core.pictures.curve_svg import language_sign
from pgmstudio.gui.plots.language_marks import mark_colors, mark_path
from pgmstudio.gui.style.theme import theme

# Languages whose models are of the kind of another one.
HOLLOW = frozenset({"hybrid"})


def paint_sign(painter: QPainter, at: QPointF, language: Language, size: float) -> None:
    """The sign of a language around a point, so many pixels wide."""
    fill, ink = mark_colors(language.family)
    painter.save()
    painter.translate(at)
    painter.scale(size, size)
    pen = QPen(ink, 1.6 if language.key in HOLLOW else 1.2)
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.setBrush(theme().color("surface") if language.key in HOLLOW else fill)
    painter.drawPath(mark_path(language_sign(language.family)[0]))
    painter.restore()


def language_icon(language: Language) -> QIcon:
    """The sign as an icon, in the present look."""
    size, ratio = theme().px("icon_small"), 2
    pixmap = QPixmap(QSize(size, size) * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_sign(painter, QPointF(size / 2, size / 2), language, size * 0.72)
    painter.end()
    return QIcon(pixmap)
