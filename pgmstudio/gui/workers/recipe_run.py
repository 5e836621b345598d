"""One experiment of the sources as the window sees it: what its trials measured so far."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.experiments.recipes.recipe import (
    Measured,
    Recipe,
    RecipeTask,
    TableRow,
    table_of,
)
from pgmstudio.core.processes import in_process
from pgmstudio.core.running import CancelToken, Note, Progress
from pgmstudio.gui.workers.job import Job, JobState


class RecipeRun(QObject):
    """Runs in a process of its own; `changed` comes after every batch of events."""

    changed = Signal()
    failed = Signal(object)

    def __init__(
        self, recipe: Recipe, params: Any, seed: int, folder: Path | None, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.recipe, self.params, self.seed = recipe, params, seed
        self.measured: list[Measured] = []
        self.notes: list[str] = []
        self.progress = Progress(0.0, "starting")
        self._folder = folder
        self._begin = self._end = time.monotonic()
        self._job = Job(self._events, self)
        self._job.events_arrived.connect(self._on_events)
        self._job.state_changed.connect(self._on_state)
        self._job.failed.connect(self.failed)

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        from pgmstudio.core.io.recipe_data import read_sources

        sources = read_sources(self.recipe, self._folder)
        task = RecipeTask(self.recipe.key, self.params, self.seed, sources)
        yield from in_process(task, cancel)

    @property
    def state(self) -> JobState:
        return self._job.state

    @property
    def seconds(self) -> float:
        """How long it has run so far."""
        return (self._end if self.state.is_end else time.monotonic()) - self._begin

    @property
    def table(self) -> tuple[TableRow, ...]:
        """Published beside obtained, over the trials so far."""
        return table_of(self.recipe, self.measured)

    @property
    def opened(self) -> list[Measured]:
        """The trials whose model can be opened."""
        return [event for event in self.measured if event.model is not None]

    def start(self) -> None:
        self._job.start()

    def stop(self) -> None:
        """Stop soon; the trials so far stay."""
        self._job.cancel()

    def wait(self, seconds: float) -> bool:
        """Block until it has ended; False when it has not."""
        return self._job.wait(seconds)

    def _on_events(self, events: list[object]) -> None:
        for event in events:
            match event:
                case Progress():
                    self.progress = event
                case Note(message):
                    self.notes.append(message)
                case Measured():
                    self.measured.append(event)
        self.changed.emit()

    def _on_state(self, state: JobState) -> None:
        if state.is_end:
            self._end = time.monotonic()
        self.changed.emit()
