"""Walking through a run that learns decision graphs: each split, merge and redirection in turn."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QSplitter

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.session import DecisionGraphSession, NodeFlows
from pgmstudio.core.learning.base import SearchStep
from pgmstudio.core.number_format import change, counted
from pgmstudio.gui.canvas.node_view import NodeMode, NodeView
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.languages.pdg.canvas import BandCanvas
from pgmstudio.gui.languages.pdg.improve import PAUSE_MS, StepBar, StepBarTexts, gain_text
from pgmstudio.gui.runs.live_model import open_best
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, vbox
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import Column, Table

# Older steps are dropped.
MAX_STEPS = 500
# During a step that takes longer, the bar shows the progress of the run.
_LATE_MS = 800
_TEXTS = StepBarTexts(
    "pdgSteps",
    "Steps of the run",
    "Step goes to the first split; the forests of variables are searched before it.",
    "Go on to the next split, merge or redirection of the search.",
    "Step after step; the search itself is not changed by it.",
)
_NOT_HERE = "An intermediate graph. When the run has ended, its model can be queried and edited."
_COLUMNS = (
    Column("Step", str, True),
    Column("Operation", stretches=True),
    Column(
        "Δ score",
        partial(change, digits=2),
        True,
        tip="By the λ of the search; a split may lower it.",
    ),
    Column("ΔL", change, True, tip="Bits over all rows, with the likeliest parameters."),
    Column("Δ size", partial(change, digits=0), True, tip="The size that the score weighs."),
    Column("Where", tip="The current λ and forest of variables."),
)


class PdgStepsPage(Page):
    """The page of a stepwise run: step, run, pause, run to the end, stop, and past steps."""

    def __init__(self, app: AppContext, run: LearningRun) -> None:
        super().__init__(_key(run))
        self._app, self._run = app, run
        self.steps: list[SearchStep] = []  # the steps so far, the newest last
        self._step_count = 0
        self._is_requested = False  # a step that has not come yet
        self._end = button(
            "To the end",
            self._on_to_end,
            icon_name="fast-forward",
            name="pdgStepsEnd",
            tip="Go on without stopping; Step stops it again.",
        )
        self._stop = button(
            "Stop, keep best",
            run.stop,
            icon_name="stop",
            name="pdgStepsStop",
            tip="End the run and keep the best model so far.",
        )
        self._open = button(
            "Open model",
            self._on_open,
            icon_name="git-fork",
            name="pdgStepsOpen",
            tip="Open the model of the run.",
        )
        self._open.hide()
        self.bar = StepBar(_TEXTS, (self._end, self._stop, self._open))
        self.bar.step_requested.connect(self.step)
        self.bar.run_requested.connect(self._on_run)
        self.canvas = BandCanvas()
        for request in ("click_state", "exclude_state", "toggle_state", "likelihood", "do"):
            getattr(self.canvas.signals, request).connect(self._refuse)
        self.table = Table("pdgStepsTable", "Steps, the newest first", _COLUMNS)
        self.table.selected.connect(self._on_selected)
        layout = vbox(self, self.bar, spacing=0)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.canvas)
        splitter.addWidget(self.table)
        splitter.setStretchFactor(0, 5)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([500, 130])
        layout.addWidget(splitter, 1)
        self._latest_task = LatestTask(self, self._on_flows, app.errors.report)
        self._again = one_shot(self, self.step)
        self._late = one_shot(self, self._show_progress, _LATE_MS)
        self._placed = one_shot(self, self._show_waiting)
        run.stepped.connect(self._on_stepped)
        run.changed.connect(self._on_changed)
        self._on_changed()

    @property
    def title(self) -> str:
        return f"Steps of {self._run.request.title}"

    def page_icon(self) -> QIcon:
        return icon("skip-forward")

    def closed(self) -> None:
        """The run waits where it is; the list of runs lets it go on."""
        self._latest_task.forget()
        for timer in (self._again, self._late, self._placed):
            timer.stop()
        self.canvas.stop()

    # -- requests

    def step(self) -> None:
        if self._run.state.is_end or self._is_requested:
            return
        self._is_requested = True
        self._late.start()
        self._run.step()
        self._show_state()

    def _on_run(self, on: bool) -> None:
        self.bar.show_running(on, is_busy=self._is_requested)
        if on:
            self.step()
        else:
            self._again.stop()

    def _on_to_end(self) -> None:
        self._again.stop()
        self._is_requested = False
        self.bar.show_running(False)
        self._run.resume()
        self.bar.show_text("Going on to the end; Step stops it again.")

    def _on_open(self) -> None:
        open_best(self._app, self._run)

    def _refuse(self, *_: object) -> None:
        self.canvas.refuse(_NOT_HERE)

    # -- what comes

    def _on_stepped(self, step: SearchStep) -> None:
        self._step_count += 1
        self.steps = [*self.steps, step][-MAX_STEPS:]
        self._is_requested = False
        self._late.stop()
        self._show_table()
        self.table.select(0)
        if self.bar.is_running:
            self._again.start(PAUSE_MS if theme().motion_ms("layout") else 0)
        self._show_state()

    def _show_table(self) -> None:
        self.table.show_rows(
            [
                (self._step_count - n, step.text, *(step.gains[k] for k in _GAINS), step.stage)
                for n, step in enumerate(reversed(self.steps))
            ]
        )

    def _on_selected(self, number: int) -> None:
        """Show the graph after a step; the newest is number 0."""
        step = self.steps[-1 - number]
        score, bits, size = (step.gains[k] for k in _GAINS)
        self.bar.show_text(f"{step.text}: {gain_text(score, bits, size)} · {step.stage}")
        if isinstance(step.model, DecisionGraph):
            self._latest_task.ask(partial(_flows, step.model, step))

    def _on_flows(self, result: tuple[SearchStep, NodeFlows, dict[str, NodeView]]) -> None:
        step, flows, faces = result
        assert isinstance(step.model, DecisionGraph)
        bands = self.canvas.bands
        bands.show_bands(step.model, faces)
        bands.show_flows(flows)
        bands.mark(step.touched)
        self.canvas.refresh_soon()

    def _on_changed(self) -> None:
        self._show_state()
        if self._run.state.is_end:
            text = "The run has ended" if self._run.state is JobState.FINISHED else "Stopped"
            more = "; its model is in the project." if self._run.best is not None else "."
            self.bar.show_text(f"{text} after {counted(self._step_count, 'step')}{more}")
        elif self._is_requested and not self._late.isActive():
            self._show_progress()

    def _show_progress(self) -> None:
        """The next step is long in coming: what the run does meanwhile."""
        if self._is_requested and not self._run.state.is_end:
            self.bar.show_text(self._run.progress.message or "The run begins…")

    def _show_waiting(self) -> None:
        is_there = bool(self.steps) or self._run.state.is_end
        self.canvas.show_waiting_text("" if is_there else "The graph comes with the first step.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._placed.start()  # once the canvas, too, has its new size

    def _show_state(self) -> None:
        is_end = self._run.state.is_end
        if is_end:
            self._again.stop()
            self.bar.show_end()
        else:
            self.bar.show_running(self.bar.is_running, is_busy=self._is_requested)
        for one in (self._end, self._stop):
            one.setEnabled(not is_end)
        self._open.setVisible(is_end and self._run.best is not None)
        self._show_waiting()


_GAINS = ("score", "bits", "size")


def _flows(
    graph: DecisionGraph, step: SearchStep, _cancel: CancelToken
) -> tuple[SearchStep, NodeFlows, dict[str, NodeView]]:
    session = DecisionGraphSession(graph)
    faces = {}
    for variable in graph.domain:
        beliefs = tuple(map(float, session.belief(variable.name).values))
        faces[variable.name] = NodeView(
            variable.name, NodeMode.PRIOR, variable.states, beliefs, beliefs
        )
    return step, session.node_flows(), faces


def _key(run: LearningRun) -> str:
    return f"pdg-steps:{id(run)}"


def open_steps(app: AppContext, run: LearningRun) -> PdgStepsPage:
    """Open the page of a run's steps and bring it to the front."""
    page = app.open_page(_key(run), partial(PdgStepsPage, app, run))
    assert isinstance(page, PdgStepsPage)
    return page
