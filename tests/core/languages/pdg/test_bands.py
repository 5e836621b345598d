"""The layout of decision graphs: nodes inside their bands, side by side, in order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pgmstudio.core.languages.pdg.diagrams import MAX_ACROSS, BandForm, Box, band_picture
from pgmstudio.core.languages.pdg.model import DecisionGraph
from tests.decision_graphs import graph_of, medical, random_graph, two_trees
from tests.strategies import domain_of


def overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.right - 1e-6
        and other.x < one.right - 1e-6
        and one.y < other.bottom - 1e-6
        and other.y < one.bottom - 1e-6
    )


@pytest.mark.parametrize("seed", range(20))
def test_bands_and_nodes_do_not_overlap_and_nodes_stay_in_their_band(seed: int) -> None:
    graph = random_graph(np.random.default_rng(seed), 9, most_nodes=20)
    picture = band_picture(graph)
    for one, other in itertools.combinations(picture.bands, 2):
        assert not overlap(one.box, other.box)
    for band in picture.bands:
        assert sorted(band.order) == list(range(graph.node_counts[band.variable]))
        for one, other in itertools.combinations(band.boxes, 2):
            assert not overlap(one, other)
        assert all(band.box.holds(box) for box in band.boxes)
        above = graph.forest[band.variable]
        if above is not None:
            assert picture.bands[above].box.bottom < band.box.y


def test_an_arc_leads_from_its_cell_down_to_its_node() -> None:
    graph = two_trees()
    picture = band_picture(graph)
    edges = graph.successors[3]
    assert edges is not None
    for node, state in itertools.product(range(2), range(2)):
        x, y, end_x, end_y = picture.arc(1, node, state, 2, 3, int(edges[node, state]))
        cell = picture.cell(1, node, state, 2)
        assert cell.x < x < cell.right
        assert y == cell.bottom == picture.node(1, node).bottom
        assert end_y == picture.node(3, int(edges[node, state])).y
        assert end_y > y
        assert end_x == picture.node(3, int(edges[node, state])).middle


def chain(middle: int) -> DecisionGraph:
    """A chain whose second variable has so many states and the third as many nodes."""
    rows = [[1 / middle] * middle]
    return graph_of(
        domain_of([2, middle, 2]),
        {"X1": "X0", "X2": "X1"},
        {"X0": [[0.5, 0.5]], "X1": rows, "X2": [[0.5, 0.5]] * middle},
        {"X1": [[0, 0]], "X2": [list(range(middle))]},
    )


def test_many_nodes_become_small_and_very_many_a_strip() -> None:
    forms = {n: band_picture(chain(n)).bands[2].form for n in (3, 12, 13, 60, 61)}
    assert forms[3] is forms[12] is BandForm.CELLS
    assert forms[13] is forms[60] is BandForm.NUMBERS
    assert forms[61] is BandForm.STRIP
    assert band_picture(chain(4)).bands[1].form is BandForm.ROWS


def star(leaves: int) -> DecisionGraph:
    """A root of eight states, and under it variables of eight nodes each."""
    names = [f"X{i}" for i in range(1, leaves + 1)]
    return graph_of(
        domain_of([8] + [2] * leaves),
        dict.fromkeys(names, "X0"),
        {"X0": [[1 / 8] * 8], **{name: [[0.5, 0.5]] * 8 for name in names}},
        {name: [list(range(8))] for name in names},
    )


def test_a_wide_picture_has_small_nodes() -> None:
    assert band_picture(star(2)).bands[1].form is BandForm.CELLS
    wide = band_picture(star(6))
    assert {band.form for band in wide.bands[1:]} == {BandForm.NUMBERS}
    assert wide.extent.width <= MAX_ACROSS


def test_a_strip_is_wider_where_a_node_is_reached_more() -> None:
    graph = chain(70)
    visits = [np.ones(1), np.ones(1), np.linspace(0, 1, 70)]
    boxes = band_picture(graph, visits).bands[2].boxes
    widths = [box.width for box in boxes]
    assert widths == sorted(widths)
    assert widths[0] > 0


def test_a_collapsed_variable_has_one_box_for_all_its_nodes() -> None:
    picture = band_picture(medical(), collapsed={"D"})
    assert picture.bands[2].form is BandForm.COLLAPSED
    assert picture.node(2, 0) == picture.node(2, 4)


def test_crossed_nodes_are_put_straight() -> None:
    """States lead to nodes in the opposite order; the picture turns the nodes."""
    graph = graph_of(
        domain_of([2, 2]),
        {"X1": "X0"},
        {"X0": [[0.5, 0.5]], "X1": [[0.1, 0.9], [0.9, 0.1]]},
        {"X1": [[1, 0]]},
    )
    assert band_picture(graph).bands[1].order == (1, 0)
