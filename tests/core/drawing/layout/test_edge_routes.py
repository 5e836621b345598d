"""Edges end at their boxes and go round what is in the way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.drawing.diagram import GraphPicture, PictureEdge, PictureNode, Point, Size
from pgmstudio.core.drawing.layout.edge_routing import (
    EdgeRoute,
    crossings,
    edge_route,
    points_beside,
)

A_BOX: Size = (100.0, 40.0)


def picture_with(positions: dict[str, Point], *edges: tuple[str, str]) -> GraphPicture:
    return GraphPicture(
        tuple(PictureNode(i, i) for i in positions), tuple(PictureEdge(a, b) for a, b in edges)
    )


def routes_of(positions: dict[str, Point], *edges: tuple[str, str]) -> tuple[EdgeRoute, ...]:
    picture = picture_with(positions, *edges)
    return edge_route(picture, positions, dict.fromkeys(positions, A_BOX))


def goes_through(route: EdgeRoute, centre: Point) -> bool:
    return any(
        abs(x - centre[0]) < A_BOX[0] / 2 and abs(y - centre[1]) < A_BOX[1] / 2
        for x, y in (route.at(fraction) for fraction in np.linspace(0, 1, 400))
    )


def test_nothing_in_the_way_means_a_straight_line_clipped_at_both_boxes() -> None:
    (route,) = routes_of({"a": (0, 0), "b": (0, 200)}, ("a", "b"))
    assert route == EdgeRoute((0, 20), (0, 180))
    assert route.arrival == pytest.approx(math.pi / 2)
    assert route.at(0.5) == (0, 100)


def test_a_box_in_the_way_is_gone_around_with_one_bend() -> None:
    positions = {"a": (0.0, 0.0), "b": (10.0, 200.0), "c": (0.0, 400.0)}
    (route,) = routes_of(positions, ("a", "c"))
    assert route.bend is not None
    assert not goes_through(route, positions["b"])


def test_where_no_bend_helps_the_line_stays_straight() -> None:
    wall = {f"w{i}": (i * 90.0, 200.0) for i in range(-15, 16)}
    (route,) = routes_of({"a": (0, 0), "b": (0, 400), **wall}, ("a", "b"))
    assert route.bend is None


@given(
    st.lists(
        st.tuples(st.integers(-400, 400), st.integers(-400, 400)),
        min_size=2,
        max_size=12,
        unique=True,
    )
)
@settings(max_examples=60)
def test_both_ends_lie_on_the_outlines_of_their_boxes(points: list[tuple[int, int]]) -> None:
    positions = {f"n{i}": (float(x), float(y)) for i, (x, y) in enumerate(points)}
    (route,) = routes_of(positions, ("n0", "n1"))

    def depth(at: Point, centre: Point) -> float:
        return max(abs(at[0] - centre[0]) / A_BOX[0], abs(at[1] - centre[1]) / A_BOX[1])

    # A centre inside the other's box leaves no way out of it; the line then ends there.
    inside = depth(positions["n0"], positions["n1"]) < 0.5
    if not inside and route.bend is None:
        assert depth(route.start, positions["n0"]) == pytest.approx(0.5)
        assert depth(route.end, positions["n1"]) == pytest.approx(0.5)
    assert depth(route.start, positions["n0"]) <= 0.5 + 1e-9
    assert depth(route.end, positions["n1"]) <= 0.5 + 1e-9


def test_routing_some_edges_gives_what_routing_all_gives() -> None:
    rng = np.random.default_rng(0)
    positions = {
        f"n{i}": (float(x), float(y)) for i, (x, y) in enumerate(rng.random((30, 2)) * 900)
    }
    edges = [(f"n{a}", f"n{b}") for a, b in rng.integers(0, 30, (40, 2)) if a != b]
    picture = picture_with(positions, *edges)
    sizes = dict.fromkeys(positions, A_BOX)
    some = picture.edges[5:9]
    assert edge_route(picture, positions, sizes, some) == edge_route(picture, positions, sizes)[5:9]


def test_crossings_are_counted_once_and_shared_ends_are_none() -> None:
    square = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (1.0, 1.0), "d": (0.0, 1.0)}
    assert crossings(picture_with(square, ("a", "c"), ("b", "d")), square) == 1
    assert crossings(picture_with(square, ("a", "b"), ("b", "c"), ("c", "a")), square) == 0
    assert crossings(picture_with(square), square) == 0
    line = {"a": (0.0, 0.0), "b": (0.0, 50.0), "c": (0.0, 100.0), "d": (0.0, 150.0)}
    assert crossings(picture_with(line, ("a", "b"), ("b", "c"), ("c", "d")), line) == 0
    assert crossings(picture_with(line, ("a", "c"), ("b", "d")), line) == 1  # on each other
    assert crossings(picture_with(line, ("a", "b"), ("c", "a")), line) == 1


def test_a_label_stands_beside_its_line_and_covers_no_box() -> None:
    route = EdgeRoute((0, 20), (0, 180))
    label = (40.0, 16.0)
    (free,) = points_beside([route], [6.0], [label], [])
    assert free is not None
    assert abs(free[0]) >= label[0] / 2 + 3.0  # the whole line is seen
    right = (3.0, 0.0, 200.0, 200.0)
    (other,) = points_beside([route], [6.0], [label], [right])
    assert other is not None
    assert other[0] < 0
    left = (-200.0, 0.0, -3.0, 200.0)
    assert points_beside([route], [6.0], [label], [left, right]) == [None]


def test_labels_of_edges_side_by_side_do_not_touch() -> None:
    routes = [EdgeRoute((30.0 * i, 0), (30.0 * i, 100)) for i in range(4)]
    placed = points_beside(routes, [2.0] * 4, [(24.0, 16.0)] * 4, [])
    there = [position for position in placed if position is not None]
    assert len(there) >= 2
    for number, (x, y) in enumerate(there):
        assert all(abs(x - a) >= 24 or abs(y - b) >= 16 for a, b in there[:number])
