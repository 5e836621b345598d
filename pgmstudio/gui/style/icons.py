"""Icons of the closed vocabulary, drawn in a token colour; one icon, one meaning."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRectF
from PySide6.QtGui import QIcon, QPainter

from pgmstudio.core.pictures.tokens import tokens
from pgmstudio.gui.style.phosphor import GlyphEngine, glyph_outline
from pgmstudio.gui.style.theme import theme


def icon(name: str, color: str = "text_secondary", *, on: str | None = None) -> QIcon:
    """A Phosphor icon by its short name ("database"); `on` colours its checked state."""
    return _icon(name, theme().shade, color, on)


def language_icon(kind: str) -> QIcon:
    """The sign of a model language, in its colour."""
    signs = tokens()["language"]
    sign = signs.get({"tree": "chow-liu"}.get(kind, kind), signs["bayesian-network"])
    names = [entry["name"] for entry in tokens()["category"][theme().shade]]
    ink = tokens()["category"][theme().shade][names.index(sign["category"])]["ink"]
    return _raw_icon(sign["icon"], ink, ink)


def paint_icon(painter: QPainter, name: str, color: str, place: QRectF) -> None:
    """The same icon as an outline: it stays sharp in a file and needs no font there."""
    path = glyph_outline(name, _OUTLINE_PX)
    bounds = path.boundingRect()
    scale = min(place.width(), place.height()) / _OUTLINE_PX
    painter.save()
    painter.translate(place.center() - bounds.center() * scale)
    painter.scale(scale, scale)
    painter.fillPath(path, theme().color(color))
    painter.restore()


_OUTLINE_PX = 64


@lru_cache(maxsize=512)
def _icon(name: str, shade: str, color: str, on: str | None) -> QIcon:
    named = tokens()["color"][shade]
    return _raw_icon(name, named[color], named[on or color], named["text_disabled"])


@lru_cache(maxsize=512)
def _raw_icon(name: str, color: str, on: str, disabled: str | None = None) -> QIcon:
    return QIcon(GlyphEngine(name.removeprefix("ph."), color, on, disabled or color))
