"""EM for mixtures of trees when cells are missing: exactly as if every completion were listed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning.sparse_rows import joined, sparse_rows
from tests.oracles.brute_force import joint_table
from tests.strategies import all_cases, random_mixture, with_missing

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def listed_counts(model: TreeMixture, data: DataSet) -> Array:
    """Expected rows of every joint state in every component, by listing all completions."""
    joints = [
        weight * joint_table(tree.as_bayesian_network)
        for weight, tree in zip(model.weights, model.trees, strict=True)
    ]
    cards = data.domain.cardinalities
    result = np.zeros((len(joints), *cards))
    for row in data.codes.T:
        seen = tuple(
            slice(None) if c == data.missing_code else slice(int(c), int(c) + 1) for c in row
        )
        total = sum(float(joint[seen].sum()) for joint in joints)
        for k, joint in enumerate(joints):
            result[(k, *seen)] += joint[seen] / total
    return result


def maximised(counts: Array, data: DataSet, *, is_shared: bool) -> TreeMixture:
    """The M step of complete rows that are as frequent in each component as these counts."""
    cases = all_cases(data.domain)
    flat = counts.reshape(counts.shape[0], -1)
    weighted = DataSet(data.domain, cases.codes, flat.sum(axis=0))
    rows = sparse_rows(weighted)
    em = TreeMixtureEm(rows, len(flat), TreePriors(is_shared=is_shared))
    fractions = flat / np.maximum(flat.sum(axis=0), 1e-300)
    fractions[:, flat.sum(axis=0) <= 0] = 1 / len(flat)
    em.start(fractions.T)  # every case once, in the order it was listed
    return em.mixture()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("is_shared", [False, True])
def test_a_step_is_that_of_listing_all_completions(seed: int, is_shared: bool) -> None:
    rng = np.random.default_rng(seed)
    data = with_missing(rng, random_mixture(rng, 4, 2).sample(60, rng), 0.35)
    em = TreeMixtureEm(sparse_rows(data), 2, TreePriors(is_shared=is_shared))
    em.start_at_random(rng, 1.0)
    for _ in range(3):
        before = em.mixture()
        expected = maximised(listed_counts(before, data), data, is_shared=is_shared)
        result = em.improve()
        assert result == pytest.approx(before.log2_probabilities(data).sum() * np.log(2), rel=1e-10)
        cases = all_cases(data.domain)
        assert np.exp2(em.mixture().log2_probabilities(cases)) == pytest.approx(
            np.exp2(expected.log2_probabilities(cases)), abs=1e-9
        )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("fraction", [0.05, 0.5])
@pytest.mark.parametrize("strength", [0.0, 3.0])
def test_the_objective_never_decreases(seed: int, fraction: float, strength: float) -> None:
    rng = np.random.default_rng(seed)
    data = with_missing(rng, random_mixture(rng, 6, 3).sample(150, rng), fraction)
    em = TreeMixtureEm(sparse_rows(data), 3, TreePriors(strength, even_rows=1.0))
    em.start_at_random(rng)
    result = []
    for _ in range(10):
        prior = em.prior_term()
        result.append(em.improve() + prior)
    assert all(b >= a - 1e-9 * abs(a) for a, b in pairwise(result))


def test_rows_with_nothing_in_them_change_nothing() -> None:
    rng = np.random.default_rng(0)
    data = random_mixture(rng, 5, 2).sample(80, rng)
    empty = np.full((5, 7), data.missing_code, dtype=data.codes.dtype)
    longer = DataSet(data.domain, np.hstack([data.codes, empty]))
    one = TreeMixtureEm(sparse_rows(data), 2, TreePriors())
    one.start_at_random(np.random.default_rng(1))
    for _ in range(3):
        one.improve()
    other = TreeMixtureEm(sparse_rows(longer, one.rows), 2, TreePriors())
    other.put(one.taken())
    # An empty row belongs to the trees as far as these weigh, and looks like the mixture itself.
    assert other.log_likelihood() == pytest.approx(one.log_likelihood(), rel=1e-12)
    assert other.rows.gap_count == 1
    assert other.rows.total_weight == 87


def test_missing_cells_between_complete_rows_come_back_as_data() -> None:
    rng = np.random.default_rng(2)
    data = with_missing(rng, random_mixture(rng, 4, 2).sample(50, rng), 0.2)
    rows = sparse_rows(data)
    back = rows.data_of(0, rows.row_count)
    again = sparse_rows(DataSet(back.domain, back.codes, rows.weights), rows)
    assert (again.states == rows.states).all()
    merged = data.merged()
    assert sorted(map(tuple, back.codes.T)) == sorted(map(tuple, merged.codes.T))


def test_rows_put_together_are_all_the_rows() -> None:
    rng = np.random.default_rng(4)
    data = with_missing(rng, random_mixture(rng, 4, 2).sample(90, rng), 0.1)
    whole = sparse_rows(data)
    parts = [sparse_rows(data.take_rows(part), whole) for part in (slice(0, 50), slice(50, 90))]
    together = joined(*parts)
    assert together.total_weight == 90
    em = TreeMixtureEm(whole, 2, TreePriors(2.0))
    em.start_at_random(rng)
    assert em.log_likelihood(together) == pytest.approx(em.log_likelihood(), rel=1e-12)
