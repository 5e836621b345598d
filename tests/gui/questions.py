"""Questions of the window: the open box, its answer, and saving as a test sees it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication, QMessageBox

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.files.closing import when_settled
from pgmstudio.gui.files.saving import ProjectSaver

Answer = QMessageBox.StandardButton


def open_boxes() -> list[QMessageBox]:
    """The questions that wait for an answer."""
    widgets = QApplication.topLevelWidgets()
    return [w for w in widgets if isinstance(w, QMessageBox) and w.isVisible()]


def answer(button: Answer) -> str:
    """Click a button of the open question; returns its text."""
    [box] = open_boxes()
    text = box.text()
    box.button(button).click()
    return text


def is_saved_to(app: AppContext, path: Path) -> bool:
    """Save to a file; whether all of the project is saved on return."""
    saved: list[bool] = []
    ProjectSaver(app).save_to(path, lambda: saved.append(True))
    return bool(saved)


def is_settled(app: AppContext) -> bool:
    """Whether another project may replace this one without a question."""
    ends: list[bool] = []
    when_settled(app, lambda: ends.append(True), lambda: ends.append(False))
    return ends == [True]
