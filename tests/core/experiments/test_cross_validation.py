"""Cross-validation: the same folds for all learners, paired differences, partial results."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import folds
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, ParameterError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.cross_validation import (
    CrossValidation,
    CrossValidationPlan,
    FoldScore,
    _FoldWork,
)
from pgmstudio.core.experiments.sl_curves.curve import CurvePlan
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.search import KesParams
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import alias_settings
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.params import parse_params

KEYS = ("tree.chow-liu", "bn.naive-bayes")


def chain(rows: int = 120) -> DataSet:
    """A and B agree in nine of ten rows, C is by chance."""
    rng = np.random.default_rng(4)
    first = rng.integers(0, 2, rows)
    second = np.where(rng.random(rows) < 0.9, first, 1 - first)
    codes = np.stack([first, second, rng.integers(0, 2, rows)]).astype(np.uint8)
    return DataSet(Domain.of(dict.fromkeys("ABC", ("n", "y"))), codes)


def run_here(plan: CrossValidationPlan, fold_count: int | None = None) -> CrossValidation:
    """All runs of the plan, or those of the first folds, in this process."""
    result = CrossValidation(plan)
    for fold in range(plan.folds if fold_count is None else fold_count):
        for key, params in plan.learners.items():
            for event in _FoldWork(key, params, plan.seed, fold)(plan.rows, NEVER):
                result.take(event)
    return result


def test_every_row_is_tested_once_by_a_model_that_has_not_seen_it() -> None:
    data = chain()
    plan = CrossValidationPlan.of(KEYS, data, folds=4, seed=7)
    result = run_here(plan)
    comparison = result.comparison()
    assert comparison is not None
    wanted = []
    for train, test in folds(data, 4, np.random.default_rng(7)):
        params = plan.learners["tree.chow-liu"]
        *_, last = LearnTask("tree.chow-liu", train, params, 7)(NEVER)
        assert isinstance(last, Finished)
        wanted.append(row_log2(last.model, test))
    actual = comparison.row_log2["tree.chow-liu"]
    assert actual.size == data.row_count
    assert actual == pytest.approx(np.concatenate(wanted))
    assert comparison["tree.chow-liu"].log2_likelihood_per_row == pytest.approx(actual.mean())
    assert result.fold_bits("tree.chow-liu") == pytest.approx([one.mean() for one in wanted])


def test_differences_are_paired_and_wider_than_over_rows_alone() -> None:
    comparison = run_here(CrossValidationPlan.of(KEYS, chain(), folds=4)).comparison()
    assert comparison is not None
    first, second = (comparison.row_log2[key] for key in KEYS)
    loser = next(model for model in comparison.models if model.name != comparison.best)
    sign = 1 if loser.name == KEYS[0] else -1
    assert loser.difference == pytest.approx(sign * float((first - second).mean()))
    assert loser.interval is not None
    assert loser.difference is not None
    assert loser.interval[0] < loser.difference < loser.interval[1]
    spread = (first - second).std(ddof=1) / np.sqrt(first.size)
    assert loser.interval[1] - loser.interval[0] >= 3.9 * spread


def test_a_stop_leaves_the_folds_that_all_learners_have() -> None:
    plan = CrossValidationPlan.of(KEYS, chain(), folds=4)
    result = run_here(plan, 2)
    extra = next(iter(_FoldWork(KEYS[0], plan.learners[KEYS[0]], 0, 2)(plan.rows, NEVER)))
    assert isinstance(extra, FoldScore)
    result.take(extra)
    assert result.folds == (0, 1)
    comparison = result.comparison()
    assert comparison is not None
    assert comparison.rows == 60
    assert CrossValidation(plan).comparison() is None


def test_a_table_of_counts_has_the_result_of_its_single_rows() -> None:
    data = chain()
    single, counted = (
        run_here(CrossValidationPlan.of(KEYS[:1], one, folds=3)).comparison()
        for one in (data, data.merged())
    )
    assert single is not None
    assert counted is not None
    assert counted.rows == single.rows == 120
    bits = single.models[0].log2_likelihood_per_row
    assert counted.models[0].log2_likelihood_per_row == pytest.approx(bits)


@pytest.mark.parametrize(
    ("keys", "count", "error"),
    [
        (KEYS, 1, ParameterError),
        (KEYS, 121, ParameterError),
        ((), 5, ParameterError),
        (("relational.tests",), 5, DataError),
    ],
)
def test_what_cannot_be_validated_is_refused(
    keys: tuple[str, ...], count: int, error: type[Exception]
) -> None:
    with pytest.raises(error):
        CrossValidationPlan.of(keys, chain(), folds=count)


def test_an_alias_of_a_learner_brings_its_settings() -> None:
    plan = CrossValidationPlan.of(["ges"], chain(), folds=2)
    settings = {**alias_settings("ges"), "processes": 1}
    assert plan.learners["bn.kes"] == parse_params(KesParams, settings)
    assert plan.learners["bn.kes"].phases != KesParams().phases
    curves = CurvePlan.of(["ges", "kes"])
    assert [(one.key, one.name) for one in curves.learners] == [("bn.kes", "ges"), ("bn.kes", "")]
    assert {name: value for name, (value,) in curves.learners[0].values.items()} == alias_settings(
        "ges"
    )


def test_a_learner_with_two_settings_is_refused() -> None:
    with pytest.raises(ParameterError, match="twice, with different settings"):
        CrossValidationPlan.of(["ges", "kes"], chain(), folds=2)
