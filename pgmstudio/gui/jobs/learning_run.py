"""One learning run as the window sees it: its job, its progress and the best model so far."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.run_checks import START_KEPT
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    Finished,
    ImprovedModel,
    Learner,
    RunArtifact,
    SearchStep,
)
from pgmstudio.core.model import Model
from pgmstudio.gui.jobs.job import Job, JobState
from pgmstudio.gui.project.run_request import RunRequest

# A shorter time is too little to estimate the rest.
MIN_TO_FORECAST = 1.0
# A run that reports nothing for this long gets an explanation.
SILENCE_MS = 4_000


# Learners whose score is that of a row in bits, not of all rows together.
NO_STEPS = "its learner does not report its steps."


def reports_steps(learner: Learner[Any]) -> bool:
    """Whether runs of the learner can be walked through."""
    return bool(getattr(learner, "reports_steps", False))


# Prefix of counters that are drawn as curves next to the score.
CURVES = ("held-out", "edges changed", "weight ")


@dataclass(slots=True)
class Trace:
    """The score against the step, for the live plot; parallel lists."""

    steps: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    groups: list[float] = field(default_factory=list)  # the restart a point belongs to
    more: dict[str, list[float]] = field(default_factory=dict)  # further curves; NaN: not reported

    def add(self, step: float, score: float, group: float, counters: Mapping[str, float]) -> None:
        """One more point of every curve."""
        for name in counters:
            if name.startswith(CURVES) and name not in self.more:
                self.more[name] = [math.nan] * len(self.steps)
        for name, values in self.more.items():
            values.append(counters.get(name, math.nan))
        self.steps.append(step)
        self.scores.append(score)
        self.groups.append(group)


class LearningRun(QObject):
    """A run in the queue. `changed` comes after every batch of events."""

    changed = Signal()
    best_changed = Signal()  # a better model is in `best`
    stepped = Signal(object)  # Stepped: only in a step-by-step run
    ended = Signal()

    def __init__(self, request: RunRequest, task: LearnTask, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.request = request
        self.task = task
        self.best: Model | None = None
        self.measures: dict[str, float] = {}
        self.best_found_at: dict[str, float] = {}  # counters when it found its best model
        self.progress = Progress(None, "starts")
        self.notes: list[str] = []
        self.artifacts: dict[str, RunArtifact] = {}  # artifacts collected during the run, by kind
        self.trace = Trace()
        self.is_unwanted = False  # its result is not to land in the project
        self.run_id: str | None = None  # of its record in the project
        self.model_id: str | None = None  # where its result landed in the project
        self._is_start = False  # the best is still the model that the search begins with
        self._is_silent = True  # nothing has come from it yet
        self._begin: float | None = None
        self._end: float | None = None
        self._held_since: float | None = None  # while it is paused
        self._held = 0.0  # seconds of earlier pauses
        self._job = Job(self._events, self)
        self._job.events_arrived.connect(self._on_events)
        self._job.state_changed.connect(self._on_state)

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        from pgmstudio.core.execution.child_process import in_process

        return in_process(self.task, cancel)

    @property
    def title(self) -> str:
        return self.request.title

    @property
    def learner_key(self) -> str:
        return self.request.learner_key

    @property
    def params(self) -> object:
        return self.request.params

    @property
    def has_model(self) -> bool:
        return self.best is not None

    @property
    def error(self) -> BaseException | None:
        """Why it failed."""
        return self._job.error

    @property
    def state(self) -> JobState:
        return self._job.state

    @property
    def is_paused(self) -> bool:
        return self._job.is_paused

    @property
    def seconds(self) -> float:
        """How long it has run so far, without its pauses."""
        if self._begin is None:
            return 0.0
        return (self._end or self._held_since or time.monotonic()) - self._begin - self._held

    @property
    def seconds_left(self) -> float | None:
        """Estimated time left; None when unknown."""
        done = self.progress.fraction
        is_going = self.state is JobState.RUNNING and not self.is_paused
        if not is_going or not done or self.seconds < MIN_TO_FORECAST:
            return None
        return self.seconds * (1 - done) / done

    def start(self) -> None:
        self._begin = time.monotonic()
        if self._held_since is not None:  # it begins with a pause
            self._held_since = self._begin
        self._job.start()
        QTimer.singleShot(SILENCE_MS, self, self._explain_silence)

    def _explain_silence(self) -> None:
        if self._is_silent and self.state is JobState.RUNNING:
            self.progress = Progress(None, "starting; the first run of a learner compiles its code")
            self.changed.emit()

    def stop(self) -> None:
        """Stop, keep best."""
        self._job.cancel()

    def pause(self) -> None:
        if self._held_since is None:
            self._held_since = time.monotonic()
        self._job.pause()

    def resume(self) -> None:
        if self._held_since is not None:
            self._held += time.monotonic() - self._held_since
            self._held_since = None
        self._job.resume()

    def step(self) -> None:
        """Go on to the next step of the search, and wait there."""
        self._job.step()

    @property
    def no_steps_reason(self) -> str | None:
        """Why it cannot be walked through; None when it can."""
        if self.state.is_end:
            return "the run has ended."
        return None if reports_steps(learner_of(self.request.learner_key)) else NO_STEPS

    def wait(self, seconds: float) -> bool:
        return self._job.wait(seconds)

    def _on_events(self, events: list[object]) -> None:
        self._is_silent = False
        for event in events:
            match event:
                case ImprovedModel(model, measures) | Finished(model, measures):
                    is_known = measures.get("score", 0.0) == self.measures.get("score")
                    if not (self.best_found_at and is_known):  # reported again at the end
                        self.best_found_at = dict(self.progress.counters)
                    self.best, self.measures = model, dict(measures)
                    self._is_start = isinstance(event, ImprovedModel) and event.is_start
                    self._record_best()
                    self.best_changed.emit()
                case Progress():
                    self.progress = event
                    self._note_progress(event)
                case Note(message):
                    self.notes.append(message)
                case ArtifactSaved(artifact):
                    self.artifacts[artifact.kind] = artifact
                case SearchStep():
                    self.stepped.emit(event)
        self.changed.emit()

    def _note_progress(self, progress: Progress) -> None:
        counters = progress.counters
        if "score" in counters:
            step = counters.get("step", float(len(self.trace.steps)))
            self.trace.add(step, counters["score"], counters.get("restart", 0.0), counters)

    def _record_best(self) -> None:
        """The best model is a point of the plot even when its progress was too quick to be seen."""
        trace = self.trace
        score = self.measures.get("score")
        if score is not None and trace.steps and score > max(trace.scores):
            trace.add(trace.steps[-1], score, trace.groups[-1], {})

    def _on_state(self, state: JobState) -> None:
        if state.is_end:
            self._end = self._held_since or time.monotonic()
            if self._is_start and state is JobState.FAILED:
                self.best, self.measures = None, {}  # it has learned nothing
            elif self._is_start:
                self.notes.append(START_KEPT)
        self.changed.emit()
        if state.is_end:
            self.ended.emit()


def worker_count() -> int:
    """As many runs at once as there are cores."""
    return core_count()
