"""Turning edges around keeps the distribution, whatever the tables hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.errors import GraphError, TooLargeError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import cpdag_of, members_of
from pgmstudio.core.languages.bayesian_network.arc_reversal import (
    inherited_edges,
    largest_difference,
    not_reversible_reason,
    with_edge_turned,
    with_equivalent_graph,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.oracles.brute_force import joint_table
from tests.oracles.graphs import covered_edges, is_covered
from tests.strategies import domain_of, random_network, small_networks


@given(small_networks(max_variables=6, max_cardinality=3))
@settings(max_examples=60, deadline=None)
def test_every_edge_that_can_be_turned_keeps_the_joint_distribution(
    network: BayesianNetwork,
) -> None:
    before = joint_table(network)
    for edge in network.edges:
        if not_reversible_reason(network.dag, *edge):
            continue
        turned = with_edge_turned(network, *edge)
        assert turned.dag.has_edge(edge[1], edge[0])
        np.testing.assert_allclose(joint_table(turned), before, atol=1e-12)
        # Besides the turned edge only the inherited ones are new.
        added = set(inherited_edges(network.dag, *edge))
        assert set(turned.edges) == (set(network.edges) - {edge}) | added | {(edge[1], edge[0])}


@given(small_networks(max_variables=5, max_cardinality=3))
@settings(max_examples=60, deadline=None)
def test_an_edge_reversed_alone_keeps_what_the_graph_allows(network: BayesianNetwork) -> None:
    for source, target in network.edges:
        if not_reversible_reason(network.dag, source, target):
            continue
        changed = network.with_reversed_edge(source, target)
        assert changed.dag == network.dag.with_reversed(source, target)
        if is_covered(network.dag, source, target):
            np.testing.assert_allclose(joint_table(changed), joint_table(network), atol=1e-12)
        # Each table is the conditional of both when their parents are uniform and independent.
        alone = parents_of_two(network, source, target)
        for name in (source, target):
            expected = conditional(alone, name, changed.dag.parents(name))
            np.testing.assert_allclose(changed.table(name), expected, atol=1e-12)


def parents_of_two(network: BayesianNetwork, source: str, target: str) -> BayesianNetwork:
    """The two and their parents, which are uniform and have no parents besides."""
    ends = {source, target}
    edges = [edge for edge in network.edges if edge[1] in ends]
    alone = BayesianNetwork.uniform(network.domain, Dag.from_edges(network.domain.names, edges))
    for name in ends:
        alone = alone.with_table(name, network.table(name))
    return alone


def conditional(network: BayesianNetwork, name: str, parents: Sequence[str]) -> Any:
    """P(name | parents), an axis for each of them; uniform where the parents cannot be so."""
    axes = [network.domain.index(one) for one in (*parents, name)]
    others = tuple(i for i in range(len(network.domain)) if i not in axes)
    table = joint_table(network).sum(axis=others)
    indices = sorted(axes)
    table = table.transpose([indices.index(axis) for axis in axes])
    total = table.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, table / total, 1 / table.shape[-1])


@given(small_networks(max_variables=6, max_cardinality=3), st.integers(0, 30))
@settings(max_examples=50, deadline=None)
def test_every_graph_of_the_class_can_carry_the_distribution(
    network: BayesianNetwork, number: int
) -> None:
    members = list(islice(members_of(cpdag_of(network.dag)), number + 1))
    changed = with_equivalent_graph(network, members[-1])
    assert changed.dag == members[-1]
    assert largest_difference(network, changed) < 1e-9
    assert changed.representation_size() == network.representation_size()


def test_a_covered_edge_inherits_nothing_and_others_say_what() -> None:
    dag = Dag.from_edges("abcd", [("a", "b"), ("a", "c"), ("b", "c"), ("d", "c")])
    assert covered_edges(dag) == (("a", "b"),)
    assert inherited_edges(dag, "a", "b") == ()
    assert inherited_edges(dag, "b", "c") == (("d", "b"),)
    assert "a → b → c" in not_reversible_reason(dag, "a", "c")
    assert "no edge" in not_reversible_reason(dag, "d", "a")


def test_what_cannot_be_turned_is_refused_with_a_reason() -> None:
    network = random_network(np.random.default_rng(1), cardinalities=[2, 2, 2], density=1.0)
    (first, *_rest) = network.dag.topological_order
    last = network.dag.topological_order[-1]
    names = network.domain.names
    with pytest.raises(GraphError, match="leads there too"):
        with_edge_turned(network, names[first], names[last])
    with pytest.raises(GraphError, match="are not equivalent"):
        with_equivalent_graph(network, Dag.empty(names))


def test_a_table_that_would_be_too_large_is_refused() -> None:
    domain = domain_of([40] * 6)
    names = domain.names
    dag = Dag.from_edges(names, [*((n, names[4]) for n in names[:2]), (names[4], names[5])])
    dag = dag.with_edge(names[2], names[5]).with_edge(names[3], names[5])
    # Tables of that size are only forecast, so a stand-in without numbers will do.
    network = BayesianNetwork.__new__(BayesianNetwork)
    network.__dict__.update(domain=domain, dag=dag, tables=())
    with pytest.raises(TooLargeError, match="Remove some of their parents"):
        with_edge_turned(network, names[4], names[5])


def test_the_check_sees_a_difference_and_compares_large_networks_by_rows() -> None:
    rng = np.random.default_rng(3)
    small = random_network(rng, cardinalities=[2, 2, 2], density=0.7)
    other = BayesianNetwork.uniform(small.domain, small.dag)
    assert largest_difference(small, small) == 0
    assert largest_difference(small, other) > 0.01
    large = random_network(rng, variables=30)
    assert largest_difference(large, large) == 0
    assert largest_difference(large, BayesianNetwork.uniform(large.domain, large.dag)) > 0.01
    impossible = small.with_table("X0", np.eye(2)[np.zeros(small.tables[0].shape[:-1], int)])
    assert largest_difference(small, impossible) == 1.0
