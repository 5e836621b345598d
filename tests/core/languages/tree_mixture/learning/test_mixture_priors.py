"""Priors of tables and weights, and starts of mixtures of trees, against their formulas."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.languages.tree.learning.priors import (
    TreePriors,
    entropic_objective,
    entropic_weights,
)
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.languages.tree_mixture.learning.em import mixture_of
from pgmstudio.core.languages.tree_mixture.learning.initialization import (
    k_modes,
    starting_with_model,
)
from pgmstudio.core.languages.tree_mixture.learning.learner import MixtureLearner, averaged
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams, MixtureScan
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning.base import ArtifactSaved, Finished
from pgmstudio.core.learning.sparse_rows import sparse_rows
from tests.core.languages.tree.learning.test_chow_liu import random_rows
from tests.core.languages.tree_mixture.test_mixtures import F1
from tests.strategies import all_cases, random_mixture

# -- P' of the tables (Meilă 1999, §4.2.2)


def pair_table(tree: Any, one: str, other: str) -> np.ndarray:
    return np.asarray(open_session(tree).joint((one, other)))  # type: ignore[attr-defined]


def joints_of(model: Any) -> dict[tuple[int, int], np.ndarray]:
    names = model.domain.names
    joints = {}
    for u, one in enumerate(names):
        joints[u, u] = np.diag(pair_table(model, one, names[u - 1]).sum(axis=1))
        for v in range(u + 1, len(names)):
            joints[u, v] = pair_table(model, one, names[v])
    return joints


def one_tree_on(data: DataSet, **priors: object) -> tuple[TreeMixtureEm, TreeMixture]:
    em = TreeMixtureEm(sparse_rows(data), 1, TreePriors(**priors))  # type: ignore[arg-type]
    em.start(np.ones((em.rows.row_count, 1)))
    return em, mixture_of(em.rows, em.taken())


def counted(data: DataSet, u: int, v: int) -> np.ndarray:
    table = np.zeros((data.domain.cardinalities[u], data.domain.cardinalities[v]))
    np.add.at(table, (data.codes[u], data.codes[v]), data.row_weights)
    return table / data.total_weight


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_tree_has_the_margins_of_its_rows_and_of_the_products(seed: int) -> None:
    """P̃ = (N' P' + N P) / (N + N') with P'_uv = P_u P_v, on every edge (eqs. 4.36–4.37)."""
    data, strength = random_rows(seed, 5, 60), 25.0
    _, mixture = one_tree_on(data, strength=strength, toward="product")
    tree = mixture.trees[0]
    for one, other in tree.edges:
        u, v = data.domain.index(one), data.domain.index(other)
        own = counted(data, u, v)
        product = np.outer(own.sum(axis=1), own.sum(axis=0))
        expected = (strength * product + 60 * own) / (60 + strength)
        assert pair_table(tree, one, other) == pytest.approx(expected, abs=1e-9)


def model_and_rows() -> tuple[Any, DataSet]:
    return F1, F1.as_bayesian_network.sample(50, np.random.default_rng(2))


def test_a_tree_has_the_margins_of_its_rows_and_of_a_given_model() -> None:
    model, data = model_and_rows()
    joints, strength = joints_of(model), 30.0
    _, mixture = one_tree_on(data, strength=strength, toward="model", joints=joints)
    tree = mixture.trees[0]
    assert tree.edges
    for one, other in tree.edges:
        u, v = data.domain.index(one), data.domain.index(other)
        given = pair_table(model, one, other)
        expected = (strength * given + 50 * counted(data, u, v)) / (50 + strength)
        assert pair_table(tree, one, other) == pytest.approx(expected, abs=1e-9)


def learn(data: DataSet, **settings: object) -> TreeMixture:
    params = MixtureParams(**{"criterion": "bic", **settings})  # type: ignore[arg-type]
    run = MixtureLearner().run(data, params, rng=np.random.default_rng(0), cancel=NEVER)
    *_, last = run
    assert isinstance(last, Finished)
    assert isinstance(last.model, TreeMixture)
    return last.model


def test_with_many_pseudo_rows_every_tree_is_the_given_one() -> None:
    model, data = model_and_rows()
    settings = {"components": (2,), "smoothing": 1e9, "toward": "model", "toward_model": model}
    learned = learn(data, **settings)
    for tree in learned.trees:
        assert {frozenset(edge) for edge in tree.edges} == {frozenset(e) for e in model.edges}
        for one, other in model.edges:
            given = pair_table(model, one, other)
            assert pair_table(tree, one, other) == pytest.approx(given, abs=1e-6)


def test_with_many_pseudo_rows_of_products_the_columns_are_independent() -> None:
    data = random_rows(5, 4, 80)
    learned = learn(data, components=(1,), smoothing=1e9, toward="product")
    names = data.domain.names
    for u, one in enumerate(names):
        for other in names[u + 1 :]:
            table = pair_table(learned.trees[0], one, other)
            product = np.outer(table.sum(axis=1), table.sum(axis=0))
            assert table == pytest.approx(product, abs=1e-6)


def test_a_model_to_smooth_towards_must_be_given_and_fit() -> None:
    model, _ = model_and_rows()
    data = random_rows(1, 3)
    with pytest.raises(ParameterError, match="a model to smooth towards"):
        learn(data, toward="model")
    with pytest.raises(ParameterError, match="every column"):
        learn(data, toward="model", toward_model=model)


# -- the weights


@pytest.mark.parametrize("strength", [0.5, 5.0, 20.0, 80.0])
@pytest.mark.parametrize("first", [12.0, 25.0, 40.0])
def test_no_weights_of_two_components_have_a_higher_posterior(
    first: float, strength: float
) -> None:
    masses = np.array([first, 50 - first + 0.5])
    weights = entropic_weights(masses, strength, np.full(2, 0.5))
    grid = np.linspace(1e-6, 1 - 1e-6, 20_001)
    values = [entropic_objective(masses, strength, np.array([w, 1 - w])) for w in grid]
    assert weights.sum() == pytest.approx(1)
    assert entropic_objective(masses, strength, weights) >= max(values) - 1e-6


def test_without_strength_the_weights_are_the_fractions_of_rows() -> None:
    masses = np.array([5.0, 0.0, 15.0])
    weights = entropic_weights(masses, 1e-12, np.full(3, 1 / 3))
    assert weights == pytest.approx([0.25, 0.0, 0.75])


def test_a_stronger_prior_lowers_the_entropy_of_the_weights() -> None:
    masses = np.array([10.0, 20.0, 30.0, 5.0])
    result = [entropic_weights(masses, alpha, masses / 65) for alpha in (0.1, 1, 5, 20, 60)]
    entropies = [-entropic_objective(np.zeros(4), 1.0, weights) for weights in result]
    assert all(after < before for before, after in pairwise(entropies))


@pytest.mark.parametrize("toward", ["marginal", "product"])
def test_the_objective_with_these_priors_never_falls(toward: str) -> None:
    for seed in range(6):
        data = random_mixture(np.random.default_rng(seed), 5, 3).sample(
            150, np.random.default_rng(seed)
        )
        priors = TreePriors(
            1.5, toward=toward, edge_penalty=0.8, weight_entropy=30.0, even_rows=1.0
        )
        em = TreeMixtureEm(sparse_rows(data), 3, priors)
        em.start_at_random(np.random.default_rng(seed), spread=1.0)
        values = []
        for _ in range(15):
            prior = em.prior_term()
            values.append(em.improve() + prior)
        assert all(after >= before - 1e-7 for before, after in pairwise(values))


# -- starts


def two_groups(rows: int = 200) -> tuple[DataSet, np.ndarray]:
    """Eight binary columns that repeat the group of their row with 5 % of errors."""
    rng = np.random.default_rng(4)
    group = rng.integers(0, 2, rows)
    codes = [group ^ (rng.random(rows) < 0.05) for _ in range(8)]
    domain = Domain.of({f"v{i}": ("0", "1") for i in range(8)})
    return DataSet(domain, np.array(codes, dtype=np.uint8)), group


def test_k_modes_finds_the_centres_of_two_groups() -> None:
    data, _ = two_groups()
    modes = k_modes(data.codes.T.astype(np.int64), np.ones(200), 2, np.random.default_rng(0))
    assert sorted(map(list, modes.tolist())) == [[0] * 8, [1] * 8]


def test_a_row_with_missing_cells_does_not_move_a_mode() -> None:
    data, _ = two_groups()
    states = data.codes.T.astype(np.int64)
    states[np.random.default_rng(1).random(states.shape) < 0.3] = -1
    modes = k_modes(states, np.ones(200), 2, np.random.default_rng(0))
    assert sorted(map(list, modes.tolist())) == [[0] * 8, [1] * 8]


def test_more_modes_than_different_rows_are_no_fault() -> None:
    states = np.array([[0, 1], [1, 0]])
    assert k_modes(states, np.ones(2), 5, np.random.default_rng(0)).shape == (5, 2)


def test_a_mixture_that_starts_from_modes_separates_the_groups() -> None:
    data, group = two_groups()
    learned = learn(data, components=(2,), start="modes", smoothing=1.0)
    likely = learned.responsibilities(data).argmax(axis=1)
    assert max((likely == group).mean(), (likely != group).mean()) > 0.98


def test_em_goes_on_from_the_mixture_it_is_given() -> None:
    rng = np.random.default_rng(6)
    true = random_mixture(rng, 5, 3)
    data = true.sample(300, rng)
    first = learn(data, components=(3,), smoothing=0.0, max_iterations=4)
    again = learn(data, start_model=first, smoothing=0.0, max_iterations=1)
    assert len(again.trees) == 3
    assert again.log2_probabilities(data).sum() >= first.log2_probabilities(data).sum() - 1e-6


def test_the_first_step_has_the_responsibilities_of_the_model() -> None:
    rng = np.random.default_rng(7)
    model = random_mixture(rng, 4, 2)
    data = model.sample(100, rng)
    em = TreeMixtureEm(sparse_rows(data), 2, TreePriors())
    for _ in starting_with_model(em, model):
        pass
    expected = model.responsibilities(data).mean(axis=0)
    assert em.weights == pytest.approx(expected, abs=1e-9)


def test_latent_classes_are_a_start_too_and_give_their_number() -> None:
    data, _ = two_groups()
    centres = tuple(np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]]) for _ in range(8))
    classes = LatentClasses(data.domain, np.full(3, 1 / 3), centres, "class")
    assert len(learn(data, start_model=classes, smoothing=1.0).trees) == 3


def test_a_start_that_does_not_fit_is_refused() -> None:
    data, _ = two_groups()
    other = random_mixture(np.random.default_rng(0), 4, 2)
    with pytest.raises(ParameterError, match="needs the columns"):
        learn(data, start_model=other)
    with pytest.raises(ParameterError, match="must be 2"):
        learn(data, start_model=other, components=(3,))
    with pytest.raises(ParameterError, match="choice variable"):
        learn(data, start_model=other, choice="v0")


# -- averages of models (eq. 4.3)


def test_an_average_has_the_weighted_probabilities_of_its_models() -> None:
    models = [random_mixture(np.random.default_rng(1), 4, count) for count in (2, 3)]
    domain = models[0].domain
    second = learn(models[0].sample(60, np.random.default_rng(0)), components=(3,), smoothing=1.0)
    mean = averaged([models[0], second], np.array([0.3, 0.7]))
    rows = all_cases(domain)
    parts = [np.exp2(model.log2_probabilities(rows)) for model in (models[0], second)]
    expected = 0.3 * parts[0] + 0.7 * parts[1]
    assert np.exp2(mean.log2_probabilities(rows)) == pytest.approx(expected, abs=1e-12)
    assert expected.sum() == pytest.approx(1)


@pytest.mark.parametrize("criterion", ["bic", "held-out"])
def test_the_best_models_are_averaged_by_their_posterior(criterion: str) -> None:
    rng = np.random.default_rng(3)
    data = random_mixture(rng, 5, 3).sample(300, rng)
    settings = {"criterion": criterion, "smoothing": 2.0, "components": (1, 2), "restarts": 2}
    params = MixtureParams(**settings, average=2)  # type: ignore[arg-type]
    run = MixtureLearner().run(data, params, rng=np.random.default_rng(0), cancel=NEVER)
    events = list(run)
    scans = [e.artifact for e in events if isinstance(e, ArtifactSaved)]
    (scan,) = [a for a in scans if isinstance(a, MixtureScan)][-1:]
    last = events[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, TreeMixture)
    best = sorted(scan.points, key=lambda point: -point.value(scan.criterion))[:2]
    assert len(last.model.trees) == sum(point.trees for point in best)
    rows = 300 if criterion == "bic" else 300 - int(300 * params.held_out)
    odds = 2 ** (rows * (best[1].bic_bits - best[0].bic_bits))
    first = last.model.weights[: best[0].trees].sum()
    assert first == pytest.approx(1 / (1 + odds), rel=1e-6)
    mean = float(last.model.log2_probabilities(data).mean())
    assert last.measures["log2_likelihood_per_row"] == pytest.approx(mean)


def test_models_of_a_choice_variable_are_not_averaged() -> None:
    with pytest.raises(ParameterError, match="must be 1 with a choice variable"):
        learn(random_rows(1, 3), choice="v0", average=2)
