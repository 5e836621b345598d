"""PC with exact tests: the class of every small graph, and of random larger ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import cpdag_of
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import (
    PcResult,
    pc_search,
)
from pgmstudio.core.scores.independence import IndependenceTester
from tests.core.graphs.small_dags import all_classes
from tests.core.learning.lecture_data import DagOracle
from tests.strategies import random_dag


def by_oracle(tester: IndependenceTester, knowledge: Knowledge | None = None) -> PcResult:
    return run_to_end(pc_search(tester, knowledge))


def finds_the_class_of(dag: Dag) -> bool:
    result = by_oracle(DagOracle(dag))
    assert result.orientation.consistent
    assert result.orientation.conflicts == ()
    return result.pdag == cpdag_of(dag) and result.dag.is_equivalent_to(dag)


@pytest.mark.parametrize(
    "nodes", [2, 3, 4, pytest.param(5, marks=pytest.mark.long)], ids="{} nodes".format
)
def test_exact_tests_find_the_class_of_every_small_graph(nodes: int) -> None:
    # Graphs of one class have the same independences, so one of each class is all of them.
    assert all(finds_the_class_of(members[0]) for members in all_classes(nodes).values())


def test_exact_tests_find_the_class_of_every_graph_of_five_nodes_but_for_their_names() -> None:
    rng = np.random.default_rng(5)
    pairs = list(itertools.combinations(range(5), 2))
    for kept in itertools.product((False, True), repeat=len(pairs)):
        names = rng.permutation(list("ABCDE"))
        edges = [
            (names[a], names[b]) for (a, b), is_kept in zip(pairs, kept, strict=True) if is_kept
        ]
        assert finds_the_class_of(Dag.from_edges(tuple("ABCDE"), edges))


@settings(max_examples=8)
@given(st.integers(0, 2**32), st.sampled_from([0.1, 0.15]))
def test_exact_tests_find_the_class_of_random_graphs_of_twenty_nodes(
    seed: int, density: float
) -> None:
    names = [f"v{i}" for i in range(20)]
    assert finds_the_class_of(random_dag(np.random.default_rng(seed), names, density))


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.data())
def test_exact_tests_and_true_knowledge_find_a_graph_of_the_class_that_obeys(
    seed: int, draw: st.DataObject
) -> None:
    dag = random_dag(np.random.default_rng(seed), [f"v{i}" for i in range(6)], 0.5)
    order = [dag.names[i] for i in dag.topological_order]
    cut = draw.draw(st.integers(0, 6))
    required = draw.draw(st.sets(st.sampled_from(dag.edges), max_size=2)) if dag.edges else set()
    against = [(b, a) for a, b in dag.edges]
    forbidden = draw.draw(st.sets(st.sampled_from(against), max_size=2)) if dag.edges else set()
    rules = Knowledge(
        frozenset(required), frozenset(forbidden), (tuple(order[:cut]), tuple(order[cut:]))
    )
    result = by_oracle(DagOracle(dag), rules)
    assert result.dag.is_equivalent_to(dag)
    assert rules.violations(result.dag.edges) == []
    assert {*cpdag_of(dag).directed} <= {*result.pdag.directed} <= {*dag.edges}
