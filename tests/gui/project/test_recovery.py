"""Autosave and what it offers after a crash."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.io.project.project_file import project_bytes, read_project
from pgmstudio.core.project import edits
from pgmstudio.gui.files.opening import begin, recover
from pgmstudio.gui.files.recovery import left_behind, recovery_folder
from pgmstudio.gui.files.saving import ProjectSaver
from pgmstudio.gui.navigation import open_welcome
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.questions import Answer, answer, is_saved_to
from tests.gui.samples import add_sprinkler
from tests.gui.unsaved import add_a_run_that_cannot_be_saved, loss_note


@pytest.fixture
def gone_process() -> int:
    """The number of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def save(qtbot: QtBot, window: MainWindow) -> Path:
    with qtbot.waitSignal(window.autosave.saved):
        window.autosave.save_now()
    return window.autosave.file


def as_if_crashed(file: Path, process: int) -> None:
    """The recovery file under the name of a process that is gone."""
    for each in (file, file.with_suffix(".json")):
        each.rename(each.with_name(f"{process}-token{each.suffix}"))


def test_unsaved_changes_are_written_whole_and_once(qtbot: QtBot, window: MainWindow) -> None:
    add_sprinkler(window.app)
    file = save(qtbot, window)
    assert project_bytes(read_project(file)) == project_bytes(window.app.project)
    first = file.stat().st_mtime_ns
    window.autosave.save_now()
    assert not window.autosave._latest_task.is_waiting
    assert file.stat().st_mtime_ns == first


def test_a_saved_project_needs_no_recovery(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.autosave.save_now()
    assert not window.autosave.file.exists()
    add_sprinkler(window.app)
    file = save(qtbot, window)
    assert is_saved_to(window.app, tmp_path / "mine.pgmz")
    assert not file.exists()
    assert list(recovery_folder().iterdir()) == []


def test_a_clean_end_leaves_nothing_behind(qtbot: QtBot, window: MainWindow) -> None:
    add_sprinkler(window.app)
    file = save(qtbot, window)
    window.app.document.undo_stack.setClean()
    window.close()
    assert not file.exists()


def test_what_a_running_window_keeps_is_not_offered(qtbot: QtBot, window: MainWindow) -> None:
    add_sprinkler(window.app)
    save(qtbot, window)
    assert left_behind() == []


def test_what_a_crash_left_is_offered_and_opens_as_unsaved(
    qtbot: QtBot, window: MainWindow, gone_process: int, tmp_path: Path
) -> None:
    add_sprinkler(window.app)
    path = tmp_path / "mine.pgmz"
    ProjectSaver(window.app).save_to(path)
    window.app.change("Rename", partial(edits.set_title, title="lost and found"))
    as_if_crashed(save(qtbot, window), gone_process)
    kept = project_bytes(window.app.project)
    window.app.document.undo_stack.setClean()
    window.app.actions["file.new"].trigger()
    begin(window.app, [])
    page = window.app.center.current
    assert page is not None
    assert "mine.pgmz" in page.findChild(Note, "recoveryNote").text
    page.findChild(QPushButton, "recoveryAccept").click()
    assert project_bytes(window.app.project) == kept
    assert window.app.document.path == path
    assert not window.app.document.is_saved
    assert left_behind() == []


def test_a_second_crash_right_after_the_recovery_loses_nothing(
    qtbot: QtBot, window: MainWindow, gone_process: int
) -> None:
    add_sprinkler(window.app)
    as_if_crashed(save(qtbot, window), gone_process)
    kept = project_bytes(window.app.project)
    window.app.document.undo_stack.setClean()
    [entry] = left_behind()
    recover(window.app, entry)
    assert not entry.file.exists()
    as_if_crashed(window.autosave.file, gone_process)
    [again] = left_behind()
    assert project_bytes(read_project(again.file)) == kept
    assert (again.name, again.path) == (entry.name, entry.path)


def test_what_is_discarded_is_not_offered_again(
    qtbot: QtBot, window: MainWindow, gone_process: int
) -> None:
    add_sprinkler(window.app)
    as_if_crashed(save(qtbot, window), gone_process)
    open_welcome(window.app)
    page = window.app.center.current
    assert page is not None
    page.findChild(QPushButton, "recoveryDiscard").click()
    assert page.findChild(Note, "recoveryNote").isHidden()
    assert left_behind() == []
    assert list(recovery_folder().glob(f"{gone_process}-*")) == []


def test_saying_no_to_losing_the_open_project_keeps_both(
    qtbot: QtBot, window: MainWindow, gone_process: int
) -> None:
    add_sprinkler(window.app)
    as_if_crashed(save(qtbot, window), gone_process)
    window.app.change("Rename", partial(edits.set_title, title="newer"))
    [entry] = left_behind()
    recover(window.app, entry)
    answer(Answer.Cancel)
    assert window.app.project.title == "newer"
    assert left_behind() == [entry]


def test_a_recovery_file_that_is_damaged_is_reported_and_stays(
    qtbot: QtBot, window: MainWindow, gone_process: int
) -> None:
    add_sprinkler(window.app)
    as_if_crashed(save(qtbot, window), gone_process)
    [entry] = left_behind()
    entry.file.write_bytes(entry.file.read_bytes()[:100])
    messages: list[str] = []
    window.app.errors.message.connect(messages.append)
    before = window.app.project
    recover(window.app, entry)
    assert window.app.project is before
    assert len(messages) == 1


def test_a_process_with_the_number_of_one_that_crashed_does_not_hide_it(
    qtbot: QtBot, window: MainWindow
) -> None:
    add_sprinkler(window.app)
    as_if_crashed(save(qtbot, window), os.getpid())  # our number, but not our token
    assert len(left_behind()) == 1
    add_sprinkler(window.app)
    save(qtbot, window)
    assert len(left_behind()) == 1
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    as_if_crashed(left_behind()[0].file, other.pid)  # lives, but began at another time
    assert len(left_behind()) == (1 if Path("/proc/self/stat").exists() else 0)
    other.communicate(b"\n")


def test_facts_that_cannot_be_read_do_not_hide_the_project(
    qtbot: QtBot, window: MainWindow, gone_process: int
) -> None:
    add_sprinkler(window.app)
    as_if_crashed(save(qtbot, window), gone_process)
    [entry] = left_behind()
    entry.file.with_suffix(".json").write_text("[]", encoding="utf-8")
    assert [result.name for result in left_behind()] == ["untitled"]


def test_a_folder_that_cannot_be_written_is_reported_and_loses_nothing(
    qtbot: QtBot, window: MainWindow
) -> None:
    add_sprinkler(window.app)
    recovery_folder().parent.mkdir(parents=True, exist_ok=True)
    recovery_folder().write_text("a file where the folder should be", encoding="utf-8")
    messages: list[str] = []
    window.app.errors.message.connect(messages.append)
    window.autosave.save_now()
    qtbot.waitUntil(lambda: bool(messages))
    assert "recovery" in messages[0]
    assert not window.app.document.is_saved
    recovery_folder().unlink()


@pytest.mark.skipif(os.name != "posix", reason="looks at processes as POSIX has them")
def test_a_process_that_ended_unseen_counts_as_gone(qtbot: QtBot, window: MainWindow) -> None:
    add_sprinkler(window.app)
    file = save(qtbot, window)
    ended = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert ended.stdout is not None
    ended.stdout.read()  # it has ended, and nobody has asked for its status yet
    qtbot.waitUntil(lambda: _is_zombie(ended.pid))
    as_if_crashed(file, ended.pid)
    assert len(left_behind()) == 1
    ended.wait()


def _is_zombie(process: int) -> bool:
    return (
        Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        == "Z"
    )


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_nobody_else_may_read_a_copy_for_recovery(qtbot: QtBot, window: MainWindow) -> None:
    recovery_folder().mkdir(parents=True, exist_ok=True)
    recovery_folder().chmod(0o755)  # as an earlier version made it
    add_sprinkler(window.app)
    file = save(qtbot, window)
    assert recovery_folder().stat().st_mode & 0o777 == 0o700
    for each in (file, file.with_suffix(".json")):
        assert each.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["²-x.pgmz", f"{10**18}-x.pgmz", "-x.pgmz", "notes.pgmz"])
