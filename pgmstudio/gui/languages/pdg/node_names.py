"""The names of zoomed-out bands: in the gutter where they fit, else over the band's corner."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from pgmstudio.core.languages.pdg.diagrams import GUTTER
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.languages.pdg.band_painter import WORDS_FROM
from pgmstudio.gui.theme.theme import theme

if TYPE_CHECKING:
    from pgmstudio.gui.languages.pdg.band_item import BandItem
    from pgmstudio.gui.languages.pdg.graphics_view import BandView

NAME_PX = 11.0  # on screen, at any zoom
_LINE = 14.0
_MAX_WIDTH = 150.0  # px of a name over its band


@lru_cache(maxsize=4096)  # asked of every band at every repaint
def gutter_lines(title: str, width: float, height: float) -> tuple[str, ...] | None:
    """The name on one line or two, where that fits into so many px on screen; else None."""
    metrics = canvas_metrics("caption", "medium")

    def fits(text: str) -> bool:
        return metrics.horizontalAdvance(text) <= width

    if fits(title):
        return (title,) if height >= _LINE else None
    words = title.split(" ")
    for cut in range(len(words) - 1, 0, -1):
        lines = " ".join(words[:cut]), " ".join(words[cut:])
        if all(map(fits, lines)):
            return lines if height >= 2 * _LINE else None
    return None


def measure_gutter(item: BandItem) -> float:
    """From the edge of the band to its first node."""
    box = item.band.box
    if item.stands_alone:
        return box.width - 12
    boxes, order = item.band.boxes, item.band.order
    first = boxes[order[0]] if len(boxes) == len(order) else boxes[0]  # one for all: collapsed
    return max(GUTTER, first.x - box.x) - 12


def is_over_band(item: BandItem, zoom: float) -> bool:
    """Whether the name does not fit into the gutter at this zoom."""
    if zoom >= WORDS_FROM:
        return False
    available, height = item.gutter * zoom, item.band.box.height * zoom
    return gutter_lines(item.face.title, available, height) is None


class BandNames:
    """Names over the corners of bands in sight, as large at any zoom.

    They are placed again only when what they depend on changes, not while the pointer moves.
    """

    def __init__(self) -> None:
        self._key: object = None
        self._result: list[tuple[BandItem, QRectF]] = []

    def paint(self, painter: QPainter, view: BandView) -> None:
        zoom, sight = view.zoom, view.sight()
        if zoom >= WORDS_FROM:
            return
        items = list(view.bands.items_by_variable.values())
        key = (zoom, sight, [(i, i.band, i.face.title, i.face.mark, _matters(i)) for i in items])
        if key != self._key:
            self._key, self._result = key, names_over(items, zoom, sight)
        if self._result:
            _paint_names(painter, self._result, zoom)


def names_over(
    items: Iterable[BandItem], zoom: float, sight: QRectF
) -> list[tuple[BandItem, QRectF]]:
    """The names that are drawn over their bands, with their positions; none overlap.

    Where not all fit, those with evidence, selected or of wide bands come first.
    """
    seen = [i for i in items if _is_seen(i, sight) and is_over_band(i, zoom)]
    seen.sort(key=lambda item: (not _matters(item), -item.band.box.width))
    result: list[tuple[BandItem, QRectF]] = []
    # All are as high as a line, so only those that begin on the same or a neighbouring one
    # can meet: of a hundred bands hardly any pair is compared.
    lines: dict[int, list[QRectF]] = {}
    for item in seen:
        position = _position(item, zoom, sight)
        line = math.floor(position.top() * zoom / _LINE)
        near = (other for n in (line - 1, line, line + 1) for other in lines.get(n, ()))
        if not any(position.intersects(other) for other in near):
            result.append((item, position))
            lines.setdefault(line, []).append(position)
    return result


def _is_seen(item: BandItem, sight: QRectF) -> bool:
    box = item.band.box
    is_across = box.x < sight.right() and box.right > sight.left()
    return is_across and box.y < sight.bottom() and box.y + box.height > sight.top()


def _matters(item: BandItem) -> bool:
    return item.look.is_selected or item.look.has_focus or item.face.mark is not None


def _label(item: BandItem) -> tuple[str, float]:
    """With how wide they are."""
    mark = item.face.mark
    title = item.face.title.replace("\n", " ")
    return _elided(title if mark is None else f"{title} {mark.words}")


@lru_cache(maxsize=4096)
def _elided(text: str) -> tuple[str, float]:
    metrics = canvas_metrics("caption", "medium")
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, _MAX_WIDTH)
    return shown, metrics.horizontalAdvance(shown)


def _position(item: BandItem, zoom: float, sight: QRectF) -> QRectF:
    """In scene coordinates; never above or left of what can be seen."""
    box = item.band.box
    width = (_label(item)[1] + 6) / zoom
    height = _LINE / zoom
    left = min(max(box.x, sight.left()), max(box.x, box.right - width))
    top = max(box.y - height, sight.top())
    return QRectF(left, top, width, height)


def _paint_names(painter: QPainter, result: list[tuple[BandItem, QRectF]], zoom: float) -> None:
    """Paint the cards, then the texts, so that the painter is set up once for each."""
    painter.save()
    painter.scale(1 / zoom, 1 / zoom)
    cards = [
        QRectF(position.left() * zoom, position.top() * zoom, position.width() * zoom, _LINE)
        for _, position in result
    ]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("canvas", 0.85))
    for card in cards:
        painter.drawRoundedRect(card, 3, 3)
    painter.setFont(canvas_font("caption", "medium"))
    for (item, _), card in zip(result, cards, strict=True):
        mark = item.face.mark
        painter.setPen(theme().color("text" if mark is None else f"{mark.tint}_ink"))
        painter.drawText(card, Qt.AlignmentFlag.AlignCenter, _label(item)[0])
    painter.restore()
