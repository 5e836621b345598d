"""The live plot of a run: score against step, finished restarts dim, the present one dotted; for
mixtures also held-out rows, the weights of the trees, and how many edges change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QGraphicsView, QHBoxLayout, QVBoxLayout, QWidget

from pgmstudio.gui.panels.elided_label import ElidedLabel
from pgmstudio.gui.plots.curve_plot import dress, new_canvas
from pgmstudio.gui.plots.loading import plot_library
from pgmstudio.gui.plots.trace_views import (
    EDGES,
    HELD,
    VIEWS,
    WeightCurves,
    start_of_last,
    views_of,
    with_gaps,
)
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import Segments, label, row
from pgmstudio.gui.workers.one_shot import one_shot
from pgmstudio.gui.workers.recorded_run import AnyRun

# More points than this of finished restarts are a cloud; the newest tell enough.
MOST_DIM = 2000
REDRAW_MS = 100
_HEADINGS = {"score": "Score by step", "weights": "Weights by step", "edges": "Edges changed"}

_NOT_YET = "The score of the selected run is drawn here."
_NO_SCORE = "This run tells no score by step."
_ONE_STEP = "Found in one step, so there is no curve."


class ScorePlot(QWidget):
    """pyqtgraph is slow to load, so the plot itself is made when the first run is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("scorePlot")
        self.setAccessibleName("Score of the run by step")
        self._run: AnyRun | None = None
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
        self.views = Segments(VIEWS, "scorePlotView")
        self.views.chosen.connect(self.refresh)
        self.views.hide()
        self._hint = ElidedLabel()
        self._hint.setObjectName("scorePlotHint")
        self._hint.setProperty("role", "tertiary")
        self._hint.setText("higher is better")
        self._weights: WeightCurves | None = None
        self._hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head = row(self._heading, self._best, self._hint, self.views)
        head_layout = head.layout()
        assert isinstance(head_layout, QHBoxLayout)
        head_layout.setStretch(2, 1)
        self._layout.addWidget(head)
        self._empty = label(_NOT_YET, "secondary")
        self._empty.setObjectName("scorePlotEmpty")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._layout.addWidget(self._empty, 1)
        self._soon = one_shot(self, self.refresh, REDRAW_MS)
        theme().changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def _on_theme_changed(self) -> None:
        self._hint.setFont(theme().font("dense"))
        self.refresh()

    @property
    def canvas(self) -> QGraphicsView | None:
        """The plot itself, when there is something in it."""
        return self._plot if self._plot is not None and not self._plot.isHidden() else None

    def show_run(self, run: AnyRun | None) -> None:
        self._run = run
        if run is not None:
            self._library.ask()  # it is there when the first points come
        self.refresh()

    def refresh_soon(self) -> None:
        """A run tells more than eyes can follow: draw ten times a second."""
        if not self._soon.isActive():
            self._soon.start()

    @property
    def hint(self) -> str:
        """What the lines mean."""
        return self._hint.text()

    def refresh(self, *_: object) -> None:
        run = self._run
        steps = [] if run is None else run.trace.steps
        # An exact learner is done in one step: a point on axes of no meaning tells nothing.
        is_lone = run is not None and run.state.is_end and len(steps) == 1
        has_points = bool(steps) and not is_lone
        known = views_of(run.trace) if run is not None else ["score"]
        self.views.setVisible(len(known) > 1)
        if self.views.current not in known:
            self.views.choose("score")
        self._empty.setVisible(not has_points)
        ended = _ONE_STEP if is_lone else _NO_SCORE
        self._empty.setText(ended if run is not None and run.state.is_end else _NOT_YET)
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
        self._plot = new_canvas("scorePlotCanvas")
        self._plot.setAccessibleName("Score against step")
        for name in ("dim", "held", "best", "now", "top"):
            self._curves[name] = self._plot.plot([], [], connect="finite")
        self._weights = WeightCurves(self._plot)
        self._plot.setLabel("bottom", "Step")
        self._plot.getAxis("bottom").tickValues = step_ticks
        for side in ("left", "bottom"):
            self._plot.getAxis(side).tickStrings = tick_words
        self._layout.addWidget(self._plot, 1)

    def _draw(self, run: AnyRun) -> None:
        self._restyle()
        view = self.views.current
        self._heading.setText(_HEADINGS[view])
        for curve in self._curves.values():
            curve.setData([], [])
        if self._weights is not None:
            self._weights.clear()
        if view == "weights" and self._weights is not None:
            self._tell("", self._weights.draw(run.trace))
        elif view == "edges":
            self._draw_starts(run, run.trace.more[EDGES])
            self._tell("", "new edges of all trees in a step; 0 when the trees have settled")
        else:
            self._draw_score(run)

    def _tell(self, best: str, hint: str) -> None:
        self._best.setText(best)
        self._best.setVisible(self.width() > theme().px("right_min") * 3 // 2)
        self._hint.setText(hint)
        self._hint.setToolTip(hint)

    def _draw_starts(self, run: AnyRun, values: list[float]) -> None:
        """Finished restarts dim, the present one dotted."""
        trace, curves = run.trace, self._curves
        begin = 0 if run.state.is_end else start_of_last(trace)
        end = len(trace.steps) if run.state.is_end else begin
        curves["dim"].setData(*with_gaps(trace, values, max(0, end - MOST_DIM), end))
        if not run.state.is_end:
            curves["now"].setData(trace.steps[begin:], values[begin:])

    def _draw_score(self, run: AnyRun) -> None:
        trace, curves = run.trace, self._curves
        top = max(trace.scores)
        place = trace.scores.index(top)
        self._draw_starts(run, trace.scores)
        curves["best"].setData(trace.steps, list(accumulate(trace.scores, max)))
        curves["top"].setData([trace.steps[place]], [top])
        hint = "higher is better"
        if HELD in trace.more:
            held = trace.more[HELD]
            begin = max(0, len(trace.steps) - MOST_DIM)
            curves["held"].setData(*with_gaps(trace, held, begin, len(held)))
            hint = "bits per row, higher is better · dashed: held-out rows"
        self._tell(f"best {signed(top)}", hint)

    def _restyle(self) -> None:
        import pyqtgraph

        dress(self._plot)
        look = theme()
        dim, accent = look.color("edge_dim"), look.color("accent")
        curves = self._curves
        curves["dim"].setPen(pyqtgraph.mkPen(dim, width=1.2))
        curves["dim"].setSymbol("o")
        curves["dim"].setSymbolSize(3)
        curves["dim"].setSymbolPen(None)
        curves["dim"].setSymbolBrush(dim)
        curves["best"].setPen(pyqtgraph.mkPen(accent, width=look.line("plot")))
        held = look.category(1, "line")
        curves["held"].setPen(pyqtgraph.mkPen(held, width=1.5, style=Qt.PenStyle.DashLine))
        dotted = Qt.PenStyle.DotLine
        curves["now"].setPen(pyqtgraph.mkPen(look.color("text"), width=1.5, style=dotted))
        curves["top"].setPen(None)
        curves["top"].setSymbol("o")
        curves["top"].setSymbolSize(8)
        curves["top"].setSymbolPen(None)
        curves["top"].setSymbolBrush(accent)


def step_ticks(low: float, high: float, length: float) -> list[tuple[float, list[float]]]:
    """Whole steps at round distances, so far apart that their numbers never touch."""
    widest = grouped(round(max(abs(low), abs(high))))
    words = QFontMetricsF(theme().font("caption")).horizontalAdvance(widest + "00")
    most = max(1.0, length / words)
    size = max(1.0, (high - low) / most)
    power = 10.0 ** math.floor(math.log10(size))
    distance = next(power * n for n in (1, 2, 5, 10) if power * n >= size * (1 - 1e-9))
    first, last = math.ceil(low / distance), math.floor(high / distance)
    return [(distance, [number * distance for number in range(first, last + 1)])]


def tick_words(values: Sequence[float], scale: float, distance: float) -> list[str]:
    """As many digits as tell them apart, thousands grouped, and never a power of ten."""
    digits = max(0, math.ceil(-math.log10(max(distance * scale, 1e-9))))
    told = (f"{round(value * scale, digits) + 0.0:,.{digits}f}" for value in values)  # not −0
    return [words.replace(",", "\u2009").replace("-", "−") for words in told]


def signed(value: float) -> str:
    """A score with a true minus sign and grouped thousands."""
    whole, tenth = divmod(round(abs(value) * 10), 10)
    text = f"{grouped(whole)}.{tenth}"
    return f"−{text}" if value < 0 else text
