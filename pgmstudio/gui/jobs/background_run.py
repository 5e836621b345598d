"""A run in the background: its job, progress and duration."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.gui.jobs.job import Job, JobState
from pgmstudio.gui.widgets.debounce import one_shot


class BackgroundRun(QObject):
    """Runs `events(token)` in a job; `changed` comes after every batch of events."""

    changed = Signal()
    state_changed = Signal()
    ended = Signal()
    failed = Signal(object)

    def __init__(
        self, events: Callable[[CancelToken], Iterator[object]], progress: Progress, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.progress = progress
        self._begin = self._end = time.monotonic()
        self._job = Job(events, self)
        self._job.events_arrived.connect(self._on_events)
        self._job.state_changed.connect(self._on_state)
        self._job.failed.connect(self.failed)

    @property
    def state(self) -> JobState:
        return self._job.state

    @property
    def is_running(self) -> bool:
        return not self.state.is_end

    @property
    def seconds(self) -> float:
        """How long it has run so far."""
        return (self._end if self.state.is_end else time.monotonic()) - self._begin

    def start(self) -> None:
        self._begin = time.monotonic()
        self._job.start()

    def stop(self) -> None:
        """Stop soon; results so far are kept."""
        self._job.cancel()

    def wait(self, seconds: float) -> bool:
        """Block until it has ended; False when it has not."""
        return self._job.wait(seconds)

    def _take(self, events: Sequence[object]) -> None:
        """What a kind of run does with a batch; its progress is taken already."""

    def _on_events(self, events: list[object]) -> None:
        for event in events:
            if isinstance(event, Progress):
                self.progress = event
        self._take(events)
        self.changed.emit()

    def _on_state(self, state: JobState) -> None:
        if state.is_end:
            self._end = time.monotonic()
            self.ended.emit()
        self.state_changed.emit()
        self.changed.emit()


class BackgroundRuns(QObject):
    """The background runs of a window that are under way; `changed` when one comes or goes."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs: list[BackgroundRun] = []
        self._soon = one_shot(self, self._look)

    @property
    def running(self) -> tuple[BackgroundRun, ...]:
        return tuple(self._runs)

    def add(self, run: BackgroundRun) -> None:
        """Add a run that is about to start."""
        self._runs.append(run)
        run.state_changed.connect(self._look)
        run.destroyed.connect(self._on_gone)
        self.changed.emit()

    def stop_all(self) -> None:
        """Stop all runs; their results so far are kept."""
        for run in self._runs:
            run.stop()

    def wait(self, seconds: float) -> bool:
        """Block until all have ended, for closing the window; False when one has not."""
        return all(run.wait(seconds) for run in self._runs)

    def _on_gone(self) -> None:
        """Remove a run whose page was closed, as its end will not be reported."""
        self._soon.start()

    def _look(self) -> None:
        self._runs = [run for run in self._runs if isValid(run) and run.is_running]
        self.changed.emit()
