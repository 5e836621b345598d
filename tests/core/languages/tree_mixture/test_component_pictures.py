"""Trees over each other and the star of classes, before they are painted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.drawing.diagram import NodeShape, Point, Size, Strand
from pgmstudio.core.drawing.layout.boxes import box_sizes
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.core.drawing.layout.placement import place
from pgmstudio.core.drawing.strands import strand_offsets, strand_width
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.languages.diagrams import picture_names, picture_of
from pgmstudio.core.languages.tree_mixture.conversions import network_of_mixture
from pgmstudio.core.languages.tree_mixture.diagrams import shown_trees, trees_name
from tests.strategies import random_classes, random_mixture

SEEDS = st.integers(0, 10_000)


@given(seed=SEEDS, count=st.integers(1, 8))
@settings(max_examples=25)
def test_the_overlay_has_every_edge_of_every_tree_once(seed: int, count: int) -> None:
    mixture = random_mixture(np.random.default_rng(seed), 6, count)
    picture = picture_of(mixture)
    assert {(e.source, e.target) for e in picture.edges} == set(mixture.edge_counts)
    for edge in picture.edges:
        trees = mixture.edge_counts[edge.source, edge.target]
        assert len(edge.strands) == (trees if count <= 5 else 1)
        assert all(1 <= strand.width <= 6 for strand in edge.strands)


def test_some_trees_are_shown_by_their_numbers() -> None:
    mixture = random_mixture(np.random.default_rng(1), 5, 3)
    trees = ("tree-1", "tree-2", "tree-3")
    assert picture_names(mixture) == ("overlay", "side-by-side", "latent", *trees)
    both = picture_of(mixture, "tree-1+3")
    shown = {strand.component for edge in both.edges for strand in edge.strands}
    assert shown == {0, 2}
    assert shown_trees(trees_name((2, 0)), 3) == (0, 2)
    assert shown_trees("overlay", 3) is None
    for wrong in ("tree-0", "tree-4", "tree-1+4"):
        with pytest.raises(UnknownNameError, match="No picture of this model"):
            picture_of(mixture, wrong)


def test_trees_side_by_side_have_their_own_edges_and_the_same_places() -> None:
    mixture = random_mixture(np.random.default_rng(4), 6, 4)
    picture = picture_of(mixture, "side-by-side")
    placed = place(picture, method=picture.method)
    shapes = []
    for number, tree in enumerate(mixture.trees):
        name = f"tree {number + 1}"
        drawn = {
            frozenset(end.removeprefix(f"{name}: ") for end in (edge.source, edge.target))
            for edge in picture.edges
            if edge.source.startswith(f"{name}:")
        }
        assert drawn == {frozenset(edge) for edge in tree.edges}
        indices = [placed[f"{name}: {variable}"] for variable in mixture.domain.names]
        shapes.append(np.array(indices) - indices[0])
    assert all(np.abs(shape - shapes[0]).max() <= 1 for shape in shapes)  # whole pixels
    assert no_two_touch(placed, box_sizes(picture))


@given(seed=SEEDS, count=st.integers(1, 4), is_visible=st.booleans())
@settings(max_examples=25)
def test_the_latent_picture_is_the_graph_of_the_converted_network(
    seed: int, count: int, is_visible: bool
) -> None:
    mixture = random_mixture(np.random.default_rng(seed), 5, count, is_visible=is_visible)
    picture = picture_of(mixture, "latent")
    network = network_of_mixture(mixture)
    assert {(e.source, e.target) for e in picture.edges} == set(network.edges)
    assert set(picture.ids) == set(network.domain.names)
    root = picture.nodes[0]
    assert root.shape is (NodeShape.OVAL if is_visible else NodeShape.DOUBLE)
    assert all(edge.strands for edge in picture.edges if edge.source == root.id)


def no_two_touch(placed: Mapping[str, Point], sizes: Mapping[str, Size]) -> bool:
    ids = list(placed)
    for number, one in enumerate(ids):
        for other in ids[:number]:
            dx, dy = (abs(placed[one][i] - placed[other][i]) for i in (0, 1))
            wide, high = ((sizes[one][i] + sizes[other][i]) / 2 for i in (0, 1))
            assert dx >= wide or dy >= high, (one, other)
    return True


def test_the_star_has_the_hidden_class_in_the_middle_and_telling_items_first() -> None:
    classes = random_classes(np.random.default_rng(2), 8, 3)
    picture = picture_of(classes)
    assert picture.nodes[0].shape is NodeShape.DOUBLE
    widths = [edge.strands[0].width for edge in picture.edges]
    assert widths == sorted(widths, reverse=True)
    assert {edge.target for edge in picture.edges} == set(classes.domain.names)


@pytest.mark.parametrize("items", [1, 2, 5, 12, 31, 90])
def test_no_two_boxes_of_a_star_touch(items: int) -> None:
    classes = random_classes(np.random.default_rng(items), items, 2)
    picture = picture_of(classes)
    states = {v.name: v.states for v in classes.domain}
    sizes = box_sizes(picture, states | {classes.hidden: ("class 1", "class 2")})
    assert no_two_touch(place(picture, method=picture.method, sizes=sizes), sizes)


def test_lines_side_by_side_are_five_pixels_apart_or_as_far_as_they_are_wide() -> None:
    assert strand_offsets([Strand(1.0)]) == (0.0,)
    assert strand_offsets([Strand(1.0), Strand(2.0)]) == (-2.5, 2.5)
    low, high = strand_offsets([Strand(6.0), Strand(6.0)])
    assert high - low == 7.5
    assert (strand_width(0), strand_width(0.5), strand_width(3)) == (1, 3.5, 6)


def test_a_way_beside_another_is_parallel() -> None:
    way = EdgeRoute((0, 0), (10, 0), (5, 8)).shifted(2)
    assert way == EdgeRoute((0, 2), (10, 2), (5, 10))
