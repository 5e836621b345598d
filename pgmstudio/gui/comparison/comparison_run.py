"""A race of languages as the window sees it: the table of what is known so far."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import Split, case_total
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.experiments.language_comparison.candidates import (
    languages_plan,
    train_valid_test_splits,
)
from pgmstudio.core.experiments.language_comparison.per_variable import (
    VariableBits,
    VariableBitsTask,
)
from pgmstudio.core.experiments.language_comparison.results import (
    AllSplitsState,
    LanguageTable,
    verdict,
)
from pgmstudio.core.experiments.language_comparison.scheduler import (
    Budget,
    Finish,
    RunProgress,
    SplitsTask,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import Smoothing
from pgmstudio.core.model import Model
from pgmstudio.core.params import AUTO
from pgmstudio.gui.jobs.background_run import BackgroundRun

# Tables that differ in progress alone come no faster than this.
TELL_SECONDS = 0.15


@dataclass(frozen=True)
class ComparisonSettings:
    """What a race is started with."""

    languages: tuple[str, ...]
    budget: Budget
    seed: int = 0
    seeds: int = 1
    smoothing: Smoothing = AUTO
    splits: int | None = None  # as many as so few rows need

    @property
    def all_seeds(self) -> tuple[int, ...]:
        return tuple(range(self.seed, self.seed + self.seeds))


@dataclass(frozen=True, eq=False)
class ComparisonRows:
    """How many rows are learned from, chosen on and tested on, and their fingerprint; and the test
    rows of every split."""

    train: int
    valid: int
    test: int
    fingerprint: str
    tests: tuple[DataSet, ...]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The table with all models so far, worked out beside the window."""

    table: LanguageTable
    points: tuple[CurvePoint, ...]
    sentence: str


class ComparisonRun(BackgroundRun):
    """Runs in a pool of processes; stopped, every language that has a model by then keeps it."""

    rows_known = Signal()

    def __init__(
        self, data: DataSet, split: Split | None, settings: ComparisonSettings, parent: QObject
    ) -> None:
        super().__init__(self._events, Progress(0.0, "parting the rows"), parent)
        self.settings = settings
        self.snapshot: Snapshot | None = None
        self.rows: ComparisonRows | None = None
        self._data, self._split = data, split
        self._finish = Finish()

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        told = self.settings
        splits = train_valid_test_splits(self._data, self._split, count=told.splits, seed=told.seed)
        rows = splits[0]
        assert rows.valid is not None
        train, valid, test = (case_total(part) for part in (rows.train, rows.valid, rows.test))
        tests = tuple(part.test for part in splits)
        yield ComparisonRows(train, valid, test, rows.fingerprint, tests)
        plan = languages_plan(told.languages, rows, seeds=told.all_seeds, smoothing=told.smoothing)
        race = AllSplitsState(told.languages, splits)
        yield _snapshot(race, told.seeds)
        shown_at = 0.0
        try:
            for event in SplitsTask(plan, splits, told.budget, self._finish)(cancel):
                if isinstance(event, Progress):
                    yield event
                elif race.take(event):
                    now = time.monotonic()
                    if not isinstance(event, RunProgress) or now - shown_at > TELL_SECONDS:
                        shown_at = now
                        yield _snapshot(race, told.seeds)
        except Cancelled:
            race.end()
            yield _snapshot(race, told.seeds)
            raise
        finally:
            race.end()
        yield _snapshot(race, told.seeds)

    def stop_language(self, title: str) -> None:
        """End one language; its best model so far stays."""
        self._finish.end(title)

    def _take(self, events: Sequence[object]) -> None:
        for event in events:
            match event:
                case ComparisonRows():
                    self.rows = event
                    self.rows_known.emit()
                case Snapshot():
                    self.snapshot = event


def _snapshot(race: AllSplitsState, seeds: int) -> Snapshot:
    table = race.table(seeds)
    return Snapshot(table, tuple(race.points), verdict(table))


class VariablesRun(BackgroundRun):
    """Bits per row of each variable for each model, in a process of its own."""

    def __init__(
        self, splits: Sequence[tuple[Mapping[str, Model], DataSet]], parent: QObject
    ) -> None:
        super().__init__(self._events, Progress(0.0, "starting"), parent)
        self.found: dict[str, VariableBits] = {}
        self._task = VariableBitsTask(splits)

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        yield from in_process(self._task, cancel)

    def _take(self, events: Sequence[object]) -> None:
        for event in events:
            if isinstance(event, VariableBits):
                self.found[event.name] = event


def part_counts(
    data: DataSet, split: Split | None, seed: int, count: int | None, _cancel: CancelToken
) -> tuple[int, int, int, int]:
    """How many rows a race would learn from, choose on and test on, and in how many splits."""
    splits = train_valid_test_splits(data, split, count=count, seed=seed)
    rows = splits[0]
    assert rows.valid is not None
    parts = (rows.train, rows.valid, rows.test)
    train, valid, test = (case_total(part) for part in parts)
    return train, valid, test, len(splits)
