"""Forests of variables: the χ² tests, LearnForest and the forest given as text (checks 18, 19)."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.languages.pdg.learning.forest import (
    BlockRules,
    BlockTests,
    block_test,
    chain,
    dependent_groups,
    learn_forest,
    parse_forest,
)
from pgmstudio.core.languages.pdg.learning.search import SweepRules
from pgmstudio.core.languages.pdg.learning.state import Forest, PdgRows
from tests.strategies import domain_of

RULES = BlockRules()


def test_the_worked_test_of_two_blocks() -> None:
    counts = np.array([[[30, 10], [10, 30]], [[20, 20], [15, 25]]], dtype=float)
    result = block_test(counts, RULES)
    assert result.statistic == pytest.approx(21.26984127, abs=5e-9)
    assert result.freedom == 2
    assert result.p_value == pytest.approx(2.40609e-5, rel=1e-5)


def test_empty_cells_take_freedom_away_down_to_1() -> None:
    counts = np.array([[[9, 0, 1], [4, 6, 0], [0, 5, 0]]], dtype=float)
    assert block_test(counts, RULES).freedom == 1
    assert block_test(counts, BlockRules(corrects_freedom=False)).freedom == 4
    diagonal = np.diag([5.0, 5.0, 5.0])[None]
    assert block_test(diagonal, RULES).freedom == 1


def test_too_few_rows_are_not_tested_and_count_as_independent() -> None:
    same = np.tile(np.arange(2), 10)
    data = DataSet(domain_of([2, 2]), np.stack([same, same]))
    everywhere = np.zeros(2, dtype=np.int32)
    tests = BlockTests(PdgRows(data), RULES)
    assert tests.test(0, 1, everywhere, 1).p_value is None  # exactly 5 rows for each cell
    assert not tests.test(0, 1, everywhere, 1).finds_dependence(0.999)
    assert tests.made == 0
    fewer = BlockTests(PdgRows(data), BlockRules(min_rows=4))
    assert fewer.test(0, 1, everywhere, 1).finds_dependence(1e-3)


def test_independent_columns_are_rejected_as_often_as_the_level_says() -> None:
    rng = np.random.default_rng(3)
    rejected = 0
    for _ in range(1000):
        counts = np.zeros((2, 2, 3))
        np.add.at(counts, tuple(rng.integers(0, (2, 2, 3), size=(300, 3)).T), 1)
        rejected += block_test(counts, RULES).finds_dependence(0.05)
    assert 30 <= rejected <= 70


def two_groups(count: int = 3000, seed: int = 0) -> DataSet:
    """X0–X2 noisy copies of one bit, X3–X5 of another."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (2, count))
    noise = rng.random((6, count)) < 0.2
    return DataSet(domain_of([2] * 6), (np.repeat(bits, 3, axis=0) ^ noise).astype(np.uint8))


def forest_of(data: DataSet, seed: int, level: float = 1e-3) -> Forest:
    rng = np.random.default_rng(seed)
    growing = learn_forest(PdgRows(data), level, 0.98, SweepRules(), RULES, rng, NEVER)
    return run_to_end(growing)


def test_independent_groups_become_trees_and_the_seed_decides_the_rest() -> None:
    data = two_groups()
    everywhere = np.zeros(64, dtype=np.int32)
    tests = BlockTests(PdgRows(data), RULES)
    groups = dependent_groups(
        tests, range(6), everywhere[: PdgRows(data).row_count], 1, 1e-3, NEVER
    )
    assert groups == [[0, 1, 2], [3, 4, 5]]
    forest = forest_of(data, 4)
    assert forest == forest_of(data, 4)
    roots = [i for i, above in enumerate(forest) if above is None]
    assert len(roots) == 2
    for i, above in enumerate(forest):
        assert above is None or above // 3 == i // 3
    assert len({forest_of(data, seed) for seed in range(8)}) > 1


def test_branches_are_independent_given_what_they_hang_from() -> None:
    rng = np.random.default_rng(1)
    top = rng.integers(0, 2, 4000)
    flips = rng.random((3, 4000)) < 0.15
    data = DataSet(domain_of([2] * 4), np.stack([top, *(top ^ flips)]))
    for seed in range(20):
        forest = forest_of(data, seed)
        if forest[0] is None:  # the common cause is the root: the others branch below it
            assert forest == (None, 0, 0, 0)
            break
    else:
        pytest.fail("no seed drew the common cause as the root")


def test_a_forest_is_read_from_text() -> None:
    domain = domain_of([2] * 5)
    assert parse_forest(domain, "chain") == (None, 0, 1, 2, 3)
    assert parse_forest(domain, "X0->X1->X2, X0 → X3") == (None, 0, 1, 0, None)
    assert parse_forest(domain, "") == (None,) * 5
    assert chain([2, 0, 1]) == (2, 0, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X0->Y", "Y"),
        ("X0->X1, X2->X1", "two variables"),
        ("X0->X1->X0", "above itself"),
    ],
)
def test_a_text_that_is_no_forest_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse_forest(domain_of([2] * 3), text)
