"""Run of a comparison of languages, with the table of results so far."""

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
from pgmstudio.core.number_format import duration
from pgmstudio.core.params import AUTO
from pgmstudio.gui.jobs.background_run import BackgroundRun
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.version import __version__

# Minimum interval between tables that differ only in progress.
TELL_SECONDS = 0.15


@dataclass(frozen=True)
class ComparisonSettings:
    """Settings of a comparison."""

    languages: tuple[str, ...]
    budget: Budget
    seed: int = 0
    seeds: int = 1
    smoothing: Smoothing = AUTO
    splits: int | None = None  # chosen by the number of rows

    @property
    def all_seeds(self) -> tuple[int, ...]:
        return tuple(range(self.seed, self.seed + self.seeds))


@dataclass(frozen=True, eq=False)
class ComparisonRows:
    """Numbers of training, validation and test rows, their fingerprint, and the test rows of every
    split."""

    train: int
    valid: int
    test: int
    fingerprint: str
    tests: tuple[DataSet, ...]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The table of all models so far, computed in the background."""

    table: LanguageTable
    points: tuple[CurvePoint, ...]
    verdict: str


class ComparisonRun(BackgroundRun):
    """Comparison in a pool of processes; when stopped, the models so far are preserved."""

    rows_known = Signal()

    def __init__(
        self, data: DataSet, split: Split | None, settings: ComparisonSettings, parent: QObject
    ) -> None:
        super().__init__(self._events, Progress(0.0, "splitting the data"), parent)
        self.settings = settings
        self.snapshot: Snapshot | None = None
        self.rows: ComparisonRows | None = None
        self._data, self._split = data, split
        self._finish = Finish()

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        settings = self.settings
        splits = train_valid_test_splits(
            self._data, self._split, count=settings.splits, seed=settings.seed
        )
        rows = splits[0]
        assert rows.valid is not None
        train, valid, test = (case_total(part) for part in (rows.train, rows.valid, rows.test))
        tests = tuple(part.test for part in splits)
        yield ComparisonRows(train, valid, test, rows.fingerprint, tests)
        plan = languages_plan(
            settings.languages, rows, seeds=settings.all_seeds, smoothing=settings.smoothing
        )
        state = AllSplitsState(settings.languages, splits)
        yield _snapshot(state, settings.seeds)
        shown_at = 0.0
        try:
            for event in SplitsTask(plan, splits, settings.budget, self._finish)(cancel):
                if isinstance(event, Progress):
                    yield event
                elif state.take(event):
                    now = time.monotonic()
                    if not isinstance(event, RunProgress) or now - shown_at > TELL_SECONDS:
                        shown_at = now
                        yield _snapshot(state, settings.seeds)
        except Cancelled:
            state.end()
            yield _snapshot(state, settings.seeds)
            raise
        finally:
            state.end()
        yield _snapshot(state, settings.seeds)

    def stop_language(self, title: str) -> None:
        """Stop one language and keep its best model so far."""
        self._finish.end(title)

    def _take(self, events: Sequence[object]) -> None:
        for event in events:
            match event:
                case ComparisonRows():
                    self.rows = event
                    self.rows_known.emit()
                case Snapshot():
                    self.snapshot = event


def _snapshot(state: AllSplitsState, seeds: int) -> Snapshot:
    table = state.table(seeds)
    return Snapshot(table, tuple(state.points), verdict(table))


class VariablesRun(BackgroundRun):
    """Bits per row of each variable for each model, computed in a separate process."""

    def __init__(
        self, splits: Sequence[tuple[Mapping[str, Model], DataSet]], parent: QObject
    ) -> None:
        super().__init__(self._events, Progress(0.0, "starting"), parent)
        self.bits_by_model: dict[str, VariableBits] = {}
        self._task = VariableBitsTask(splits)

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        yield from in_process(self._task, cancel)

    def _take(self, events: Sequence[object]) -> None:
        for event in events:
            if isinstance(event, VariableBits):
                self.bits_by_model[event.name] = event


def part_counts(
    data: DataSet, split: Split | None, seed: int, count: int | None, _cancel: CancelToken
) -> tuple[int, int, int, int]:
    """Numbers of training, validation and test rows of a comparison, and of splits."""
    splits = train_valid_test_splits(data, split, count=count, seed=seed)
    rows = splits[0]
    assert rows.valid is not None
    parts = (rows.train, rows.valid, rows.test)
    train, valid, test = (case_total(part) for part in parts)
    return train, valid, test, len(splits)


def progress_text(run: ComparisonRun) -> str:
    """Progress text, `3 of 7 learned · 12.4 s, budget 60 s`, or how the comparison ended."""
    counters, budget = run.progress.counters, run.settings.budget
    done = f"{counters.get('run', 0):.0f} of {counters.get('of', 0):.0f} learned"
    per = "" if budget.per == "all" else " each"
    spent = duration(run.seconds)
    texts = {
        JobState.RUNNING: f"{done} · {spent}, budget {budget.seconds:.0f} s{per}",
        JobState.CANCELLING: "Stopping…",
        JobState.FINISHED: f"Finished after {spent}.",
        JobState.CANCELLED: f"Stopped after {spent}; the results so far are shown.",
        JobState.FAILED: f"Failed after {spent}.",
    }
    return texts.get(run.state, "")


def provenance_of(run: ComparisonRun, data_name: str, made: str) -> dict[str, str]:
    """Data, split, program version and time; empty while the rows are unknown."""
    if run.rows is None:
        return {}
    seeds = run.settings.all_seeds
    split = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    data = f"{data_name} · {run.rows.fingerprint[:8]}"
    return {"Data": data, "Split": split, "Program": __version__, "Made": made}
