"""Closing asks about what is not saved, and ends what runs; a toast tells and undoes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.errors import GraphError
from pgmstudio.core.io.project.project_file import read_project
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.project import edits
from pgmstudio.gui.files import saving
from pgmstudio.gui.jobs import progress_dialog
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.questions import Answer, answer, open_boxes
from tests.gui.samples import add_sprinkler


@pytest.mark.parametrize(("button", "stays_open"), [(Answer.Cancel, True), (Answer.Discard, False)])
def test_unsaved_changes_are_asked_about(
    window: MainWindow, button: Answer, stays_open: bool
) -> None:
    add_sprinkler(window.app)
    window.close()
    assert window.isVisible()
    assert answer(button) == "The project has changes that are not saved."
    assert window.isVisible() is stays_open
    assert open_boxes() == []


@pytest.mark.parametrize(
    ("key", "stays_open"), [(Qt.Key.Key_Escape, True), (Qt.Key.Key_Return, False)]
)
def test_a_question_is_answered_at_the_keyboard(
    window: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    key: Qt.Key,
    stays_open: bool,
) -> None:
    """Escape cancels, Enter is the first answer: save."""
    file = tmp_path / "mine.pgmz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    add_sprinkler(window.app)
    window.close()
    [box] = open_boxes()
    QTest.keyClick(box, key)
    assert window.isVisible() is stays_open
    assert file.exists() is not stays_open


def test_saying_save_saves_and_closes(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.pgmz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    add_sprinkler(window.app)
    window.close()
    answer(Answer.Save)
    assert not window.isVisible()
    assert list(read_project(file).models) == ["m1"]


def test_a_window_is_closed_after_a_long_save(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "large.pgmz"
    monkeypatch.setattr(saving, "SMALL_DATA", 0)
    monkeypatch.setattr(progress_dialog, "QUIET_MS", 0)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    add_sprinkler(window.app)
    window.close()
    answer(Answer.Save)
    assert window.isVisible()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert list(read_project(file).models) == ["m1"]


def test_saying_save_and_then_choosing_no_file_keeps_the_window_open(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    add_sprinkler(window.app)
    window.close()
    answer(Answer.Save)
    assert window.isVisible()


def test_nothing_is_asked_when_everything_is_saved(window: MainWindow) -> None:
    window.close()
    assert open_boxes() == []
    assert not window.isVisible()


def test_closing_ends_the_runs(qtbot: QtBot, window: MainWindow) -> None:
    app = window.app
    add_sprinkler(app)
    params: Any = learner_of("bn.hill-climb").params_type(restarts=1_000_000)
    run = run_recorder(app).start(RunRequest("endless", "bn.hill-climb", params, 1, "d1"))
    qtbot.waitUntil(lambda: bool(run.trace.steps) or run.best is not None, timeout=60_000)
    app.document.undo_stack.setClean()
    window.close()
    assert not window.isVisible()
    assert run.wait(0)


# -- toasts


def test_a_toast_undoes_what_it_reports(window: MainWindow) -> None:
    window.app.change("Rename", partial(edits.set_title, title="new"))
    window.app.notify("The project has a new title.", undo=True)
    assert window.toast.isVisible()
    assert window.toast.findChild(QLabel, "toastText").text() == "The project has a new title."
    window.toast.findChild(QPushButton).click()
    assert window.app.project.title == ""
    assert not window.toast.isVisible()


def test_a_toast_stays_inside_the_window(qtbot: QtBot, window: MainWindow) -> None:
    window.app.notify("A long sentence about something that happened elsewhere. " * 8)
    for size in ((1280, 800), (960, 640)):
        window.resize(*size)
        qtbot.wait(10)
        assert window.rect().contains(window.toast.geometry())


def test_a_refusal_is_reported_and_logged(window: MainWindow) -> None:
    messages: list[tuple[str, str]] = []
    window.app.workspace.message.connect(lambda level, words: messages.append((level, words)))
    window.app.errors.report(GraphError("There is no edge a → b."))
    assert not window.toast.isVisible()
    assert messages == [("error", "There is no edge a → b.")]


def test_an_error_stands_in_the_region_it_concerns_until_it_is_closed(window: MainWindow) -> None:
    window.app.errors.report(GraphError("There is no edge a → b."))
    window.app.errors.report(GraphError("There is no edge b → c."))
    window.app.errors.at("projectPanel").report(GraphError("There is no node d."))
    above = window.app.center.findChild(Note, "errorNote")
    assert above.text == "• There is no edge a → b.\n• There is no edge b → c."
    beside = window.panels.panel("projectPanel").findChild(Note, "errorNote")
    assert beside.text == "There is no node d."
    above.findChild(QPushButton, "errorNoteCopy").click()
    assert "GraphError: There is no edge b → c." in QApplication.clipboard().text()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not beside.isVisible()
    assert above.isVisible()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not above.isVisible()
