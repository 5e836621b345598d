"""Panels beside pages that show no model: the facts of the data, or the model seen last."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.number_format import brief
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.view import Hit, tooltip_of
from pgmstudio.gui.files.project_panel import TitleAndFact
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from tests.gui.samples import add_sprinkler


def inspector(window: MainWindow) -> InspectorPanel:
    panel = panel_widget(window, "inspectorPanel")
    assert isinstance(panel, InspectorPanel)
    return panel


def test_beside_a_page_of_rows_stand_the_facts_of_the_data(
    qtbot: QtBot, window: MainWindow
) -> None:
    model_id = add_sprinkler(window.app)
    data_id = next(iter(window.app.project.data))
    open_data_page(window.app, data_id)
    shown = inspector(window).data
    qtbot.waitUntil(lambda: "Different rows" in shown.facts.facts)
    data = window.app.project.data[data_id].data
    assert shown.isVisible()
    assert shown.facts.facts["Rows"] == "400"
    assert shown.facts.facts["Missing cells"] == "none"
    assert shown.facts.facts["Different rows"] == str(len(data.merged().codes[0]))
    shown.findChild(QPushButton, f"inspectorData.{model_id}").click()
    assert window.app.workspace.model_id == model_id


def test_beside_the_manual_the_panels_speak_of_the_model_seen_last(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_model_page(window.app, add_sprinkler(window.app))
    window.app.actions["help.contents"].trigger()
    assert window.app.workspace.model_id is None
    count = panel_widget(window, "variablesPanel").findChild(QLabel, "variablesCount")
    qtbot.waitUntil(lambda: count.text() == "3")
    qtbot.waitUntil(lambda: inspector(window).model.isVisible())
    assert inspector(window).model._head.title.text() == "Sprinkler"


def test_what_can_be_read_in_a_node_is_not_repeated_at_the_pointer(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_model_page(window.app, add_sprinkler(window.app))
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: bool(page.canvas.scene.nodes))
    page.canvas.view.set_zoom(1.0)
    item: NodeItem = page.canvas.scene.nodes["rain"]
    qtbot.waitUntil(lambda: item.shows_full_title)
    assert tooltip_of(Hit(item.pos(), item)) == ""
    page.canvas.view.set_zoom(0.2)
    qtbot.waitUntil(lambda: not item.shows_full_title)
    assert tooltip_of(Hit(item.pos(), item)) == "rain"


@pytest.mark.parametrize(
    ("number", "text"),
    [(99_999, "99 999"), (250_400, "250 k"), (999_600, "1 M"), (12_345_678, "12.3 M")],
)
def test_large_numbers_of_rows_leave_room_for_names(number: int, text: str) -> None:
    assert brief(number).replace("\u202f", " ") == text


def test_a_long_fact_of_the_project_gives_way_to_its_title(
    qtbot: QtBot, window: MainWindow
) -> None:
    tree = QTreeWidget()
    qtbot.addWidget(tree)
    tree.setColumnCount(2)
    rows = [QTreeWidgetItem(tree, ["A title of some length", fact]) for fact in ("9", "9" * 12)]
    delegate = TitleAndFact(tree)
    shown = []
    for item in rows:
        option = QStyleOptionViewItem()
        option.rect = QRect(0, 0, 200, 24)
        delegate.initStyleOption(option, tree.indexFromItem(item))
        index = tree.indexFromItem(item)
        shown.append((option.text, delegate.shown_fact(option, index)))
    assert shown == [("A title of some length", "9"), ("A title of some length", "")]
