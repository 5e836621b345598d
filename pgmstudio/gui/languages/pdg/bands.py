"""The bands of a decision graph: each a variable with its beliefs, then its nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.drawing.diagram import PictureNode
from pgmstudio.core.languages.pdg.diagrams import (
    GUTTER,
    HEAD,
    NO_DATA,
    NOT_REACHED,
    PADDING,
    ROW_HEIGHT,
    Band,
    BandForm,
    Box,
    node_numbers,
    progress_text,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.number_format import counted, percent
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics, font_of_height
from pgmstudio.gui.canvas.node_geometry import NodeGeometry
from pgmstudio.gui.canvas.node_item import MARGIN, NodeItem
from pgmstudio.gui.canvas.node_painter import NodePainter, ring_pen
from pgmstudio.gui.canvas.node_view import LevelOfDetail, NodeView
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar

if TYPE_CHECKING:
    from pgmstudio.gui.languages.pdg.canvas import BandView

_Key = tuple[QTransform, QRect, str, float]


class PixmapCache:
    """Pixels painted once for each position and zoom, then copied."""

    def __init__(self) -> None:
        self._key: _Key | None = None
        self._pixels: QPixmap | None = None

    def forget(self) -> None:
        """Drop the pixels after a change of the picture."""
        self._key = self._pixels = None

    def paint(
        self, painter: QPainter, bounds: QRectF, draw: Callable[[QPainter, QRectF], None]
    ) -> None:
        """Paint, through the cache, what `draw` paints in the visible part of `bounds`."""
        world, device = painter.worldTransform(), painter.device()
        ratio = device.devicePixelRatio()
        screen = QRect(0, 0, device.width(), device.height())
        position = world.mapRect(bounds).toAlignedRect() & screen
        if position.isEmpty():
            return
        key = (world, position, theme().shade, ratio)
        if key != self._key or self._pixels is None:
            pixels = QPixmap(position.size() * ratio)
            pixels.setDevicePixelRatio(ratio)
            pixels.fill(Qt.GlobalColor.transparent)
            inner = QPainter(pixels)
            inner.setRenderHints(painter.renderHints())
            inner.translate(-position.topLeft())
            inner.setWorldTransform(world, True)
            back, _ = world.inverted()
            draw(inner, back.mapRect(QRectF(position)))
            inner.end()
            self._key, self._pixels = key, pixels
        painter.save()
        painter.resetTransform()
        painter.drawPixmap(position.topLeft(), self._pixels)
        painter.restore()


Floats = NDArray[np.float64]

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTER = Qt.AlignmentFlag.AlignCenter
_INDENT, _RADIUS, _RING = 7.0, 6.0, 3.5
_DIMMED = 0.35
# Below this zoom state names cannot be read, below the next their bars cannot be distinguished,
# and below the last not even names of nodes fit.
WORDS_FROM, BARS_FROM, BOXES_BELOW = 0.66, 0.4, 0.32


@dataclass(slots=True)
class BandLook:
    """The values of the nodes of one band, and how they are highlighted now."""

    visits: Floats | None = None  # P(reached | e)
    rows: Floats | None = None  # rows of the data that come to each node
    struck: frozenset[int] = frozenset()  # states that evidence rules out
    chosen: int | None = None
    lit: NDArray[np.bool_] | None = None  # None: all at full strength
    marked: frozenset[int] = frozenset()  # nodes a step has just changed


def rect_of(box: Box) -> QRectF:
    return QRectF(box.x, box.y, box.width, box.height)


def _filled(box: Box, fraction: float) -> QRectF:
    height = box.height * min(1.0, fraction)
    return QRectF(box.x, box.y + box.height - height, box.width, height)


class BandPainter:
    """Paints the nodes of one band in scene coordinates, those that are in sight."""

    def __init__(
        self,
        painter: QPainter,
        graph: DecisionGraph,
        band: Band,
        look: BandLook,
        numbers: tuple[int, ...],
        zoom: float,
    ) -> None:
        self._painter, self._graph, self._band, self._look = painter, graph, band, look
        self._numbers, self._zoom = numbers, zoom
        self._states = graph.domain.variables[band.variable].states
        self._rows = graph.parameters[band.variable]

    def paint(self, seen: QRectF) -> None:
        """All nodes in sight, those that are not lit dimmed."""
        if self._band.form is BandForm.COLLAPSED:
            self._paint_collapsed(rect_of(self._band.boxes[0]))
            return
        self._paint_nodes(range(len(self._band.boxes)), seen)

    def paint_lit(self, seen: QRectF) -> None:
        """The lit nodes alone, over themselves as dimmed ones."""
        lit = self._look.lit
        if lit is None or self._band.form is BandForm.COLLAPSED:
            return
        positions = np.flatnonzero(lit).tolist()
        if self._band.form is BandForm.STRIP:  # what shows through must not be seen twice
            self._painter.setPen(Qt.PenStyle.NoPen)
            self._painter.setBrush(theme().color("surface"))
            self._painter.drawRects([rect_of(self._band.boxes[node]) for node in positions])
        self._paint_nodes(positions, seen)

    def _paint_nodes(self, nodes: Sequence[int], seen: QRectF) -> None:
        if self._zoom < BOXES_BELOW:
            self._paint_boxes(nodes, seen)
            return
        for node in nodes:
            box = self._band.boxes[node]
            if box.right < seen.left() - 8 or box.x > seen.right() + 8:
                continue
            lit = self._look.lit
            is_dim = lit is not None and not lit[node]
            if is_dim:
                self._painter.setOpacity(_DIMMED)
            self._paint_node(node, rect_of(box))
            if is_dim:
                self._painter.setOpacity(1.0)

    def _paint_boxes(self, nodes: Sequence[int], seen: QRectF) -> None:
        """Paint all nodes of a zoomed-out band in one call: boxes filled by probability."""
        look, boxes = self._look, self._band.boxes
        left, right = seen.left(), seen.right()
        positions = [n for n in nodes if boxes[n].right >= left and boxes[n].x <= right]
        painter = self._painter
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for is_lit in (False, True):
            mine = [n for n in positions if (look.lit is None or bool(look.lit[n])) is is_lit]
            if not mine:
                continue
            painter.setOpacity(1.0 if is_lit else _DIMMED)
            painter.setPen(QPen(theme().color("border_control"), 0.0))
            for is_reached, background in ((True, "surface"), (False, "sunken")):
                painter.setBrush(theme().color(background))
                some = [rect_of(boxes[n]) for n in mine if self._is_reached(n) is is_reached]
                painter.drawRects(some)
            if look.visits is not None:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme().color("belief"))
                painter.drawRects([_filled(boxes[n], float(look.visits[n])) for n in mine])
        painter.setOpacity(1.0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for node in positions:
            if node == look.chosen or node in look.marked:
                self._paint_ring(node, rect_of(boxes[node]))

    def _is_reached(self, node: int) -> bool:
        return self._look.visits is None or bool(self._look.visits[node] > 0)

    def _has_rows(self, node: int) -> bool:
        return self._look.rows is None or self._look.rows[node] > 0

    def _paint_node(self, node: int, box: QRectF) -> None:
        form = self._band.form
        if form is BandForm.STRIP:
            self._paint_piece(node, box)
        elif form is BandForm.NUMBERS:
            self._paint_number(node, box)
        else:
            self._paint_box(box, self._is_reached(node))
            if self._zoom < WORDS_FROM:
                self._paint_far(node, box)
            else:
                self._paint_head(node, box)
                paint = self._paint_cells if form is BandForm.CELLS else self._paint_state_rows
                paint(self._rows[node], box, self._is_reached(node))
        self._paint_ring(node, box)

    # -- the box

    def _paint_box(self, box: QRectF, is_reached: bool) -> None:
        pen = QPen(theme().color("border_control"), theme().line("node"))
        if not is_reached:
            pen.setDashPattern([3.0, 2.0])
        self._painter.setPen(pen)
        self._painter.setBrush(theme().color("surface" if is_reached else "sunken"))
        self._painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)

    def _paint_ring(self, node: int, box: QRectF) -> None:
        color = "accent" if node == self._look.chosen else ""
        if not color and node in self._look.marked:
            color = "virtual_ink"
        if not color:
            return
        self._painter.setPen(QPen(theme().color(color), theme().line("node_selected")))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        ring = box.adjusted(-_RING, -_RING, _RING, _RING)
        self._painter.drawRoundedRect(ring, _RADIUS + 2, _RADIUS + 2)

    def _paint_far(self, node: int, box: QRectF) -> None:
        """The name as large as at 100 %, how likely it is reached, and its states as bars."""
        painter, zoom, is_reached = self._painter, self._zoom, self._is_reached(node)
        name = f"ν{self._numbers[node]}"
        pixels = min(11 / zoom, box.height() * 0.5)
        painter.setFont(font_of_height(int(pixels)))
        painter.setPen(self._ink(is_reached))
        if zoom < BARS_FROM:
            painter.drawText(box, _CENTER, name)
            return
        head = QRectF(box.left() + 6, box.top() + 2, box.width() - 12, 13 / zoom)
        visits, metrics = self._look.visits, painter.fontMetrics()
        painter.drawText(head, _LEFT, name)
        if visits is not None and is_reached:
            number = percent(float(visits[node]))
            available = head.width() - metrics.horizontalAdvance(name) - 4 / zoom
            fitting = (
                w for w in (f"{number} %", number) if metrics.horizontalAdvance(w) <= available
            )
            painter.setPen(self._ink(is_reached, "text_secondary"))
            painter.drawText(head, _RIGHT, next(fitting, ""))
        below = QRectF(box.left() + 6, head.bottom() + 1, box.width() - 12, 0)
        below.setBottom(box.bottom() - 4)
        self._paint_far_bars(self._rows[node], below, is_reached)

    def _paint_far_bars(self, row: Floats, position: QRectF, is_reached: bool) -> None:
        """Side by side as cells, or below each other as rows."""
        count = len(self._states)
        is_horizontal = self._band.form is BandForm.CELLS
        across = position.width() / count if is_horizontal else position.width()
        down = position.height() if is_horizontal else position.height() / count
        thick = min(down * 0.7, 4 / self._zoom)
        for state in range(count):
            x = position.left() + (state * across if is_horizontal else 0.0)
            y = position.top() + (0.0 if is_horizontal else state * down) + (down - thick) / 2
            bar = QRectF(x, y, across - (4 if is_horizontal else 0), thick)
            self._paint_bar(bar, state, float(row[state]), is_reached)

    def _ink(self, is_reached: bool, name: str = "text") -> QColor:
        return theme().color(name if is_reached else "text_tertiary")

    def _paint_head(self, node: int, box: QRectF) -> None:
        painter, visits = self._painter, self._look.visits
        head = QRectF(box.left() + _INDENT, box.top(), box.width() - 2 * _INDENT, HEAD)
        is_reached = self._is_reached(node)
        painter.setFont(canvas_font("caption", "semibold"))
        painter.setPen(self._ink(is_reached))
        painter.drawText(head, _LEFT, f"ν{self._numbers[node]}")
        text = "" if visits is None else f"{percent(float(visits[node]))} %"
        if not is_reached:
            text = NOT_REACHED
        elif not self._has_rows(node):
            text = NO_DATA
        painter.setFont(canvas_font("caption"))
        painter.setPen(self._ink(is_reached, "text_secondary"))
        painter.drawText(head, _RIGHT, text)
        painter.setPen(QPen(theme().color("border"), 1))
        y = box.top() + HEAD + 0.5
        painter.drawLine(QLineF(box.left() + 1, y, box.right() - 1, y))

    # -- states

    def _paint_cells(self, row: Floats, box: QRectF, is_reached: bool) -> None:
        painter, count = self._painter, len(self._states)
        width, top = box.width() / count, box.top() + HEAD
        for state, name in enumerate(self._states):
            cell = QRectF(box.left() + state * width, top, width, box.height() - HEAD)
            if state:
                painter.setPen(QPen(theme().color("border"), 1))
                painter.drawLine(
                    QLineF(cell.left() + 0.5, cell.top() + 2, cell.left() + 0.5, cell.bottom() - 2)
                )
            label = QRectF(cell.left() + 4, cell.top() + 1, cell.width() - 8, 14)
            self._paint_name(name, label, _CENTER, state, is_reached)
            bar = QRectF(cell.left() + 6, cell.top() + 16, cell.width() - 12, 5)
            self._paint_bar(bar, state, float(row[state]), is_reached)
            painter.setFont(canvas_font("micro"))
            painter.setPen(self._ink(is_reached, "text_secondary"))
            number = QRectF(cell.left(), cell.top() + 21, cell.width(), 14)
            painter.drawText(number, _CENTER, progress_text(float(row[state])))

    def _paint_state_rows(self, row: Floats, box: QRectF, is_reached: bool) -> None:
        painter, top = self._painter, box.top() + HEAD
        left, right = box.width() * 0.38, 30.0
        for state, name in enumerate(self._states):
            rect = QRectF(box.left(), top + state * ROW_HEIGHT, box.width(), ROW_HEIGHT)
            label = QRectF(rect.left() + _INDENT, rect.top(), left - _INDENT - 4, ROW_HEIGHT)
            self._paint_name(name, label, _LEFT, state, is_reached)
            bar = QRectF(rect.left() + left, rect.center().y() - 3, box.width() - left - right, 6)
            self._paint_bar(bar, state, float(row[state]), is_reached)
            painter.setFont(canvas_font("micro"))
            painter.setPen(self._ink(is_reached, "text_secondary"))
            painter.drawText(rect.adjusted(0, 0, -6, 0), _RIGHT, progress_text(float(row[state])))

    def _paint_name(
        self, name: str, position: QRectF, align: Qt.AlignmentFlag, state: int, is_reached: bool
    ) -> None:
        painter, metrics = self._painter, canvas_metrics("caption")
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, position.width())
        is_struck = state in self._look.struck
        painter.setFont(canvas_font("caption"))
        painter.setPen(self._ink(is_reached and not is_struck))
        painter.drawText(position, align, shown)
        if is_struck:
            width, middle = metrics.horizontalAdvance(shown), position.center().y() + 0.5
            left = position.left() if align == _LEFT else position.center().x() - width / 2
            painter.drawLine(QLineF(left, middle, left + width, middle))

    def _paint_bar(self, bar: QRectF, state: int, value: float, is_reached: bool) -> None:
        fill = theme().category(state, "line") if is_reached else theme().color("edge_dim")
        shown = None if state in self._look.struck else value
        paint_bar(self._painter, bar, Bar(shown, fill))

    # -- many nodes

    def _paint_number(self, node: int, box: QRectF) -> None:
        painter, is_reached = self._painter, self._is_reached(node)
        self._paint_box(box, is_reached)
        visits = self._look.visits
        if visits is not None and is_reached:
            bar = QRectF(box.left() + 4, box.bottom() - 6, box.width() - 8, 3)
            paint_bar(painter, bar, Bar(float(visits[node])))
        if self._zoom >= BOXES_BELOW:
            # As large on screen as the box allows.
            painter.setFont(font_of_height(round(min(10 / min(1.0, self._zoom), 15.0))))
            painter.setPen(self._ink(is_reached))
            painter.drawText(box.adjusted(0, 0, 0, -5), _CENTER, str(self._numbers[node]))

    def _paint_piece(self, node: int, box: QRectF) -> None:
        """A part of a strip, the deeper the likelier it is reached."""
        painter, visits = self._painter, self._look.visits
        is_reached = self._is_reached(node)
        fraction = 0.0 if visits is None else float(visits[node])
        color = theme().color("belief", 0.15 + 0.85 * min(1.0, fraction * 4))
        painter.setPen(QPen(theme().color("surface"), 0.5))
        painter.setBrush(color if is_reached else theme().color("sunken"))
        painter.drawRect(box)
        text = str(self._numbers[node])
        if (
            self._zoom >= WORDS_FROM
            and canvas_metrics("micro").horizontalAdvance(text) + 4 < box.width()
        ):
            painter.setFont(canvas_font("micro"))
            painter.setPen(theme().color("text"))
            painter.drawText(box, _CENTER, text)

    def _paint_collapsed(self, box: QRectF) -> None:
        """One box for all nodes: their mean distribution, by how often each is reached."""
        painter, visits = self._painter, self._look.visits
        for away in (6.0, 3.0):
            self._paint_box(box.translated(away, away), True)
        self._paint_box(box, True)
        count = self._rows.shape[0]
        weights = np.full(count, 1 / count) if visits is None else visits
        mean = weights @ self._rows / max(float(weights.sum()), 1e-300)
        head = QRectF(box.left() + _INDENT, box.top(), box.width() - 2 * _INDENT, HEAD)
        painter.setFont(canvas_font("caption", "semibold"))
        painter.setPen(theme().color("text"))
        painter.drawText(head, _LEFT, f"ν{min(self._numbers)}–ν{max(self._numbers)}")
        painter.setFont(canvas_font("caption"))
        painter.setPen(theme().color("text_secondary"))
        painter.drawText(head, _RIGHT, counted(count, "node"))
        if len(self._states) <= 3:
            self._paint_cells(np.asarray(mean), box, True)


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
    return _elided(title if mark is None else f"{title} {mark.text}")


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


_BAND_RADIUS = 8.0
# Where the head of the gutter begins, from the corner of the band.
_IN, _DOWN = PADDING - 6.0, PADDING - 8.0


class BandItem(NodeItem):
    """To pointer and keyboard a node whose box is the band and whose rows stand in the gutter."""

    def __init__(
        self,
        node: PictureNode,
        face: NodeView,
        zoomed: LevelOfDetail,
        graph: DecisionGraph,
        band: Band,
    ) -> None:
        super().__init__(node, face, zoomed)
        self.nodes = BandLook()
        self._cached = (PixmapCache(), PixmapCache())  # all nodes dimmed, and none
        self.graph, self.band = graph, band
        # Bands can be wider than the screen: only what is in sight is painted.
        self.setCacheMode(QGraphicsItem.CacheMode.NoCache)
        self._take_size()

    @property
    def stands_alone(self) -> bool:
        """A tree of one variable, which shows no node."""
        i = self.band.variable
        return self.graph.forest[i] is None and not self.graph.children[i]

    def set_band(self, graph: DecisionGraph, band: Band) -> None:
        self.graph, self.band = graph, band
        self._take_size()
        self.update()

    def _take_size(self) -> None:
        self.prepareGeometryChange()
        box = self.band.box
        self.size = box.width, box.height
        self._corner = QPointF(math.floor(-box.width / 2), math.floor(-box.height / 2))
        whole = QRectF(self._corner.x(), self._corner.y(), *self.size)
        self._bounds = whole.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
        self._geometry = None
        self.gutter = measure_gutter(self)  # read at every repaint

    def set_face(self, node: PictureNode, face: NodeView) -> bool:
        """Its size is that of the band, whatever the face."""
        if face != self.face or node != self.node:
            self.node, self.face, self._geometry = node, face, None
            if len(self.shown_beliefs) != len(face.beliefs):
                self.shown_beliefs = face.beliefs
            self.update()
        return False

    def show_beliefs(self, values: tuple[float, ...]) -> None:
        if values != self.shown_beliefs:
            self.shown_beliefs = values
            self.update(QRectF(self._corner.x(), self._corner.y(), GUTTER + 16, self.size[1]))

    def forget_pixels(self) -> None:
        """The pixmaps that are cached while the pointer moves."""
        for pixels in self._cached:
            pixels.forget()

    @property
    def geometry(self) -> NodeGeometry:
        if self._geometry is None:
            self._geometry = NodeGeometry(self.face, (GUTTER, self.size[1]))
        return self._geometry

    @property
    def corner(self) -> QPointF:
        """Where the geometry of the rows begins."""
        return self._corner + QPointF(_IN, _DOWN)

    @property
    def box(self) -> QRectF:
        corner = self.pos() + self._corner
        return QRectF(corner.x(), corner.y(), *self.size)

    def node_at(self, point: QPointF) -> int | None:
        """The node under a point of the scene; the first of them all when they are collapsed."""
        if self.stands_alone:
            return None
        for node, box in enumerate(self.band.boxes):
            if rect_of(box).contains(point):
                return node
        return None

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        zoom = self._zoomed.zoom_of(painter)
        seen = option.exposedRect.translated(self.pos())
        if self._zoomed.forced is not None:  # for a file: all of it
            seen = self.box
        look = self.nodes
        if self._zoomed.forced is not None:
            look = BandLook(look.visits, look.rows, look.struck)
        painter.save()
        painter.translate(-self.pos())
        if look.lit is None:
            self._paint_whole(painter, seen, look, zoom)
        else:  # while the pointer moves, only other nodes are highlighted
            count, size = int(np.count_nonzero(look.lit)), look.lit.size
            is_whole = count == size
            margin = rect_of(self.band.box).adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)

            def paint_background(inner: QPainter, part: QRectF) -> None:
                lit = None if is_whole else np.zeros(size, dtype=bool)
                self._paint_whole(inner, part, replace(look, lit=lit), zoom)

            self._cached[is_whole].paint(painter, margin, paint_background)
            if count and not is_whole:
                self._nodes_painter(painter, look, zoom).paint_lit(seen)
        painter.restore()

    def _paint_whole(self, painter: QPainter, seen: QRectF, look: BandLook, zoom: float) -> None:
        self._paint_background(painter, zoom)
        if zoom < WORDS_FROM or seen.left() < self.band.box.x + GUTTER + PADDING:
            self._paint_gutter(painter, zoom)
        if not self.stands_alone:
            self._nodes_painter(painter, look, zoom).paint(seen)

    def _nodes_painter(self, painter: QPainter, look: BandLook, zoom: float) -> BandPainter:
        numbers = node_numbers(self.graph)[self.band.variable]
        return BandPainter(painter, self.graph, self.band, look, numbers, zoom)

    def light(self, lit: NDArray[np.bool_] | None) -> None:
        """Other nodes stand out; nothing else of the band has changed."""
        before, self.nodes.lit = self.nodes.lit, lit
        if before is None or lit is None or not np.array_equal(before, lit):
            super().update()

    def update(self, *position: Any) -> None:
        """Something else than light has changed."""
        self.forget_pixels()
        super().update(*position)

    def _paint_background(self, painter: QPainter, zoom: float) -> None:
        face, colors = self.face, theme()
        # Zoomed out, a line stays a pixel wide, or it would not be seen.
        pen = QPen(colors.color("border"), 1 / min(1.0, zoom))
        mark = face.mark
        if mark is not None:
            width = colors.line("node_evidence") / min(1.0, zoom)
            pen = QPen(colors.color(mark.tint), width)
            if mark.is_soft:
                pen.setDashPattern([2.5, 1.5])
        elif face.is_target:
            pen = QPen(colors.color("target"), colors.line("node_selected"))
        ring = ring_pen(self.look) if self.nodes.chosen is None else None
        inset = pen.widthF() / 2
        box = rect_of(self.band.box)
        painter.setPen(pen)
        painter.setBrush(colors.color("surface"))
        painter.drawRoundedRect(
            box.adjusted(inset, inset, -inset, -inset), _BAND_RADIUS, _BAND_RADIUS
        )
        if ring is not None:
            painter.setPen(ring)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), _BAND_RADIUS + 3, _BAND_RADIUS + 3)

    def _paint_gutter(self, painter: QPainter, zoom: float) -> None:
        box = self.band.box
        if zoom < WORDS_FROM:
            self._paint_far_gutter(painter, zoom)
            return
        if not self.stands_alone:
            painter.setPen(QPen(theme().color("border"), 1))
            x = box.x + GUTTER + 0.5
            painter.drawLine(QPointF(x, box.y + 9), QPointF(x, box.y + box.height - 9))
        painter.save()
        painter.translate(box.x + _IN, box.y + _DOWN)
        geometry = self.geometry
        NodePainter(painter, self.face, self.look, geometry, self.shown_beliefs).paint_open()
        painter.restore()
        if self.stands_alone and self.face.mark is None and not self.face.is_target:
            painter.setFont(canvas_font("micro"))
            painter.setPen(theme().color("text_tertiary"))
            rect = QRectF(box.x + _IN, box.y + _DOWN, GUTTER - 8, 23)
            text = "own tree"
            available = (
                rect.width() - 12 - painter.fontMetrics().horizontalAdvance(self.face.title) * 1.2
            )
            if available > painter.fontMetrics().horizontalAdvance(text):
                right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(rect, right, text)

    def _paint_far_gutter(self, painter: QPainter, zoom: float) -> None:
        """Paint the name, where it fits, and the beliefs as bars without text."""
        box, available = self.band.box, self.gutter
        bars = self._far_bars(available) if zoom >= BARS_FROM else []
        height = bars[0][0].top() - box.y if bars else box.height
        lines = gutter_lines(self.face.title, available * zoom, height * zoom)
        if lines is None:
            bars, height = [], box.height
            lines = gutter_lines(self.face.title, available * zoom, height * zoom)
        if lines is not None:
            painter.setFont(font_of_height(round(NAME_PX / zoom)))
            painter.setPen(theme().color("text"))
            rect = QRectF(box.x + 8, box.y, available + 8, height)
            left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(rect, left, "\n".join(lines))
        mark = self.face.mark
        for track, fraction in bars:
            paint_bar(painter, track, Bar(fraction, "belief" if mark is None else mark.tint))

    def _far_bars(self, available: float) -> list[tuple[QRectF, float]]:
        """Where the rows of states are, which a click sets evidence with."""
        box, geometry, result = self.band.box, self.geometry, []
        for index, state in enumerate(geometry.shown):
            if state < len(self.shown_beliefs):
                row = geometry.bar(index).translated(0, box.y + _DOWN)
                track = QRectF(box.x + 8, row.top(), min(available, GUTTER) - 8, row.height())
                result.append((track, self.shown_beliefs[state]))
        return result
