"""Where runs come from and where their results go: requests, and models added to the project."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from pgmstudio.core.errors import ParameterError, PgmStudioError
from pgmstudio.core.experiments.bootstrap import BootstrapParams, BootstrapPlan, processes_for
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.io.data.cluster_reader import ClusterReader
from pgmstudio.core.io.data.large_table import LargeTable
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.core.languages.run_checks import broken_rules
from pgmstudio.core.params import parse_params, specs_of
from pgmstudio.core.project.edits import add_run
from pgmstudio.core.project.project import (
    Outcome,
    Project,
    Run,
    fingerprints,
    plain_params,
    restored_params,
)
from pgmstudio.core.project.runs import learned_entry, models_of, part_of, training_rows
from pgmstudio.gui.context import AppContext, ToastAction
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.live_model import live_models, open_best
from pgmstudio.gui.runs.recorded_run import score_of
from pgmstudio.version import __version__

# More points than a plot has pixels add nothing.
MAX_TRACE_POINTS = 600
_OUTCOMES = {
    JobState.FINISHED: Outcome.FINISHED,
    JobState.CANCELLED: Outcome.STOPPED,
    JobState.FAILED: Outcome.FAILED,
}


class RunRecorder(QObject):
    """Starts runs and records their results in the project, with undo."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._watches: dict[LearningRun, InputWatch] = {}
        app.workspace.runs.run_added.connect(self._on_run_added)
        app.workspace.runs.run_ended.connect(self._on_run_ended)
        app.document.replaced.connect(self._watches.clear)

    def start(self, request: RunRequest, *, is_paused: bool = False) -> LearningRun:
        data = training_rows(self._app.project, request.data_id, request.split_part)
        if request.cluster and isinstance(data, LargeTable):
            data = data.read_by(ClusterReader(request.cluster))
        task = LearnTask(request.learner_key, data, request.params, request.seed)
        return self._app.workspace.runs.enqueue(request, task, is_paused=is_paused)

    def again(self, run_id: str) -> LearningRun | None:
        """Rerun a recorded run; the same seed must give the same model."""
        request = self.request_of(run_id)
        if request is None:
            return None
        title = f"{request.title}, reproduced"
        return self._start_as(run_id, replace(request, title=title, reproduces=run_id))

    def on_present_rows(self, run_id: str, title: str) -> LearningRun | None:
        """The same learner, settings and seed on the rows as they are now."""
        request = self.request_of(run_id)
        return None if request is None else self._start_as(run_id, replace(request, title=title))

    def request_of(self, run_id: str) -> RunRequest | None:
        """The task of a record on the present rows; None, and reported, if unknown."""
        project = self._app.project
        run = project.runs[run_id]
        try:
            params_type = learner_of(run.learner).params_type
            params: Any = parse_params(params_type, restored_params(run.params, models_of(project)))
            part = part_of(project.data_entry(run.data_id or ""), run)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return None
        return RunRequest(run.title, run.learner, params, run.seed, run.data_id or "", part)

    def _start_as(self, run_id: str, request: RunRequest) -> LearningRun:
        """As a bootstrap where the recorded run was one."""
        settings = settings_of(self._app.project.runs[run_id])
        if settings is not None:
            return start_bootstrap(self._app, request, settings)
        return self.start(request)

    def _on_run_added(self, run: LearningRun) -> None:
        self._watches[run] = InputWatch(self._app.window)

    def _on_run_ended(self, run: LearningRun) -> None:
        if not run.is_unwanted:
            self._land(run)
        self._watches.pop(run, None)
        live_models(self._app).forget(run)

    def _land(self, run: LearningRun) -> None:
        if run.state is JobState.FAILED and run.error is not None:
            self._app.errors.at("runsPanel").report(run.error)
        if run.state is JobState.CANCELLED and run.best is None:
            self._app.notify(f"{run.request.title} was stopped before it found a model.")
            return
        follower = live_models(self._app).of_run(run)
        into = follower.model_id if follower is not None and run.best is not None else None
        model_id = into or (self._app.project.next_model_id() if run.best is not None else None)
        record = self._record(run)
        entry = None if run.best is None else learned_entry(record, run.best)
        word = "Learn" if run.state is JobState.FINISHED else "Keep the best of"
        run.run_id = self._app.project.next_run_id()
        if self._app.change(
            f"{word} {run.request.title}", partial(add_run, run=record, model=entry, into=into)
        ):
            run.model_id = model_id
            opens = entry is not None and self._is_awaited(run)
            action = None
            if entry is not None and not opens:
                tip = "Show the model of this run"
                action = ToastAction("Open", tip, partial(open_best, self._app, run))
            self._app.notify(self._same_as_before(run) or end_message(run), action=action)
            self._log_constraints(run)
            if opens:
                open_best(self._app, run)

    def _is_awaited(self, run: LearningRun) -> bool:
        """Whether the person waits for this run: nothing was pressed since it was started on the
        page that starts runs, and no other run is under way."""
        page, queue = self._app.center.current, self._app.workspace.runs
        watch = self._watches.get(run)
        is_waiting = watch is not None and not watch.was_used
        is_last = not queue.running and not queue.waiting
        is_finished = run.state is JobState.FINISHED
        return is_finished and is_last and is_waiting and page is not None and page.starts_runs

    def _same_as_before(self, run: LearningRun) -> str | None:
        """For a reproduction: whether the model is the recorded one, to the last bit."""
        record = self._app.project.runs.get(run.request.reproduces or "")
        entry = self._app.project.models.get(record.model_id or "") if record else None
        if record is None or run.best is None:
            return None
        if entry is None or entry.is_edited:
            return f"{record.title} was run again; its first model is gone or was edited since."
        if document_of(ModelFile(run.best)) == document_of(ModelFile(entry.model)):
            return f"{record.title} was reproduced: the same model, bit for bit."
        return f"{record.title} was run again and gave another model than at first."

    def _record(self, run: LearningRun) -> Run:
        request, project = run.request, self._app.project
        steps, scores = run.trace.steps, run.trace.scores
        thin = max(1, len(steps) // MAX_TRACE_POINTS)
        return Run(
            learner=request.learner_key,
            params=plain_params(request.params, models_of(project)),
            seed=request.seed,
            data_fingerprint=run.task.data.fingerprint,
            program_version=__version__,
            outcome=_OUTCOMES[run.state],
            title=request.title,
            data_id=request.data_id if request.data_id in project.data else None,
            seconds=round(run.seconds, 3),
            measures=run.measures,
            trace=tuple(zip(steps[::thin], scores[::thin], strict=True)),
            messages=(*run.notes, *_failure(run)),
            artifacts={kind: artifact.plain() for kind, artifact in run.artifacts.items()},
        )

    def _log_constraints(self, run: LearningRun) -> None:
        message = constraint_message(run)
        if message is not None:
            level = "info" if message.startswith("All") else "warning"
            self._app.log(level, message)


def _failure(run: LearningRun) -> tuple[str, ...]:
    """Why a run failed, for the list of runs of the project."""
    error = run.error
    if run.state is not JobState.FAILED or error is None:
        return ()
    is_for_people = isinstance(error, PgmStudioError)
    return (f"failed: {error}" if is_for_people else f"failed: internal error, {error!r}",)


def not_again_reason(project: Project, run_id: str | None) -> str | None:
    """Why a recorded run cannot be done again on the rows there are; None when it can."""
    run = project.runs.get(run_id or "")
    if run is None:
        return "this model was not learned here."
    if run.learner not in all_learners():
        return f"this version has no learner called {run.learner}."
    return None if run.data_id in project.data else "its data are no longer in the project."


def not_reproducible_reason(project: Project, run_id: str | None) -> str | None:
    """Why a recorded run cannot be repeated to the last bit; None when it can."""
    reason = not_again_reason(project, run_id)
    if reason is not None:
        return reason
    run = project.runs[run_id or ""]
    if run.data_fingerprint not in fingerprints(project.data[run.data_id or ""]):
        return "its rows have changed since; Learn again uses the present ones."
    return None


def constraint_message(run: LearningRun) -> str | None:
    """Whether the best model obeys the knowledge, checked without the learner; None without."""
    knowledge = getattr(run.request.params, "knowledge", None)
    if not isinstance(knowledge, Knowledge) or knowledge.is_empty or run.best is None:
        return None
    broken = broken_rules(run.best, knowledge)
    if broken is None:
        return None
    if broken:
        are = "rule is" if len(broken) == 1 else "rules are"
        return f"{len(broken)} {are} broken: {' '.join(broken[:5])}"
    count = knowledge.rule_count()
    return f"All {count} constraints hold." if count != 1 else "All constraints hold."


def end_message(run: LearningRun) -> str:
    """Message on how a run ended."""
    seconds = f"{run.seconds:.1f}\u00a0s"
    score = run.measures.get("score")
    details = "" if score is None else f" {score_of(run).title} {score_of(run).format(score)}."
    if run.state is JobState.FINISHED:
        return f"{run.request.title} finished after {seconds}.{details}"
    if run.best is not None:
        ended = "failed" if run.state is JobState.FAILED else "stopped"
        return f"{run.request.title} {ended} after {seconds}. The best model was saved.{details}"
    if run.state is JobState.CANCELLED:
        return f"{run.request.title} stopped after {seconds}, before it had found a model."
    return f"{run.request.title} failed after {seconds}."


def run_recorder(app: AppContext) -> RunRecorder:
    """The `RunRecorder` of a window, made on first use."""
    return app.service(RunRecorder)


def start_bootstrap(app: AppContext, request: RunRequest, settings: BootstrapParams) -> LearningRun:
    """Learn again and again from rows drawn with replacement; spread over the cores."""
    data = training_rows(app.project, request.data_id, request.split_part)
    processes = processes_for(data, settings.replicates)
    plan = BootstrapPlan(
        request.learner_key, data, request.params, request.seed, settings, processes
    )
    return app.workspace.runs.enqueue(request, plan)


def settings_of(run: Run) -> BootstrapParams | None:
    """How often a recorded bootstrap learned again; None for other runs."""
    frequencies = run.artifacts.get(EdgeFrequencies.kind)
    if frequencies is None:
        return None
    names = {spec.name for spec in specs_of(BootstrapParams)}
    details = {name: value for name, value in frequencies["settings"].items() if name in names}
    try:
        return parse_params(BootstrapParams, details)
    except ParameterError:  # written by another version
        return None


_INPUT_EVENTS = (
    QEvent.Type.MouseButtonPress,
    QEvent.Type.KeyPress,
    QEvent.Type.Wheel,
    QEvent.Type.DragEnter,
)


class InputWatch(QObject):
    """Whether a person has done something in a window since this was made; an open dialog or menu
    counts as use."""

    def __init__(self, window: QWidget) -> None:
        super().__init__()
        self._was_used = False
        handle = window.windowHandle()
        if handle is not None:
            handle.installEventFilter(self)

    @property
    def was_used(self) -> bool:
        is_asked = QApplication.activeModalWidget() or QApplication.activePopupWidget()
        return self._was_used or is_asked is not None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _INPUT_EVENTS:
            self._was_used = True
            watched.removeEventFilter(self)
        return False
