"""Running plans: the points of every language, stops, limits and several places."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.analysis.query_benchmark import QueryPlan, query_log2, random_queries
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled, DataError, ParameterError
from pgmstudio.core.execution.child_process import ChildError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress, StopSwitch
from pgmstudio.core.execution.process_pool import WorkAgain, WorkFailed
from pgmstudio.core.experiments.plans import run_task as point_work
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.experiments.plans.run_task import (
    PointEvent,
    PointWork,
    RunDone,
    RunProblem,
)
from pgmstudio.core.experiments.plans.runner import (
    NOTHING,
    Earlier,
    Executor,
    ProcessExecutor,
    SerialExecutor,
    planned_keys,
    run_plan,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learners import registered
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.learning.base import Finished, ImprovedModel, LearnEvent
from pgmstudio.core.params import param
from tests.strategies import random_network


@dataclass(frozen=True, eq=False)
class PlanTask:
    """A plan as a task; the same task gives the same points. Needs no child process of its own."""

    plan: Plan
    rows: PlanRows
    earlier: Earlier = NOTHING
    executor: Executor | None = None

    def __call__(self, cancel: CancelToken, /) -> Iterator[PointEvent]:
        yield from run_plan(
            self.plan, self.rows, cancel=cancel, earlier=self.earlier, executor=self.executor
        )


TREES = Plan.of(["tree.chow-liu"], lambdas=(0.3, 0.6, 0.9))
NO_TIMES: dict[str, object] = {"seconds": None, "inference_seconds": None}


@pytest.fixture(scope="module")
def rows() -> PlanRows:
    rng = np.random.default_rng(0)
    network = random_network(rng, 5, density=0.7, max_parents=2)
    parts = [network.sample(count, rng) for count in (300, 100, 60)]
    return PlanRows(*parts, network)


def events_of(plan: Plan, rows: PlanRows, **options: Any) -> list[PointEvent]:
    return list(run_plan(plan, rows, cancel=NEVER, **({"executor": SerialExecutor()} | options)))


def points_of(plan: Plan, rows: PlanRows, **options: Any) -> list[CurvePoint]:
    return [event for event in events_of(plan, rows, **options) if isinstance(event, CurvePoint)]


def entries_of(points: list[CurvePoint]) -> list[dict[str, Any]]:
    """What must be the same in every place, in an order that is."""
    return sorted((point.as_dict() | NO_TIMES for point in points), key=lambda t: str(t["key"]))


def test_every_point_is_the_likelihood_of_its_model(rows: PlanRows) -> None:
    points = points_of(replace(TREES, queries=QueryPlan(count=40, targets=2, given=2)), rows)
    assert [point.lambda_ for point in points] == [0.3, 0.6, 0.9]
    assert rows.valid is not None
    for point in points:
        assert point.model is not None
        for bits, part in (
            (point.train_log2_likelihood_per_row, rows.train),
            (point.test_log2_likelihood_per_row, rows.test),
            (point.valid_log2_likelihood_per_row, rows.valid),
        ):
            assert bits == pytest.approx(row_log2(point.model, part).mean(), abs=1e-12)
        assert point.effective_size == point.model.effective_size()
        queries = random_queries(rows.test, QueryPlan(count=40, targets=2, given=2))
        np.testing.assert_allclose(point.query_values, query_log2(point.model, queries))
        assert point.query_values is not None
        assert point.query_log2 == pytest.approx(point.query_values.mean(), abs=1e-12)
        assert point.query_distance is not None
        assert point.query_distance > 0
        assert point.inference_seconds is not None


def test_points_done_earlier_are_not_computed_again_and_a_plan_can_grow(rows: PlanRows) -> None:
    first = events_of(TREES, rows)
    done = {event.key: event for event in first if isinstance(event, RunDone)}
    assert [event.points for event in done.values()] == [1, 1, 1]
    earlier = Earlier(done, {p.key for p in first if isinstance(p, CurvePoint)})
    assert points_of(TREES, rows, earlier=earlier) == []
    more = replace(TREES, seeds=(0, 1), lambdas=(0.3, 0.5, 0.6, 0.9))
    added = points_of(more, rows, earlier=earlier)
    assert [(p.lambda_, p.seed) for p in added] == [
        (0.3, 1), (0.5, 0), (0.5, 1), (0.6, 1), (0.9, 1),
    ]  # fmt: skip
    assert entries_of(added) == [
        entry for entry in entries_of(points_of(more, rows)) if entry["key"] not in earlier.points
    ]


def test_a_learner_that_passes_many_models_gives_a_point_for_each(rows: PlanRows) -> None:
    grids = (
        LearnerGrid("nb.latent", {"components": ([1, 2, 3],), "restarts": (1,)}),
        LearnerGrid("pdg.learn", {"population": (2,)}, lambdas=(0.2, 0.9)),
    )
    points = points_of(Plan(grids), rows)
    classes = [p for p in points if p.family == "latent-class"]
    assert [p.parameters["components"] for p in classes] == [1, 2, 3]
    assert [p.key[-4:] for p in classes] == ["-000", "-001", "-002"]
    graphs = [p for p in points if p.family == "pdg"]
    assert [p.lambda_ for p in graphs] == [0.2, 0.9]
    for graph in graphs:
        assert isinstance(graph.model, DecisionGraph)
        assert graph.parameter_size == graph.model.parameter_size()
        assert graph.size_as_printed == graph.size_by_definition == graph.effective_size
    assert {p.parameter_size for p in classes} == {None}
    for number, point in enumerate(classes, start=1):  # the three sizes of §3.4.3
        free = sum(card - 1 for card in rows.train.domain.cardinalities)
        assert point.effective_size == number * sum(rows.train.domain.cardinalities)
        assert point.size_as_printed == number * (1 + free) == point.representation_size + 1
        assert point.size_by_definition == number * free


def test_local_optima_of_restarts_are_points_when_asked_for() -> None:
    rng = np.random.default_rng(8)
    network = random_network(rng, 7, density=0.6, max_parents=3)
    rows = PlanRows(network.sample(150, rng), network.sample(50, rng))
    values = {"restarts": (12,), "greediness": ([0.0],), "smoothing": (0.0,)}
    grid = LearnerGrid("bn.kes", values, lambdas=(0.3,))
    (one,) = points_of(Plan((grid,)), rows)
    many = points_of(Plan((grid,), optima=3), rows)
    assert [p.parameters.get("optimum") for p in many] == [None, 2, 3]
    assert many[0].effective_size == one.effective_size
    # With likeliest tables, S_λ of a point is the score that the search made large.
    scores = [point.score(0.3, "representation_size") for point in many]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3


@pytest.mark.slow
def test_a_pool_gives_the_same_points_as_this_process(rows: PlanRows) -> None:
    plan = replace(TREES, queries=QueryPlan(count=10, targets=1, given=1, timed=2))
    assert entries_of(points_of(plan, rows, executor=ProcessExecutor(2))) == entries_of(
        points_of(plan, rows)
    )


def test_a_plan_is_a_task_with_the_same_points(rows: PlanRows) -> None:
    task = PlanTask(TREES, rows, executor=SerialExecutor())
    result = [event for event in task(NEVER) if isinstance(event, CurvePoint)]
    assert entries_of(result) == entries_of(points_of(TREES, rows))


def test_progress_goes_from_nothing_to_all(rows: PlanRows) -> None:
    fractions = [e.fraction for e in events_of(TREES, rows) if isinstance(e, Progress)]
    assert fractions[0] == 0
    assert fractions[-1] == 1


# -- what can go wrong -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class OddParams:
    what: str = param("end", title="What", help="What it does.")


class OddLearner:
    """Does what its setting says: ends, waits with a model, fails."""

    key = "test.odd"
    title = "Odd"
    kind = "bayesian-network"
    params_type = OddParams

    def refuses(self, data: DataSet) -> str | None:
        return "It wants more rows." if data.row_count < 10 else None

    def on_missing(self, data: DataSet) -> str:
        return ""

    def run(
        self, data: DataSet, params: OddParams, *, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        model = BayesianNetwork.uniform(data.domain)
        if params.what == "wait with a model":
            yield ImprovedModel(model, {})
        while params.what.startswith("wait"):
            cancel.raise_if_cancelled()
        if params.what == "fail":
            raise DataError("It cannot be done.")
        if params.what == "bug":
            raise ZeroDivisionError("a bug")
        yield Finished(model, {})


@pytest.fixture
def odd() -> Iterator[str]:
    with registered(OddLearner()):
        yield OddLearner.key


def problems_of(events: list[PointEvent]) -> list[str]:
    return [event.message for event in events if isinstance(event, RunProblem)]


def test_a_run_that_fails_is_reported_and_is_done(odd: str, rows: PlanRows) -> None:
    plan = Plan((LearnerGrid(odd, {"what": ("fail", "end")}),))
    events = events_of(plan, rows)
    assert problems_of(events) == ["Odd: It cannot be done."]
    assert [e.points for e in events if isinstance(e, RunDone)] == [0, 1]
    few = replace(rows, train=rows.train.take_rows(slice(0, 5)))
    assert problems_of(events_of(plan, few)) == ["Odd: It wants more rows."] * 2


def test_a_time_limit_takes_the_model_there_was(odd: str, rows: PlanRows) -> None:
    grid = LearnerGrid(odd, {"what": ("wait with a model", "wait")})
    events = events_of(Plan((grid,), time_limit=0.05), rows)
    assert [e.learner for e in events if isinstance(e, CurvePoint)] == [odd]
    assert [(e.points, e.cut_after) for e in events if isinstance(e, RunDone)] == [
        (1, 0.05), (0, 0.05),
    ]  # fmt: skip
    assert "Odd: no model was found in time." in problems_of(events)


def test_stopping_keeps_the_points_and_leaves_the_run_in_progress_undone(
    odd: str, rows: PlanRows
) -> None:
    plan = Plan((LearnerGrid(odd, {"what": ("end", "wait with a model")}),))
    switch, kept = StopSwitch(), []
    with pytest.raises(Cancelled):  # noqa: PT012 - the loop is what is stopped
        for event in run_plan(plan, rows, cancel=switch, executor=SerialExecutor()):
            kept.append(event)
            if isinstance(event, RunDone):
                threading.Timer(0.05, switch.cancel).start()
    assert [e.points for e in kept if isinstance(e, RunDone)] == [1]


@pytest.mark.parametrize("is_race", [True, False])
def test_a_run_stopped_while_it_is_measured_reports_its_end_where_nobody_makes_it_again(
    rows: PlanRows, monkeypatch: pytest.MonkeyPatch, is_race: bool
) -> None:
    monkeypatch.setattr(point_work, "HAND_OVER_SECONDS", -1.0)
    plan = Plan((LearnerGrid("pdg.learn", {"population": (2,)}, lambdas=(0.2, 0.5, 0.9)),))
    ((key, run),) = planned_keys(plan, rows).items()
    switch, events = StopSwitch(), list[PointEvent]()
    ends = (lambda _has_model: False) if is_race else None
    with pytest.raises(Cancelled):  # noqa: PT012 - the loop is what is stopped
        for event in PointWork(run, key)(rows, switch, ends=ends):
            events.append(event)
            if isinstance(event, CurvePoint):
                switch.cancel()
    done = [event for event in events if isinstance(event, RunDone)]
    assert [one.points for one in done] == ([1] if is_race else [])
    assert all(one.cut_after is not None and one.seconds > 0 for one in done)


class BuggyExecutor(SerialExecutor):
    """As a pool reports a bug in one of its works."""

    def events(self, rows: PlanRows, works: Any, cancel: CancelToken) -> Iterator[tuple[int, Any]]:
        yield 0, WorkFailed(ChildError("ZeroDivisionError: a bug"))
        yield from ((n + 1, e) for n, e in super().events(rows, works[1:], cancel))


def test_a_bug_in_one_run_is_raised_when_the_others_are_through(rows: PlanRows) -> None:
    points = []
    with pytest.raises(ChildError, match="a bug"):  # noqa: PT012 - the points before it count
        for event in run_plan(TREES, rows, cancel=NEVER, executor=BuggyExecutor()):
            if isinstance(event, CurvePoint):
                points.append(event.lambda_)
    assert points == [0.6, 0.9]


class DyingExecutor(SerialExecutor):
    """As a pool whose first process dies when its run has sent its points."""

    def events(self, rows: PlanRows, works: Any, cancel: CancelToken) -> Iterator[tuple[int, Any]]:
        yield from super().events(rows, works[:1], cancel)
        yield 0, WorkAgain()
        yield from super().events(rows, works, cancel)


def test_a_run_that_is_begun_again_reports_its_points_once(rows: PlanRows) -> None:
    events = events_of(TREES, rows, executor=DyingExecutor())
    assert [e.lambda_ for e in events if isinstance(e, CurvePoint)] == [0.3, 0.6, 0.9]
    assert problems_of(events) == ["Chow–Liu tree, λ = 0.300: its process died; it is restarted."]


def test_rows_and_possible_queries_are_needed(rows: PlanRows) -> None:
    with pytest.raises(DataError, match="rows to test on"):
        events_of(TREES, replace(rows, test=rows.test.take_rows(slice(0, 0))))
    with pytest.raises(ParameterError, match="not be more than the 5"):
        events_of(replace(TREES, queries=QueryPlan()), rows)


def test_the_keys_of_a_plan_are_those_of_its_points(rows: PlanRows) -> None:
    keys = planned_keys(TREES, rows)
    assert [p.key for p in points_of(TREES, rows)] == [f"{key}-000" for key in keys]
