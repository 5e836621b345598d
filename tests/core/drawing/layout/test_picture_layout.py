"""Places of nodes: nothing overlaps, nothing kept moves, the same picture looks the same."""

from __future__ import annotations

import math
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    PictureEdge,
    PictureNode,
    Point,
    Size,
    variable_nodes,
)
from pgmstudio.core.drawing.layout.boxes import (
    box_sizes,
    corners,
    overlapping_pairs,
    packed,
    spread_in_row,
    without_overlaps,
)
from pgmstudio.core.drawing.layout.edge_routing import crossings, tag_size
from pgmstudio.core.drawing.layout.layered import LAYERERS, layered, plain_layers
from pgmstudio.core.drawing.layout.placement import METHODS, Frame, Placement, place
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import NEVER


def picture_of_edges(count: int, edges: list[tuple[int, int]]) -> GraphPicture:
    return GraphPicture(
        tuple(PictureNode(f"n{i}", f"node {i}") for i in range(count)),
        tuple(PictureEdge(f"n{a}", f"n{b}") for a, b in edges),
    )


def random_dag_picture(rng: np.random.Generator, count: int, per_node: float) -> GraphPicture:
    edges = [(a, b) for b in range(count) for a in range(b) if rng.random() < per_node / count]
    return picture_of_edges(count, edges)


def random_tree_picture(rng: np.random.Generator, count: int) -> GraphPicture:
    return picture_of_edges(count, [(int(rng.integers(i)), i) for i in range(1, count)])


def random_sizes(rng: np.random.Generator, picture: GraphPicture) -> dict[str, Size]:
    return {
        i: (float(rng.integers(136, 169)), float(23 + 17 * rng.integers(0, 7))) for i in picture.ids
    }


pictures = st.builds(
    random_dag_picture,
    st.integers(0, 2**32 - 1).map(np.random.default_rng),
    st.integers(1, 25),
    st.sampled_from([0.0, 1.0, 3.0, 8.0]),
)


def touching(
    picture: GraphPicture, placed: dict[str, Point], sizes: dict[str, Size]
) -> list[tuple[str, str]]:
    centres = np.array([placed[i] for i in picture.ids])
    extents = np.array([sizes[i] for i in picture.ids])
    return [(picture.ids[a], picture.ids[b]) for a, b in overlapping_pairs(centres, extents)]


@pytest.mark.parametrize("method", METHODS)
@given(picture=pictures, seed=st.integers(0, 1000))
@settings(max_examples=25)
def test_no_two_boxes_overlap(method: str, picture: GraphPicture, seed: int) -> None:
    sizes = random_sizes(np.random.default_rng(seed), picture)
    tiers = [picture.ids[::3], picture.ids[1::3]]
    placed = place(picture, method=method, sizes=sizes, frame=Frame(tiers))
    assert tuple(placed) == picture.ids
    assert touching(picture, placed, sizes) == []


@pytest.mark.parametrize("layerer", LAYERERS)
@given(picture=pictures, seed=st.integers(0, 1000))
@settings(max_examples=25)
def test_every_layerer_keeps_boxes_apart_and_arrows_pointing_down(
    layerer: object, picture: GraphPicture, seed: int
) -> None:
    sizes = random_sizes(np.random.default_rng(seed), picture)
    assert callable(layerer)
    placed = layerer(picture, sizes)
    assert touching(picture, placed, sizes) == []
    for edge in picture.edges:
        assert placed[edge.source][1] < placed[edge.target][1]


