"""Editing on the page of a model: edges, nodes and places by gestures, each undone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QToolButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.garden_page import (
    click,
    drag,
    head_of,
    open_garden,
    open_network,
)

Key, Mods = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> ModelPage:
    return open_garden(qtbot, window)


# -- structure


def test_an_edge_is_drawn_by_mouse_and_undone(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = window.app.project
    qtbot.mouseClick(page.bar.findChild(QToolButton, "tool.edge"), LEFT)
    drag(qtbot, page, head_of(page, "rain"), head_of(page, "sprinkler"))
    model = window.app.project.models[page.model_id or ""].model
    assert ("rain", "sprinkler") in model.edges
    assert ("rain", "sprinkler") in page.scene().edges
    assert window.app.document.undo_stack.undoText() == "Add rain → sprinkler"
    window.app.document.undo_stack.undo()
    assert window.app.project is before
    assert ("rain", "sprinkler") not in page.scene().edges


def test_while_drawing_the_rows_of_the_table_are_reported(qtbot: QtBot, page: ModelPage) -> None:
    from pgmstudio.gui.canvas.tools import EdgeTool

    page.choose_tool("edge")
    viewport, tool = page.canvas.view.viewport(), page.canvas.view.tool
    assert isinstance(tool, EdgeTool)
    qtbot.mousePress(viewport, LEFT, pos=head_of(page, "rain"))
    qtbot.mouseMove(viewport, head_of(page, "grass"))
    qtbot.mouseMove(viewport, head_of(page, "sprinkler"))
    assert tool.advice.text == "1 → 2 rows"
    qtbot.keyClick(page.canvas.view, Key.Key_Escape)
    qtbot.mouseRelease(viewport, LEFT, pos=head_of(page, "sprinkler"))


def test_a_cycle_is_refused_with_its_path_and_changes_nothing(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = window.app.project
    page.choose_tool("edge")
    drag(qtbot, page, head_of(page, "grass"), head_of(page, "rain"))
    assert window.app.project is before
    assert page.canvas.bubble.isVisible()
    assert page.canvas.bubble.text == "grass → rain would close a cycle: rain → grass."


def test_selected_things_are_deleted_and_come_back(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before, positions = window.app.project, page.scene().positions
    click(qtbot, page, head_of(page, "sprinkler"))
    qtbot.keyClick(page.canvas.view, Key.Key_Delete)
    assert set(page.scene().nodes) == {"rain", "grass"}
    assert page.scene().positions["rain"] == positions["rain"]
    window.app.document.undo_stack.undo()
    assert window.app.project is before
    assert page.scene().positions == positions


def test_an_edge_is_reversed_by_key(qtbot: QtBot, window: MainWindow, page: ModelPage) -> None:
    route = page.scene().edges["rain", "grass"].route
    click(qtbot, page, page.canvas.view.mapFromScene(QPointF(*route.at(0.5))))
    assert window.app.workspace.selection.edges == (("rain", "grass"),)
    qtbot.keyClick(page.canvas.view, Key.Key_R)
    assert ("grass", "rain") in page.scene().edges
    assert window.app.workspace.selection.edges == (("grass", "rain"),)


def test_a_new_node_keeps_all_others_in_place(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    positions = page.scene().positions
    page.canvas.view.begin_node(QPointF(600, 10))
    qtbot.keyClicks(page.canvas.view.editor, "cloud")
    qtbot.keyClick(page.canvas.view.editor, Key.Key_Return)
    after = page.scene().positions
    assert {n: after[n] for n in positions} == positions
    assert after["cloud"] == (600, 10)
    assert window.app.workspace.selection.nodes == ("cloud",)


def test_a_name_that_is_taken_is_refused_at_the_pointer(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = window.app.project
    page.canvas.signals.rename.emit("rain", "grass")
    assert window.app.project is before
    assert "grass" in page.canvas.bubble.text
    position = page.scene().positions["rain"]
    page.canvas.signals.rename.emit("rain", "shower")
    assert page.scene().positions["shower"] == position


def test_a_drag_is_one_undo_step_that_is_kept_in_the_project(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    count, positions = window.app.document.undo_stack.count(), page.scene().positions
    start = head_of(page, "rain")
    drag(qtbot, page, start, start + QPoint(-90, -11))
    assert window.app.document.undo_stack.count() == count + 1
    stored = window.app.project.models[page.model_id or ""].layouts["dag"]
    assert stored["rain"] == page.scene().positions["rain"] != positions["rain"]
    window.app.document.undo_stack.undo()
    assert page.scene().positions == positions


def test_a_layout_that_was_asked_for_can_be_undone(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    positions = page.scene().positions
    combo = page.bar.findChild(QComboBox, "layoutCombo")
    combo.setCurrentIndex(combo.findData("circle"))
    combo.activated.emit(combo.currentIndex())
    qtbot.waitUntil(lambda: page.scene().positions != positions)
    assert window.app.document.undo_stack.undoText() == "Arrange: circle"
    window.app.document.undo_stack.undo()
    assert page.scene().positions == positions


def test_nodes_are_aligned_by_the_menu(qtbot: QtBot, window: MainWindow, page: ModelPage) -> None:
    window.app.workspace.select(["rain", "grass"])
    window.app.actions.refresh()
    window.app.actions["model.align.left"].trigger()
    boxes = [page.scene().nodes[n].box for n in ("rain", "grass")]
    assert boxes[0].left() == pytest.approx(boxes[1].left(), abs=1)


def test_an_empty_model_says_how_to_begin_and_takes_a_first_node(
    qtbot: QtBot, window: MainWindow
) -> None:
    page = open_network(qtbot, window, BayesianNetwork.uniform(Domain(())), "new")
    words = page.findChild(QLabel, "waiting")
    assert words.isVisible()
    assert "Press N" in words.text()
    middle = page.canvas.view.rect().center()
    assert (words.geometry().center() - middle).manhattanLength() <= 2
    qtbot.keyClick(page.canvas.view, Key.Key_N)
    qtbot.keyClicks(page.canvas.view.editor, "first")
    qtbot.keyClick(page.canvas.view.editor, Key.Key_Return)
    assert list(page.scene().nodes) == ["first"]
    assert not words.isVisible()


def test_undoing_the_opening_of_a_model_closes_its_page(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.app.document.undo_stack.undo()
    qtbot.waitUntil(lambda: page not in window.app.center.pages)
