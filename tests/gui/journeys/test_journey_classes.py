"""The walk with latent classes: a survey with missing cells, one to six classes, rows assigned."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.latent_class.learning.trace import ClassScan
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.params import parse_params
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.languages.tree_mixture.assignments_page import ComponentRowsPage
from pgmstudio.gui.languages.tree_mixture.profiles_page import ProfilePage
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.walking import trigger
from tests.oracles.brute_force import BruteForceSession

LEFT = Qt.MouseButton.LeftButton
LONG_MS = 60_000


@pytest.mark.slow
def test_a_survey_is_scanned_for_classes_and_no_row_is_lost(
    qtbot: QtBot,
    window: MainWindow,
    sample_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, driver = window.app, WindowDriver(window)
    open_file(app, sample_data / "survey.csv")
    page = app.center.current
    assert isinstance(page, ImportPage)
    qtbot.waitUntil(lambda: page.reading is not None, timeout=20_000)
    driver.press("importFinish")
    qtbot.waitUntil(lambda: isinstance(app.center.current, DataPage), timeout=20_000)
    ((data_id, entry),) = app.project.data.items()
    assert entry.data.has_missing

    # One to six classes; the criteria are plotted while the run goes on.
    settings = {"components": (1, 2, 3, 4, 5, 6), "criterion": "bic", "restarts": 2}
    params = parse_params(learner_of("nb.latent").params_type, settings)
    run = run_recorder(app).start(RunRequest("Survey", "nb.latent", params, 1, data_id))
    qtbot.waitUntil(lambda: ClassScan.kind in run.artifacts, timeout=LONG_MS)
    trigger(window, "learn.class-scan")
    scan_page = app.center.current
    assert isinstance(scan_page, RunResultPage)
    assert scan_page.view.curves["BIC"][0][0] == 1
    qtbot.waitUntil(lambda: run.state.is_end, timeout=LONG_MS)
    qtbot.waitUntil(lambda: scan_page.facts.text().startswith("6 models"), timeout=LONG_MS)
    assert scan_page.view.curves["BIC"][0] == [1, 2, 3, 4, 5, 6]
    assert "BIC 3" in scan_page.view.hint
    of_no_use = {p.classes for p in scan_page.artifact.points if p.empty or p.duplicates}
    assert set(scan_page.view.flags) == of_no_use

    # Three classes.
    models = len(app.project.models)
    scan_page.view.chosen.emit(2)
    assert len(app.project.models) == models + 1
    model_page = app.center.current
    assert isinstance(model_page, ModelPage)
    model_id = model_page.model_id or ""
    model = app.project.models[model_id].model
    assert isinstance(model, LatentClasses)
    assert model.class_count == 3
    qtbot.waitUntil(lambda: bool(model_page.scene().nodes))

    # Their profiles, then evidence on two items moves the class.
    trigger(window, "model.profiles")
    profiles = app.center.current
    assert isinstance(profiles, ProfilePage)
    assert profiles.plot.profiles is not None
    assert len(profiles.plot.profiles.domain) == len(entry.data.domain)
    app.center.bring_to_front(model_page)
    findings = {}
    for name in model.domain.names[:2]:
        state = model.domain[name].states[-1]
        node = model_page.scene().nodes[name]
        qtbot.waitUntil(lambda node=node: bool(node.face.beliefs))
        model_page.canvas.signals.click_state.emit(name, state)
        findings[name] = Observed(state)
    hidden = model_page.scene().nodes[model.hidden]
    small = LatentClasses(
        model.domain.restricted_to(findings), model.weights, model.tables[:2], model.hidden
    )
    reference = BruteForceSession(small.as_bayesian_network)
    for name, finding in findings.items():
        reference.set_evidence(name, finding)
    expected = tuple(reference.belief(model.hidden).values)
    qtbot.waitUntil(lambda: hidden.face.beliefs == pytest.approx(expected))

    # Every row has its class, also those with missing cells.
    trigger(window, "model.assignments")
    rows = app.center.current
    assert isinstance(rows, ComponentRowsPage)
    qtbot.waitUntil(lambda: rows.result is not None)
    path = tmp_path / "assignments.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    button = rows.findChild(QPushButton, "assignExport")
    assert button is not None
    qtbot.mouseClick(button, LEFT)
    with path.open() as stream:
        lines = list(csv.DictReader(stream))
    assert len(lines) == entry.data.row_count
    named = [f"class {k + 1}" for k in np.argmax(model.responsibilities(entry.data), axis=1)]
    assert [line["class"] for line in lines] == named
