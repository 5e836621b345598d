"""Whole walks with real events: from an incomplete file to a project, and beliefs by clicks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QPushButton,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Likelihood, Observed
from pgmstudio.core.io.project.project_file import project_bytes
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.gui.data.page import DataPage, MissingTab
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.importing.page_view import COLUMNS, CUTS
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_welcome
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.walking import press_keys
from tests.oracles.brute_force import BruteForceSession

Key, Mods = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton
LONG_MS = 60_000


@pytest.fixture
def driver(driver: WindowDriver) -> WindowDriver:
    """The graph has the room of the bottom panels."""
    driver.do("window.bottom")
    return driver


# -- journey 2: click a bar


def shown_beliefs(page: ModelPage) -> dict[str, tuple[float, ...]]:
    return {name: node.face.beliefs for name, node in page.scene().nodes.items()}


def ghost_is_drawn(driver: WindowDriver, page: ModelPage, node: str, state: str) -> bool:
    """Whether the right side of the prior's outline can be seen over the empty bar."""
    item = page.scene().nodes[node]
    index = item.face.states.index(state)
    edge = driver.bar(page, node, state, item.face.priors[index])
    picture = page.canvas.view.viewport().grab().toImage()
    lights = [picture.pixelColor(edge + QPoint(dx, 0)).lightnessF() for dx in range(-5, 3)]
    return min(lights) < lights[0] - 0.15


