"""Plots over the restarts of a search: sorted scores and times, one colour and sign for each k."""

from __future__ import annotations

from pgmstudio.core.learning.kes_optima import KesOptima
from pgmstudio.gui.plots.curve_plot import CurvePlot
from pgmstudio.gui.plots.score_plot import signed
from pgmstudio.gui.style.theme import theme

# Told apart without colour, too.
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
        self._draw()

    def _draw_curves(self) -> None:
        assert self._optima is not None
        (self._draw_scores if self._what == "scores" else self._draw_times)(self._optima)

    def _draw_scores(self, optima: KesOptima) -> None:
        import pyqtgraph

        self._name_axes("Share of the runs, lowest score first (%)", "Score (bits) ↑")
        for place, k in enumerate(optima.greedinesses):
            scores = optima.sorted_scores(k)
            # A line through all runs of each k, whether there are one or a thousand.
            xs = [100 * i / max(1, len(scores) - 1) for i in range(len(scores))]
            ys = list(scores)
            if len(scores) == 1:
                xs, ys = [0.0, 100.0], ys * 2
            line = theme().category(place, "line")
            symbol = SYMBOLS[place % len(SYMBOLS)] if len(xs) <= WITH_SYMBOLS else None
            self._plot.plot(
                xs,
                ys,
                name=f"k = {k:g}",
                pen=pyqtgraph.mkPen(line, width=theme().line("plot")),
                symbol=symbol,
                symbolSize=7,
                symbolBrush=theme().color("surface"),
                symbolPen=pyqtgraph.mkPen(line, width=1.5),
            )
        best = optima.best
        self._hint.setText(
            f"Each line has the runs of one greediness k in the order of their scores; higher is "
            f"better. Best {signed(best.score)}, met with "
            f"k = {', '.join(f'{k:g}' for k in best.greedinesses)}."
        )

    def _draw_times(self, optima: KesOptima) -> None:
        import pyqtgraph

        # Fractions of a second read better as milliseconds.
        is_short = max(run.seconds for run in optima.runs) < 1
        per_second, unit = (1000.0, "ms") if is_short else (1.0, "s")
        self._name_axes("Greediness k", f"Time of a run ({unit}) ↓")
        ks = sorted(optima.greedinesses)
        means = [optima.mean_seconds(k) * per_second for k in ks]
        runs = [(run.greediness, run.seconds * per_second) for run in optima.runs]
        dim = theme().color("edge_dim")
        self._plot.plot(
            [k for k, _ in runs],
            [time for _, time in runs],
            name="one run",
            pen=None,
            symbol="o",
            symbolSize=4,
            symbolPen=None,
            symbolBrush=dim,
        )
        line = theme().category(0, "line")
        self._plot.plot(
            ks,
            means,
            name="mean",
            pen=pyqtgraph.mkPen(line, width=theme().line("plot")),
            symbol="s",
            symbolSize=8,
            symbolPen=None,
            symbolBrush=line,
        )
        total = sum(run.seconds for run in optima.runs)
        self._hint.setText(
            f"{len(optima.runs)} runs took {total:.2f} s in all. The first ones score families "
            "that later ones find already scored."
        )
