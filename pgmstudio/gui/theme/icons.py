"""Icons of the closed vocabulary, drawn in a token colour; one icon, one meaning.

The glyphs are those of the Phosphor font in the resources.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QIcon,
    QIconEngine,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from pgmstudio.core.drawing.markers import NEUTRAL, Marker
from pgmstudio.core.drawing.theme import tokens
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.languages.markers import language_marker
from pgmstudio.core.resources import folder_of
from pgmstudio.gui.theme.theme import theme

# The glyphs of the set fill about 7/8 of their em.
FILL = 0.875


@cache
def _names() -> dict[str, str]:
    text = (folder_of("resources") / "fonts" / "phosphor.json").read_text(encoding="utf-8")
    codes: dict[str, str] = json.loads(text)
    return {name: chr(int(code, 16)) for name, code in codes.items()}


@cache
def _family() -> str:
    file = folder_of("resources") / "fonts" / "phosphor.ttf"
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


class PaintedIconEngine(QIconEngine):
    """Paints an icon in the colours of the present theme, sharp at every size."""

    def __init__(self, paint: Callable[[QPainter, QRect, QIcon.Mode, QIcon.State], None]) -> None:
        super().__init__()
        self._paint = paint
        # Every button asks for its picture whenever it is painted.
        self._drawn: dict[tuple[object, ...], QPixmap] = {}

    def clone(self) -> QIconEngine:
        return PaintedIconEngine(self._paint)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        self._paint(painter, rect, mode, state)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        key = (size.width(), size.height(), mode, state, theme().shade)
        if (drawn := self._drawn.get(key)) is not None:
            return drawn
        made = QPixmap(size)
        if made.isNull():  # a button without room for its icon
            return made
        made.fill(Qt.GlobalColor.transparent)
        painter = QPainter(made)
        self._paint(painter, made.rect(), mode, state)
        painter.end()
        self._drawn[key] = made
        return made


def _glyph_icon(name: str, color: Callable[[QIcon.Mode, QIcon.State], QColor]) -> QIcon:
    character = glyph(name.removeprefix("ph."))  # an unknown name raises now, not when painted

    def paint(painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        painter.save()
        painter.setPen(color(mode, state))
        painter.setFont(glyph_font(round(rect.height() * FILL)))
        painter.drawText(QRectF(rect), Qt.AlignmentFlag.AlignCenter, character)
        painter.restore()

    return QIcon(PaintedIconEngine(paint))


@lru_cache(maxsize=512)
def icon(name: str, color: str = "text_secondary", *, on: str | None = None) -> QIcon:
    """A Phosphor icon by its short name ("database"); `on` colours its checked state."""

    def color_of(mode: QIcon.Mode, state: QIcon.State) -> QColor:
        if mode is QIcon.Mode.Disabled:
            return theme().color("text_disabled")
        return theme().color(on if on is not None and state is QIcon.State.On else color)

    return _glyph_icon(name, color_of)


def language_icon(kind: str) -> QIcon:
    """The marker of a model language, in its colour."""
    return _marker_icon(language_marker(kind))


@lru_cache(maxsize=64)
def _marker_icon(marker: Marker) -> QIcon:
    def ink(_mode: QIcon.Mode, _state: QIcon.State) -> QColor:
        entries = tokens()["category"][theme().shade]
        return QColor(next(e["ink"] for e in entries if e["name"] == marker.color))

    try:
        return _glyph_icon(marker.icon, ink)
    except UnknownNameError:  # a plug-in may name one that the font lacks
        return _glyph_icon(NEUTRAL.icon, ink)


def paint_icon(painter: QPainter, name: str, color: str, area: QRectF) -> None:
    """The same icon as an outline: it stays sharp in a file and needs no font there."""
    path = glyph_outline(name, _OUTLINE_PX)
    bounds = path.boundingRect()
    scale = min(area.width(), area.height()) / _OUTLINE_PX
    painter.save()
    painter.translate(area.center() - bounds.center() * scale)
    painter.scale(scale, scale)
    painter.fillPath(path, theme().color(color))
    painter.restore()


_OUTLINE_PX = 64


# Nodes on a square of 20: middle, radius, and whether it is filled.
_SIDE = 20.0
_NODES = ((7.0, 4.5, 2.9, True), (15.5, 10.0, 2.9, True), (6.5, 15.5, 2.9, False))


def paint_logo(painter: QPainter, area: QRect) -> None:
    """Three nodes and their edges in the accent colour, as large as fits into `area`."""
    scale = min(area.width(), area.height()) / _SIDE
    accent = theme().color("accent")
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(
        area.center().x() + 0.5 - scale * _SIDE / 2, area.center().y() + 0.5 - scale * _SIDE / 2
    )
    painter.scale(scale, scale)
    points = [QPointF(x, y) for x, y, _, _ in _NODES]
    painter.setPen(QPen(accent, 1.7))
    painter.drawPolygon(points)
    for point, (_, _, radius, filled) in zip(points, _NODES, strict=True):
        painter.setBrush(theme().color("accent" if filled else "window"))
        painter.drawEllipse(point, radius, radius)
    painter.restore()


class Logo(QWidget):
    """The logo at the left end of the menu bar."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("logo")
        self.setAccessibleName("PGM Studio")
        self.setToolTip("PGM Studio")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = theme().px("icon")
        return QSize(side + theme().space(5) + theme().space(2), side + theme().space(4))

    def paintEvent(self, event: QPaintEvent) -> None:
        side = theme().px("icon") * 5 // 4
        left = theme().space(3)
        paint_logo(QPainter(self), QRect(left, (self.height() - side) // 2, side, side))


def logo_icon() -> QIcon:
    """The same for the title bar and the task bar."""
    picture = QPixmap(128, 128)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    paint_logo(painter, picture.rect())
    painter.end()
    return QIcon(picture)
