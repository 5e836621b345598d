"""Sessions in the window: recording a macro and replaying it on another data set."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.transforms import drop_rows
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.core.io.session.script import read_script
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.core.resources import folder_of
from pgmstudio.gui.files.session import AS_RECORDED, SessionCommands
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.window.main_window import MainWindow

SAMPLE = folder_of("sample_data") / "coronary.csv"


def test_a_macro_is_recorded_and_replayed_on_another_data_set_in_one_undo_step(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = window.app
    data = import_data(SAMPLE).data
    app.change("Add rows", partial(edits.add_data, entry=DataEntry("first", data)))

    commands, path = app.service(SessionCommands), tmp_path / "tree.py"
    monkeypatch.setattr("pgmstudio.gui.files.session.choose_target", lambda *_, **__: (path, ""))
    monkeypatch.setattr("pgmstudio.gui.files.session.choose_file", lambda *_, **__: path)
    app.actions["edit.record-macro"].trigger()
    assert commands.is_recording()
    forbid = partial(edits.forbid_edge, source="smoking", target="family")
    app.change("Forbid smoking → family", forbid)
    params = learner_of("tree.chow-liu").params_type()
    with qtbot.waitSignal(app.workspace.runs.run_ended):
        run_recorder(app).start(RunRequest("Tree", "tree.chow-liu", params, 0, "d1"))
    app.actions["edit.record-macro"].trigger()
    assert not commands.is_recording()
    qtbot.waitUntil(path.is_file)
    assert [step.command.name for step in read_script(path).steps] == ["forbid_edge", "learn"]

    fewer = drop_rows(data, range(0, data.row_count, 2))
    app.change("Add rows", partial(edits.add_data, entry=DataEntry("second", fewer)))
    before = app.document.undo_stack.count()
    app.actions["edit.replay-macro"].trigger()
    dialog = window.findChild(QInputDialog, "replayDialog")
    assert dialog.comboBoxItems() == [AS_RECORDED, "first", "second"]
    dialog.setTextValue("second")
    dialog.accept()
    qtbot.waitUntil(lambda: len(app.project.runs) == 2)
    assert app.document.undo_stack.count() == before + 1
    assert app.project.runs["r2"].data_id == "d2"
    assert app.project.runs["r2"].data_fingerprint == fewer.fingerprint
    assert [entry.title for entry in app.project.models.values()] == ["Tree", "Tree 2"]
    app.document.undo_stack.undo()
    assert len(app.project.models) == 1


def test_a_script_that_cannot_be_replayed_changes_nothing_and_states_the_step(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    app = window.app
    path = tmp_path / "wrong.py"
    path.write_text("# Delete it\nproject.remove_model(model_id='m7')\n")
    before = app.project
    with qtbot.waitSignal(app.errors.noted) as reported:
        app.service(SessionCommands).start(path.name, read_script(path), None)
    message = str(reported.args[1])
    assert "wrong.py, Delete it: " in message
    assert "Nothing was changed" in message
    assert app.project is before


def test_what_changes_during_a_replay_is_not_lost(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, path = window.app, tmp_path / "title.py"
    path.write_text("project.set_title(title='replayed')\n")

    def while_a_run_ends(_parent: Any, _text: str, work: Any, then: Any, _failed: Any) -> None:
        result = work(NEVER, lambda _fraction: None)
        app.change("Notes", partial(edits.set_notes, notes="of the run"))
        then(result)

    monkeypatch.setattr("pgmstudio.gui.files.session.run_with_progress", while_a_run_ends)
    messages: list[str] = []
    app.errors.noted.connect(lambda _panel, text, _details: messages.append(text))
    app.service(SessionCommands).start(path.name, read_script(path), None)
    assert (app.project.notes, app.project.title) == ("of the run", "")
    assert messages == ["The project was changed while title.py was replayed. Replay it again."]


def test_a_macro_has_the_steps_after_one_that_was_undone_while_recording(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, path = window.app, tmp_path / "macro.py"
    monkeypatch.setattr("pgmstudio.gui.files.session.choose_target", lambda *_, **__: (path, ""))
    app.change("Title", partial(edits.set_title, title="before"))
    app.actions["edit.record-macro"].trigger()
    app.document.undo_stack.undo()
    app.change("Title", partial(edits.set_title, title="recorded"))
    app.actions["edit.record-macro"].trigger()
    qtbot.waitUntil(path.is_file)
    (step,) = read_script(path).steps
    assert step.command.arguments == {"title": "recorded"}
