"""Walking through a run that learns decision graphs: step, run, pause, to the end, stop."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.pdg.learning.params import PdgParams
from pgmstudio.core.learning.base import Finished, LearnEvent
from pgmstudio.core.project.edits import add_data
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.languages.pdg.steps_page import PdgStepsPage
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.project.run_request import RunRequest
from tests.gui.graph_pages import coronary_rows

LEFT = Qt.MouseButton.LeftButton
PARAMS = PdgParams(lambdas=(0.3, 0.8), forest="chain", population=1, max_sweeps=4)
LONG = 30_000  # ms: a process is started first


def _button(inside: QWidget, name: str) -> QPushButton:
    result = inside.findChild(QPushButton, name)
    assert isinstance(result, QPushButton)
    return result


@pytest.fixture
def learn_page(driver: WindowDriver) -> LearnPage:
    """The run sheet, ready for a small decision graph."""
    app = driver.app
    data_id = app.project.next_data_id()
    entry = DataEntry("rows", coronary_rows(300))
    assert app.change("Add data", partial(add_data, entry=entry))
    page = open_learn_page(app)
    page.fill(RunRequest("graph", "pdg.learn", PARAMS, 7, data_id))
    return page


def _steps_page(driver: WindowDriver) -> PdgStepsPage:
    page = driver.window.findChild(PdgStepsPage)
    assert isinstance(page, PdgStepsPage)
    return page


def test_a_person_walks_through_a_run_and_it_ends_as_if_nobody_had(
    driver: WindowDriver, qtbot: QtBot, learn_page: LearnPage
) -> None:
    app = driver.app
    qtbot.mouseClick(_button(learn_page, "learnSteps"), LEFT)
    page, (run,) = _steps_page(driver), app.workspace.runs.runs
    assert run.is_paused

    # One step: it is on the picture, ringed, with what it brought.
    step = _button(page, "pdgStepsStep")
    qtbot.mouseClick(step, LEFT)
    assert not step.isEnabled()
    bands = page.canvas.bands
    qtbot.waitUntil(lambda: bands.flows is not None, timeout=LONG)
    first = page.steps[-1]
    assert bands.graph is first.model
    name, node = first.touched[0]
    assert node in bands.items_by_variable[name].nodes.marked
    assert first.text in page.bar.message.text()
    assert "score" in page.bar.message.text()
    assert step.isEnabled()

    # Steps in a row, a pause, and a look back.
    qtbot.mouseClick(_button(page, "pdgStepsRun"), LEFT)
    qtbot.waitUntil(lambda: len(page.steps) > 3, timeout=LONG)
    qtbot.mouseClick(_button(page, "pdgStepsRun"), LEFT)
    qtbot.waitUntil(step.isEnabled, timeout=LONG)
    message = len(page.steps)
    assert run.is_paused
    page.table.select(message - 1)
    qtbot.waitUntil(lambda: bands.graph is first.model, timeout=LONG)

    # To the end: the model is the one of a run that nobody stopped.
    assert not _button(page, "pdgStepsOpen").isVisible()
    qtbot.mouseClick(_button(page, "pdgStepsEnd"), LEFT)
    qtbot.waitUntil(lambda: run.state.is_end, timeout=LONG)
    qtbot.waitUntil(_button(page, "pdgStepsOpen").isVisible, timeout=LONG)
    assert len(page.steps) == message
    assert not step.isEnabled()
    events: list[LearnEvent] = list(LearnTask("pdg.learn", run.task.data, PARAMS, 7)(NEVER))
    last = events[-1]
    assert isinstance(last, Finished)
    landed = app.project.models[run.model_id or ""].model
    assert document_of(ModelFile(landed)) == document_of(ModelFile(last.model))
    qtbot.mouseClick(_button(page, "pdgStepsOpen"), LEFT)
    assert app.workspace.model_id == run.model_id


def test_only_learners_that_tell_their_steps_offer_to_walk(learn_page: LearnPage) -> None:
    assert not _button(learn_page, "learnSteps").isHidden()
    learn_page.choose(learner="bn.hill-climb")
    assert _button(learn_page, "learnSteps").isHidden()
