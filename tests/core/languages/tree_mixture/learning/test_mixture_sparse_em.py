"""EM with accelerated trees gives the trees of the dense step, under every kind of smoothing."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.languages.tree.learning.accelerated import ACCELERATED, DENSE, choose_in_em
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.languages.tree_mixture.learning.learner import MixtureSearch
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.languages.tree_mixture.learning.sparse_em import SparseTreeMixtureEm, mixture_em
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.learning.sparse_rows import sparse_rows
from tests.core.languages.tree.learning.test_acl_em import rows_of_two_kinds

# Two states: anything goes. More: no even rows.
BINARY = [
    {},
    {"strength": 4.0, "even_rows": 1.0},
    {"strength": 4.0, "toward": "uniform"},
    {"strength": 0.4, "policy": "share", "even_rows": 1.0},
    {"strength": 0.6, "policy": "edges"},
    {"strength": 0.2, "policy": "fraction", "toward": "uniform"},
    {"strength": 2.0, "even_rows": 0.5, "edge_penalty": 1.5},
    {"strength": 1.0, "even_rows": 1.0, "penalty": "bic", "weight_rows": 3.0},
]
MORE = [{}, {"strength": 3.0, "edge_penalty": 0.8}, {"edge_penalty": 0.5, "penalty": "mdl"}]
CASES = [(2, settings) for settings in BINARY] + [(3, settings) for settings in MORE]


def weighted(states: int, seed: int) -> DataSet:
    data = rows_of_two_kinds(seed, states, n=11, count=160)
    weights = np.random.default_rng(seed).integers(1, 4, data.row_count).astype(np.float64)
    return DataSet(data.domain, data.codes, weights)


@pytest.mark.parametrize(("states", "settings"), CASES)
def test_each_step_is_as_good_as_the_dense_one(states: int, settings: dict[str, object]) -> None:
    rows = sparse_rows(weighted(states, 3))
    priors = TreePriors(**settings)  # type: ignore[arg-type]
    fractions = np.random.default_rng(5).dirichlet([0.5] * 3, size=rows.row_count)
    dense = TreeMixtureEm(rows, 3, priors)
    sparse = SparseTreeMixtureEm(rows, 3, priors)
    for em in (dense, sparse):
        em.start(fractions)
    for _ in range(4):
        gains = [dense_gain(dense, em, k) for em in (dense, sparse) for k in range(3)]
        assert gains[3:] == pytest.approx(gains[:3], rel=1e-9, abs=1e-9)
        assert sparse.log_likelihood() == pytest.approx(dense.log_likelihood(), rel=1e-9)
        assert sparse.prior_term() == pytest.approx(dense.prior_term(), rel=1e-9, abs=1e-9)
        assert sparse.weights == pytest.approx(dense.weights, rel=1e-9)
        sparse.put(dense.taken())  # equally good trees may part the ways of EM
        for em in (dense, sparse):
            em.improve()


def dense_gain(dense: TreeMixtureEm, em: TreeMixtureEm | SparseTreeMixtureEm, k: int) -> float:
    """Σ over the edges of tree k of what each gains by the dense counts."""
    if dense.priors.policy == "edges":
        return float((em.forests[k] >= 0).sum())  # its edges are chosen without smoothing
    rows = dense._rows_with_prior()[k]
    weights = rows * dense.information[k] - dense.priors.penalties(rows, 3, dense._free)
    children = np.flatnonzero(em.forests[k] >= 0)
    return float(weights[children, em.forests[k][children]].sum())


def test_the_objective_never_falls_and_equal_seeds_go_equal_ways() -> None:
    rows = sparse_rows(weighted(2, 8))
    ways = []
    for _ in range(2):
        em = SparseTreeMixtureEm(rows, 3, TreePriors(3.0, even_rows=1.0, edge_penalty=0.7))
        em.start_at_random(np.random.default_rng(2))
        way = []
        for _ in range(25):
            before = em.prior_term()
            way.append(em.improve() + before)
        assert all(b >= a - 1e-9 * abs(a) for a, b in pairwise(way))
        ways.append(way)
    assert ways[0] == ways[1]


def test_a_tree_without_rows_is_empty() -> None:
    rows = sparse_rows(weighted(3, 1))
    em = SparseTreeMixtureEm(rows, 2, TreePriors(toward="uniform"))
    em.start(np.eye(2)[np.zeros(rows.row_count, dtype=int)])
    assert (em.forests[1] < 0).all()
    assert np.isfinite(em.improve())


def scattered(columns: int, rows: int, on: int) -> DataSet:
    rng = np.random.default_rng(0)
    codes = np.zeros((columns, rows), dtype=np.uint8)
    for row in range(rows):
        codes[rng.integers(0, columns, on), row] = 1
    return DataSet(Domain.of({f"v{i}": "01" for i in range(columns)}), codes)


def test_sparse_rows_of_many_columns_choose_the_accelerated_trees() -> None:
    rows = sparse_rows(scattered(6000, 60, 4))
    em, choice = mixture_em(rows, 5, TreePriors(5.0, even_rows=1.0))
    assert choice.backend == ACCELERATED
    assert isinstance(em, SparseTreeMixtureEm)
    em.start_at_random(np.random.default_rng(0))
    assert em.log_likelihood() >= em.improve() - 1e-9
    few = sparse_rows(scattered(40, 60, 4))
    assert choose_in_em(few, 5, TreePriors(), "auto").backend == DENSE


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"is_shared": True}, "share"),
        ({"costs": np.zeros((11, 11))}, "like"),
        ({"strength": 1.0, "toward": "uniform"}, "two states"),
    ],
)
def test_where_accelerated_trees_would_not_be_the_best_asking_for_them_reports_why(
    settings: dict[str, object], message: str
) -> None:
    rows = sparse_rows(weighted(3, 2))
    priors = TreePriors(**settings)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=message):
        mixture_em(rows, 2, priors, tree=ACCELERATED)
    assert choose_in_em(rows, 2, priors, "auto").backend == DENSE


def test_a_run_with_accelerated_trees_finds_as_good_a_mixture() -> None:
    data = rows_of_two_kinds(4, 2)
    scores = []
    for tree in (DENSE, ACCELERATED):
        params = MixtureParams(components=(2,), tree=tree, smoothing=3.0, max_iterations=10)
        search = MixtureSearch(
            data, params, is_shared=False, rng=np.random.default_rng(0), cancel=NEVER
        )
        last = list(search.run())[-1]
        assert isinstance(last, Finished)
        scores.append(last.measures["score"])
    assert scores[1] == pytest.approx(scores[0], rel=1e-6)
