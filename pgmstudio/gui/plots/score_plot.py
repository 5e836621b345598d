"""The live plot of a run: score against step, finished restarts dim, the present one dotted."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QGraphicsView, QVBoxLayout, QWidget

from pgmstudio.gui.plots.loading import plot_library
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import label, row
from pgmstudio.gui.workers.learning_run import LearningRun, Trace

# More points than this of finished restarts are a cloud; the newest tell enough.
MOST_DIM = 2000
REDRAW_MS = 100
_NO_POINT = float("nan")


class ScorePlot(QWidget):
    """pyqtgraph is slow to load, so the plot itself is made when the first run is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("scorePlot")
        self.setAccessibleName("Score of the run by step")
        self._run: LearningRun | None = None
        self._library = plot_library()
        self._library.loaded.connect(self.refresh)
        self._plot: Any = None
        self._curves: dict[str, Any] = {}
        self._heading = label("Score by step", "heading", size="dense")
        self._best = label("", "secondary", size="dense")
        self._best.setObjectName("scorePlotBest")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(12, 4, 12, 4)
        self._layout.setSpacing(2)
        hint = label("higher is better", "tertiary", size="dense")
        self._layout.addWidget(row(self._heading, self._best, None, hint))
        self._empty = label("The score of the selected run is drawn here.", "secondary")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._layout.addWidget(self._empty, 1)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(REDRAW_MS)
        self._soon.timeout.connect(self.refresh)
        theme().changed.connect(self.refresh)

    @property
    def canvas(self) -> QGraphicsView | None:
        """The plot itself, when there is something in it."""
        return self._plot if self._plot is not None and not self._plot.isHidden() else None

    def show_run(self, run: LearningRun | None) -> None:
        self._run = run
        if run is not None:
            self._library.ask()  # it is there when the first points come
        self.refresh()

    def refresh_soon(self) -> None:
        """A run tells more than eyes can follow: draw ten times a second."""
        if not self._soon.isActive():
            self._soon.start()

    def refresh(self) -> None:
        run = self._run
        has_points = run is not None and bool(run.trace.steps)
        self._empty.setVisible(not has_points)
        if self._plot is not None:
            self._plot.setVisible(has_points)
        if run is None or not has_points:
            self._best.setText("")
            return
        if not self._library.ask():
            return  # drawn when it is loaded
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
        self._plot.showGrid(y=True, alpha=0.15)
        for name in ("dim", "best", "now", "top"):
            self._curves[name] = self._plot.plot([], [], connect="finite")
        self._layout.addWidget(self._plot, 1)

    def _draw(self, run: LearningRun) -> None:
        self._restyle()
        trace, curves = run.trace, self._curves
        top = max(trace.scores)
        place = trace.scores.index(top)
        begin = 0 if run.state.is_end else _start_of_last(trace)
        end = len(trace.steps) if run.state.is_end else begin
        curves["dim"].setData(*_with_gaps(trace, max(0, end - MOST_DIM), end))
        curves["best"].setData(trace.steps, list(accumulate(trace.scores, max)))
        if run.state.is_end:
            curves["now"].setData([], [])
        else:
            curves["now"].setData(trace.steps[begin:], trace.scores[begin:])
        curves["top"].setData([trace.steps[place]], [top])
        self._best.setText(f"best {signed(top)}")

    def _restyle(self) -> None:
        import pyqtgraph

        plot, look = self._plot, theme()
        plot.setBackground(look.color("surface"))
        for side in ("left", "bottom"):
            axis = plot.getAxis(side)
            axis.setPen(look.color("border_control"))
            axis.setTextPen(look.color("text_secondary"))
            axis.setTickFont(look.font("caption"))
        dim, accent = look.color("edge_dim"), look.color("accent")
        curves = self._curves
        curves["dim"].setPen(pyqtgraph.mkPen(dim, width=1.2))
        curves["dim"].setSymbol("o")
        curves["dim"].setSymbolSize(3)
        curves["dim"].setSymbolPen(None)
        curves["dim"].setSymbolBrush(dim)
        curves["best"].setPen(pyqtgraph.mkPen(accent, width=look.line("plot")))
        dotted = Qt.PenStyle.DotLine
        curves["now"].setPen(pyqtgraph.mkPen(look.color("text"), width=1.5, style=dotted))
        curves["top"].setPen(None)
        curves["top"].setSymbol("o")
        curves["top"].setSymbolSize(8)
        curves["top"].setSymbolPen(None)
        curves["top"].setSymbolBrush(accent)


def _start_of_last(trace: Trace) -> int:
    """Where the points of the present restart begin."""
    last = trace.groups[-1]
    start = len(trace.groups) - 1
    while start > 0 and trace.groups[start - 1] == last:
        start -= 1
    return start


def _with_gaps(trace: Trace, begin: int, end: int) -> tuple[list[float], list[float]]:
    """Points of several restarts as one line that is broken between them."""
    steps: list[float] = []
    scores: list[float] = []
    for i in range(begin, end):
        if i > begin and trace.groups[i] != trace.groups[i - 1]:
            steps.append(_NO_POINT)
            scores.append(_NO_POINT)
        steps.append(trace.steps[i])
        scores.append(trace.scores[i])
    return steps, scores


def signed(value: float) -> str:
    """A score with a true minus sign and grouped thousands."""
    text = f"{grouped(int(abs(value)))}.{round(abs(value) % 1 * 10) % 10}"
    return f"−{text}" if value < 0 else text