@pytest.mark.parametrize("method", METHODS)
def test_the_same_picture_gets_the_same_places(method: str) -> None:
    picture = random_dag_picture(np.random.default_rng(3), 40, 2.0)
    again = random_dag_picture(np.random.default_rng(3), 40, 2.0)
    assert place(picture, method=method) == place(again, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_a_fresh_layout_starts_at_the_origin(method: str) -> None:
    picture = random_dag_picture(np.random.default_rng(5), 20, 1.5)
    sizes, placed = box_sizes(picture), place(picture, method=method)
    left = min(x - sizes[i][0] / 2 for i, (x, _) in placed.items())
    top = min(y - sizes[i][1] / 2 for i, (_, y) in placed.items())
    assert (left, top) == pytest.approx((0, 0), abs=1)


@given(picture=pictures, seed=st.integers(0, 1000), method=st.sampled_from(list(METHODS)))
@settings(max_examples=60)
def test_kept_nodes_stay_and_new_ones_find_room(
    picture: GraphPicture, seed: int, method: str
) -> None:
    rng = np.random.default_rng(seed)
    sizes = random_sizes(rng, picture)
    before = place(picture, sizes=sizes)
    kept = {i: at for i, at in before.items() if rng.random() < 0.6}
    placed = place(picture, kept, method, sizes)
    assert {i: placed[i] for i in kept} == kept
    assert touching(picture, placed, sizes) == []


def test_nodes_that_are_gone_do_not_matter() -> None:
    picture = picture_of_edges(3, [(0, 1), (1, 2)])
    kept = place(picture)
    assert place(picture, {**kept, "gone": (9.0, 9.0)}) == kept


def test_a_new_child_is_put_just_below_its_parent() -> None:
    before = random_tree_picture(np.random.default_rng(1), 30)
    kept = place(before)
    grown = GraphPicture(
        (*before.nodes, PictureNode("new", "new")), (*before.edges, PictureEdge("n7", "new"))
    )
    placed = place(grown, kept)
    x, y = placed["new"]
    assert y > kept["n7"][1]
    assert math.dist((x, y), kept["n7"]) < 600


def test_separate_parts_do_not_interleave() -> None:
    picture = picture_of_edges(6, [(0, 1), (1, 2), (3, 4), (4, 5)])
    placed, sizes = place(picture), box_sizes(picture)
    rights = [placed[f"n{i}"][0] + sizes[f"n{i}"][0] / 2 for i in range(3)]
    lefts = [placed[f"n{i}"][0] - sizes[f"n{i}"][0] / 2 for i in range(3, 6)]
    assert max(rights) < min(lefts)


@given(seed=st.integers(0, 10_000), count=st.integers(2, 40))
@settings(max_examples=40)
def test_a_tidy_tree_has_no_crossings_and_parents_stand_over_their_children(
    seed: int, count: int
) -> None:
    picture = random_tree_picture(np.random.default_rng(seed), count)
    placed = place(picture, method="tree")
    assert crossings(picture, placed) == 0
    for parent in picture.ids:
        below = [placed[e.target][0] for e in picture.edges if e.source == parent]
        if below:
            assert placed[parent][0] == pytest.approx((min(below) + max(below)) / 2, abs=1)


def test_a_layered_tree_has_no_crossings() -> None:
    picture = random_tree_picture(np.random.default_rng(2), 120)
    assert crossings(picture, place(picture, method="layered")) == 0


def test_a_deep_chain_can_be_drawn_as_a_tree() -> None:
    picture = picture_of_edges(1500, [(i, i + 1) for i in range(1499)])
    placed = place(picture, method="tree")
    assert len({x for x, _ in placed.values()}) == 1


def test_many_nodes_on_a_circle_stand_closer_where_they_are_above_each_other() -> None:
    picture = picture_of_edges(40, list(pairwise(range(40))))
    result = place(picture, method="circle")
    centres = np.array([result[f"n{i}"] for i in range(40)])
    radii = np.hypot(*(centres - (centres.max(axis=0) + centres.min(axis=0)) / 2).T)
    assert np.ptp(radii) < 0.05 * radii.mean()
    steps = np.hypot(*np.diff(centres, axis=0).T)
    assert steps.max() > 1.5 * steps.min()


def test_a_circle_has_every_node_at_the_same_distance_from_its_middle() -> None:
    picture = random_dag_picture(np.random.default_rng(4), 17, 2.0)
    centres = np.array(list(place(picture, method="circle").values()))
    distances = np.linalg.norm(centres - centres.mean(axis=0), axis=1)
    assert distances == pytest.approx(np.full(17, distances[0]), abs=2)


def test_lanes_stand_in_the_order_of_their_tiers_and_the_unassigned_come_first() -> None:
    picture = random_dag_picture(np.random.default_rng(6), 30, 2.0)
    tiers = [picture.ids[10:15], picture.ids[15:30]]
    placed = place(picture, method="tiers", frame=Frame(tiers))
    lanes = [picture.ids[:10], *tiers]
    for before, after in pairwise(lanes):
        assert max(placed[i][0] for i in before) < min(placed[i][0] for i in after)


def test_without_tiers_the_groups_of_the_picture_are_lanes() -> None:
    nodes = tuple(PictureNode(f"n{i}", "x", group="late" if i < 3 else "early") for i in range(6))
    picture = GraphPicture(nodes, groups=("early", "late"))
    placed = place(picture, method="tiers")
    assert max(placed[f"n{i}"][0] for i in range(3, 6)) < min(placed[f"n{i}"][0] for i in range(3))


def test_fill_ins_do_not_change_who_is_above_whom() -> None:
    arrows = [PictureEdge("n0", "n2"), PictureEdge("n1", "n2")]
    married = PictureEdge("n0", "n1", style=EdgeStyle.FILL_IN)
    nodes = picture_of_edges(3, []).nodes
    for layerer in LAYERERS:
        picture = GraphPicture(nodes, (*arrows, married))
        placed = layerer(picture, box_sizes(picture))
        assert placed["n0"][1] == placed["n1"][1]


def test_a_cycle_of_undirected_edges_can_be_layered() -> None:
    picture = picture_of_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    for layerer in LAYERERS:
        sizes = box_sizes(picture)
        assert touching(picture, layerer(picture, sizes), sizes) == []


def test_without_pygraphviz_the_plain_layers_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    picture = random_dag_picture(np.random.default_rng(7), 25, 2.0)
    sizes = box_sizes(picture)
    assert layered(picture, sizes) == plain_layers(picture, sizes)


def test_a_layout_runs_in_a_child_process_and_gives_the_same_places() -> None:
    picture = random_dag_picture(np.random.default_rng(8), 30, 2.0)
    assert list(in_process(Placement(picture), NEVER)) == [place(picture)]


def test_an_empty_picture_has_no_places_and_an_unknown_layout_is_named() -> None:
    assert place(GraphPicture(())) == {}
    with pytest.raises(UnknownNameError, match="Did you mean layered"):
        place(GraphPicture(()), method="layerd")


@given(st.lists(st.tuples(st.floats(-500, 500), st.floats(1, 200)), min_size=1, max_size=8))
def test_a_row_keeps_order_and_gaps_and_no_small_move_brings_it_nearer_to_the_targets(
    boxes: list[tuple[float, float]],
) -> None:
    desired, widths = [w for w, _ in boxes], [w for _, w in boxes]
    row = spread_in_row(desired, widths, 10.0)

    def is_allowed(positions: list[float]) -> bool:
        return all(
            b - a >= (u + v) / 2 + 10 - 1e-9
            for (a, u), (b, v) in pairwise(zip(positions, widths, strict=True))
        )

    def cost(positions: list[float]) -> float:
        return sum((p - w) ** 2 for p, w in zip(positions, desired, strict=True))

    assert is_allowed(row)
    # The problem is convex: checking moves of every run of neighbours is enough.
    for low in range(len(row)):
        for high in range(low + 1, len(row) + 1):
            for step in (-0.01, 0.01):
                moved = [p + step * (low <= i < high) for i, p in enumerate(row)]
                if is_allowed(moved):
                    assert cost(moved) >= cost(row) - 1e-6


def test_boxes_on_one_spot_are_separated() -> None:
    centres = without_overlaps(np.zeros((12, 2)), np.full((12, 2), 50.0), gap=5)
    assert len(overlapping_pairs(centres, np.full((12, 2), 50.0), gap=5)) == 0


def test_a_lone_box_stands_beside_a_tall_drawing_and_below_a_wide_one() -> None:
    for wide, high in ((300.0, 450.0), (900.0, 200.0)):
        sizes = {"large": (wide, high), "small": (140.0, 60.0)}
        placed = packed([{"small": (0.0, 0.0)}, {"large": (0.0, 0.0)}], sizes)
        left, top, right, bottom = corners(placed, sizes)
        assert (left, top) == (0.0, 0.0)
        assert (right > wide) == (high > wide)
        assert (bottom > high) == (wide > high)


def test_a_tree_leaves_space_for_the_tag_between_two_children() -> None:
    names = ("top", "left", "right")
    lines = [PictureEdge("top", other, style=EdgeStyle.UNDIRECTED) for other in names[1:]]
    tagged = PictureEdge("left", "right", "quite a long context", EdgeStyle.CONTEXTUAL)
    picture = GraphPicture(variable_nodes(names), (*lines, tagged))
    sizes = dict.fromkeys(names, (60.0, 30.0))
    points = place(picture, method="tree", sizes=sizes)
    assert points["left"][1] == points["right"][1]
    free = points["right"][0] - points["left"][0] - 60.0
    assert free > tag_size(tagged.label)[0]
