"""Curves over several processes: turns of the learners and shares of the time."""

from __future__ import annotations

import pytest

from pgmstudio.core.experiments.plans.expansion import runs_of_plan
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.experiments.plans.run_task import PointWork
from pgmstudio.core.experiments.sl_curves.parallel import FairShares, taking_turns

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
    shares = FairShares(works, seconds=60, processes=1)
    left, given = 60.0, []
    for index in range(len(works)):
        given.append(shares.seconds_of(index, left))
        left -= given[-1]
    assert given == pytest.approx([10, 30, 10, 10])


def test_time_that_a_run_leaves_goes_to_those_after_it() -> None:
    runs = runs_of_plan(PLAN, ())
    works = [PointWork(run) for run in runs]
    shares = FairShares(works, seconds=60, processes=2)
    assert shares.seconds_of(3, 50.0) == 50  # the last one has all that is left
    assert shares.seconds_of(3, -1.0) > 0
    limit = shares[0].run.time_limit
    assert limit is not None
    assert 0 < limit <= 60
    assert [work.run.learner for work in shares] == [run.learner for run in runs]
