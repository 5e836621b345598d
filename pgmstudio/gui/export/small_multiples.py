"""Small multiples as one drawing for a file."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from pgmstudio.gui.canvas.small_multiples import SmallMultiples
from pgmstudio.gui.export.canvas_image import CanvasDrawing
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.image_file import PictureOptions

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
