"""Improving a decision graph step by step: the bar, and the controller that takes the best step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

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
from pgmstudio.gui.languages.pdg.nodes import take
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, named, tool_button
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import ElidedLabel

if TYPE_CHECKING:
    from pgmstudio.gui.languages.pdg.page_extension import PdgExtension


@dataclass(frozen=True)
class StepBarTexts:
    """The texts of a bar of steps; `name` begins the names of its parts."""

    name: str
    title: str
    first: str  # before the first step
    step_tip: str
    run_tip: str


class StepBar(QFrame):
    """Step, run, pause and further buttons, with the effect of the last step.

    With `more` buttons the message has a line of its own.
    """

    step_requested = Signal()
    run_requested = Signal(bool)  # False pauses

    def __init__(
        self, texts: StepBarTexts, more: Sequence[QWidget] = (), last: Sequence[QWidget] = ()
    ) -> None:
        super().__init__()
        self._texts = texts
        self.setObjectName(f"{texts.name}Bar")
        self.setProperty("role", "surface")
        self.setAccessibleName(texts.title)
        self.message = named(ElidedLabel(texts.first), f"{texts.name}Message")
        self.message.elide = Qt.TextElideMode.ElideRight  # the score is in the middle
        self._step = button(
            "Step",
            self.step_requested.emit,
            icon_name="skip-forward",
            name=f"{texts.name}Step",
            tip=texts.step_tip,
        )
        self._run = button(
            "Run", self._on_run, icon_name="play", name=f"{texts.name}Run", tip=texts.run_tip
        )
        layout = self._grid = QGridLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.setHorizontalSpacing(8)
        layout.setVerticalSpacing(6)
        before, after = (self._step, self._run, *more), tuple(last)
        for index, widget in enumerate(before):
            layout.addWidget(widget, 0, index)
        layout.setColumnStretch(len(before), 1)
        if more:
            layout.addWidget(self.message, 1, 0, 1, -1)
        else:
            layout.addWidget(self.message, 0, len(before))
        for index, widget in enumerate(after, len(before) + 1):
            layout.addWidget(widget, 0, index)
        self.is_running = False

    def keep_clear(self, right: int) -> None:
        """Keep the message and the buttons out of so many pixels at the right."""
        self._grid.setContentsMargins(12, 6, 8 + right, 6)

    def show_text(self, text: str) -> None:
        self.message.setText(text)
        self.message.setToolTip(text)

    def show_running(self, running: bool, *, is_busy: bool = False) -> None:
        """While a step is looked for, another cannot be asked for."""
        self.is_running = running
        self._run.setText("Pause" if running else "Run")
        self._run.setIcon(icon("pause" if running else "play", "text_secondary"))
        tip = "Stop after this step." if running else self._texts.run_tip
        self._run.setToolTip(tip)
        self._run.setAccessibleName(tip)
        self._step.setEnabled(not running and not is_busy)

    def show_end(self) -> None:
        """There are no more steps."""
        self.show_running(False, is_busy=True)
        self._run.setEnabled(False)

    def _on_run(self) -> None:
        self.run_requested.emit(not self.is_running)


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
        self._latest_task = LatestTask(self, self._on_result, app.errors.report)
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
        if graph is None or self._latest_task.is_waiting:
            return
        rows, weight = self._controller.measured_by()
        if rows is None:
            self._end(NO_ROWS)
            return
        self._graph = graph
        self.bar.show_running(self.bar.is_running, is_busy=True)
        self.bar.show_text("Looking at merges, splits and redirections…")
        self._latest_task.ask(partial(_result, graph, rows, weight))

    def _end(self, text: str) -> None:
        self.bar.show_text(text)
        self.bar.show_running(False)

    def _on_result(self, result: tuple[OperationEffect | None, ScoreWeight]) -> None:
        best, weight = result
        graph = self._controller.graph
        if graph is None or graph is not self._graph:
            self._end("The graph has changed meanwhile; step again.")
            return
        if best is None:
            self._end(f"No step raises the score by {weight.label} any more.")
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
