"""Trees and forests: networks in which every variable has at most one parent."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import CycleError, GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.model import DirectedModel, ProbabilisticModel
from tests.strategies import all_cases, random_tree


@given(st.integers(0, 10**6), st.integers(1, 7))
def test_a_tree_is_the_distribution_of_its_network(seed: int, variables: int) -> None:
    tree = random_tree(np.random.default_rng(seed), variables)
    cases = all_cases(tree.domain)
    logs = tree.log2_probabilities(cases)
    assert np.exp2(logs).sum() == pytest.approx(1)
    assert np.array_equal(logs, tree.as_bayesian_network.log2_probabilities(cases))
    assert tree.effective_size() == tree.as_bayesian_network.effective_size()
    assert tree.representation_size() == tree.as_bayesian_network.representation_size()
    again = Tree.from_bayesian_network(tree.as_bayesian_network)
    assert again.parents == tree.parents


def test_a_lonely_variable_is_a_clique_of_its_own() -> None:
    domain = Domain.of({"a": "xy", "b": "uvw", "c": "pq"})
    network = BayesianNetwork.uniform(domain, Dag.from_edges("abc", [("a", "b")]))
    tree = Tree.from_bayesian_network(network)
    assert tree.effective_size() == 6 + 2
    assert tree.edges == (("a", "b"),)


def test_two_parents_cycles_and_wrong_counts_are_refused() -> None:
    domain = Domain.of({"a": "xy", "b": "uv", "c": "pq"})
    collider = BayesianNetwork.uniform(domain, Dag.from_edges("abc", [("a", "c"), ("b", "c")]))
    with pytest.raises(GraphError, match="c has 2 parents"):
        Tree.from_bayesian_network(collider)
    half = np.full((2, 2), 0.5)
    with pytest.raises(CycleError):
        Tree(domain, (1, 0, None), (half, half, np.array([0.5, 0.5])))
    with pytest.raises(GraphError, match="3 variables have 2 parents"):
        Tree(domain, (None, 0), (np.array([0.5, 0.5]), half))


def test_trees_come_back_whole_and_sealed_from_a_journey() -> None:
    tree = random_tree(np.random.default_rng(2), 5)
    back = pickle.loads(pickle.dumps(tree))
    cases = all_cases(tree.domain)
    assert np.array_equal(back.log2_probabilities(cases), tree.log2_probabilities(cases))
    with pytest.raises(ValueError, match="read-only"):
        back.tables[0][...] = 1.0


def test_samples_are_over_the_trees_domain() -> None:
    tree = random_tree(np.random.default_rng(7), 5)
    data = tree.sample(200, np.random.default_rng(1))
    assert data.domain == tree.domain
    assert np.isfinite(tree.log2_probabilities(data)).all()


def test_it_offers_what_a_directed_distribution_has() -> None:
    tree = random_tree(np.random.default_rng(0), 3)
    assert isinstance(tree, ProbabilisticModel)
    assert isinstance(tree, DirectedModel)