def test_click_a_bar_tour(qtbot: QtBot, window: MainWindow, driver: WindowDriver) -> None:
    open_welcome(window.app)
    driver.press("sample.asia.json")
    page = driver.model_page()
    network = page.asking.live.model
    assert isinstance(network, BayesianNetwork)
    reference = BruteForceSession(network)
    prior = shown_beliefs(page)
    assert prior["lung"] == pytest.approx((0.055, 0.945))

    driver.click_canvas(page, driver.bar(page, "smoke", "yes"))
    reference.set_evidence("smoke", Observed("yes"))
    driver.click_canvas(page, driver.bar(page, "xray", "no"), Mods.ShiftModifier)
    reference.set_evidence("xray", Observed("yes"))  # of two states, not one is the other
    mark = page.scene().nodes["xray"].face.mark
    assert mark is not None
    assert mark.text == "= yes"

    live = page.asking.live
    viewport = page.canvas.view.viewport()
    start, end = driver.bar(page, "dysp", "no", 0.95), driver.bar(page, "dysp", "no", 0.3)
    qtbot.mousePress(viewport, LEFT, pos=start)
    moved = []
    for share in (0.3, 0.6, 1.0):
        qtbot.mouseMove(viewport, start + (end - start) * share)
        qtbot.waitUntil(lambda: not live.is_stale)
        moved.append(live.beliefs["lung"][0])
    assert len(set(moved)) == 3  # beliefs follow while dragging
    qtbot.mouseRelease(viewport, LEFT, pos=end)
    soft = live.evidence["dysp"]
    assert isinstance(soft, Likelihood)
    assert dict(soft.weights)["no"] == pytest.approx(0.3, abs=0.03)
    reference.set_evidence("dysp", soft)
    qtbot.waitUntil(lambda: not live.is_stale)
    for name, beliefs in shown_beliefs(page).items():
        assert beliefs == pytest.approx(tuple(reference.belief(name).values))

    assert ghost_is_drawn(driver, page, "lung", "no")
    assert "outline = prior" in [entry.text for entry in page.canvas.legend.entries]
    status = window.findChild(QPushButton, "statusEvidence")
    assert status.text() == f"P(e) {2 ** reference.log2_evidence():.4g}"

    driver.click_canvas(page, driver.head(page, "lung"))
    tick = window.findChild(QCheckBox, "evidenceTick.smoke")
    qtbot.mouseClick(tick, LEFT, pos=QPoint(8, tick.height() // 2))
    qtbot.waitUntil(lambda: "smoke" not in live.evidence and not live.is_stale)
    reference.retract("smoke")
    assert shown_beliefs(page)["lung"] == pytest.approx(tuple(reference.belief("lung").values))
    assert "smoke" in live.switched_off

    page.canvas.view.setFocus()
    press_keys(window, qtbot, Key.Key_E, Mods.ControlModifier | Mods.ShiftModifier)
    qtbot.waitUntil(lambda: not live.findings and not live.is_stale)
    for name, beliefs in shown_beliefs(page).items():
        assert beliefs == pytest.approx(prior[name])
    assert status.text() == "no evidence"


# -- journey 1: from an incomplete file to a saved project


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """200 people: two numbers, two words; “?” in one column, blanks in another, both in row 5."""
    rng = np.random.default_rng(3)
    lines = ["age,pressure,smoker,sport"]
    for row in range(200):
        smoker = "?" if row in (5, 60, 61) else ("yes" if rng.random() < 0.4 else "no")
        sport = "" if row in (5, 9, 100, 101) else ("often" if rng.random() < 0.5 else "never")
        pressure = 100 + row % 60 + (15 if smoker == "yes" else 0)
        lines.append(f"{20 + row % 60},{pressure},{smoker},{sport}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def drag_cut(driver: WindowDriver, page: ImportPage, cut: int, value: float) -> None:
    histogram = page.view.cuts.histogram
    middle = histogram.height() // 2
    start = QPoint(histogram.x_of(histogram.points[cut]), middle)
    driver.drag(histogram, start, QPoint(histogram.x_of(value), middle))


def test_an_incomplete_file_becomes_a_saved_project(
    qtbot: QtBot,
    window: MainWindow,
    driver: WindowDriver,
    people: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = window.app
    open_file(app, people)
    page = app.center.current
    assert isinstance(page, ImportPage)
    qtbot.waitUntil(lambda: page.reading is not None, timeout=20_000)
    page.go_to(COLUMNS)
    assert "7 cells missing" in page.view.columns.note.text
    assert "194 of 200 rows are complete" in page.view.columns.note.text

    # Cuts: two columns, one of them by hand.
    page.go_to(CUTS)
    page.view.columns.list.select_key("pressure")
    page.view.cuts.bins.setValue(2)
    page.view.columns.list.select_key("age")
    page.view.cuts.bins.setValue(3)
    driver.settle()
    before = page.view.cuts.histogram.points
    drag_cut(driver, page, 0, 30)
    after = page.view.cuts.histogram.points
    assert after[0] == 30
    assert after[1:] == before[1:]
    qtbot.keyClick(page.view.cuts.histogram, Key.Key_Z, Mods.ControlModifier)
    assert page.view.cuts.histogram.points == before
    redo = Mods.ControlModifier | Mods.ShiftModifier
    qtbot.keyClick(page.view.cuts.histogram, Key.Key_Z, redo)
    assert page.view.cuts.histogram.points == after
    driver.press("importFinish")
    qtbot.waitUntil(lambda: isinstance(app.center.current, DataPage), timeout=20_000)
    (entry,) = app.project.data.values()
    assert entry.cuts["age"].points == after
    assert len(entry.cuts["pressure"].points) == 1
    counts = np.bincount(entry.data.column("age"))
    assert counts[0] == sum(20 + row % 60 < 30 for row in range(200))

    # The missing map counts what the file lacks.
    data_page = app.center.current
    assert isinstance(data_page, DataPage)
    driver.press("dataTabs.missing")
    tab = data_page.findChild(MissingTab, "missingTab")
    qtbot.waitUntil(lambda: tab.map.pattern_count == 4)  # none, one of them, the other, both
    assert "7 of 800 cells are missing in smoker and sport" in tab.summary.text
    missing = dict(zip(entry.data.domain.names, entry.data.missing_counts, strict=True))
    assert missing == {"age": 0, "pressure": 0, "smoker": 3, "sport": 4}

    # Learn; what happens with the missing cells is said before.
    press_keys(window, qtbot, Key.Key_L, Mods.ControlModifier)
    sheet = app.center.current
    assert isinstance(sheet, LearnPage)
    sheet.choose(learner="bn.hill-climb")
    driver.settle()
    note = sheet.findChild(Note, "missingNote")
    assert note.isVisible()
    assert note.text == sheet.learner.on_missing(entry.data)
    assert "7" in note.text
    start = sheet.findChild(QPushButton, "learnStart")
    with qtbot.waitSignal(app.workspace.runs.run_ended, timeout=LONG_MS):
        qtbot.mouseClick(start, LEFT)
    (run,) = app.project.runs.values()
    assert run.model_id in app.project.models

    # Save, and open in another window: the same bytes.
    path = tmp_path / "people.pgmz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    press_keys(window, qtbot, Key.Key_S, Mods.ControlModifier)
    assert app.document.is_saved
    other = MainWindow()
    qtbot.addWidget(other)
    other.show()
    open_file(other.app, path)
    assert project_bytes(other.app.project) == path.read_bytes()
    assert project_bytes(app.project) == path.read_bytes()
    reopened = other.app.center.current
    assert isinstance(reopened, ModelPage)
    qtbot.waitUntil(lambda: len(reopened.scene().nodes) == 4)
