"""Curves whose points are models: a click on one tells its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal

from pgmstudio.gui.plots.curve_plot import CurvePlot
from pgmstudio.gui.style.theme import theme


class PointPlot(CurvePlot):
    """`chosen` tells the number of a point."""

    across = True
    chosen = Signal(int)

    def _draw_points(
        self,
        place: int,
        name: str,
        symbol: str,
        numbers: Sequence[int],
        xs: Sequence[float],
        ys: Sequence[Any],
    ) -> None:
        """A line through points with these numbers; what was trained on stands back."""
        import pyqtgraph

        line = theme().category(place, "line")
        style = Qt.PenStyle.DashLine if name == "training" else Qt.PenStyle.SolidLine
        item = self._plot.plot(
            list(xs),
            list(ys),
            name=name,
            pen=pyqtgraph.mkPen(line, width=1.2 if name == "training" else 2, style=style),
            symbol=symbol,
            symbolSize=6 if name == "training" else 9,
            symbolBrush=theme().color("surface") if name == "training" else line,
            symbolPen=pyqtgraph.mkPen(line, width=1.2),
            data=list(numbers),
        )
        item.scatter.opts["tip"] = None
        item.sigPointsClicked.connect(self._on_clicked)

    def _ring(self, place: int, x: float, y: float) -> None:
        """Around the best point of a line."""
        import pyqtgraph

        ring = pyqtgraph.ScatterPlotItem(
            [x],
            [y],
            symbol="o",
            size=20,
            brush=None,
            pen=pyqtgraph.mkPen(theme().category(place, "ink"), width=1.6),
        )
        ring.setZValue(20)
        self._plot.addItem(ring)

    def _on_clicked(self, _item: Any, points: Any, *_: object) -> None:
        for point in points:
            if point.data() is not None:
                self.chosen.emit(int(point.data()))
                return
