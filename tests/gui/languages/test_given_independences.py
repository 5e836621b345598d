"""Independences that are typed in instead of data, and the samples of the lecture."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.model import DirectedModel
from pgmstudio.gui.languages.bayesian_network.independences_page import IndependencesPage
from pgmstudio.gui.navigation import open_sample
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.walking import trigger

LONG_MS = 60_000


def test_typed_independences_are_walked_through_and_become_a_model(
    qtbot: QtBot, window: MainWindow
) -> None:
    trigger(window, "learn.independences")
    page = window.app.center.current
    assert isinstance(page, IndependencesPage)
    # The example of the lecture, specification §7.2: A → C ← B, C → D.
    qtbot.waitUntil(lambda: page.steps.artifact is not None, timeout=LONG_MS)
    qtbot.waitUntil(lambda: "table" in page.steps.tables, timeout=LONG_MS)
    assert page.steps.table.rows[-1][1:3] == ("R1", "C → D")
    page.statements.setPlainText("A ⊥ B\nA ⊥")
    qtbot.waitUntil(lambda: "is not a statement" in page.problem.text, timeout=LONG_MS)
    assert len(page.steps.table.rows) == 19  # as before
    page.statements.setPlainText("x _||_ y | z")
    qtbot.waitUntil(lambda: len(page.steps.table.rows) != 19, timeout=LONG_MS)
    assert page.problem.text == ""
    opener = page.findChild(QPushButton, "statedStepsOpen")
    qtbot.mouseClick(opener, Qt.MouseButton.LeftButton)
    model = window.app.project.models["m1"].model
    assert isinstance(model, DirectedModel)
    assert {frozenset(edge) for edge in model.edges} == {frozenset("xz"), frozenset("yz")}


def test_the_samples_of_the_lecture_open_ready_to_use(qtbot: QtBot, window: MainWindow) -> None:
    app = window.app
    for name in ("k2_demo_counts.csv", "weather_imprecise.csv", "geometric_objects.json"):
        before = len(app.project.data)
        open_sample(app, name)
        qtbot.waitUntil(lambda before=before: len(app.project.data) > before, timeout=LONG_MS)
    demo, weather, objects = (entry.data for entry in app.project.data.values())
    assert (demo.total_weight, demo.domain.names) == (1000, ("L", "KA", "M", "KV"))
    assert isinstance(weather, ImpreciseData)
    assert objects.row_count == 10
    page = app.center.current
    assert page is not None
    assert page.title == "Relation of Geometric objects (10)"
    open_sample(app, "geometric_objects.json")  # shown again, not added again
    assert len(app.project.models) == 1
