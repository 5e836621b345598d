"""What dragging on a decision graph would bring, measured beside the window, and doing it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    ScoreWeight,
    operation_effect,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.node_facts import move_of
from pgmstudio.gui.canvas.edge_tool import EdgeTool
from pgmstudio.gui.canvas.signals import EdgeAdvice
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.pdg.context_menu import told
from pgmstudio.gui.languages.pdg.drag import NOT_MEASURED, Change, Place
from pgmstudio.gui.languages.pdg.node_rows import rows_of, take, weight_of
from pgmstudio.gui.widgets.debounce import one_shot

if TYPE_CHECKING:
    from pgmstudio.gui.languages.pdg.page_extension import PdgExtension
    from pgmstudio.gui.model_page.page import ModelPage

# The pointer passes over many nodes on its way; only where it rests is worth measuring.
REST_MS = 40
ImprovedModel = tuple[Change, str, str]  # with what it brings, or why it cannot be


class BandChanges(QObject):
    """Serves the bands, and the edge tool of the variable forest."""

    def __init__(
        self, app: AppContext, model_id: str, page: ModelPage, controller: PdgExtension
    ) -> None:
        super().__init__(controller)
        self._app, self._model_id, self._page, self._controller = app, model_id, page, controller
        self._wanted: Change | None = None
        self.found: ImprovedModel | None = None
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_found)
        self._latest_task.failed.connect(app.errors.report)
        self._rest = one_shot(self, self._ask, REST_MS)
        view = controller.canvas.band_view
        view.can_drag = True
        view.change_previewed.connect(self.want)
        view.change_requested.connect(self.do)
        page.canvas.view.is_pruned = True  # so that the Delete key gets an answer

    def stop(self) -> None:
        self._rest.stop()
        self._latest_task.forget()

    # -- measuring

    def want(self, change: Change | None) -> None:
        """Somebody looks at a change; None: at none any more."""
        self.stop()
        self._wanted, self.found = change, None
        if change is not None:
            self._rest.start()

    def _ask(self) -> None:
        graph, change = self._controller.graph, self._wanted
        if graph is None or change is None:
            return
        project = self._app.project
        entry = project.models[self._model_id]
        rows = rows_of(project, entry)
        self._latest_task.ask(
            partial(_result, graph, change, rows, weight_of(project, entry, rows))
        )

    def _on_found(self, found: ImprovedModel) -> None:
        if found[0] != self._wanted:
            return
        self.found = found
        self._controller.canvas.band_view.drag.show_text(*found)
        change, brought, refusal = found
        tool = self._page.canvas.view.tool
        if isinstance(change, Place) and isinstance(tool, EdgeTool):
            text = "cannot be done" if refusal else brought
            tool.add_forecast(change.above, change.variable, text, bool(refusal))

    # -- doing

    def do(self, change: Change) -> None:
        if isinstance(change, Place):
            self._controller.move(change.variable, change.above)
        else:
            take(self._app, self._model_id, change)

    # -- the variable forest: an edge drawn there moves its target

    def advise(self, above: str, variable: str) -> EdgeAdvice:
        place = Place(variable, above)
        self.want(place)
        return EdgeAdvice(place.words)

    def join(self, above: str, variable: str) -> bool:
        """Let go over a variable: what was measured is done, the rest says why not."""
        result, self.found = self.found, None
        place = Place(variable, above)
        if result is None or result[0] != place:
            self._page.canvas.refuse(NOT_MEASURED)
        elif result[2]:
            self._page.canvas.refuse(result[2])
        else:
            self.do(place)
        return True


def _result(
    graph: DecisionGraph,
    change: Change,
    rows: DataSet | None,
    weight: ScoreWeight,
    _cancel: CancelToken,
) -> ImprovedModel:
    if isinstance(change, CandidateOperation):
        step = operation_effect(graph, change, rows)
        return change, told(step.bits, step.size, step.free, weight), step.refusal
    place = move_of(graph, change.variable, change.above, rows)
    return change, told(place.bits, place.size, place.free, weight), place.refusal
