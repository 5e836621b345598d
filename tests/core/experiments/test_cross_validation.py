"""Cross-validation with the same folds for all."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from pgmstudio.core.analysis.model_comparison import Comparison
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled, ParameterError
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import NEVER, Note, StopSwitch
from pgmstudio.core.experiments.cross_validation import (
    Candidate,
    CrossValidationTask,
    FoldScored,
    cross_validate,
)
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.params import parse_params
from tests.strategies import random_network

TREE = Candidate("tree.chow-liu", {"smoothing": 1.0})
LONELY = Candidate("tree.chow-liu", {"smoothing": 1.0, "edge-penalty": 1e9})


@pytest.fixture
def data() -> DataSet:
    rng = np.random.default_rng(0)
    return random_network(rng, 5, density=0.8, max_parents=1).sample(103, rng)


def test_every_row_is_scored_once_by_a_model_that_has_not_seen_it(data: DataSet) -> None:
    events = list(cross_validate({"tree": TREE}, data, folds=5, seed=3, cancel=NEVER))
    scored = [event for event in events if isinstance(event, FoldScored)]
    assert len(scored) == 5
    rows = np.concatenate([fold.rows for fold in scored])
    assert sorted(rows) == list(range(103))
    fold = scored[2]
    rest = np.setdiff1d(np.arange(103), fold.rows)
    params = parse_params(learner_of("tree.chow-liu").params_type, TREE.parameters)
    (finished,) = [
        event
        for event in LearnTask("tree.chow-liu", data.take_rows(rest), params, 3)(NEVER)
        if isinstance(event, Finished)
    ]
    expected = finished.model.log2_probabilities(data.take_rows(fold.rows))  # type: ignore[attr-defined]
    assert fold.row_log2 == pytest.approx(expected)


def test_all_candidates_have_the_same_folds_and_are_compared_pairwise(data: DataSet) -> None:
    candidates = {"tree": TREE, "lonely": LONELY}
    events = list(cross_validate(candidates, data, folds=4, cancel=NEVER))
    folds = {"tree": [], "lonely": []}
    for event in events:
        if isinstance(event, FoldScored):
            folds[event.name].append(event.rows.tolist())
    assert folds["tree"] == folds["lonely"]
    result = events[-1]
    assert isinstance(result, Comparison)
    assert result.rows == 103
    assert result.best == "tree"
    assert result["lonely"].verdict == "worse"
    assert result["lonely"].standard_error is not None


def test_the_same_seed_gives_the_same_numbers_in_any_process(data: DataSet) -> None:
    task = CrossValidationTask({"tree": TREE}, data, folds=3, seed=7)

    def last(events: Iterable[object]) -> object:
        event = list(events)[-1]
        assert isinstance(event, Comparison)
        return event.as_dict()

    assert last(task(NEVER)) == last(task(NEVER)) == last(in_process(task, NEVER))


def test_stopping_keeps_the_folds_scored_so_far(data: DataSet) -> None:
    switch, kept = StopSwitch(), []
    with pytest.raises(Cancelled):  # noqa: PT012 - the loop is what is stopped
        for event in cross_validate({"tree": TREE}, data, folds=5, cancel=switch):
            if isinstance(event, FoldScored):
                kept.append(event)
                switch.cancel()
    assert len(kept) == 1


def test_a_candidate_that_cannot_be_learned_is_told_and_left_out(data: DataSet) -> None:
    rootless = Candidate("tree.chow-liu", {"root": "no such variable"})
    events = list(cross_validate({"tree": TREE, "rootless": rootless}, data, folds=2, cancel=NEVER))
    assert sum(isinstance(event, Note) and "rootless" in event.message for event in events) == 2
    result = events[-1]
    assert isinstance(result, Comparison)
    assert [model.name for model in result.models] == ["tree"]


def test_wrong_settings_are_refused_together(data: DataSet) -> None:
    wrong = Candidate("tree.chow-liu", {"smoothing": "much"})
    with pytest.raises(ParameterError) as refused:
        list(cross_validate({"tree": wrong}, data, folds=1, cancel=NEVER))
    assert set(refused.value.problems) == {"folds", "tree smoothing"}
