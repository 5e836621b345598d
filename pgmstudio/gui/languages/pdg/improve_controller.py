"""Improving a decision graph step by step on its page: look for the best step, take it, show it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.pdg.candidate_operations import (
    OperationEffect,
    ScoreWeight,
    best_step,
)
from pgmstudio.core.languages.pdg.diagrams import operation_text
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.number_format import change
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.pdg.improve_bar import StepBar, StepBarTexts
from pgmstudio.gui.languages.pdg.node_rows import rows_of, take, weight_of
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import tool_button
from pgmstudio.gui.widgets.debounce import one_shot

if TYPE_CHECKING:
    from pgmstudio.gui.languages.pdg.page_extension import PdgExtension

# Long enough to see what a step has changed before the next one comes.
PAUSE_MS = 600
NO_ROWS = "No rows of the project belong to this model; open its data first."


_TEXTS = StepBarTexts(
    "improve",
    "Improve step by step",
    "Each step takes the merge, split or redirection worth most.",
    "Take the one step that raises the score most; it can be undone.",
    "Step after step until none raises the score.",
)


class ImproveController(QObject):
    """One for a page; its bar stands over the canvas while it is used."""

    def __init__(self, app: AppContext, model_id: str, controller: PdgExtension) -> None:
        super().__init__(controller)
        self._app, self._model_id, self._controller = app, model_id, controller
        close = tool_button("x", "Close (the steps stay)", self.close, name="improveNo")
        self.bar = StepBar(_TEXTS, last=(close,))
        self.bar.step_requested.connect(self.step)
        self.bar.run_requested.connect(self.run)
        self.bar.hide()
        controller.canvas.hidden_at_right.connect(self.bar.keep_clear)
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_result)
        self._latest_task.failed.connect(app.errors.report)
        self._again = one_shot(self, self.step)
        self._graph: DecisionGraph | None = None
        self.taken = 0

    def open(self) -> None:
        self.bar.show()
        self.bar.show_running(False)

    def close(self) -> None:
        self.stop()
        self._controller.canvas.bands.mark(())
        self.bar.hide()

    def forget_last(self) -> None:
        """Another graph is shown: clear the effect of the last step."""
        self.bar.show_text(_TEXTS.first)

    def stop(self) -> None:
        self._latest_task.forget()
        self._again.stop()
        self.bar.show_running(False)

    def run(self, on: bool) -> None:
        """Step after step; False pauses after the present one."""
        if not on:
            self._again.stop()
            self.bar.show_running(False, is_busy=self._latest_task.is_waiting)
            return
        self.bar.show_running(True)
        self.step()

    def step(self) -> None:
        """Search for the step with the highest gain and take it."""
        graph = self._controller.graph
        entry = self._app.project.models.get(self._model_id)
        if graph is None or entry is None or self._latest_task.is_waiting:
            return
        rows = rows_of(self._app.project, entry)
        if rows is None:
            self.bar.show_text(NO_ROWS)
            self.bar.show_running(False)
            return
        weight = weight_of(self._app.project, entry, rows)
        self._graph = graph
        self.bar.show_running(self.bar.is_running, is_busy=True)
        self.bar.show_text("Looking at merges, splits and redirections…")
        self._latest_task.ask(partial(_result, graph, rows, weight))

    def _on_result(self, result: tuple[OperationEffect | None, ScoreWeight]) -> None:
        best, weight = result
        graph = self._controller.graph
        if graph is None or graph is not self._graph:
            self.bar.show_text("The graph has changed meanwhile; step again.")
            self.bar.show_running(False)
            return
        if best is None:
            self.bar.show_text(f"No step raises the score by {weight.label} any more.")
            self.bar.show_running(False)
            return
        text = operation_text(graph, best.step)
        if not take(self._app, self._model_id, best.step):
            self.bar.show_running(False)
            return
        self.taken += 1
        after = self._controller.graph
        if after is not None and after is not graph:
            self._controller.canvas.bands.mark(best.step.touched(graph, after))
        effect = gain_text(best.score(weight), best.bits, best.size, f" by {weight.label}")
        self.bar.show_text(f"{text}: {effect}")
        self.bar.show_running(self.bar.is_running)
        if self.bar.is_running:
            self._again.start(PAUSE_MS if theme().motion_ms("layout") else 0)


def gain_text(score: float | None, bits: float | None, size: float, by: str = "") -> str:
    """The effect of a step: score, ΔL and Δsize."""
    return f"score {change(score, 2)}{by} (ΔL {change(bits)} bits, size {change(size, 0)})"


def _result(
    graph: DecisionGraph, rows: DataSet, weight: ScoreWeight, cancel: CancelToken
) -> tuple[OperationEffect | None, ScoreWeight]:
    return best_step(graph, rows, weight, cancel.raise_if_cancelled), weight
