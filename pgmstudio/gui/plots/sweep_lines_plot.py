"""Lines of means with bars of their spread, along a setting of an experiment."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt

from pgmstudio.core.experiments.sweep_lines import Sweep, SweepLine
from pgmstudio.core.pictures.axes import Axis
from pgmstudio.gui.plots.curve_plot import CurvePlot
from pgmstudio.gui.style.theme import theme

_SYMBOLS = ("o", "s", "t1", "d", "h", "star")
_MOST_TICKS = 16


class SweepLinesPlot(CurvePlot):
    """A line, a sign and a colour for each; places of settings that grow by factors are even."""

    across = True

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._sweep: Sweep | None = None

    @property
    def sweep(self) -> Sweep | None:
        return self._sweep

    @property
    def is_empty(self) -> bool:
        return self._sweep is None or not self._sweep.lines

    def show_sweep(self, sweep: Sweep) -> None:
        self._sweep = sweep
        if not sweep.lines and self._plot is not None:
            self._plot.clear()
        self._hint.setText("" if sweep.lines else "Nothing measured yet.")
        self._draw()

    def _draw_curves(self) -> None:
        sweep = self._sweep
        assert sweep is not None
        self._name_axes(sweep.x_title, sweep.y_title)
        values = sorted({mark.x for one in sweep.lines for mark in one.marks})
        if len(values) <= _MOST_TICKS:
            ticks = [(self._place(value), f"{value:g}") for value in values]
            self._plot.getAxis("bottom").setTicks([ticks])
        means = [mark.mean for one in sweep.lines for mark in one.marks]
        if sweep.is_log_up:
            shown = Axis.around(means, 0, 1, is_log=True).ticks()
            ticks = [(math.log10(value), f"{value:g}") for value in shown]
        self._plot.getAxis("left").setTicks([ticks] if sweep.is_log_up else None)
        for number, one in enumerate(sweep.lines):
            self._draw_line(number, one)
        is_repeated = any(mark.spread for one in sweep.lines for mark in one.marks)
        bars = "." if sweep.is_log_up else "; bars are ± one standard deviation."
        self._hint.setText(
            f"Means over the repeats{bars}" if is_repeated else "One repeat at each place."
        )

    def _place(self, value: float) -> float:
        assert self._sweep is not None
        return math.log10(value) if self._sweep.is_log and value > 0 else value

    def _draw_line(self, number: int, one: SweepLine) -> None:
        import pyqtgraph

        color = theme().category(number, "line")
        is_training = one.name == "training"
        style = Qt.PenStyle.DashLine if is_training else Qt.PenStyle.SolidLine
        xs = [self._place(mark.x) for mark in one.marks]
        is_log_up = self._sweep is not None and self._sweep.is_log_up
        ys = [math.log10(mark.mean) if is_log_up else mark.mean for mark in one.marks]
        widest = max(xs) - min(xs) if len(xs) > 1 else 1.0
        import numpy as np

        bars = pyqtgraph.ErrorBarItem(
            x=np.array(xs),
            y=np.array(ys),
            height=2 * np.array([0.0 if is_log_up else mark.spread or 0.0 for mark in one.marks]),
            beam=0.012 * widest,
            pen=pyqtgraph.mkPen(color, width=1.2),
        )
        self._plot.addItem(bars)
        self._plot.plot(
            xs,
            ys,
            name=one.name,
            pen=pyqtgraph.mkPen(color, width=1.2 if is_training else 2, style=style),
            symbol=_SYMBOLS[number % len(_SYMBOLS)],
            symbolSize=8,
            symbolBrush=color,
            symbolPen=pyqtgraph.mkPen(theme().color("surface"), width=1),
        )
