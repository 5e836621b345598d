"""Answers computed beside the window: only the newest question of an asker gets its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.running import CancelToken
from pgmstudio.gui.workers.job import Job


class Asker(QObject):
    """Asks one kind of question; a newer question makes the older ones' answers unwanted."""

    answered = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._number = 0
        self._jobs: dict[int, Job] = {}

    @property
    def is_waiting(self) -> bool:
        return self._number in self._jobs

    def ask(self, question: Callable[[CancelToken], Any]) -> None:
        """Compute `question(token)` in the background; `answered` brings the value."""
        self.forget()

        def task(cancel: CancelToken) -> Iterator[object]:
            yield question(cancel)

        job = self._jobs[self._number] = Job(task, self)
        job.events_arrived.connect(partial(self._on_events, self._number))
        job.failed.connect(partial(self._on_failed, self._number))
        job.state_changed.connect(partial(self._on_state, self._number))
        job.start()

    def forget(self) -> None:
        """Nobody wants the pending answer any more."""
        self._number += 1
        for job in self._jobs.values():
            job.cancel()

    def wait(self, seconds: float) -> bool:
        """For closing: True when no thread of this asker is left."""
        return all(job.wait(seconds) for job in self._jobs.values())

    def _on_events(self, number: int, events: list[object]) -> None:
        if number == self._number:
            self.answered.emit(events[-1])

    def _on_failed(self, number: int, error: object) -> None:
        if number == self._number:
            self.failed.emit(error)

    def _on_state(self, number: int, _state: object) -> None:
        job = self._jobs[number]
        if job.state.is_end:
            del self._jobs[number]
            job.deleteLater()
