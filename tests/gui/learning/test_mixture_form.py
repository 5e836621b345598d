"""Priors and starts of mixtures of trees in the learning form, down to the run (Meilă, §4.2.2)."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.params import params_to_dict
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler

LONG_MS = 60_000


@pytest.fixture
def page(window: MainWindow) -> LearnPage:
    add_sprinkler(window.app)
    result = open_learn_page(window.app, "mixture.trees")
    advanced = result.findChild(QCheckBox, "learnAdvanced")
    assert advanced is not None
    advanced.click()
    type_in(result, "components", "2")
    type_in(result, "smoothing", "40")
    return result


def field(page: LearnPage, name: str) -> QWidget:
    (result,) = [w for w in page.findChildren(QWidget, f"param.{name}") if w.isVisibleTo(page)]
    return result


def type_in(page: LearnPage, name: str, text: str) -> None:
    line = field(page, name)
    assert isinstance(line, QLineEdit)
    line.setText(text)


def choose(page: LearnPage, name: str, text: str) -> None:
    box = field(page, name)
    assert isinstance(box, QComboBox)
    texts = [box.itemText(index) for index in range(box.count())]
    box.setCurrentIndex(next(i for i, entry in enumerate(texts) if entry.startswith(text)))


def learned(qtbot: QtBot, window: MainWindow, page: LearnPage) -> TreeMixture:
    """The model of a run that was started by a click."""
    start = page.findChild(QPushButton, "learnStart")
    assert start is not None
    assert start.isEnabled()
    with qtbot.waitSignal(window.app.workspace.runs.run_ended, timeout=LONG_MS):
        qtbot.mouseClick(start, Qt.MouseButton.LeftButton)
    (run,) = window.app.project.runs.values()
    model = window.app.project.models[run.model_id or ""].model
    assert isinstance(model, TreeMixture)
    return model


def by_task(window: MainWindow, page: LearnPage, **expected: object) -> TreeMixture:
    """The model that the core learns with the settings of the form, which are as expected."""
    request = page._request()
    assert request is not None
    settings = params_to_dict(request.params)
    assert {name: settings[name] for name in expected} == expected
    rows = window.app.project.data[request.data_id].data
    last = list(LearnTask(request.learner_key, rows, request.params, request.seed)(NEVER))[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, TreeMixture)
    return last.model


def test_an_entropic_prior_and_modes_are_settings_of_a_run(
    qtbot: QtBot, window: MainWindow, page: LearnPage
) -> None:
    choose(page, "start", "modes")
    choose(page, "toward", "product")
    type_in(page, "weight_entropy", "60")
    expected = by_task(window, page, start="modes", toward="product", weight_entropy=60.0)
    model = learned(qtbot, window, page)
    assert model.weights == pytest.approx(expected.weights)
    rows = window.app.project.data["d1"].data
    assert model.log2_probabilities(rows) == pytest.approx(expected.log2_probabilities(rows))
    type_in(page, "weight_entropy", "0")
    assert min(model.weights) < min(by_task(window, page, weight_entropy=0.0).weights)


def test_a_network_of_the_project_is_what_tables_are_smoothed_towards(
    qtbot: QtBot, window: MainWindow, page: LearnPage
) -> None:
    choose(page, "toward", "model")
    choose(page, "toward_model", "Sprinkler")
    type_in(page, "smoothing", "1e9")
    model = learned(qtbot, window, page)
    given = next(iter(window.app.project.models.values())).model
    for tree in model.trees:
        assert tree.edges
        learned_joints, given_joints = open_session(tree), open_session(given)
        for edge in tree.edges:
            joint = learned_joints.joint(edge)  # type: ignore[attr-defined]
            assert joint == pytest.approx(given_joints.joint(edge), abs=1e-5)  # type: ignore[attr-defined]
