"""Rules about edges are made on the canvas and drawn over it."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.walking import open_sprinkler, trigger


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> ModelPage:
    return open_sprinkler(qtbot, window)


def words(page: ModelPage) -> set[str]:
    return {entry.text for entry in page.legend_entries()}


def test_two_nodes_one_after_the_other_name_an_edge_to_forbid(
    window: MainWindow, page: ModelPage
) -> None:
    window.app.workspace.select(["wet", "rain"])
    trigger(window, "knowledge.forbid")
    assert window.app.project.knowledge.forbidden == {("wet", "rain")}
    assert page.canvas.rules.kinds == {"forbidden"}
    assert "forbidden edge" in words(page)
    window.app.document.undo_stack.undo()
    assert page.canvas.rules.kinds == set()
    assert "forbidden edge" not in words(page)


def test_a_selected_edge_can_be_required_and_freed(window: MainWindow, page: ModelPage) -> None:
    window.app.workspace.select((), [("rain", "wet")])
    trigger(window, "knowledge.require")
    assert page.canvas.rules.kinds == {"required"}
    trigger(window, "knowledge.free")
    assert window.app.project.knowledge.is_empty


def test_rules_can_be_hidden_and_other_pictures_show_none(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.app.workspace.select((), [("rain", "wet")])
    trigger(window, "knowledge.require")
    trigger(window, "view.rules")
    assert page.canvas.rules.kinds == set()
    trigger(window, "view.rules")
    assert page.canvas.rules.kinds == {"required"}
    page.bar.picture_chosen.emit("clique-tree")
    qtbot.waitUntil(lambda: page.canvas.rules.kinds == set())


def test_a_rule_follows_its_nodes(window: MainWindow, page: ModelPage) -> None:
    window.app.workspace.select((), [("rain", "wet")])
    trigger(window, "knowledge.require")
    before = page.canvas.rules.boundingRect()
    page.editing.arrange(
        "Arrange", {"rain": (0.0, 0.0), "sprinkler": (900.0, 0.0), "wet": (0.0, 900.0)}
    )
    assert page.canvas.rules.boundingRect() != before
