"""Accelerated trees inside EM, and the sparse E step: accelerated-chow-liu.md, checks 10, 14."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm, TreePriors
from pgmstudio.core.learning.sparse_rows import SparseRows, sparse_rows
from tests.core.languages.tree.learning.test_acl import accelerated_forest, parent_tables

Floats = NDArray[np.float64]


def rows_of_two_kinds(seed: int, states: int, n: int = 14, count: int = 300) -> DataSet:
    """Chains along two orders, state 0 most frequent."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n, count), dtype=np.uint8)
    for row in range(count):
        order = np.arange(n) if row % 2 else np.argsort(np.arange(n) * 5 % n)
        before = 0
        for v in order:
            stays = before and rng.random() < 0.5
            before = before if stays else int(rng.random() < 0.15) * int(rng.integers(1, states))
            codes[v, row] = before
    return DataSet(Domain.of({f"v{i}": map(str, range(states)) for i in range(n)}), codes)


def accelerated_tree(rows: SparseRows, weights: Floats) -> Tree:
    """The M step of one component by aCL-II: parents, and tables P(child | parent)."""
    forest = accelerated_forest(rows, weights)
    tables = []
    for v, table in enumerate(parent_tables(rows, forest.parents, weights)):
        parent = int(forest.parents[v])
        counts = table[..., rows.state_numbers(v)]
        if parent >= 0:
            counts = counts[rows.state_numbers(parent)]
        totals = counts.sum(axis=-1, keepdims=True)
        even = np.full_like(counts, 1 / counts.shape[-1])
        tables.append(np.divide(counts, totals, out=even, where=totals > 0))
    parents = tuple(None if p < 0 else int(p) for p in forest.parents)
    return Tree(rows.domain, parents, tuple(tables))


@pytest.mark.parametrize("states", [2, 3])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_em_with_accelerated_trees_walks_the_way_of_the_dense_one(seed: int, states: int) -> None:
    data = rows_of_two_kinds(seed, states).merged()
    rows = sparse_rows(data)
    assert data.weights is not None
    fractions = np.random.default_rng(seed).dirichlet([1.0, 1.0], size=data.row_count)
    em = TreeMixtureEm(rows, 2, TreePriors())
    em.start(fractions)
    for _ in range(12):
        masses = fractions.T @ data.weights
        trees = [accelerated_tree(rows, fractions[:, k] * data.weights) for k in range(2)]
        logs = np.stack([tree.log2_probabilities(data) * np.log(2) for tree in trees], axis=1)
        joint = logs + np.log(masses / masses.sum())
        top = joint.max(axis=1, keepdims=True)
        whole = top + np.log(np.exp(joint - top).sum(axis=1, keepdims=True))
        fractions = np.exp(joint - whole)
        result = float(data.weights @ whole[:, 0])
        assert em.improve() == pytest.approx(result, rel=0, abs=1e-8)


@pytest.mark.parametrize("states", [2, 4])
def test_the_sparse_e_step_gives_the_likelihood_of_the_trees(states: int) -> None:
    data = rows_of_two_kinds(7, states)
    rows = sparse_rows(data)
    em = TreeMixtureEm(rows, 3, TreePriors(strength=2.0, toward="uniform"))
    em.start_at_random(np.random.default_rng(1))
    em.improve()
    direct = em.mixture().log2_probabilities(rows.data_of(0, rows.row_count)) * np.log(2)
    assert em.row_logs(rows) == pytest.approx(direct, rel=0, abs=1e-10)
    assert em.log_likelihood() == pytest.approx(float(direct @ rows.weights), rel=1e-12)
