"""The page of a model in the window: modes, pictures, selection, clipboard and menus."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.node_view import NodeMode
from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.model_page.context_menu import canvas_menu
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.model_page.toolbar import DiagramChoice, ModelBar
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.widgets.actions import unmarked
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.garden_page import (
    bar_of,
    click,
    garden,
    head_of,
    open_garden,
    open_network,
)
from tests.oracles.brute_force import BruteForceSession

Key, Mods = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> ModelPage:
    return open_garden(qtbot, window)


# -- adding nodes


def test_adding_and_pasting_nodes_moves_neither_the_view_nor_covers_a_node(
    page: ModelPage,
) -> None:
    view, scene = page.canvas.view, page.scene()
    before = view.sight()
    for number in range(3):  # at one point, and at the rim of the view
        page.editing.add_node(f"new {number}", scene.nodes["rain"].centre)
    page.editing.add_node("rim", (before.right() - 4, before.center().y()))
    scene.show_selection(("rain", "new 0"), ())
    page.editing.duplicate()
    assert view.sight() == before
    boxes = [item.box for item in scene.nodes.values()]
    assert not any(a.intersects(b) for n, a in enumerate(boxes) for b in boxes[:n])


# -- how it is shown


def test_the_mode_of_all_nodes_is_an_undoable_choice(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    combo = page.bar.findChild(QComboBox, "modeCombo")
    combo.setCurrentIndex(combo.findData(NodeMode.NAME.value))
    combo.activated.emit(combo.currentIndex())
    assert {i.face.mode for i in page.scene().nodes.values()} == {NodeMode.NAME}
    window.app.workspace.select(["rain"])
    window.app.actions.refresh()
    window.app.actions["model.show-selected.bars"].trigger()
    assert page.scene().nodes["rain"].face.mode is NodeMode.BARS
    assert combo.currentIndex() == -1  # mixed
    window.app.document.undo_stack.undo()
    window.app.document.undo_stack.undo()
    assert {i.face.mode for i in page.scene().nodes.values()} == {NodeMode.PRIOR}


def test_other_pictures_are_shown_without_editing(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    qtbot.mouseClick(page.bar.findChild(QToolButton, "picture.moral"), LEFT)
    qtbot.waitUntil(lambda: ("rain", "sprinkler") in page.scene().edges)
    assert "joins parents" in [entry.text for entry in page.legend_entries()]
    assert not page.bar.findChild(QToolButton, "tool.edge").isEnabled()
    qtbot.mouseClick(page.bar.findChild(QToolButton, "picture.clique-tree"), LEFT)
    qtbot.waitUntil(lambda: list(page.scene().nodes) == ["rain, sprinkler, grass"])
    qtbot.mouseClick(page.bar.findChild(QToolButton, "picture.dag"), LEFT)
    assert set(page.scene().nodes) == {"rain", "sprinkler", "grass"}
    assert page.bar.findChild(QToolButton, "tool.edge").isEnabled()


def test_edge_widths_follow_mutual_information(qtbot: QtBot, page: ModelPage) -> None:
    combo = page.bar.findChild(QComboBox, "strengthCombo")
    combo.setCurrentIndex(combo.findData("mi"))
    combo.activated.emit(combo.currentIndex())
    qtbot.waitUntil(lambda: page.canvas.strengths is not None)
    widths = {ends: item.look.width for ends, item in page.scene().edges.items()}
    assert max(w for w in widths.values() if w is not None) == 6
    assert any("Edge width: MI" in entry.text for entry in page.legend_entries())


def test_selection_goes_both_ways(qtbot: QtBot, window: MainWindow, page: ModelPage) -> None:
    click(qtbot, page, head_of(page, "grass"))
    assert window.app.workspace.selection.nodes == ("grass",)
    window.app.workspace.select(["rain", "sprinkler"])
    chosen = {n for n, item in page.scene().nodes.items() if item.look.is_selected}
    assert chosen == {"rain", "sprinkler"}


def test_notes_and_titles_are_on_the_nodes(window: MainWindow, page: ModelPage) -> None:
    from functools import partial

    from pgmstudio.core.project.model_edits import set_node_note, set_node_title

    model_id = page.model_id or ""
    note = partial(set_node_note, model_id=model_id, node="rain", note="measured at noon")
    window.app.change("Note", note)
    title = partial(set_node_title, model_id=model_id, node="rain", title="Rain today")
    window.app.change("Title", title)
    face = page.scene().nodes["rain"].face
    assert (face.title, face.note) == ("Rain today", "measured at noon")


def test_a_model_that_cannot_answer_says_so_and_shows_names(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pgmstudio.core.errors import TooLargeError
    from pgmstudio.gui.beliefs import belief_service as live_beliefs

    def refuse(_model: object) -> object:
        raise TooLargeError("The largest clique would need 8 GB; prune the model.")

    monkeypatch.setattr(live_beliefs, "open_fitting_session", refuse)
    page = open_network(qtbot, window, garden(), "huge")
    assert page.note.isVisible()
    assert "8 GB" in page.note.text
    assert {item.face.mode for item in page.scene().nodes.values()} == {NodeMode.NAME}


# -- clipboard and menus


def test_a_part_is_copied_into_another_model_with_its_tables(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.app.workspace.select(["rain", "sprinkler", "grass"])
    qtbot.keyClick(page.canvas.view, Key.Key_C, Mods.ControlModifier)
    assert json.loads(QApplication.clipboard().text())["language"] == "bayesian-network"
    other = open_network(qtbot, window, BayesianNetwork.uniform(Domain.of({"rain": "ab"})), "other")
    qtbot.keyClick(other.canvas.view, Key.Key_V, Mods.ControlModifier)
    model = window.app.project.models[other.model_id or ""].model
    assert isinstance(model, BayesianNetwork)
    assert model.domain.names == ("rain", "rain 2", "sprinkler", "grass")
    assert set(model.edges) == {("rain 2", "grass"), ("sprinkler", "grass")}
    assert (model.table("grass") == garden().table("grass")).all()
    assert window.app.workspace.selection.nodes == ("rain 2", "sprinkler", "grass")


def test_a_copy_without_its_parents_is_summed_over_them_and_says_so(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    messages: list[str] = []
    window.app.toast.connect(lambda message, _undo: messages.append(message))
    window.app.workspace.select(["rain", "grass"])
    page.editing.copy()
    assert "grass is summed over sprinkler" in messages[0]
    page.editing.paste()
    model = window.app.project.models[page.model_id or ""].model
    assert isinstance(model, BayesianNetwork)
    joint = BruteForceSession(garden()).joint(["rain", "grass"])
    assert model.table("grass 2") == pytest.approx(joint / joint.sum(axis=1, keepdims=True))


def test_a_copy_of_everything_stands_beside_and_not_over_the_original(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    view = page.canvas.view
    qtbot.keyClick(view, Key.Key_A, Mods.ControlModifier)
    qtbot.keyClick(view, Key.Key_C, Mods.ControlModifier)
    for _ in range(2):  # the second copy finds its own place too
        qtbot.keyClick(view, Key.Key_V, Mods.ControlModifier)
    boxes = [item.box for item in page.canvas.scene.nodes.values()]
    assert len(boxes) == 9
    assert not any(a.intersects(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_pasting_never_moves_the_view(qtbot: QtBot, window: MainWindow, page: ModelPage) -> None:
    messages: list[str] = []
    window.app.toast.connect(lambda message, _action: messages.append(message))
    view, scene = page.canvas.view, page.canvas.scene
    qtbot.keyClick(view, Key.Key_A, Mods.ControlModifier)
    qtbot.keyClick(view, Key.Key_C, Mods.ControlModifier)
    view.set_zoom(0.6)  # room for copies beside the original
    before = view.sight()
    qtbot.keyClick(view, Key.Key_V, Mods.ControlModifier)
    assert view.sight() == before
    assert all(before.contains(item.box) for item in scene.nodes.values())
    assert not messages
    view.set_zoom(1.5)
    view.centre_on(scene.nodes["grass"].pos())  # no room, the copies stand beside
    before = view.sight()
    qtbot.keyClick(view, Key.Key_V, Mods.ControlModifier)
    assert view.sight() == before
    boxes = [item.box for item in scene.nodes.values()]
    assert not any(a.intersects(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert "3 new nodes to the right of the visible part" in messages[0]


def test_a_node_that_is_in_sight_is_found_where_it_is(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    view = page.canvas.view
    view.set_zoom(0.75)
    view.centre_on(page.canvas.scene.nodes["rain"].pos() + QPointF(80, 40))
    before = view.sight()
    qtbot.keyClick(view, Key.Key_F, Mods.ControlModifier)
    qtbot.keyClicks(page.canvas.find_bar._field, "rain")
    assert window.app.workspace.selection.nodes == ("rain",)
    assert view.sight() == before
    view.centre_on(view.sight().bottomRight() + view.sight().bottomRight())
    page.canvas.find_bar.next()
    assert view.sight().contains(page.canvas.scene.nodes["rain"].box)


def test_the_minimap_of_a_small_graph_comes_when_it_is_asked_for(
    window: MainWindow, page: ModelPage
) -> None:
    action = window.app.actions["view.minimap"]
    window.app.actions.refresh()
    assert page.canvas.minimap.isHidden()
    assert not action.isChecked()
    action.trigger()
    assert page.canvas.minimap.isVisible()
    action.trigger()
    assert page.canvas.minimap.isHidden()


def test_what_is_no_model_on_the_clipboard_is_refused(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = window.app.project
    QApplication.clipboard().setText("good morning")
    qtbot.keyClick(page.canvas.view, Key.Key_V, Mods.ControlModifier)
    assert window.app.project is before
    assert page.canvas.bubble.isVisible()


def test_the_context_menu_of_a_node_offers_its_states(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    page.canvas.view.keys.go_to("rain")
    qtbot.keyClick(page.canvas.view, Key.Key_Menu)
    menu = page.findChild(QMenu, "canvasMenu")
    by_text = {unmarked(a.text()): a for a in menu.actions() if not a.isSeparator()}
    for wanted in ("Set evidence", "Not", "Likelihood…", "Make target", "Rename", "Delete"):
        assert wanted in by_text
    letters = [re.findall(r"&(\w)", action.text()) for action in by_text.values()]
    assert all(len(found) == 1 for found in letters)
    assert len({found[0].lower() for found in letters}) == len(letters)
    states = by_text["Set evidence"].menu()
    states.actions()[0].trigger()
    assert page.asking.live.evidence == {"rain": Observed("yes")}
    menu.close()


def test_the_menu_of_the_canvas_shows_the_keys_that_the_menu_bar_shows(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    menu = canvas_menu(page, Hit(QPointF(-900, -900)), page)
    shown = {unmarked(a.text()): a.shortcut() for a in menu.actions() if not a.isSeparator()}
    assert shown["Find a node…"] == window.app.actions["model.find"].shortcut()
    assert shown["Add node"] == window.app.actions["model.add-node"].shortcut()
    assert not shown["Find a node…"].isEmpty()


def test_keys_of_the_canvas_do_not_reach_beyond_it(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.app.workspace.select(["rain"])
    window.command_field.setFocus()
    qtbot.keyClicks(window.command_field, "nr0")
    assert window.command_field.text() == "nr0"
    assert not page.canvas.view.editor.isVisible()


def test_the_bar_folds_when_it_is_narrow(qtbot: QtBot) -> None:
    frame = QWidget()  # a window of its own would not become narrower than its layout
    qtbot.addWidget(frame)
    bar = ModelBar(frame)
    bar.set_diagrams([DiagramChoice(name, name, "") for name in ("dag", "moral", "clique-tree")])
    bar.resize(1100, 40)
    frame.show()
    combo, view_menu = bar.findChild(QComboBox, "modeCombo"), bar.findChild(QToolButton, "viewMenu")
    tools, tool_menu = (
        bar.findChild(QToolButton, "tool.edge"),
        bar.findChild(QToolButton, "toolMenu"),
    )
    assert combo.isVisible()
    assert not view_menu.isVisible()
    bar.resize(500, 40)
    assert (combo.isVisible(), view_menu.isVisible(), tools.isVisible()) == (False, True, True)
    bar.resize(300, 40)
    assert (tools.isVisible(), tool_menu.isVisible()) == (False, True)
    with qtbot.waitSignal(bar.layout_chosen) as chosen:
        next(a for a in view_menu.menu().actions() if a.text() == "Circle").trigger()
    assert chosen.args == ["circle"]


def test_a_chooser_without_a_choice_takes_no_room(qtbot: QtBot) -> None:
    frame = QWidget()
    qtbot.addWidget(frame)
    bar = ModelBar(frame)
    bar.resize(1100, 40)
    frame.show()
    widths, menu = bar.findChild(QComboBox, "strengthCombo"), bar.findChild(QToolButton, "viewMenu")
    assert widths.isVisible()
    bar.set_measurable(False)
    assert not widths.isVisible()
    assert not menu.isVisible()  # nothing is folded
    bar.resize(500, 40)
    assert menu.isVisible()
    texts = [action.text() for action in menu.menu().actions() if action.isVisible()]
    assert "Circle" in texts
    assert widths.itemText(0) not in texts
    bar.set_measurable(True)
    bar.resize(1100, 40)
    assert widths.isVisible()


def test_findings_appear_in_the_bar_without_moving_its_buttons(qtbot: QtBot) -> None:
    frame = QWidget()
    qtbot.addWidget(frame)
    bar = ModelBar(frame)
    bar.set_diagrams([DiagramChoice(name, name, "") for name in ("dag", "moral", "clique-tree")])
    frame.show()
    chip, clear = (bar.findChild(QWidget, name) for name in ("evidenceChip", "clearEvidence"))

    def buttons() -> dict[QWidget, object]:
        QApplication.processEvents()  # the layout of a folded bar is done when it is next painted
        shown = [*bar.findChildren(QToolButton), *bar.findChildren(QComboBox)]
        return {each: each.geometry() for each in shown if each.isVisible()}

    for width in range(bar.minimumSizeHint().width(), 1100, 37):
        bar.resize(width, 40)
        before = buttons()
        for count in (1, 12):
            bar.show_evidence(count)
            assert buttons() == before
            shown = [each for each in (chip, clear) if each.isVisible()]
            assert len(shown) == 2 or width < 600  # tools go before findings
            assert all(each.geometry().right() < width for each in shown)
            assert all(each.width() >= each.sizeHint().width() for each in shown)
        bar.show_evidence(0)
    for width in range(700, 1100, 37):  # words before choosers
        bar.resize(width, 40)
        bar.show_evidence(3)
        assert ("3 findings" in chip.text(), clear.text()) == (True, "Clear")


def test_nothing_is_warned_about_by_qt(
    qtbot: QtBot, window: MainWindow, page: ModelPage, qtlog: object
) -> None:
    click(qtbot, page, bar_of(page, "rain", "yes"))
    click(qtbot, page, head_of(page, "grass"))
    qtbot.keyClick(page.canvas.view, Key.Key_Delete)
    window.app.document.undo_stack.undo()
    page.canvas.view.set_zoom(0.3)
    page.canvas.view.grab()
    records = [r.message for r in qtlog.records]
    assert [m for m in records if "propagateSizeHints" not in m] == []


@pytest.mark.slow
def test_a_network_of_hundreds_of_nodes_opens_and_can_be_searched(
    qtbot: QtBot, window: MainWindow, shared: Path
) -> None:
    from pgmstudio.core.io.models.files import read_model

    model = read_model(shared / "data/networks/andes.bif").model
    assert isinstance(model, BayesianNetwork)
    add_and_show_model(window.app, ModelEntry(title="andes", model=model), "Open andes")
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 223, timeout=30_000)
    page.canvas.view.set_zoom(0.7)
    qtbot.waitUntil(lambda: page.canvas.minimap.isVisible())
    page.canvas.open_find()
    qtbot.keyClicks(page.canvas.find_bar._field, "goal_49")
    assert window.app.workspace.selection.nodes == ("GOAL_49",)
    qtbot.waitUntil(lambda: not page.asking.live.is_waiting, timeout=60_000)
