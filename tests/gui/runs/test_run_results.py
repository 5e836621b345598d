"""Results of runs: every registry row has a description, known artifacts and a menu action."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.languages.learners import artifact_types
from pgmstudio.gui.languages.registry import all_run_results
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.results.page import RunResultPage, open_result
from pgmstudio.gui.runs.results.run_result import BOOTSTRAP, RunResult
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.learning.lecture_data import CORONARY
from tests.gui.saved_runs import add_ended_run
from tests.gui.walking import misfits

RESULTS = [*all_run_results().values(), BOOTSTRAP]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.key)
def test_a_row_names_artifacts_of_learners_and_a_function(result: RunResult) -> None:
    assert set(result.artifacts) <= set(artifact_types())
    assert callable(result.describe.load())


def test_every_result_has_an_action_that_says_what_to_do_first(window: MainWindow) -> None:
    actions = window.app.actions
    actions.refresh()
    for result in RESULTS:
        assert not actions[result.action_id].isEnabled()
        assert result.missing_reason in actions[result.action_id].toolTip()


def test_a_page_keeps_its_row_and_its_fields_when_the_artifact_is_shown_again(
    qtbot: QtBot, window: MainWindow
) -> None:
    app = window.app
    model_id = add_ended_run(app, CORONARY, "bn.kes", greediness=(1.0, 0.4, 0.0), restarts=5)
    open_model_page(app, model_id)
    result = all_run_results()["restarts"]
    open_result(app, result, ArtifactSource(app, "optima", "r1"))
    page = app.center.current
    assert isinstance(page, RunResultPage)
    assert page.table.current == 0
    page.table.select(1)
    page.choose(view="edges", least=60)
    assert page.table.current == 1
    qtbot.waitUntil(lambda: bool(page.canvas.scene.nodes))
    page.choose(view="scores")
    assert not hasattr(page, "canvas")  # a plot is no canvas to be exported
    open_model_page(app, model_id)
    open_result(app, result)
    assert app.center.current is page
    assert misfits(page) == []
