"""The runs of a curve over several processes, with a time limit that the learners share fairly.

The limit is processor time of every process, without loading and compiling, so that a busy machine
gives the same points later. A learner that is run for many λ gets as much time in all as one that
goes through them by itself. A run that has no model after its part goes on to its first one, within
half of its learner's time. The runs of the learners take turns, so that a stop leaves points of
each of them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload
from uuid import uuid4

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import (
    CancelToken,
    latest_end,
    processor_seconds_since_first,
)
from pgmstudio.core.experiments.plans.expansion import PlannedRun, PlanRows
from pgmstudio.core.experiments.plans.run_task import PointEvent, PointWork
from pgmstudio.core.experiments.plans.runner import (
    Executor,
    ExecutorEvent,
    ProcessExecutor,
    SerialExecutor,
)
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.cost_estimates import START_SECONDS, forecast_run

# The part of the limit for learning; the rest is for measuring the models.
LEARNING_FRACTION = 0.9
# What a run gets at least, so that it can reach a first model.
MIN_SECONDS = 0.2


@dataclass(frozen=True)
class FairExecutor:
    """So many processes, each with `seconds` of processor time. None: one for each core, or fewer
    where there is no limit and starting them would take longer than the runs."""

    processes: int | None = None
    seconds: float | None = None

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, ExecutorEvent]]:
        order = taking_turns([work.run for work in works])
        sorted_works: Sequence[Any] = [works[number] for number in order]
        processes = self.processes
        if processes is None:
            runs = [work.run for work in works]
            processes = core_count() if self.seconds is not None else worthwhile(runs, rows.train)
        processes = min(processes, max(1, len(works)))
        if self.seconds is not None:
            sorted_works = FairParts(sorted_works, LEARNING_FRACTION * self.seconds, processes)
        executor: Executor = SerialExecutor() if processes == 1 else ProcessExecutor(processes)
        for index, event in executor.events(rows, sorted_works, cancel):
            yield order[index], event


def worthwhile(runs: Sequence[PlannedRun], rows: DataSet) -> int:
    """How many processes gain more than it takes to start them, by the forecasts of the runs."""
    seconds = 0.0
    for run in runs:
        forecast = forecast_run(learner_of(run.learner), run.params, rows)
        if forecast is None:
            return core_count()
        seconds += max(0.0, forecast.seconds - START_SECONDS)
    return max(1, min(core_count(), round(seconds / START_SECONDS)))


def taking_turns(runs: Sequence[PlannedRun]) -> list[int]:
    """The numbers of the runs, in turn one of each learner."""
    seen: Counter[tuple[str, str]] = Counter()
    turns = []
    for number, run in enumerate(runs):
        turns.append((seen[_curve(run)], number))
        seen[_curve(run)] += 1
    return [number for _, number in sorted(turns)]


def _curve(run: PlannedRun) -> tuple[str, str]:
    return run.learner, run.name


@dataclass(frozen=True)
class _FairWork:
    """A run with its part of what its process has left when it begins: `part` with a model,
    `most` without one."""

    work: PointWork
    part: float
    most: float
    seconds: float  # processor time of each process for all runs
    key: str  # of the curves of this run

    def __call__(self, rows: PlanRows, cancel: CancelToken, /) -> Iterator[PointEvent]:
        began = processor_seconds_since_first(self.key)
        left = max(0.0, self.seconds - began)
        part = max(MIN_SECONDS, self.part * left)
        most = max(part, self.most * left)
        latest = latest_end(most)

        def is_over(has_model: bool) -> bool:
            used = processor_seconds_since_first(self.key) - began
            return used >= (part if has_model else most) or time.monotonic() >= latest

        return self.work(rows, cancel, ends=is_over)


class FairParts(Sequence[_FairWork]):
    """Works with the parts of the time of their runs: a run has its part of what is left."""

    def __init__(self, works: Sequence[PointWork], seconds: float, processes: int) -> None:
        self._works, self._processes, self._seconds = works, processes, seconds
        self._curves = [_curve(work.run) for work in works]
        counts = Counter(self._curves)
        self._weights = [1 / counts[curve] for curve in self._curves]
        self._key = uuid4().hex

    def __len__(self) -> int:
        return len(self._works)

    @overload
    def __getitem__(self, index: int) -> _FairWork: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_FairWork]: ...
    def __getitem__(self, index: int | slice) -> _FairWork | Sequence[_FairWork]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        work = self._works[index]  # an IndexError ends an iteration
        return _FairWork(work, *self.parts_of(index), self._seconds, self._key)

    def parts_of(self, index: int) -> tuple[float, float]:
        """Of what its process has left, the part of a run that begins now, and half of its
        learner's: so long it may go on to its first model.

        The runs before it have begun, so theirs is no longer to be shared.
        """
        part = self._processes * self._weights[index] / sum(self._weights[index:])
        most = self._processes / len(set(self._curves[index:])) / 2
        return min(1.0, part), min(1.0, max(part, most))
