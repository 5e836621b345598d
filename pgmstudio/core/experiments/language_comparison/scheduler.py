"""The runs of a comparison in a pool of processes, within one budget of processor time.

What counts is the processor time of the learners, without loading and compiling: a run gets as far
on a busy or a new machine as on another, only later. The time is shared evenly. All runs have the
same level, the processor time that each may use; a run that ends before it leaves the rest to all
others, which raises their level. A run that reaches the level while others have not had as much is
suspended, and continues when the level has risen. When all runs left are at the level, they
end and give their best models so far. So the order of the runs and the speed of the machine do not
decide which runs are learned to their end.

The processes stay from split to split. A run that gets less than a hundredth of a core for long is
ended.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.child_process import Packed, pack, unpack
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import CLOCK, CancelToken, Progress, latest_end
from pgmstudio.core.execution.process_pool import (
    ProcessPool,
    WorkEnded,
    WorkFailed,
    open_pool,
)
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.plan import Plan
from pgmstudio.core.experiments.plans.run_task import (
    InterimResult,
    PointEvent,
    PointWork,
    RunEvent,
)
from pgmstudio.core.experiments.plans.runner import ExecutorEvent, run_plan
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.languages.compile_ahead import compile_for

# The fraction of the budget for learning; the rest is for measuring the models.
LEARNING_FRACTION = 0.9
# Every run gets at least this, so that it can reach a first model.
MIN_SECONDS = 0.5
# How long after a stop runs may return their best models before they are ended.
LAST_WORD_SECONDS = 0.3
# The part of the budget for the first of several splits.
FIRST_SPLIT_FRACTION = 0.5
# Columns of the board: whether a run is requested to end, and the processor seconds it has used.
ASKED, USED = 0, 1


class Board(Protocol):
    """A row for each run, which this process shares with the others."""

    def __len__(self) -> int: ...

    def __getitem__(self, key: tuple[int, int], /) -> float: ...

    def __setitem__(self, key: tuple[int, int], value: float, /) -> None: ...


@dataclass(frozen=True)
class Budget:
    """Seconds of processor time of every core, for all runs together, or of each run."""

    seconds: float
    per: Literal["all", "each"] = "all"

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ParameterError({"budget": "must be more than 0 seconds"})

    def level(self, ended: Sequence[float], open_runs: int, processes: int) -> float:
        """The processor seconds that each run may use, when those that ended have used so many.

        As if all runs went on side by side: in so many rounds the processes take them a step on.
        """
        if self.per == "each":
            return self.seconds
        level, left = 0.0, LEARNING_FRACTION * self.seconds
        runs = open_runs + len(ended)
        for used in sorted(ended):
            rounds = math.ceil(runs / processes)
            if (used - level) * rounds >= left:
                break
            left -= (used - level) * rounds
            level, runs = used, runs - 1
        return max(MIN_SECONDS, level + left / max(1, math.ceil(runs / processes)))


def elapsed(used: Sequence[float], processes: int) -> float:
    """How long so many processes need for runs of so many seconds that go on side by side."""
    level, total = 0.0, 0.0
    for index, seconds in enumerate(sorted(used)):
        total += (seconds - level) * math.ceil((len(used) - index) / processes)
        level = seconds
    return total


@dataclass(frozen=True, slots=True)
class RunQueued(RunEvent):
    """The run with that key is being learned; so many processor seconds are promised to it."""

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
        self._board: Board | None = None

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

    def watch(self, names: Sequence[str], board: Board | None) -> None:
        """The names of the runs, and the board that their processes read."""
        with self._lock:
            self._names, self._board = list(names), board
            self._raise_flags()

    def _raise_flags(self) -> None:
        if self._board is not None:
            for index, name in enumerate(self._names):
                if self._is_all or name in self._asked:
                    self._board[index, ASKED] = 1


@dataclass(frozen=True)
class _Work:
    """A run of a split that ends on request; row scores come along."""

    work: PointWork
    split: int
    index: int
    board: Packed
    seconds: float  # that it may get

    def __call__(self, splits: Sequence[PlanRows], cancel: CancelToken, /) -> Iterator[PointEvent]:
        board, _block = _opened(self.board)
        if board[self.index, ASKED]:
            return
        run, rows = self.work.run, splits[self.split]
        began, latest = CLOCK.processor_now(), latest_end(self.seconds)

        def is_over(_has_model: bool) -> bool:
            board[self.index, USED] = CLOCK.processor_now() - began
            return bool(board[self.index, ASKED]) or time.monotonic() >= latest

        yield RunQueued(self.work.key, run.name, self.seconds)
        for event in self.work(rows, cancel, ends=is_over):
            points = event.new if isinstance(event, InterimResult) else [event]
            for point in points:
                if isinstance(point, CurvePoint) and point.model is not None:
                    yield RowScores(point.key, row_log2(point.model, rows.test))
            yield event
        board[self.index, USED] = CLOCK.processor_now() - began


# The process keeps the block: its arrays point into it until the end.
@cache
def _opened(packed: Packed) -> tuple[Board, object]:
    return unpack(packed, is_writable=True)


class Slots(Protocol):
    """Where the runs are made: what sharing needs of the pool."""

    @property
    def free_slots(self) -> int: ...

    def suspend(self, number: int) -> None: ...

    def resume(self, number: int) -> None: ...


class EvenSharing:
    """Suspends, resumes and ends runs, so that all have the same processor time."""

    def __init__(
        self, budget: Budget, board: Board, runs: int, processes: int, slots: Slots
    ) -> None:
        self._budget, self._board, self._processes = budget, board, processes
        self._slots = slots
        self._waiting = set(range(runs))
        self._running, self._suspended, self._over = set[int](), set[int](), set[int]()

    @property
    def level(self) -> float:
        """The processor seconds that every run may use by now."""
        ended = [self._board[index, USED] for index in self._over]
        open_runs = len(self._waiting | self._running | self._suspended)
        return self._budget.level(ended, open_runs, self._processes)

    def began(self, index: int) -> None:
        """A process has loaded and begins with the run, perhaps again."""
        self._waiting.discard(index)
        self._suspended.discard(index)
        self._running.add(index)

    def ended(self, index: int) -> None:
        """The run is over."""
        for runs in (self._waiting, self._running, self._suspended):
            runs.discard(index)
        self._over.add(index)

    def look(self) -> None:
        """Do what is due; it is called many times a second."""
        level, board = self.level, self._board
        used = {index: board[index, USED] for index in self._running | self._suspended}
        at_level = {index for index, seconds in used.items() if seconds >= level}
        for index in self._running & at_level:
            if self._budget.per == "each":
                board[index, ASKED] = 1
            elif not board[index, ASKED]:
                self._slots.suspend(index)
                self._running.discard(index)
                self._suspended.add(index)
        others = self._waiting | (self._suspended - at_level)
        if not others and all(board[index, ASKED] for index in self._running):
            for index in self._suspended:
                board[index, ASKED] = 1
        for index in sorted(self._suspended, key=used.__getitem__):
            has_slot = not self._waiting and self._slots.free_slots > 0
            if board[index, ASKED] or (has_slot and index not in at_level):
                self._slots.resume(index)
                self._suspended.discard(index)
                self._running.add(index)


@dataclass(eq=False)
class _SplitExecutor:
    """Executes the runs of one split in the pool of a comparison, within a budget."""

    pool: ProcessPool
    split: int
    budget: Budget
    processes: int
    finish: Finish
    elapsed: float = field(default=0.0, init=False)  # of the budget

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, ExecutorEvent]]:
        shape = (max(1, len(works)), 2)
        packed, block = pack(np.zeros(shape))
        assert block is not None
        assert block.buf is not None
        part = block.buf[: 16 * shape[0]]  # a block may be larger
        board = part.cast("d", shape)
        sharing = EvenSharing(self.budget, board, len(works), self.processes, self.pool)
        runs = [
            _Work(
                replace(work, reports_interim=True),
                self.split,
                index,
                packed,
                self.budget.seconds,
            )
            for index, work in enumerate(works)
        ]
        try:
            self.finish.watch([work.run.name for work in works], board)
            token = _LastWord(cancel, self.finish, sharing)
            for index, event in self.pool.events(runs, token):
                run = works[index]
                if isinstance(event, RunQueued):
                    sharing.began(index)
                    yield index, replace(event, seconds=sharing.level)
                    continue
                if isinstance(event, WorkEnded | WorkFailed):
                    sharing.ended(index)
                    yield index, RunEnded(run.key, run.run.name)
                elif isinstance(event, Progress):
                    message = event.message.removeprefix(run.run.title).removeprefix(": ")
                    yield index, RunProgress(run.key, run.run.name, event.fraction, message)
                yield index, event
            used = [board[index, USED] for index in range(len(works))]
            self.elapsed = elapsed(used, self.processes)
        finally:
            self.finish.watch((), None)
            for view in (board, part):  # the block is closed only when nothing points into it
                view.release()
            block.close()
            block.unlink()


class _LastWord:
    """Cancelled a little later than the outer token: in between all runs are requested to end.

    The pool checks it many times a second; each time the runs are suspended or resumed.
    """

    def __init__(self, outer: CancelToken, finish: Finish, sharing: EvenSharing) -> None:
        self._outer, self._finish, self._sharing = outer, finish, sharing
        self._since: float | None = None

    @property
    def is_cancelled(self) -> bool:
        if self._since is None and self._outer.is_cancelled:
            self._since = time.monotonic()
            self._finish.end_all()
        if not self._outer.is_paused:
            self._sharing.look()
        return self._since is not None and time.monotonic() - self._since > LAST_WORD_SECONDS

    @property
    def is_paused(self) -> bool:
        return self._outer.is_paused

    def raise_if_cancelled(self) -> None:
        self._outer.raise_if_cancelled()


@dataclass(frozen=True, eq=False)
class SplitsTask:
    """A comparison on one split after another; the splits divide the time.

    It needs no child process of its own. Cancelling ends all runs; those that have a model by then
    return it.
    """

    plan: Plan
    splits: Sequence[PlanRows]
    budget: Budget
    finish: Finish
    processes: int | None = None

    def __call__(self, cancel: CancelToken, /) -> Iterator[PointEvent]:
        processes, count = self.processes or core_count(), len(self.splits)
        left = self.budget.seconds
        keys = [grid.key for grid in self.plan.learners]
        if self.splits:
            yield from compile_for(keys, self.splits[0].train, processes, cancel)
        with open_pool(tuple(self.splits), processes=processes) as pool:
            for number, rows in enumerate(self.splits):
                budget = replace(self.budget, seconds=self._seconds(number, left))
                executor = _SplitExecutor(pool, number, budget, processes, self.finish)
                yield SplitBegan(number)
                for event in run_plan(self.plan, rows, cancel=cancel, executor=executor):
                    if isinstance(event, Progress) and count > 1:
                        label = f"Split {number + 1} of {count}"
                        fraction = None
                        if event.fraction is not None:
                            fraction = (number + event.fraction) / count
                        message = f"{label}: {event.message}" if event.message else label
                        yield Progress(fraction, message, event.counters)
                    else:
                        yield event
                cancel.raise_if_cancelled()
                left -= executor.elapsed
                yield SplitOver(number)

    def _seconds(self, number: int, left: float) -> float:
        """The budget of a split, when so much of the whole is left."""
        count, whole = len(self.splits), self.budget.seconds
        if count == 1:
            return whole
        # A language without a model in the first split has no row, so most time goes there.
        rest = (1 - FIRST_SPLIT_FRACTION) / (count - 1)
        seconds = whole * (rest if number else FIRST_SPLIT_FRACTION)
        if number and self.budget.per == "all":  # what was left goes to the splits after
            seconds = max(seconds / 2, left / (count - number))
        return seconds
