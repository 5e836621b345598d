"""The size of the clique tree is forecast before an edge is drawn."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings

from pgmstudio.core.graphs.junction_tree import SizeForecast, size_with_edge
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.strategies import small_networks


@given(small_networks(max_variables=6, max_cardinality=3))
@settings(max_examples=40, deadline=None)
def test_the_forecast_is_no_larger_than_the_tree_with_the_edge(network: BayesianNetwork) -> None:
    tree, dag = network.clique_tree, network.dag
    for source, target in permutations(dag.names, 2):
        if dag.has_edge(source, target) or dag.path(target, source) is not None:
            continue
        result = size_with_edge(tree, dag.parent_indices, dag.index(source), dag.index(target))
        wider = BayesianNetwork.uniform(network.domain, dag.with_edge(source, target))
        assert result.before == network.effective_size()
        # Where the family fits into a clique, the present tree serves on; searching again may
        # find another one, never a need for a larger one.
        assert result.after <= max(result.before, wider.effective_size())
        family = {dag.index(source), dag.index(target), *dag.parent_indices[dag.index(target)]}
        if not any(family <= {*clique} for clique in tree.cliques):
            assert result.after == wider.effective_size()


def test_growth_is_a_warning_when_it_is_much() -> None:
    assert not SizeForecast(40, 40).grows
    assert SizeForecast(40, 60).grows
    assert not SizeForecast(40, 60).is_warning
    assert SizeForecast(40, 160).is_warning
    assert SizeForecast(900_000, 1_100_000).is_warning
    assert not SizeForecast(1_100_000, 1_100_000).is_warning
