"""Rules about edges are made on the canvas and drawn over it."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtWidgets import QDoubleSpinBox, QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.project import edits
from pgmstudio.gui.knowledge.page import KnowledgePage
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.theme.theme import theme
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


def test_prices_are_soft_edges_as_wide_as_they_are_large(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    app = window.app
    prices = EdgePrices((("rain", "wet", -8.0), ("rain", "sprinkler", 2.0), ("x", "y", 99.0)))
    app.change("Prices", partial(edits.set_edge_prices, edge_prices=prices))
    layer = page.canvas.rules
    assert [(one.kind, one.strength) for one in layer.soft] == [("favoured", 1.0), ("priced", 0.25)]
    assert layer.soft[0].width > layer.soft[1].width
    edge = page.canvas.scene.edges["rain", "wet"]
    assert layer.soft[0].route == edge.route  # along the edge of the graph
    assert {"favoured edge, β < 0", "edge with a price, β > 0"} <= words(page)
    page.canvas.view.grab()
    assert theme().color("required").alpha() == 255  # of rules, which are drawn over the bands
    trigger(window, "view.rules")
    assert "favoured edge, β < 0" not in words(page)
    trigger(window, "view.rules")
    app.workspace.select((), [("rain", "wet")])
    trigger(window, "knowledge.price")
    editor = app.center.current
    assert isinstance(editor, KnowledgePage)
    box = editor.findChild(QDoubleSpinBox, "priceBox")
    assert box.value() == -8
    box.setValue(0.5)
    editor.findChild(QPushButton, "priceSet").click()
    assert app.project.edge_prices.prices[1] == ("rain", "wet", 0.5)
    assert [one.strength for one in layer.soft] == [1.0, 0.25]
    assert {one.kind for one in layer.soft} == {"priced"}
    app.document.undo_stack.undo()
    app.document.undo_stack.undo()
    assert layer.soft == []
