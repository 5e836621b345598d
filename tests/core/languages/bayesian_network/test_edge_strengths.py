"""Strengths of edges, against the same numbers from the whole joint table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.information_measures import end_information
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.edge_analysis import removal_divergences
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.strategies import all_cases, small_networks


def joint_of(network: BayesianNetwork) -> np.ndarray:
    cases = all_cases(network.domain)
    return np.exp2(network.log2_probabilities(cases)).reshape(network.domain.cardinalities)


def with_parent_lost(network: BayesianNetwork, source: str, target: str) -> BayesianNetwork:
    """P'(x | rest) = P(x | rest) by summing the whole joint; uniform where that never happens."""
    joint, position = joint_of(network), network.domain.index
    dag = network.dag.without_edge(source, target)
    scope = [*dag.parent_indices[position(target)], position(target)]
    away = tuple(axis for axis in range(joint.ndim) if axis not in scope)
    # Summing keeps the axes in the order of the domain; the child's has to come last.
    kept = [axis for axis in range(joint.ndim) if axis in scope]
    table = joint.sum(axis=away).transpose([kept.index(axis) for axis in scope])
    sums = table.sum(axis=-1, keepdims=True)
    table = np.where(sums > 0, table / np.where(sums > 0, sums, 1), 1 / table.shape[-1])
    tables = list(network.tables)
    tables[position(target)] = table
    return BayesianNetwork(network.domain, dag, tuple(tables))


@given(small_networks(max_variables=5, max_cardinality=3))
@settings(max_examples=40)
def test_the_divergence_of_removal_is_that_of_the_two_joint_distributions(
    network: BayesianNetwork,
) -> None:
    result = dict(removal_divergences(JunctionTreeSession(network), network.edges))
    assert set(result) == set(network.edges)
    p = joint_of(network)
    for edge, bits in result.items():
        q = joint_of(with_parent_lost(network, *edge))
        seen = p > 0
        assert bits == pytest.approx(np.sum(p[seen] * np.log2(p[seen] / q[seen])), abs=1e-9)


@given(small_networks(max_variables=5, max_cardinality=3))
@settings(max_examples=30)
def test_an_edge_between_a_child_and_its_only_parent_has_equal_numbers(
    network: BayesianNetwork,
) -> None:
    session = JunctionTreeSession(network)
    ends = dict(end_information(session, network.edges))
    for edge, bits in removal_divergences(session, network.edges):
        if len(network.dag.parents(edge[1])) == 1:
            assert bits == pytest.approx(ends[edge], abs=1e-9)


def test_a_parent_without_information_can_go_for_free_and_xor_needs_both() -> None:
    domain = Domain.of({"a": ["0", "1"], "b": ["0", "1"], "x": ["0", "1"]})
    dag = Dag.from_edges(domain.names, [("a", "x"), ("b", "x")])
    half = np.array([0.5, 0.5])
    xor = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]])
    idle = np.array([[[0.9, 0.1], [0.9, 0.1]], [[0.2, 0.8], [0.2, 0.8]]])
    session = JunctionTreeSession(BayesianNetwork(domain, dag, (half, half, xor)))
    assert dict(removal_divergences(session, dag.edges)) == pytest.approx(
        {("a", "x"): 1.0, ("b", "x"): 1.0}
    )
    assert dict(end_information(session, dag.edges)) == pytest.approx(
        {("a", "x"): 0.0, ("b", "x"): 0.0}
    )
    session = JunctionTreeSession(BayesianNetwork(domain, dag, (half, half, idle)))
    assert dict(removal_divergences(session, dag.edges))["b", "x"] == pytest.approx(0)
