"""EM for mixtures of trees: the worked step of the specification, and its laws."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.learning.sparse_rows import sparse_rows
from tests.strategies import random_mixture

F2 = DataSet.from_rows(
    Domain.of(dict.fromkeys("abcd", "01")),
    ["0000", "0001", "1100", "1110", "1111", "0101", "1011", "0000", "1111", "0010"],
)
# Responsibilities of tree 1 for the rows of F2 in order.
RESPONSIBILITIES = [0.9, 0.8, 0.1, 0.2, 0.1, 0.5, 0.3, 0.9, 0.1, 0.7]


def em_on(data: DataSet, count: int, **priors: object) -> TreeMixtureEm:
    return TreeMixtureEm(sparse_rows(data), count, TreePriors(**priors))  # type: ignore[arg-type]


def responsibilities_of_merged(em: TreeMixtureEm, responsibilities: list[float]) -> np.ndarray:
    """Equal rows of F2 have equal responsibilities, so merging them loses nothing."""
    rows = em.rows
    result = np.zeros((rows.row_count, 2))
    index = {
        tuple(codes): fraction
        for codes, fraction in zip(F2.codes.T.tolist(), responsibilities, strict=True)
    }
    numbers = [rows.state_numbers(v) for v in range(4)]
    for row in range(rows.row_count):
        codes = tuple(int(np.flatnonzero(numbers[v] == rows.states[row, v])[0]) for v in range(4))
        result[row] = index[codes], 1 - index[codes]
    return result


def edges_of(em: TreeMixtureEm, k: int) -> set[frozenset[int]]:
    return {frozenset((int(p), v)) for v, p in enumerate(em.forests[k]) if p >= 0}


def test_one_tree_is_the_chow_liu_tree() -> None:
    em = em_on(F2, 1)
    em.start(np.ones((em.rows.row_count, 1)))
    assert em.log_likelihood() == pytest.approx(-23.669637, abs=1e-6)
    assert {frozenset((0, 1)), frozenset((0, 2))} <= edges_of(em, 0)
    assert em.information[0][0, 1] == pytest.approx(0.192745, abs=1e-6)
    assert em.information[0][0, 3] == pytest.approx(0.020136, abs=1e-6)


@pytest.mark.parametrize(("beta", "edges"), [(0.2, 3), (0.2014, 2), (1.92, 2), (1.93, 0)])
def test_an_edge_is_kept_while_it_gains_more_than_the_penalty(beta: float, edges: int) -> None:
    em = em_on(F2, 1, edge_penalty=beta)
    em.start(np.ones((em.rows.row_count, 1)))
    assert len(edges_of(em, 0)) == edges


def test_fictitious_rows_draw_the_tables_to_the_even_one() -> None:
    em = em_on(F2, 1, strength=2.0, toward="uniform")
    em.start(np.ones((em.rows.row_count, 1)))
    assert em.information[0][0, 1] == pytest.approx(0.130812, abs=1e-6)
    assert em.information[0][0, 3] == pytest.approx(0.013954, abs=1e-6)
    assert em.log_likelihood() == pytest.approx(-23.815416, abs=1e-6)


def test_a_step_with_free_trees_is_the_worked_one() -> None:
    em = em_on(F2, 2)
    em.start(responsibilities_of_merged(em, RESPONSIBILITIES))
    assert em.masses == pytest.approx([4.6, 5.4])
    assert em.weights == pytest.approx([0.46, 0.54])
    assert edges_of(em, 0) == {frozenset(e) for e in ((0, 2), (0, 1), (1, 3))}
    assert edges_of(em, 1) == {frozenset(e) for e in ((0, 2), (0, 1), (2, 3))}
    assert em.log_likelihood() == pytest.approx(-22.964698, abs=1e-6)
    given = em.mixture().responsibilities(F2)[:3, 0]
    assert given == pytest.approx([0.853524, 0.801153, 0.039301], abs=1e-6)


def test_a_step_with_shared_edges_is_the_worked_one() -> None:
    em = em_on(F2, 2, is_shared=True)
    em.start(responsibilities_of_merged(em, RESPONSIBILITIES))
    given_class = np.tensordot(em.weights, em.information, axes=1)
    expected = {(0, 1): 0.078254, (0, 2): 0.129011, (0, 3): 0.010873}
    expected |= {(1, 2): 0.003648, (1, 3): 0.026224, (2, 3): 0.023619}
    for pair, value in expected.items():
        assert given_class[pair] == pytest.approx(value, abs=1e-6)
    wanted = {frozenset(e) for e in ((0, 2), (0, 1), (1, 3))}
    assert edges_of(em, 0) == edges_of(em, 1) == wanted
    assert em.log_likelihood() == pytest.approx(-23.238556, abs=1e-6)


@pytest.mark.parametrize("is_shared", [False, True])
def test_the_likelihood_never_decreases(is_shared: bool) -> None:
    # acceptance check 19: 50 random problems, with free and with shared edges
    for seed in range(50):
        rng = np.random.default_rng(seed)
        data = random_mixture(rng, 6, 3).sample(200, rng)
        em = em_on(data, 3, is_shared=is_shared)
        em.start_at_random(rng)
        result = [em.improve() for _ in range(12)]
        assert all(b >= a - 1e-9 * abs(a) for a, b in pairwise(result)), seed


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("toward", ["marginal", "uniform"])
@pytest.mark.parametrize("is_shared", [False, True])
def test_with_priors_the_objective_never_decreases(seed: int, toward: str, is_shared: bool) -> None:
    rng = np.random.default_rng(seed)
    data = random_mixture(rng, 6, 3).sample(200, rng)
    em = em_on(
        data,
        3,
        strength=4.5,
        toward=toward,
        edge_penalty=0.8,
        weight_rows=6.0,
        is_shared=is_shared,
    )
    em.start_at_random(rng)
    result = []
    for _ in range(12):
        prior = em.prior_term()
        result.append(em.improve() + prior)
    assert all(b >= a - 1e-9 * abs(a) for a, b in pairwise(result))


@pytest.mark.parametrize("seed", range(6))
def test_the_model_says_the_same_of_rows_as_the_run_did(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_mixture(rng, 5, 3).sample(150, rng)
    em = em_on(data, 2, strength=2.0)
    em.start_at_random(rng)
    for _ in range(4):
        em.improve()
    mixture = em.mixture()
    logs = mixture.log2_probabilities(data) * np.log(2)
    assert logs.sum() == pytest.approx(em.log_likelihood(), rel=1e-10)
    fresh = random_mixture(np.random.default_rng(seed), 5, 3).sample(80, rng)
    seen = sparse_rows(fresh, em.rows)
    assert float(em.row_logs(seen) @ seen.weights) == pytest.approx(
        float(mixture.log2_probabilities(fresh).sum() * np.log(2)), rel=1e-9
    )


def test_shared_edges_never_fit_better_than_free_ones_after_one_step() -> None:
    rng = np.random.default_rng(3)
    data = random_mixture(rng, 6, 3).sample(200, rng)
    responsibilities = rng.dirichlet(np.ones(3), size=sparse_rows(data).row_count)
    free, shared = em_on(data, 3), em_on(data, 3, is_shared=True)
    free.start(responsibilities)
    shared.start(responsibilities)
    gains = [
        sum(
            em.masses[k] * em.information[k][v, p]
            for k in range(3)
            for v, p in enumerate(em.forests[k])
            if p >= 0
        )
        for em in (free, shared)
    ]
    assert gains[0] >= gains[1] - 1e-9


def test_much_smoothing_makes_all_components_equal() -> None:
    rng = np.random.default_rng(4)
    data = random_mixture(rng, 5, 2).sample(100, rng)
    em = em_on(data, 2, strength=1e12)
    em.start_at_random(rng)
    one, other = em.mixture().trees
    assert one.log2_probabilities(data) == pytest.approx(other.log2_probabilities(data), abs=1e-6)
