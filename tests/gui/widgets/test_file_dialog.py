"""File dialogs: each kind of file has its folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.gui.widgets.file_dialog import (
    ask_where,
    choose_file,
    choose_files,
    choose_folder,
    file_name,
)


class Dialogs:
    """Answers every dialog with `answer` and remembers where it began."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answer = ""
        self.start = Path()
        monkeypatch.setattr(QFileDialog, "getSaveFileName", self._one)
        monkeypatch.setattr(QFileDialog, "getOpenFileName", self._one)
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", self._many)
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", self._folder)

    def _folder(self, _parent: object, _title: str, start: str, *_: object) -> str:
        self.start = Path(start)
        return self.answer

    def _one(self, *arguments: object) -> tuple[str, str]:
        return self._folder(*arguments), ""  # type: ignore[arg-type]

    def _many(self, *arguments: object) -> tuple[list[str], str]:
        answer = self._folder(*arguments)  # type: ignore[arg-type]
        return [answer] if answer else [], ""


@pytest.fixture
def dialogs(monkeypatch: pytest.MonkeyPatch) -> Dialogs:
    return Dialogs(monkeypatch)


def test_each_kind_of_file_begins_where_the_last_one_was_chosen(
    qtbot: QtBot, dialogs: Dialogs, tmp_path: Path
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    tables, rules = tmp_path / "tables", tmp_path / "rules"
    tables.mkdir()
    rules.mkdir()
    dialogs.answer = str(rules / "tiers.json")
    choose_file(parent, "knowledge", "Import knowledge", "")
    written: list[Path] = []
    dialogs.answer = str(tables / "scores.csv")
    ask_where(parent, "Export scores", "a/b: scores.csv", "", written.append)
    assert written == [tables / "scores.csv"]
    dialogs.answer = ""
    assert choose_file(parent, "knowledge", "Import knowledge", "") is None
    assert dialogs.start == rules
    ask_where(parent, "Export", "a/b: rows.csv", "", written.append)
    assert dialogs.start == tables / "a-b- rows.csv"
    # A kind without a folder begins where any file was chosen last, but first in the project's.
    assert choose_files(parent, "evidence", "Open", "") == []
    assert dialogs.start == tables
    choose_folder(parent, "experiment", "Open", first=rules)
    assert dialogs.start == rules


def test_a_folder_that_is_gone_is_not_offered(
    qtbot: QtBot, dialogs: Dialogs, tmp_path: Path
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    gone = tmp_path / "gone"
    gone.mkdir()
    dialogs.answer = str(gone)
    assert choose_folder(parent, "report", "Folder") == gone
    gone.rmdir()
    choose_folder(parent, "report", "Folder", first=tmp_path)
    assert dialogs.start == tmp_path


def test_a_title_becomes_a_name_of_a_file() -> None:
    assert file_name("A → B / C: 1\n") == "A → B - C- 1-"
    assert file_name("  ") == "untitled"
