"""Networks as decision graphs and back: the same distribution, sizes as promised."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.clique_tree_session import CliqueTreeSession
from pgmstudio.core.inference.decision_graph_session import DecisionGraphSession
from pgmstudio.core.inference.protocols import Observed
from pgmstudio.core.io.model_files import read_model
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.models.compiled_graphs import (
    COLUMNS,
    FEWEST_STATES,
    ORDERS,
    SHARED,
    compiled_graph,
)
from pgmstudio.core.models.conversions import converted
from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.core.models.graph_networks import network_of_graph
from pgmstudio.core.models.reduced_graphs import graph_of_joint, reduced
from tests.decision_graphs import medical, parity, random_graph, two_trees
from tests.strategies import (
    all_cases,
    random_classes,
    random_mixture,
    random_network,
    random_tree,
    small_networks,
)


def joint_over(network: BayesianNetwork, domain: Domain) -> np.ndarray:  # type: ignore[type-arg]
    """P over the first variables, the further ones summed out."""
    table = np.exp2(network.log2_probabilities(all_cases(network.domain)))
    table = table.reshape(network.domain.cardinalities)
    return np.asarray(table.sum(axis=tuple(range(len(domain), table.ndim))).ravel())


@settings(max_examples=40)
@given(network=small_networks(max_variables=6), data=st.data())
def test_a_compiled_network_has_the_same_joint(
    network: BayesianNetwork, data: st.DataObject
) -> None:
    tree = network.clique_tree
    root = data.draw(st.integers(0, len(tree.cliques) - 1))
    graph = compiled_graph(network, root, order=data.draw(st.sampled_from(ORDERS)))
    cases = all_cases(network.domain)
    wanted = np.exp2(network.log2_probabilities(cases))
    assert np.exp2(graph.log2_probabilities(cases)) == pytest.approx(wanted, abs=1e-12)
    assert graph.parameter_size() <= 2 * tree.table_cells


def clique_example() -> BayesianNetwork:
    """Cliques {X1,X2,X3}, {X1,X4}, {X3,X5,X6}, all binary (Nielsen 2007, Examples 4.2–4.4)."""
    names = tuple(f"X{i}" for i in range(1, 7))
    domain = Domain.of(dict.fromkeys(names, ("0", "1")))
    edges = [("X1", "X2"), ("X1", "X3"), ("X2", "X3"), ("X1", "X4")]
    dag = Dag.from_edges(names, [*edges, ("X3", "X5"), ("X3", "X6"), ("X5", "X6")])
    rng = np.random.default_rng(1)
    shapes = [(2,) * (len(p) + 1) for p in dag.parent_indices]
    return BayesianNetwork(domain, dag, tuple(rng.dirichlet((1, 1), s[:-1]) for s in shapes))


def test_the_compilation_of_the_source_has_its_sizes() -> None:
    network = clique_example()
    tree = network.clique_tree
    assert tree.table_cells == 20
    root = tree.cliques.index((0, 1, 2))
    graph = compiled_graph(network, root)
    assert graph.forest == (None, 0, 1, 2, 2, 4)
    assert graph.node_counts == (1, 2, 4, 2, 2, 4)
    sizes = (graph.effective_size(), graph.parameter_size(), graph.representation_size())
    assert sizes == (38, 30, 15)
    edges = graph.successors[3]
    assert edges is not None
    assert (edges[:, 0] == edges[:, 1]).all()  # X4 asks X1 alone


def test_variables_of_several_cliques_can_come_first() -> None:
    network = clique_example()
    tree = network.clique_tree
    root = next(c for c, members in enumerate(tree.cliques) if {0, 1, 2} <= set(members))
    forests = {order: compiled_graph(network, root, order=order).forest for order in ORDERS}
    assert forests[SHARED][:3] == (None, 2, 0)  # X1, X3, and X2, which no other clique has
    assert forests[FEWEST_STATES][:3] == forests[COLUMNS][:3] == (None, 0, 1)


def test_a_clique_that_is_not_there_is_named() -> None:
    with pytest.raises(GraphError, match="no clique 99"):
        compiled_graph(clique_example(), 98)


@pytest.mark.parametrize("graph", [two_trees(), medical(), parity(6)], ids=["two", "med", "par"])
def test_known_graphs_become_networks_with_the_same_joint(graph: DecisionGraph) -> None:
    network = network_of_graph(graph)
    wanted = np.exp2(graph.log2_probabilities(all_cases(graph.domain)))
    assert joint_over(network, graph.domain) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("seed", range(15))
def test_random_graphs_become_networks_with_the_same_joint(seed: int) -> None:
    graph = random_graph(np.random.default_rng(seed), 5, most_nodes=3)
    network = network_of_graph(graph)
    wanted = np.exp2(graph.log2_probabilities(all_cases(graph.domain)))
    assert joint_over(network, graph.domain) == pytest.approx(wanted, abs=1e-12)


def test_parity_needs_a_clique_tree_of_linear_size() -> None:
    network = network_of_graph(parity(30))
    assert network.clique_tree.table_cells <= 8 * 29 + 4


def test_a_tree_goes_there_and_back_without_further_variables() -> None:
    tree = random_tree(np.random.default_rng(8), 7)
    graph = converted(tree, DecisionGraph.kind)
    assert isinstance(graph, DecisionGraph)
    network = converted(graph, BayesianNetwork.kind)
    assert network.domain == tree.domain
    cases = all_cases(tree.domain)
    wanted = np.exp2(tree.log2_probabilities(cases))
    assert isinstance(network, BayesianNetwork)
    assert np.exp2(network.log2_probabilities(cases)) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_mixture_becomes_a_graph_with_the_same_joint(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for model in (random_mixture(rng, 4, 2), random_classes(rng, 4, 3)):
        graph = converted(model, DecisionGraph.kind)
        assert isinstance(graph, DecisionGraph)
        assert graph.domain == model.domain
        cases = all_cases(model.domain)
        wanted = np.exp2(model.log2_probabilities(cases))
        assert np.exp2(graph.log2_probabilities(cases)) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_equal_nodes_become_one_and_nothing_else_changes(seed: int) -> None:
    graph = random_graph(np.random.default_rng(seed), 6)
    smaller = reduced(graph)
    cases = all_cases(graph.domain)
    wanted = np.exp2(graph.log2_probabilities(cases))
    assert np.exp2(smaller.log2_probabilities(cases)) == pytest.approx(wanted, abs=1e-11)
    assert smaller.effective_size() <= graph.effective_size()
    assert reduced(smaller).node_counts == smaller.node_counts


def test_any_joint_table_has_a_graph_and_parity_its_smallest() -> None:
    cases = all_cases(parity(7).domain)
    joint = np.exp2(parity(7).log2_probabilities(cases))
    graph = graph_of_joint(parity(7).domain, joint)
    assert graph.effective_size() == 4 * 6 + 2
    assert np.exp2(graph.log2_probabilities(cases)) == pytest.approx(joint, abs=1e-12)


NETWORKS = ["asia", "cancer", "earthquake", "survey", "child", "alarm", "insurance"]


@pytest.mark.parametrize("name", NETWORKS)
def test_shared_networks_compile_to_the_same_beliefs(shared: Path, name: str) -> None:
    network = read_model(shared / f"data/networks/{name}.bif").model
    assert isinstance(network, BayesianNetwork)
    graph = compiled_graph(network)
    assert graph.parameter_size() <= 2 * network.clique_tree.table_cells
    rng = np.random.default_rng(3)
    row = network.sample(1, rng).codes[:, 0]
    seen = rng.permutation(len(network.domain))[: max(1, len(network.domain) // 5)]
    evidence = {
        network.domain.names[i]: Observed(network.domain.variables[i].states[row[i]]) for i in seen
    }
    wanted, found = CliqueTreeSession(network), DecisionGraphSession(graph)
    wanted.set_all(evidence)
    found.set_all(evidence)
    assert found.log2_evidence() == pytest.approx(wanted.log2_evidence(), abs=1e-9)
    for variable in network.domain.names:
        assert found.belief(variable).values == pytest.approx(
            wanted.belief(variable).values, abs=1e-10
        )


def test_every_node_of_a_compiled_graph_has_its_own_combination() -> None:
    network = random_network(np.random.default_rng(5), 7, density=0.5)
    graph = compiled_graph(network)
    rows = DataSet(graph.domain, all_cases(graph.domain).codes)
    reached = graph.reached_nodes(rows)
    for i, count in enumerate(graph.node_counts):
        assert len(np.unique(reached[i])) == count
        assert count <= math.prod(graph.domain.cardinalities)
