"""The walk with a mixture of trees: a benchmark triple, ten trees live, evidence, rows exported."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.experiments.generators.random_models import RandomTreesParams, random_trees
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.gui.canvas.node_view import NodeMode
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.languages.tree_mixture.assignments_page import ComponentRowsPage
from pgmstudio.gui.languages.tree_mixture.component_strip import ComponentCard
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.window.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton
LONG_MS = 60_000
TREES = 10
PARTS = {"ts": 500, "valid": 100, "test": 150}


def write_triple(folder: Path) -> Path:
    """Three files without heads, as the benchmarks have them."""
    params = RandomTreesParams(components=3, variables=8, states=2, table_concentration=0.3)
    data = random_trees(params, np.random.default_rng(5), sum(PARTS.values()))
    codes, at = np.stack([data.column(name) for name in data.domain.names], axis=1), 0
    for part, count in PARTS.items():
        lines = [",".join(map(str, line)) for line in codes[at : at + count]]
        (folder / f"walk.{part}.data").write_text("\n".join(lines) + "\n", encoding="utf-8")
        at += count
    return folder / "walk.ts.data"


@pytest.mark.slow
def test_ten_trees_are_stopped_and_asked_and_no_row_is_lost(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, driver = window.app, WindowDriver(window)
    open_file(app, write_triple(tmp_path))
    page = app.center.current
    assert isinstance(page, ImportPage)
    qtbot.waitUntil(lambda: page.reading is not None, timeout=20_000)
    driver.press("importFinish")
    qtbot.waitUntil(lambda: isinstance(app.center.current, DataPage), timeout=20_000)
    ((data_id, entry),) = app.project.data.items()
    assert entry.split is not None
    assert [rows.size for rows in entry.split.indices] == list(PARTS.values())

    # Ten trees from the training rows; a thousand starts would take until tomorrow.
    params = MixtureParams(components=(TREES,), restarts=1000, patience=50)
    form = open_learn_page(app)
    form.fill(RunRequest("Ten trees", "mixture.trees", params, 4, data_id, "train"))
    driver.press("learnStart")
    (run,) = app.workspace.runs.runs
    assert run.task.data.row_count == PARTS["ts"]
    qtbot.waitUntil(lambda: run.best is not None, timeout=LONG_MS)
    # A first model is there before the search has reported anything.
    curves = {"held-out", "edges changed", "weight 1", "weight 10"}
    qtbot.waitUntil(lambda: curves <= {*run.trace.more}, timeout=LONG_MS)
    # On a loaded machine the single tree of the start can be the best for a while.
    qtbot.waitUntil(lambda: len(getattr(run.best, "trees", ())) == TREES, timeout=LONG_MS)
    assert run.state is JobState.RUNNING
    driver.press("runStop")
    qtbot.waitUntil(lambda: run.state.is_end, timeout=LONG_MS)
    assert run.state is JobState.CANCELLED

    # The best so far is kept, and opens.
    driver.press("runOpenBest")
    model_page = driver.model_page()
    model_id = model_page.model_id or ""
    model = app.project.models[model_id].model
    assert isinstance(model, TreeMixture)
    assert len(model.trees) == TREES
    assert app.project.models[model_id].run_id in app.project.runs

    # Evidence by a click on a bar; the cards follow.
    name = model.domain.names[0]
    model_page.set_mode(NodeMode.BARS, [name])
    view = model_page.canvas.view
    driver.keys(view, Qt.Key.Key_1)  # 100 %
    view.look_at(name)
    driver.settle()
    state = model.domain[name].states[1]
    driver.click_canvas(model_page, driver.bar(model_page, name, state))
    assert model_page.asking.live.evidence == {name: Observed(state)}
    session = open_session(model)
    session.set_evidence(name, Observed(state))
    shares = session.component_posterior()  # type: ignore[attr-defined]
    assert np.abs(shares - model.weights).max() > 0.01
    for number in range(TREES):
        card = model_page.findChild(ComponentCard, f"card.tree-{number + 1}")
        assert isinstance(card, ComponentCard)
        assert card.shown_weight == pytest.approx(shares[number])
        assert "→" in card.weight_text

    # Every row of all three files has its tree.
    driver.do("model.assignments")
    rows = app.center.current
    assert isinstance(rows, ComponentRowsPage)
    qtbot.waitUntil(lambda: rows.result is not None)
    path = tmp_path / "rows.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    button = rows.findChild(QPushButton, "assignExport")
    assert button is not None
    qtbot.mouseClick(button, LEFT)
    with path.open() as stream:
        lines = list(csv.DictReader(stream))
    assert len(lines) == sum(PARTS.values()) == entry.data.row_count
    expected = model.responsibilities(entry.data)
    message = np.array([[float(line[f"p_tree_{k + 1}"]) for k in range(TREES)] for line in lines])
    assert message == pytest.approx(expected, abs=1e-6)
    assert message.sum(axis=1) == pytest.approx(1, abs=1e-6)
