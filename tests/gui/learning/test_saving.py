"""Saving: a failure is a message that stays, and nobody's work is overwritten unasked."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from pgmstudio.core.io.project.project_file import project_bytes, read_project, write_project
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.params import parse_params
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import Outcome, Run
from pgmstudio.gui.files import actions as file_actions
from pgmstudio.gui.files import saving as project_files
from pgmstudio.gui.files.actions import FileCommands
from pgmstudio.gui.files.opening import open_files
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.window import main_window
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.io.repacked_projects import repacked
from tests.gui.questions import Answer, answer, is_saved_to, open_boxes
from tests.gui.samples import add_sprinkler
from tests.gui.unsaved import add_a_run_that_cannot_be_saved, loss_note


def rename(window: MainWindow, title: str) -> None:
    assert window.app.change("Rename", partial(edits.set_title, title=title))


def fails(*_args: object, **_how: object) -> tuple[str, ...]:
    raise ValueError("Out of range float values are not JSON compliant")


def test_a_save_that_fails_is_a_note_that_stays_until_the_project_is_saved(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the reason, and every time."""
    monkeypatch.setattr(main_window, "SETTLED_MS", -1)
    add_sprinkler(window.app)
    path = tmp_path / "mine.pgmz"
    with monkeypatch.context() as broken:
        broken.setattr(project_files, "write_project", fails)
        assert not is_saved_to(window.app, path)
        assert "mine.pgmz: could not be saved" in loss_note(window).text
        rename(window, "another change")
        assert "could not be saved" in loss_note(window).text
        loss_note(window).dismiss()
        assert not is_saved_to(window.app, path)
        assert "could not be saved" in loss_note(window).text
    assert not path.exists()
    note = loss_note(window)
    assert is_saved_to(window.app, path)
    assert not note.isVisible()


def test_leaving_with_a_save_that_fails_says_so_and_keeps_the_window(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_sprinkler(window.app)
    monkeypatch.setattr(project_files, "write_project", fails)
    choice = (str(tmp_path / "mine.pgmz"), "")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: choice)
    window.close()
    answer(Answer.Save)
    assert window.isVisible()
    assert "could not be saved" in loss_note(window).text


def test_a_model_that_cannot_be_written_is_a_note_that_stays(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_id = add_sprinkler(window.app)
    monkeypatch.setattr(file_actions, "write_model", fails)
    entry = window.app.project.models[model_id]
    FileCommands(window.app).save_model_to(tmp_path / "model.bif", entry)
    assert "model.bif: could not be saved" in loss_note(window).text


def test_a_part_that_cannot_be_saved_leaves_the_project_unsaved_and_the_rest_on_the_disk(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    add_sprinkler(window.app)
    add_a_run_that_cannot_be_saved(window.app)
    path = tmp_path / "mine.pgmz"
    assert not is_saved_to(window.app, path)
    assert "Run “odd” cannot be saved" in loss_note(window).text
    assert list(read_project(path).models) == list(window.app.project.models)
    assert not window.app.document.is_saved
    window.app.document.undo_stack.undo()
    assert is_saved_to(window.app, path)
    assert window.app.document.is_saved


def test_a_project_with_a_damaged_part_opens_and_says_which(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    add_sprinkler(window.app)
    content = project_bytes(window.app.project)
    path = tmp_path / "hurt.pgmz"
    path.write_bytes(repacked(content, lambda members: members.update({"models/m1.json": b"{"})))
    window.app.document.undo_stack.setClean()
    open_files(window.app, [path])
    assert window.app.document.path == path
    assert list(window.app.project.data) == ["d1"]
    assert "Model m1 was left out" in loss_note(window).text


@pytest.fixture
def second_window_saved(window: MainWindow, tmp_path: Path) -> Path:
    """A project open here with changes, and saved by another window meanwhile."""
    add_sprinkler(window.app)
    path = tmp_path / "shared.pgmz"
    assert is_saved_to(window.app, path)
    rename(window, "mine")
    write_project(path, edits.set_title(read_project(path), title="theirs"))
    return path


@pytest.mark.parametrize(
    ("button", "on_disk", "is_saved"),
    [(Answer.Cancel, "theirs", False), (Answer.Discard, "mine", True)],
)
def test_a_file_that_another_window_wrote_is_not_overwritten_unasked(
    window: MainWindow,
    second_window_saved: Path,
    button: Answer,
    on_disk: str,
    is_saved: bool,
) -> None:
    window.app.actions["file.save"].trigger()
    assert read_project(second_window_saved).title == "theirs"
    assert "shared.pgmz" in answer(button)
    assert read_project(second_window_saved).title == on_disk
    assert window.app.document.is_saved is is_saved
    if is_saved:  # the file is this window's again
        rename(window, "mine too")
        window.app.actions["file.save"].trigger()
        assert open_boxes() == []
        assert read_project(second_window_saved).title == "mine too"


def test_the_other_answer_saves_under_another_name(
    window: MainWindow,
    second_window_saved: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = tmp_path / "other.pgmz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(other), ""))
    window.app.actions["file.save"].trigger()
    answer(Answer.Save)
    assert read_project(second_window_saved).title == "theirs"
    assert read_project(other).title == "mine"
    assert window.app.document.path == other
    assert window.app.document.is_saved


def test_an_opened_project_that_another_window_wrote_is_asked_about_too(
    window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "shared.pgmz"
    add_sprinkler(window.app)
    write_project(path, window.app.project)
    window.app.document.undo_stack.setClean()
    open_files(window.app, [path])
    rename(window, "mine")
    write_project(path, edits.set_title(read_project(path), title="theirs"))
    window.app.actions["file.save"].trigger()
    answer(Answer.Cancel)
    assert read_project(path).title == "theirs"


def test_preferences_that_cannot_be_written_do_not_spoil_a_save(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_sprinkler(window.app)
    blocked = tmp_path / "a file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setattr(
        "pgmstudio.gui.project.preferences.preferences_folder", lambda: blocked / "inside"
    )
    assert is_saved_to(window.app, tmp_path / "mine.pgmz")
    assert window.app.document.is_saved


def test_a_run_with_infinite_numbers_is_saved_and_opens_again(
    window: MainWindow, tmp_path: Path
) -> None:
    add_sprinkler(window.app)
    kept = {"pdg-scan": {"points": [{"train_bits": -math.inf, "held_bits": math.nan}]}}
    measures = {"score": -math.inf}
    run = Run("pdg.learn", {}, 1, "", "", Outcome.FINISHED, measures=measures, artifacts=kept)
    window.app.change("Learn", partial(edits.add_run, run=run, model=None))
    path = tmp_path / "mine.pgmz"
    assert is_saved_to(window.app, path)
    open_files(window.app, [path])
    again = window.app.project.runs["r1"]
    assert (again.measures, repr(again.artifacts)) == (measures, repr(kept))


def test_what_a_run_found_is_kept_for_recovery_as_soon_as_it_ends(
    qtbot: QtBot, window: MainWindow
) -> None:
    add_sprinkler(window.app)
    params = parse_params(learner_of("tree.chow-liu").params_type, {})
    with qtbot.waitSignal(window.autosave.saved):
        run_recorder(window.app).start(RunRequest("tree", "tree.chow-liu", params, 1, "d1"))
    assert list(read_project(window.autosave.file).runs) == ["r1"]
