"""A large table stays in its file: opened, looked at and learned from in the window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.io.data import large_table
from pgmstudio.core.io.data.reader import write_data
from pgmstudio.core.project.project import Outcome
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.questions import Answer, answer
from tests.strategies import random_network

LONG_MS = 60_000


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table that counts as large."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(large_table, "LARGE_CELLS", 1000)
    rng = np.random.default_rng(0)
    file = tmp_path / "big.parquet"
    write_data(file, random_network(rng, 5, density=0.6, max_parents=2).sample(400, rng))
    return file


def inspector_text(window: MainWindow) -> str:
    panel = window.findChild(InspectorPanel)
    return " ".join(one.text() for one in panel.findChildren(QLabel))


def test_a_large_file_stays_where_it_is_and_learners_of_counts_use_it(
    qtbot: QtBot, window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = window.app
    opened: list[None] = []
    open_file(app, path, lambda: opened.append(None))
    answer(Answer.Yes)
    qtbot.waitUntil(lambda: bool(opened), timeout=LONG_MS)
    (entry,) = app.project.data.values()
    assert isinstance(entry.data, ChunkedData)
    data_page = app.center.current
    assert isinstance(data_page, DataPage)
    qtbot.waitUntil(lambda: bool(inspector_text(window).count("Complete rows")), timeout=LONG_MS)
    assert not [note for note in window.findChildren(Note) if "larger than memory" in note.text]
    assert "400" in data_page.findChild(QLabel, "fileSummary").text()
    for name in ("dataStepwise", "dataCompare"):
        button = data_page.findChild(QPushButton, name) or getattr(data_page, name[4:].lower())
        assert not button.isEnabled()
        assert "rows stay in the file" in button.toolTip()

    page = open_learn_page(app, "pdg.learn")
    assert isinstance(page, LearnPage)
    start = page.findChild(QPushButton, "learnStart")
    assert not start.isEnabled()
    assert "needs all rows" in page.findChild(Note, "refusalNote").text

    page.choose(learner="tree.chow-liu")
    cluster = page.findChild(QLineEdit, "learnCluster")
    assert not cluster.isHidden()
    cluster.setText("somewhere")
    assert not start.isEnabled()
    cluster.setText("")
    assert "will be read 3 times" in page.findChild(Note, "missingNote").text
    with qtbot.waitSignal(app.workspace.runs.run_ended, timeout=LONG_MS):
        start.click()
    (run,) = app.project.runs.values()
    assert run.outcome is Outcome.FINISHED
    assert run.model_id in app.project.models
