"""d-separation on the canvas: picked by clicks or keys, drawn as trails, checked in numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.separation_layer import letter_middle, shown_of
from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.model_page.context_menu import canvas_menu
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import open_asia_page
from tests.strategies import domain_of, random_tree

LEFT, NO_KEY = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow, sample_data: Path) -> ModelPage:
    return open_asia_page(qtbot, window, sample_data)


def child(page: ModelPage, kind: type[QWidget], name: str) -> QWidget:
    result = page.findChild(kind, name)
    assert result is not None
    return result


def press(qtbot: QtBot, page: ModelPage, name: str) -> None:
    kind = QToolButton if page.findChild(QToolButton, name) is not None else QPushButton
    qtbot.mouseClick(child(page, kind, name), LEFT)


def pick(qtbot: QtBot, page: ModelPage, *nodes: str) -> None:
    """Real clicks, in the middle of the nodes: on rows too, since the tool takes the whole node."""
    view = page.canvas.view
    for node in nodes:
        at: QPoint = view.mapFromScene(page.scene().nodes[node].pos())
        qtbot.mouseClick(view.viewport(), LEFT, NO_KEY, at)


def answered(qtbot: QtBot, page: ModelPage) -> None:
    qtbot.waitUntil(lambda: page.separation.answer is not None)


def words(page: ModelPage) -> set[str]:
    return {entry.text for entry in page.legend_entries()}


def test_see_the_d_separation_picture(qtbot: QtBot, window: MainWindow, page: ModelPage) -> None:
    press(qtbot, page, "tool.separation")
    assert page.separation.bar.isVisible()
    pick(qtbot, page, "asia", "smoke")
    answered(qtbot, page)
    bar, layer = page.separation.bar, page.canvas.separation
    # Separated: letters on both, dashes with the colliders that block, the irrelevant ones faded.
    assert bar.heading == "asia ⟂ smoke"
    assert layer.shown.letters == {"asia": "A", "smoke": "B"}
    assert layer.shown.irrelevant == {"lung", "bronc"}
    assert not layer.shown.active
    assert {stop for stop, _ in layer.shown.bars} == {"either", "dysp"}
    assert "either, dysp" in bar.detail
    assert {"asked about", "blocked", "irrelevant to A"} <= words(page)
    # Evidence was not touched by the clicks.
    assert not page.asking.live.evidence
    pick(qtbot, page, "xray")  # the third click says what is known
    qtbot.waitUntil(lambda: bar.heading == "asia and smoke are connected given xray")
    assert layer.shown.letters["xray"] == "Z"
    assert layer.shown.on_trail == {"tub", "either", "lung"}
    assert frozenset(("tub", "either")) in layer.shown.active
    assert {"known", "active trail"} <= words(page)
    accent = [item.ends for item, is_active in layer.edge_items() if is_active]
    assert set(accent) == {
        ("asia", "tub"),
        ("tub", "either"),
        ("lung", "either"),
        ("smoke", "lung"),
    }
    # It can be painted, near and from afar.
    assert not window.grab().isNull()
    page.canvas.view.set_zoom(0.3)
    assert not window.grab().isNull()


def test_the_pointer_hides_no_trail_and_dims_no_faded_node_again(
    qtbot: QtBot, page: ModelPage
) -> None:
    press(qtbot, page, "tool.separation")
    pick(qtbot, page, "asia", "dysp")
    answered(qtbot, page)
    scene, layer = page.scene(), page.canvas.separation
    assert layer.shown.irrelevant == {"smoke", "lung", "bronc"} - layer.shown.on_trail
    scene.emphasise(frozenset({"either", "lung", "xray", "tub", "dysp"}))  # the pointer on either
    assert scene.edges["either", "xray"].look.is_hovered
    assert all(layer.trails.zValue() > item.zValue() for item in scene.edges.values())
    assert all(scene.nodes[name].opacity() == 1 for name in layer.shown.irrelevant)


def test_the_numbers_agree_with_the_graph(qtbot: QtBot, page: ModelPage) -> None:
    press(qtbot, page, "tool.separation")
    pick(qtbot, page, "asia", "smoke")
    answered(qtbot, page)
    press(qtbot, page, "separation.check")
    qtbot.waitUntil(lambda: "I(A;B) = 0 bits." in page.separation.bar.detail)
    pick(qtbot, page, "either")
    qtbot.waitUntil(lambda: "connected" in page.separation.bar.heading)
    assert "I(A;B" not in page.separation.bar.detail  # an old number is not shown
    press(qtbot, page, "separation.check")
    qtbot.waitUntil(lambda: "I(A;B|Z) = " in page.separation.bar.detail)
    assert "= 0 bits" not in page.separation.bar.detail


def test_a_joint_table_that_is_too_large_is_reported(qtbot: QtBot, window: MainWindow) -> None:
    names = domain_of([2] * 24)
    model = BayesianNetwork.uniform(names)
    add_and_show_model(window.app, ModelEntry("many", model), "Open many")
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    controller = page.separation
    for node in names.names[:23]:
        controller.pick(node)
    answered(qtbot, page)
    assert "No trail joins them." in controller.bar.detail
    controller.check()
    qtbot.waitUntil(lambda: "Choose fewer variables" in controller.bar.detail)


def test_the_keyboard_alone_can_ask(qtbot: QtBot, window: MainWindow, page: ModelPage) -> None:
    window.app.actions.refresh()
    window.app.actions["model.separation"].trigger()
    view = page.canvas.view
    view.setFocus()
    view.keys.go_to("lung")
    qtbot.keyClick(view, Qt.Key.Key_Return)  # the next part: A
    view.keys.go_to("bronc")
    qtbot.keyClick(view, Qt.Key.Key_B)
    view.keys.go_to("smoke")
    qtbot.keyClick(view, Qt.Key.Key_Z)
    qtbot.waitUntil(lambda: page.separation.bar.heading == "lung ⟂ bronc given smoke")
    view.keys.go_to("smoke")
    qtbot.keyClick(view, Qt.Key.Key_Z)  # once more takes it away
    qtbot.waitUntil(lambda: page.separation.bar.heading == "lung and bronc are connected")
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.tool.name == "select"
    assert page.separation.is_open  # the picture stays while evidence is looked at


def test_evidence_becomes_what_is_given_by_one_click(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    press(qtbot, page, "tool.separation")
    given = child(page, QPushButton, "separation.evidence")
    assert not given.isEnabled()
    assert given.toolTip().startswith("Not now:")
    page.asking.live.click_state("smoke", "yes")
    page.asking.live.exclude_state("xray", "no")
    page.asking.live.do("tub", "yes")
    qtbot.waitUntil(given.isEnabled)
    pick(qtbot, page, "lung", "bronc")
    qtbot.mouseClick(given, LEFT)
    # One state of two excluded is as good as the other one seen.
    assert set(page.separation.question[2]) == {"smoke", "xray", "tub"}
    qtbot.waitUntil(lambda: page.separation.answer is not None)
    assert page.separation.bar.heading == "lung ⟂ bronc given 3 variables"


def test_what_was_chosen_can_be_changed_cleared_and_closed(qtbot: QtBot, page: ModelPage) -> None:
    press(qtbot, page, "tool.separation")
    pick(qtbot, page, "asia", "smoke", "dysp")
    press(qtbot, page, "separation.A")
    pick(qtbot, page, "dysp")  # what was known is asked about now
    assert page.separation.question == ("dysp", "smoke", ())
    press(qtbot, page, "separation.clear")
    assert page.separation.question == (None, None, ())
    assert not page.canvas.separation.shown.letters
    pick(qtbot, page, "asia")
    qtbot.waitUntil(lambda: "irrelevant to A" in page.separation.bar.detail)
    assert page.separation.answer is not None
    assert page.canvas.separation.shown.irrelevant == {"smoke", "lung", "bronc"}
    press(qtbot, page, "separation.close")
    assert not page.separation.is_open
    assert not page.canvas.separation.shown.letters
    assert page.canvas.view.tool.name == "select"
    assert "asked about" not in words(page)


def test_a_changed_graph_is_asked_again(qtbot: QtBot, page: ModelPage) -> None:
    press(qtbot, page, "tool.separation")
    pick(qtbot, page, "asia", "smoke")
    qtbot.waitUntil(lambda: page.separation.bar.heading == "asia ⟂ smoke")
    page.editing.add_edge("asia", "smoke")
    qtbot.waitUntil(lambda: page.separation.bar.heading == "asia and smoke are connected")
    page.editing.delete(["smoke"])
    qtbot.waitUntil(lambda: page.separation.question == ("asia", None, ()))


def test_the_menu_of_a_node_gives_it_a_part(qtbot: QtBot, page: ModelPage) -> None:
    for node, role in (("lung", "A"), ("xray", "B"), ("either", "Z")):
        item = page.scene().nodes[node]
        menu = canvas_menu(page, Hit(QPointF(item.pos()), item), page)
        parts = menu.findChild(QMenu, "menu.separation")
        assert parts is not None
        next(a for a in parts.actions() if a.objectName() == f"menu.separation.{role}").trigger()
        menu.deleteLater()
    qtbot.waitUntil(lambda: page.separation.bar.heading == "lung ⟂ xray given either")


def test_a_tree_is_asked_too_and_a_clique_tree_says_why_not(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.app.actions["view.picture.clique-tree"].trigger()
    tool = child(page, QToolButton, "tool.separation")
    assert not tool.isEnabled()
    assert "show another diagram" in tool.toolTip()
    tree = random_tree(np.random.default_rng(3), 4)
    add_and_show_model(window.app, ModelEntry("tree", tree), "Open tree")
    other = window.app.center.current
    assert isinstance(other, ModelPage)
    qtbot.waitUntil(lambda: len(other.scene().nodes) == 4)
    press(qtbot, other, "tool.separation")
    other.separation.pick(tree.domain.names[0])
    other.separation.pick(tree.domain.names[1])
    answered(qtbot, other)
    assert other.separation.answer is not None


def test_an_edge_on_an_active_trail_is_never_drawn_as_blocked(
    qtbot: QtBot, page: ModelPage
) -> None:
    press(qtbot, page, "tool.separation")
    pick(qtbot, page, "lung", "dysp", "bronc")
    answered(qtbot, page)
    result = page.separation.answer
    assert result is not None
    shown = shown_of({"lung": "A", "dysp": "B", "bronc": "Z"}, result)
    assert shown.active
    assert shown.blocked
    assert not shown.active & shown.blocked
    assert all(frozenset(bar) in shown.blocked for bar in shown.bars)


@pytest.mark.parametrize("zoom", [1.0, 0.5, 0.25])
def test_a_letter_reaches_as_little_into_a_box_at_every_zoom(zoom: float) -> None:
    box, radius = QRectF(0, 0, 100, 40), 9 / zoom
    middle = letter_middle(box, radius)
    assert (middle.x() + radius, middle.y() + radius) == (6, 6)
