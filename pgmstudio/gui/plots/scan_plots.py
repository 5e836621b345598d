"""Plots of scans: models by one of their numbers, restarts, and an experiment's parameter."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Signal

from pgmstudio.core.drawing.svg.sl_plot import Axis
from pgmstudio.core.experiments.sl_curves.sweep import Sweep, SweepLine
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.number_format import decimal
from pgmstudio.gui.plots.curve_plot import CurvePlot
from pgmstudio.gui.plots.plot_widget import HOW_TO_MOVE
from pgmstudio.gui.theme.theme import theme

# Distinguishable without colour, too.
SYMBOLS = ("o", "s", "t1", "d", "t", "+", "x", "star", "p", "h", "t2")
_MAX_TICKS = 24
# The name of a line, and its value at a point.
ScanLines = Sequence[tuple[str, Callable[[Any], float | None]]]


def kappa_text(kappa: float, without: str = "no labels") -> str:
    """κ as on the axis; 0 is the model without what κ penalizes."""
    return f"{kappa:g}".replace("e-0", "e−").replace("e-", "e−") if kappa else without


class ScanPlot(CurvePlot):
    """Lines through points that are models; `chosen` sends the number of a clicked point."""

    across = True
    chosen = Signal(int)

    def __init__(self, name: str = "scanPlot") -> None:
        super().__init__(name)
        self._content: Callable[[], None] | None = None
        self.flags: Mapping[float, str] = {}

    @property
    def is_empty(self) -> bool:
        return self._content is None

    def show_points(
        self,
        points: Sequence[Any],
        lines: ScanLines,
        *,
        titles: tuple[str, str],
        hint: str,
        best: Mapping[str, int],
        x: Callable[[Any], float] | None = None,
        ticks: Sequence[str] = (),
        errors: Sequence[float | None] = (),
        flags: Mapping[float, str] | None = None,
    ) -> None:
        """A line for each quantity over the points; `best` are numbers of points to be ringed.

        Without `x` the points are evenly spaced. `titles` are those of the two axes, `errors` the
        standard errors of the first line, and `flags` warnings under points by their x.
        """
        self.flags = flags or {}
        xs = [float(i) if x is None else x(point) for i, point in enumerate(points)]

        def draw() -> None:
            self._name_axes(*titles)
            named = dict(zip(xs, ticks, strict=False)) if len(set(xs)) <= _MAX_TICKS else {}
            self._canvas.getAxis("bottom").setTicks([list(named.items())] if named else None)
            lowest = dict.fromkeys(xs, math.inf)
            for index, (name, value) in enumerate(lines):
                values = {
                    i: float(number)
                    for i, point in enumerate(points)
                    if (number := value(point)) is not None and math.isfinite(number)
                }
                if not values:
                    continue
                self._draw_points(index, name, xs, values)
                ringed = best.get(name)
                if ringed in values:
                    self._ring(index, xs[ringed], values[ringed])
                if index == 0:
                    self._draw_standard_errors(xs, values, errors)
                lowest |= {xs[i]: min(lowest[xs[i]], number) for i, number in values.items()}
            for at, text in self.flags.items():
                self._draw_flag(at, lowest[at], text)

        self._content = draw if points else None
        self.refresh()
        self._hint.setText(hint)

    def _draw_curves(self) -> None:
        assert self._content is not None
        self._content()
        self._legend.setVisible(len(self.curves) > 1)
        self._canvas.setToolTip(f"{HOW_TO_MOVE}; a point opens its model.")

    def _draw_points(
        self, index: int, name: str, xs: Sequence[float], values: Mapping[int, float]
    ) -> None:
        numbers = sorted(values, key=lambda i: (xs[i], i))
        positions, heights = [xs[i] for i in numbers], [values[i] for i in numbers]
        item = self._draw_curve(index, name, positions, heights, SYMBOLS[index], numbers=numbers)
        item.scatter.opts["tip"] = None
        item.sigPointsClicked.connect(self._on_clicked)

    def _ring(self, index: int, x: float, y: float) -> None:
        """Around the best point of a line."""
        import pyqtgraph

        pen = pyqtgraph.mkPen(theme().category(index, "ink"), width=1.6)
        ring = pyqtgraph.ScatterPlotItem([x], [y], symbol="o", size=20, brush=None, pen=pen)
        ring.setZValue(20)
        self._canvas.addItem(ring)

    def _draw_standard_errors(
        self, xs: Sequence[float], values: Mapping[int, float], errors: Sequence[float | None]
    ) -> None:
        known = [(i, error) for i, error in enumerate(errors) if error is not None and i in values]
        if known:
            parts = [(xs[i], values[i], values[i] - e, values[i] + e) for i, e in known]
            self._draw_errors(0, *zip(*parts, strict=True))

    def _draw_flag(self, x: float, y: float, text: str) -> None:
        import pyqtgraph

        item = pyqtgraph.TextItem(f"⚠ {text}", theme().color("warning_ink"), anchor=(0.5, 0))
        item.setFont(theme().font("caption"))
        item.setPos(x, y)
        self._canvas.addItem(item)

    def _on_clicked(self, _item: Any, points: Any, *_: object) -> None:
        number = next((p.data() for p in points if p.data() is not None), None)
        if number is not None:
            self.chosen.emit(int(number))


WITH_SYMBOLS = 60  # more runs of one k are a line


class RestartPlot(CurvePlot):
    """Draws either of two pictures."""

    def __init__(self) -> None:
        super().__init__("restartPlot")
        self._optima: KesOptima | None = None
        self._what = "scores"

    @property
    def is_empty(self) -> bool:
        return self._optima is None or not self._optima.runs

    def show_optima(self, optima: KesOptima, what: str) -> None:
        """`what` is "scores" or "times"."""
        self._optima, self._what = optima, what
        self.refresh()

    def _draw_curves(self) -> None:
        assert self._optima is not None
        (self._draw_scores if self._what == "scores" else self._draw_times)(self._optima)

    def _draw_scores(self, optima: KesOptima) -> None:
        self._name_axes("Fraction of runs, lowest score first (%)", "Score (bits) ↑")
        for index, k in enumerate(optima.greedinesses):
            scores = optima.sorted_scores(k)
            # A line through all runs of each k, whether there are one or a thousand.
            xs = [100 * i / max(1, len(scores) - 1) for i in range(len(scores))]
            ys = list(scores)
            if len(scores) == 1:
                xs, ys = [0.0, 100.0], ys * 2
            symbol = SYMBOLS[index % len(SYMBOLS)] if len(xs) <= WITH_SYMBOLS else None
            self._draw_curve(index, f"k = {k:g}", xs, ys, symbol, is_open=True)
        best = optima.best
        self._hint.setText(
            f"Each line has the runs of one greediness k in the order of their scores; higher is "
            f"better. Best {decimal(best.score, 1)}, met with "
            f"k = {', '.join(f'{k:g}' for k in best.greedinesses)}."
        )

    def _draw_times(self, optima: KesOptima) -> None:
        # Fractions of a second read better as milliseconds.
        is_short = max(run.seconds for run in optima.runs) < 1
        per_second, unit = (1000.0, "ms") if is_short else (1.0, "s")
        self._name_axes("Greediness k", f"Time of a run ({unit}) ↓")
        ks = sorted(optima.greedinesses)
        means = [optima.mean_seconds(k) * per_second for k in ks]
        runs = [(run.greediness, run.seconds * per_second) for run in optima.runs]
        dim = theme().color("edge_dim")
        self._canvas.plot(
            [k for k, _ in runs],
            [time for _, time in runs],
            name="one run",
            pen=None,
            symbol="o",
            symbolSize=4,
            symbolPen=None,
            symbolBrush=dim,
        )
        self._draw_curve(0, "mean", ks, means, "s")
        total = sum(run.seconds for run in optima.runs)
        self._hint.setText(
            f"{len(optima.runs)} runs took {total:.2f} s in all. The first ones score families "
            "that later ones find already scored."
        )


class SweepLinesPlot(CurvePlot):
    """A line, symbol and colour for each; settings that grow by factors are evenly spaced."""

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
        self._hint.setText("" if sweep.lines else "Nothing measured yet.")
        self.refresh()

    def _draw_curves(self) -> None:
        sweep = self._sweep
        assert sweep is not None
        self._name_axes(sweep.x_title, sweep.y_title)
        values = sorted({mark.x for one in sweep.lines for mark in one.marks})
        if len(values) <= _MAX_TICKS:
            ticks = [(self._x_of(value), f"{value:g}") for value in values]
            self._canvas.getAxis("bottom").setTicks([ticks])
        means = [mark.mean for one in sweep.lines for mark in one.marks]
        if sweep.is_log_up:
            shown = Axis.around(means, 0, 1, is_log=True).ticks()
            ticks = [(math.log10(value), f"{value:g}") for value in shown]
        self._canvas.getAxis("left").setTicks([ticks] if sweep.is_log_up else None)
        for number, one in enumerate(sweep.lines):
            self._draw_line(number, one)
        is_repeated = any(mark.spread for one in sweep.lines for mark in one.marks)
        bars = "." if sweep.is_log_up else "; bars are ± one standard deviation."
        self._hint.setText(
            f"Means over the repeats{bars}" if is_repeated else "One repeat at each setting."
        )

    def _x_of(self, value: float) -> float:
        assert self._sweep is not None
        return math.log10(value) if self._sweep.is_log and value > 0 else value

    def _draw_line(self, number: int, one: SweepLine) -> None:
        is_log_up = self._sweep is not None and self._sweep.is_log_up
        xs = [self._x_of(mark.x) for mark in one.marks]
        ys = [math.log10(mark.mean) if is_log_up else mark.mean for mark in one.marks]
        if not is_log_up:
            spreads = np.array([mark.spread or 0.0 for mark in one.marks])
            self._draw_errors(number, xs, ys, ys - spreads, ys + spreads)
        self._draw_curve(number, one.name, xs, ys, SYMBOLS[number % len(SYMBOLS)])
