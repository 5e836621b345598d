"""Expert knowledge, from tiers to a pinned edge, with real mouse and keyboard events."""

from __future__ import annotations

import runpy
import sys
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QListWidget,
    QMenu,
    QPushButton,
    QTableView,
    QToolButton,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of
from pgmstudio.core.io.project.project_file import read_project
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, Project
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.files.session import SessionCommands
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.knowledge.page import FREE, LaneList
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_learn_page, open_model_page
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton
Key = Qt.Key
LONG_MS = 60_000
TIERS = (("asia", "smoke"), ("tub", "lung", "bronc"), ("either", "xray", "dysp"))


def lane(driver: WindowDriver, number: int) -> LaneList:
    result = driver.widget(f"laneList{number}")
    assert isinstance(result, LaneList)
    return result


def names_in(driver: WindowDriver, number: int) -> list[str]:
    shown = lane(driver, number)
    return [shown.item(index).text() for index in range(shown.count())]


def drag_into(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch, name: str, tier: int) -> None:
    """Press, pull and let go over another lane; what a platform does between is done here."""
    source, target = lane(driver, FREE), lane(driver, tier)

    def carried(_list: QListWidget, _actions: Qt.DropAction) -> None:
        target._source = source
        target.dropMimeData(0, QMimeData(), Qt.DropAction.MoveAction)

    (item,) = source.findItems(name, Qt.MatchFlag.MatchExactly)
    start = source.visualItemRect(item).center()
    with monkeypatch.context() as patch:
        patch.setattr(QListWidget, "startDrag", carried)
        QTest.mousePress(source.viewport(), LEFT, pos=start)
        while name not in names_in(driver, tier):  # the drag begins a few pixels on
            start += QPoint(12, 4)
            assert start.x() < source.width(), f"{name} cannot be dragged"
            QTest.mouseMove(source.viewport(), start)


def rule(driver: WindowDriver, source: str, target: str, button: str) -> None:
    """Two names and a button, as above the lanes."""
    for name, value in (("ruleSource", source), ("ruleTarget", target)):
        box = driver.widget(name)
        assert isinstance(box, QComboBox)
        box.setCurrentText(value)
    driver.press(button)


def learn(qtbot: QtBot, driver: WindowDriver, learner: str) -> LearningRun:
    page = open_learn_page(driver.app, learner)
    with qtbot.waitSignal(driver.app.workspace.runs.run_ended, timeout=LONG_MS):
        driver.press("learnStart")
    assert isinstance(page, LearnPage)
    return driver.app.workspace.runs.runs[-1]


def edges_of(driver: WindowDriver, model_id: str | None) -> set[tuple[str, str]]:
    model = driver.app.project.models[model_id or ""].model
    assert isinstance(model, DirectedModel)
    return set(model.edges)


def model_documents(project: Project) -> dict[str, object]:
    return {
        key: (entry.title, document_of(ModelFile(entry.model)))
        for key, entry in project.models.items()
    }


def click_edge(qtbot: QtBot, page: ModelPage, edge: tuple[str, str]) -> QPoint:
    """Where nothing but the edge is; returns the place."""
    item, view = page.scene().edges[edge], page.canvas.view
    for share in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8):
        x, y = item.route.at(share)
        position = view.mapFromScene(x, y)
        hit = view.hit(position)
        if hit.node is None and hit.edge is item:
            qtbot.mouseClick(view.viewport(), LEFT, pos=position)
            return position
    pytest.fail(f"{edge} cannot be clicked")


