"""Evaluate ▸ Score table: all models of the project on the same rows."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from pgmstudio.core.analysis.model_comparison import model_scores
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.evaluation.score_table_page import ScoreTablePage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler, sprinkler


def test_every_model_is_scored_sorted_opened_and_exported(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    app = window.app
    add_sprinkler(app)
    worse = sprinkler().with_table("rain", np.array([0.01, 0.99]))
    entry = ModelEntry("Wet summer", worse, data_id="d1")
    app.change("Open", partial(edits.add_model, entry=entry))
    app.actions.refresh()
    app.actions["evaluate.scores"].trigger()
    page = app.center.current
    assert isinstance(page, ScoreTablePage)
    qtbot.waitUntil(lambda: len(page.scores()) == 2)
    rows = app.project.data["d1"].data
    for key in ("m1", "m2"):
        expected = model_scores(app.project.models[key].model, rows)
        assert page.scores()[key].log2_per_row == pytest.approx(expected.log2_per_row)
    page.table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    first = page.table.model().index(0, 0).data()
    assert first == "Wet summer"
    page.table.selectRow(0)
    assert "clique tree" in page.meaning.text()
    # The scores follow an edit, and only the edited model is asked again.
    kept = page.scores()["m1"]
    app.change("Edit", partial(edits.replace_model, model_id="m2", model=sprinkler()))
    qtbot.waitUntil(lambda: "m2" in page.scores())
    assert page.scores()["m1"] is kept
    assert page.scores()["m2"].log2_per_row == pytest.approx(kept.log2_per_row)
    page.export(tmp_path / "scores.csv")
    qtbot.waitUntil((tmp_path / "scores.csv").exists)
    with (tmp_path / "scores.csv").open() as stream:
        lines = list(csv.DictReader(stream))
    assert [line["model"] for line in lines] == ["Sprinkler", "Wet summer"]
    assert float(lines[0]["bic_per_row"]) == pytest.approx(kept.bic)
    page.table.chosen.emit(1)
    assert app.workspace.model_id == "m2"
