"""A plan of 200 runs: what the pool of processes costs beside the runs themselves.

    python benchmarks/bench_plans.py

The runs are made one after the other in a process that has loaded everything, and then by the pool,
whose processes have to start and to load. Processor time is what both used, children included, so
that other work on the machine counts little; wall time is told beside it, with the load of the
machine before and after, since figures of a busy one say less. Processes that run at once also
share caches, memory and the clock of the chip, which no pool can change: "side by side" are the
same runs dealt out to one process for each core, loaded before and left alone, and what the pool
costs beyond them is its own. The second table is time against size: the line through the mean
times of updating all beliefs (Nielsen 2007, §5.4).
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from reporting import network_rows, say_line

from pgmstudio import __version__
from pgmstudio.core.analysis.query_benchmark import QueryPlan
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.experiments.plans.runner import (
    Executor,
    ProcessExecutor,
    SerialExecutor,
    run_plan,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.experiments.sl_curves.selection import timing_fits

LAMBDAS = tuple(float(value) for value in np.linspace(0.3, 0.98, 40))


def processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def points_of(plan: Plan, rows: PlanRows, executor: Executor) -> Iterator[CurvePoint]:
    events = run_plan(plan, rows, cancel=NEVER, executor=executor)
    return (event for event in events if isinstance(event, CurvePoint))


def measured(plan: Plan, rows: PlanRows, executor: Executor) -> tuple[float, float, int]:
    """Wall seconds, processor seconds and points."""
    wall, used = time.perf_counter(), processor_seconds()
    count = sum(1 for _ in points_of(plan, rows, executor))
    return time.perf_counter() - wall, processor_seconds() - used, count


def share(number: int, plan: Plan, rows: PlanRows, start: Any, told: Any) -> None:
    """One process of `side_by_side`."""
    measured(replace(plan, lambdas=LAMBDAS[:1], seeds=(0,)), rows, SerialExecutor())  # load
    start.wait()
    told.put(
        measured(replace(plan, lambdas=LAMBDAS[number :: core_count()]), rows, SerialExecutor())[1]
    )


def run_in_threads(plan: Plan, rows: PlanRows) -> float:
    """Processor seconds of the runs in one process for each core, without a pool."""
    context, cores = multiprocessing.get_context("spawn"), core_count()
    start, told = context.Barrier(cores), context.Queue()
    children = [
        context.Process(target=share, args=(number, plan, rows, start, told))
        for number in range(cores)
    ]
    for child in children:
        child.start()
    used: float = sum(told.get() for _ in children)
    for child in children:
        child.join()
    return used


def main() -> None:
    data = network_rows("alarm", 6000)
    rows = PlanRows(data.take_rows(slice(0, 5000)), data.take_rows(slice(5000, 6000)))
    grid = LearnerGrid("bn.hill-climb", {"smoothing": (1.0,), "restarts": (2,)})
    plan = Plan((grid,), lambdas=LAMBDAS, seeds=(0, 1, 2, 3, 4))
    before = os.getloadavg()[0]
    measured(Plan((grid,), lambdas=LAMBDAS[:1]), rows, SerialExecutor())  # load
    alone, alone_used, count = measured(plan, rows, SerialExecutor())
    cores = core_count()
    beside = run_in_threads(plan, rows)
    pool, pool_used, _ = measured(plan, rows, ProcessExecutor())
    say_line("200 runs", "alarm 5000", "one process", __version__, alone, f"{count} points")
    load = " and ".join(f"{value:.1f}" for value in (before, os.getloadavg()[0]))
    told = f"{100 * (pool_used / alone_used - 1):+.1f} % processor time against one process, "
    told += f"{100 * (pool_used / beside - 1):+.1f} % against {cores} side by side; "
    told += f"{100 * alone / (pool * cores):.0f} % of {cores} cores; load {load}"
    say_line("200 runs", "alarm 5000", "pool", __version__, pool, told, alone / pool)

    queries = QueryPlan(count=200, targets=4, given=3, timed=200)
    every = Plan(
        (
            LearnerGrid("bn.hill-climb", {"smoothing": (1.0,)}),
            LearnerGrid("nb.latent", {"components": (tuple(range(2, 62, 5)),), "restarts": (1,)}),
            LearnerGrid("pdg.learn", {"population": (2,)}),
        ),
        lambdas=tuple(float(value) for value in np.linspace(0.2, 0.95, 12)),
        queries=queries,
    )
    found = list(points_of(every, rows, ProcessExecutor()))
    for family, fit in timing_fits(found).items():
        told = f"{1e9 * fit.slope:.2f} ± {1e9 * (fit.slope_error or 0):.2f} ns/size"
        models = sum(point.family == family for point in found)
        quality = f"{told}, R² {fit.r_squared:.3f}, {models} models"
        say_line("update all beliefs", "alarm 5000", family, __version__, fit.intercept, quality)


if __name__ == "__main__":
    main()
