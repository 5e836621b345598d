"""The live plot of a run: score against step, finished restarts dim, the present one dotted; for
mixtures also held-out rows, the weights of the trees, and how many edges change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout

from pgmstudio.core.drawing.strands import DASHES
from pgmstudio.core.number_format import decimal, grouped
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.learning_run import Trace
from pgmstudio.gui.plots.chart import Chart
from pgmstudio.gui.plots.plot_widget import plot_library
from pgmstudio.gui.runs.recorded_run import AnyRun
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Segments, label, row
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import ElidedLabel

HELD, EDGES, WEIGHT = "held-out", "edges changed", "weight "
# More lines than this cannot be distinguished; those of the largest weights are drawn.
MAX_WEIGHTS = 12
# Starts so quick that only a point or two were seen are passed over for one with a curve.
_MIN_POINTS = 3
VIEWS = (
    ("score", "Score", "The score by step; for mixtures bits per row, also of held-out rows."),
    ("weights", "Weights", "The weights of the trees by step, of the start under way."),
    ("edges", "Edges", "How many edges changed in each step."),
)


def views_of(trace: Trace) -> list[str]:
    """Which views the trace has something for."""
    views = ["score"]
    if any(name.startswith(WEIGHT) for name in trace.more):
        views.append("weights")
    if EDGES in trace.more:
        views.append("edges")
    return views


def start_of_last(trace: Trace) -> int:
    """Where the points of the present restart begin."""
    last = trace.groups[-1]
    start = len(trace.groups) - 1
    while start > 0 and trace.groups[start - 1] == last:
        start -= 1
    return start


def with_gaps(
    trace: Trace, values: list[float], begin: int, end: int
) -> tuple[list[float], list[float]]:
    """Points of several restarts as one line that is broken between them."""
    steps: list[float] = []
    shown: list[float] = []
    for i in range(begin, end):
        if i > begin and trace.groups[i] != trace.groups[i - 1]:
            steps.append(math.nan)
            shown.append(math.nan)
        steps.append(trace.steps[i])
        shown.append(values[i])
    return steps, shown


class WeightCurves:
    """A line for each of the heaviest trees, and one below which a tree is nearly empty."""

    def __init__(self, plot: Any) -> None:
        self._plot = plot
        self.lines: list[Any] = []
        self._least = plot.plot([], [], connect="finite")

    def clear(self) -> None:
        for line in (*self.lines, self._least):
            line.setData([], [])

    def draw(self, trace: Trace) -> str:
        """Draw the weights of the last start that reported them; returns the legend text."""
        import pyqtgraph

        own = [name for name in trace.more if name.startswith(WEIGHT)]
        self.clear()
        begin, last = _last_step(trace, trace.more[own[0]])
        if last < 0:
            return ""
        here = [name for name in own if not math.isnan(trace.more[name][last])]
        heaviest = sorted(here, key=lambda name: -trace.more[name][last])[:MAX_WEIGHTS]
        while len(self.lines) < len(heaviest):
            self.lines.append(self._plot.plot([], [], connect="finite"))
        steps, look = trace.steps[begin : last + 1], theme()
        for line, name in zip(self.lines, heaviest, strict=False):
            number = int(name.removeprefix(WEIGHT)) - 1
            pen = pyqtgraph.mkPen(look.category(number, "line"), width=look.line("plot"))
            dashes = DASHES[number % len(DASHES)]
            if dashes:
                pen.setDashPattern([part / 2 for part in dashes])
            line.setPen(pen)
            line.setSymbol("o")
            line.setSymbolSize(4)
            line.setSymbolPen(None)
            line.setSymbolBrush(look.category(number, "line"))
            line.setData(steps, [100 * fraction for fraction in trace.more[name][begin : last + 1]])
        least = 100 / (4 * len(here))
        dashed = Qt.PenStyle.DashLine
        self._least.setPen(pyqtgraph.mkPen(look.color("warning_ink"), width=1, style=dashed))
        self._least.setData([steps[0], steps[-1]], [least, least])
        some = f"the {MAX_WEIGHTS} heaviest of " if len(here) > MAX_WEIGHTS else ""
        return f"% of {some}{len(here)} trees · below the dashed line: nearly empty"


def _last_step(trace: Trace, values: list[float]) -> tuple[int, int]:
    """The first and the last point of the newest start with a curve, or of the newest at all."""
    newest = (-1, -1)
    end = len(values) - 1
    while end >= 0:
        if math.isnan(values[end]):
            end -= 1
            continue
        begin = end
        while begin > 0 and trace.groups[begin - 1] == trace.groups[end]:
            begin -= 1
        if newest[1] < 0:
            newest = (begin, end)
        if end - begin >= _MIN_POINTS:
            return begin, end
        end = begin - 1
    return newest


# More points than this of finished restarts are a cloud; the newest are enough.
MAX_DIM = 2000
REDRAW_MS = 100
_HEADINGS = {"score": "Score by step", "weights": "Weights by step", "edges": "Edges changed"}

_NOT_YET = "The score of the selected run is drawn here."
_NO_SCORE = "This run has no score by step."
_ONE_STEP = "Found in one step, so there is no curve."


class ScorePlot(Chart):
    """Plot of the selected run; redrawn while it learns."""

    across = False

    def __init__(self) -> None:
        super().__init__("scorePlot", _NOT_YET)
        self.setAccessibleName("Score of the run by step")
        self._run: AnyRun | None = None
        self._curves: dict[str, Any] = {}
        self._heading = label("Score by step", "heading", size="dense")
        self._best = label("", "secondary", size="dense")
        self._best.setObjectName("scorePlotBest")
        self._layout.setContentsMargins(12, 4, 12, 4)
        self._layout.setSpacing(2)
        self.views = Segments(VIEWS, "scorePlotView")
        self.views.chosen.connect(self.refresh)
        self.views.hide()
        self._hint = ElidedLabel("higher is better", "tertiary", size="dense")
        self._hint.setObjectName("scorePlotHint")
        self._weights: WeightCurves | None = None
        self._hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head = row(self._heading, self._best, self._hint, self.views)
        head_layout = head.layout()
        assert isinstance(head_layout, QHBoxLayout)
        head_layout.setStretch(2, 1)
        self._layout.insertWidget(0, head)
        self._empty.setObjectName("scorePlotEmpty")
        self._soon = one_shot(self, self.refresh, REDRAW_MS)
        self.refresh()

    @property
    def is_empty(self) -> bool:
        return self._run is None or not self._run.trace.steps or self._has_one_step

    @property
    def _has_one_step(self) -> bool:
        """Whether an exact learner was done in one step: a single point would be meaningless."""
        run = self._run
        return run is not None and run.state.is_end and len(run.trace.steps) == 1

    def show_run(self, run: AnyRun | None) -> None:
        self._run = run
        if run is not None:
            plot_library().ask()  # it is there when the first points come
        self.refresh()

    def refresh_soon(self) -> None:
        """Draw at most ten times a second, however often the run reports."""
        if not self._soon.isActive():
            self._soon.start()

    @property
    def hint(self) -> str:
        """What the lines mean."""
        return self._hint.text()

    def refresh(self, *_: object) -> None:
        run = self._run
        known = views_of(run.trace) if run is not None else ["score"]
        self.views.setVisible(len(known) > 1)
        if self.views.current not in known:
            self.views.choose("score")
        ended = _ONE_STEP if self._has_one_step else _NO_SCORE
        self._empty_text = ended if run is not None and run.state.is_end else _NOT_YET
        self._empty.setText(self._empty_text)
        if self.is_empty:
            self._best.setText("")
        super().refresh()

    def _build(self) -> None:
        for name in ("dim", "held", "best", "now", "top"):
            self._curves[name] = self._canvas.plot([], [], connect="finite")
        self._weights = WeightCurves(self._canvas)
        self._canvas.getAxis("bottom").tickValues = step_ticks
        for side in ("left", "bottom"):
            self._canvas.getAxis(side).tickStrings = tick_labels

    def _draw(self) -> None:
        run = self._run
        if run is None or self.is_empty:
            return
        self._name_axes("Step", "", "Score against step")
        self._restyle()
        view = self.views.current
        self._heading.setText(_HEADINGS[view])
        for curve in self._curves.values():
            curve.setData([], [])
        if self._weights is not None:
            self._weights.clear()
        if view == "weights" and self._weights is not None:
            self._set_labels("", self._weights.draw(run.trace))
        elif view == "edges":
            self._draw_starts(run, run.trace.more[EDGES])
            self._set_labels("", "new edges of all trees in a step; 0 when the trees have settled")
        else:
            self._draw_score(run)

    def _set_labels(self, best: str, hint: str) -> None:
        self._best.setText(best)
        self._best.setVisible(self.width() > theme().px("right_min") * 3 // 2)
        self._hint.setText(hint)
        self._hint.setToolTip(hint)

    def _draw_starts(self, run: AnyRun, values: list[float]) -> None:
        """Finished restarts dim, the present one dotted."""
        trace, curves = run.trace, self._curves
        begin = 0 if run.state.is_end else start_of_last(trace)
        end = len(trace.steps) if run.state.is_end else begin
        curves["dim"].setData(*with_gaps(trace, values, max(0, end - MAX_DIM), end))
        if not run.state.is_end:
            curves["now"].setData(trace.steps[begin:], values[begin:])

    def _draw_score(self, run: AnyRun) -> None:
        trace, curves = run.trace, self._curves
        top = max(trace.scores)
        position = trace.scores.index(top)
        self._draw_starts(run, trace.scores)
        curves["best"].setData(trace.steps, list(accumulate(trace.scores, max)))
        curves["top"].setData([trace.steps[position]], [top])
        hint = "higher is better"
        if HELD in trace.more:
            held = trace.more[HELD]
            begin = max(0, len(trace.steps) - MAX_DIM)
            curves["held"].setData(*with_gaps(trace, held, begin, len(held)))
            hint = "bits per row, higher is better · dashed: held-out rows"
        self._set_labels(f"best {decimal(top, 1)}", hint)

    def _restyle(self) -> None:
        import pyqtgraph

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
    width = QFontMetricsF(theme().font("caption")).horizontalAdvance(widest + "00")
    most = max(1.0, length / width)
    size = max(1.0, (high - low) / most)
    power = 10.0 ** math.floor(math.log10(size))
    distance = next(power * n for n in (1, 2, 5, 10) if power * n >= size * (1 - 1e-9))
    first, last = math.ceil(low / distance), math.floor(high / distance)
    return [(distance, [number * distance for number in range(first, last + 1)])]


def tick_labels(values: Sequence[float], scale: float, distance: float) -> list[str]:
    """Tick labels with enough digits to differ, thousands grouped, never a power of ten."""
    digits = max(0, math.ceil(-math.log10(max(distance * scale, 1e-9))))
    return [decimal(value * scale, digits) for value in values]


def score_plot(_app: AppContext) -> ScorePlot:
    """The plot of the run that is selected in the window."""
    return ScorePlot()
