"""The walk with labels: an incomplete file, a learned label edited by hand, contexts, exports."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.drawing.diagram import EdgeStyle
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import render
from pgmstudio.core.languages.ldag.contexts import vanished_edges
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.model import Model
from pgmstudio.core.params import parse_params
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.export.dialog import ExportDialog
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.importing.page_view import CUTS
from pgmstudio.gui.languages.ldag.inspector import LabelSections
from pgmstudio.gui.languages.ldag.label_table import LabelTable
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.walking import trigger
from tests.oracles.brute_force import BruteForceSession

LEFT = Qt.MouseButton.LeftButton
LONG_MS = 60_000
HELD = Qt.KeyboardModifier


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Pressure listens to sport only where somebody smokes; some cells are “?” or blank."""
    rng = np.random.default_rng(5)
    lines = ["smoker,sport,pressure,age"]
    for row in range(600):
        smoker, sport = rng.random() < 0.5, rng.random() < 0.5
        high = rng.random() < (0.1 if not smoker else (0.3 if sport else 0.95))
        pressure = int(rng.integers(141, 180) if high else rng.integers(100, 139))
        message = "?" if row in (3, 40) else ("yes" if smoker else "no")
        sporty = "" if row == 77 else ("often" if sport else "never")
        lines.append(f"{message},{sporty},{pressure},{20 + row % 60}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def model_bytes(model: Model) -> bytes:
    return render(ModelFile(model), Path("m.json"))[0]


@pytest.mark.slow
def test_a_label_learned_from_an_incomplete_file_is_edited_asked_and_exported(
    qtbot: QtBot, window: MainWindow, people: Path, tmp_path: Path
) -> None:
    app, driver = window.app, WindowDriver(window)
    open_file(app, people)
    page = app.center.current
    assert isinstance(page, ImportPage)
    qtbot.waitUntil(lambda: page.reading is not None, timeout=20_000)
    assert "3 cells missing" in page.view.columns.note.text

    # Two columns of numbers are cut, one by dragging; undone and done again.
    page.go_to(CUTS)
    for name in ("age", "pressure"):
        page.view.columns.list.select_key(name)
        page.view.cuts.bins.setValue(2)
    driver.settle()
    histogram = page.view.cuts.histogram
    before, middle = histogram.points, histogram.height() // 2
    start, end = (QPoint(histogram.x_of(value), middle) for value in (before[0], 140.0))
    driver.drag(histogram, start, end)
    after = histogram.points
    assert after != before
    qtbot.keyClick(histogram, Qt.Key.Key_Z, HELD.ControlModifier)
    assert histogram.points == before
    qtbot.keyClick(histogram, Qt.Key.Key_Z, HELD.ControlModifier | HELD.ShiftModifier)
    assert histogram.points == after
    driver.press("importFinish")
    qtbot.waitUntil(lambda: isinstance(app.center.current, DataPage), timeout=20_000)
    ((data_id, entry),) = app.project.data.items()

    # What becomes of missing cells is said before the start; then two restarts.
    trigger(window, "learn.learn")
    sheet = app.center.current
    assert isinstance(sheet, LearnPage)
    sheet.choose(learner="ldag.greedy")
    driver.settle()
    note = sheet.findChild(Note, "missingNote")
    assert isinstance(note, Note)
    assert note.text == sheet.learner.on_missing(entry.data)
    assert sheet.findChild(QPushButton, "learnStart").isEnabled()
    params = parse_params(learner_of("ldag.greedy").params_type, {"restarts": 2})
    run = run_recorder(app).start(RunRequest("Labels", "ldag.greedy", params, 1, data_id))
    qtbot.waitUntil(lambda: run.state.is_end, timeout=LONG_MS)
    qtbot.waitUntil(lambda: bool(app.project.runs))
    (model_id,) = (r.model_id for r in app.project.runs.values())
    assert model_id is not None
    open_model_page(app, model_id)
    model_page = app.center.current
    assert isinstance(model_page, ModelPage)
    learned = app.project.models[model_id].model
    assert isinstance(learned, LabelledDag)
    qtbot.waitUntil(lambda: len(model_page.scene().nodes) == 4)

    # A click on a tag shows the label, and its table with classes.
    edge = learned.labelled_edges[0]
    view = model_page.canvas.view
    tag = view.mapFromScene(model_page.scene().edges[edge].tag.center())
    qtbot.mouseClick(view.viewport(), LEFT, pos=tag)
    assert app.workspace.selection.edges == (edge,)
    app.reveal("tablePanel")
    qtbot.waitUntil(lambda: window.findChild(LabelSections) is not None)
    label = window.findChild(LabelSections)
    table = window.findChild(LabelTable)
    score = "Score ↑"
    qtbot.waitUntil(lambda: label.facts.facts.get(score, "…") != "…", timeout=LONG_MS)
    child = learned.domain.index(edge[1])
    letters = {table.grid.index(row, 0).data() for row in range(table.grid.rowCount())}
    assert len(letters) == len(learned.rows[child])

    # One context less: more parameters, another score; undo brings the same bytes.
    facts, saved = label.facts.facts, model_bytes(learned)
    ticked = next(row for row in label.rows.rows if row.is_in and not row.is_implied)
    label.rows.box(ticked.context).click()
    edited = app.project.models[model_id].model
    assert isinstance(edited, LabelledDag)
    assert edited.representation_size() > learned.representation_size()
    qtbot.waitUntil(
        lambda: label.facts.facts.get(score, "…") not in ("…", facts[score]), timeout=LONG_MS
    )
    app.document.undo_stack.undo()
    assert model_bytes(app.project.models[model_id].model) == saved

    # Evidence on two nodes is the context; beliefs are those of brute force.
    context_views(app).follow(model_id, True)
    others = [n for n in learned.domain.names if n != edge[1]][:2]
    findings = {name: Observed(learned.domain[name].states[0]) for name in others}
    live = app.workspace.beliefs(model_id)
    for name, finding in findings.items():
        model_page.canvas.signals.click_state.emit(name, finding.state)
    codes = {learned.domain.index(n): 0 for n in findings}
    drawn = {
        ends
        for ends, item in model_page.scene().edges.items()
        if item.edge.style is EdgeStyle.VANISHED
    }
    assert drawn == set(vanished_edges(learned, codes))
    qtbot.waitUntil(lambda: not live.is_stale, timeout=LONG_MS)
    reference = BruteForceSession(learned.as_bayesian_network)
    for name, finding in findings.items():
        reference.set_evidence(name, finding)
    for name in learned.domain.names:
        result = live.beliefs[name]
        assert result == pytest.approx(reference.belief(name).values, abs=1e-12)

    # PNG and SVG of the same extent, with the legend.
    for ending in (".png", ".svg"):
        trigger(window, "file.export")
        dialog = window.findChild(ExportDialog, "exportDialog")
        assert isinstance(dialog, ExportDialog)
        assert dialog.export_to(tmp_path / f"labels{ending}")
        qtbot.waitUntil(lambda: window.findChild(ExportDialog, "exportDialog") is None)
    image = QImage(str(tmp_path / "labels.png"))
    root = ElementTree.parse(tmp_path / "labels.svg").getroot()
    _, _, wide, high = map(float, root.attrib["viewBox"].split())
    assert image.width() / image.height() == pytest.approx(wide / high, rel=0.01)
