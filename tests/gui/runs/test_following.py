"""The best so far of a run on the canvas: it follows, stays when asked, and becomes the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QPushButton, QTableView, QTreeWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.execution.events import Progress
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbParams,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.base import ImprovedModel
from pgmstudio.core.project.model_edits import remove_edge
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.live_model import live_models, open_best
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.runs.run_summary import time_left_text
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import inspector
from tests.gui.samples import add_sprinkler

LONG_MS = 60_000


@pytest.fixture
def run(window: MainWindow, qtbot: QtBot) -> Iterator[LearningRun]:
    """A run that is held: what it finds is given by the tests."""
    add_sprinkler(window.app)
    params = replace(HillClimbParams(), restarts=1_000_000)
    request = RunRequest("Climb", "bn.hill-climb", params, 1, "d1")
    made = run_recorder(window.app).start(request)
    qtbot.waitUntil(lambda: made.best is not None, timeout=LONG_MS)
    made.pause()
    # What it sent before it heard of the pause comes too late.
    made._job.events_arrived.disconnect(made._on_events)
    yield made
    made.resume()
    made.stop()
    assert made.wait(60)


def page_of(window: MainWindow, run: LearningRun, qtbot: QtBot) -> ModelPage:
    open_best(window.app, run)
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: bool(page.scene().nodes))
    return page


def better(run: LearningRun, *edges: tuple[str, str]) -> BayesianNetwork:
    """Let the run find a model with these edges, in its fourth restart."""
    result = BayesianNetwork.uniform(run.task.data.domain)
    for source, target in edges:
        result = result.with_edge(source, target)
    message = Progress(0.5, "Climbing", {"score": -1.0, "step": 9.0, "restart": 4.0})
    run._on_events([message, ImprovedModel(result, {"score": -1.0})])
    return result


def tick(page: ModelPage) -> QCheckBox:
    result = page.findChild(QCheckBox, "followRun")
    assert isinstance(result, QCheckBox)
    return result


def test_a_better_model_is_shown_and_nodes_stay_where_they_are(
    qtbot: QtBot, window: MainWindow, run: LearningRun
) -> None:
    page = page_of(window, run, qtbot)
    indices = {name: item.centre for name, item in page.scene().nodes.items()}
    result = better(run, ("rain", "wet"))
    entry = lambda: window.app.project.models[page.model_id or ""]  # noqa: E731
    qtbot.waitUntil(lambda: entry().model is result, timeout=LONG_MS)
    qtbot.waitUntil(lambda: set(page.scene().edges) == {("rain", "wet")})
    assert {name: item.centre for name, item in page.scene().nodes.items()} == indices
    assert not entry().is_edited
    words = page.findChild(QLabel, "liveModelText").text()
    assert words.startswith(f"restart 4 · 1 edge · {result.representation_size()} parameters")


def test_many_better_models_are_one_step_of_the_history(
    qtbot: QtBot, window: MainWindow, run: LearningRun
) -> None:
    page = page_of(window, run, qtbot)
    stack = window.app.document.undo_stack
    before = stack.count()
    for edges in ([("rain", "wet")], [("rain", "wet"), ("sprinkler", "wet")]):
        result = better(run, *edges)
        qtbot.waitUntil(
            lambda result=result: window.app.project.models[page.model_id or ""].model is result,
            timeout=LONG_MS,
        )
    assert stack.count() == before + 1


def test_unticked_it_stays_and_ticked_again_it_catches_up(
    qtbot: QtBot, window: MainWindow, run: LearningRun
) -> None:
    page = page_of(window, run, qtbot)
    shown = window.app.project.models[page.model_id or ""].model
    qtbot.mouseClick(tick(page), Qt.MouseButton.LeftButton)
    assert not tick(page).isChecked()
    result = better(run, ("rain", "wet"))
    follower = live_models(window.app).of_model(page.model_id)
    assert follower is not None
    assert not follower._soon.isActive()
    assert window.app.project.models[page.model_id or ""].model is shown
    assert page.best_chip._title.text() == "An earlier best"
    qtbot.mouseClick(tick(page), Qt.MouseButton.LeftButton)
    assert window.app.project.models[page.model_id or ""].model is result


def test_an_edit_ends_the_following_and_says_why(
    qtbot: QtBot, window: MainWindow, run: LearningRun
) -> None:
    page = page_of(window, run, qtbot)
    result = better(run, ("rain", "wet"))
    qtbot.waitUntil(
        lambda: window.app.project.models[page.model_id or ""].model is result, timeout=LONG_MS
    )
    edit = partial(remove_edge, model_id=page.model_id or "", source="rain", target="wet")
    assert window.app.change("Remove", edit)
    assert not tick(page).isChecked()
    assert not tick(page).isEnabled()
    assert tick(page).toolTip().startswith("Not now: this model was edited")


def test_undo_ends_the_following(qtbot: QtBot, window: MainWindow, run: LearningRun) -> None:
    page = page_of(window, run, qtbot)
    first = window.app.project.models[page.model_id or ""].model
    result = better(run, ("rain", "wet"))
    qtbot.waitUntil(
        lambda: window.app.project.models[page.model_id or ""].model is result, timeout=LONG_MS
    )
    window.app.document.undo_stack.undo()
    assert window.app.project.models[page.model_id or ""].model is first
    assert not tick(page).isChecked()


def test_the_result_lands_in_the_model_that_followed(
    qtbot: QtBot, window: MainWindow, run: LearningRun
) -> None:
    page = page_of(window, run, qtbot)
    better(run, ("rain", "wet"))
    run.resume()
    with qtbot.waitSignal(window.app.workspace.runs.run_ended, timeout=LONG_MS):
        run.stop()
    (record,) = window.app.project.runs.values()
    assert record.model_id == page.model_id == run.model_id
    assert len(window.app.project.models) == 2
    entry = window.app.project.models[page.model_id or ""]
    assert entry.title == page.title == "Climb"
    assert entry.model is run.best
    assert not page.best_chip.isVisible()


def test_one_that_stays_is_kept_beside_the_result(
    qtbot: QtBot, window: MainWindow, run: LearningRun
) -> None:
    page = page_of(window, run, qtbot)
    qtbot.mouseClick(tick(page), Qt.MouseButton.LeftButton)
    run.resume()
    with qtbot.waitSignal(window.app.workspace.runs.run_ended, timeout=LONG_MS):
        run.stop()
    titles = [entry.title for entry in window.app.project.models.values()]
    assert titles == ["Sprinkler", "Climb, best so far", "Climb"]


def test_the_tree_says_live(qtbot: QtBot, window: MainWindow, run: LearningRun) -> None:
    page = page_of(window, run, qtbot)
    tree = window.findChild(QTreeWidget, "projectTree")

    def badges() -> list[str]:
        heads = [tree.topLevelItem(i) for i in range(tree.topLevelItemCount())]
        models = next(head for head in heads if head.text(0) == "Models")
        return [models.child(i).text(1) for i in range(models.childCount())]

    assert badges() == ["7 par.", "live"]
    qtbot.mouseClick(tick(page), Qt.MouseButton.LeftButton)
    assert "live" not in badges()


def test_the_inspector_reports_what_the_run_does(
    qtbot: QtBot, window: MainWindow, run: LearningRun
) -> None:
    page_of(window, run, qtbot)
    better(run, ("rain", "wet"))
    panel = inspector(window)
    qtbot.waitUntil(panel.run.isVisible, timeout=LONG_MS)
    qtbot.waitUntil(lambda: panel.run.best.facts.get("Edges") == "1", timeout=LONG_MS)
    assert panel.run.best.facts["Found in"] == "restart 4, step 9"
    # Told once more at the end, the model is still one of the fourth restart.
    last = Progress(0.9, "Climbing", {"score": -2.0, "step": 30.0, "restart": 7.0})
    assert run.best is not None
    run._on_events([last, ImprovedModel(run.best, {"score": -1.0})])
    assert run.best_found_at["step"] == 9.0
    assert panel.run.settings.facts["Restarts"] == "1\u202f000\u202f000"
    assert panel.run.settings.facts["Seed"] == "1"
    rows = run.task.data.row_count
    missing = panel.findChild(Note, "inspectorRunMissing").text
    assert missing == f"No missing cells: all {rows} rows are used."
    qtbot.mouseClick(panel.findChild(QPushButton, "inspectorEvaluate"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(panel.run.evaluation.facts), timeout=LONG_MS)
    message = panel.run.evaluation.facts["Log-likelihood ↑, all rows"]
    assert message == f"{-len(run.task.data.domain):.3f} bits per row".replace("-", "−")  # uniform


def test_run_again_with_changes_fills_the_sheet(
    qtbot: QtBot, window: MainWindow, run: LearningRun
) -> None:
    table = window.findChild(QTableView, "runTable")
    window.app.reveal("runsPanel")
    qtbot.waitUntil(table.isVisible)
    index = table.visualRect(table.model().index(0, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=index)
    panel = inspector(window)
    qtbot.waitUntil(panel.run.isVisible)
    qtbot.mouseClick(panel.findChild(QPushButton, "inspectorRunAgain"), Qt.MouseButton.LeftButton)
    page = window.app.center.current
    assert page is not None
    assert page.key == "learn"
    (restarts,) = [w for w in page.findChildren(QLineEdit, "param.restarts") if w.isVisible()]
    assert restarts.text() == "1000000"


def test_a_selected_node_is_inspected_also_while_a_run_is_followed(
    qtbot: QtBot, window: MainWindow, run: LearningRun
) -> None:
    page_of(window, run, qtbot)
    panel = inspector(window)
    window.app.workspace.select(("rain",))
    qtbot.waitUntil(panel.node.isVisible)
    window.app.workspace.select(())
    qtbot.waitUntil(panel.run.isVisible)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, ""), (39.6, "about 40 s left"), (600, "about 10 min left"), (7300, "about 2 h left")],
)
def test_the_rest_is_reported_in_round_words(seconds: float | None, words: str) -> None:
    assert time_left_text(seconds) == words
