"""The values on the panel of a run are those of its model, or say what else they are."""

from __future__ import annotations

from functools import partial

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.resampling import split
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.project import edits
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.runs.run_summary import best_facts
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from tests.gui.samples import add_sprinkler

LONG_MS = 60_000
FIT = ("Log-likelihood ↑", "BIC ↑", "AIC ↑")


@pytest.mark.parametrize(
    ("key", "search", "part"),
    [
        ("bn.hill-climb", "Search: BIC", "train"),
        ("tree.chow-liu", "Search: Information of edges", None),
        ("nb.latent", "Criterion: Held-out log-likelihood", None),
        ("mn.mpl", "Search: Pseudo-likelihood", "train"),
    ],
)
def test_a_run_and_its_model_show_the_same_fit(
    qtbot: QtBot, window: MainWindow, key: str, search: str, part: str | None
) -> None:
    app = window.app
    add_sprinkler(app)
    rows = app.project.data["d1"].data
    parts = split(rows, (0.5, 0.5), 1)
    app.change("Split", partial(edits.set_split, data_id="d1", split=parts))
    request = RunRequest("Run", key, learner_of(key).params_type(), 0, "d1", part)
    with qtbot.waitSignal(app.workspace.runs.run_ended, timeout=LONG_MS):
        run = run_recorder(app).start(request)
    of_run = {fact[0]: fact[1] for fact in best_facts(run)}
    assert search in of_run
    assert all(name in of_run for name in FIT)
    open_model_page(app, run.model_id or "")
    inspector = panel_widget(window, "inspectorPanel")
    assert isinstance(inspector, InspectorPanel)
    facts = inspector.model.facts
    qtbot.waitUntil(lambda: FIT[1] in facts.facts)
    assert [of_run[name] for name in FIT] == [facts.facts[name] for name in FIT]
    assert facts.facts["Data"].startswith("train of " if part else app.project.data["d1"].name)
