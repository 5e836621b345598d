"""Large projects are read and written while the window goes on painting, and may be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.counting import ReportFraction
from pgmstudio.core.errors import Cancelled, ProjectFileError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.io.child_reading import read_model_in_child
from pgmstudio.core.io.models.files import ModelFile, read_model
from pgmstudio.core.io.project.project_file import project_bytes, read_project
from pgmstudio.core.project import edits
from pgmstudio.gui.files import opening, saving
from pgmstudio.gui.files.opening import open_files
from pgmstudio.gui.files.saving import ProjectSaver
from pgmstudio.gui.jobs import progress_dialog as waiting
from pgmstudio.gui.jobs.progress_dialog import WaitingDialog, run_with_progress
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.questions import is_saved_to
from tests.gui.samples import add_sprinkler


@pytest.fixture
def all_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "SMALL_FILE", 0)
    monkeypatch.setattr(saving, "SMALL_DATA", 0)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dialog is shown at once."""
    monkeypatch.setattr(waiting, "QUIET_MS", 0)


def dialog_of(parent: QWidget) -> WaitingDialog:
    (result,) = parent.findChildren(WaitingDialog)
    assert result.isVisible()
    return result


class Outcome:
    """What became of some work."""

    def __init__(self, window: MainWindow, work: Callable[..., object]) -> None:
        self.values: list[object] = []
        self.errors: list[BaseException] = []
        run_with_progress(window, "Working", work, self.values.append, self.errors.append)


def test_short_work_shows_no_dialog(qtbot: QtBot, window: MainWindow) -> None:
    assert Outcome(window, lambda _cancel, _report: 7).values == [7]
    assert not window.findChildren(WaitingDialog)


@pytest.mark.usefixtures("impatient")
def test_a_dialog_reports_how_far_long_work_is_and_goes_with_it(
    qtbot: QtBot, window: MainWindow
) -> None:
    go = threading.Event()

    def work(_cancel: CancelToken, message: ReportFraction) -> str:
        message(0.4)
        go.wait()
        return "made"

    outcome = Outcome(window, work)
    (bar,) = dialog_of(window).findChildren(QProgressBar)
    qtbot.waitUntil(lambda: bar.value() == 400)
    assert not outcome.values
    go.set()
    qtbot.waitUntil(lambda: outcome.values == ["made"])
    qtbot.waitUntil(lambda: not window.findChildren(WaitingDialog))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("way", ["button", "escape"])
def test_long_work_can_be_stopped(qtbot: QtBot, window: MainWindow, way: str) -> None:
    def work(cancel: CancelToken, _report: ReportFraction) -> None:
        pause = threading.Event()
        while True:
            pause.wait(0.005)
            cancel.raise_if_cancelled()

    outcome = Outcome(window, work)
    dialog = dialog_of(window)
    if way == "button":
        stop = dialog.findChild(QPushButton, "waitingStop")
        qtbot.mouseClick(stop, Qt.MouseButton.LeftButton)
    else:
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: bool(outcome.errors))
    assert isinstance(outcome.errors[0], Cancelled)
    assert not outcome.values


def test_what_the_work_raises_is_handed_on(qtbot: QtBot, window: MainWindow) -> None:
    def work(_cancel: CancelToken, _report: ReportFraction) -> None:
        raise ProjectFileError(Path("x.pgmz"), "is torn.")

    (error,) = Outcome(window, work).errors
    assert isinstance(error, ProjectFileError)
    assert "torn" in str(error)


