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
from pgmstudio.core.experiments.generators.registry import generator_of
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.conversions import converted
from pgmstudio.core.languages.pdg.conversions import network_of_graph
from pgmstudio.core.languages.pdg.from_network import (
    COLUMNS,
    FEWEST_STATES,
    ORDERS,
    SHARED,
    compiled_graph,
    graph_of_joint,
    reduced,
    rooted,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.session import DecisionGraphSession
from tests.decision_graphs import medical, parity, random_graph, two_trees
from tests.strategies import (
    all_cases,
    random_classes,
    random_mixture,
    random_tree,
    small_networks,
)


def all_rows(generator: str, **chosen: int) -> DataSet:
    """Every row that the generator can make, once."""
    result = generator_of(generator)
    params = result.params_type(**chosen)
    return result.generate(params, np.random.default_rng(0), 5_000).merged()


def joint_over(network: BayesianNetwork, domain: Domain) -> np.ndarray:  # type: ignore[type-arg]
    """P over the first variables, the further ones summed out."""
    table = np.exp2(network.log2_probabilities(all_cases(network.domain)))
    table = table.reshape(network.domain.cardinalities)
    return np.asarray(table.sum(axis=tuple(range(len(domain), table.ndim))).ravel())


@settings(max_examples=60)
@given(network=small_networks(max_variables=10, max_cardinality=3), data=st.data())
def test_a_compiled_network_has_the_same_joint(
    network: BayesianNetwork, data: st.DataObject
) -> None:
    # pdg.md, acceptance check 8
    tree = network.clique_tree
    root = data.draw(st.integers(0, len(tree.cliques) - 1))
    graph = compiled_graph(network, root, order=data.draw(st.sampled_from(ORDERS)))
    cases = all_cases(network.domain)
    wanted = np.exp2(network.log2_probabilities(cases))
    assert np.exp2(graph.log2_probabilities(cases)) == pytest.approx(wanted, abs=1e-12)
    if min(network.domain.cardinalities) > 1:  # the sums of a chain double at least
        assert graph.parameter_size() <= 2 * tree.table_cells
    # |V_i| = |R(Y)|: a node for every combination of those before it in its highest clique.
    cliques = [set(tree.cliques[clique]) for clique in rooted(tree, root).order]
    for i, count in enumerate(graph.node_counts):
        highest = next(clique for clique in cliques if i in clique)
        before = highest.intersection(ancestors(graph, i))
        assert count == math.prod(network.domain.cardinalities[j] for j in before)


def ancestors(graph: DecisionGraph, i: int) -> list[int]:
    """The variables above X_i in the forest."""
    above = graph.forest[i]
    return [] if above is None else [above, *ancestors(graph, above)]


def clique_example() -> BayesianNetwork:
    """Cliques {X1,X2,X3}, {X1,X4}, {X3,X5,X6}, all binary (Nielsen 2007, Examples 4.2–4.4).

    The tables are those of acceptance check 12 of the Bayesian networks.
    """
    names = tuple(f"X{i}" for i in range(1, 7))
    domain = Domain.of(dict.fromkeys(names, ("0", "1")))
    edges = [("X1", "X2"), ("X1", "X3"), ("X2", "X3"), ("X1", "X4")]
    dag = Dag.from_edges(names, [*edges, ("X3", "X5"), ("X3", "X6"), ("X5", "X6")])
    tables = (
        [0.6, 0.4],
        [[0.7, 0.3], [0.2, 0.8]],
        [[[0.9, 0.1], [0.4, 0.6]], [[0.5, 0.5], [0.25, 0.75]]],
        [[0.3, 0.7], [0.6, 0.4]],
        [[0.8, 0.2], [0.1, 0.9]],
        [[[0.5, 0.5], [0.35, 0.65]], [[0.95, 0.05], [0.15, 0.85]]],
    )
    return BayesianNetwork(domain, dag, tuple(np.array(table) for table in tables))


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
    # §8.4: the worked numbers of the network
    session = DecisionGraphSession(graph)
    assert session.belief("X6").values[1] == pytest.approx(0.6332, abs=1e-12)
    session.set_evidence("X6", Observed("1"))
    assert session.belief("X4").values[1] == pytest.approx(0.567719520, abs=5e-10)
    assert session.belief("X1").values[1] == pytest.approx(0.440934934, abs=5e-10)
    states = zip(graph.domain.names, "011011", strict=True)
    session.set_all({name: Observed(state) for name, state in states})
    assert 2 ** session.log2_evidence() == pytest.approx(0.024786, abs=1e-12)


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


LOGIC1 = "ABCGDEFHIJ"


@pytest.mark.parametrize(
    ("data", "bits", "node_counts", "size"),
    [
        (all_rows("logic1").select_columns(LOGIC1), 4, (1, 2, 3, 3, 2, 2, 2, 2, 3, 2), 44),
        (all_rows("logic2"), 4, (1, 2, 2, 2, 2), 18),
        (all_rows("logic3"), 7, (1, 2, 3, 3, 3, 3, 3, 2), 40),
        (all_rows("parity", variables=8), 7, (1, *[2] * 7), 30),
    ],
    ids=["logic1", "logic2", "logic3", "parity of 8"],
)
def test_the_logic_models_have_their_smallest_graphs(
    data: DataSet, bits: int, node_counts: tuple[int, ...], size: int
) -> None:
    # §8.5; Logic1 needs the edges of impossible states to distinguish no nodes
    joint = np.zeros(data.domain.cardinalities)
    joint[tuple(data.codes)] = 2.0**-bits
    assert joint.sum() == 1
    graph = graph_of_joint(data.domain, joint)
    assert graph.node_counts == node_counts
    assert graph.effective_size() == size
    assert graph.log2_probabilities(data) == pytest.approx(-bits, abs=1e-12)


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
    wanted, result = JunctionTreeSession(network), DecisionGraphSession(graph)
    wanted.set_all(evidence)
    result.set_all(evidence)
    assert result.log2_evidence() == pytest.approx(wanted.log2_evidence(), abs=1e-9)
    for variable in network.domain.names:
        assert result.belief(variable).values == pytest.approx(
            wanted.belief(variable).values, abs=1e-10
        )
