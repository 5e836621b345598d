"""Execution of a plan: a stream of points from runs in this process or in a pool of processes.

Runs that are done are skipped. Dask clusters are in `dask_executor.py`. The reference values of all
curves, the ceiling −H and the true model, are computed here as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.analysis.query_benchmark import random_queries
from pgmstudio.core.errors import DataError, PgmStudioError
from pgmstudio.core.execution.child_process import ChildError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.execution.process_pool import WorkAgain, WorkEnded, WorkFailed, in_pool
from pgmstudio.core.experiments.plans.expansion import (
    PlannedRun,
    PlanRows,
    run_key,
    runs_of_plan,
)
from pgmstudio.core.experiments.plans.plan import Plan
from pgmstudio.core.experiments.plans.run_task import (
    PointEvent,
    PointWork,
    RunDone,
    RunProblem,
    RunStarted,
)
from pgmstudio.core.experiments.sl_curves.curve import default_lambdas, likelihood_ceiling
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.scores.row_means import mean_of

ExecutorEvent = PointEvent | WorkFailed | WorkAgain | WorkEnded


class Executor(Protocol):
    """Makes runs and gives their events, each with the number of its run, as they come."""

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, ExecutorEvent]]: ...


@dataclass(frozen=True)
class SerialExecutor:
    """One run after the other in this process."""

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, ExecutorEvent]]:
        for number, work in enumerate(works):
            cancel.raise_if_cancelled()
            for event in work(rows, cancel):
                yield number, event
            yield number, WorkEnded()


@dataclass(frozen=True)
class ProcessExecutor:
    """So many processes on this machine; None is one for each core.

    Models of unfinished runs can be reported, too.
    """

    processes: int | None = None
    reports_interim: bool = False

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, ExecutorEvent]]:
        if self.reports_interim:
            works = [replace(work, reports_interim=True) for work in works]
        yield from in_pool(rows, works, cancel, processes=self.processes)


# An eye follows no faster.
PROGRESS_SECONDS = 0.1


@dataclass(frozen=True, eq=False)
class Earlier:
    """What earlier runs of a plan left: runs that are done, and the keys of all points."""

    runs: Mapping[str, RunDone] = field(default_factory=dict)
    points: Collection[str] = frozenset()

    def covers(self, key: str, time_limit: float | None) -> bool:
        """Whether the run need not be made again; one that was cut short may now have more time."""
        done = self.runs.get(key)
        if done is None:
            return False
        if done.cut_after is None:
            return True
        return time_limit is not None and time_limit <= done.cut_after

    def cut_before(self, key: str) -> float:
        """The seconds after which the run was cut short; 0 when it was not."""
        done = self.runs.get(key)
        return 0.0 if done is None else done.cut_after or 0.0


NOTHING = Earlier()


def planned_keys(plan: Plan, rows: PlanRows) -> dict[str, PlannedRun]:
    """The runs of a plan by their keys, in their order; equal runs once."""
    runs = runs_of_plan(plan, default_lambdas(rows.train.total_weight))
    result: dict[str, PlannedRun] = {}
    for run in runs:
        result.setdefault(run_key(run, rows, plan.queries, plan.optima), run)
    return result


def checked_runs(plan: Plan, rows: PlanRows) -> dict[str, PlannedRun]:
    """The same, after refusing what cannot be done with these rows."""
    if rows.train.row_count == 0 or rows.test.row_count == 0:
        raise DataError("A plan needs rows to learn from and rows to test on.")
    if plan.queries is not None:
        random_queries(rows.test, replace(plan.queries, count=1))  # refuses what cannot be asked
    return planned_keys(plan, rows)


def run_plan(
    plan: Plan,
    rows: PlanRows,
    *,
    cancel: CancelToken,
    earlier: Earlier = NOTHING,
    executor: Executor | None = None,
) -> Iterator[PointEvent]:
    """A CurvePoint for every model that is not in `earlier` runs, as they come, and RunDone after
    the last of a run.

    Everything but the times is the same wherever the runs are made and in whatever order they end.
    A run that cannot be done becomes a RunProblem, which is a note. A bug in one is raised as
    ChildError when the others are through.
    """
    runs = checked_runs(plan, rows)
    works = [
        PointWork(
            run,
            key,
            plan.queries,
            plan.optima,
            frozenset(p for p in earlier.points if p.startswith(f"{key}-")),
            PROGRESS_SECONDS,
            run.time_limit is None and key not in earlier.runs,
            cut_before=earlier.cut_before(key),
        )
        for key, run in runs.items()
        if not earlier.covers(key, run.time_limit)
    ]
    tally = _Tally(len(runs), len(runs) - len(works), len(works))
    yield tally.progress("")
    bug: ChildError | None = None
    reported: set[str] = set()
    started: set[int] = set()
    for number, event in (executor or ProcessExecutor()).events(rows, works, cancel):
        if number not in started:
            started.add(number)
            yield RunStarted(works[number].key)
        match event:
            case Progress(fraction, message):
                yield tally.progress(message, number, fraction)
            case WorkAgain():
                yield RunProblem(f"{works[number].run.title}: its process died; it is restarted.")
            case WorkEnded():
                yield tally.ended(number, works[number].run.title)
            case WorkFailed(PgmStudioError() as problem):
                yield RunProblem(f"{works[number].run.title}: {problem}")
                yield tally.ended(number, works[number].run.title)
            case WorkFailed(problem):
                bug = bug or ChildError(str(problem))
                yield RunProblem(f"{works[number].run.title}: failed by an internal error.")
                yield tally.ended(number, works[number].run.title)
            case CurvePoint(key=key):
                if key not in reported:  # a restarted run reports its first points twice
                    reported.add(key)
                    tally.points += 1
                    yield event
            case _:
                yield event
    if bug is not None:
        raise bug


class _Tally:
    """How far all runs together are."""

    def __init__(self, total: int, done: int, left: int) -> None:
        self._total, self._done = max(1, total), done
        self._within = [0.0] * left
        self.points = 0

    def progress(
        self, message: str, number: int | None = None, fraction: float | None = None
    ) -> Progress:
        if number is not None and fraction is not None:
            self._within[number] = fraction
        portion = (self._done + sum(self._within)) / self._total
        counters = {"run": float(self._done), "of": float(self._total), "new points": self.points}
        return Progress(min(1.0, portion), message, counters)

    def ended(self, number: int, title: str) -> Progress:
        self._within[number] = 0.0
        self._done += 1
        return self.progress(title)


def ceiling_of(rows: PlanRows) -> float | None:
    """−H of the training rows, None when no row is complete."""
    complete = rows.train.complete_rows()
    return likelihood_ceiling(complete) if complete.total_weight > 0 else None


def truth_of(rows: PlanRows) -> tuple[float, float] | None:
    """Effective size and bits per test row of the model that the rows come from, if it is known."""
    if rows.reference is None:
        return None
    bits = mean_of(row_log2(rows.reference, rows.test), rows.test.weights)
    return float(rows.reference.effective_size()), bits.value
