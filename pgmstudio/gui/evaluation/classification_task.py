"""Background classification: progress and result; a new question cancels the previous one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.analysis.classification import (
    Calibration,
    Classification,
    RocCurve,
    classifying,
    thinned,
)
from pgmstudio.core.analysis.consensus import Consensus, consensus_of
from pgmstudio.core.analysis.feature_selection import Feature, features_of
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.model import Model
from pgmstudio.gui.jobs.job import Job, JobState

POINTS_DRAWN = 500  # maximum points of a curve


@dataclass(frozen=True, eq=False)
class Question:
    """The model, target and rows of a classification."""

    model: Model
    data: DataSet
    target: str

    def is_same(self, other: Question | None) -> bool:
        """Whether both questions are equal."""
        return (
            other is not None
            and self.model is other.model
            and self.data is other.data
            and self.target == other.target
        )


@dataclass(frozen=True, eq=False)
class Answer:
    """Results of a classification, computed in the background."""

    question: Question
    result: Classification
    curves: tuple[RocCurve, ...]  # thinned to what is visible
    calibrations: tuple[Calibration, ...]  # for the most probable state, then for each state
    features: tuple[Feature, ...]
    consensus: Consensus | None  # None for a model that is too large


def answering(question: Question, cancel: CancelToken) -> Iterator[Progress | Answer]:
    """Yield progress, and finally the answer with all measures."""
    for event in classifying(question.model, question.data, question.target, cancel):
        if isinstance(event, Progress):
            yield event
            continue
        event.as_dict()  # computed here, not in the window's thread
        curves = tuple(thinned(curve, POINTS_DRAWN) for curve in event.roc)
        calibrations = [event.calibration_of(code) for code in range(len(event.states))]
        cancel.raise_if_cancelled()
        features = features_of(question.model, question.target, cancel)
        consensus = None
        with suppress(TooLargeError):
            consensus = consensus_of(question.model, question.target, cancel)
        calibrated = (event.calibration, *calibrations)
        yield Answer(question, event, curves, calibrated, features, consensus)


class ClassifyingWork(QObject):
    """Runs one classification at a time."""

    progressed = Signal(object)  # Progress
    answered = Signal(object)  # Answer
    failed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._job: Job | None = None

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def begin(self, question: Question) -> None:
        self.stop()
        self._job = Job(partial(answering, question), self)
        self._job.events_arrived.connect(self._on_events)
        self._job.failed.connect(self._on_failed)
        self._job.state_changed.connect(self._on_state)
        self._job.start()

    def stop(self) -> None:
        """Discard the current question; its thread ends by itself."""
        job, self._job = self._job, None
        if job is not None:
            job.cancel()

    def _on_events(self, events: list[object]) -> None:
        if self.sender() is not self._job:
            return
        for event in events:
            (self.answered if isinstance(event, Answer) else self.progressed).emit(event)

    def _on_failed(self, error: object) -> None:
        if self.sender() is self._job:
            self._job = None
            self.failed.emit(error)

    def _on_state(self, _state: object) -> None:
        job = self.sender()
        if isinstance(job, Job) and job.state.is_end:
            if job is self._job and job.state is not JobState.FAILED:
                self._job = None
            job.deleteLater()
