"""The runs of a curve over several processes, with a time limit that the learners share fairly.

A learner that is run for many λ gets as much time in all as one that goes through them by itself. A
run that has no model after its part goes on to its first one, within half of its learner's time.
The runs of the learners take turns, so that a stop leaves points of each of them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from pgmstudio.core.execution.events import CLOCK, CancelToken
from pgmstudio.core.execution.process_pool import core_count
from pgmstudio.core.experiments.plans.expansion import PlannedRun, PlanRows
from pgmstudio.core.experiments.plans.run_task import PointEvent, PointWork
from pgmstudio.core.experiments.plans.runner import (
    Executor,
    ExecutorEvent,
    ProcessExecutor,
    SerialExecutor,
)

# The part of the limit for learning; the rest is for measuring the models.
LEARNING_FRACTION = 0.9
# What a run gets at least, so that it can reach a first model.
MIN_SECONDS = 0.2


@dataclass(frozen=True)
class FairExecutor:
    """So many processes, one for each core if None; all runs end within `seconds`."""

    processes: int | None = None
    seconds: float | None = None

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, ExecutorEvent]]:
        order = taking_turns([work.run for work in works])
        sorted_works: Sequence[Any] = [works[number] for number in order]
        processes = min(self.processes or core_count(), max(1, len(works)))
        if self.seconds is not None:
            sorted_works = FairShares(sorted_works, LEARNING_FRACTION * self.seconds, processes)
        executor: Executor = SerialExecutor() if processes == 1 else ProcessExecutor(processes)
        for index, event in executor.events(rows, sorted_works, cancel):
            yield order[index], event


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
    """A run that ends after its share, or, while it has no model, after `most` seconds."""

    work: PointWork
    share: float
    most: float

    def __call__(self, rows: PlanRows, cancel: CancelToken, /) -> Iterator[PointEvent]:
        began = CLOCK.now()

        def is_over(has_model: bool) -> bool:
            return CLOCK.now() - began >= (self.share if has_model else self.most)

        return self.work(rows, cancel, ends=is_over)


class FairShares(Sequence[_FairWork]):
    """Works whose runs get their part of the time that is left when they are taken."""

    def __init__(self, works: Sequence[PointWork], seconds: float, processes: int) -> None:
        self._works, self._processes = works, processes
        self._curves = [_curve(work.run) for work in works]
        counts = Counter(self._curves)
        self._weights = [1 / counts[curve] for curve in self._curves]
        self._end = time.monotonic() + seconds

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
        return _FairWork(work, *self.seconds_of(index, self._end - time.monotonic()))

    def seconds_of(self, index: int, left: float) -> tuple[float, float]:
        """Of `left` seconds, over all processes, the share of a run that begins now, and half of
        its learner's: so long it may go on to its first model.

        The runs before it have begun, so theirs is no longer to be shared.
        """
        spread = left * self._processes
        share = min(left, spread * self._weights[index] / sum(self._weights[index:]))
        learners = len(set(self._curves[index:]))
        most = min(left, spread / learners / 2)
        share = max(MIN_SECONDS, share)
        return share, max(share, most)
