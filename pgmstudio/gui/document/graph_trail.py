"""Size and likelihood of every version of a decision graph that was looked at: its SL points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Signal

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.core.running import CancelToken
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.document.model_state import ByModel
from pgmstudio.gui.workers.questions import Asker

# More cells are read beside the window.
MOST_AT_ONCE = 200_000
MOST_KEPT = 200


@dataclass(frozen=True, eq=False)
class TrailPoint:
    """One version: its effective size, and bits per row of the rows it was measured on."""

    graph: DecisionGraph
    rows: str  # their fingerprint
    size: int
    bits: float


class GraphTrail(QObject):
    """One for a shell; `changed` tells the model that has another point."""

    changed = Signal(str)

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._points: ByModel[list[TrailPoint]] = ByModel(shell.document)
        self._asker = Asker(self)
        self._asker.answered.connect(self._on_measured)
        self._asker.failed.connect(shell.errors.report)
        shell.document.replaced.connect(self._asker.forget)

    def points(self, model_id: str) -> tuple[TrailPoint, ...]:
        """In the order in which they were first seen."""
        return tuple(self._points.get(model_id, ()))

    def see(self, model_id: str, graph: DecisionGraph, rows: DataSet | None) -> None:
        """The graph is in view now; it gets a point when it has none."""
        if rows is None:
            return
        # Bits of other rows are no points of this chart.
        of_rows = [p for p in self._points.get(model_id, ()) if p.rows == rows.fingerprint]
        self._points[model_id] = of_rows
        if any(p.graph is graph for p in of_rows):
            return
        if rows.codes.size <= MOST_AT_ONCE:
            self._on_measured((model_id, _measured(graph, rows)))
        else:
            self._asker.ask(partial(_answered, model_id, graph, rows))

    def _on_measured(self, found: tuple[str, TrailPoint]) -> None:
        model_id, point = found
        if model_id not in self._shell.project.models:
            return  # it was deleted meanwhile
        self._points[model_id] = [*self._points.get(model_id, ()), point][-MOST_KEPT:]
        self.changed.emit(model_id)


def _measured(graph: DecisionGraph, rows: DataSet) -> TrailPoint:
    bits = np.average(graph.log2_probabilities(rows), weights=rows.weights)
    return TrailPoint(graph, rows.fingerprint, graph.effective_size(), float(bits))


def _answered(
    model_id: str, graph: DecisionGraph, rows: DataSet, _cancel: CancelToken
) -> tuple[str, TrailPoint]:
    return model_id, _measured(graph, rows)


def graph_trail(shell: Shell) -> GraphTrail:
    """The one of a shell, made at the first asking."""
    found = shell.findChild(GraphTrail)
    return found if isinstance(found, GraphTrail) else GraphTrail(shell)
