"""Curves over several processes: turns of the learners and parts of the time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.plans.expansion import PlanRows, runs_of_plan
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.experiments.plans.run_task import PointWork
from pgmstudio.core.experiments.sl_curves import parallel
from pgmstudio.core.experiments.sl_curves.parallel import FairParts, taking_turns, worthwhile
from tests.core.experiments.test_cross_validation import chain

# Three runs of the first learner, one of the second.
PLAN = Plan((LearnerGrid("tree.chow-liu"), LearnerGrid("bn.naive-bayes")), (0.1, 0.2, 0.5))


def test_the_learners_take_turns() -> None:
    runs = runs_of_plan(PLAN, ())
    learners = [runs[number].learner for number in taking_turns(runs)]
    assert learners == ["tree.chow-liu", "bn.naive-bayes", "tree.chow-liu", "tree.chow-liu"]
    assert sorted(taking_turns(runs)) == [0, 1, 2, 3]


def test_a_learner_with_many_runs_gets_as_much_time_as_one_with_a_single_run() -> None:
    runs = runs_of_plan(PLAN, ())
    works = [PointWork(runs[number]) for number in taking_turns(runs)]
    parts = FairParts(works, seconds=60, processes=1)
    left, given = 60.0, []
    for index in range(len(works)):
        given.append(parts.parts_of(index)[0] * left)
        left -= given[-1]
    assert given == pytest.approx([10, 30, 10, 10])


def test_time_that_a_run_leaves_goes_to_those_after_it() -> None:
    runs = runs_of_plan(PLAN, ())
    works = [PointWork(run) for run in runs]
    parts = FairParts(works, seconds=60, processes=2)
    assert parts.parts_of(3) == (1, 1)  # the last one has all that is left
    assert 0 < parts[0].part <= 1
    assert [one.work.run.learner for one in parts] == [run.learner for run in runs]


def test_a_run_without_a_model_has_half_of_its_learners_time() -> None:
    works = [PointWork(run) for run in runs_of_plan(PLAN, ())]
    part, most = FairParts(works, seconds=60, processes=1).parts_of(0)
    assert (60 * part, 60 * most) == pytest.approx((10, 15))


def test_time_that_is_over_still_gives_a_first_model() -> None:
    """Every run has a model, though its part is over before it begins."""
    works = [PointWork(run) for run in runs_of_plan(PLAN, ())]
    rows = PlanRows(chain(), chain())
    parts = FairParts(works, seconds=1e6, processes=1)
    for work in [replace(one, part=0.0) for one in parts]:
        events = list(work(rows, NEVER))
        assert [type(event).__name__ for event in events].count("CurvePoint") == 1


def test_processes_are_started_only_for_runs_that_take_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parallel, "core_count", lambda: 4)
    rows = chain()
    assert worthwhile(runs_of_plan(PLAN, ()), rows) == 1
    domain = Domain.of({f"x{number}": "ab" for number in range(30)})
    large = DataSet(domain, np.zeros((30, 20_000), dtype=np.uint8))
    many = Plan((LearnerGrid("bn.hill-climb"),), tuple(0.01 * n for n in range(1, 100)))
    assert worthwhile(runs_of_plan(many, ()), large) == 4
