"""A plot as a drawing for a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QRectF, QSizeF, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsView

from pgmstudio.gui.widgets.image_file import PictureOptions


class DrawnPlot(Protocol):
    """A plot that can draw itself for a file."""

    @property
    def canvas(self) -> QGraphicsView | None:
        """The plot itself, when there is something in it."""

    def picture_size(self) -> QSizeF:
        """In px."""

    def draw_on(self, background: str | None) -> None:
        """Once more in the present colours, on a background of that name or on none."""

    def refresh(self, *_: object) -> None:
        """As on the screen again."""


class PlotDrawing:
    """As large as on screen, several side by side; drawn in the colours of the file and then as
    before."""

    has_parts = False

    def __init__(self, plots: DrawnPlot | Sequence[DrawnPlot], title: str) -> None:
        self._plots = plots if isinstance(plots, Sequence) else (plots,)
        self.title = title

    def size(self, options: PictureOptions) -> QSizeF:
        sizes = [plot.picture_size() for plot in self._plots if plot.canvas is not None]
        wide = sum(size.width() for size in sizes)
        return QSizeF(wide, max((size.height() for size in sizes), default=0.0))

    def paint(self, painter: QPainter, options: PictureOptions) -> None:
        painter.save()
        for plot in self._plots:
            if plot.canvas is not None:
                self._paint(painter, plot, plot.canvas, options)
                painter.translate(plot.canvas.width(), 0)
        painter.restore()

    def _paint(
        self, painter: QPainter, plot: DrawnPlot, canvas: QGraphicsView, options: PictureOptions
    ) -> None:
        plot.draw_on(None if options.transparent else "canvas")
        items = [item for item in canvas.scene().items() if hasattr(item, "setExportMode")]
        for item in items:  # dots are shapes in a file, not the pixmaps of the screen
            item.setExportMode(True, {})
        painter.save()
        canvas.render(painter, QRectF(canvas.rect()), canvas.rect())
        painter.restore()
        for item in items:
            item.setExportMode(False)
        QTimer.singleShot(0, plot.refresh)  # back to the colours of the screen
