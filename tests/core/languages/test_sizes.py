"""What sizes are made of adds up to them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.sizes import size_breakdown
from tests.strategies import random_tree, small_networks


@given(small_networks())
@settings(max_examples=40)
def test_families_and_cliques_add_up_to_both_sizes(network: BayesianNetwork) -> None:
    sizes = size_breakdown(network)
    assert sum(family.free for family in sizes.families) == network.representation_size()
    assert sum(clique.cells for clique in sizes.cliques) == network.effective_size()
    assert sizes.triangulator == network.clique_tree.method


@given(st.integers(0, 500), st.integers(1, 9))
@settings(max_examples=40)
def test_a_tree_adds_up_by_its_edges(seed: int, count: int) -> None:
    tree = random_tree(np.random.default_rng(seed), count)
    sizes = size_breakdown(tree)
    assert sum(clique.cells for clique in sizes.cliques) == tree.effective_size()
    assert sum(family.free for family in sizes.families) == tree.representation_size()


def test_the_worked_example_of_the_specification() -> None:
    # Nielsen 2007, Fig. 3.4 and 3.5: size_eff 40, size_rep 17.
    names = [f"X{i}" for i in range(7)]
    pairs = [(0, 1), (0, 3), (1, 2), (3, 2), (3, 4), (4, 6), (2, 5), (6, 5)]
    dag = Dag.from_edges(names, [(names[a], names[b]) for a, b in pairs])
    domain = Domain(tuple(Variable(name, ("a", "b")) for name in names))
    sizes = size_breakdown(BayesianNetwork.uniform(domain, dag))
    assert [family.free for family in sizes.families] == [1, 2, 4, 2, 2, 4, 2]
    assert [clique.cells for clique in sizes.cliques] == [8] * 5
