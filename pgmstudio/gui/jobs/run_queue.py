"""The queue of learning runs: as many at once as there are cores, the rest wait in order."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.learning_run import LearningRun, worker_count
from pgmstudio.gui.project.document import Document
from pgmstudio.gui.project.run_request import RunRequest


class RunQueue(QObject):
    """Runs of the open project in the order they will start; ended ones stay until removed."""

    run_added = Signal(object)  # LearningRun
    run_changed = Signal(object)
    run_ended = Signal(object)
    order_changed = Signal()
    looked_at_changed = Signal(object)  # LearningRun or None

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs: list[LearningRun] = []
        self._ending: list[LearningRun] = []  # of a closed project
        document.replaced.connect(self._on_replaced)
        self.workers = worker_count()
        self._looked_at: LearningRun | None = None

    @property
    def runs(self) -> tuple[LearningRun, ...]:
        return tuple(self._runs)

    @property
    def looked_at(self) -> LearningRun | None:
        """The run that is selected in the list of runs."""
        return self._looked_at if self._looked_at in self._runs else None

    def look_at(self, run: LearningRun | None) -> None:
        """Request that this run is shown."""
        self._looked_at = run
        self.looked_at_changed.emit(run)

    @property
    def running(self) -> tuple[LearningRun, ...]:
        return tuple(run for run in self._runs if run.state in _BUSY)

    @property
    def waiting(self) -> tuple[LearningRun, ...]:
        return tuple(run for run in self._runs if run.state is JobState.QUEUED)

    def enqueue(
        self, request: RunRequest, task: LearnTask, *, is_paused: bool = False
    ) -> LearningRun:
        """Put a run at the end; it starts as soon as a core is free."""
        run = LearningRun(request, task, self)
        if is_paused:
            run.pause()
        run.changed.connect(lambda: self._on_changed(run))
        run.ended.connect(lambda: self._on_ended(run))
        self._runs.append(run)
        self.run_added.emit(run)
        self._start_next()
        return run

    def move(self, run: LearningRun, position: int) -> None:
        """Reorder the waiting runs."""
        self._runs.remove(run)
        self._runs.insert(max(0, min(position, len(self._runs))), run)
        self.order_changed.emit()

    def remove(self, run: LearningRun) -> None:
        """Take an ended or waiting run off the list."""
        if run.state is JobState.QUEUED:
            run.stop()
        if run.state.is_end and run in self._runs:
            self._runs.remove(run)
            self.order_changed.emit()

    def discard(self, run: LearningRun) -> None:
        """Stop a run, remove it from the list and discard its result."""
        run.is_unwanted = True
        if run.state.is_end:
            self.remove(run)
        else:
            run.stop()

    def stop_all(self) -> None:
        for run in reversed(self._runs):
            if not run.state.is_end:
                run.stop()

    def wait(self, seconds: float) -> bool:
        """For closing: True when no run is left."""
        return all(run.wait(seconds) for run in (*self._runs, *self._ending))

    def _on_replaced(self) -> None:
        """Runs end with their project: nothing of them lands in another one."""
        closed, self._runs = self._runs, []
        self.look_at(None)
        self.order_changed.emit()
        for run in reversed(closed):
            run.is_unwanted = True
            self._ending.append(run)
            if run.state.is_end:
                self._free(run)
            else:
                run.stop()

    def _free(self, run: LearningRun) -> None:
        self._ending.remove(run)
        run.deleteLater()

    def _on_ended(self, run: LearningRun) -> None:
        if run in self._ending:
            self._free(run)
            self._start_next()
            return
        self.run_ended.emit(run)
        if run.is_unwanted:
            self.remove(run)
        self._start_next()

    def _on_changed(self, run: LearningRun) -> None:
        if run in self._runs:
            self.run_changed.emit(run)

    def _start_next(self) -> None:
        while len(self.running) < self.workers and self.waiting:
            self.waiting[0].start()


_BUSY = (JobState.RUNNING, JobState.CANCELLING)
