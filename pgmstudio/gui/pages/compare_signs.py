"""The signs of the languages of a race: those of all plots."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QIcon, QPainter, QPen

from pgmstudio.core.experiments.languages import Language
from pgmstudio.core.pictures.curve_signs import language_sign, sign_family
from pgmstudio.gui.plots.language_marks import mark_colors, mark_icon, mark_path


def _family(language: Language) -> str:
    return sign_family(language.family, language.learner)


def paint_sign(painter: QPainter, at: QPointF, language: Language, size: float) -> None:
    """The sign of a language around a point, so many pixels wide."""
    fill, ink = mark_colors(_family(language))
    painter.save()
    painter.translate(at)
    painter.scale(size, size)
    pen = QPen(ink, 1.2)
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.setBrush(fill)
    painter.drawPath(mark_path(language_sign(_family(language))[0]))
    painter.restore()


def language_icon(language: Language) -> QIcon:
    """The sign as an icon, in the present look."""
    return mark_icon(_family(language))
