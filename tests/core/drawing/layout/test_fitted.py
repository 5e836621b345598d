"""Layouts that fill a canvas: large names, no strip, arrows down, the same every time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    PictureEdge,
    edges_of,
    variable_nodes,
)
from pgmstudio.core.drawing.layout.boxes import box_sizes, corners, overlapping_pairs
from pgmstudio.core.drawing.layout.edge_routing import crossings
from pgmstudio.core.drawing.layout.fitted import CANVAS, zoom_at_fit
from pgmstudio.core.drawing.layout.placement import Frame, place

STATES = ("low", "medium", "high")


def picture_of(count: int, pairs: Iterable[tuple[int, int]]) -> GraphPicture:
    names = [f"variable {i}" for i in range(count)]
    edges = edges_of(((names[a], names[b]) for a, b in pairs), EdgeStyle.DIRECTED)
    return GraphPicture(variable_nodes(names), edges)


def two_layers() -> set[tuple[int, int]]:
    rng = np.random.default_rng(0)
    return {(int(rng.integers(50)), 50 + child) for child in range(50) for _ in range(3)}


def grid() -> list[tuple[int, int]]:
    across = [(10 * i + j, 10 * i + j + 1) for i in range(10) for j in range(9)]
    return across + [(10 * i + j, 10 * i + 10 + j) for i in range(9) for j in range(10)]


def tree() -> list[tuple[int, int]]:
    rng = np.random.default_rng(1)
    return [(int(rng.integers(i)), i) for i in range(1, 200)]


PICTURES = {
    "star": picture_of(100, ((0, i) for i in range(1, 100))),
    "two layers": picture_of(100, sorted(two_layers())),
    "chain": picture_of(60, ((i, i + 1) for i in range(59))),
    "grid": picture_of(100, grid()),
    "tree": picture_of(200, tree()),
    "clique": picture_of(6, combinations(range(6), 2)),
}
# The zoom at which the canvas of a usual window shows everything; dot alone has 0.05 to 0.23.
MIN_ZOOM = {
    "star": 0.45,
    "two layers": 0.4,
    "chain": 0.5,
    "grid": 0.3,
    "tree": 0.2,
    "clique": 0.7,
}


@pytest.mark.parametrize("name", PICTURES)
def test_no_picture_is_a_strip_and_names_are_large(name: str) -> None:
    picture = PICTURES[name]
    sizes = box_sizes(picture, dict.fromkeys(picture.ids, STATES))
    placed = place(picture, sizes=sizes)
    left, top, right, bottom = corners(placed, sizes)
    assert 1 / 3 <= (right - left) / (bottom - top) <= 3
    assert zoom_at_fit(placed, sizes) >= MIN_ZOOM[name]
    centres, boxes = (np.array([of[i] for i in picture.ids]) for of in (placed, sizes))
    assert not len(overlapping_pairs(centres, boxes))
    assert placed == place(picture, sizes=sizes)


@pytest.mark.parametrize("name", ["star", "chain", "grid"])
def test_pictures_that_need_no_crossing_have_none(name: str) -> None:
    picture = PICTURES[name]
    assert crossings(picture, place(picture, sizes=box_sizes(picture))) == 0


def test_the_layout_follows_the_shape_of_the_canvas() -> None:
    picture = PICTURES["two layers"]
    sizes = box_sizes(picture)

    def shape(canvas: tuple[float, float]) -> float:
        left, top, right, bottom = corners(
            place(picture, sizes=sizes, frame=Frame((), canvas)), sizes
        )
        return (right - left) / (bottom - top)

    assert shape((1200.0, 400.0)) > shape(CANVAS) > shape((400.0, 1200.0))


def test_a_small_network_keeps_its_layers() -> None:
    pairs = [(0, 1), (0, 2), (1, 3), (2, 3)]
    picture = picture_of(4, pairs)
    placed = place(picture, sizes=box_sizes(picture, dict.fromkeys(picture.ids, STATES)))
    for edge in picture.edges:
        assert placed[edge.source][1] < placed[edge.target][1]
    assert placed["variable 1"][1] == placed["variable 2"][1]


def test_labels_on_edges_have_room() -> None:
    plain = picture_of(6, [(i, i + 1) for i in range(5)])
    labelled = GraphPicture(
        plain.nodes,
        tuple(PictureEdge(e.source, e.target, "0.25", EdgeStyle.LABELLED) for e in plain.edges),
    )
    sizes = box_sizes(plain)

    def shortest(picture: GraphPicture) -> float:
        placed = place(picture, sizes=sizes, frame=Frame((), (300.0, 260.0)))
        steps = ((placed[e.source], placed[e.target]) for e in picture.edges)
        return min(np.hypot(a[0] - b[0], a[1] - b[1]) for a, b in steps)

    assert shortest(labelled) >= shortest(plain) > 0
