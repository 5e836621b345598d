"""One sweep as the window sees it: points as they are found, runs that are done, remarks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.experiments.curve_points import CurvePoint
from pgmstudio.core.experiments.plans.point_work import RunDone, RunProblem
from pgmstudio.core.io.point_folder import KeptPlanTask
from pgmstudio.core.project.project import Project
from pgmstudio.core.running import CancelToken, Progress
from pgmstudio.gui.workers.curve_setup import CurveSetup, Loaded, load
from pgmstudio.gui.workers.job import Job, JobState


class CurveRun(QObject):
    """Goes on with what stands in the folder; `changed` comes after every batch of events."""

    loaded = Signal(object)  # Loaded: what earlier runs left
    found = Signal(list)  # of CurvePoint, without their models
    changed = Signal()
    ended = Signal()
    failed = Signal(object)

    def __init__(self, setup: CurveSetup, project: Project, folder: Path, parent: QObject) -> None:
        super().__init__(parent)
        self.setup, self.folder = setup, folder
        self.progress = Progress(None, "reading the rows")
        self.problems: list[str] = []
        self.done: set[str] = set()
        self.new_points = 0
        self._project = project
        self._begin = self._end = time.monotonic()
        self._job = Job(self._events, self)
        self._job.events_arrived.connect(self._on_events)
        self._job.state_changed.connect(self._on_state)
        self._job.failed.connect(self.failed)

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        known = load(self.setup, self._project, self.folder)
        yield known
        rows = self.setup.plan_rows(self._project)
        for event in KeptPlanTask(self.folder, self.setup.plan, rows, self.setup.place)(cancel):
            if isinstance(event, CurvePoint):  # its model and answers are in the folder
                yield replace(event, model=None, query_values=None)
            else:
                yield event

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
        self._job.start()

    def stop(self) -> None:
        """Stop soon; every point so far is on the disk."""
        self._job.cancel()

    def wait(self, seconds: float) -> bool:
        """Block until it has ended; False when it has not."""
        return self._job.wait(seconds)

    def _on_events(self, events: list[object]) -> None:
        fresh: list[CurvePoint] = []
        for event in events:
            match event:
                case Loaded():
                    self.done |= event.done
                    self.loaded.emit(event)
                case Progress():
                    self.progress = event
                case RunProblem(message):
                    self.problems.append(message)
                case CurvePoint():
                    fresh.append(event)
                case RunDone(key):
                    self.done.add(key)
        if fresh:
            self.new_points += len(fresh)
            self.found.emit(fresh)
        self.changed.emit()

    def _on_state(self, state: JobState) -> None:
        if state.is_end:
            self._end = time.monotonic()
            self.ended.emit()
        self.changed.emit()
