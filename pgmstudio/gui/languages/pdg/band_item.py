"""One band of a decision graph: the variable with its beliefs at the left, then its nodes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.drawing.diagram import PictureNode
from pgmstudio.core.languages.pdg.diagrams import GUTTER, PADDING, Band, node_numbers
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.gui.canvas.fonts import canvas_font, font_of_height
from pgmstudio.gui.canvas.level_of_detail import LevelOfDetail
from pgmstudio.gui.canvas.node_geometry import NodeGeometry
from pgmstudio.gui.canvas.node_item import MARGIN, NodeItem
from pgmstudio.gui.canvas.node_painter import NodePainter, ring_pen
from pgmstudio.gui.canvas.node_view import NodeView
from pgmstudio.gui.canvas.pixmap_cache import PixmapCache
from pgmstudio.gui.languages.pdg.band_painter import (
    BARS_FROM,
    WORDS_FROM,
    BandLook,
    BandPainter,
    rect_of,
)
from pgmstudio.gui.languages.pdg.node_names import NAME_PX, gutter_lines, measure_gutter
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar

_RADIUS = 8.0
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
        self._graph, self._band = graph, band
        # Bands can be wider than the screen: only what is in sight is painted.
        self.setCacheMode(QGraphicsItem.CacheMode.NoCache)
        self._take_size()

    @property
    def band(self) -> Band:
        return self._band

    @property
    def graph(self) -> DecisionGraph:
        return self._graph

    @property
    def stands_alone(self) -> bool:
        """A tree of one variable, which shows no node."""
        i = self._band.variable
        return self._graph.forest[i] is None and not self._graph.children[i]

    def set_band(self, graph: DecisionGraph, band: Band) -> None:
        self._graph, self._band = graph, band
        self._take_size()
        self.update()

    def _take_size(self) -> None:
        self.prepareGeometryChange()
        box = self._band.box
        self._size = box.width, box.height
        self._corner = QPointF(math.floor(-box.width / 2), math.floor(-box.height / 2))
        whole = QRectF(self._corner.x(), self._corner.y(), *self._size)
        self._bounds = whole.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
        self._geometry = None
        self.gutter = measure_gutter(self)  # read at every repaint

    def set_face(self, node: PictureNode, face: NodeView) -> bool:
        """Its size is that of the band, whatever the face."""
        if face != self._face or node != self.node:
            self.node, self._face, self._geometry = node, face, None
            if len(self.shown_beliefs) != len(face.beliefs):
                self.shown_beliefs = face.beliefs
            self.update()
        return False

    def show_beliefs(self, values: tuple[float, ...]) -> None:
        if values != self.shown_beliefs:
            self.shown_beliefs = values
            self.update(QRectF(self._corner.x(), self._corner.y(), GUTTER + 16, self._size[1]))

    def forget_pixels(self) -> None:
        """The pixmaps that are cached while the pointer moves."""
        for pixels in self._cached:
            pixels.forget()

    @property
    def geometry(self) -> NodeGeometry:
        if self._geometry is None:
            self._geometry = NodeGeometry(self._face, (GUTTER, self._size[1]))
        return self._geometry

    @property
    def corner(self) -> QPointF:
        """Where the geometry of the rows begins."""
        return self._corner + QPointF(_IN, _DOWN)

    @property
    def box(self) -> QRectF:
        corner = self.pos() + self._corner
        return QRectF(corner.x(), corner.y(), *self._size)

    def node_at(self, point: QPointF) -> int | None:
        """The node under a point of the scene; the first of them all when they are collapsed."""
        if self.stands_alone:
            return None
        for node, box in enumerate(self._band.boxes):
            if rect_of(box).contains(point):
                return node
        return None

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
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
            margin = rect_of(self._band.box).adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)

            def paint_background(inner: QPainter, part: QRectF) -> None:
                lit = None if is_whole else np.zeros(size, dtype=bool)
                self._paint_whole(inner, part, replace(look, lit=lit), zoom)

            self._cached[is_whole].paint(painter, margin, paint_background)
            if count and not is_whole:
                self._nodes_painter(painter, look, zoom).paint_lit(seen)
        painter.restore()

    def _paint_whole(self, painter: QPainter, seen: QRectF, look: BandLook, zoom: float) -> None:
        self._paint_background(painter, zoom)
        if zoom < WORDS_FROM or seen.left() < self._band.box.x + GUTTER + PADDING:
            self._paint_gutter(painter, zoom)
        if not self.stands_alone:
            self._nodes_painter(painter, look, zoom).paint(seen)

    def _nodes_painter(self, painter: QPainter, look: BandLook, zoom: float) -> BandPainter:
        numbers = node_numbers(self._graph)[self._band.variable]
        return BandPainter(painter, self._graph, self._band, look, numbers, zoom)

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
        face, colors = self._face, theme()
        # From afar a line stays a pixel wide, or it would not be seen.
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
        box = rect_of(self._band.box)
        painter.setPen(pen)
        painter.setBrush(colors.color("surface"))
        painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), _RADIUS, _RADIUS)
        if ring is not None:
            painter.setPen(ring)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), _RADIUS + 3, _RADIUS + 3)

    def _paint_gutter(self, painter: QPainter, zoom: float) -> None:
        box = self._band.box
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
        NodePainter(painter, self._face, self.look, geometry, self.shown_beliefs).paint_open()
        painter.restore()
        if self.stands_alone and self._face.mark is None and not self._face.is_target:
            painter.setFont(canvas_font("micro"))
            painter.setPen(theme().color("text_tertiary"))
            rect = QRectF(box.x + _IN, box.y + _DOWN, GUTTER - 8, 23)
            text = "own tree"
            available = (
                rect.width() - 12 - painter.fontMetrics().horizontalAdvance(self._face.title) * 1.2
            )
            if available > painter.fontMetrics().horizontalAdvance(text):
                right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(rect, right, text)

    def _paint_far_gutter(self, painter: QPainter, zoom: float) -> None:
        """Paint the name, where it fits, and the beliefs as bars without text."""
        box, available = self._band.box, self.gutter
        bars = self._far_bars(available) if zoom >= BARS_FROM else []
        height = bars[0][0].top() - box.y if bars else box.height
        lines = gutter_lines(self._face.title, available * zoom, height * zoom)
        if lines is None:
            bars, height = [], box.height
            lines = gutter_lines(self._face.title, available * zoom, height * zoom)
        if lines is not None:
            painter.setFont(font_of_height(round(NAME_PX / zoom)))
            painter.setPen(theme().color("text"))
            rect = QRectF(box.x + 8, box.y, available + 8, height)
            left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(rect, left, "\n".join(lines))
        mark = self._face.mark
        for track, fraction in bars:
            paint_bar(painter, track, Bar(fraction, "belief" if mark is None else mark.tint))

    def _far_bars(self, available: float) -> list[tuple[QRectF, float]]:
        """Where the rows of states are, which a click sets evidence with."""
        box, geometry, result = self._band.box, self.geometry, []
        for index, state in enumerate(geometry.shown):
            if state < len(self.shown_beliefs):
                row = geometry.bar(index).translated(0, box.y + _DOWN)
                track = QRectF(box.x + 8, row.top(), min(available, GUTTER) - 8, row.height())
                result.append((track, self.shown_beliefs[state]))
        return result
