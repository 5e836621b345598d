"""A plot as a drawing for a file."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSizeF, QTimer
from PySide6.QtGui import QPainter

from pgmstudio.gui.plots.score_plot import ScorePlot
from pgmstudio.gui.views.picture_file import PictureOptions


class PlotDrawing:
    """As large as on screen; it is drawn in the colours of the file and then as before."""

    has_parts = False

    def __init__(self, plot: ScorePlot, title: str) -> None:
        self._plot = plot
        self.title = title

    def size(self, options: PictureOptions) -> QSizeF:
        canvas = self._plot.canvas
        return QSizeF(0, 0) if canvas is None else QSizeF(canvas.size())

    def paint(self, painter: QPainter, options: PictureOptions) -> None:
        canvas = self._plot.canvas
        if canvas is None:
            return
        self._plot.draw_on(None if options.transparent else "canvas")
        items = [item for item in canvas.scene().items() if hasattr(item, "setExportMode")]
        for item in items:  # dots are shapes in a file, not the small pictures kept for the screen
            item.setExportMode(True, {})
        painter.save()
        canvas.render(painter, QRectF(canvas.rect()), canvas.rect())
        painter.restore()
        for item in items:
            item.setExportMode(False)
        QTimer.singleShot(0, self._plot.refresh)  # back to the colours of the screen
