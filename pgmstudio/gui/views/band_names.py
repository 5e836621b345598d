"""The names of bands from afar: in the gutter where they fit, else over the band's corner."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from pgmstudio.core.pictures.bands import GUTTER
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.views.band_painter import WORDS_FROM
from pgmstudio.gui.views.canvas_fonts import canvas_font, canvas_metrics

if TYPE_CHECKING:
    from pgmstudio.gui.views.band_item import BandItem
    from pgmstudio.gui.views.band_view import BandView

NAME_PX = 11.0  # on screen, at any zoom
_LINE = 14.0
_MOST = 150.0  # px of a name over its band


@lru_cache(maxsize=4096)  # asked of every band at every repaint
def gutter_lines(title: str, width: float, height: float) -> tuple[str, ...] | None:
    """The name on one line or two, where that fits into so many px on screen; else None."""
    metrics = canvas_metrics("caption", "medium")

    def fits(words: str) -> bool:
        return metrics.horizontalAdvance(words) <= width

    if fits(title):
        return (title,) if height >= _LINE else None
    words = title.split(" ")
    for cut in range(len(words) - 1, 0, -1):
        lines = " ".join(words[:cut]), " ".join(words[cut:])
        if all(map(fits, lines)):
            return lines if height >= 2 * _LINE else None
    return None


def gutter_room(item: BandItem) -> float:
    """From the edge of the band to its first node."""
    box = item.band.box
    if item.stands_alone:
        return box.width - 12
    boxes, order = item.band.boxes, item.band.order
    first = boxes[order[0]] if len(boxes) == len(order) else boxes[0]  # one for all: collapsed
    return max(GUTTER, first.x - box.x) - 12


def is_over_band(item: BandItem, zoom: float) -> bool:
    """The name has no room in the gutter at this zoom."""
    if zoom >= WORDS_FROM:
        return False
    room, height = gutter_room(item) * zoom, item.band.box.height * zoom
    return gutter_lines(item.face.title, room, height) is None


def paint_names(painter: QPainter, view: BandView) -> None:
    """Over the corners of bands in sight, as large at any zoom."""
    if view.zoom < WORDS_FROM:
        items = view.bands.items_by_variable.values()
        for item, place in names_over(items, view.zoom, view.sight()):
            _paint_name(painter, item, place, view.zoom)


def names_over(
    items: Iterable[BandItem], zoom: float, sight: QRectF
) -> list[tuple[BandItem, QRectF]]:
    """Which names stand over their bands, and where; none over another.

    Where not all have room, those with evidence, selected or of wide bands come first.
    """
    seen = [item for item in items if sight.intersects(item.box) and is_over_band(item, zoom)]
    seen.sort(key=lambda item: (not _matters(item), -item.band.box.width))
    found: list[tuple[BandItem, QRectF]] = []
    for item in seen:
        place = _place(item, zoom, sight)
        if not any(place.intersects(other) for _, other in found):
            found.append((item, place))
    return found


def _matters(item: BandItem) -> bool:
    return item.look.is_selected or item.look.has_focus or item.face.mark is not None


def _words(item: BandItem) -> tuple[str, float]:
    """With how wide they are."""
    mark = item.face.mark
    title = item.face.title.replace("\n", " ")
    return _elided(title if mark is None else f"{title} {mark.words}")


@lru_cache(maxsize=4096)
def _elided(words: str) -> tuple[str, float]:
    metrics = canvas_metrics("caption", "medium")
    shown = metrics.elidedText(words, Qt.TextElideMode.ElideMiddle, _MOST)
    return shown, metrics.horizontalAdvance(shown)


def _place(item: BandItem, zoom: float, sight: QRectF) -> QRectF:
    """In scene coordinates; never above or left of what can be seen."""
    box = item.band.box
    width = (_words(item)[1] + 6) / zoom
    height = _LINE / zoom
    left = min(max(box.x, sight.left()), max(box.x, box.right - width))
    top = max(box.y - height, sight.top())
    return QRectF(left, top, width, height)


def _paint_name(painter: QPainter, item: BandItem, place: QRectF, zoom: float) -> None:
    mark = item.face.mark
    painter.save()
    painter.translate(QPointF(place.left(), place.top()))
    painter.scale(1 / zoom, 1 / zoom)
    card = QRectF(0, 0, place.width() * zoom, _LINE)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("canvas", 0.85))
    painter.drawRoundedRect(card, 3, 3)
    painter.setPen(theme().color("text" if mark is None else f"{mark.tint}_ink"))
    painter.setFont(canvas_font("caption", "medium"))
    painter.drawText(card, Qt.AlignmentFlag.AlignCenter, _words(item)[0])
    painter.restore()
