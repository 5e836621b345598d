"""What a canvas shows: zoom, panning, detail, legend, search and sliding bars."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pgmstudio.core.drawing.diagram import GraphPicture, PictureEdge, PictureNode
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.node_view import Detail, NodeMode
from pgmstudio.gui.canvas.separation_layer import Shown
from pgmstudio.gui.theme.theme import theme
from tests.gui.diamond_canvas import (
    PLACES,
    at,
    face_of,
    head_of,
    shown_canvas,
)
from tests.gui.walking import point_at

Key, Mods = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def canvas(qtbot: QtBot) -> Iterator[Canvas]:
    yield from shown_canvas(qtbot)


def test_hovering_dims_all_but_the_neighbourhood(qtbot: QtBot, canvas: Canvas) -> None:
    viewport = canvas.view.viewport()

    def bright() -> set[str]:
        return {name for name, item in canvas.scene.nodes.items() if item.opacity() == 1}

    point_at(viewport, head_of(canvas, "b"))
    assert bright() == {"a", "b", "d"}
    qtbot.keyPress(canvas.view, Key.Key_Shift)
    assert bright() == {"a", "b", "c", "d"}
    qtbot.keyRelease(canvas.view, Key.Key_Shift, Mods.ShiftModifier)
    assert bright() == {"a", "b", "d"}
    point_at(viewport, at(canvas, QPointF(-300, 0)))
    assert bright() == set(PLACES)


def test_nodes_of_an_active_trail_are_not_dimmed(canvas: Canvas) -> None:
    trail = frozenset({frozenset({"a", "c"}), frozenset({"c", "d"})})
    shown = Shown({"a": "A", "d": "B"}, on_trail=frozenset({"c"}), active=trail)
    canvas.separation.show(shown)
    point_at(canvas.view.viewport(), head_of(canvas, "b"))
    assert canvas.view.hovered == "b"
    assert canvas.scene.nodes["c"].opacity() == 1
    canvas.separation.show(Shown())
    point_at(canvas.view.viewport(), head_of(canvas, "d"))
    point_at(canvas.view.viewport(), head_of(canvas, "b"))
    assert canvas.scene.nodes["c"].opacity() < 1


def test_what_is_no_longer_under_the_pointer_is_not_hovered(canvas: Canvas) -> None:
    canvas.view.set_zoom(2.0)
    point_at(canvas.view.viewport(), head_of(canvas, "b"))
    assert canvas.view.hovered == "b"
    canvas.view.fit()
    assert canvas.view.hovered is None
    assert all(item.opacity() == 1 for item in canvas.scene.nodes.values())


def _wheel(canvas: Canvas, position: QPoint, turn: int, keys: Qt.KeyboardModifier) -> None:
    viewport = canvas.view.viewport()
    event = QWheelEvent(
        QPointF(position),
        QPointF(viewport.mapToGlobal(position)),
        QPoint(),
        QPoint(0, turn),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, event)


def test_ctrl_and_wheel_zoom_at_the_pointer_and_the_wheel_alone_scrolls(canvas: Canvas) -> None:
    view, position = canvas.view, QPoint(200, 150)
    kept = view.mapToScene(position)
    _wheel(canvas, position, 120, Mods.ControlModifier)
    assert view.zoom == pytest.approx(1.25)
    now = view.mapToScene(position)
    assert (now.x(), now.y()) == pytest.approx((kept.x(), kept.y()), abs=1.5)
    before = view.sight().center().y()
    _wheel(canvas, position, -120, Mods.NoModifier)
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


def test_bars_are_drawn_near_thin_from_afar_and_not_on_dots(canvas: Canvas) -> None:
    assert canvas.view.detail is Detail.FULL
    assert _inks(canvas, "belief") > 500
    canvas.view.set_zoom(0.5)
    assert canvas.view.detail is Detail.NAME
    assert _inks(canvas, "belief") > 50
    canvas.view.set_zoom(0.2)
    assert canvas.view.detail is Detail.DOT
    assert _inks(canvas, "belief") == 0
    assert not canvas.view.hit(at(canvas, QPointF(66, 0))).node  # beside the dot


def test_an_export_keeps_the_detail_asked_for(canvas: Canvas) -> None:
    canvas.scene.zoomed.forced = Detail.FULL
    image = QImage(200, 200, QImage.Format.Format_RGB32)
    image.fill(theme().color("canvas"))
    painter = QPainter(image)
    canvas.scene.render(painter)
    painter.end()
    canvas.scene.zoomed.forced = None
    belief = theme().color("belief").rgb()
    assert any(image.pixel(x, y) == belief for x in range(200) for y in range(200))


def test_bars_too_small_to_draw_say_where_they_begin(qtbot: QtBot, canvas: Canvas) -> None:
    canvas.view.set_zoom(0.5)
    qtbot.waitUntil(lambda: "zoom to 70 % for numbers" in canvas.legend.accessibleName())
    assert canvas.legend_entries() == []  # a file has no zoom
    canvas.view.set_zoom(1.0)
    qtbot.waitUntil(lambda: canvas.legend.isHidden())


def test_the_legend_lists_only_what_is_on_screen(qtbot: QtBot, canvas: Canvas) -> None:
    texts = [entry.text for entry in canvas.legend_entries()]
    assert texts == []
    canvas.scene.show_faces({"a": face_of("a", mode=NodeMode.PRIOR)})
    assert [entry.text for entry in canvas.legend_entries()] == ["outline = prior"]
    canvas.scene.show_faces({"b": face_of("b", weights=(1.0, 0.5))})
    canvas.refresh_soon()
    qtbot.waitUntil(lambda: canvas.legend.isVisible())
    assert "likelihood, drag" in canvas.legend.accessibleName()


def test_the_legend_never_lies_under_the_zoom_control(qtbot: QtBot, canvas: Canvas) -> None:
    canvas.scene.show_faces({"b": face_of("b", weights=(1.0, 0.5))})
    for width in (900, 320, 260):
        canvas.resize(width, 400)
        canvas.refresh_soon()
        qtbot.waitUntil(lambda: not canvas._soon.isActive())
        assert canvas.legend.isVisible()
        assert not canvas.legend.geometry().intersects(canvas.zoom_control.geometry())


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
    points = {"a": (5.0, 5.0), "e": (0.0, 200.0)}
    canvas.scene.show_picture(smaller, {n: face_of(n) for n in points}, points)
    assert canvas.scene.nodes["a"] is before
    assert set(canvas.scene.edges) == {("a", "e")}
    assert canvas.scene.positions == points


def test_bars_slide_to_their_new_lengths_by_one_clock(qtbot: QtBot, canvas: Canvas) -> None:
    theme().set_look(reduced_motion=False)
    canvas.scene.show_faces({n: face_of(n, beliefs=(0.75, 0.25)) for n in PLACES})
    item = canvas.scene.nodes["a"]
    assert item.shown_beliefs != item.face.beliefs
    qtbot.waitUntil(
        lambda: all(i.shown_beliefs == (0.75, 0.25) for i in canvas.scene.nodes.values())
    )
    theme().set_look(reduced_motion=True)


def test_edges_bend_around_boxes_again_after_many_boxes_changed_their_size(
    qtbot: QtBot, canvas: Canvas
) -> None:
    names = [str(i) for i in range(20)]
    column = {name: (0.0, 120.0 * i) for i, name in enumerate(names)}
    edges = [PictureEdge(one, other) for one, other in zip(names, names[2:], strict=False)]
    picture = GraphPicture(
        tuple(PictureNode(name, name, variable=name) for name in names), tuple(edges)
    )
    scene = canvas.scene
    small = {name: face_of(name, mode=NodeMode.NAME) for name in names}
    scene.show_picture(picture, small, column)

    def are_bent() -> bool:
        return all(item.route.bend is not None for item in scene.edges.values())

    qtbot.waitUntil(are_bent)
    scene.show_faces({name: face_of(name) for name in names})
    scene.move_nodes({"0": (400.0, 0.0)})
    scene.move_nodes(column | {"0": (0.0, -10.0)})
    assert not are_bent()
    qtbot.waitUntil(are_bent)
