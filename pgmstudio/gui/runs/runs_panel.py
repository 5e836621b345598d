"""The runs: a table of what waits, runs and ended, and the live plot of the selected one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu, QSplitter, QVBoxLayout, QWidget

from pgmstudio.core.project.edits import remove_run
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.navigation import open_learn_page, open_pdg_steps, open_run_result
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.live_model import open_best
from pgmstudio.gui.runs.recorded_run import (
    AnyRun,
    RecordedRun,
    model_of,
    record_of,
    runs_of,
    score_of,
)
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.runs.run_summary import number_label, progress_text, shown_counters, state_text
from pgmstudio.gui.runs.score_plot import HELD, score_plot
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import popup
from pgmstudio.gui.widgets.basic import button, row, wide_first
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.grid_view import CellMarks
from pgmstudio.gui.widgets.table import Column, Table

ADJACENCY = "adjacency"  # what a run of mixtures keeps
_STATE_ICONS = {
    JobState.QUEUED: ("hourglass", "text_secondary"),
    JobState.RUNNING: ("play-circle", "accent"),
    JobState.CANCELLING: ("hourglass", "warning_ink"),
    JobState.FINISHED: ("check-circle", "success_ink"),
    JobState.CANCELLED: ("stop-circle", "warning_ink"),
    JobState.FAILED: ("warning-circle", "danger_ink"),
}


def _score(run: AnyRun) -> str:
    score = run.measures.get("score", run.progress.counters.get("score"))
    return "" if score is None else score_of(run).format(score)


def _time(run: AnyRun) -> str:
    minutes, seconds = divmod(round(run.seconds), 60)
    return f"{minutes}:{seconds:02d}" if run.seconds else ""


def _state_icon(run: AnyRun) -> QIcon:
    name, color = _STATE_ICONS[run.state]
    return icon("pause", "warning_ink") if run.is_paused else icon(name, color)


def _progress(run: AnyRun) -> CellMarks | None:
    is_busy = run.state is JobState.RUNNING and not run.is_paused
    known = is_busy and run.progress.fraction is not None
    return CellMarks(progress=run.progress.fraction) if known else None


# The state text may be long; name, score and time are never elided.
_COLUMNS = (
    Column("Run", value=lambda run: run.title, icon=_state_icon),
    Column("State", value=progress_text, stretches=True, marks=_progress),
    Column(
        "Score ↑",
        is_number=True,
        tip="The best score so far; the inspector of the run defines it.",
        value=_score,
        explains="Score (run)",
    ),
    Column("Time", is_number=True, tip="Minutes and seconds.", value=_time),
)


class RunsPanel(QWidget):
    """Table at the left, live plot at the right, what can be done with the selected run on top."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("runs")
        self._app = app
        self._view = Table(
            "runTable",
            "Runs",
            _COLUMNS,
            key=lambda run: run,
            row_tip=lambda run: f"{run.title}: {state_text(run)}",
            is_sortable=False,
            gap=theme().space(3),
            tip="Runs in the order they start; the menu has more.",
        )
        self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._view.customContextMenuRequested.connect(self._on_menu)
        self._plot = app.service(score_plot)
        self._status = ElidedLabel("", "secondary", size="dense")
        self._status.elide = Qt.TextElideMode.ElideRight  # a list, the first is what matters most
        self._status.setObjectName("runStatus")
        self._open = button(
            "Open best",
            self._on_open,
            name="runOpenBest",
            tip="Open the best model so far, to query and edit it.",
        )
        self._pause = button(
            "Pause",
            self._on_pause,
            role="link",
            icon_name="pause",
            name="runPause",
            tip="Pause the run; press again to resume.",
        )
        self._stop = button(
            "Stop, keep best",
            self._on_stop,
            icon_name="stop",
            name="runStop",
            tip="End the run within a second; the best model so far is saved.",
        )
        splitter = QSplitter()
        splitter.addWidget(self._view)
        splitter.addWidget(self._plot)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([600, 400])  # the plot alone would ask for most of it
        splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 0)
        layout.setSpacing(2)
        layout.addWidget(wide_first(row(self._status, self._open, self._pause, self._stop)))
        layout.addWidget(splitter, 1)
        self._view.selected.connect(self._on_selected)
        self._view.clicked.connect(self._on_clicked)
        runs = app.workspace.runs
        runs.run_added.connect(self._on_added)
        runs.run_changed.connect(self._on_changed)
        runs.order_changed.connect(self._show_runs)
        app.document.changed.connect(self._on_document_changed)
        self._clock = QTimer(self)
        self._clock.setInterval(500)
        self._clock.timeout.connect(self._on_tick)
        self._show_runs()

    @property
    def selected(self) -> AnyRun | None:
        run: AnyRun | None = self._view.current_row
        return run

    @property
    def _live(self) -> LearningRun | None:
        """The selected run, if it is one of the queue."""
        run = self.selected
        return run if isinstance(run, LearningRun) else None

    def _show_runs(self, *_: object) -> None:
        """The recorded runs, then the queue in the order they start.

        The selection stays, else the newest run is selected; this does not show the panel.
        """
        before = self.selected
        self._view.show_rows(runs_of(self._app.project, self._app.workspace.runs.runs))
        if self.selected is None and self._view.rows:
            with QSignalBlocker(self._view):
                self._view.select(len(self._view.rows) - 1)
        if self.selected != before:
            self._plot.show_run(self.selected)
        self._refresh()

    def _on_document_changed(self, before: Project, after: Project) -> None:
        if before.runs is not after.runs:
            self._show_runs()
        else:
            self._refresh()

    def _on_added(self, run: LearningRun) -> None:
        self._show_runs()
        with QSignalBlocker(self._view):
            self._view.select_key(run)
        self._on_selected()
        self._clock.start()

    def _on_changed(self, run: LearningRun) -> None:
        if run is self.selected:
            self._plot.refresh_soon()
        self._view.refresh()
        self._refresh()

    def _on_tick(self) -> None:
        """Times go on also when a run is silent."""
        self._view.refresh()
        if not self._app.workspace.runs.running:
            self._clock.stop()

    def _on_selected(self, *_: object) -> None:
        self._plot.show_run(self.selected)
        self._app.workspace.runs.look_at(self._live)
        self._refresh()

    def _on_clicked(self, _index: QModelIndex) -> None:
        """Also a click on the run that was selected before wants to see it."""
        self._app.workspace.runs.look_at(self._live)

    def _refresh(self, *_: object) -> None:
        run = self.selected
        if run is None:
            self._status.setText("No runs yet. Learn ▸ Learn… starts one.")
        else:
            self._status.setText(" · ".join(_counters(run)))
        self._status.setToolTip(self._status.text())
        busy = run is not None and run.state is JobState.RUNNING
        self._open.setEnabled(run is not None and self._has_best(run))
        self._pause.setEnabled(busy)
        is_paused = run is not None and run.is_paused
        self._pause.setText("Go on" if is_paused else "Pause")
        self._pause.show_icon("play" if is_paused else "pause")
        self._stop.setEnabled(run is not None and not run.state.is_end)

    def _has_best(self, run: AnyRun) -> bool:
        """Of a recorded run there is only the model in the project."""
        is_live = isinstance(run, LearningRun) and run.best is not None
        return is_live or model_of(self._app.project, run) is not None

    def _on_open(self) -> None:
        if self.selected is not None:
            open_best(self._app, self.selected)

    def _on_pause(self) -> None:
        run = self._live
        if run is not None:
            (run.resume if run.is_paused else run.pause)()

    def _on_stop(self) -> None:
        if self._live is not None:
            self._live.stop()

    def _on_menu(self, position: QPoint) -> None:
        run = self._view.row_at(self._view.indexAt(position))
        if run is None:
            return
        queue = self._app.workspace.runs
        menu = QMenu(self)
        if self._has_best(run):
            menu.addAction("Open best", self._on_open)
        if ADJACENCY in run.artifacts:
            menu.addAction("Edges of restarts", lambda: self._show_edges(run))
        menu.addAction("Run again with changes", lambda: self._again(run))
        if isinstance(run, LearningRun):
            if run.no_steps_reason is None:
                menu.addAction("Step through", lambda: self._walk(run))
            if run.state is JobState.QUEUED:
                menu.addAction("Start earlier", lambda: queue.move(run, queue.runs.index(run) - 1))
                menu.addAction("Start later", lambda: queue.move(run, queue.runs.index(run) + 1))
            if not run.state.is_end and run.state is not JobState.QUEUED:
                menu.addAction("Stop, keep best", run.stop)
        if run.state.is_end or run.state is JobState.QUEUED:
            menu.addAction("Remove", lambda: self._remove(run))
        popup(menu, self._view.viewport().mapToGlobal(position))

    def _remove(self, run: AnyRun) -> None:
        """Off the list and out of the project; its model stays."""
        project = self._app.project
        run_id = run.run_id if isinstance(run, RecordedRun) else record_of(project, run)
        if run_id is not None:
            self._app.change(f"Remove run {run.title}", partial(remove_run, run_id=run_id))
        if isinstance(run, LearningRun):
            self._app.workspace.runs.remove(run)

    def _show_edges(self, run: AnyRun) -> None:
        source = run.run_id if isinstance(run, RecordedRun) else run
        open_run_result(self._app, ADJACENCY, ArtifactSource(self._app, ADJACENCY, source))

    def _walk(self, run: LearningRun) -> None:
        run.pause()
        open_pdg_steps(self._app, run)

    def _again(self, run: AnyRun) -> None:
        if isinstance(run, RecordedRun):
            request = run_recorder(self._app).request_of(run.run_id)
        else:
            request = run.request
        if request is not None:
            open_learn_page(self._app).fill(request)


def _counters(run: AnyRun) -> list[str]:
    """Counters of the run as text."""
    parts = [state_text(run)]
    for name, value in list(shown_counters(run).items())[:5]:
        is_score = "score" in name or name == HELD
        shown = score_of(run).format(value) if is_score else number_label(value)
        parts.append(f"{name} {shown}")
    return parts
