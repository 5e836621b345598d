"""What else a run of a mixture can be looked at by: held-out rows, weights, edges that change."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import Qt

from pgmstudio.core.pictures.component_pictures import DASHES
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.workers.learning_run import Trace

HELD, EDGES, WEIGHT = "held-out", "edges changed", "weight "
# More lines than this cannot be told apart; those of the largest weights are drawn.
MOST_WEIGHTS = 12
# Starts so quick that only a point or two were seen are passed over for one with a curve.
_LEAST_POINTS = 3
VIEWS = (
    ("score", "Score", "The score by step; for mixtures bits per row, also of held-out rows."),
    ("weights", "Weights", "The weights of the trees by step, of the start under way."),
    ("edges", "Edges", "How many edges changed in each step."),
)


def views_of(trace: Trace) -> list[str]:
    """Which views the trace has something for."""
    found = ["score"]
    if any(name.startswith(WEIGHT) for name in trace.more):
        found.append("weights")
    if EDGES in trace.more:
        found.append("edges")
    return found


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
        """Of the last start that told weights; returns what the lines mean."""
        import pyqtgraph

        own = [name for name in trace.more if name.startswith(WEIGHT)]
        self.clear()
        begin, last = _last_told(trace, trace.more[own[0]])
        if last < 0:
            return ""
        here = [name for name in own if not math.isnan(trace.more[name][last])]
        heaviest = sorted(here, key=lambda name: -trace.more[name][last])[:MOST_WEIGHTS]
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
            line.setData(steps, [100 * share for share in trace.more[name][begin : last + 1]])
        least = 100 / (4 * len(here))
        dashed = Qt.PenStyle.DashLine
        self._least.setPen(pyqtgraph.mkPen(look.color("warning_ink"), width=1, style=dashed))
        self._least.setData([steps[0], steps[-1]], [least, least])
        some = f"the {MOST_WEIGHTS} heaviest of " if len(here) > MOST_WEIGHTS else ""
        return f"% of {some}{len(here)} trees · below the dashed line: nearly empty"


def _last_told(trace: Trace, values: list[float]) -> tuple[int, int]:
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
        if end - begin >= _LEAST_POINTS:
            return begin, end
        end = begin - 1
    return newest
