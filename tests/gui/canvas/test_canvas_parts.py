"""The parts of the canvas that need no window: faces, places, snapping, walking, searching."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    Neighbourhoods,
    PictureEdge,
    PictureNode,
)
from pgmstudio.core.drawing.snapping import (
    Box,
    distributed,
    free_place_within,
    lined_up,
    snap,
    spread,
)
from pgmstudio.core.inference.information_measures import mutual_information_bits
from pgmstudio.gui.canvas.edge_strengths import Strengths
from pgmstudio.gui.canvas.keyboard import first_of, nearest
from pgmstudio.gui.canvas.node_view import Detail, NodeMode, NodeView, detail_at
from pgmstudio.gui.canvas.overlays import match_rank, matches
from pgmstudio.gui.canvas.scene import between


def _picture(*edges: tuple[str, str], style: EdgeStyle = EdgeStyle.DIRECTED) -> GraphPicture:
    names = dict.fromkeys(name for edge in edges for name in edge)
    return GraphPicture(
        tuple(PictureNode(name, name, variable=name) for name in names),
        tuple(PictureEdge(a, b, style=style) for a, b in edges),
    )


def test_detail_goes_from_bars_to_names_to_dots_as_one_steps_back() -> None:
    assert detail_at(1.0) is Detail.FULL
    assert detail_at(0.7) is Detail.FULL
    assert detail_at(0.69) is Detail.NAME
    assert detail_at(0.22) is Detail.NAME
    assert detail_at(0.21) is Detail.DOT


def test_a_face_is_read_out_with_its_marks_and_beliefs() -> None:
    face = NodeView("Lung cancer", NodeMode.BARS, ("yes", "no"), (0.692, 0.308), is_target=True)
    assert face.description == "Lung cancer, target, yes 69.2 percent, no 30.8 percent"


def test_evidence_is_put_into_words_by_its_weights() -> None:
    states = ("a", "b", "c", "d")
    assert NodeView("x", states=states).mark is None
    cases = {
        (0, 1, 0, 0): "= b",
        (1, 1, 0, 1): "≠ c",
        (1, 0, 0, 1): "∈ 2 of 4",
        (1, 0.5, 1, 1): "likelihood",
    }
    for weights, expected in cases.items():
        mark = NodeView("x", states=states, weights=tuple(map(float, weights))).mark
        assert mark is not None
        assert mark.text == expected


def test_of_many_states_the_five_largest_are_shown_in_their_order() -> None:
    states = tuple("abcdefgh")
    beliefs = (0.01, 0.2, 0.02, 0.2, 0.2, 0.2, 0.15, 0.02)
    face = NodeView("x", NodeMode.BARS, states, beliefs)
    assert [states[i] for i in face.shown_states()] == ["b", "d", "e", "f", "g"]
    explained = replace(face, most_probable="a")  # is shown, however improbable by itself
    assert [states[i] for i in explained.shown_states()] == ["a", "b", "d", "e", "f"]
    assert len(NodeView("x", NodeMode.BARS, states[:6]).shown_states()) == 6


def test_the_entropy_of_a_fair_coin_is_one_bit() -> None:
    assert NodeView("x", states=("h", "t"), beliefs=(0.5, 0.5)).entropy_bits == pytest.approx(1)
    assert NodeView("x", states=("h", "t"), beliefs=(1.0, 0.0)).entropy_bits == 0
    assert NodeView("x", states=("h", "t")).entropy_bits is None


def test_only_a_state_without_evidence_on_its_node_counts_as_impossible() -> None:
    face = NodeView("x", states=("h", "t"), beliefs=(1.0, 0.0))
    assert face.is_impossible(1)
    observed = NodeView("x", states=("h", "t"), beliefs=(1.0, 0.0), weights=(1.0, 0.0))
    assert not observed.is_impossible(1)


def test_the_markov_blanket_has_parents_children_and_their_other_parents() -> None:
    picture = _picture(("a", "x"), ("x", "c"), ("o", "c"), ("c", "d"), ("g", "a"))
    near = Neighbourhoods(picture)
    assert near.near("x") == {"x", "a", "c"}
    assert near.blanket("x") == {"x", "a", "c", "o"}
    assert near.line("x") == {"x", "a", "g", "c", "d"}
    assert near.within(["g"], 2) == {"g", "a", "x"}


def test_without_arrows_everything_connected_is_of_one_line() -> None:
    near = Neighbourhoods(_picture(("a", "b"), ("c", "b"), style=EdgeStyle.UNDIRECTED))
    assert near.line("a") == {"a", "b", "c"}


def test_an_arrow_key_leads_to_the_nearest_node_in_its_direction() -> None:
    positions = {
        "a": (0.0, 0.0),
        "below": (10.0, 100.0),
        "far": (0.0, 300.0),
        "right": (90.0, 20.0),
    }
    others = [name for name in positions if name != "a"]
    assert nearest(positions["a"], positions, others, "down") == "below"
    assert nearest(positions["a"], positions, others, "right") == "right"
    assert nearest(positions["a"], positions, others, "up") is None
    assert first_of(positions, others) == "right"


def test_a_box_snaps_to_the_nearest_middle_or_side() -> None:
    other = Box(100, 50, 40, 20)
    (dx, dy), guides = snap(Box(103, 200, 60, 20), [other], 5)
    assert (dx, dy) == (-3, 0)
    assert len(guides) == 1
    (dx, _), _ = snap(Box(112, 200, 60, 20), [other], 5)  # left sides: 82 and 80
    assert dx == -2
    assert snap(Box(300, 300, 60, 20), [other], 5) == ((0.0, 0.0), ())


_boxes = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.builds(
        Box,
        st.integers(-500, 500),
        st.integers(-500, 500),
        st.integers(20, 160),
        st.integers(20, 90),
    ),
    min_size=3,
)


@given(_boxes, st.sampled_from(["left", "right", "top", "bottom"]))
def test_lined_up_boxes_share_the_outermost_side_and_none_hides_another(
    boxes: dict[str, Box], side: str
) -> None:
    placed = lined_up(boxes, side)
    direction = {"left": -1, "right": 1, "top": -1, "bottom": 1}[side]
    axis = 0 if side in ("left", "right") else 1

    def edge(name: str, middle: float) -> float:
        size = boxes[name].width if axis == 0 else boxes[name].height
        return middle + direction * size / 2

    before = {n: edge(n, (b.x, b.y)[axis]) for n, b in boxes.items()}
    extreme = max(before.values()) if direction > 0 else min(before.values())
    for name, position in placed.items():
        assert edge(name, position[axis]) == pytest.approx(extreme)
    along = 1 - axis
    before = {n: (b.x, b.y)[along] for n, b in boxes.items()}
    lengths = {n: (b.width, b.height)[along] for n, b in boxes.items()}
    order = sorted(boxes, key=lambda n: placed[n][along])
    needs = {(a, b): (lengths[a] + lengths[b]) / 2 for a, b in pairwise(order)}
    assert [before[n] for n in order] == sorted(before.values())
    assert all(placed[b][along] - placed[a][along] >= need for (a, b), need in needs.items())
    if all(before[b] - before[a] >= need for (a, b), need in needs.items()):
        assert {n: placed[n][along] for n in boxes} == before


@given(_boxes)
def test_distributed_boxes_have_equal_gaps_and_the_outermost_stay(boxes: dict[str, Box]) -> None:
    placed = distributed(boxes, across=True)
    order = sorted(boxes, key=lambda n: boxes[n].x)
    gaps = [
        placed[b][0] - boxes[b].width / 2 - placed[a][0] - boxes[a].width / 2
        for a, b in pairwise(order)
    ]
    assert max(gaps) - min(gaps) < 1e-6
    assert placed[order[0]][0] == pytest.approx(boxes[order[0]].x)
    assert placed[order[-1]][0] == pytest.approx(boxes[order[-1]].x)


def test_spreading_parts_boxes_that_touch_and_leaves_others_alone() -> None:
    positions = {"a": (0.0, 0.0), "b": (60.0, 0.0), "c": (0.0, 200.0)}
    roomy = spread(positions, dict.fromkeys(positions, (100.0, 60.0)), 16)
    assert roomy["b"][0] - roomy["a"][0] >= 116
    assert spread(positions, dict.fromkeys(positions, (20.0, 20.0)), 16) == positions


def test_a_search_finds_the_exact_name_then_beginnings_then_parts() -> None:
    titles = {name: name for name in ("HRBP", "BPS", "BP", "Blood pump", "CATECHOL")}
    assert matches("bp", titles) == ["BP", "BPS", "HRBP"]


def test_scattered_letters_are_found_only_where_no_name_contains_the_text() -> None:
    titles = {name: name for name in ("HRBP", "Blood pump", "CATECHOL")}
    assert matches("bdp", titles) == ["Blood pump"]
    assert match_rank("bp", "CATECHOL") is None
    assert matches("  ", titles) == []


def test_sliding_ends_exactly_at_its_goal() -> None:
    start, end = {"x": (0.1, 0.9)}, {"x": (0.3, 0.7)}
    assert between(start, end, 1.0) == end
    assert between(start, end, 0.5)["x"] == pytest.approx((0.2, 0.8))


def test_mutual_information_is_entropy_for_copies_and_nothing_for_independence() -> None:
    assert mutual_information_bits(np.diag([0.5, 0.5])) == pytest.approx(1)
    assert mutual_information_bits(np.outer([0.3, 0.7], [0.6, 0.4])) == pytest.approx(0, abs=1e-12)


def test_edge_widths_grow_with_the_root_of_the_strength() -> None:
    strengths = Strengths("MI", "bits", {("a", "b"): 0.0, ("b", "c"): 0.25, ("c", "d"): 1.0})
    thin, middle, wide = (strengths.widths[edge] for edge in strengths.values)
    assert (thin, wide) == (1, 6)
    assert middle == pytest.approx(thin + (wide - thin) * math.sqrt(0.25))


def test_a_free_place_is_searched_inside_the_frame_alone() -> None:
    frame, wanted = Box(0, 0, 400, 200), Box(0, 0, 100, 60)
    assert free_place_within(frame, wanted, [], 10) == (0, 0)
    place = free_place_within(frame, wanted, [Box(0, 0, 100, 180)], 10)
    assert place is not None
    assert abs(place[0]) in range(110, 141)
    assert free_place_within(frame, wanted, [Box(0, 0, 300, 180)], 10) is None
    assert free_place_within(Box(0, 0, 90, 200), wanted, [], 10) is None