@pytest.mark.usefixtures("all_is_large")
def test_a_large_project_is_saved_and_opened_beside_the_window(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    add_sprinkler(window.app)
    before, file = window.app.project, tmp_path / "large.pgmz"
    assert is_saved_to(window.app, file)
    assert window.app.document.is_saved
    assert project_bytes(read_project(file)) == project_bytes(before)
    open_files(window.app, [file])
    assert window.app.document.path == file
    assert project_bytes(window.app.project) == project_bytes(before)


@pytest.mark.usefixtures("all_is_large")
def test_stopping_to_open_leaves_the_project_that_was_there(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_sprinkler(window.app)
    file = tmp_path / "large.pgmz"
    ProjectSaver(window.app).save_to(file)
    monkeypatch.setattr(opening, "read_project", stopped)
    before = window.app.project
    open_files(window.app, [file])
    assert window.app.project is before


@pytest.mark.usefixtures("all_is_large")
def test_stopping_to_save_leaves_the_file_and_the_mark_of_changes(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "large.pgmz"
    assert is_saved_to(window.app, file)
    written = file.read_bytes()
    add_sprinkler(window.app)
    monkeypatch.setattr(saving, "write_project", stopped)
    assert not is_saved_to(window.app, file)
    assert file.read_bytes() == written
    assert not window.app.document.is_saved


@pytest.mark.usefixtures("all_is_large", "impatient")
def test_what_comes_while_a_project_is_written_is_not_taken_for_saved(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_id = add_sprinkler(window.app)
    go, write = threading.Event(), saving.write_project

    def waits(*args: object) -> tuple[str, ...]:
        go.wait()
        return write(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(saving, "write_project", waits)
    file, saved = tmp_path / "large.pgmz", []
    assert not ProjectSaver(window.app).save_to(file, lambda: saved.append(True))
    edit = partial(edits.rename_model, model_id=model_id, title="Later")
    window.app.change("Rename", edit)
    go.set()
    qtbot.waitUntil(lambda: bool(saved))
    assert not window.app.document.is_saved
    assert read_project(file).models[model_id].title != "Later"


@pytest.mark.usefixtures("all_is_large", "impatient")
@pytest.mark.parametrize("moment", ["while it is written", "right after"])
def test_a_shortcut_pressed_around_a_long_save_is_carried_out_after_it(
    qtbot: QtBot,
    window: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
) -> None:
    with qtbot.waitActive(window):
        window.show()
    add_sprinkler(window.app)
    go, write = threading.Event(), saving.write_project

    def waits(*args: object) -> tuple[str, ...]:
        go.wait()
        return write(*args)  # type: ignore[arg-type]

    def press(widget: QWidget) -> None:
        both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        qtbot.keyClick(widget, Qt.Key.Key_N, both)

    monkeypatch.setattr(saving, "write_project", waits)
    file, saved = tmp_path / "large.pgmz", []
    ProjectSaver(window.app).save_to(file, lambda: saved.append(True))
    if moment == "while it is written":
        press(dialog_of(window))
    go.set()
    qtbot.waitUntil(lambda: bool(saved))
    if moment == "right after":
        press(window)
    qtbot.waitUntil(lambda: window.app.document.path is None)
    assert not window.app.project.models
    assert read_project(file).models


def stopped(*_args: object, **_how: object) -> None:
    raise Cancelled


def test_a_long_model_file_is_read_by_a_child_process(
    window: MainWindow, sample_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def in_child(path: Path, cancel: CancelToken) -> ModelFile:
        read.append(path)
        return read_model_in_child(path, cancel)

    monkeypatch.setattr(opening, "read_model_in_child", in_child)
    monkeypatch.setattr(opening, "SMALL_TEXT", 0)
    path = sample_data / "asia.json"
    open_files(window.app, [path])
    assert read == [path]
    (entry,) = window.app.project.models.values()
    expected = read_model(path).model
    assert entry.model.domain == expected.domain
    assert entry.model.dag == expected.dag


def test_a_model_file_is_not_read_by_the_thread_of_the_window(
    window: MainWindow, sample_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def reading(path: Path) -> ModelFile:
        threads.append(threading.current_thread())
        return read_model(path)

    monkeypatch.setattr(opening, "read_model", reading)
    open_files(window.app, [sample_data / "asia.json"])
    assert threads
    assert threading.main_thread() not in threads
