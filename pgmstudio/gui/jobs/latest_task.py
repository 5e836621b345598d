"""A background task of which only the latest request is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QObject, Signal, SignalInstance

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.gui.jobs.job import Job


class LatestTask(QObject):
    """Asks one kind of question; a newer question drops the answers to older ones."""

    answered = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        parent: QObject | None = None,
        on_answered: Callable[[Any], object] | SignalInstance | None = None,
        on_failed: Callable[[Any], object] | SignalInstance | None = None,
    ) -> None:
        super().__init__(parent)
        if on_answered is not None:
            self.answered.connect(on_answered)
        if on_failed is not None:
            self.failed.connect(on_failed)
        self._number = 0
        self._jobs: dict[int, _Question] = {}

    @property
    def is_waiting(self) -> bool:
        return self._number in self._jobs

    def ask(self, question: Callable[[CancelToken], Any]) -> None:
        """Compute `question(token)` in the background; `answered` has the value."""

        def task(cancel: CancelToken) -> Iterator[object]:
            yield question(cancel)

        self.follow(task)

    def follow(self, task: Callable[[CancelToken], Iterator[object]]) -> None:
        """Submit work that yields progress before its value; `answered` has the newest."""
        self.forget()
        job = self._jobs[self._number] = _Question(self._number, task, self)
        job.events_arrived.connect(self._on_events)
        job.failed.connect(self._on_failed)
        job.state_changed.connect(self._on_state)
        job.start()

    def forget(self) -> None:
        """Drop the pending answer."""
        self._number += 1
        for job in self._jobs.values():
            job.cancel()

    def wait(self, seconds: float) -> bool:
        """For closing: True when no thread of this task is left."""
        return all(job.wait(seconds) for job in self._jobs.values())

    # The sending job comes from Qt's sender(): a slot made for each job would hold a reference to
    # this object, and the last job to end would destroy it and its jobs while it is ending.

    def _on_events(self, events: list[object]) -> None:
        if self._sending_question().number == self._number:
            self.answered.emit(events[-1])

    def _on_failed(self, error: object) -> None:
        if self._sending_question().number == self._number:
            self.failed.emit(error)

    def _on_state(self, _state: object) -> None:
        job = self._sending_question()
        if job.state.is_end and job.number in self._jobs:
            del self._jobs[job.number]
            job.deleteLater()

    def _sending_question(self) -> _Question:
        job = self.sender()
        assert isinstance(job, _Question)
        return job


class _Question(Job):
    """A job that knows which question it answers."""

    def __init__(
        self, number: int, task: Callable[[CancelToken], Iterator[object]], parent: QObject
    ) -> None:
        super().__init__(task, parent)
        self.number = number
