"""Plots over the restarts of a search: sorted scores and times, one colour and sign for each k."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.learning.kes_optima import KesOptima
from pgmstudio.gui.plots.score_plot import signed
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import label

# Told apart without colour, too.
SYMBOLS = ("o", "s", "t", "d", "+", "x", "star", "t1", "p", "h", "t2")
WITH_SYMBOLS = 60  # more runs of one k are a line


class RestartPlot(QWidget):
    """Draws either of two pictures; pyqtgraph is loaded with the first."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("restartPlot")
        self._optima: KesOptima | None = None
        self._what = "scores"
        self._plot: Any = None
        self._legend: Any = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._hint = label("", "tertiary", size="dense", wrap=True)
        self._hint.setObjectName("restartPlotHint")
        self._layout.addWidget(self._hint)
        theme().changed.connect(self._draw)

    @property
    def curves(self) -> dict[str, tuple[list[float], list[float]]]:
        """What is drawn, by its name in the legend."""
        if self._plot is None:
            return {}
        told = {}
        for item in self._plot.listDataItems():
            xs, ys = item.getData()
            told[item.name() or ""] = (list(map(float, xs)), list(map(float, ys)))
        return told

    def show_optima(self, optima: KesOptima, what: str) -> None:
        """`what` is "scores" or "times"."""
        self._optima, self._what = optima, what
        self._draw()

    def _draw(self) -> None:
        if self._optima is None or not self._optima.runs:
            return
        self._make()
        self._plot.clear()
        self._restyle()
        (self._draw_scores if self._what == "scores" else self._draw_times)(self._optima)
        self._plot.autoRange()

    def _make(self) -> None:
        if self._plot is not None:
            return
        import pyqtgraph

        pyqtgraph.setConfigOptions(antialias=True)
        self._plot = pyqtgraph.PlotWidget()
        self._plot.setObjectName("restartPlotCanvas")
        self._plot.setMenuEnabled(False)
        self._plot.hideButtons()
        self._plot.showGrid(y=True, alpha=0.15)
        self._legend = self._plot.addLegend(offset=(-8, -8), verSpacing=-4)
        self._layout.insertWidget(0, self._plot, 1)

    def _restyle(self) -> None:
        look = theme()
        self._plot.setBackground(look.color("surface"))
        for side in ("left", "bottom"):
            axis = self._plot.getAxis(side)
            axis.enableAutoSIPrefix(False)
            axis.setPen(look.color("border_control"))
            axis.setTextPen(look.color("text_secondary"))
            axis.setTickFont(look.font("caption"))
            axis.label.setFont(look.font("caption"))
        self._legend.setLabelTextColor(look.color("text"))
        self._legend.setLabelTextSize(f"{look.font('caption').pixelSize()}px")
        self._legend.setBrush(look.color("surface", 0.85))
        self._plot.setToolTip("Wheel zooms, drag pans, double-click fits.")

    def _draw_scores(self, optima: KesOptima) -> None:
        import pyqtgraph

        self._legend.show()
        self._axes("Share of the runs, lowest score first (%)", "Score (bits) ↑")
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
        self._tell(
            f"Each line has the runs of one greediness k in the order of their scores; higher is "
            f"better. Best {signed(best.score)}, met with "
            f"k = {', '.join(f'{k:g}' for k in best.greedinesses)}."
        )

    def _draw_times(self, optima: KesOptima) -> None:
        import pyqtgraph

        self._legend.show()
        self._axes("Greediness k", "Time of a run (s)")
        ks = sorted(optima.greedinesses)
        means = [optima.mean_seconds(k) for k in ks]
        runs = [(run.greediness, run.seconds) for run in optima.runs]
        dim = theme().color("edge_dim")
        self._plot.plot(
            [k for k, _ in runs],
            [seconds for _, seconds in runs],
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
        self._tell(
            f"{len(optima.runs)} runs took {total:.2f} s in all. The first ones score families "
            "that later ones find already scored."
        )

    def _axes(self, bottom: str, left: str) -> None:
        ink = theme().color("text_secondary").name()
        size = f"{theme().font('caption').pixelSize()}px"
        style = {"color": ink, "font-size": size}
        self._plot.setLabel("bottom", bottom, **style)
        self._plot.setLabel("left", left, **style)
        self._plot.setAccessibleName(f"{left} against {bottom}")

    def _tell(self, sentence: str) -> None:
        self._hint.setText(sentence)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignLeft)
