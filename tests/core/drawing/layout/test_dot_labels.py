"""Names beside dots."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, edges_of, variable_nodes
from pgmstudio.core.drawing.layout.boxes import NAME_PART_OF_BOX, readable_zoom
from pgmstudio.core.drawing.layout.dot_labels import LABEL_HEIGHT, by_degree, labels_beside

WIDTH = 50.0


def _rectangles(count: int, size: float) -> list[tuple[float, float, float, float]]:
    rng = np.random.default_rng(3)
    dots = {str(i): (float(x), float(y)) for i, (x, y) in enumerate(rng.random((count, 2)) * size)}
    labels = labels_beside(dots, dict.fromkeys(dots, WIDTH), list(dots), 4.0)
    corners = [(dots[i][0] + x, dots[i][1] + y) for i, (x, y) in labels.items()]
    return [(x, y, x + WIDTH, y + LABEL_HEIGHT) for x, y in corners]


def test_no_two_names_touch_and_none_is_far_outside() -> None:
    placed = _rectangles(300, 600.0)
    assert len(placed) > 25
    for number, (left, top, right, bottom) in enumerate(placed):
        assert -20 <= left <= right <= 620
        for other in placed[:number]:
            assert left > other[2] or right < other[0] or top > other[3] or bottom < other[1]


def test_no_name_covers_a_dot() -> None:
    dots = np.random.default_rng(3).random((300, 2)) * 600.0
    for left, top, right, bottom in _rectangles(300, 600.0):
        inside = (dots > (left, top)).all(axis=1) & (dots < (right, bottom)).all(axis=1)
        assert not inside.any()


def test_more_names_have_space_when_one_comes_nearer() -> None:
    assert len(_rectangles(300, 1500.0)) > 2 * len(_rectangles(300, 600.0))


def test_the_best_connected_node_comes_first() -> None:
    pairs = [("hub", name) for name in "abc"] + [("a", "b")]
    picture = GraphPicture(variable_nodes(["c", "a", "b", "hub"]), edges_of(pairs, EdgeStyle.MORAL))
    assert by_degree(picture) == ["hub", "a", "b", "c"]


def test_no_dots_have_no_names() -> None:
    assert labels_beside({}, {}, [], 4.0) == {}


def test_names_in_low_boxes_are_given_up_before_those_in_high_ones() -> None:
    assert readable_zoom([(80.0, 26.0)] * 3) > readable_zoom([(136.0, 63.0)] * 3)


def test_names_below_seven_pixels_are_given_up() -> None:
    height = 26.0  # of a box of a name
    assert readable_zoom([(80.0, height)] * 3) * NAME_PART_OF_BOX * height >= 7.0
