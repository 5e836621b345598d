"""Mouse and keyboard on a canvas that knows pictures and faces, but no model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.signals import EdgeAdvice
from tests.gui.diamond_canvas import (
    PLACES,
    at,
    bar_of,
    collected,
    drag,
    face_of,
    head_of,
    shown_canvas,
)

Key, Mods = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def canvas(qtbot: QtBot) -> Iterator[Canvas]:
    yield from shown_canvas(qtbot)


def test_a_click_selects_and_a_click_on_the_ground_lets_go(qtbot: QtBot, canvas: Canvas) -> None:
    viewport = canvas.view.viewport()
    qtbot.mouseClick(viewport, LEFT, pos=head_of(canvas, "b"))
    assert canvas.scene.selected_nodes == ("b",)
    qtbot.mouseClick(viewport, LEFT, Mods.ControlModifier, head_of(canvas, "c"))
    assert canvas.scene.selected_nodes == ("b", "c")
    qtbot.mouseClick(viewport, LEFT, Mods.ControlModifier, head_of(canvas, "b"))
    assert canvas.scene.selected_nodes == ("c",)
    qtbot.mouseClick(viewport, LEFT, pos=at(canvas, QPointF(-300, 0)))
    assert canvas.scene.selected_nodes == ()


def test_a_mere_click_on_one_of_several_selects_it_alone(qtbot: QtBot, canvas: Canvas) -> None:
    canvas.scene.show_selection(("b", "c"), ())
    qtbot.mouseClick(canvas.view.viewport(), LEFT, pos=head_of(canvas, "c"))
    assert canvas.scene.selected_nodes == ("c",)
    canvas.scene.show_selection(("b", "c"), ())
    start = head_of(canvas, "c")
    drag(qtbot, canvas, start, start + QPoint(60, 0))
    assert canvas.scene.selected_nodes == ("b", "c")
    assert canvas.scene.nodes["b"].centre[0] == PLACES["b"][0] + 60


def test_an_edge_can_be_selected(qtbot: QtBot, canvas: Canvas) -> None:
    route = canvas.scene.edges["a", "b"].route
    qtbot.mouseClick(canvas.view.viewport(), LEFT, pos=at(canvas, QPointF(*route.at(0.5))))
    assert canvas.scene.selected_edges == (("a", "b"),)


def test_a_rubber_band_selects_what_it_touches(qtbot: QtBot, canvas: Canvas) -> None:
    begin, end = at(canvas, QPointF(-260, 110)), at(canvas, QPointF(130, 175))
    drag(qtbot, canvas, begin, end)
    assert set(canvas.scene.selected_nodes) == {"b", "c"}


def test_dragging_a_head_moves_the_node_and_reports_once(qtbot: QtBot, canvas: Canvas) -> None:
    received = collected(canvas.signals.move)
    start = head_of(canvas, "a")
    drag(qtbot, canvas, start, start + QPoint(-187, 23))
    assert len(received) == 1
    (moved,) = received[0]
    assert list(moved) == ["a"]
    x, y = canvas.scene.nodes["a"].centre
    assert (x, y) == pytest.approx((-187, 23), abs=6)  # it may have snapped


def test_a_dragged_node_stops_at_the_grid_when_asked_to(qtbot: QtBot, canvas: Canvas) -> None:
    canvas.view.snaps_to_grid = True
    start = head_of(canvas, "a")
    drag(qtbot, canvas, start, start + QPoint(-187, 23))
    assert canvas.scene.nodes["a"].centre == (-180, 20)


def test_clicks_on_rows_request_evidence_by_the_keys_held(qtbot: QtBot, canvas: Canvas) -> None:
    clicked = collected(canvas.signals.click_state)
    excluded = collected(canvas.signals.exclude_state)
    toggled = collected(canvas.signals.toggle_state)
    viewport = canvas.view.viewport()
    qtbot.mouseClick(viewport, LEFT, pos=bar_of(canvas, "b", 0))
    qtbot.mouseClick(viewport, LEFT, Mods.ShiftModifier, bar_of(canvas, "b", 1))
    qtbot.mouseClick(viewport, LEFT, Mods.AltModifier, bar_of(canvas, "c", 1))
    qtbot.mouseClick(viewport, LEFT, Mods.ControlModifier, bar_of(canvas, "c", 0))
    assert clicked == [("b", "yes")]
    assert excluded == [("b", "no"), ("c", "no")]
    assert toggled == [("c", "yes")]
    assert canvas.scene.selected_nodes == ()


def test_dragging_a_bar_requests_a_likelihood_of_that_share(qtbot: QtBot, canvas: Canvas) -> None:
    received = collected(canvas.signals.likelihood)
    drag(qtbot, canvas, bar_of(canvas, "b", 0, 0.9), bar_of(canvas, "b", 0, 0.4))
    node, weights = received[-1]
    assert node == "b"
    assert weights == {"yes": pytest.approx(0.4, abs=0.02), "no": 1.0}


def test_an_impossible_state_explains_itself_instead(qtbot: QtBot, canvas: Canvas) -> None:
    canvas.scene.show_faces({"b": face_of("b", beliefs=(1.0, 0.0))})
    clicked = collected(canvas.signals.click_state)
    qtbot.mouseClick(canvas.view.viewport(), LEFT, pos=bar_of(canvas, "b", 1))
    assert clicked == []
    assert canvas.bubble.isVisible()
    assert "impossible" in canvas.bubble.text


def test_a_drawn_edge_is_requested_and_a_refused_one_says_why(qtbot: QtBot, canvas: Canvas) -> None:
    refusal = EdgeAdvice("closes a cycle", refusal="It would close a cycle.", path=("a", "b", "d"))
    canvas.view.advise = lambda s, t: refusal if (s, t) == ("d", "a") else EdgeAdvice("2 → 4 rows")
    received = collected(canvas.signals.add_edge)
    canvas.view.choose_tool("edge")
    drag(qtbot, canvas, head_of(canvas, "a"), head_of(canvas, "d"))
    assert received == [("a", "d")]
    viewport = canvas.view.viewport()
    qtbot.mousePress(viewport, LEFT, pos=head_of(canvas, "d"))
    qtbot.mouseMove(viewport, head_of(canvas, "c"))
    qtbot.mouseMove(viewport, head_of(canvas, "a"))
    assert [canvas.scene.edges[e].look.step for e in (("a", "b"), ("b", "d"))] == [1, 2]
    qtbot.mouseRelease(viewport, LEFT, pos=head_of(canvas, "a"))
    assert received == [("a", "d")]
    assert canvas.bubble.text == "It would close a cycle."
    assert canvas.scene.edges["a", "b"].look.step is None


def test_escape_gives_up_a_drag(qtbot: QtBot, canvas: Canvas) -> None:
    received = collected(canvas.signals.move)
    viewport, start = canvas.view.viewport(), head_of(canvas, "a")
    qtbot.mousePress(viewport, LEFT, pos=start)
    qtbot.mouseMove(viewport, start + QPoint(30, 30))
    qtbot.mouseMove(viewport, start + QPoint(60, 50))
    assert canvas.scene.nodes["a"].centre != PLACES["a"]
    qtbot.keyClick(canvas.view, Key.Key_Escape)
    qtbot.mouseRelease(viewport, LEFT, pos=start + QPoint(60, 50))
    assert canvas.scene.nodes["a"].centre == PLACES["a"]
    assert received == []


def test_a_new_node_is_named_where_it_will_stand(qtbot: QtBot, canvas: Canvas) -> None:
    received = collected(canvas.signals.add_node)
    canvas.view.choose_tool("node")
    qtbot.mouseClick(canvas.view.viewport(), LEFT, pos=at(canvas, QPointF(-240, 20)))
    assert canvas.view.editor.isVisible()
    qtbot.keyClicks(canvas.view.editor, "Rain")
    qtbot.keyClick(canvas.view.editor, Key.Key_Return)
    assert received == [("Rain", (-240, 20))]
    assert not canvas.view.editor.isVisible()


def test_arrows_walk_to_the_nearest_node_and_alt_along_edges(qtbot: QtBot, canvas: Canvas) -> None:
    view = canvas.view
    qtbot.keyClick(view, Key.Key_Down)  # begins at the top
    assert view.keys.node == "a"
    qtbot.keyClick(view, Key.Key_Down)
    assert view.keys.node in ("b", "c")
    first = view.keys.node
    assert canvas.scene.selected_nodes == (first,)
    qtbot.keyClick(view, Key.Key_Right if first == "b" else Key.Key_Left)
    assert view.keys.node == ("c" if first == "b" else "b")
    qtbot.keyClick(view, Key.Key_Right, Mods.AltModifier)  # no edge joins b and c
    assert view.keys.node != first
    qtbot.keyClick(view, Key.Key_Down, Mods.AltModifier)
    assert view.keys.node == "d"
    assert "d, yes 25.0 percent" in view.accessibleDescription()


def test_inside_a_node_keys_set_evidence(qtbot: QtBot, canvas: Canvas) -> None:
    view, signals = canvas.view, canvas.signals
    clicked, excluded = collected(signals.click_state), collected(signals.exclude_state)
    toggled, weights = collected(signals.toggle_state), collected(signals.likelihood)
    cleared, target = collected(signals.clear_evidence), collected(signals.target)
    qtbot.keyClick(view, Key.Key_Down)
    qtbot.keyClick(view, Key.Key_Return)
    assert view.keys.state == 0
    qtbot.keyClick(view, Key.Key_Down)
    assert view.keys.state == 1
    qtbot.keyClick(view, Key.Key_Space)
    qtbot.keyClick(view, Key.Key_1)
    assert clicked == [("a", "no"), ("a", "yes")]
    qtbot.keyClick(view, Key.Key_Space, Mods.ShiftModifier)
    qtbot.keyClick(view, Key.Key_Space, Mods.ControlModifier)
    assert (excluded, toggled) == ([("a", "no")], [("a", "no")])
    qtbot.keyClick(view, Key.Key_L)
    assert weights == [("a", {"yes": 1.0, "no": 1.0})]
    canvas.scene.show_faces({"a": face_of("a", weights=(1.0, 0.5))})
    qtbot.keyClick(view, Key.Key_Left)
    assert weights[-1] == ("a", {"yes": 1.0, "no": 0.45})
    qtbot.keyClick(view, Key.Key_C)
    qtbot.keyClick(view, Key.Key_T)
    assert (cleared, target) == ([("a",)], [("a",)])
    qtbot.keyClick(view, Key.Key_Escape)
    assert view.keys.state is None
    zoom = view.zoom
    view.set_zoom(0.5)
    qtbot.keyClick(view, Key.Key_2)  # of the node that is still selected
    assert clicked[-1] == ("a", "no")
    qtbot.keyClick(view, Key.Key_Escape)
    qtbot.keyClick(view, Key.Key_1)  # without a node it is the zoom
    assert view.zoom == zoom == 1.0


def test_an_edge_can_be_drawn_by_keyboard(qtbot: QtBot, canvas: Canvas) -> None:
    received = collected(canvas.signals.add_edge)
    view = canvas.view
    qtbot.keyClick(view, Key.Key_Down)
    qtbot.keyClick(view, Key.Key_L)
    assert view.tool.name == "edge"
    qtbot.keyClick(view, Key.Key_Return)
    qtbot.keyClick(view, Key.Key_Down)
    goal = view.keys.node
    qtbot.keyClick(view, Key.Key_Return)
    assert received == [("a", goal)]
    qtbot.keyClick(view, Key.Key_Escape)
    assert view.tool.name == "select"
