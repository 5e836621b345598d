"""Shortcuts that the user chooses."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence
from pytestqt.qtbot import QtBot

from pgmstudio.gui.project.preferences import load_preferences
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.gui.window.shortcuts_dialog import ShortcutsDialog, show_shortcuts


def assign(dialog: ShortcutsDialog, action: str, keys: str) -> None:
    dialog.table.select_key(action)
    dialog.field.setKeySequence(QKeySequence(keys))
    dialog.assign.click()


def test_a_shortcut_is_changed_kept_and_restored(qtbot: QtBot, window: MainWindow) -> None:
    app = window.app
    action = app.actions["data.import"]
    usual = action.shortcuts()
    dialog = show_shortcuts(app)
    assign(dialog, "data.import", "Ctrl+Alt+J")
    assert action.shortcut() == QKeySequence("Ctrl+Alt+J")
    assert "Ctrl+Alt+J" in action.toolTip() or not action.isEnabled()
    assert load_preferences().shortcuts == {"data.import": ("Ctrl+Alt+J",)}
    assert dialog.table.current_row.is_changed
    dialog.default.click()
    assert action.shortcuts() == usual
    assert load_preferences().shortcuts == {}
    dialog.close()


def test_keys_of_another_action_are_refused_with_its_name(qtbot: QtBot, window: MainWindow) -> None:
    app = window.app
    dialog = show_shortcuts(app)
    before = app.actions["data.paste"].shortcuts()
    assign(dialog, "data.paste", app.actions["file.save"].shortcut().toString())
    assert "is the shortcut of Save project" in dialog.findChild(Note).text
    assert app.actions["data.paste"].shortcuts() == before
    dialog.close()


def test_keys_of_the_canvas_are_shown_and_fixed(qtbot: QtBot, window: MainWindow) -> None:
    dialog = show_shortcuts(window.app)
    dialog.table.select_key("model.reverse")
    assert dialog.table.current_row.keys == "R"
    assert not dialog.assign.isEnabled()
    dialog.search.setText("Reverse")
    assert dialog.table.model().rowCount() < len(dialog.table.rows)
    dialog.close()
