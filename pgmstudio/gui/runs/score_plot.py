"""The live plot of a run: score against step, finished restarts dim, the present one dotted; for
mixtures also held-out rows, the weights of the trees, and how many edges change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPen
from PySide6.QtWidgets import QHBoxLayout

from pgmstudio.core.drawing.strands import DASHES
from pgmstudio.core.number_format import decimal, grouped
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.learning_run import Trace
from pgmstudio.gui.plots.chart import Chart
from pgmstudio.gui.plots.items import PlotItems
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
        self.items = PlotItems(self._view, has_bounds=True)
        self._canvas.getAxis("bottom").tickValues = step_ticks
        for side in ("left", "bottom"):
            self._canvas.getAxis(side).tickStrings = tick_labels

    def _draw(self) -> None:
        run = self._run
        if run is None or self.is_empty:
            return
        self._name_axes("Step", "", "Score against step")
        view = self.views.current
        self._heading.setText(_HEADINGS[view])
        if view == "weights":
            self._set_labels("", self._draw_weights(run.trace))
        elif view == "edges":
            self._draw_starts(run, run.trace.more[EDGES])
            self._set_labels("", "new edges of all trees in a step; 0 when the trees have settled")
        else:
            self._draw_score(run)
        self.items.remove_unused()

    def _set_labels(self, best: str, hint: str) -> None:
        self._best.setText(best)
        self._best.setVisible(self.width() > theme().px("right_min") * 3 // 2)
        self._hint.setText(hint)
        self._hint.setToolTip(hint)

    def _line(
        self,
        name: str,
        points: tuple[Sequence[float], Sequence[float]],
        color: QColor,
        width: float,
        *,
        style: Qt.PenStyle = Qt.PenStyle.SolidLine,
        dashes: Sequence[float] = (),
        dots: float = 0.0,
        z: float = 0.0,
    ) -> None:
        """A line with dots of so many px."""
        xs, ys = (np.array(numbers, dtype=float) for numbers in points)
        pen = QPen(color, width, style)
        if dashes:
            pen.setDashPattern([part / 2 for part in dashes])
        self.items.line(name, xs, ys, pen, z)
        if dots:
            dotted = f"{name} dots"
            self.items.marks(dotted, xs, ys, z, size=dots, ink=color, width=0.1, fill=color)

    def _draw_weights(self, trace: Trace) -> str:
        """The weights of the last start that reported them, those of the heaviest trees; returns
        the text of the legend."""
        own = [name for name in trace.more if name.startswith(WEIGHT)]
        begin, last = _last_step(trace, trace.more[own[0]])
        if last < 0:
            return ""
        here = [name for name in own if not math.isnan(trace.more[name][last])]
        heaviest = sorted(here, key=lambda name: -trace.more[name][last])[:MAX_WEIGHTS]
        steps, look = trace.steps[begin : last + 1], theme()
        for name in heaviest:
            number = int(name.removeprefix(WEIGHT)) - 1
            color, dashes = look.category(number, "line"), DASHES[number % len(DASHES)]
            heights = [100 * weight for weight in trace.more[name][begin : last + 1]]
            self._line(name, (steps, heights), color, look.line("plot"), dashes=dashes, dots=4)
        least = 100 / (4 * len(here))  # below it a tree is nearly empty
        ends, color = (steps[0], steps[-1]), look.color("warning_ink")
        self._line("least", (ends, (least, least)), color, 1, style=Qt.PenStyle.DashLine)
        some = f"the {MAX_WEIGHTS} heaviest of " if len(here) > MAX_WEIGHTS else ""
        return f"% of {some}{len(here)} trees · below the dashed line: nearly empty"

    def _draw_starts(self, run: AnyRun, values: list[float]) -> None:
        """Finished restarts dim, the present one dotted."""
        trace, look = run.trace, theme()
        begin = 0 if run.state.is_end else start_of_last(trace)
        end = len(trace.steps) if run.state.is_end else begin
        dim = with_gaps(trace, values, max(0, end - MAX_DIM), end)
        self._line("dim", dim, look.color("edge_dim"), 1.2, dots=3)
        if not run.state.is_end:
            now = trace.steps[begin:], values[begin:]
            self._line("now", now, look.color("text"), 1.5, style=Qt.PenStyle.DotLine)

    def _draw_score(self, run: AnyRun) -> None:
        trace, look = run.trace, theme()
        top = max(trace.scores)
        accent, at = look.color("accent"), trace.steps[trace.scores.index(top)]
        self._draw_starts(run, trace.scores)
        hint = "higher is better"
        if HELD in trace.more:
            held = trace.more[HELD]
            shown = with_gaps(trace, held, max(0, len(trace.steps) - MAX_DIM), len(held))
            dashed = Qt.PenStyle.DashLine
            self._line("held", shown, look.category(1, "line"), 1.5, style=dashed)
            hint = "bits per row, higher is better · dashed: held-out rows"
        best = trace.steps, list(accumulate(trace.scores, max))
        self._line("best", best, accent, look.line("plot"), z=1)
        self._line("top", ([at], [top]), accent, 1, dots=8, z=1)
        self._set_labels(f"best {decimal(top, 1)}", hint)


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
