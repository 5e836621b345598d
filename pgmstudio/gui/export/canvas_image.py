"""The graph on a canvas as a drawing for a file: as on screen, without selection and pointer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsItem

from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.legend import LegendEntry, card_size, paint_card
from pgmstudio.gui.canvas.node_painter import NodeLook
from pgmstudio.gui.canvas.node_view import Detail
from pgmstudio.gui.canvas.overview import LABEL_WIDTH
from pgmstudio.gui.canvas.small_multiples import SmallMultiples
from pgmstudio.gui.canvas.view import paint_far_labels
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.image_file import PictureOptions

_MARGIN = 12.0
# A legend below a very narrow graph still gets a readable line.
_MIN_SPACE = 360.0


class CanvasDrawing:
    """Whole: the legend below the graph. The part in sight: the legend over it, as on screen."""

    has_parts = True

    def __init__(self, canvas: Canvas, title: str) -> None:
        self._canvas = canvas
        self.title = title

    def _zoom(self, options: PictureOptions) -> float:
        return 1.0 if options.in_full and options.whole else self._canvas.view.zoom

    def _detail(self, options: PictureOptions) -> Detail:
        return Detail.FULL if options.in_full and options.whole else self._canvas.view.detail

    def _source(self, options: PictureOptions) -> QRectF:
        """The part of the scene that is drawn."""
        scene, zoom = self._canvas.scene, self._zoom(options)
        if not options.whole:
            return self._canvas.view.sight()
        source = scene.content_rect()
        if self._detail(options) is Detail.DOT:
            named = [n for n in scene.nodes.values() if n.face.weights or n.face.is_target]
            far = max((n.pos().x() + (LABEL_WIDTH + 24) / zoom for n in named), default=0.0)
            source.setRight(max(source.right(), far))
        return source

    def _entries(self, options: PictureOptions) -> list[LegendEntry]:
        canvas = self._canvas
        if not options.legend:
            return []
        entries = canvas.drawn_entries(self._detail(options))
        # Nobody drags anything on paper.
        return [replace(entry, text=entry.text.removesuffix(", drag")) for entry in entries]

    def _graph_size(self, options: PictureOptions) -> QSizeF:
        return self._source(options).size() * self._zoom(options)

    def _legend_width(self, options: PictureOptions) -> float:
        width = self._graph_size(options).width()
        return max(_MIN_SPACE, width) if options.whole else width - 2 * _MARGIN

    def size(self, options: PictureOptions) -> QSizeF:
        graph, entries = self._graph_size(options), self._entries(options)
        if not options.whole:
            return graph
        width, height = graph.width(), graph.height()
        if entries:
            card = card_size(entries, self._legend_width(options))
            width, height = max(width, card.width()), height + _MARGIN + card.height()
        return QSizeF(width + 2 * _MARGIN, height + 2 * _MARGIN)

    def paint(self, painter: QPainter, options: PictureOptions) -> None:
        size, graph = self.size(options), self._graph_size(options)
        left = (size.width() - graph.width()) / 2 if options.whole else 0.0
        target = QRectF(QPointF(left, _MARGIN if options.whole else 0.0), graph)
        with self._without_marks(options):
            self._paint_graph(painter, target, options)
        entries = self._entries(options)
        if entries:
            room = self._legend_width(options)
            down = size.height() - _MARGIN - card_size(entries, room).height()
            paint_card(painter, QPointF(_MARGIN, down), entries, room)

    def _paint_graph(self, painter: QPainter, target: QRectF, options: PictureOptions) -> None:
        scene, source, zoom = self._canvas.scene, self._source(options), self._zoom(options)
        ignore = Qt.AspectRatioMode.IgnoreAspectRatio
        painter.save()
        scene.render(painter, target, source, ignore)
        painter.restore()
        painter.save()
        painter.translate(target.topLeft() - source.topLeft() * zoom)
        painter.scale(zoom, zoom)
        detail = self._detail(options)
        paint_far_labels(painter, self._canvas.view, detail=detail, zoom=zoom)
        painter.restore()

    @contextmanager
    def _without_marks(self, options: PictureOptions) -> Iterator[None]:
        """Hide selection, focus and cached pixels while painting; all are restored."""
        scene, view = self._canvas.scene, self._canvas.view
        view.stop_hover()
        nodes, edges = list(scene.nodes.values()), list(scene.edges.values())
        looks = [node.look for node in nodes], [edge.look for edge in edges]
        caches = [node.cacheMode() for node in nodes]
        for node in nodes:
            node.look = NodeLook(shape=node.look.shape)
            node.setCacheMode(QGraphicsItem.CacheMode.NoCache)
        for edge in edges:
            edge.look = replace(edge.look, is_selected=False, is_hovered=False, step=None)
        scene.zoomed.forced = self._detail(options)
        scene.zoomed.forced_zoom = self._zoom(options)
        try:
            yield
        finally:
            scene.zoomed.forced = scene.zoomed.forced_zoom = None
            for node, look, cache in zip(nodes, looks[0], caches, strict=True):
                node.look = look
                node.setCacheMode(cache)
            for edge, line in zip(edges, looks[1], strict=True):
                edge.look = line


_GAP = 16.0


class SmallMultiplesDrawing:
    """The whole of every graph with its head above, in as many columns as on screen."""

    has_parts = False

    def __init__(self, view: SmallMultiples, title: str) -> None:
        self._view = view
        self.title = title

    def _each(self, options: PictureOptions) -> tuple[list[CanvasDrawing], PictureOptions]:
        panel_options = replace(options, legend=False, whole=True)
        return [CanvasDrawing(p.canvas, p.graph.title) for p in self._view.panels], panel_options

    def _cell(self, options: PictureOptions) -> tuple[QSizeF, float]:
        drawings, panel_options = self._each(options)
        sizes = [drawing.size(panel_options) for drawing in drawings]
        head = QFontMetricsF(theme().font("body", "semibold")).height() + 4
        wide = max((size.width() for size in sizes), default=0.0)
        return QSizeF(wide, max((s.height() for s in sizes), default=0.0) + head), head

    def size(self, options: PictureOptions) -> QSizeF:
        cell, _ = self._cell(options)
        across = self._view.columns()
        down = -(-len(self._view.panels) // across)
        return QSizeF(across * (cell.width() + _GAP) + _GAP, down * (cell.height() + _GAP) + _GAP)

    def paint(self, painter: QPainter, options: PictureOptions) -> None:
        drawings, panel_options = self._each(options)
        cell, head = self._cell(options)
        across = self._view.columns()
        for number, (drawing, panel) in enumerate(zip(drawings, self._view.panels, strict=True)):
            column, line = number % across, number // across
            corner = QPointF(
                _GAP + column * (cell.width() + _GAP), _GAP + line * (cell.height() + _GAP)
            )
            painter.setFont(theme().font("body", "semibold"))
            painter.setPen(theme().color("text"))
            words = f"{panel.graph.title}  {panel.caption.text()}"
            painter.drawText(QRectF(corner, QSizeF(cell.width(), head)), Qt.AlignmentFlag(0), words)
            painter.save()
            painter.translate(corner + QPointF(0, head))
            drawing.paint(painter, panel_options)
            painter.restore()
