"""Run of a published experiment, with the results of its trials so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.gui.jobs.background_run import BackgroundRun
from pgmstudio.studies.recipe import (
    Measured,
    Recipe,
    RecipeTask,
    TableRow,
    table_of,
)


class RecipeRun(BackgroundRun):
    """Experiment in a separate process; when stopped, the trials so far are preserved."""

    def __init__(
        self, recipe: Recipe, params: Any, seed: int, folder: Path | None, parent: QObject
    ) -> None:
        super().__init__(self._events, Progress(0.0, "starting"), parent)
        self.recipe, self.params, self.seed = recipe, params, seed
        self.measured: list[Measured] = []
        self.notes: list[str] = []
        self._folder = folder

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        from pgmstudio.studies.recipe_data import read_sources

        sources = read_sources(self.recipe, self._folder)
        task = RecipeTask(self.recipe.key, self.params, self.seed, sources)
        yield from in_process(task, cancel)

    @property
    def table(self) -> tuple[TableRow, ...]:
        """Published and obtained values over the trials so far."""
        return table_of(self.recipe, self.measured)

    @property
    def opened(self) -> list[Measured]:
        """The trials whose model can be opened."""
        return [event for event in self.measured if event.model is not None]

    def _take(self, events: Sequence[object]) -> None:
        for event in events:
            match event:
                case Note(message):
                    self.notes.append(message)
                case Measured():
                    self.measured.append(event)
