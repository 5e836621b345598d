"""Averages of models by their posterior (Meilă 1999, eq. 4.3) against sums over joint states."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.analysis.model_averaging import average_models
from pgmstudio.core.analysis.model_comparison import likelihood_of
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import fitted_to
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError, ParameterError, PgmStudioError
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.conversions import mixture_of_tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.model import Model, ProbabilisticModel
from tests.strategies import all_cases, random_classes, random_mixture, random_network, random_table

RNG = np.random.default_rng


def models_over_one_domain() -> dict[str, Model]:
    """A mixture whose component is observed, a tree, latent classes whose variables and states are
    in other orders, and a network of which every variable has one parent at most."""
    rng = RNG(3)
    mixture = random_mixture(rng, 3, 2, is_visible=True)
    domain = mixture.domain
    tree = Tree.from_bayesian_network(
        random_network(rng, cardinalities=domain.cardinalities, density=0.6, max_parents=1)
    )
    tree = Tree(domain, tree.parents, tree.tables)
    turned = Domain(tuple(Variable(v.name, v.states[::-1]) for v in reversed(tuple(domain))))
    tables = tuple(random_table(rng, (3, v.cardinality)) for v in turned)
    classes = LatentClasses(turned, random_table(rng, (3,)), tables)
    return {"mixture": mixture, "tree": tree, "classes": classes, "net": tree.as_bayesian_network}


def test_the_average_is_the_weighted_sum_of_the_probabilities_of_all_joint_states() -> None:
    models = models_over_one_domain()
    weights = [0.1, 0.2, 0.3, 0.4]
    average = average_models(models, weights=[5 * weight for weight in weights])
    assert list(average.weights.values()) == pytest.approx(weights)
    cases = all_cases(average.model.domain)
    expected = np.zeros(cases.row_count)
    for model, weight in zip(models.values(), weights, strict=True):
        assert isinstance(model, ProbabilisticModel)
        expected += weight * np.exp2(model.log2_probabilities(fitted_to(cases, model.domain)))
    assert np.exp2(average.model.log2_probabilities(cases)) == pytest.approx(expected, abs=1e-14)
    assert expected.sum() == pytest.approx(1)


def test_weights_are_the_posterior_of_the_models_given_the_rows() -> None:
    rng = RNG(5)
    trees = [
        Tree.from_bayesian_network(
            random_network(rng, cardinalities=[2, 3, 2, 3], density=0.6, max_parents=1)
        )
        for _ in range(2)
    ]
    first = TreeMixture(trees[0].domain, np.array([0.7, 0.3]), tuple(trees))
    others: dict[str, TreeMixture] = {
        "a": first,
        "b": TreeMixture(first.domain, first.weights[::-1], first.trees),
    }
    rows = first.sample(12, RNG(0))
    product = {
        name: float(np.prod(np.exp2(model.log2_probabilities(rows))))
        for name, model in others.items()
    }
    average = average_models(others, rows, "likelihood")
    for name, value in product.items():
        assert average.weights[name] == pytest.approx(value / sum(product.values()))
    # The sizes are equal, so that the penalty of BIC cancels.
    assert average_models(others, rows).weights == pytest.approx(average.weights)
    # A tree as a mixture has its own size; BIC weighs a larger one down by N^(difference / 2).
    tree = first.trees[0]
    sized = average_models({"small": tree, "large": first}, rows).weights
    plain = average_models({"small": tree, "large": first}, rows, "likelihood").weights
    more = first.representation_size() - tree.representation_size()
    ratio = (sized["small"] / sized["large"]) / (plain["small"] / plain["large"])
    assert ratio == pytest.approx(12 ** (more / 2))
    # Copies of all rows sharpen it, until one model is left; equal models share.
    many = DataSet(rows.domain, rows.codes, np.full(12, 1e5))
    best = max(product, key=lambda name: product[name])
    alone = average_models(others, many, "likelihood")
    assert alone.weights[best] == pytest.approx(1)
    assert len(alone.left_out) == 1
    assert len(alone.model.trees) == 2
    same = average_models({"a": first, "b": first}, rows)
    assert same.weights == {"a": 0.5, "b": 0.5}
    assert likelihood_of(same.model, rows).per_row == pytest.approx(
        likelihood_of(first, rows).per_row
    )


def test_what_cannot_be_averaged_is_refused_with_the_reason() -> None:
    classes = random_classes(RNG(1), 4)
    tree = mixture_of_tree(random_mixture(RNG(2), 3).trees[0])
    with pytest.raises(DataError, match="differ in X3"):
        average_models({"one": classes, "other": tree})
    with pytest.raises(DataError, match="Two different models"):
        average_models({"one": classes})
    with pytest.raises(ParameterError, match="needs rows"):
        average_models({"a": classes, "b": classes}, None, "posterior")
    with pytest.raises(ParameterError, match="3 numbers for 2"):
        average_models({"a": classes, "b": classes}, None, [1, 2, 3])
    network = random_network(RNG(0), cardinalities=[2, 2, 2], density=1.0)
    with pytest.raises(DataError, match="cannot be averaged"):
        average_models({"a": network, "b": network})
    sure = Tree(Domain((Variable("X", ("a", "b")),)), (None,), (np.array([1.0, 0.0]),))
    impossible = DataSet(sure.domain, np.array([[1]], dtype=np.uint8))
    with pytest.raises(PgmStudioError, match="probability 0"):
        average_models({"a": sure, "b": sure}, impossible)
