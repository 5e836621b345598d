"""What belongs to a project ends with it: the next one sees nothing of the last."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QInputDialog,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QTableView,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.learning.edge_moves import MoveKey
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, ModelEntry, Outcome, Project, Run
from pgmstudio.gui.files.closing import when_settled
from pgmstudio.gui.files.opening import show_project
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.languages.pdg.size_history import graph_trail
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.live_model import open_best
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.runs.runs_panel import RunsPanel
from pgmstudio.gui.structure.move_search import move_search
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from pgmstudio.gui.window.registry import PANELS
from tests.gui.graph_pages import coronary, coronary_rows, open_graph
from tests.gui.questions import Answer, answer, is_settled
from tests.gui.samples import add_sprinkler
from tests.gui.walking import FURTHER, arrange, opened_windows, restore, settle, words_in

HILL_CLIMB = "bn.hill-climb"


def another_project() -> Project:
    """Data and a network under the ids that every first data set and model has."""
    domain = Domain.of({"quartz": ["low", "high"], "basalt": ["low", "high"]})
    tables = (np.array([0.3, 0.7]), np.array([[0.9, 0.1], [0.2, 0.8]]))
    network = BayesianNetwork(domain, Dag.from_edges(domain.names, [("quartz", "basalt")]), tables)
    rows = network.sample(200, np.random.default_rng(1))
    project = edits.add_data(Project(), entry=DataEntry("minerals", rows))
    return edits.add_model(project, entry=ModelEntry("Geology", network, data_id="d1"))


def learn(
    qtbot: QtBot, window: MainWindow, learner: str = HILL_CLIMB, title: str = "Climb"
) -> LearningRun:
    from pgmstudio.core.languages.learners import learner_of

    request = RunRequest(title, learner, learner_of(learner).params_type(), 0, "d1")
    with qtbot.waitSignal(window.app.workspace.runs.run_ended):
        return run_recorder(window.app).start(request)


def listed_runs(window: MainWindow) -> list[str]:
    table = window.findChild(QTableView, "runTable").model()
    return [table.index(row, 0).data() for row in range(table.rowCount())]


def press(window: MainWindow, name: str) -> None:
    runs_panel(window).findChild(QPushButton, name).click()


def runs_panel(window: MainWindow) -> RunsPanel:
    panel = panel_widget(window, "runsPanel")
    assert isinstance(panel, RunsPanel)
    return panel


# -- runs


def test_the_name_of_a_run_has_its_width_before_its_state(qtbot: QtBot, window: MainWindow) -> None:
    add_sprinkler(window.app)
    window.app.reveal("runsPanel")
    learn(qtbot, window, title="Bootstrap of Hill climbing")
    table = window.findChild(QTableView, "runTable")
    assert table.columnWidth(0) >= table.sizeHintForColumn(0)


def test_the_runs_of_a_project_are_listed_while_it_is_open_and_when_it_is_opened_again(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    app = window.app
    add_sprinkler(app)
    learn(qtbot, window)
    assert listed_runs(window) == ["Climb"]
    write_project(tmp_path / "garden.pgmz", app.project)
    show_project(app, another_project(), None)
    assert listed_runs(window) == []
    assert runs_panel(window).selected is None
    before = app.project
    press(window, "runOpenBest")
    assert app.project is before
    show_project(app, read_project(tmp_path / "garden.pgmz"), None)
    assert listed_runs(window) == ["Climb"]
    table = window.findChild(QTableView, "runTable").model()
    assert table.index(0, 1).data() == "finished"
    assert table.index(0, 2).data()  # its score
    press(window, "runOpenBest")
    assert app.workspace.model_id == app.project.runs["r1"].model_id


def test_a_recorded_run_can_be_run_again_and_removed_undoably(window: MainWindow) -> None:
    app = window.app
    add_sprinkler(app)
    rows = app.project.data["d1"].data.fingerprint
    run = Run(HILL_CLIMB, {}, 0, rows, "0.1", Outcome.FINISHED, title="Climb", data_id="d1")
    app.change("Learn", partial(edits.add_run, run=run))
    assert listed_runs(window) == ["Climb"]
    request = run_recorder(app).request_of("r1")
    assert request is not None
    assert (request.learner_key, request.data_id) == (HILL_CLIMB, "d1")
    app.change("Remove", partial(edits.remove_run, run_id="r1"))
    assert listed_runs(window) == []
    app.document.undo_stack.undo()
    assert listed_runs(window) == ["Climb"]


def test_a_run_that_goes_on_when_its_project_is_closed_does_not_land_in_the_next(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = window.app
    add_sprinkler(app)
    params = _endless()
    request = RunRequest("Endless", HILL_CLIMB, params, 0, "d1")
    run = run_recorder(app).start(request)
    qtbot.waitUntil(lambda: run.best is not None)
    following_model = app.project.next_model_id()
    open_best(app, run)
    assert following_model in app.project.models
    app.document.undo_stack.setClean()
    assert not is_settled(app)
    answer(Answer.Cancel)
    assert not run.state.is_end
    other = another_project()
    when_settled(app, partial(show_project, app, other, None))
    answer(Answer.Discard)
    assert is_settled(app)
    assert app.workspace.runs.runs == ()
    assert app.workspace.runs.wait(30)
    qtbot.wait(100)
    assert app.project is other
    assert not app.project.runs
    assert listed_runs(window) == []


def _endless() -> object:
    from pgmstudio.core.languages.learners import learner_of
    from pgmstudio.core.params import parse_params

    return parse_params(learner_of(HILL_CLIMB).params_type, {"restarts": 1_000_000})


def test_a_run_whose_model_was_deleted_does_not_open_the_one_that_got_its_id(
    qtbot: QtBot, window: MainWindow
) -> None:
    app = window.app
    app.change("Import", partial(edits.add_data, entry=DataEntry("garden", _garden())))
    run = learn(qtbot, window)
    app.document.undo_stack.undo()
    (stone,) = another_project().models.values()
    app.change("Add", partial(edits.add_model, entry=stone))
    assert list(app.project.models) == ["m1"] == [run.model_id]
    open_best(app, run)
    assert app.project.models[app.workspace.model_id or ""].model is run.best


def _garden() -> DataSet:
    from tests.gui.samples import sprinkler_rows

    return sprinkler_rows()


# -- what is remembered of a model


def test_evidence_selection_and_target_end_with_the_project(window: MainWindow) -> None:
    app = window.app
    show_project(app, another_project(), None)
    app.workspace.beliefs("m1").set_finding("quartz", Observed("high"))
    app.workspace.select(["quartz"])
    app.workspace.set_target("quartz")
    show_project(app, another_project(), None)
    assert app.workspace.beliefs("m1").evidence == {}
    assert app.workspace.selection.nodes == ()
    assert app.workspace.target is None
    assert not app.history.can_undo


def test_vetoes_end_with_the_project_and_with_their_model(window: MainWindow) -> None:
    app = window.app
    search = move_search(app)
    for end in (_open_again, _delete_and_open_again):
        show_project(app, another_project(), None)
        search.veto(MoveKey("add", "quartz", "basalt"))
        assert search.vetoes
        end(window)
        assert app.workspace.model_id == "m1"
        assert search.vetoes == ()


def _open_again(window: MainWindow) -> None:
    show_project(window.app, another_project(), None)


def _delete_and_open_again(window: MainWindow) -> None:
    app = window.app
    app.change("Delete", partial(edits.remove_model, model_id="m1"))
    (entry,) = another_project().models.values()
    app.change("Add", partial(edits.add_model, entry=entry))
    open_model_page(app, "m1")


def test_the_chart_of_size_and_likelihood_has_points_of_its_own_rows_only(
    window: MainWindow,
) -> None:
    app = window.app
    trail = graph_trail(app)
    open_graph(app, coronary(), coronary_rows(200))
    settle(window)
    assert len(trail.points("m1")) == 1
    show_project(app, Project(), None)
    assert trail.points("m1") == ()
    page = open_graph(app, coronary(), coronary_rows(300))
    settle(window)
    (point,) = trail.points("m1")
    graph = app.project.models["m1"].model
    assert isinstance(graph, DecisionGraph)
    assert point.graph is graph
    trail.see("m1", graph, coronary_rows(100))  # the rows were filtered
    assert len(trail.points("m1")) == 1
    assert trail.points("m1") != (point,)
    assert page.model_id == "m1"


# -- words


def test_the_log_of_a_project_begins_with_it(window: MainWindow) -> None:
    log = panel_widget(window, "logPanel").findChild(QPlainTextEdit, "logText")
    window.app.notify("Something about the first project.")
    assert "first project" in log.toPlainText()
    assert window.toast.isVisible()
    show_project(window.app, another_project(), None)
    assert log.toPlainText() == ""
    assert not window.toast.isVisible()


@pytest.fixture
def nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    for choice in ("getOpenFileName", "getSaveFileName", "getOpenFileNames"):
        nothing: tuple[object, str] = ([] if choice.endswith("Names") else "", "")
        monkeypatch.setattr(QFileDialog, choice, lambda *_, nothing=nothing, **__: nothing)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, **__: "")
    for box in (QDialog, QMessageBox, QInputDialog):
        monkeypatch.setattr(box, "exec", lambda *_: 0)
    monkeypatch.setattr(QMenu, "exec", lambda *_: None)


# Every learner has a form on the same page; that of one which asks for a class is enough.
CLASSIFIER = "learn.bn.tan"


def look_around(window: MainWindow) -> set[str]:
    """Everything written in the window, with each page in front that can be opened."""
    app, words = window.app, set()
    for panel in PANELS:
        window.reveal(panel.name)
        settle(window)
        words |= words_in(window)
    for action_id, spec in list(app.actions.specs.items()):
        is_page = spec.text.endswith("…") and spec.menu != "File"
        if not is_page or (spec.menu.startswith("Learn/With") and action_id != CLASSIFIER):
            continue
        app.actions.refresh()
        if not app.actions[action_id].isEnabled():
            continue
        app.actions[action_id].trigger()
        settle(window)
        words |= words_in(window)
        for other in opened_windows(window):
            words |= words_in(other)
            other.close()
        if "m1" in app.project.models:
            open_model_page(app, "m1")
    return words


@pytest.mark.usefixtures("nobody_answers")
@pytest.mark.parametrize(
    "situation", ["model", *(pytest.param(s, marks=pytest.mark.long) for s in FURTHER)]
)
def test_no_page_of_a_project_shows_a_word_of_the_one_before(
    qtbot: QtBot, window: MainWindow, situation: str
) -> None:
    app = window.app
    arrange(window, situation)
    learn(qtbot, window, "tree.chow-liu", "Oak")
    entry = app.project.models["m1"]
    names = entry.model.domain.names
    strange = re.compile(rf"\b({'|'.join([*names, entry.title, 'Oak', 'garden'])})\b")
    restore(window, situation)
    app.workspace.set_target(names[0])
    app.workspace.beliefs("m1").set_finding(
        names[0], Observed(entry.model.domain[names[0]].states[0])
    )
    open_data_page(app, "d1")
    seen = look_around(window)
    assert any(strange.search(text) for text in seen)
    app.document.undo_stack.setClean()
    show_project(app, another_project(), None)
    left = {text for text in look_around(window) if strange.search(text)}
    assert not left, "\n".join(sorted(left))
