"""DAGs as values: edits, refusals and what graphs mean the same."""

from __future__ import annotations

from itertools import pairwise, product

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.errors import CycleError, GraphError, UnknownNameError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag, cpdag_of
from tests.strategies import random_dag


@st.composite
def dags(draw: st.DrawFn) -> Dag:
    count = draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random_dag(rng, [f"X{i}" for i in range(count)], draw(st.sampled_from([0.2, 0.6])))


@given(dags())
def test_parents_come_before_children_in_the_topological_order(dag: Dag) -> None:
    position = {node: i for i, node in enumerate(dag.topological_order)}
    assert sorted(position) == list(range(len(dag.names)))
    for child, parents in enumerate(dag.parent_indices):
        assert all(position[parent] < position[child] for parent in parents)


@given(dags())
def test_ancestors_and_descendants_are_each_others_mirror(dag: Dag) -> None:
    for one, other in product(dag.names, repeat=2):
        assert (one in dag.ancestors(other)) == (other in dag.descendants(one))
        assert (one in dag.ancestors(other)) == (one != other and dag.path(one, other) is not None)


@given(dags())
def test_every_possible_edge_is_added_or_refused_with_the_path_that_forbids_it(dag: Dag) -> None:
    for source, target in product(dag.names, repeat=2):
        if source == target:
            with pytest.raises(GraphError, match="its own parent"):
                dag.with_edge(source, target)
        elif source in dag.descendants(target):
            with pytest.raises(CycleError) as refused:
                dag.with_edge(source, target)
            path = refused.value.path
            assert (path[0], path[-1]) == (target, source)
            assert all(dag.has_edge(a, b) for a, b in pairwise(path))
        else:
            assert dag.with_edge(source, target).has_edge(source, target)


@given(dags())
def test_removing_and_adding_an_edge_gives_the_same_graph(dag: Dag) -> None:
    for edge in dag.edges:
        assert dag.without_edge(*edge).with_edge(*edge) == dag
    assert Dag.from_edges(dag.names, dag.edges) == dag


def test_a_cycle_is_refused_and_named() -> None:
    with pytest.raises(CycleError) as refused:
        Dag.from_edges("abc", [("a", "b"), ("b", "c"), ("c", "a")])
    assert sorted(refused.value.path) == ["a", "b", "c"]


def test_unknown_and_absent_edges_are_refused() -> None:
    dag = Dag.empty(["rain", "wet"])
    with pytest.raises(UnknownNameError, match="Did you mean rain"):
        dag.with_edge("rian", "wet")
    with pytest.raises(GraphError, match="no edge rain → wet"):
        dag.without_edge("rain", "wet")


def test_reversing_an_edge_on_a_longer_path_is_refused() -> None:
    dag = Dag.from_edges("abc", [("a", "b"), ("b", "c"), ("a", "c")])
    with pytest.raises(CycleError):
        dag.with_reversed("a", "c")
    assert dag.with_reversed("a", "b").has_edge("b", "a")


def test_of_the_orientations_of_one_skeleton_only_the_collider_differs() -> None:
    # Acceptance check 1, Fig. 3.1.
    collider = Dag.from_edges("xyz", [("x", "z"), ("y", "z")])
    others = [
        Dag.from_edges("xyz", edges)
        for edges in (
            [("x", "z"), ("z", "y")],
            [("y", "z"), ("z", "x")],
            [("z", "x"), ("z", "y")],
        )
    ]
    assert collider.v_structures == {("x", "z", "y")}
    assert all(other.is_equivalent_to(others[0]) for other in others)
    assert not any(other.is_equivalent_to(collider) for other in others)
    assert all(other.skeleton == collider.skeleton for other in others)


def test_married_parents_make_no_v_structure() -> None:
    dag = Dag.from_edges("xyz", [("x", "z"), ("y", "z"), ("x", "y")])
    assert dag.v_structures == frozenset()


@given(dags())
def test_reversing_a_covered_edge_keeps_the_class_and_any_other_changes_it(dag: Dag) -> None:
    # Lemma 3.3; an edge on a longer directed path cannot be turned at all.
    for source, target in dag.edges:
        is_covered = set(dag.parents(source)) == set(dag.parents(target)) - {source}
        try:
            turned = dag.with_reversed(source, target)
        except CycleError:
            assert not is_covered
        else:
            assert turned.is_equivalent_to(dag) == is_covered


@given(dags())
def test_networkx_has_the_same_graph(dag: Dag) -> None:
    graph = dag.to_networkx()
    assert networkx.is_directed_acyclic_graph(graph)
    assert {name: set(graph.predecessors(name)) for name in graph} == {
        name: set(dag.parents(name)) for name in dag.names
    }
    assert Dag.from_networkx(graph) == dag
    cpdag = cpdag_of(dag)
    assert Pdag.from_networkx(cpdag.to_networkx()) == cpdag


def test_a_cycle_in_a_networkx_graph_is_refused() -> None:
    with pytest.raises(CycleError):
        Dag.from_networkx(networkx.DiGraph([(1, 2), (2, 1)]))
