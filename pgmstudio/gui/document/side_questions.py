"""Questions beyond beliefs (joints, information, scenarios), asked of a session of their own.

The session lives in the worker that answers; one question at a time, so it is never in two threads.
Evidence in view is not disturbed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.inference.protocols import InferenceSession
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.running import CancelToken
from pgmstudio.gui.document.belief_answers import Opener
from pgmstudio.gui.workers.job import Job

Question = Callable[[InferenceSession, CancelToken], Any]


class _Desk:
    """The session of one model, opened by the first question; touched by workers only."""

    def __init__(self, opener: Opener, model: Model) -> None:
        self._opener, self._model = opener, model
        self._session: InferenceSession | None = None

    def answer(self, question: Question, cancel: CancelToken) -> Iterator[object]:
        if self._session is None:
            self._session = self._opener(self._model)
        cancel.raise_if_cancelled()
        yield question(self._session, cancel)


class SideQuestions(QObject):
    """Of every topic the newest question is answered."""

    answered = Signal(str, object)  # topic, value
    failed = Signal(str, object)  # topic, exception

    def __init__(self, opener: Opener, model: Model, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._opener = opener
        self._desk = _Desk(opener, model)
        self._waiting: dict[str, Question] = {}
        self._job: Job | None = None
        self._topic = ""
        self._is_wanted = False

    def set_model(self, model: Model) -> None:
        """Questions about the old model lose their meaning."""
        self._waiting.clear()
        self._drop_running()
        self._desk = _Desk(self._opener, model)

    def ask(self, topic: str, question: Question) -> None:
        """`answered` brings the value; an older question of that topic is given up."""
        self._waiting[topic] = question
        if self._topic == topic:
            self._drop_running()
        self._go_on()

    def forget(self, topic: str) -> None:
        self._waiting.pop(topic, None)
        if self._topic == topic:
            self._drop_running()

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def _drop_running(self) -> None:
        self._is_wanted = False
        if self._job is not None:
            self._job.cancel()

    def _go_on(self) -> None:
        if self._job is not None or not self._waiting:
            return
        self._topic = next(iter(self._waiting))
        question = self._waiting.pop(self._topic)
        self._is_wanted = True
        job = self._job = Job(partial(self._desk.answer, question), self)
        job.events_arrived.connect(self._on_events)
        job.failed.connect(self._on_failed)
        job.state_changed.connect(self._on_state)
        job.start()

    def _on_events(self, events: list[object]) -> None:
        if self._is_wanted:
            self.answered.emit(self._topic, events[-1])

    def _on_failed(self, error: object) -> None:
        if self._is_wanted:
            self.failed.emit(self._topic, error)
        self._end()

    def _on_state(self, _state: object) -> None:
        # A failure is told after the state, so its job ends there.
        if self._job is not None and self._job.state.value in ("finished", "cancelled"):
            self._end()

    def _end(self) -> None:
        if self._job is not None:
            self._job.deleteLater()
            self._job = None
        self._topic = ""
        self._go_on()
