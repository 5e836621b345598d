"""Side queries beyond beliefs (joints, information, scenarios) in a session of their own.

One worker at a time uses the session. The evidence of the view does not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.analysis.belief_query import Opener
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import InferenceSession
from pgmstudio.core.model import Model
from pgmstudio.gui.jobs.job import Job, JobState

Question = Callable[[InferenceSession, CancelToken], Any]


class _QueryRunner:
    """The session of one model, opened by the first query and used only in workers."""

    def __init__(self, opener: Opener, model: Model) -> None:
        self._opener, self._model = opener, model
        self._session: InferenceSession | None = None

    def answer(self, question: Question, cancel: CancelToken) -> Iterator[object]:
        if self._session is None:
            self._session = self._opener(self._model)
        self._session.retract_all()  # every query starts without evidence
        cancel.raise_if_cancelled()
        yield question(self._session, cancel)


@dataclass(frozen=True)
class _Request:
    topic: str
    question: Question
    on_answer: Callable[[Any], None] | None
    on_error: Callable[[PgmStudioError], None] | None


class SideQuestions(QObject):
    """Answers the newest query of every topic; a closing view calls `forget` with its topic."""

    answered = Signal(str, object)  # topic, value
    failed = Signal(str, object)  # topic, PgmStudioError

    def __init__(self, opener: Opener, model: Model, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._opener = opener
        self._runner = _QueryRunner(opener, model)
        self._waiting: dict[str, _Request] = {}
        self._job: Job | None = None
        self._request: _Request | None = None  # the request of the job; None when it was dropped

    def set_model(self, model: Model) -> None:
        """Replace the model and drop queries on the old one."""
        self._waiting.clear()
        self._drop_running()
        self._runner = _QueryRunner(self._opener, model)

    def ask(
        self,
        topic: str,
        question: Question,
        on_answer: Callable[[Any], None] | None = None,
        on_error: Callable[[PgmStudioError], None] | None = None,
    ) -> None:
        """Start a query; the answer comes in the window thread, an older query of the topic is
        dropped."""
        self.forget(topic)
        self._waiting[topic] = _Request(topic, question, on_answer, on_error)
        self._go_on()

    def forget(self, topic: str) -> None:
        """Drop the query of a topic."""
        self._waiting.pop(topic, None)
        if self._request is not None and self._request.topic == topic:
            self._drop_running()

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def _drop_running(self) -> None:
        self._request = None
        if self._job is not None:
            self._job.cancel()

    def _go_on(self) -> None:
        if self._job is not None or not self._waiting:
            return
        request = self._request = self._waiting.pop(next(iter(self._waiting)))
        job = self._job = Job(partial(self._runner.answer, request.question), self)
        job.events_arrived.connect(self._on_events)
        job.failed.connect(self._on_failed)
        job.state_changed.connect(self._on_state)
        job.start()

    def _on_events(self, events: list[object]) -> None:
        request = self._request
        if request is None:
            return
        if request.on_answer is not None:
            request.on_answer(events[-1])
        self.answered.emit(request.topic, events[-1])

    def _on_failed(self, error: BaseException) -> None:
        request = self._request
        self._end()
        if not isinstance(error, PgmStudioError):
            raise error
        if request is None:
            return
        if request.on_error is not None:
            request.on_error(error)
        self.failed.emit(request.topic, error)

    def _on_state(self, _state: object) -> None:
        # A failure is emitted after the state, so the job ends there.
        if self._job is not None and self._job.state in (JobState.FINISHED, JobState.CANCELLED):
            self._end()

    def _end(self) -> None:
        if self._job is not None:
            self._job.deleteLater()
            self._job = None
        self._request = None
        self._go_on()
