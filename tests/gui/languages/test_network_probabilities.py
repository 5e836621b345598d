"""The page of probabilities that chains over Bayesian networks leave."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from pgmstudio.core.languages.bayesian_network.learning.score_based.mcmc import NetworkPosterior
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.learning.lecture_data import CORONARY
from tests.gui.saved_runs import add_ended_run
from tests.gui.walking import trigger


def test_chains_show_how_probable_edges_and_graphs_are(window: MainWindow, qtbot: QtBot) -> None:
    app = window.app
    assert not app.actions["learn.network-probabilities"].isEnabled()
    add_ended_run(app, CORONARY, "bn.mcmc", iterations=500, chains=2)
    trigger(window, "learn.network-probabilities")
    page = app.center.current
    assert isinstance(page, RunResultPage)
    posterior = page.artifact
    assert isinstance(posterior, NetworkPosterior)
    assert [row[1:] for row in page.table.rows] == [(e.probability,) for e in posterior.edges]
    page.choose(views="graphs")
    assert [row[1] for row in page.table.rows] == [g.probability for g in posterior.graphs]
    qtbot.waitUntil(lambda: len(page.canvas.scene.nodes) == 6)