def test_expert_knowledge(
    qtbot: QtBot,
    window: MainWindow,
    driver: WindowDriver,
    sample_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = window.app
    data = import_data(sample_data / "asia_sample.csv", ImportOptions()).data
    app.change("Import", partial(edits.add_data, entry=DataEntry("asia", data)))

    # Three tiers, one edge forbidden, one required.
    driver.do("knowledge.edit")
    for number, names in enumerate(TIERS):
        driver.press("addTier")
        for name in names:
            drag_into(driver, monkeypatch, name, number)
    assert app.project.knowledge.tiers == TIERS
    rule(driver, "bronc", "dysp", "ruleForbid")
    rule(driver, "asia", "tub", "ruleRequire")
    clash = driver.window.findChild(Note, "clashNote")
    assert clash.isHidden()

    # Two rules clash: both are named, here and before a run, which cannot start.
    rule(driver, "lung", "smoke", "ruleRequire")
    assert clash.isVisible()
    assert "lung → smoke is required" in clash.text
    assert "lung is in tier 2 and smoke in the earlier tier 1" in clash.text
    page = open_learn_page(app, "bn.kes")
    refusal = page.findChild(Note, "refusalNote")
    assert "lung → smoke is required" in refusal.text
    assert not page.findChild(QPushButton, "learnStart").isEnabled()

    # One of the two goes.
    driver.do("knowledge.edit")
    driver.press("clashRules")
    (remover,) = [
        w
        for w in window.findChildren(QToolButton)
        if w.toolTip() == "Remove constraint: lung → smoke" and w.isVisible()
    ]
    qtbot.mouseClick(remover, LEFT)
    assert clash.isHidden()
    rules = app.project.knowledge

    # Two learners, and the green check for both.
    for learner in ("bn.kes", "tree.chow-liu"):
        run = learn(qtbot, driver, learner)
        edges = edges_of(driver, run.model_id)
        assert rules.violations(edges) == []
        assert ("asia", "tub") in edges
        assert ("bronc", "dysp") not in edges
        table = window.findChild(QTableView, "runTable")
        row = table.model().index(table.model().rowCount() - 1, 1)
        qtbot.mouseClick(table.viewport(), LEFT, pos=table.visualRect(row).center())
        check = window.findChild(Note, "inspectorRunRules")
        held = f"All {rules.rule_count()} constraints hold."
        qtbot.waitUntil(partial(lambda note, words: note.text == words, check, held))
        assert check.property("role") == "note-success"

    # On the canvas one edge is pinned and another deleted.
    first = next(run for run in app.workspace.runs.runs if run.request.learner_key == "bn.kes")
    open_model_page(app, first.model_id or "")
    driver.do("window.bottom")
    model = driver.model_page()
    scene = model.scene()
    driver.wait_for("routes", lambda: all(map(scene.is_routed, scene.edges.values())))
    pinned, deleted = ("smoke", "lung"), ("either", "xray")
    assert {pinned, deleted} <= edges_of(driver, first.model_id) - rules.required
    position = click_edge(qtbot, model, pinned)
    viewport = model.canvas.view.viewport()
    right = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(
        viewport, QContextMenuEvent(right, position, viewport.mapToGlobal(position))
    )
    menu = model.findChild(QMenu, "canvasMenu")
    (pin,) = [action for action in menu.actions() if action.objectName() == "menu.pin"]
    assert not pin.icon().isNull()
    pin.trigger()
    menu.close()
    assert app.project.knowledge.required == {("asia", "tub"), pinned}
    assert "required edge" in {entry.text for entry in model.legend_entries()}
    click_edge(qtbot, model, deleted)
    qtbot.keyClick(model.canvas.view, Key.Key_Delete)
    assert deleted not in edges_of(driver, first.model_id)

    # Learning goes on from here: the pinned edge is there, and every rule holds.
    driver.do("learn.continue")
    with qtbot.waitSignal(app.workspace.runs.run_ended, timeout=LONG_MS):
        driver.press("learnStart")
    last = app.workspace.runs.runs[-1]
    assert last.request.params.start is not None
    edges = edges_of(driver, last.model_id)
    assert pinned in edges
    assert app.project.knowledge.violations(edges) == []

    # The session as Python rebuilds the project, with the same models to the last byte.
    commands = app.service(SessionCommands)
    assert app.actions["file.export-session"].isEnabled()
    commands.save(tmp_path / "session.py")
    qtbot.waitUntil(lambda: (tmp_path / "session.py").is_file())
    monkeypatch.setattr(sys, "argv", ["session.py"])
    runpy.run_path(str(tmp_path / "session.py"))
    rebuilt = read_project(tmp_path / "session-rebuilt.pgmz")
    assert model_documents(rebuilt) == model_documents(app.project)
    assert rebuilt.knowledge == app.project.knowledge
