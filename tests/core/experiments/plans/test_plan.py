"""Plans as values, as entries of a file, and the runs they become."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pgmstudio.core.analysis.query_benchmark import QueryPlan
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError, UnknownNameError
from pgmstudio.core.experiments.plans import expansion
from pgmstudio.core.experiments.plans.expansion import (
    PlannedRun,
    PlanRows,
    code_version,
    run_key,
    runs_of_plan,
)
from pgmstudio.core.experiments.plans.plan import DataPlan, LearnerGrid, Plan, plan_of
from pgmstudio.core.experiments.plans.run_task import RunDone
from pgmstudio.core.experiments.plans.runner import Earlier, planned_keys
from pgmstudio.core.languages.learners import learner_keys, learner_of
from pgmstudio.core.languages.registry import no_likelihood_reason
from pgmstudio.version import __version__
from tests.strategies import random_network

ENTRIES = {
    "title": "All of it",
    "seeds": [0, 7],
    "lambdas": [0.2, 0.5],
    "time-limit": 60.0,
    "optima": 3,
    "data": {
        "file": "rows.csv",
        "test-share": 0.25,
        "valid-share": 0.1,
        "split-seed": 4,
        "complete": True,
        "reference": "truth.json",
        "bins": 5,
        "as-states": ["year"],
    },
    "queries": {"count": 50, "targets": 2, "given": 1},
    "learners": [
        {"key": "tree.chow-liu"},
        {"key": "bn.kes", "name": "KES", "lambdas": [0.9], "greediness": [[0.3, 1.0]]},
        {"key": "mixture.trees", "components": [1, 2], "edge-penalty": 0.0, "time-limit": 5.0},
    ],
}


@pytest.fixture(scope="module")
def rows() -> PlanRows:
    rng = np.random.default_rng(0)
    network = random_network(rng, 5, density=0.7, max_parents=2)
    return PlanRows(network.sample(300, rng), network.sample(100, rng))


def test_a_plan_is_read_from_entries_and_written_as_entries() -> None:
    plan = plan_of(ENTRIES)
    assert plan.seeds == (0, 7)
    assert plan.queries == QueryPlan(count=50, targets=2, given=1)
    assert plan.data == DataPlan(
        "rows.csv",
        test_share=0.25,
        valid_share=0.1,
        split_seed=4,
        complete=True,
        reference="truth.json",
        reading={"bins": 5, "as-states": ("year",)},
    )
    assert plan.learners[1] == LearnerGrid("bn.kes", {"greediness": ([0.3, 1.0],)}, "KES", (0.9,))
    assert plan_of(plan.plain()) == plan
    assert plan_of(plan.plain()).plain() == plan.plain()


def test_a_learner_may_stand_there_by_its_key_alone() -> None:
    assert plan_of({"learners": ["tree.chow-liu"]}) == Plan.of(["tree.chow-liu"])


def test_everything_wrong_with_a_plan_is_reported_at_once() -> None:
    with pytest.raises(ParameterError) as wrong:
        plan_of(
            {
                "learnes": [],
                "learners": [{"name": "no key"}],
                "seeds": ["one"],
                "lambdas": [2.0],
                "time-limit": 0,
                "queries": {"count": 0},
                "data": {"file": "x.csv", "test-share": 1.5, "binz": 3},
            }
        )
    assert set(wrong.value.problems) == {
        "learnes",
        "learner 1",
        "seeds",
        "lambdas",
        "time-limit",
        "queries count",
        "data test-share",
        "data binz",
    }


def test_the_runs_are_all_learners_lambdas_values_and_seeds(rows: PlanRows) -> None:
    runs = runs_of_plan(plan_of(ENTRIES), (0.7,))
    trees = [run for run in runs if run.learner == "tree.chow-liu"]
    assert [(run.lambda_, run.seed) for run in trees] == [
        (0.2, 0), (0.2, 7), (0.5, 0), (0.5, 7),
    ]  # fmt: skip
    kes = [run for run in runs if run.learner == "bn.kes"]
    assert [(run.lambda_, run.seed) for run in kes] == [(0.9, 0), (0.9, 7)]
    assert kes[0].params.greediness == (0.3, 1.0)
    assert kes[0].params.processes == 1
    mixtures = [run for run in runs if run.learner == "mixture.trees"]
    assert [run.params.components for run in mixtures] == [(1,), (1,), (2,), (2,)]
    assert {run.time_limit for run in mixtures} == {5.0}
    assert {run.time_limit for run in trees} == {60.0}


@pytest.mark.parametrize("key", learner_keys())
def test_every_learner_can_stand_in_a_plan_by_its_key_alone(key: str) -> None:
    if no_likelihood_reason(learner_of(key).kind):  # points of curves are likelihoods
        with pytest.raises(ParameterError, match=r"no log-likelihood\.$"):
            runs_of_plan(Plan.of([key]), (0.3, 0.9))
        return
    runs = runs_of_plan(Plan.of([key]), (0.3, 0.9))
    assert [run.lambda_ for run in runs] in ([0.3, 0.9], [None])


def test_lambdas_stand_in_where_the_plan_names_none() -> None:
    runs = runs_of_plan(Plan.of(["tree.chow-liu"]), (0.7, 0.8))
    assert [run.lambda_ for run in runs] == [0.7, 0.8]


def test_unknown_learners_and_parameters_are_refused_before_anything_runs(rows: PlanRows) -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean tree\.chow-liu"):
        planned_keys(Plan.of(["tree.chowliu"]), rows)
    grid = LearnerGrid("tree.chow-liu", {"smoothing": ("much",), "leaves": (3,)})
    with pytest.raises(ParameterError) as wrong:
        planned_keys(Plan((grid,)), rows)
    assert set(wrong.value.problems) == {"tree.chow-liu smoothing", "tree.chow-liu leaves"}


def one_run(**options: object) -> PlannedRun:
    grid = LearnerGrid("tree.chow-liu", {name: (value,) for name, value in options.items()})
    return runs_of_plan(Plan((grid,), lambdas=(0.5,)), ())[0]


def test_a_key_depends_on_what_decides_the_numbers(
    rows: PlanRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = one_run()
    key = run_key(run, rows)
    assert key == run_key(one_run(), rows)
    fewer = replace(rows, train=rows.train.take_rows(slice(0, 299)))
    other_states = replace(rows, test=DataSet(rows.test.domain, rows.test.codes[:, ::-1]))
    different = {
        key,
        run_key(run, fewer),
        run_key(run, other_states),
        run_key(run, replace(rows, valid=rows.test)),
        run_key(replace(run, seed=1), rows),
        run_key(one_run(smoothing=3.0), rows),
        run_key(run, rows, QueryPlan()),
        run_key(run, rows, None, 2),
    }
    monkeypatch.setattr(expansion, "code_version", lambda: "another")
    different.add(run_key(run, rows))
    assert len(different) == 9


def test_a_key_is_the_same_after_the_true_model_was_used(rows: PlanRows) -> None:
    network = random_network(np.random.default_rng(4), 5, density=0.7, max_parents=2)
    known, run = replace(rows, reference=network), one_run()
    key = run_key(run, known, QueryPlan())
    assert network.effective_size() > 0  # works out a clique tree, and keeps it
    assert run_key(run, known, QueryPlan()) == key
    other = replace(known, reference=random_network(np.random.default_rng(5), 5))
    assert run_key(run, other, QueryPlan()) != key


def test_names_and_limits_and_processes_do_not_change_a_key(rows: PlanRows) -> None:
    run = one_run()
    assert run_key(replace(run, name="my trees", time_limit=3.0), rows) == run_key(run, rows)
    grids = [LearnerGrid("bn.kes", {"processes": (count,)}, lambdas=(0.5,)) for count in (1, 4)]
    keys = {run_key(runs_of_plan(Plan((grid,)), ())[0], rows) for grid in grids}
    assert len(keys) == 1


def test_the_version_of_the_code_names_that_of_the_program_and_can_be_pinned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert code_version().startswith(f"{__version__}+")
    monkeypatch.setenv(expansion.PINNED_VERSION, "as before")
    assert code_version() == "as before"


def test_a_run_that_was_cut_short_is_made_again_when_there_is_more_time() -> None:
    earlier = Earlier({"whole": RunDone("whole", 3, 1.0), "cut": RunDone("cut", 1, 5.0, 5.0)})
    assert earlier.covers("whole", 1.0)
    assert earlier.covers("cut", 5.0)
    assert earlier.covers("cut", 2.0)
    assert not earlier.covers("cut", 6.0)
    assert not earlier.covers("cut", None)
    assert not earlier.covers("never", None)


def test_equal_runs_are_made_once(rows: PlanRows) -> None:
    twice = Plan((LearnerGrid("tree.chow-liu"), LearnerGrid("tree.chow-liu")), lambdas=(0.5,))
    assert len(planned_keys(twice, rows)) == 1
