"""Polytrees: Rebane and Pearl's recovery, rules and data that come from none."""

from __future__ import annotations

import itertools

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.counting import pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import KnowledgeError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import cpdag_of
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import PcResult
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.polytree import (
    PolytreeParams,
    polytree_search,
    spanning_pairs,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.mutual_information import mutual_information_nats
from tests.core.learning.lecture_data import CORONARY
from tests.oracles.brute_force import joint_table


def polytree_result(data: DataSet, params: PolytreeParams, cancel: CancelToken = NEVER) -> PcResult:
    """Skeleton, tests and directions of the polytree of the data."""
    return run_to_end(polytree_search(data, params, cancel))


BITS = ("0", "1")


def polytree_network(seed: int, nodes: int = 8) -> BayesianNetwork:
    """A random polytree of two-state columns with strong and different effects."""
    rng = np.random.default_rng(seed)
    domain = Domain.of({f"v{i}": BITS for i in range(nodes)})
    edges = []
    for node in range(1, nodes):
        other = int(rng.integers(max(0, node - 3), node))
        ends = (f"v{other}", f"v{node}") if rng.random() < 0.5 else (f"v{node}", f"v{other}")
        edges.append(ends)
    dag = Dag.from_edges(domain.names, edges)
    tables = []
    for parents in dag.parent_indices:
        strengths = rng.uniform(1.5, 2.5, len(parents)) * rng.choice([-1, 1], len(parents))
        logits = np.zeros((2,) * len(parents))
        for state in itertools.product((0, 1), repeat=len(parents)):
            logits[state] = sum(s * (2 * x - 1) for s, x in zip(strengths, state, strict=True))
        ones = 1 / (1 + np.exp(-logits))
        tables.append(np.stack([1 - ones, ones], axis=-1))
    return BayesianNetwork(domain, dag, tuple(tables))


def test_many_rows_of_a_polytree_give_its_class_back() -> None:
    hits = 0
    for seed in range(6):
        network = polytree_network(seed)
        rows = network.sample(20_000, np.random.default_rng(seed))
        result = polytree_result(rows, PolytreeParams(alpha=0.001))
        assert {*result.skeleton.edges} == {*network.dag.skeleton}
        hits += result.pdag == cpdag_of(network.dag)
    assert hits >= 5


def test_the_exact_distribution_of_a_polytree_gives_its_class_back() -> None:
    for seed in range(20):
        network = polytree_network(seed)
        fractions = joint_table(network)
        states = np.indices(fractions.shape, dtype=np.uint8).reshape(len(network.domain), -1)
        rows = DataSet(network.domain, states, weights=100_000 * fractions.ravel())
        result = polytree_result(rows, PolytreeParams(alpha=0.001))
        assert result.pdag == cpdag_of(network.dag)


def collider(rows: int = 4000) -> DataSet:
    """a → c ← b, c → d; e by itself."""
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, (2, rows))
    c = np.where(rng.random(rows) < 0.1, rng.integers(0, 2, rows), a | b)
    d = np.where(rng.random(rows) < 0.2, 1 - c, c)
    e = rng.integers(0, 2, rows)
    return DataSet(
        Domain.of(dict.fromkeys("abcde", BITS)), np.array([a, b, c, d, e], dtype=np.uint8)
    )


def test_independent_neighbours_point_in_and_the_rest_follows() -> None:
    result = polytree_result(collider(), PolytreeParams(alpha=0.01))
    assert set(result.pdag.directed) == {("a", "c"), ("b", "c"), ("c", "d")}
    assert result.pdag.undirected == ()
    assert result.sepsets[frozenset("ab")] == ()


def test_an_edge_of_the_tree_whose_ends_test_independent_is_left_out() -> None:
    result = polytree_result(collider(), PolytreeParams(alpha=0.01))
    assert not any("e" in edge for edge in result.skeleton.edges)
    assert any("e" in (test.a, test.b) for test in result.tests)


def test_a_chain_keeps_its_directions_open() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 2, 5000)]
    for _ in range(3):
        columns.append(np.where(rng.random(5000) < 0.15, 1 - columns[-1], columns[-1]))
    data = DataSet(Domain.of(dict.fromkeys("abcd", BITS)), np.array(columns, dtype=np.uint8))
    result = polytree_result(data, PolytreeParams())
    assert len(result.pdag.undirected) == 3
    assert result.dag.v_structures == frozenset()


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.data())
def test_whatever_the_rules_there_is_one_way_between_two_columns(
    seed: int, draw: st.DataObject
) -> None:
    rows = CORONARY.select_columns(draw.draw(st.permutations("ABCDEF")))
    names = rows.domain.names
    arcs = list(itertools.permutations(names, 2))
    path = list(itertools.pairwise(draw.draw(st.permutations(names))))
    required = draw.draw(st.sets(st.sampled_from(path), max_size=3))
    forbidden = draw.draw(st.sets(st.sampled_from(arcs), max_size=8)) - required
    rules = Knowledge(frozenset(required), frozenset(forbidden))
    alpha = float(np.random.default_rng(seed).uniform(0.001, 0.5))
    result = polytree_result(rows, PolytreeParams(alpha=alpha, knowledge=rules))
    assert rules.violations(result.dag.edges) == []
    assert networkx.is_forest(_graph(names, result.dag.edges))


def _graph(names: tuple[str, ...], edges: tuple[tuple[str, str], ...]) -> networkx.Graph:
    graph = networkx.Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from(edges)
    return graph


def test_the_tree_is_the_best_that_has_what_is_required() -> None:
    information = mutual_information_nats(pair_counts(CORONARY))
    names = CORONARY.domain.names
    free = spanning_pairs(information, EdgeRules.of(names, None, None), frozenset())
    # relational-and-possibilistic.md, check 13
    assert {names[a] + names[b] for a, b in free} == {"BC", "AC", "BE", "DE", "BF"}
    required = frozenset({(2, 3)})
    rules = EdgeRules.of(names, Knowledge(required=frozenset({("C", "D")})), None)
    with_one = spanning_pairs(information, rules, required)
    best = max(
        sum(information[pair] for pair in pairs)
        for pairs in itertools.combinations(itertools.combinations(range(6), 2), 5)
        if (2, 3) in pairs and networkx.is_forest(networkx.Graph(pairs))
    )
    assert sum(information[pair] for pair in with_one) == pytest.approx(best)


def test_required_edges_that_go_round_are_refused() -> None:
    rules = Knowledge(required=frozenset({("A", "B"), ("B", "C"), ("A", "C")}))
    with pytest.raises(KnowledgeError, match="a polytree has one path between two columns"):
        polytree_result(CORONARY, PolytreeParams(knowledge=rules))
