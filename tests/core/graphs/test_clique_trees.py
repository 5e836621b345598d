"""Triangulation and clique trees: laws on random graphs, worked sizes, known networks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.junction_tree import CliqueTree, clique_tree_of, clique_tree_of_scopes
from pgmstudio.core.graphs.triangulation import (
    RULES,
    eliminate,
    families_of,
    moral_edges,
    moral_graph,
    strip,
)
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.strategies import domain_of, random_dag

# Fig. 3.4 of Nielsen 2007.
WORKED = ((), (0,), (1, 3), (0,), (3,), (2, 6), (4,))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Dag, tuple[int, ...]]:
    count = draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = [f"X{i}" for i in range(count)]
    dag = random_dag(rng, names, draw(st.sampled_from([0.1, 0.3, 0.7])), max_parents=4)
    return dag, tuple(int(c) for c in rng.integers(1, 5, size=count))


def check_running_intersection(tree: CliqueTree) -> None:
    """Of the cliques with a variable exactly one has its parent without it: they hang together."""
    for variable in range(len(tree.cardinalities)):
        holders = [c for c, clique in enumerate(tree.cliques) if variable in clique]
        tops = [
            c for c in holders if (p := tree.parents[c]) is None or variable not in tree.cliques[p]
        ]
        assert len(tops) == 1
    for clique, parent in enumerate(tree.parents):
        assert parent is None or parent < clique


@given(graphs())
def test_clique_trees_hold_every_family_and_hang_together(
    graph: tuple[Dag, tuple[int, ...]],
) -> None:
    dag, cards = graph
    tree = clique_tree_of(dag.parent_indices, cards)
    check_running_intersection(tree)
    for family in families_of(dag.parent_indices):
        assert any(set(family) <= set(clique) for clique in tree.cliques)
    for one, other in combinations(tree.cliques, 2):
        assert not set(one) <= set(other)
        assert not set(other) <= set(one)
    assert tree.table_cells == sum(math.prod(cards[v] for v in c) for c in tree.cliques)
    parts = networkx.Graph(
        [(a, b) for a, near in enumerate(moral_graph(dag.parent_indices)) for b in near]
    )
    parts.add_nodes_from(range(len(cards)))
    assert tree.parents.count(None) == networkx.number_connected_components(parts)


@settings(max_examples=50)
@given(graphs(), st.sampled_from(list(RULES)), st.sampled_from([0.0, 1.0]))
def test_every_rule_makes_the_moral_graph_chordal(
    graph: tuple[Dag, tuple[int, ...]], method: str, noise: float
) -> None:
    dag, cards = graph
    neighbours = moral_graph(dag.parent_indices)
    result = eliminate(strip(neighbours), cards, method, noise=noise, seed=3)
    assert result is not None
    filled = networkx.Graph()
    filled.add_nodes_from(range(len(cards)))
    filled.add_edges_from((a, b) for a, near in enumerate(neighbours) for b in near)
    assert not any(filled.has_edge(*edge) for edge in result.fill_ins)
    filled.add_edges_from(result.fill_ins)
    assert networkx.is_chordal(filled)
    cliques = {tuple(sorted(c)) for c in networkx.find_cliques(filled)}
    formed = {tuple(sorted({v, *result.left_behind[v]})) for v in result.order}
    assert cliques <= formed


def test_the_worked_network_needs_one_fill_in_and_forty_cells() -> None:
    # Acceptance check 8 of the Bayesian-network specification.
    assert set(moral_edges(WORKED)) == {(1, 3), (2, 6)}
    tree = clique_tree_of(WORKED, [2] * 7)
    assert len(tree.cliques) == 5
    assert tree.fill_ins in (((2, 4),), ((3, 6),))
    assert tree.table_cells == 40
    domain = domain_of([2] * 7)
    network = BayesianNetwork.uniform(domain, Dag(domain.names, WORKED))
    assert network.effective_size() == 40
    assert network.representation_size() == 17


def test_independent_variables_are_cliques_of_their_own_and_a_complete_graph_is_one() -> None:
    # Acceptance check 10.
    cards = (2, 3, 4, 5)
    assert clique_tree_of([()] * 4, cards).table_cells == sum(cards)
    complete = clique_tree_of([tuple(range(i)) for i in range(4)], cards)
    assert complete.cliques == ((0, 1, 2, 3),)
    assert complete.table_cells == math.prod(cards)
    assert complete.fill_ins == ()


def test_a_chordal_graph_gets_no_fill_ins() -> None:
    chain = clique_tree_of([(), (0,), (1,), (2,), (3,)], [2] * 5)
    assert chain.fill_ins == ()
    assert len(chain.cliques) == 4


def test_scopes_given_together_end_in_one_clique() -> None:
    tree = clique_tree_of_scopes([(0, 1), (1, 2), (2, 3), (0, 3)], [2] * 4)
    assert tree.table_cells == 16
    apart = clique_tree_of_scopes([(0, 1), (2, 3)], [2] * 4)
    assert apart.parents == (None, None)


def test_an_empty_graph_has_no_cliques() -> None:
    assert clique_tree_of((), ()).cliques == ()


def test_children_sharing_one_variable_hang_on_the_smallest_clique_that_has_it() -> None:
    # X0 with three parents in a large clique, and ten leaves below X0 alone.
    parents = [(1, 2, 3), (), (), (), *[(0,)] * 10]
    tree = clique_tree_of(parents, [4] * 14)
    large = tree.cliques.index((0, 1, 2, 3))
    neighbours = tree.parents.count(large) + (tree.parents[large] is not None)
    assert neighbours == 1


def test_the_same_graph_always_gets_the_same_tree() -> None:
    rng = np.random.default_rng(5)
    dag = random_dag(rng, [f"X{i}" for i in range(30)], 0.15, max_parents=4)
    cards = [2 + i % 3 for i in range(30)]
    assert clique_tree_of(dag.parent_indices, cards) == clique_tree_of(dag.parent_indices, cards)


def smallest_total_size(neighbours: Sequence[set[int]], cards: Sequence[int]) -> int:
    """The cells of the smallest clique tree there is, over all elimination orders.

    What a node is joined with when its turn comes depends on which nodes went before, not on their
    order, so a table over sets of nodes is enough. Nodes whose neighbours are all joined go first:
    their clique is in every minimal triangulation. A clique counts unless it is inside an earlier
    one, which is so when it is the whole border of a part of the eliminated nodes.
    """
    near = [sum(1 << other for other in others) for others in neighbours]
    nodes = range(len(near))

    def bits(chosen: int) -> Iterator[int]:
        return (node for node in nodes if chosen >> node & 1)

    def border(part: int, gone: int) -> int:
        """The nodes beside `part` once it has grown along the eliminated nodes."""
        while True:
            around = 0
            for node in bits(part):
                around |= near[node]
            if not around & gone & ~part:
                return around & ~part
            part |= around & gone

    def cells(node: int, gone: int) -> int:
        clique = border(1 << node, gone) | 1 << node
        is_inside = any(border(1 << other, gone) == clique for other in bits(gone & near[node]))
        return 0 if is_inside else math.prod(cards[member] for member in bits(clique))

    def is_free(node: int, gone: int) -> bool:
        around = border(1 << node, gone) | 1 << node
        return all(around & ~(border(1 << n, gone) | 1 << n) == 0 for n in bits(around))

    gone = total = 0
    while free := [node for node in bits(~gone) if is_free(node, gone)]:
        total += cells(free[0], gone)
        gone |= 1 << free[0]

    @cache
    def least(gone: int) -> int:
        rest = bits(~gone)
        return min((cells(node, gone) + least(gone | 1 << node) for node in rest), default=0)

    return total + least(gone)


@settings(max_examples=40)
@given(graphs())
def test_no_clique_tree_is_smaller_than_the_smallest(
    graph: tuple[Dag, tuple[int, ...]],
) -> None:
    dag, cards = graph
    smallest = smallest_total_size(moral_graph(dag.parent_indices), cards)
    assert smallest <= clique_tree_of(dag.parent_indices, cards).table_cells <= 1.1 * smallest


def test_alarm_gets_the_smallest_clique_tree_there_is(shared: Path) -> None:
    # Acceptance check 11 asks for at most 1.1 × 771, Hugin's size of the thesis' network. No
    # triangulation of the published network has fewer than 996 cells, and we reach that.
    alarm = read_model(shared / "data/networks/alarm.bif").model
    assert isinstance(alarm, BayesianNetwork)
    smallest = smallest_total_size(
        moral_graph(alarm.dag.parent_indices), alarm.domain.cardinalities
    )
    assert alarm.effective_size() == smallest == 996


# Acceptance check 11 for Hailfinder, where 9 406 is Hugin's own number; the others are within a
# tenth of the best known to us.
@pytest.mark.parametrize(
    ("name", "most_cells"),
    [
        ("hailfinder", 9_406 * 1.1),
        ("insurance", 23_880 * 1.1),
        ("win95pts", 2_684 * 1.1),
        ("andes", 262_142 * 1.1),
        ("munin1", 92_442_231 * 1.1),
    ],
)
def test_known_networks_get_small_clique_trees(shared: Path, name: str, most_cells: float) -> None:
    network = read_model(shared / f"data/networks/{name}.bif").model
    assert isinstance(network, BayesianNetwork)
    check_running_intersection(network.clique_tree)
    assert network.effective_size() <= most_cells