def test_files_with_odd_names_among_the_copies_are_left_alone(
    qtbot: QtBot, window: MainWindow, gone_process: int, name: str
) -> None:
    add_sprinkler(window.app)
    as_if_crashed(save(qtbot, window), gone_process)
    odd = recovery_folder() / name
    odd.write_bytes(b"")
    (recovery_folder() / "12-folder.pgmz").mkdir()
    assert [entry.file.name for entry in left_behind()] == [f"{gone_process}-token.pgmz"]
    assert odd.exists()
    odd.unlink()
    (recovery_folder() / "12-folder.pgmz").rmdir()


def test_a_part_that_cannot_be_saved_is_reported_by_a_note_that_stays(
    qtbot: QtBot, window: MainWindow
) -> None:
    add_sprinkler(window.app)
    add_a_run_that_cannot_be_saved(window.app)
    file = save(qtbot, window)
    assert "Run “odd” cannot be saved" in loss_note(window).text
    assert list(read_project(file).models) == list(window.app.project.models)


def test_a_recovered_project_whose_file_was_written_since_is_not_saved_over_it_unasked(
    qtbot: QtBot,
    window: MainWindow,
    gone_process: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_sprinkler(window.app)
    path = tmp_path / "mine.pgmz"
    ProjectSaver(window.app).save_to(path)
    window.app.change("Rename", partial(edits.set_title, title="lost and found"))
    as_if_crashed(save(qtbot, window), gone_process)
    window.app.document.undo_stack.setClean()
    path.write_bytes(b"newer work of another window")
    [entry] = left_behind()
    recover(window.app, entry)
    assert not is_saved_to(window.app, path)
    answer(Answer.Cancel)
    assert path.read_bytes() == b"newer work of another window"
