"""Mouse and keyboard on a canvas that knows pictures and faces, but no model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pgmstudio.core.pictures.picture import GraphPicture, PictureEdge, PictureNode
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.views.canvas import Canvas
from pgmstudio.gui.views.node_face import Detail, NodeFace, NodeMode
from pgmstudio.gui.views.wishes import EdgeAdvice

Key, Mods = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton
PLACES = {"a": (0.0, 0.0), "b": (-120.0, 160.0), "c": (120.0, 160.0), "d": (0.0, 320.0)}
EDGES = (("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"))


def _picture() -> GraphPicture:
    return GraphPicture(
        tuple(PictureNode(name, name, variable=name) for name in PLACES),
        tuple(PictureEdge(*edge) for edge in EDGES),
    )


def _face(name: str, **changes: object) -> NodeFace:
    told: dict[str, object] = {
        "mode": NodeMode.BARS,
        "states": ("yes", "no"),
        "beliefs": (0.25, 0.75),
        "priors": (0.5, 0.5),
    }
    return NodeFace(name, **(told | changes))


@pytest.fixture
def canvas(qtbot: QtBot) -> Iterator[Canvas]:
    theme().set_look(mode="light", scale=1.0, reduced_motion=True)
    made = Canvas()
    qtbot.addWidget(made)
    made.resize(800, 640)
    made.scene.show_picture(_picture(), {n: _face(n) for n in PLACES}, PLACES)
    with qtbot.waitExposed(made):
        made.show()
    made.wishes.select.connect(made.scene.show_selection)
    made.wishes.tool.connect(made.view.choose_tool)
    made.view.set_zoom(1.0)
    made.view.centre_on(QPointF(0, 160))
    made.view.setFocus()
    yield made
    made.stop()


def _at(canvas: Canvas, point: QPointF) -> QPoint:
    return canvas.view.mapFromScene(point)


def _head(canvas: Canvas, node: str) -> QPoint:
    box = canvas.scene.nodes[node].box
    return _at(canvas, QPointF(box.center().x(), box.top() + 10))


def _bar(canvas: Canvas, node: str, place: int, share: float = 0.5) -> QPoint:
    item = canvas.scene.nodes[node]
    bar = item.geometry.bar(place)
    inside = QPointF(bar.left() + bar.width() * share, bar.center().y())
    return _at(canvas, item.pos() + item.corner + inside)


def _drag(qtbot: QtBot, canvas: Canvas, start: QPoint, end: QPoint) -> None:
    viewport = canvas.view.viewport()
    qtbot.mousePress(viewport, LEFT, pos=start)
    for share in (0.3, 0.6, 1.0):
        qtbot.mouseMove(viewport, start + (end - start) * share)
    qtbot.mouseRelease(viewport, LEFT, pos=end)


def _collect(signal: object) -> list[tuple[object, ...]]:
    heard: list[tuple[object, ...]] = []
    signal.connect(lambda *told: heard.append(told))
    return heard


def test_a_click_selects_and_a_click_on_the_ground_lets_go(qtbot: QtBot, canvas: Canvas) -> None:
    viewport = canvas.view.viewport()
    qtbot.mouseClick(viewport, LEFT, pos=_head(canvas, "b"))
    assert canvas.scene.selected_nodes == ("b",)
    qtbot.mouseClick(viewport, LEFT, Mods.ControlModifier, _head(canvas, "c"))
    assert canvas.scene.selected_nodes == ("b", "c")
    qtbot.mouseClick(viewport, LEFT, Mods.ControlModifier, _head(canvas, "b"))
    assert canvas.scene.selected_nodes == ("c",)
    qtbot.mouseClick(viewport, LEFT, pos=_at(canvas, QPointF(-300, 0)))
    assert canvas.scene.selected_nodes == ()


def test_a_mere_click_on_one_of_several_selects_it_alone(qtbot: QtBot, canvas: Canvas) -> None:
    canvas.scene.show_selection(("b", "c"), ())
    qtbot.mouseClick(canvas.view.viewport(), LEFT, pos=_head(canvas, "c"))
    assert canvas.scene.selected_nodes == ("c",)
    canvas.scene.show_selection(("b", "c"), ())
    start = _head(canvas, "c")
    _drag(qtbot, canvas, start, start + QPoint(60, 0))
    assert canvas.scene.selected_nodes == ("b", "c")
    assert canvas.scene.nodes["b"].centre[0] == PLACES["b"][0] + 60


def test_an_edge_can_be_selected(qtbot: QtBot, canvas: Canvas) -> None:
    route = canvas.scene.edges["a", "b"].route
    qtbot.mouseClick(canvas.view.viewport(), LEFT, pos=_at(canvas, QPointF(*route.at(0.5))))
    assert canvas.scene.selected_edges == (("a", "b"),)


def test_a_rubber_band_selects_what_it_touches(qtbot: QtBot, canvas: Canvas) -> None:
    begin, end = _at(canvas, QPointF(-260, 110)), _at(canvas, QPointF(130, 175))
    _drag(qtbot, canvas, begin, end)
    assert set(canvas.scene.selected_nodes) == {"b", "c"}


def test_dragging_a_head_moves_the_node_and_tells_once(qtbot: QtBot, canvas: Canvas) -> None:
    heard = _collect(canvas.wishes.move)
    start = _head(canvas, "a")
    _drag(qtbot, canvas, start, start + QPoint(-187, 23))
    assert len(heard) == 1
    (moved,) = heard[0]
    assert list(moved) == ["a"]
    x, y = canvas.scene.nodes["a"].centre
    assert (x, y) == pytest.approx((-187, 23), abs=6)  # it may have snapped


def test_a_dragged_node_stops_at_the_grid_when_asked_to(qtbot: QtBot, canvas: Canvas) -> None:
    canvas.view.snaps_to_grid = True
    start = _head(canvas, "a")
    _drag(qtbot, canvas, start, start + QPoint(-187, 23))
    assert canvas.scene.nodes["a"].centre == (-180, 20)


def test_clicks_on_rows_wish_evidence_by_the_keys_held(qtbot: QtBot, canvas: Canvas) -> None:
    clicked = _collect(canvas.wishes.click_state)
    excluded = _collect(canvas.wishes.exclude_state)
    toggled = _collect(canvas.wishes.toggle_state)
    viewport = canvas.view.viewport()
    qtbot.mouseClick(viewport, LEFT, pos=_bar(canvas, "b", 0))
    qtbot.mouseClick(viewport, LEFT, Mods.ShiftModifier, _bar(canvas, "b", 1))
    qtbot.mouseClick(viewport, LEFT, Mods.AltModifier, _bar(canvas, "c", 1))
    qtbot.mouseClick(viewport, LEFT, Mods.ControlModifier, _bar(canvas, "c", 0))
    assert clicked == [("b", "yes")]
    assert excluded == [("b", "no"), ("c", "no")]
    assert toggled == [("c", "yes")]
    assert canvas.scene.selected_nodes == ()


def test_dragging_a_bar_wishes_a_likelihood_of_that_share(qtbot: QtBot, canvas: Canvas) -> None:
    heard = _collect(canvas.wishes.likelihood)
    _drag(qtbot, canvas, _bar(canvas, "b", 0, 0.9), _bar(canvas, "b", 0, 0.4))
    node, weights = heard[-1]
    assert node == "b"
    assert weights == {"yes": pytest.approx(0.4, abs=0.02), "no": 1.0}


def test_an_impossible_state_explains_itself_instead(qtbot: QtBot, canvas: Canvas) -> None:
    canvas.scene.show_faces({"b": _face("b", beliefs=(1.0, 0.0))})
    clicked = _collect(canvas.wishes.click_state)
    qtbot.mouseClick(canvas.view.viewport(), LEFT, pos=_bar(canvas, "b", 1))
    assert clicked == []
    assert canvas.bubble.isVisible()
    assert "impossible" in canvas.bubble.text


def test_a_drawn_edge_is_wished_and_a_refused_one_says_why(qtbot: QtBot, canvas: Canvas) -> None:
    refusal = EdgeAdvice("closes a cycle", refusal="It would close a cycle.", path=("a", "b", "d"))
    canvas.view.advise = lambda s, t: refusal if (s, t) == ("d", "a") else EdgeAdvice("2 → 4 rows")
    heard = _collect(canvas.wishes.add_edge)
    canvas.view.choose_tool("edge")
    _drag(qtbot, canvas, _head(canvas, "a"), _head(canvas, "d"))
    assert heard == [("a", "d")]
    viewport = canvas.view.viewport()
    qtbot.mousePress(viewport, LEFT, pos=_head(canvas, "d"))
    qtbot.mouseMove(viewport, _head(canvas, "c"))
    qtbot.mouseMove(viewport, _head(canvas, "a"))
    assert [canvas.scene.edges[e].look.step for e in (("a", "b"), ("b", "d"))] == [1, 2]
    qtbot.mouseRelease(viewport, LEFT, pos=_head(canvas, "a"))
    assert heard == [("a", "d")]
    assert canvas.bubble.text == "It would close a cycle."
    assert canvas.scene.edges["a", "b"].look.step is None


def test_escape_gives_up_a_drag(qtbot: QtBot, canvas: Canvas) -> None:
    heard = _collect(canvas.wishes.move)
    viewport, start = canvas.view.viewport(), _head(canvas, "a")
    qtbot.mousePress(viewport, LEFT, pos=start)
    qtbot.mouseMove(viewport, start + QPoint(30, 30))
    qtbot.mouseMove(viewport, start + QPoint(60, 50))
    assert canvas.scene.nodes["a"].centre != PLACES["a"]
    qtbot.keyClick(canvas.view, Key.Key_Escape)
    qtbot.mouseRelease(viewport, LEFT, pos=start + QPoint(60, 50))
    assert canvas.scene.nodes["a"].centre == PLACES["a"]
    assert heard == []


def test_a_new_node_is_named_where_it_will_stand(qtbot: QtBot, canvas: Canvas) -> None:
    heard = _collect(canvas.wishes.add_node)
    canvas.view.choose_tool("node")
    qtbot.mouseClick(canvas.view.viewport(), LEFT, pos=_at(canvas, QPointF(-240, 20)))
    assert canvas.view.editor.isVisible()
    qtbot.keyClicks(canvas.view.editor, "Rain")
    qtbot.keyClick(canvas.view.editor, Key.Key_Return)
    assert heard == [("Rain", (-240, 20))]
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
    view, wishes = canvas.view, canvas.wishes
    clicked, excluded = _collect(wishes.click_state), _collect(wishes.exclude_state)
    toggled, weights = _collect(wishes.toggle_state), _collect(wishes.likelihood)
    cleared, target = _collect(wishes.clear_evidence), _collect(wishes.target)
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
    canvas.scene.show_faces({"a": _face("a", weights=(1.0, 0.5))})
    qtbot.keyClick(view, Key.Key_Left)
    assert weights[-1] == ("a", {"yes": 1.0, "no": 0.45})
    qtbot.keyClick(view, Key.Key_C)
    qtbot.keyClick(view, Key.Key_T)
    assert (cleared, target) == ([("a",)], [("a",)])
    qtbot.keyClick(view, Key.Key_Escape)
    assert view.keys.state is None
    zoom = view.zoom
    view.set_zoom(0.5)
    qtbot.keyClick(view, Key.Key_1)  # outside of nodes it is the zoom
    assert view.zoom == zoom == 1.0


def test_an_edge_can_be_drawn_by_keyboard(qtbot: QtBot, canvas: Canvas) -> None:
    heard = _collect(canvas.wishes.add_edge)
    view = canvas.view
    qtbot.keyClick(view, Key.Key_Down)
    qtbot.keyClick(view, Key.Key_L)
    assert view.tool.name == "edge"
    qtbot.keyClick(view, Key.Key_Return)
    qtbot.keyClick(view, Key.Key_Down)
    goal = view.keys.node
    qtbot.keyClick(view, Key.Key_Return)
    assert heard == [("a", goal)]
    qtbot.keyClick(view, Key.Key_Escape)
    assert view.tool.name == "select"


def test_hovering_dims_all_but_the_neighbourhood(qtbot: QtBot, canvas: Canvas) -> None:
    viewport = canvas.view.viewport()

    def bright() -> set[str]:
        return {name for name, item in canvas.scene.nodes.items() if item.opacity() == 1}

    qtbot.mouseMove(viewport, _head(canvas, "b"))
    assert bright() == {"a", "b", "d"}
    qtbot.keyPress(canvas.view, Key.Key_Shift)
    assert bright() == {"a", "b", "c", "d"}
    qtbot.keyRelease(canvas.view, Key.Key_Shift, Mods.ShiftModifier)
    assert bright() == {"a", "b", "d"}
    qtbot.mouseMove(viewport, _at(canvas, QPointF(-300, 0)))
    assert bright() == set(PLACES)


def _wheel(canvas: Canvas, place: QPoint, turn: int, keys: Qt.KeyboardModifier) -> None:
    viewport = canvas.view.viewport()
    event = QWheelEvent(
        QPointF(place),
        QPointF(viewport.mapToGlobal(place)),
        QPoint(),
        QPoint(0, turn),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, event)


def test_ctrl_and_wheel_zoom_at_the_pointer_and_the_wheel_alone_scrolls(canvas: Canvas) -> None:
    view, place = canvas.view, QPoint(200, 150)
    kept = view.mapToScene(place)
    _wheel(canvas, place, 120, Mods.ControlModifier)
    assert view.zoom == pytest.approx(1.25)
    now = view.mapToScene(place)
    assert (now.x(), now.y()) == pytest.approx((kept.x(), kept.y()), abs=1.5)
    before = view.sight().center().y()
    _wheel(canvas, place, -120, Mods.NoModifier)
    assert view.sight().center().y() > before
    assert view.zoom == pytest.approx(1.25)


def test_space_and_drag_pans(qtbot: QtBot, canvas: Canvas) -> None:
    view, viewport = canvas.view, canvas.view.viewport()
    before = view.sight().center()
    qtbot.keyPress(view, Key.Key_Space)
    qtbot.mousePress(viewport, LEFT, pos=QPoint(400, 300))
    qtbot.mouseMove(viewport, QPoint(350, 260))
    qtbot.mouseMove(viewport, QPoint(300, 220))
    qtbot.mouseRelease(viewport, LEFT, pos=QPoint(300, 220))
    qtbot.keyRelease(view, Key.Key_Space)
    after = view.sight().center()
    assert (after.x() - before.x(), after.y() - before.y()) == pytest.approx((100, 80), abs=2)
    assert canvas.scene.selected_nodes == ()


def test_zero_brings_everything_into_sight(qtbot: QtBot, canvas: Canvas) -> None:
    canvas.view.set_zoom(3.0)
    qtbot.keyClick(canvas.view, Key.Key_0)
    sight = canvas.view.sight()
    assert all(sight.contains(item.box) for item in canvas.scene.nodes.values())
    assert canvas.view.zoom <= 1


def _inks(canvas: Canvas, token: str) -> int:
    """How many pixels of the view have a colour of the theme."""
    image = canvas.view.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    wanted = theme().color(token).rgb()
    return sum(
        image.pixel(x, y) == wanted for y in range(image.height()) for x in range(image.width())
    )


def test_bars_are_drawn_near_and_left_out_from_afar(canvas: Canvas) -> None:
    assert canvas.view.detail is Detail.FULL
    assert _inks(canvas, "belief") > 500
    canvas.view.set_zoom(0.5)
    assert canvas.view.detail is Detail.NAME
    assert _inks(canvas, "belief") == 0
    canvas.view.set_zoom(0.2)
    assert canvas.view.detail is Detail.DOT
    assert not canvas.view.hit(_at(canvas, QPointF(66, 0))).node  # beside the dot


def test_an_export_keeps_the_detail_it_is_told(canvas: Canvas) -> None:
    canvas.scene.zoomed.forced = Detail.FULL
    image = QImage(200, 200, QImage.Format.Format_RGB32)
    image.fill(theme().color("canvas"))
    painter = QPainter(image)
    canvas.scene.render(painter)
    painter.end()
    canvas.scene.zoomed.forced = None
    belief = theme().color("belief").rgb()
    assert any(image.pixel(x, y) == belief for x in range(200) for y in range(200))


def test_the_legend_lists_only_what_is_on_screen(qtbot: QtBot, canvas: Canvas) -> None:
    texts = [entry.text for entry in canvas.legend_entries()]
    assert texts == []
    canvas.scene.show_faces({"a": _face("a", mode=NodeMode.PRIOR)})
    assert [entry.text for entry in canvas.legend_entries()] == ["outline = prior"]
    canvas.scene.show_faces({"b": _face("b", weights=(1.0, 0.5))})
    canvas.refresh_soon()
    qtbot.waitUntil(lambda: canvas.legend.isVisible())
    assert "likelihood, drag" in canvas.legend.accessibleName()


def test_find_steps_through_matches_and_shows_only_what_is_near(
    qtbot: QtBot, canvas: Canvas
) -> None:
    canvas.open_find()
    bar = canvas.find_bar
    qtbot.keyClicks(bar.findChild(type(bar._field), "find.field"), "d")
    assert bar.current == "d"
    assert canvas.scene.selected_nodes == ("d",)
    bar._scope.setCurrentIndex(1)
    shown = {name for name, item in canvas.scene.nodes.items() if item.isVisible()}
    assert shown == {"b", "c", "d"}
    qtbot.keyClick(bar._field, Key.Key_Escape)
    assert all(item.isVisible() for item in canvas.scene.nodes.values())


def test_other_pictures_keep_the_items_of_nodes_that_stay(canvas: Canvas) -> None:
    before = canvas.scene.nodes["a"]
    nodes = tuple(PictureNode(n, n, variable=n) for n in ("a", "e"))
    smaller = GraphPicture(nodes, (PictureEdge("a", "e"),))
    places = {"a": (5.0, 5.0), "e": (0.0, 200.0)}
    canvas.scene.show_picture(smaller, {n: _face(n) for n in places}, places)
    assert canvas.scene.nodes["a"] is before
    assert set(canvas.scene.edges) == {("a", "e")}
    assert canvas.scene.positions == places


def test_bars_slide_to_their_new_lengths_by_one_clock(qtbot: QtBot, canvas: Canvas) -> None:
    theme().set_look(reduced_motion=False)
    canvas.scene.show_faces({n: _face(n, beliefs=(0.75, 0.25)) for n in PLACES})
    item = canvas.scene.nodes["a"]
    assert item.shown_beliefs != item.face.beliefs
    qtbot.waitUntil(
        lambda: all(i.shown_beliefs == (0.75, 0.25) for i in canvas.scene.nodes.values())
    )
    theme().set_look(reduced_motion=True)
