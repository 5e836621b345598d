"""Diagrams of models show what is true of them."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, NodeShape
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.graphs.pdag import cpdag_of, pattern_of
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.diagrams import picture_names, picture_of
from pgmstudio.core.languages.registry import language_of
from tests.strategies import random_network, random_tree, small_networks


def pairs(picture: GraphPicture, *styles: EdgeStyle) -> set[frozenset[str]]:
    return {frozenset((e.source, e.target)) for e in picture.edges if e.style in styles}


@given(small_networks())
@settings(max_examples=30)
def test_the_first_picture_of_a_network_has_its_variables_and_edges(
    network: BayesianNetwork,
) -> None:
    picture = picture_of(network)
    assert tuple(node.variable for node in picture.nodes) == network.domain.names
    assert {(edge.source, edge.target) for edge in picture.edges} == set(network.edges)


@given(small_networks())
@settings(max_examples=30)
def test_the_moral_picture_is_the_moral_graph_and_marks_what_was_added(
    network: BayesianNetwork,
) -> None:
    picture = picture_of(network, "moral")
    graph = networkx.DiGraph()
    graph.add_nodes_from(network.domain.names)
    graph.add_edges_from(network.edges)
    moral = {frozenset(edge) for edge in networkx.moral_graph(graph).edges}
    plain = {frozenset(edge) for edge in network.edges}
    assert pairs(picture, EdgeStyle.UNDIRECTED) == plain
    assert pairs(picture, EdgeStyle.MORAL) == moral - plain


@given(small_networks())
@settings(max_examples=30)
def test_the_triangulated_picture_is_chordal_and_marks_its_fill_ins(
    network: BayesianNetwork,
) -> None:
    picture = picture_of(network, "triangulated")
    graph = networkx.Graph([(edge.source, edge.target) for edge in picture.edges])
    graph.add_nodes_from(network.domain.names)
    assert networkx.is_chordal(graph)
    moral = pairs(picture_of(network, "moral"), *EdgeStyle)
    assert pairs(picture, EdgeStyle.UNDIRECTED, EdgeStyle.MORAL) == moral
    assert not pairs(picture, EdgeStyle.FILL_IN) & moral
    cliques = {frozenset(clique) for clique in networkx.find_cliques(graph)}
    assert cliques == {
        frozenset(node.id.split(", ")) for node in picture_of(network, "clique-tree").nodes
    }


@given(small_networks())
@settings(max_examples=30)
def test_the_cpdag_and_pattern_pictures_have_arrows_where_directions_are_certain(
    network: BayesianNetwork,
) -> None:
    arrows = {}
    for name, graph in (("cpdag", cpdag_of(network.dag)), ("pattern", pattern_of(network.dag))):
        picture = picture_of(network, name)
        arrow = EdgeStyle.COMPELLED if name == "cpdag" else EdgeStyle.COLLIDING
        directed = [edge for edge in picture.edges if edge.style is arrow]
        arrows[name] = {(edge.source, edge.target) for edge in directed}
        assert arrows[name] == set(graph.directed)
        other = EdgeStyle.REVERSIBLE if name == "cpdag" else EdgeStyle.UNDIRECTED
        assert pairs(picture, other) == {frozenset(e) for e in graph.undirected}
        assert len(picture.edges) == len(network.edges)
    assert arrows["pattern"] <= arrows["cpdag"] <= set(network.edges)


@given(small_networks())
@settings(max_examples=30)
def test_the_clique_tree_picture_covers_every_family_and_names_separators(
    network: BayesianNetwork,
) -> None:
    picture = picture_of(network, "clique-tree")
    cliques = {node.id: set(node.id.split(", ")) for node in picture.nodes}
    for name in network.domain.names:
        family = {name, *network.dag.parents(name)}
        assert any(family <= clique for clique in cliques.values())
    for edge in picture.edges:
        assert set(edge.label.split(", ")) == cliques[edge.source] & cliques[edge.target]
    assert all(node.shape is NodeShape.BOX for node in picture.nodes)
    # Every clique is labelled with the size of its table, and together they are the effective size.
    reported = [int(node.label.rsplit("\n", 1)[1].split(" ")[0]) for node in picture.nodes]
    assert sum(reported) == network.effective_size()


def test_a_tree_is_drawn_without_arrows_and_can_be_shown_with_them() -> None:
    tree = random_tree(np.random.default_rng(0), 8)
    assert pairs(picture_of(tree), EdgeStyle.UNDIRECTED) == {frozenset(e) for e in tree.edges}
    arrows = picture_of(tree, "dag").edges
    assert {(edge.source, edge.target) for edge in arrows} == set(tree.edges)


def test_every_family_names_its_pictures_and_each_can_be_drawn() -> None:
    rng = np.random.default_rng(1)
    for model in (random_network(rng), random_tree(rng)):
        assert picture_names(model) == tuple(d.name for d in language_of(model).diagrams)
        for name in picture_names(model):
            assert picture_of(model, name).nodes


def test_an_unknown_picture_is_refused_with_the_nearest_name() -> None:
    network = random_network(np.random.default_rng(0))
    with pytest.raises(UnknownNameError, match="Did you mean clique-tree"):
        picture_of(network, "clique_tree")


def test_a_large_clique_shows_how_many_variables_it_does_not_name() -> None:
    network = random_network(
        np.random.default_rng(0), cardinalities=[2] * 30, density=0.0, max_parents=0
    )
    for parent in network.domain.names[1:15]:
        network = network.with_edge(parent, "X0")
    largest = max(picture_of(network, "clique-tree").nodes, key=lambda node: len(node.id))
    named = [word for word in largest.label.replace("\n", " ").split(", ") if word.startswith("X")]
    assert len(largest.id.split(", ")) == 15
    assert largest.label.endswith(" more") or len(named) == 15
