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
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.evaluation.score_table_page import ScoreTablePage
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.learning.lecture_data import GEOMETRIC, objects_network
from tests.gui.samples import add_sprinkler, sprinkler


def test_models_without_probabilities_are_compared_by_what_they_add(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    app = window.app
    add_sprinkler(app)
    app.change("Import", partial(edits.add_data, entry=DataEntry("objects", GEOMETRIC)))
    for title, edges in (("chain", ((0, 1), (1, 2))), ("fork", ((0, 1), (0, 2)))):
        entry = ModelEntry(title, objects_network(edges), data_id="d2")
        app.change("Open", partial(edits.add_model, entry=entry))
    page = ScoreTablePage(app)
    qtbot.addWidget(page)
    shown = page.scales
    assert [shown.itemText(k) for k in range(shown.count())] == ["Probabilities", "Relations"]
    shown.picked.emit("relation")
    qtbot.waitUntil(lambda: set(page.scores()) == {"m2", "m3"})
    added = [one.measures["additional_tuples"] for one in page.scores().values()]
    assert added == [0, 3]  # §3.3: graphs 5 and 6
    assert page.families.isHidden()
    model = page.table.model()
    heads = [model.headerData(k, Qt.Orientation.Horizontal) for k in range(model.columnCount())]
    assert "Additional tuples ↓" in heads
    page.export(tmp_path / "fit.csv")
    qtbot.waitUntil((tmp_path / "fit.csv").exists)
    with (tmp_path / "fit.csv").open() as stream:
        lines = list(csv.DictReader(stream))
    assert [float(line["additional_tuples"]) for line in lines] == [0, 3]
    shown.picked.emit("probability")
    qtbot.waitUntil(lambda: set(page.scores()) == {"m1"})
    assert "Bits per row ↑" in str(model.headerData(1, Qt.Orientation.Horizontal))


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
    # The selected model by variable: the sum is its log-likelihood with relative frequencies.
    qtbot.waitUntil(lambda: len(page.families.rows) == len(sprinkler().domain) + 1)
    *families, (name, *total) = page.families.rows
    assert name == "In all"
    assert [sum(column) for column in zip(*(row[1:] for row in families), strict=True)] == (
        pytest.approx(total)
    )
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
