"""Settings that cannot be changed any more: shortened where there is no room, whole to copy."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pgmstudio.gui.inspector.run import LockedField, LockedFields

LONG = "from 10⁻⁶ to 0.2 or 0 to 1"


def test_what_does_not_fit_ends_with_an_ellipsis_and_is_whole_with_the_focus(
    qtbot: QtBot,
) -> None:
    fields = LockedFields("settings")
    qtbot.addWidget(fields)
    fields.show_facts([("Significance levels", LONG), ("Forests", "1")])
    fields.setFixedWidth(260)
    fields.show()
    qtbot.waitExposed(fields)
    first, second = fields.findChildren(LockedField)
    assert first.text().endswith("…")
    assert LONG.startswith(first.text()[:-1])
    assert second.text() == "1"
    assert fields.facts["Significance levels"] == LONG
    first.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is first)
    assert first.text() == LONG
    fields.setFixedWidth(900)
    second.setFocus()
    qtbot.waitUntil(lambda: first.text() == LONG)
