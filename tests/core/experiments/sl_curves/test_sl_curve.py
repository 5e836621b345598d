"""Curves of size against likelihood."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, DataError, ParameterError, UnknownNameError
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress, StopSwitch
from pgmstudio.core.experiments.plans.expansion import sweep_of
from pgmstudio.core.experiments.plans.plan import LearnerGrid
from pgmstudio.core.experiments.plans.run_task import RunProblem
from pgmstudio.core.experiments.sl_curves.curve import (
    CurvePlan,
    default_lambdas,
    likelihood_ceiling,
    sl_curve,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.experiments.sl_curves.selection import best_at, best_on_test, pareto_front
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learners import registered
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.learning.base import Finished, LearnEvent
from pgmstudio.core.params import param
from tests.strategies import random_network


@dataclass(frozen=True, eq=False)
class CurveTask:
    """A curve as a task for a child process; the same task gives the same events."""

    plan: CurvePlan
    data: DataSet
    test: DataSet | None = None
    seed: int = 0

    def __call__(self, cancel: CancelToken, /) -> Iterator[Progress | Note | CurvePoint]:
        rng = np.random.default_rng(self.seed)
        yield from sl_curve(self.plan, self.data, self.test, rng=rng, cancel=cancel)


@pytest.fixture
def data() -> DataSet:
    rng = np.random.default_rng(0)
    return random_network(rng, 6, density=0.7, max_parents=2).sample(400, rng)


def events_of(
    plan: CurvePlan, data: DataSet, test: DataSet | None = None, cancel: CancelToken = NEVER
) -> list[Progress | Note | CurvePoint]:
    return list(sl_curve(plan, data, test, rng=np.random.default_rng(1), cancel=cancel))


def points_of(plan: CurvePlan, data: DataSet, test: DataSet | None = None) -> list[CurvePoint]:
    return [event for event in events_of(plan, data, test) if isinstance(event, CurvePoint)]


def point(size: int, train: float, test: float) -> CurvePoint:
    model = BayesianNetwork.uniform(Domain.of({"x": ("0", "1")}))
    return CurvePoint(
        "learner", "family", None, 0, size, size, train, test, None, 100.0, 0.0, {}, model
    )


clouds = st.lists(
    st.builds(
        point,
        st.integers(1, 8),
        st.integers(-6, -1).map(float),
        st.sampled_from([-5.0, -4.0, -3.0, -2.0, -math.inf]),
    ),
    max_size=12,
)


@given(clouds)
def test_the_front_is_what_no_point_dominates(points: list[CurvePoint]) -> None:
    def dominates(a: CurvePoint, b: CurvePoint) -> bool:
        one = (-a.effective_size, a.test_log2_likelihood_per_row)
        two = (-b.effective_size, b.test_log2_likelihood_per_row)
        return one != two and one[0] >= two[0] and one[1] >= two[1]

    usable = [p for p in points if math.isfinite(p.test_log2_likelihood_per_row)]
    expected = [p for p in usable if not any(dominates(q, p) for q in usable)]
    front = pareto_front(points)
    assert {id(p) for p in front} == {id(p) for p in expected}
    assert [p.effective_size for p in front] == sorted(p.effective_size for p in front)


@given(clouds, st.floats(0.01, 0.99))
def test_the_selected_point_has_the_largest_score_of_the_line(
    points: list[CurvePoint], lambda_: float
) -> None:
    chosen = best_at(points, lambda_)
    scores = [
        (1 - lambda_) * p.train_log2_likelihood_per_row * 100 - lambda_ * p.effective_size
        for p in points
    ]
    if not points:
        assert chosen is None
    else:
        assert chosen is points[scores.index(max(scores))]


def test_the_score_of_the_worked_table_selects_as_bic_does() -> None:
    # Counts [[30, 10], [20, 40]]: L = −184.643934467 with the edge and 3 parameters,
    # −197.095059446 without and 2; the edge is kept while λ < 0.925656776.
    joined, apart = point(3, -1.84643934467, -1), point(2, -1.97095059446, -1)
    assert joined.score(0.768621787) == pytest.approx(-45.028448988)
    assert apart.score(0.768621787) == pytest.approx(-47.140746251)
    assert best_at([apart, joined], 0.9256) is joined
    assert best_at([apart, joined], 0.9257) is apart


def test_the_best_on_test_is_the_most_likely_there() -> None:
    points = [point(1, -1, -3), point(2, -5, -2), point(3, -1, -math.inf)]
    assert best_on_test(points) is points[1]
    assert best_on_test([]) is None


def test_the_default_lambdas_are_spread_around_bic_and_hold_aic() -> None:
    values = default_lambdas(10_000)
    assert 15 <= len(values) <= 20
    assert list(values) == sorted(values)
    assert any(value == pytest.approx(0.869176, abs=1e-6) for value in values)
    assert 0.5 in values
    assert values[0] < 0.1 < 0.99 < values[-1] < 1


def test_the_ceiling_is_minus_the_entropy_of_the_rows() -> None:
    domain = Domain.of({"x": ("0", "1"), "y": ("0", "1")})
    rows = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]
    assert likelihood_ceiling(DataSet.from_rows(domain, rows)) == pytest.approx(-2)
    assert likelihood_ceiling(DataSet.from_rows(domain, rows[:1] * 5)) == pytest.approx(0)
    with pytest.raises(DataError, match="without missing"):
        likelihood_ceiling(DataSet.from_rows(domain, [["0", None]]))


def test_a_tree_learner_is_swept_from_a_whole_tree_to_no_edges(data: DataSet) -> None:
    grid = LearnerGrid("tree.chow-liu", {"smoothing": [0.0]})
    lambdas = (0.0001, 0.9, 0.9999)
    points = points_of(CurvePlan((grid,), lambdas=lambdas), data, data)
    assert [p.lambda_ for p in points] == list(lambdas)
    trees = [p.model for p in points]
    assert all(isinstance(tree, Tree) for tree in trees)
    assert [len(tree.edges) for tree in trees if isinstance(tree, Tree)][::2] == [5, 0]
    sizes = [p.representation_size for p in points]
    assert sizes == sorted(sizes, reverse=True)
    likelihoods = [p.train_log2_likelihood_per_row for p in points]
    assert likelihoods == sorted(likelihoods, reverse=True)


def test_each_forest_of_the_sweep_has_the_largest_score_at_its_lambda(data: DataSet) -> None:
    """β = ln 2 · λ/(1−λ) nats for each parameter of an edge is S_λ itself."""
    grid = LearnerGrid("tree.chow-liu", {"smoothing": [0.0]})
    points = points_of(CurvePlan((grid,)), data, data)
    for swept in points:
        assert swept.lambda_ is not None
        scores = [p.score(swept.lambda_, "representation_size") for p in points]
        own = swept.score(swept.lambda_, "representation_size")
        assert own == pytest.approx(max(scores))


def test_a_network_learner_is_swept_through_its_lambda(data: DataSet) -> None:
    points = points_of(CurvePlan.of(["bn.hill-climb"], lambdas=(0.01, 0.8, 0.9999)), data)
    assert [p.lambda_ for p in points] == [0.01, 0.8, 0.9999]
    assert [p.parameters["score"] for p in points] == ["lambda"] * 3
    assert points[0].representation_size > points[1].representation_size
    assert points[-1].representation_size == sum(c - 1 for c in data.domain.cardinalities)


def test_the_same_plan_gives_the_same_points_but_for_seconds(data: DataSet) -> None:
    plan = CurvePlan.of(["tree.chow-liu"], lambdas=(0.5, 0.8), seeds=(3, 4))

    def entries() -> list[dict[str, Any]]:
        return [p.as_dict() | {"seconds": None} for p in points_of(plan, data)]

    assert entries() == entries()
    assert [p["seed"] for p in entries()] == [3, 4, 3, 4]


def test_a_curve_runs_in_a_child_process_and_gives_the_same_points(data: DataSet) -> None:
    task = CurveTask(CurvePlan.of(["tree.chow-liu"], lambdas=(0.5, 0.9)), data, seed=5)

    def entries(events: Iterable[object]) -> list[dict[str, Any]]:
        points = [event for event in events if isinstance(event, CurvePoint)]
        return [p.as_dict() | {"seconds": None} for p in points]

    assert len(entries(task(NEVER))) == 2
    assert entries(in_process(task, NEVER)) == entries(task(NEVER))


def test_a_point_can_be_written_as_json(data: DataSet) -> None:
    (one,) = points_of(CurvePlan.of(["tree.chow-liu"], lambdas=(0.5,)), data)
    read = json.loads(json.dumps(one.as_dict(), allow_nan=False))
    assert {
        "learner",
        "family",
        "lambda",
        "seed",
        "effective_size",
        "representation_size",
        "train_log2_likelihood_per_row",
        "test_log2_likelihood_per_row",
        "seconds",
    } <= set(read)
    assert (read["learner"], read["family"]) == ("tree.chow-liu", "tree")
    assert json.dumps(replace(one, test_log2_likelihood_per_row=-math.inf).as_dict()).count("null")


def test_a_grid_runs_every_combination_and_keeps_the_sweep_off_its_parameters(
    data: DataSet,
) -> None:
    grid = LearnerGrid("tree.chow-liu", {"edge-penalty": [0.0, 5.0], "smoothing": [0.0, 1.0]})
    points = points_of(CurvePlan((grid,)), data)
    assert [tuple(p.parameters.values()) for p in points] == [
        (0.0, 0.0),
        (0.0, 1.0),
        (5.0, 0.0),
        (5.0, 1.0),
    ]
    assert {p.lambda_ for p in points} == {None}


def test_test_rows_are_put_aside_and_training_rows_counted(data: DataSet) -> None:
    (one,) = points_of(CurvePlan.of(["tree.chow-liu"], lambdas=(0.5,), test_share=0.25), data)
    assert one.train_rows == 300


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainParams:
    strength: float = param(1.0, title="Strength", help="Of nothing.")


class PlainLearner:
    """Ends at once with the uniform network; refuses or fails on request."""

    key = "test.plain"
    title = "Plain"
    kind = "bayesian-network"
    params_type = PlainParams

    def refuses(self, data: DataSet) -> str | None:
        return "It does not like few rows." if data.row_count < 10 else None

    def on_missing(self, data: DataSet) -> str:
        return ""

    def run(
        self, data: DataSet, params: PlainParams, *, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        yield Progress(0.5, "half way")
        yield Note("a remark")
        if params.strength < 0:
            raise DataError("It cannot be done.")
        yield Finished(BayesianNetwork.uniform(data.domain), {})


@pytest.fixture
def plain() -> Iterator[str]:
    with registered(PlainLearner()):
        yield PlainLearner.key


def test_a_learner_without_a_penalty_gives_one_point(plain: str, data: DataSet) -> None:
    points = points_of(CurvePlan.of([plain]), data)
    assert [p.lambda_ for p in points] == [None]
    uniform = -sum(math.log2(card) for card in data.domain.cardinalities)
    assert points[0].test_log2_likelihood_per_row == pytest.approx(uniform)


def test_notes_of_a_learner_are_passed_on_with_its_name(plain: str, data: DataSet) -> None:
    events = events_of(CurvePlan.of([plain, plain]), data)
    assert Note("Plain: a remark") in events
    fractions = [e.fraction for e in events if isinstance(e, Progress)]
    assert fractions == [0, 0.25, 0.5, 0.75, 1]


def test_a_learner_that_refuses_or_fails_becomes_a_note_and_the_rest_goes_on(
    plain: str, data: DataSet
) -> None:
    few = data.take_rows(slice(0, 5))
    refused = events_of(CurvePlan.of([plain, "tree.chow-liu"], lambdas=(0.5,)), few, data)
    assert RunProblem("Plain: It does not like few rows.") in refused
    assert sum(isinstance(e, CurvePoint) for e in refused) == 1
    grid = LearnerGrid(plain, {"strength": [-1.0, 1.0]})
    failed = events_of(CurvePlan((grid,)), data)
    assert RunProblem("Plain: It cannot be done.") in failed
    assert sum(isinstance(e, CurvePoint) for e in failed) == 1


def test_stopping_keeps_the_points_found_so_far(data: DataSet) -> None:
    switch, kept = StopSwitch(), []
    plan = CurvePlan.of(["tree.chow-liu"], lambdas=(0.2, 0.5, 0.8))
    with pytest.raises(Cancelled):  # noqa: PT012 - the loop is what is stopped
        for event in sl_curve(plan, data, rng=np.random.default_rng(0), cancel=switch):
            if isinstance(event, CurvePoint):
                kept.append(event)
                switch.cancel()
    assert [p.lambda_ for p in kept] == [0.2]


def test_a_wrong_plan_is_refused_at_once_with_everything_that_is_wrong(data: DataSet) -> None:
    with pytest.raises(ParameterError) as wrong:
        CurvePlan((), lambdas=(0.0, 0.5), test_share=1.0)
    assert set(wrong.value.problems) == {"learners", "lambdas", "test-share"}
    grid = LearnerGrid("tree.chow-liu", {"smoothing": ["much"], "leaves": [3]})
    with pytest.raises(ParameterError) as wrong:
        events_of(CurvePlan((grid,)), data)
    assert set(wrong.value.problems) == {"tree.chow-liu smoothing", "tree.chow-liu leaves"}
    with pytest.raises(UnknownNameError, match=r"Did you mean tree\.chow-liu"):
        events_of(CurvePlan.of(["tree.chowliu"]), data)


def test_rows_are_needed_on_both_sides(data: DataSet) -> None:
    with pytest.raises(DataError, match="rows to test on"):
        events_of(CurvePlan.of(["tree.chow-liu"]), data, data.take_rows(slice(0, 0)))


def test_parameters_without_a_penalty_are_not_swept() -> None:
    assert sweep_of(PlainParams) is None
