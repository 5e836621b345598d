"""The live plot of a run: score against step, finished restarts dim, the present one dotted."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGraphicsView, QVBoxLayout, QWidget

from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import label, row
from pgmstudio.gui.workers.learning_run import LearningRun


class ScorePlot(QWidget):
    """pyqtgraph is slow to load, so the plot itself is made when the first run is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("scorePlot")
        self.setAccessibleName("Score of the run by step")
        self._run: LearningRun | None = None
        self._plot: Any = None
        self._heading = label("Score by step", "heading", size="dense")
        self._best = label("", "secondary", size="dense")
        self._best.setObjectName("scorePlotBest")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(12, 8, 12, 4)
        hint = label("higher is better", "tertiary", size="dense")
        self._layout.addWidget(row(self._heading, self._best, None, hint))
        self._empty = label("The score of the selected run is drawn here.", "secondary")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout.addWidget(self._empty, 1)
        theme().changed.connect(self.refresh)

    @property
    def canvas(self) -> QGraphicsView | None:
        """The plot itself, when there is something in it."""
        return self._plot if self._plot is not None and not self._plot.isHidden() else None

    def show_run(self, run: LearningRun | None) -> None:
        self._run = run
        self.refresh()

    def refresh(self) -> None:
        run = self._run
        has_points = run is not None and bool(run.trace.steps)
        self._empty.setVisible(not has_points)
        if self._plot is not None:
            self._plot.setVisible(has_points)
        if run is None or not has_points:
            self._best.setText("")
            return
        self._make_plot()
        self._draw(run)

    def draw_on(self, background: str | None) -> None:
        """Once more in the present colours, on a ground of that name or on none: for a file."""
        if self._run is not None and self.canvas is not None:
            self._draw(self._run)
            self._plot.setBackground(None if background is None else theme().color(background))

    def _make_plot(self) -> None:
        if self._plot is not None:
            return
        import pyqtgraph

        pyqtgraph.setConfigOptions(antialias=True)
        self._plot = pyqtgraph.PlotWidget()
        self._plot.setObjectName("scorePlotCanvas")
        self._plot.setAccessibleName("Score against step")
        self._plot.setToolTip("Wheel zooms, drag pans, double-click fits.")
        self._plot.setMenuEnabled(False)
        self._plot.hideButtons()
        self._layout.addWidget(self._plot, 1)

    def _draw(self, run: LearningRun) -> None:
        import pyqtgraph

        plot, look = self._plot, theme()
        plot.clear()
        plot.setBackground(look.color("surface"))
        for side in ("left", "bottom"):
            axis = plot.getAxis(side)
            axis.setPen(look.color("border_control"))
            axis.setTextPen(look.color("text_secondary"))
            axis.setTickFont(look.font("caption"))
        plot.getAxis("bottom").setLabel("Step", color=look.color("text_secondary").name())
        plot.showGrid(y=True, alpha=0.15)
        trace = run.trace
        points = list(zip(trace.groups, trace.steps, trace.scores, strict=True))
        climbs = [list(group) for _, group in groupby(points, key=lambda point: point[0])]
        top = max(trace.scores)
        for number, climb in enumerate(climbs):
            last = number == len(climbs) - 1 and not run.state.is_end
            is_best = max(score for _, _, score in climb) == top
            color = look.color("accent" if is_best else "text" if last else "edge_dim")
            style = Qt.PenStyle.DotLine if last and not is_best else Qt.PenStyle.SolidLine
            pen = pyqtgraph.mkPen(color, width=look.line("plot") if is_best else 1.2, style=style)
            plot.plot([p[1] for p in climb], [p[2] for p in climb], pen=pen)
        place = trace.scores.index(top)
        plot.plot(
            [trace.steps[place]],
            [top],
            pen=None,
            symbol="o",
            symbolSize=7,
            symbolBrush=look.color("accent"),
            symbolPen=None,
        )
        self._best.setText(f"best {signed(top)}")


def signed(value: float) -> str:
    """A score with a true minus sign and grouped thousands."""
    text = f"{grouped(int(abs(value)))}.{round(abs(value) % 1 * 10) % 10}"
    return f"−{text}" if value < 0 else text
