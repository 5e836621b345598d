"""Cells that are sets of states: shown, edited, copied and pasted in the table of a data set."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.io.project.project_file import project_bytes, project_from_bytes
from pgmstudio.core.project.edits import add_data
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.data.set_editor import SetEditor
from pgmstudio.gui.navigation import open_data_page

if TYPE_CHECKING:
    from pgmstudio.gui.window.main_window import MainWindow

DOMAIN = Domain.of({"color": ("red", "green", "blue"), "shape": ("circle", "square")})
ROWS = [(["red", "green"], "circle"), ("blue", None), ("green", "square")]


@pytest.fixture
def page(window: MainWindow) -> DataPage:
    entry = DataEntry("objects", ImpreciseData.from_cells(DOMAIN, ROWS))
    window.app.change("Add", partial(add_data, entry=entry))
    open_data_page(window.app, next(iter(window.app.project.data)))
    shown = window.app.center.current
    assert isinstance(shown, DataPage)
    return shown


def cells(page: DataPage) -> list[list[str]]:
    model = page.table.model
    return [[str(model.index(row, column).data()) for column in range(2)] for row in range(3)]


def editor_of(page: DataPage, row: int, column: int) -> SetEditor:
    view = page.table.view
    view.setCurrentIndex(page.table.model.index(row, column))
    view.edit(view.currentIndex())
    result = view.viewport().findChildren(SetEditor)
    return result[-1]


def test_sets_are_edited_as_text_and_with_ticks_and_saved(
    window: MainWindow, page: DataPage, qtbot: QtBot
) -> None:
    assert cells(page)[:2] == [["{red, green}", "circle"], ["blue", "*"]]
    assert page.facts.text() == "3 rows × 2 · 1 set of states · 1 cell unknown"
    # Typed text, with a mistake first.
    editor = editor_of(page, 2, 0)
    editor.field.selectAll()
    qtbot.keyClicks(editor.field, "{red, blu}")
    assert "“blu”" in editor.problem.text()
    qtbot.keyClick(editor.field, Qt.Key.Key_Return)
    assert cells(page)[2][0] == "green"  # the editor stays open
    editor.field.selectAll()
    qtbot.keyClicks(editor.field, "{red, blue}")
    qtbot.keyClick(editor.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: cells(page)[2][0] == "{red, blue}")
    # Ticks.
    editor = editor_of(page, 0, 0)
    checks = [editor.states.item(i).checkState() for i in range(3)]
    assert checks == [Qt.CheckState.Checked, Qt.CheckState.Checked, Qt.CheckState.Unchecked]
    editor.states.item(0).setCheckState(Qt.CheckState.Unchecked)
    assert editor.text == "green"
    editor.states.item(2).setCheckState(Qt.CheckState.Checked)
    assert editor.text == "{green, blue}"
    qtbot.keyClick(editor.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: cells(page)[0][0] == "{green, blue}")
    saved = project_from_bytes(project_bytes(window.app.project)).data[page.data_id].data
    assert isinstance(saved, ImpreciseData)
    assert saved.sets == {(0, 0): frozenset({1, 2}), (0, 2): frozenset({0, 2})}
    window.app.document.undo_stack.undo()
    window.app.document.undo_stack.undo()
    assert cells(page) == [["{red, green}", "circle"], ["blue", "*"], ["green", "square"]]


def test_rows_are_copied_and_pasted_as_text(
    window: MainWindow, page: DataPage, qtbot: QtBot
) -> None:
    view, model = page.table.view, page.table.model
    view.selectRow(0)
    page.table.copy()
    assert QApplication.clipboard().text() == "{red, green}\tcircle"
    view.setCurrentIndex(model.index(1, 1))
    page.table.paste()
    assert cells(page)[1] == ["{red, green}", "circle"]
    QApplication.clipboard().setText("*\n{green;blue}")
    view.setCurrentIndex(model.index(1, 0))
    page.table.paste()
    assert [row[0] for row in cells(page)] == ["{red, green}", "*", "{green, blue}"]
    # Refused as a whole, with one message.
    messages: list[str] = []
    window.app.workspace.message.connect(lambda _level, text: messages.append(text))
    QApplication.clipboard().setText("red\npurple")
    page.table.paste()
    assert [row[0] for row in cells(page)] == ["{red, green}", "*", "{green, blue}"]
    assert sum("Row 3" in text and "purple" in text for text in messages) == 1
    view.setCurrentIndex(model.index(2, 0))
    page.table.paste()
    assert "do not fit" in messages[-1]


def test_values_are_made_precise_and_imprecise(window: MainWindow, page: DataPage) -> None:
    action, app = window.app.actions["data.imprecise"], window.app
    messages: list[str] = []
    app.toast.connect(lambda text, _button: messages.append(text))
    assert action.isChecked()
    action.trigger()
    assert messages[-1] == "1 cell with a set of states became missing."
    assert cells(page)[0] == ["·", "circle"]
    assert not action.isChecked()
    app.document.undo_stack.undo()
    assert cells(page)[0][0] == "{red, green}"
    app.document.undo_stack.redo()
    action.trigger()
    assert action.isChecked()
    assert cells(page)[0] == ["*", "circle"]
