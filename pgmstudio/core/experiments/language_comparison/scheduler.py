"""The runs of a comparison in a pool of processes, within one time budget.

When a run begins, it is allotted the rest of the budget divided by the number of rounds that the
processes still need. A run that ends early leaves its time to those after it. One that needs more
goes on while no other run waits, but not beyond the end of the budget; then it gives its best model
so far.

On a busy machine a run gets less processor time than that. One that has no model by then goes on to
its first, until it has had its allotment as processor time. All runs end when twice the budget has
passed, or half a minute after the budget.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.child_process import Packed, pack, unpack
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.execution.process_pool import WorkEnded, WorkFailed, core_count, in_pool
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.plan import Plan
from pgmstudio.core.experiments.plans.run_task import (
    InterimResult,
    PointEvent,
    PointWork,
    RunDone,
    RunEvent,
    RunProblem,
)
from pgmstudio.core.experiments.plans.runner import ExecutorEvent, run_plan
from pgmstudio.core.experiments.sl_curves.points import CurvePoint

# The part of the budget for learning; the rest is for measuring the models.
LEARNING_FRACTION = 0.9
# Every run gets at least this, so that it can reach a first model.
MIN_SECONDS = 0.5
# How long after a stop runs may return their best models before they are ended.
LAST_WORD_SECONDS = 0.3
# The part of the budget for the first of several splits.
FIRST_SPLIT_SHARE = 0.5
# How long after the end of a small budget runs may go on to their first models.
GRACE_SECONDS = 30.0
NOTICED_SECONDS = 0.1
# Values of the flag of a run: its time is over while others wait, or it was requested to end.
DUE, ASKED = 1, 2


@dataclass(frozen=True)
class Budget:
    """Seconds for all runs together, or for each of them."""

    seconds: float
    per: Literal["all", "each"] = "all"

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ParameterError({"budget": "must be more than 0 seconds"})

    def seconds_for_run(self, left: float, runs: int, processes: int) -> float:
        """Seconds for a run that begins now, with `left` seconds and `runs` runs to go."""
        if self.per == "each":
            return self.seconds
        return max(MIN_SECONDS, left / math.ceil(runs / processes))


@dataclass(frozen=True, slots=True)
class RunQueued(RunEvent):
    """The run with that key is being learned, with so many seconds at most."""

    key: str
    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class RunProgress(RunEvent):
    """How far the run with that key is; None: its end is not known."""

    key: str
    name: str
    fraction: float | None
    message: str


@dataclass(frozen=True, slots=True)
class RunEnded(RunEvent):
    """The run with that key is over, whatever it gave."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class SplitBegan(RunEvent):
    """The events that follow are of the split with that number."""

    number: int


@dataclass(frozen=True, slots=True)
class SplitOver(RunEvent):
    """All runs of the split with that number are over, and it was not stopped."""

    number: int


@dataclass(frozen=True, eq=False, slots=True)
class RowScores(RunEvent):
    """log2 P(row) of every test row by the model of the point with that key, which follows."""

    key: str
    row_log2: NDArray[np.float64]


