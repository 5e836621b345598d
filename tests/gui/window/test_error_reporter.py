"""Internal errors are shown in one dialog."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from pgmstudio.gui.window.error_reporter import WindowErrorReporter


def boxes() -> list[QMessageBox]:
    widgets = QApplication.topLevelWidgets()
    return [w for w in widgets if isinstance(w, QMessageBox) and w.objectName() == "bugBox"]


def broken(text: str) -> Exception:
    try:
        raise ValueError(text)
    except ValueError as error:
        return error


def broken_elsewhere() -> Exception:
    try:
        raise KeyError("elsewhere")
    except KeyError as error:
        return error


def test_a_repeated_internal_error_opens_no_second_dialog(qtbot: QtBot) -> None:
    reporter = WindowErrorReporter()
    reporter.report(broken("first"))
    reporter.report(broken("again, with another text"))
    reporter.report(broken_elsewhere())
    (box,) = boxes()
    assert "first" in box.detailedText()
    assert "again" not in box.detailedText()
    assert "elsewhere" in box.detailedText()
    box.close()
    qtbot.waitUntil(lambda: not boxes())
    reporter.report(broken("once more"))
    assert not boxes()
