"""A plan on a real Dask cluster: a scheduler and two workers, processes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.analysis.query_benchmark import QueryPlan
from pgmstudio.core.errors import Cancelled, RunFailedError
from pgmstudio.core.execution.events import NEVER, StopSwitch
from pgmstudio.core.experiments.plans.dask_executor import Cluster
from pgmstudio.core.experiments.plans.expansion import PINNED_VERSION, PlanRows
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.experiments.plans.run_task import RunDone
from pgmstudio.core.experiments.plans.runner import Executor, SerialExecutor, planned_keys, run_plan
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from tests.dask_cluster import Running, running_cluster
from tests.strategies import random_network

distributed = pytest.importorskip("distributed", reason="dask is not installed")
pytestmark = pytest.mark.long

NO_TIMES: dict[str, object] = {"seconds": None, "inference_seconds": None}
PLAN = Plan(
    (
        LearnerGrid("nb.latent", {"components": ([1, 2, 3],)}),
        LearnerGrid("tree.chow-liu", {"smoothing": (1.0,)}),
    ),
    lambdas=(0.2, 0.4, 0.6, 0.9),
    seeds=(0, 1),
    queries=QueryPlan(count=10, targets=2, given=2, timed=2),
)


@pytest.fixture(autouse=True, scope="module")
def one_version() -> Iterator[None]:
    """The children of a test must not find another version because a file was saved meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PINNED_VERSION, "the version under test")
        yield


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Running]:
    with running_cluster(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def rows() -> PlanRows:
    rng = np.random.default_rng(0)
    network = random_network(rng, 6, density=0.7, max_parents=2)
    return PlanRows(network.sample(400, rng), network.sample(100, rng), None, network)


def entries_of(points: list[CurvePoint]) -> list[dict[str, Any]]:
    return sorted((point.as_dict() | NO_TIMES for point in points), key=lambda t: str(t["key"]))


def points_of(executor: Executor, rows: PlanRows) -> list[CurvePoint]:
    events = run_plan(PLAN, rows, cancel=NEVER, executor=executor)
    return [event for event in events if isinstance(event, CurvePoint)]


def test_two_workers_give_the_same_numbers_and_one_that_dies_takes_nothing_with_it(
    cluster: Running, rows: PlanRows
) -> None:
    here = points_of(SerialExecutor(), rows)
    assert len(here) == 2 * (3 + 4)
    there = points_of(Cluster(cluster.address), rows)
    assert entries_of(there) == entries_of(here)
    assert {type(point.model) for point in there} == {type(point.model) for point in here}

    switch, stopped = StopSwitch(), []
    with pytest.raises(Cancelled):  # noqa: PT012 - the loop is what is stopped
        for event in run_plan(PLAN, rows, cancel=switch, executor=Cluster(cluster.address)):
            if isinstance(event, RunDone):
                stopped.append(event)
                switch.cancel()
    assert 1 <= len(stopped) <= len(planned_keys(PLAN, rows))

    survived = []
    for event in run_plan(PLAN, rows, cancel=NEVER, executor=Cluster(cluster.address)):
        if isinstance(event, CurvePoint):
            if not survived:
                cluster.workers[0].kill()
            survived.append(event)
    assert entries_of(survived) == entries_of(here)


def test_an_address_without_a_scheduler_is_reported_with_a_message(rows: PlanRows) -> None:
    with pytest.raises(RunFailedError, match="No scheduler answers at tcp://127"):
        points_of(Cluster("tcp://127.0.0.1:1", timeout_s=0.2), rows)
