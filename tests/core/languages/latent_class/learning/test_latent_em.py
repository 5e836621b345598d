"""EM for latent classes: the worked steps of the specification, and its laws."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.latent_class.learning.em import LatentEm, class_rows
from pgmstudio.core.languages.likelihood import log2_likelihood
from tests.core.languages.tree_mixture.test_mixtures import NB
from tests.strategies import random_classes, with_missing

ROWS = DataSet.from_rows(NB.domain, ["101", "100", "011", "010", "110", "011"])


def test_one_step_is_the_worked_one() -> None:
    fractions = NB.responsibilities(ROWS)[:, 0]
    expected = [0.454545455, 0.084745763, 0.990566038, 0.921052632, 0.244755245, 0.990566038]
    assert fractions == pytest.approx(expected, abs=1e-9)
    em = LatentEm(class_rows(ROWS), NB)
    em.improve()
    assert em.model.weights == pytest.approx([0.61437186, 0.38562814], abs=1e-8)
    ones = np.array([table[:, 1] for table in em.model.tables]).T
    assert ones[0] == pytest.approx([0.21269596, 0.85370119, 0.66075008], abs=1e-8)
    assert ones[1] == pytest.approx([0.95772469, 0.36868854, 0.24389752], abs=1e-8)


def test_the_likelihoods_of_the_first_steps_are_the_worked_ones() -> None:
    em = LatentEm(class_rows(ROWS), NB)
    result = [em.improve() for _ in range(4)]
    expected = [-17.01078485, -15.64873498, -14.90603826, -14.53245856]
    assert result == pytest.approx(expected, abs=1e-8)
    assert em.log2_likelihood() == pytest.approx(-14.40970500, abs=1e-8)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_likelihood_never_decreases_and_is_the_models_own(seed: int, missing: float) -> None:
    rng = np.random.default_rng(seed)
    data = with_missing(rng, random_classes(rng, 6, 3).sample(150, rng), missing)
    start = random_classes(np.random.default_rng(seed), 6, 3)
    for table in start.tables:
        assert (table >= 0).all()
    tables = tuple(0.9 * table + 0.1 / table.shape[1] for table in start.tables)
    em = LatentEm(class_rows(data), type(start)(start.domain, start.weights, tables))
    result = []
    for _ in range(8):
        result.append(em.log2_likelihood())
        assert log2_likelihood(em.model, data) == pytest.approx(result[-1], rel=1e-10)
        em.improve()
    assert all(b >= a - 1e-9 * abs(a) for a, b in pairwise(result))


def test_weighted_rows_are_as_many_rows() -> None:
    rng = np.random.default_rng(1)
    data = random_classes(rng, 4, 2).sample(40, rng)
    start = random_classes(np.random.default_rng(1), 4, 2)
    repeats = rng.integers(1, 4, data.row_count)
    expanded = data.take_rows(np.repeat(np.arange(data.row_count), repeats))
    weighted = DataSet(data.domain, data.codes, repeats.astype(float))
    one, other = (LatentEm(class_rows(d), start) for d in (expanded, weighted))
    for _ in range(3):
        assert one.improve() == pytest.approx(other.improve(), rel=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_grouped_rows_give_the_steps_of_rows_one_by_one(seed: int) -> None:
    # naive-bayes.md, check 13: many equal rows, and EM written as eqs. 4.31 to 4.34
    rng = np.random.default_rng(seed)
    model = random_classes(rng, 3, 3)
    data = model.sample(400, rng)
    assert data.merged().row_count < 100
    start = random_classes(rng, 3, 3)
    start = type(start)(
        model.domain, start.weights, tuple(rng.dirichlet(np.ones(n), 3) for n in cards_of(data))
    )
    em = LatentEm(class_rows(data), start)
    weights, tables = start.weights, start.tables
    for _ in range(5):
        em.improve()
        given = weights * np.prod(
            [t[:, column].T for t, column in zip(tables, data.codes, strict=True)], axis=0
        )
        given /= given.sum(axis=1, keepdims=True)
        weights = given.sum(axis=0) / 400
        states = [np.eye(n)[column] for n, column in zip(cards_of(data), data.codes, strict=True)]
        tables = tuple((given.T @ cells) / given.sum(axis=0)[:, None] for cells in states)
        assert em.model.weights == pytest.approx(weights, abs=1e-10)
        for own, plain in zip(em.model.tables, tables, strict=True):
            assert own == pytest.approx(plain, abs=1e-10)


def cards_of(data: DataSet) -> tuple[int, ...]:
    return data.domain.cardinalities


def test_one_class_is_the_product_of_the_frequencies() -> None:
    rng = np.random.default_rng(2)
    data = random_classes(rng, 4, 3).sample(60, rng)
    start = random_classes(np.random.default_rng(2), 4, 1)
    em = LatentEm(class_rows(data), start)
    em.improve()
    for column, table, card in zip(
        data.codes, em.model.tables, data.domain.cardinalities, strict=True
    ):
        assert table[0] == pytest.approx(np.bincount(column, minlength=card) / 60)
