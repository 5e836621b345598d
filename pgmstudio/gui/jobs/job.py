"""Job: a run in the background; its events reach the window thread in batches.

The worker thread touches the queue and nothing else of the window.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QObject, QTimer, Signal

from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import CancelToken, Progress, StopSwitch

DRAIN_MS = 33
# This many scores are delivered one by one, so that a short run has its whole curve.
FIRST_SCORES = 400


class JobState(Enum):
    """Where a job is; the last three are ends."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELLING = "cancelling"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def is_end(self) -> bool:
        return self in (JobState.FINISHED, JobState.CANCELLED, JobState.FAILED)


class Job(QObject):
    """Runs `task(token)` in a thread; a heavy task wraps itself in `in_process`."""

    events_arrived = Signal(list)
    state_changed = Signal(object)
    failed = Signal(object)

    def __init__(
        self, task: Callable[[CancelToken], Iterator[object]], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._task = task
        self._switch = StopSwitch()
        self._queue: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._state = JobState.QUEUED
        self._scores_told = 0
        self.error: BaseException | None = None  # set when the state is FAILED
        self._timer = QTimer(self)
        self._timer.setInterval(DRAIN_MS)
        self._timer.timeout.connect(self._drain)

    @property
    def state(self) -> JobState:
        return self._state

    @property
    def is_paused(self) -> bool:
        return self._switch.is_paused or self._switch.is_stepping

    def start(self) -> None:
        """Start once; events arrive from the next turn of the event loop on."""
        if self._state is not JobState.QUEUED:
            return
        self._thread = threading.Thread(target=self._work, daemon=True, name="job")
        self._set_state(JobState.RUNNING)
        self._thread.start()
        self._timer.start()

    def cancel(self) -> None:
        """Request a stop; earlier events are still delivered."""
        if self._state is JobState.QUEUED:
            self._set_state(JobState.CANCELLED)
        elif self._state is JobState.RUNNING:
            self._switch.cancel()
            self._set_state(JobState.CANCELLING)

    def pause(self) -> None:
        self._switch.pause()
        self.state_changed.emit(self._state)

    def resume(self) -> None:
        self._switch.resume()
        self.state_changed.emit(self._state)

    def step(self) -> None:
        """Run to the next reported step and pause there."""
        self._switch.step()
        self.state_changed.emit(self._state)

    def wait(self, seconds: float) -> bool:
        """Block until the worker is done, for closing the window; False when it is not."""
        if self._thread is not None:
            self._thread.join(seconds)
            return not self._thread.is_alive()
        return True

    def ends_within(self, seconds: float) -> bool:
        """Block for a moment; if the worker is done by then, its events are delivered now."""
        if not self.wait(seconds):
            return False
        self._drain()
        return True

    def _work(self) -> None:
        try:
            for event in self._task(self._switch):
                self._queue.put(event)
            self._queue.put(_End(JobState.FINISHED))
        except Cancelled:
            self._queue.put(_End(JobState.CANCELLED))
        except BaseException as error:  # reported in the window thread
            self._queue.put(_End(JobState.FAILED, error))

    def _drain(self) -> None:
        events: list[object] = []
        end: _End | None = None
        while end is None:
            try:
                event = self._queue.get_nowait()
            except queue.Empty:
                break
            if isinstance(event, _End):
                end = event
            elif self._is_overtaken(events, event):
                events[-1] = event  # only the newest can be seen
            else:
                events.append(event)
        if events:
            self.events_arrived.emit(events)
        if end is not None:
            self._timer.stop()
            if self._thread is not None:
                self._thread.join()
            self.error = end.error
            self._set_state(end.state)
            if end.error is not None:
                self.failed.emit(end.error)

    def _is_overtaken(self, events: list[object], event: object) -> bool:
        """Whether `event` makes the last of `events` redundant."""
        if not isinstance(event, Progress) or not events or not isinstance(events[-1], Progress):
            return False
        if "score" not in events[-1].counters or self._scores_told >= FIRST_SCORES:
            return True
        self._scores_told += 1
        return False

    def _set_state(self, state: JobState) -> None:
        self._state = state
        self.state_changed.emit(state)


class _End:
    def __init__(self, state: JobState, error: BaseException | None = None) -> None:
        self.state = state
        self.error = error


@dataclass
class ProgressCell:
    """Written by the thread that works, read by the window."""

    done: float = 0.0

    def report(self, fraction: float) -> None:
        self.done = fraction
