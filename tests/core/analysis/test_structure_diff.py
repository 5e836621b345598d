"""Two models as structures, with sizes and likelihoods."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings

from pgmstudio.core.analysis.structure_comparison import structure_difference
from pgmstudio.core.drawing.difference import SYMBOLS, difference_picture
from pgmstudio.core.errors import DataError, GraphError
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.likelihood import log2_likelihood
from tests.strategies import random_network, random_tree, small_networks


@given(small_networks(max_variables=5))
@settings(max_examples=25)
def test_a_model_does_not_differ_from_itself(network: BayesianNetwork) -> None:
    rows = network.sample(20, np.random.default_rng(0))
    result = structure_difference(network, network, rows)
    assert result.graph.is_empty
    assert result.parameters[0] == result.parameters[1]
    assert result.likelihood is not None
    assert result.likelihood.difference == pytest.approx(0)
    assert {edge.label for edge in difference_picture(result.graph).edges} <= {""}
    json.dumps(result.as_dict(), allow_nan=False)


def test_likelihoods_are_those_of_the_models_and_second_minus_first() -> None:
    rng = np.random.default_rng(5)
    first = random_network(rng, 4, cardinalities=[2, 2, 3, 2])
    second = random_network(rng, 4, cardinalities=[2, 2, 3, 2])
    rows = first.sample(50, rng)
    fit = structure_difference(first, second, rows).likelihood
    assert fit is not None
    assert fit.first == pytest.approx(log2_likelihood(first, rows))
    assert fit.second == pytest.approx(log2_likelihood(second, rows))
    assert fit.difference == pytest.approx(fit.second - fit.first)


def test_a_model_that_rules_out_rows_has_no_difference_in_bits() -> None:
    rng = np.random.default_rng(2)
    network = random_network(rng, 2, cardinalities=[2, 2], density=0)
    certain = network.with_table("X0", np.array([1.0, 0.0]))
    rows = network.with_table("X0", np.array([0.5, 0.5])).sample(30, rng)
    fit = structure_difference(network, certain, rows).likelihood
    assert fit is not None
    assert fit.second == -np.inf
    assert fit.difference is None


def test_models_of_other_variables_have_a_structure_but_no_common_likelihood() -> None:
    rng = np.random.default_rng(3)
    small = random_network(rng, 3, cardinalities=[2, 2, 2])
    large = random_network(rng, 4, cardinalities=[2, 2, 2, 2])
    result = structure_difference(small, large)
    assert result.graph.only_second == ("X3",)
    with pytest.raises(DataError, match="X3"):
        structure_difference(small, large, large.sample(5, rng))


def test_trees_and_networks_can_be_compared_and_models_without_edges_are_refused() -> None:
    tree = random_tree(np.random.default_rng(4), 4)
    result = structure_difference(tree, tree.as_bayesian_network)
    assert result.graph.is_empty

    class Shapeless:
        kind = "shapeless"
        domain = tree.domain

        def representation_size(self) -> int:
            return 0

        def effective_size(self) -> int:
            return 0

    with pytest.raises(GraphError, match="shapeless"):
        structure_difference(tree, Shapeless())


def test_every_difference_in_the_picture_has_its_sign() -> None:
    rng = np.random.default_rng(8)
    result = structure_difference(
        random_network(rng, 6, cardinalities=[2] * 6), random_network(rng, 6, cardinalities=[2] * 6)
    )
    picture = difference_picture(result.graph)
    assert len(picture.edges) == len(result.graph.edges)
    for drawn, edge in zip(picture.edges, result.graph.edges, strict=True):
        assert drawn.label == SYMBOLS[edge.change]
        assert drawn.style.is_difference == bool(drawn.label)
        assert drawn.style.has_arrow
