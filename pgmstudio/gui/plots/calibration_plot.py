"""A reliability diagram: how often things of a probability happen, beside the diagonal."""

from __future__ import annotations

from PySide6.QtCore import Qt

from pgmstudio.core.experiments.classification_curves import Calibration
from pgmstudio.gui.plots.curve_plot import HOW_TO_MOVE, CurvePlot
from pgmstudio.gui.style.theme import theme


class CalibrationPlot(CurvePlot):
    """Bars under the diagram say where the rows are; whiskers are 95 % intervals."""

    across = True
    can_wait = True
    may_hide = "as it should be"

    def __init__(self) -> None:
        super().__init__("calibrationPlot")
        self._shown: Calibration | None = None
        self._what = ""
        self._hint.hide()

    @property
    def is_empty(self) -> bool:
        return self._shown is None or not self._shown.bins

    def show_calibration(self, found: Calibration, what: str) -> None:
        """`what` is the event whose probability was given: a state, or the best one is right."""
        self._shown, self._what = found, what
        if not found.bins and self._plot is not None:
            self._plot.clear()
        self._draw()

    def _draw_curves(self) -> None:
        import numpy as np
        import pyqtgraph

        assert self._shown is not None
        look, bins = theme(), self._shown.bins
        self._name_axes("Mean probability given", "How often it was so")
        dim = pyqtgraph.mkPen(look.color("edge_dim"), width=1, style=Qt.PenStyle.DashLine)
        self._plot.plot([0, 1], [0, 1], pen=dim, name=self.may_hide)
        total = sum(one.weight for one in bins)
        self._plot.addItem(
            pyqtgraph.BarGraphItem(
                x=[(one.low + one.high) / 2 for one in bins],
                width=0.09,
                y0=0,
                height=[0.25 * one.weight / total for one in bins],
                pen=None,
                brush=look.color("stale", 0.5),
            )
        )
        middles = [((one.low + one.high) / 2, 0.25 * one.weight / total) for one in bins]
        self._kept_free = [([x, x], [0.0, high]) for x, high in middles if high > 0.05]
        xs = np.array([one.probability for one in bins])
        ys = np.array([one.frequency for one in bins])
        line = look.category(0, "line")
        self._plot.addItem(
            pyqtgraph.ErrorBarItem(
                x=xs,
                y=ys,
                top=np.array([one.interval[1] for one in bins]) - ys,
                bottom=ys - np.array([one.interval[0] for one in bins]),
                beam=0.012,
                pen=pyqtgraph.mkPen(line, width=1),
            )
        )
        self._plot.plot(
            xs,
            ys,
            name=f"{self._what}, error {self._shown.error or 0.0:.3f}",
            pen=pyqtgraph.mkPen(line, width=look.line("plot")),
            symbol="o",
            symbolSize=7,
            symbolBrush=look.color("surface"),
            symbolPen=pyqtgraph.mkPen(line, width=1.5),
        )
        self._plot.setAccessibleName(f"Calibration of {self._what}")
        self._plot.setToolTip(
            f"Grey bars are where the rows are, whiskers 95 % intervals. {HOW_TO_MOVE}."
        )
