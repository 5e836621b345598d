"""Plots of scans: over κ, restarts, numbers of classes, an experiment's parameter, and λ."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pgmstudio.core.drawing.svg.sl_plot import Axis
from pgmstudio.core.experiments.sl_curves.sweep import Sweep, SweepLine
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.latent_class.learning.trace import ClassScan, ScanPoint
from pgmstudio.core.languages.pdg.learning.trace import PdgPoint, PdgScan
from pgmstudio.core.number_format import decimal
from pgmstudio.gui.plots.curve_plot import CurvePlot, PointPlot
from pgmstudio.gui.plots.plot_widget import HOW_TO_MOVE
from pgmstudio.gui.theme.theme import theme

# The name of a line, and its value at a point.
KappaLines = Sequence[tuple[str, Callable[[Any], float | None]]]


def kappa_text(kappa: float, without: str = "no labels") -> str:
    """κ as on the axis; 0 is the model without what κ penalizes."""
    return f"{kappa:g}".replace("e-0", "e−").replace("e-", "e−") if kappa else without


class KappaPlot(PointPlot):
    """κ has steps of its own, since its numbers lie decades apart and 0 is one of them."""

    def __init__(self) -> None:
        super().__init__("kappaPlot")
        self._ticks: Sequence[str] = ()
        self._points: Sequence[Any] = ()
        self._best = 0
        self._axis_titles = ("", "")
        self._lines: KappaLines = ()
        self._errors: Sequence[float | None] = ()

    @property
    def is_empty(self) -> bool:
        return not self._points

    def show_path(
        self,
        points: Sequence[Any],
        *,
        ticks: Sequence[str],
        best: int,
        titles: tuple[str, str],
        lines: KappaLines,
        hint: str,
        errors: Sequence[float | None] = (),
    ) -> None:
        """A line for each quantity over the points; `titles` of the two axes, `errors` the standard
        errors of the first line."""
        self._points, self._ticks, self._best = points, ticks, best
        self._axis_titles, self._lines, self._errors = titles, lines, errors
        self.refresh()
        self._hint.setText(f"{hint} (ringed). A click on a point opens its model.")

    def _draw_curves(self) -> None:
        self._name_axes(*self._axis_titles)
        ticks = [(float(i), text) for i, text in enumerate(self._ticks)]
        self._canvas.getAxis("bottom").setTicks([ticks])
        for index, (name, value) in enumerate(self._lines):
            known = {
                i: float(number)
                for i, point in enumerate(self._points)
                if (number := value(point)) is not None and math.isfinite(number)
            }
            if not known:
                continue
            xs = [float(i) for i in known]
            self._draw_points(index, name, "od"[index], list(known), xs, list(known.values()))
            if self._best in known:
                self._ring(index, float(self._best), known[self._best])
            if index == 0:
                self._draw_standard_errors(known)
        self._legend.setVisible(len(self._lines) > 1)
        self._canvas.setToolTip(f"{HOW_TO_MOVE}; a point opens its model.")

    def _draw_standard_errors(self, values: Mapping[int, float]) -> None:
        """A standard error of the mean over the folds, up and down."""
        errors = [
            (float(i), values[i], values[i] - error, values[i] + error)
            for i, error in enumerate(self._errors)
            if error is not None and i in values
        ]
        if errors:
            self._draw_errors(0, *zip(*errors, strict=True))


# Distinguishable without colour, too.
SYMBOLS = ("o", "s", "t", "d", "+", "x", "star", "t1", "p", "h", "t2")
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


Value = Callable[[ScanPoint], float | None]
# Name, value, marker; each has its own symbol as well as its colour.
LINES: tuple[tuple[str, Value, str], ...] = (
    ("training", lambda p: p.train_bits, "o"),
    ("BIC", lambda p: p.bic_bits, "s"),
    ("AIC", lambda p: p.aic_bits, "t1"),
    ("held-out", lambda p: p.held_bits, "d"),
)
_CRITERIA = {"BIC", "AIC", "held-out"}


def flag_of(point: ScanPoint) -> str:
    """“2 empty, 1 double”; empty when all classes are of use."""
    parts = [f"{point.empty} empty"] if point.empty else []
    parts += [f"{point.duplicates} double"] if point.duplicates else []
    return ", ".join(parts)


class ScanPlot(PointPlot):
    """Plot of a scan over numbers of classes; a click sends the number of the point."""

    def __init__(self) -> None:
        super().__init__("scanPlot")
        self._scan: ClassScan | None = None

    @property
    def is_empty(self) -> bool:
        return self._scan is None or not self._scan.points

    @property
    def flags(self) -> dict[int, str]:
        """Warnings at points with useless classes, by their number of classes."""
        points = () if self._scan is None else self._scan.points
        return {point.classes: flag_of(point) for point in points if flag_of(point)}

    def show_scan(self, scan: ClassScan) -> None:
        self._scan = scan
        self.refresh()

    def best_of(self, name: str) -> ScanPoint | None:
        """The point that a line is largest at; None when it has none."""
        value = next(value for line, value, _ in LINES if line == name)
        if self._scan is None:
            return None
        known = [point for point in self._scan.points if value(point) is not None]
        return max(known, key=lambda p: value(p) or 0.0, default=None)

    def _draw_curves(self) -> None:
        scan = self._scan
        assert scan is not None
        self._dress_axes(scan)
        order = sorted(range(len(scan.points)), key=lambda i: (scan.points[i].classes, i))
        descriptions = []
        for index, (name, value, symbol) in enumerate(LINES):
            numbers = [i for i in order if value(scan.points[i]) is not None]
            if not numbers:
                continue
            xs = [scan.points[i].classes for i in numbers]
            ys = [bits for i in numbers if (bits := value(scan.points[i])) is not None]
            self._draw_points(index, name, symbol, numbers, xs, ys)
            best = self.best_of(name)
            if best is not None and name in _CRITERIA:
                self._ring(index, best.classes, value(best) or 0.0)
                descriptions.append(f"{name} {best.classes}")
        self._draw_flags(scan)
        self._hint.setText(
            f"Best number of classes: {', '.join(descriptions)} (ringed). "
            "Higher is better; a click on a point opens its model."
        )

    def _draw_flags(self, scan: ClassScan) -> None:
        """Label the points whose classes are empty or repeat each other."""
        import pyqtgraph

        for point in scan.points:
            label = flag_of(point)
            if label:
                text = pyqtgraph.TextItem(
                    f"⚠ {label}", theme().color("warning_ink"), anchor=(0.5, 0)
                )
                text.setFont(theme().font("caption"))
                text.setPos(point.classes, min(point.bic_bits, point.aic_bits))
                self._canvas.addItem(text)

    def _dress_axes(self, scan: ClassScan) -> None:
        self._name_axes("Classes", "Bits per row ↑")
        counts = sorted({point.classes for point in scan.points})
        if len(counts) <= 24:
            ticks = [(count, str(count)) for count in counts]
            self._canvas.getAxis("bottom").setTicks([ticks])
        self._canvas.setAccessibleName("Criteria by number of classes")
        self._canvas.setToolTip(f"{HOW_TO_MOVE}; a point opens its model.")


_MAX_TICKS = 16


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


class SweepPlot(PointPlot):
    """An SL-curve: every point is a model."""

    def __init__(self) -> None:
        super().__init__("sweepPlot")
        self._scan: PdgScan | None = None

    @property
    def is_empty(self) -> bool:
        return self._scan is None or not self._scan.points

    def show_scan(self, scan: PdgScan) -> None:
        self._scan = scan
        self.refresh()

    def _draw_curves(self) -> None:
        scan = self._scan
        assert scan is not None
        self._name_axes("Effective size", "Bits per row ↑")
        best = scan.best()
        lines: tuple[tuple[str, str], ...] = (("training", "o"), ("held-out", "d"))
        for index, (name, symbol) in enumerate(lines):
            known = [i for i, point in enumerate(scan.points) if _bits(point, name) is not None]
            known.sort(key=lambda i: scan.points[i].effective_size)
            if not known:
                continue
            xs = [float(scan.points[i].effective_size) for i in known]
            ys = [bits for i in known if (bits := _bits(scan.points[i], name)) is not None]
            self._draw_points(index, name, symbol, known, xs, ys)
        index = 0 if best.held_bits is None else 1
        number = best.train_bits if best.held_bits is None else best.held_bits
        self._ring(index, float(best.effective_size), number)
        self._canvas.setToolTip(f"{HOW_TO_MOVE}; a point opens its model.")
        self._hint.setText(
            f"Best by {scan.criterion}: λ {best.lambda_:.3g} (ringed). Higher and further left is "
            "better; a click on a point opens its model."
        )


def _bits(point: PdgPoint, name: str) -> float | None:
    return point.train_bits if name == "training" else point.held_bits