class Finish:
    """Ends runs early, by name, from any thread; they return their best models."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names: list[str] = []
        self._asked: set[str] = set()
        self._is_all = False
        self._flags: memoryview | None = None

    def end(self, name: str) -> None:
        """End the runs of this name, including those that have not started."""
        with self._lock:
            self._asked.add(name)
            self._raise_flags()

    def end_all(self) -> None:
        """End all runs."""
        with self._lock:
            self._is_all = True
            self._raise_flags()

    def watch(self, names: Sequence[str], flags: memoryview | None) -> None:
        """The names of the runs, and a byte for each that its process reads."""
        with self._lock:
            self._names, self._flags = list(names), flags
            self._raise_flags()

    def _raise_flags(self) -> None:
        if self._flags is not None:
            for index, name in enumerate(self._names):
                if self._is_all or name in self._asked:
                    self._flags[index] = ASKED


@dataclass(frozen=True)
class _Work:
    """A run that ends at a time of the clock or when its flag is raised; row scores come along."""

    work: PointWork
    index: int
    flags: Packed
    seconds: float  # allotted; whether it may go on after that depends on its flag
    end: float  # of all runs, as time.time() has it
    first: float  # processor seconds for a first model
    latest: float  # when it is over even without one

    def __call__(self, rows: PlanRows, cancel: CancelToken, /) -> Iterator[PointEvent]:
        flags, _block = _opened(self.flags)
        if flags[self.index] == ASKED:
            return
        run = self.work.run
        yield RunQueued(self.work.key, run.name, self.seconds)
        term = _Term(self, flags)
        for event in self.work(rows, cancel, ends=term.is_over):
            if isinstance(event, RunProblem | RunDone) and (extra := term.extra_time_note()):
                yield RunProblem(f"{run.title}: {extra}")
            points = event.new if isinstance(event, InterimResult) else [event]
            for point in points:
                if isinstance(point, CurvePoint) and point.model is not None:
                    yield RowScores(point.key, row_log2(point.model, rows.test))
            yield event


class _Term:
    """When a started run is over."""

    def __init__(self, work: _Work, flags: NDArray[np.uint8]) -> None:
        self._work, self._flags = work, flags
        now = time.time()
        if math.isinf(work.end):  # each has its own seconds
            self._end = now + work.seconds
            self._latest = self._end + max(work.seconds, GRACE_SECONDS)
        else:
            self._end, self._latest = max(now + MIN_SECONDS, work.end), work.latest
        self._processor_end = time.process_time() + work.first
        self._over_at: float | None = None  # without a model
        self._extra = 0.0

    def is_over(self, has_model: bool) -> bool:
        flag, now = self._flags[self._work.index], time.time()
        if flag == ASKED:
            return True
        if flag != DUE and now < self._end:
            return False
        if not has_model and now < self._latest and time.process_time() < self._processor_end:
            self._over_at = self._over_at or now
            self._extra = now - self._over_at
            return False
        return True

    def extra_time_note(self) -> str:
        """Once, and if it can be noticed: that the run went on for its first model."""
        extra, self._extra = self._extra, 0.0
        if extra < NOTICED_SECONDS:
            return ""
        return f"its time was over before its first model; it had {extra:.1f} s more."


# The process keeps the block: its arrays point into it until the end.
_opened = cache(unpack)


class _TimeAllotment(Sequence[_Work]):
    """Runs that are allotted their part of the budget when they are taken, so when they begin."""

    def __init__(
        self, works: Sequence[PointWork], budget: Budget, processes: int, flags: Packed
    ) -> None:
        self._works, self._budget, self._processes = works, budget, processes
        self._flags = flags
        learning = LEARNING_FRACTION * budget.seconds
        self._end = time.time() + learning
        self._first = budget.seconds_for_run(learning, len(works), processes)
        self._seconds: dict[int, float] = {}  # by the index of runs that have a process
        self._over_at: dict[int, float] = {}  # by the index of started runs
        self.done = 0

    def due(self) -> list[int]:
        """Runs whose time is over while others wait."""
        if len(self._seconds) == len(self) or self._budget.per == "each":
            return []
        now = time.time()
        return [index for index, over in self._over_at.items() if now >= over]

    def began(self, index: int) -> None:
        """Its process has loaded; the time for that does not count."""
        self._over_at[index] = time.time() + self._seconds[index]

    def __len__(self) -> int:
        return len(self._works)

    @overload
    def __getitem__(self, index: int) -> _Work: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_Work]: ...
    def __getitem__(self, index: int | slice) -> _Work | Sequence[_Work]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        left = self._end - time.time()
        seconds = self._budget.seconds_for_run(left, len(self) - self.done, self._processes)
        end = self._end if self._budget.per == "all" else math.inf
        latest = end + max(self._budget.seconds, GRACE_SECONDS)
        self._seconds[index] = seconds
        return _Work(self._works[index], index, self._flags, seconds, end, self._first, latest)


@dataclass(frozen=True, eq=False)
class BudgetedProcessExecutor:
    """Executes the runs of a plan in a pool of local processes, within a budget."""

    budget: Budget
    finish: Finish
    processes: int | None = None

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, ExecutorEvent]]:
        packed, block = pack(np.zeros(max(1, len(works)), dtype=np.uint8))
        assert block is not None
        assert block.buf is not None
        works = [replace(work, reports_interim=True) for work in works]
        allotment = _TimeAllotment(works, self.budget, self.processes or core_count(), packed)
        token = _LastWord(cancel, self.finish, partial(_end_due, allotment, block.buf))
        try:
            self.finish.watch([work.run.name for work in works], block.buf)
            for index, event in in_pool(rows, allotment, token, processes=self.processes):
                run = works[index]
                if isinstance(event, RunQueued):
                    allotment.began(index)
                elif isinstance(event, WorkEnded | WorkFailed):
                    allotment.done += 1
                    yield index, RunEnded(run.key, run.run.name)
                elif isinstance(event, Progress):
                    message = event.message.removeprefix(run.run.title).removeprefix(": ")
                    yield index, RunProgress(run.key, run.run.name, event.fraction, message)
                yield index, event
        finally:
            self.finish.watch((), None)
            block.close()
            block.unlink()


def _end_due(allotment: _TimeAllotment, flags: memoryview) -> None:
    for index in allotment.due():
        flags[index] = max(flags[index], DUE)


class _LastWord:
    """Cancelled a little later than the outer token: in between all runs are requested to end.

    The pool checks it many times a second; each time the flags of runs whose time is over are set.
    """

    def __init__(self, outer: CancelToken, finish: Finish, end_due: Callable[[], None]) -> None:
        self._outer, self._finish, self._end_due = outer, finish, end_due
        self._since: float | None = None

    @property
    def is_cancelled(self) -> bool:
        self._end_due()
        if self._since is None and self._outer.is_cancelled:
            self._since = time.monotonic()
            self._finish.end_all()
        return self._since is not None and time.monotonic() - self._since > LAST_WORD_SECONDS

    @property
    def is_paused(self) -> bool:
        return self._outer.is_paused

    def raise_if_cancelled(self) -> None:
        self._outer.raise_if_cancelled()


@dataclass(frozen=True, eq=False)
class LanguagesTask:
    """A comparison on one split as a task; it needs no child process of its own.

    Cancelling ends all runs; those that have a model by then return it.
    """

    plan: Plan
    rows: PlanRows
    budget: Budget
    finish: Finish
    processes: int | None = None

    def __call__(self, cancel: CancelToken, /) -> Iterator[PointEvent]:
        executor = BudgetedProcessExecutor(self.budget, self.finish, self.processes)
        yield from run_plan(self.plan, self.rows, cancel=cancel, executor=executor)
        cancel.raise_if_cancelled()


@dataclass(frozen=True, eq=False)
class SplitsTask:
    """A comparison on one split after another; the splits divide the time."""

    plan: Plan
    splits: Sequence[PlanRows]
    budget: Budget
    finish: Finish
    processes: int | None = None

    def __call__(self, cancel: CancelToken, /) -> Iterator[PointEvent]:
        end, count = time.time() + self.budget.seconds, len(self.splits)
        for number, rows in enumerate(self.splits):
            # A language without a model in the first split has no row, so most time goes there.
            seconds = self.budget.seconds
            if count > 1:
                rest = (1 - FIRST_SPLIT_SHARE) / (count - 1)
                seconds *= rest if number else FIRST_SPLIT_SHARE
            if number and self.budget.per == "all":  # what was left goes to the splits after
                seconds = max(seconds / 2, (end - time.time()) / (count - number))
            budget = replace(self.budget, seconds=seconds)
            yield SplitBegan(number)
            task = LanguagesTask(self.plan, rows, budget, self.finish, self.processes)
            for event in task(cancel):
                if isinstance(event, Progress) and count > 1:
                    label = f"Split {number + 1} of {count}"
                    fraction = None
                    if event.fraction is not None:
                        fraction = (number + event.fraction) / count
                    message = f"{label}: {event.message}" if event.message else label
                    yield Progress(fraction, message, event.counters)
                else:
                    yield event
            yield SplitOver(number)
