"""What became of every edge, and how far two structures are apart."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.graphs.comparison import EdgeChange, graph_difference
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import cpdag_of
from tests.oracles.graphs import covered_edges, with_covered_reversed
from tests.strategies import random_dag

NAMES = tuple("ABCDEF")
graphs = st.builds(
    lambda seed, density: random_dag(np.random.default_rng(seed), NAMES, density, 5),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.1, 0.3, 0.6]),
)


def test_each_edge_is_common_added_missing_or_reversed() -> None:
    first = Dag.from_edges("ABCD", [("A", "B"), ("B", "C"), ("C", "D")])
    second = Dag.from_edges("ABCD", [("A", "B"), ("C", "B"), ("A", "D")])
    result = {edge.edge: edge.change for edge in graph_difference(first, second).edges}
    assert result == {
        ("A", "B"): EdgeChange.COMMON,
        ("C", "B"): EdgeChange.REVERSED,
        ("C", "D"): EdgeChange.MISSING,
        ("A", "D"): EdgeChange.ADDED,
    }
    assert graph_difference(first, second).shd == 3


def test_variables_of_one_graph_only_are_reported_and_their_edges_added_or_missing() -> None:
    first = Dag.from_edges(["A", "B", "C"], [("A", "C")])
    second = Dag.from_edges(["B", "A", "D"], [("D", "A")])
    difference = graph_difference(first, second)
    assert (difference.only_first, difference.only_second) == (("C",), ("D",))
    assert {e.edge: e.change for e in difference.edges} == {
        ("A", "C"): EdgeChange.MISSING,
        ("D", "A"): EdgeChange.ADDED,
    }
    assert not difference.is_empty


@given(graphs)
@settings(max_examples=40)
def test_a_graph_does_not_differ_from_itself(dag: Dag) -> None:
    difference = graph_difference(dag, dag)
    assert difference.is_empty
    assert (difference.shd, difference.shd_of_classes) == (0, 0)
    assert difference.counts[EdgeChange.COMMON] == len(dag.edges)
    assert not any(edge.changes_class for edge in difference.edges)


@given(graphs, graphs, graphs)
@settings(max_examples=60)
def test_both_distances_are_metrics_and_the_second_is_one_on_classes(
    a: Dag, b: Dag, c: Dag
) -> None:
    def far(one: Dag, other: Dag) -> tuple[int, int]:
        difference = graph_difference(one, other)
        return difference.shd, difference.shd_of_classes

    assert far(a, b) == far(b, a)
    assert all(ac <= ab + bc for ac, ab, bc in zip(far(a, c), far(a, b), far(b, c), strict=True))
    assert (far(a, b)[0] == 0) == (a == b)
    assert (far(a, b)[1] == 0) == a.is_equivalent_to(b)
    difference = graph_difference(a, b)
    assert sum(edge.changes_class for edge in difference.edges) == difference.shd_of_classes


@given(graphs, graphs)
@settings(max_examples=40)
def test_going_back_turns_added_into_missing(a: Dag, b: Dag) -> None:
    there, back = graph_difference(a, b).counts, graph_difference(b, a).counts
    assert there[EdgeChange.ADDED] == back[EdgeChange.MISSING]
    assert there[EdgeChange.REVERSED] == back[EdgeChange.REVERSED]
    assert there[EdgeChange.COMMON] == back[EdgeChange.COMMON]


@given(graphs)
@settings(max_examples=40)
def test_reversing_a_covered_edge_is_one_step_apart_and_none_in_the_class(dag: Dag) -> None:
    for source, target in covered_edges(dag):
        other = with_covered_reversed(dag, source, target)
        difference = graph_difference(dag, other)
        assert (difference.shd, difference.shd_of_classes) == (1, 0)
        (reverse,) = difference.of(EdgeChange.REVERSED)
        assert reverse.edge == (target, source)
        assert not reverse.changes_class


def test_a_common_edge_may_become_compelled() -> None:
    chain = Dag.from_edges("ABC", [("A", "B"), ("B", "C")])
    collider = Dag.from_edges("ABC", [("A", "B"), ("C", "B")])
    common = graph_difference(chain, collider).of(EdgeChange.COMMON)
    assert [edge.edge for edge in common] == [("A", "B")]
    assert common[0].changes_class
    assert cpdag_of(collider).directed == (("A", "B"), ("C", "B"))
