"""Fonts of the canvas: sizes at 100 %, because the view itself zooms with the font scale."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QFont, QFontMetricsF

from pgmstudio.core.drawing.theme import tokens
from pgmstudio.gui.theme.theme import Weight, theme


@lru_cache(maxsize=32)
def canvas_font(size: str = "caption", weight: Weight = "regular") -> QFont:
    """A font of the scale (micro, caption, dense, …) in scene px."""
    font = QFont(theme().font(size, weight))
    font.setPixelSize(int(tokens()["type"]["size_px"][size]))
    return font


@lru_cache(maxsize=32)
def canvas_metrics(size: str = "caption", weight: Weight = "regular") -> QFontMetricsF:
    return QFontMetricsF(canvas_font(size, weight))


def largest_size(text: str, weight: Weight, width: float) -> str:
    """The size in which a name fits, so that it is made smaller before it is cut."""
    sizes = ("dense", "caption", "micro")
    fits = (s for s in sizes if canvas_metrics(s, weight).horizontalAdvance(text) <= width)
    return next(fits, sizes[-1])


@lru_cache(maxsize=64)
def font_of_height(pixels: int, weight: Weight = "medium") -> QFont:
    """The canvas font at any height, for names that keep their size on screen."""
    font = QFont(theme().font("caption", weight))
    font.setPixelSize(max(1, pixels))
    return font


@lru_cache(maxsize=64)
def metrics_of_height(pixels: int) -> QFontMetricsF:
    return QFontMetricsF(font_of_height(pixels))
