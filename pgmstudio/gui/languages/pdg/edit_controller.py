"""The effect of a drag on a decision graph, measured in the background, and its execution."""

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
from pgmstudio.gui.languages.pdg.context_menu import effect_text
from pgmstudio.gui.languages.pdg.drag import NOT_MEASURED, Change, VariablePosition
from pgmstudio.gui.languages.pdg.node_rows import rows_of, take, weight_of
from pgmstudio.gui.widgets.debounce import one_shot

if TYPE_CHECKING:
    from pgmstudio.gui.languages.pdg.page_extension import PdgExtension
    from pgmstudio.gui.model_page.page import ModelPage

# The pointer passes over many nodes on its way; only where it rests is worth measuring.
REST_MS = 40
ImprovedModel = tuple[Change, str, str]  # with its effect, or why it is not possible


class BandChanges(QObject):
    """Serves the bands, and the edge tool of the variable forest."""

    def __init__(
        self, app: AppContext, model_id: str, page: ModelPage, controller: PdgExtension
    ) -> None:
        super().__init__(controller)
        self._app, self._model_id, self._page, self._controller = app, model_id, page, controller
        self._wanted: Change | None = None
        self.measured: ImprovedModel | None = None
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_result)
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
        """A change is previewed; None: the preview ended."""
        self.stop()
        self._wanted, self.measured = change, None
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

    def _on_result(self, result: ImprovedModel) -> None:
        if result[0] != self._wanted:
            return
        self.measured = result
        self._controller.canvas.band_view.drag.show_text(*result)
        change, effect, refusal = result
        tool = self._page.canvas.view.tool
        if isinstance(change, VariablePosition) and isinstance(tool, EdgeTool):
            text = "cannot be done" if refusal else effect
            tool.add_forecast(change.above, change.variable, text, bool(refusal))

    # -- doing

    def do(self, change: Change) -> None:
        if isinstance(change, VariablePosition):
            self._controller.move(change.variable, change.above)
        else:
            take(self._app, self._model_id, change)

    # -- the variable forest: an edge drawn there moves its target

    def advise(self, above: str, variable: str) -> EdgeAdvice:
        position = VariablePosition(variable, above)
        self.want(position)
        return EdgeAdvice(position.text)

    def join(self, above: str, variable: str) -> bool:
        """Make a measured change on a drop over a variable, or show why it is not possible."""
        result, self.measured = self.measured, None
        position = VariablePosition(variable, above)
        if result is None or result[0] != position:
            self._page.canvas.refuse(NOT_MEASURED)
        elif result[2]:
            self._page.canvas.refuse(result[2])
        else:
            self.do(position)
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
        return change, effect_text(step.bits, step.size, step.free, weight), step.refusal
    position = move_of(graph, change.variable, change.above, rows)
    return (
        change,
        effect_text(position.bits, position.size, position.free, weight),
        position.refusal,
    )
