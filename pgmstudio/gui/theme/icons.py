"""Icons of the closed vocabulary, drawn in a token colour; one icon, one meaning.

The Phosphor glyphs out of qtawesome's font file.

qtawesome itself loads a dozen fonts and a Qt compatibility layer, a third of the time to the first
paint; its one font and the table of names are all that is needed here.
"""

from __future__ import annotations

import importlib.util
import json
from functools import cache, lru_cache
from pathlib import Path

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QIcon,
    QIconEngine,
    QPainter,
    QPainterPath,
    QPixmap,
)

from pgmstudio.core.drawing.theme import tokens
from pgmstudio.core.errors import FileError, UnknownNameError
from pgmstudio.gui.theme.theme import theme

# The glyphs of the set fill about 7/8 of their em.
FILL = 0.875


@cache
def _folder() -> Path:
    spec = importlib.util.find_spec("qtawesome")
    if spec is None or not spec.submodule_search_locations:
        raise FileError("qtawesome", "is not installed; install pgmstudio again.")
    return Path(spec.submodule_search_locations[0]) / "fonts"


@cache
def _names() -> dict[str, str]:
    (file,) = sorted(_folder().glob("phosphor-charmap*.json"))[-1:]
    codes: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return {name: chr(int(code, 16)) for name, code in codes.items()}


@cache
def _family() -> str:
    (file,) = sorted(_folder().glob("phosphor*.ttf"))[-1:]
    number = QFontDatabase.addApplicationFont(str(file))
    return QFontDatabase.applicationFontFamilies(number)[0]


def glyph(name: str) -> str:
    """The letter of an icon; UnknownNameError suggests the nearest name."""
    names = _names()
    if name not in names:
        raise UnknownNameError("icon", name, names)
    return names[name]


def glyph_font(pixels: int) -> QFont:
    font = QFont(_family())
    font.setPixelSize(max(1, pixels))
    return font


@cache
def glyph_outline(name: str, pixels: int) -> QPainterPath:
    """The icon as a path: it stays sharp in a file and needs no font there."""
    path = QPainterPath()
    path.addText(QPointF(0, 0), glyph_font(round(pixels * FILL)), glyph(name))
    return path


class GlyphEngine(QIconEngine):
    """Draws a glyph in the colour of the icon's mode and state, sharp at every size."""

    def __init__(self, name: str, color: str, on: str, disabled: str) -> None:
        super().__init__()
        glyph(name)  # an unknown name raises now, not when it is painted
        self._name = name
        self._color, self._on, self._disabled = color, on, disabled

    def clone(self) -> QIconEngine:
        return GlyphEngine(self._name, self._color, self._on, self._disabled)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        _paint(painter, rect, self._name, self._color_of(mode, state))

    def _color_of(self, mode: QIcon.Mode, state: QIcon.State) -> str:
        if mode is QIcon.Mode.Disabled:
            return self._disabled
        return self._on if state is QIcon.State.On else self._color

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return _drawn(self._name, self._color_of(mode, state), size.width(), size.height())


@lru_cache(maxsize=512)
def _drawn(name: str, color: str, width: int, height: int) -> QPixmap:
    """Every button asks for its picture whenever it is painted."""
    made = QPixmap(width, height)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    _paint(painter, QRect(0, 0, width, height), name, color)
    painter.end()
    return made


def _paint(painter: QPainter, rect: QRect, name: str, color: str) -> None:
    painter.save()
    painter.setPen(QColor(color))
    painter.setFont(glyph_font(round(rect.height() * FILL)))
    painter.drawText(QRectF(rect), Qt.AlignmentFlag.AlignCenter, glyph(name))
    painter.restore()


def icon(name: str, color: str = "text_secondary", *, on: str | None = None) -> QIcon:
    """A Phosphor icon by its short name ("database"); `on` colours its checked state."""
    return _icon(name, theme().shade, color, on)


# For the kinds of plug-ins, which the tokens do not list.
_PLUGIN_MARKER = {"category": "vermilion", "icon": "ph.puzzle-piece"}


def language_icon(kind: str) -> QIcon:
    """The marker of a model language, in its colour."""
    marker = tokens()["language"].get({"tree": "chow-liu"}.get(kind, kind), _PLUGIN_MARKER)
    names = [entry["name"] for entry in tokens()["category"][theme().shade]]
    ink = tokens()["category"][theme().shade][names.index(marker["category"])]["ink"]
    return _raw_icon(marker["icon"], ink, ink)


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
