"""Patterns, CPDAGs and their members, against listing every small DAG."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import (
    Pdag,
    cpdag_of,
    extension_of,
    member_of,
    oriented,
    pattern_of,
)
from pgmstudio.core.graphs.separation import dsep_set
from tests.core.graphs.small_dags import all_classes, all_dags, essential_graph
from tests.strategies import random_dag

SIZES = [2, 3, 4]


@st.composite
def dags(draw: st.DrawFn) -> Dag:
    count = draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random_dag(rng, [f"X{i}" for i in range(count)], draw(st.sampled_from([0.2, 0.5, 0.8])))


def edges_of(graph: Pdag) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    return set(graph.directed), set(graph.undirected)


@pytest.mark.parametrize(("count", "dag_count", "classes"), [(2, 3, 2), (3, 25, 11), (4, 543, 185)])
def test_small_graphs_and_their_classes_are_as_many_as_is_known(
    count: int, dag_count: int, classes: int
) -> None:
    # bayesian-networks.md, acceptance check 2
    assert len(all_dags(count)) == dag_count
    assert len({cpdag_of(dag) for dag in all_dags(count)}) == classes


@pytest.mark.parametrize("count", SIZES)
def test_a_cpdag_directs_exactly_the_edges_that_all_members_direct_equally(count: int) -> None:
    for members in all_classes(count).values():
        expected = essential_graph(members)
        assert {cpdag_of(dag) for dag in members} == {expected}


def test_of_the_four_graphs_on_a_path_only_the_collider_differs() -> None:
    # Fig. 3.1, acceptance check 1
    names = ("X", "Y", "Z")
    collider = Dag.from_edges(names, [("X", "Z"), ("Y", "Z")])
    others = [
        Dag.from_edges(names, edges)
        for edges in (
            [("X", "Z"), ("Z", "Y")],
            [("Y", "Z"), ("Z", "X")],
            [("Z", "X"), ("Z", "Y")],
        )
    ]
    assert len({cpdag_of(dag) for dag in others}) == 1
    assert cpdag_of(collider) != cpdag_of(others[0])
    x, y, z = range(3)
    assert y in dsep_set(collider, [x], [])
    assert y not in dsep_set(collider, [x], [z])
    for dag in others:
        assert y in dsep_set(dag, [x], [z])
        assert y not in dsep_set(dag, [x], [])


def test_an_edge_after_a_collider_is_compelled_but_not_in_the_pattern() -> None:
    # Fig. 3.2, acceptance check 5
    dag = Dag.from_edges(("X1", "X3", "X4", "X5"), [("X1", "X3"), ("X4", "X3"), ("X3", "X5")])
    collider = {("X1", "X3"), ("X4", "X3")}
    assert edges_of(pattern_of(dag)) == (collider, {("X3", "X5")})
    assert edges_of(cpdag_of(dag)) == (collider | {("X3", "X5")}, set())


@given(dags())
def test_a_pattern_directs_exactly_the_edges_of_v_structures(dag: Dag) -> None:
    ends = {(x, z) for x, z, _ in dag.v_structures} | {(y, z) for _, z, y in dag.v_structures}
    pattern = pattern_of(dag)
    assert set(pattern.directed) == ends
    assert pattern.edge_count == len(dag.edges)


@given(dags())
def test_a_member_of_a_class_is_equivalent_to_the_graph_the_class_was_made_of(dag: Dag) -> None:
    for graph in (cpdag_of(dag), pattern_of(dag)):
        member = member_of(graph)
        assert member.is_equivalent_to(dag)
        assert set(graph.directed) <= set(member.edges)
        assert cpdag_of(member) == cpdag_of(dag)


def test_a_graph_without_any_extension_has_none() -> None:
    square = [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")]
    graph = Pdag.from_edges("ABCD", [], square)
    assert extension_of(graph) is None
    with pytest.raises(GraphError, match="v-structures"):
        member_of(graph)


@pytest.mark.parametrize("count", SIZES)
def test_an_extension_exists_exactly_when_some_graph_fits(count: int) -> None:
    """Directed edges kept, no v-structure more: looked up among all graphs of few nodes."""
    rng = np.random.default_rng(count)
    dags_of_size = all_dags(count)
    names = dags_of_size[0].names
    for _ in range(150):
        directed, undirected = [], []
        for a, b in combinations(names, 2):
            match int(rng.integers(0, 4)):
                case 1:
                    directed.append((a, b))
                case 2:
                    directed.append((b, a))
                case 3:
                    undirected.append((a, b))
        graph = Pdag.from_edges(names, directed, undirected)
        joined = {frozenset(edge) for edge in (*directed, *undirected)}
        colliders = {
            (min(x, y), z, max(x, y))
            for (x, z) in directed
            for (y, w) in directed
            if z == w and x != y and frozenset((x, y)) not in joined
        }
        fits = [
            dag
            for dag in dags_of_size
            if {frozenset(edge) for edge in dag.edges} == joined
            and set(directed) <= set(dag.edges)
            and dag.v_structures == colliders
        ]
        result = extension_of(graph)
        assert (result in fits) if fits else (result is None)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_known_directions_narrow_a_class_to_the_members_that_have_them(seed: int) -> None:
    """Meek's rules R1 to R4 are complete: compared with all members of the class."""
    rng = np.random.default_rng(seed)
    members = list(all_classes(4).values())[int(rng.integers(185))]
    pairs = list(permutations(range(4), 2))
    known = [pairs[k] for k in rng.choice(len(pairs), int(rng.integers(0, 4)), replace=False)]
    names = members[0].names
    fitting = tuple(
        dag for dag in members if {(names[a], names[b]) for a, b in known} <= set(dag.edges)
    )
    narrowed = oriented(cpdag_of(members[0]), known)
    if fitting:
        assert narrowed == essential_graph(fitting)
    else:
        assert narrowed is None


def test_knowledge_needs_the_fourth_rule() -> None:
    # Meek 1995, Fig. 1, R4: a – b, a – c, a – d, and c → d → b known; c and b are not joined.
    cpdag = cpdag_of(
        Dag.from_edges("abcd", [("a", "b"), ("a", "c"), ("a", "d"), ("c", "d"), ("d", "b")])
    )
    index = {name: i for i, name in enumerate("abcd")}
    narrowed = oriented(cpdag, [(index["c"], index["d"]), (index["d"], index["b"])])
    assert narrowed is not None
    assert ("a", "b") in narrowed.directed


def test_equal_cpdags_mean_equivalent_graphs() -> None:
    for one, other in product(all_dags(3), repeat=2):
        are_equal = cpdag_of(one) == cpdag_of(other)
        assert are_equal == one.is_equivalent_to(other)
        assert not are_equal or hash(cpdag_of(one)) == hash(cpdag_of(other))
