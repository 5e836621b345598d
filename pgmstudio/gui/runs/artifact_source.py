"""Artifacts of runs besides their models: live from the queue, or from the project."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.errors import DataError, named
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of, restored
from pgmstudio.core.learning.base import RunArtifact
from pgmstudio.core.params import parse_params
from pgmstudio.core.project.project import Project, Run, restored_params
from pgmstudio.core.project.runs import models_of
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.runs.recorded_run import model_of


class ResultSource(QObject):
    """An artifact that a page shows; `changed` when there is a newer one."""

    changed = Signal()

    def __init__(self, key: str = "", title: str = "") -> None:
        super().__init__()  # the page that shows it takes it over; without one nothing holds it
        self._key, self._title = key, title
        self._artifact: RunArtifact | None = None

    @property
    def artifact(self) -> RunArtifact | None:
        return self._artifact

    def show(self, artifact: RunArtifact | None) -> None:
        """Another artifact."""
        self._artifact = artifact
        self.changed.emit()

    @property
    def key(self) -> str:
        """Key that identifies this source."""
        return self._key

    @property
    def title(self) -> str:
        return self._title

    @property
    def model_id(self) -> str | None:
        """The model that belongs to it, if there is one."""
        return None

    @property
    def data_id(self) -> str | None:
        """The data set that it was learned from, if there is one."""
        return None

    def task(self) -> LearnTask:
        """What was run; PgmStudioError when that is not to be had."""
        raise DataError(f"{self.title} was not learned from data.")


class ArtifactSource(ResultSource):
    """One artifact of one run."""

    def __init__(self, app: AppContext, kind: str, run: LearningRun | str) -> None:
        super().__init__()
        self._app, self._kind, self._run = app, kind, run
        if isinstance(run, LearningRun):
            self._artifact = run.artifacts.get(kind)
            run.changed.connect(self._on_run_changed)
        else:
            record = app.project.runs[run]
            self._artifact = artifact_in(record, kind)

    @property
    def key(self) -> str:
        """Key that identifies this source."""
        return self._run if isinstance(self._run, str) else f"live-{id(self._run)}"

    @property
    def title(self) -> str:
        if isinstance(self._run, LearningRun):
            return self._run.request.title
        record = self._app.project.runs.get(self._run)
        return "a run" if record is None else record.title or record.learner

    @property
    def model_id(self) -> str | None:
        """The model that the run made, if it is still there."""
        if isinstance(self._run, LearningRun):
            return model_of(self._app.project, self._run)
        models = self._app.project.models
        return next((key for key, entry in models.items() if entry.run_id == self._run), None)

    @property
    def data_id(self) -> str | None:
        """The data set that the run learned from, if it is still there."""
        if isinstance(self._run, LearningRun):
            data_id: str | None = self._run.request.data_id
        else:
            record = self._app.project.runs.get(self._run)
            data_id = None if record is None else record.data_id
        return data_id if data_id in self._app.project.data else None

    def task(self) -> LearnTask:
        """What was run: rows, parameters and seed; PgmStudioError when they are not to be had."""
        if isinstance(self._run, LearningRun):
            return self._run.task
        project = self._app.project
        return task_of(project, named("run", self._run, project.runs))

    def _on_run_changed(self) -> None:
        assert isinstance(self._run, LearningRun)
        newest = self._run.artifacts.get(self._kind)
        if newest is not self._artifact:
            self.show(newest)


def task_of(project: Project, run: Run) -> LearnTask:
    """The task of a recorded run; DataError when its rows have changed."""
    params_type = learner_of(run.learner).params_type
    params: Any = parse_params(params_type, restored_params(run.params, models_of(project)))
    entry = project.data_entry(run.data_id or "")
    whole, split = entry.data, entry.split
    if whole.fingerprint == run.data_fingerprint:
        return LearnTask(run.learner, whole, params, run.seed)
    if split is not None and run.data_fingerprint in split.part_fingerprints:
        part = split.parts(whole)[split.part_fingerprints.index(run.data_fingerprint)]
        return LearnTask(run.learner, part, params, run.seed)
    raise DataError(f"The rows of {entry.name} have changed since {run.title} learned from them.")


def artifact_in(run: Run, kind: str) -> RunArtifact | None:
    """What the record of a run has of this kind."""
    return restored(kind, run.artifacts[kind], run.learner) if kind in run.artifacts else None


def run_of_model(project: Project, model_id: str | None) -> str | None:
    """The run that made a model, if its record is there."""
    entry = project.models.get(model_id or "")
    run_id = None if entry is None else entry.run_id
    return run_id if run_id in project.runs else None


def active_source(app: AppContext, *kinds: str) -> ArtifactSource | None:
    """Of the run that made the active model, else of the run looked at, else of the newest.

    Of several kinds the first that there is.
    """
    project, queue = app.project, app.workspace.runs
    run_id = run_of_model(project, app.workspace.model_id)
    for kind in kinds:
        if run_id is not None and kind in project.runs[run_id].artifacts:
            return ArtifactSource(app, kind, run_id)
    live = [run for run in (queue.looked_at, *reversed(queue.runs)) if run is not None]
    for kind in kinds:
        for run in live:
            if kind in run.artifacts and not (run.state.is_end and model_of(project, run)):
                return ArtifactSource(app, kind, run)
        for key in reversed(list(project.runs)):
            if kind in project.runs[key].artifacts:
                return ArtifactSource(app, kind, key)
    return None


def has_source(app: AppContext, *kinds: str) -> bool:
    """Whether any run has an artifact of these kinds; fast enough to enable actions."""
    if any(kind in run.artifacts for run in app.workspace.runs.runs for kind in kinds):
        return True
    return any(kind in run.artifacts for run in app.project.runs.values() for kind in kinds)
