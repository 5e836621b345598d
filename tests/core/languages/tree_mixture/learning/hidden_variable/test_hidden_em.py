"""HMixTreeS: the forest it chooses, and what never decreases."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from pgmstudio.core.experiments.generators.hidden_variable_models import TreeHParams, tree_h
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.em import (
    BIC,
    BIC_H,
    CONSTANT,
    NONE,
    HiddenTreeEm,
    heaviest_forest,
)
from pgmstudio.core.languages.tree_mixture.model import blocks_of
from pgmstudio.core.learning.sparse_rows import SparseRows, sparse_rows


def forests(count: int) -> list[tuple[tuple[int, int], ...]]:
    """Every set of edges without a cycle."""
    pairs = list(itertools.combinations(range(count), 2))
    names = [str(i) for i in range(count)]
    return [
        chosen
        for size in range(count)
        for chosen in itertools.combinations(pairs, size)
        if len(blocks_of(names, [(str(a), str(b)) for a, b in chosen])) == count - size
    ]


def test_the_forest_is_the_heaviest_of_all_that_have_so_few_edges() -> None:
    every = forests(5)
    assert len(every) == 291
    rng = np.random.default_rng(0)
    for case in range(5):
        half = np.triu(rng.random((5, 5)) + (0.0 if case else 1.0), 1)
        weights = half + half.T
        for parts in range(1, 6):
            forest = heaviest_forest(weights, parts)
            children = np.flatnonzero(forest >= 0)
            assert children.size == 5 - parts
            heaviest = max(sum(weights[e] for e in one) for one in every if len(one) <= 5 - parts)
            assert weights[children, forest[children]].sum() == pytest.approx(heaviest)


def test_edges_that_gain_nothing_are_left_out() -> None:
    weights = np.full((4, 4), -1.0)
    weights[0, 1] = weights[1, 0] = 2.0
    assert (heaviest_forest(weights, 1) >= 0).sum() == 1


@pytest.fixture(scope="module")
def rows() -> SparseRows:
    return sparse_rows(tree_h(TreeHParams(), np.random.default_rng(4), 500))


def started(rows: SparseRows, count: int = 3, **settings: object) -> HiddenTreeEm:
    em = HiddenTreeEm(rows, count, **settings)  # type: ignore[arg-type]
    em.start_at_random(np.random.default_rng(9))
    return em


def test_with_one_part_it_is_em_for_trees_with_shared_edges(rows: SparseRows) -> None:
    one = started(rows, parts=1, penalty=NONE)
    other = TreeMixtureEm(rows, 3, TreePriors(even_rows=1.0, is_shared=True, penalty="none"))
    other.start_at_random(np.random.default_rng(9))
    for _ in range(5):
        assert one.improve() == pytest.approx(other.improve(), rel=1e-12)
        assert (one.forests == other.forests).all()


@pytest.mark.parametrize("parts", [1, 3, 6, 12])
def test_with_a_given_number_of_parts_the_likelihood_never_decreases(
    rows: SparseRows, parts: int
) -> None:
    em = started(rows, parts=parts, penalty=NONE)
    values = [em.improve() for _ in range(12)]
    assert all(b >= a - 1e-9 * abs(a) for a, b in itertools.pairwise(values))
    assert (em.forests[0] < 0).sum() == parts
    assert (em.forests == em.forests[0]).all()


def penalized_bits(em: HiddenTreeEm) -> float:
    """Σ log2 Q(row) − Σ_E Δ_uv: what EM never lowers, but for BIC^h; without smoothing."""
    children = np.flatnonzero(em.forests[0] >= 0)
    costs = em.edge_costs()[children, em.forests[0][children]]
    return em.log_likelihood() / math.log(2) - float(costs.sum())


@pytest.mark.parametrize("settings", [{"penalty": BIC}, {"penalty": CONSTANT, "edge_penalty": 60}])
def test_with_a_penalty_the_penalised_likelihood_never_decreases(
    rows: SparseRows, settings: dict[str, object]
) -> None:
    em = started(rows, 3, **settings)
    values = []
    for _ in range(12):
        em.improve()
        values.append(penalized_bits(em))
    assert all(b >= a - 1e-9 * abs(a) for a, b in itertools.pairwise(values))
    assert (em.forests[0] < 0).sum() > 1


def test_the_penalty_of_states_without_rows_is_smaller(rows: SparseRows) -> None:
    by_rows, by_states = started(rows, penalty=BIC), started(rows, penalty=BIC_H)
    assert (by_states.edge_costs() < by_rows.edge_costs()).all()


def test_a_given_forest_is_kept(rows: SparseRows) -> None:
    forest = np.full(12, -1, dtype=np.int64)
    forest[7] = 0
    em = started(rows, forest=forest)
    em.improve()
    assert (em.forests == forest).all()
