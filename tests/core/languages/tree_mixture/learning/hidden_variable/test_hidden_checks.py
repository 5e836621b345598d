"""TestIndependence: true blocks are accepted, wrong ones rejected, doubt is never acceptance."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.experiments.generators.hidden_variable_models import TreeHParams, tree_h_model
from pgmstudio.core.languages.tree.model import edge_information
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.validation import (
    ACCEPTED,
    MAX_SAMPLES,
    NOT_TESTED,
    REJECTED,
    UNDECIDED,
    PartitionCheck,
    checks,
    exact_interval,
)
from pgmstudio.core.languages.tree_mixture.model import Blocks, TreeMixture, partition_of
from pgmstudio.core.scores.independence import CHI_SQUARE, SANOV, G
from tests.strategies import with_missing


def check_partition(
    model: TreeMixture,
    data: DataSet,
    blocks: Blocks,
    *,
    rng: np.random.Generator,
    delta: float = 0.05,
    epsilon: float = 0.1,
    test: str = SANOV,
    most_samples: int = MAX_SAMPLES,
    cancel: CancelToken = NEVER,
) -> PartitionCheck:
    """The whole check at once."""
    checking = checks(
        model,
        data,
        blocks,
        rng=rng,
        delta=delta,
        epsilon=epsilon,
        test=test,
        most_samples=most_samples,
        cancel=cancel,
    )
    *_, last = checking
    return last


SEED = 2


@pytest.fixture(scope="module")
def true_model() -> TreeMixture:
    return tree_h_model(TreeHParams(), np.random.default_rng(SEED))


@pytest.fixture(scope="module")
def held(true_model: TreeMixture) -> DataSet:
    return true_model.sample(5000, np.random.default_rng(SEED + 1))


def with_a_stranger(blocks: Blocks) -> Blocks:
    """V6, a leaf that depends on V5 by 0.32 bits given h, in another block than V5."""
    first, second, third = blocks
    return (*first, "V6"), tuple(name for name in second if name != "V6"), third


def test_the_true_blocks_are_accepted(true_model: TreeMixture, held: DataSet) -> None:
    blocks = partition_of(true_model)
    assert blocks is not None
    result = check_partition(true_model, held, blocks, rng=np.random.default_rng(0))
    assert result.verdict == ACCEPTED
    assert len(result.pairs) == 3 * 16
    assert result.summary().startswith("Accepted on 5000 held-out rows")
    for pair in result.pairs:
        assert pair.low <= pair.outside / pair.samples <= pair.high < result.delta
        assert not pair.is_vacuous


def test_blocks_with_a_stranger_are_rejected_and_the_pair_is_named(
    true_model: TreeMixture, held: DataSet
) -> None:
    weights = true_model.weights
    bits = [edge_information(tree)["V5", "V6"] for tree in true_model.trees]
    assert float(weights @ bits) > 0.2
    moved = with_a_stranger(partition_of(true_model) or ())
    result = check_partition(true_model, held, moved, rng=np.random.default_rng(0))
    assert result.verdict == REJECTED
    rejected = {frozenset((pair.one, pair.other)) for pair in result.pairs_with(REJECTED)}
    assert frozenset(("V5", "V6")) in rejected
    assert all("V6" in pair for pair in rejected)
    assert "V6" in result.summary()


@pytest.mark.parametrize("test", [CHI_SQUARE, G])
def test_the_other_tests_reject_the_stranger_too(
    true_model: TreeMixture, held: DataSet, test: str
) -> None:
    moved = with_a_stranger(partition_of(true_model) or ())
    part = held.take_rows(slice(0, 1500))
    rng = np.random.default_rng(0)
    result = check_partition(true_model, part, moved, rng=rng, test=test, most_samples=300)
    assert result.verdict == REJECTED


def test_what_is_not_decided_is_not_accepted(true_model: TreeMixture, held: DataSet) -> None:
    rng = np.random.default_rng(0)
    blocks = partition_of(true_model) or ()
    result = check_partition(true_model, held, blocks, rng=rng, most_samples=20)
    assert result.verdict == UNDECIDED
    assert "could not be decided" in result.summary()


def test_one_block_has_nothing_to_test(true_model: TreeMixture, held: DataSet) -> None:
    rng = np.random.default_rng(0)
    result = check_partition(true_model, held, (true_model.domain.names,), rng=rng)
    assert result.verdict == NOT_TESTED
    assert result.pairs == ()


def test_few_rows_cannot_reject_and_that_is_reported(
    true_model: TreeMixture, held: DataSet
) -> None:
    moved = with_a_stranger(partition_of(true_model) or ())
    few = held.take_rows(slice(0, 40))
    result = check_partition(true_model, few, moved, rng=np.random.default_rng(0))
    assert result.verdict == ACCEPTED
    assert all(pair.is_vacuous for pair in result.pairs)
    assert "could not have been" in result.summary()


def test_missing_cells_and_weights_count(true_model: TreeMixture, held: DataSet) -> None:
    blocks = partition_of(true_model) or ()
    part = held.take_rows(slice(0, 300))
    gaps = with_missing(np.random.default_rng(1), part, 0.2)
    result = check_partition(true_model, gaps, blocks, rng=np.random.default_rng(0))
    assert result.verdict == ACCEPTED
    assert result.rows == 300
    # Fewer rows have both cells, so more information is needed.
    whole = check_partition(true_model, part, blocks, rng=np.random.default_rng(0))
    assert min(result.pairs[0].thresholds) > min(whole.pairs[0].thresholds)
    twice = part.take_rows(np.repeat(np.arange(300), 2))
    assert check_partition(true_model, twice, blocks, rng=np.random.default_rng(0)).rows == 600


def test_the_interval_is_that_of_clopper_and_pearson() -> None:
    low, high = exact_interval(np.array([0, 5, 100]), 100, 0.05)
    assert low == pytest.approx([0, 0.0164320, 0.9637833], abs=1e-6)
    assert high == pytest.approx([0.0362167, 0.1128349, 1], abs=1e-6)


def test_a_check_of_nothing_is_not_an_acceptance() -> None:
    assert PartitionCheck((), 0.05, 0.1, "sanov", 10.0).verdict == NOT_TESTED


@pytest.mark.long
def test_true_blocks_are_told_from_wrong_ones_in_nearly_every_model() -> None:
    """hidden-variables.md, check 12: nine of ten, for a wrong one with 0.2 bits and more."""
    right, seen = 0, 0
    for seed in range(40):
        model = tree_h_model(TreeHParams(), np.random.default_rng(seed))
        bits = [edge_information(tree)["V5", "V6"] for tree in model.trees]
        if float(model.weights @ bits) < 0.2:
            continue
        seen += 1
        rows = model.sample(5000, np.random.default_rng(1000 + seed))
        blocks = partition_of(model) or ()
        verdicts = [
            check_partition(model, rows, tried, rng=np.random.default_rng(0)).verdict
            for tried in (blocks, with_a_stranger(blocks))
        ]
        right += verdicts == [ACCEPTED, REJECTED]
        if seen == 10:
            break
    assert seen == 10
    assert right >= 9
