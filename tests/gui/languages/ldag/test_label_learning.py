"""What learning labels leaves to be looked at: the path of κ, and the chains of a sampler."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
from PySide6.QtWidgets import QToolButton

from pgmstudio.core.languages.ldag.learning.kappa_path import KappaPath
from pgmstudio.core.languages.ldag.learning.mcmc import LdagPosterior
from pgmstudio.core.languages.learners import restored
from pgmstudio.gui.runs.results.page import RunResultPage
from tests.gui.saved_runs import add_ended_run
from tests.gui.walking import trigger
from tests.labelled_dags import coronary


def test_the_path_of_kappa_is_plotted_and_every_model_on_it_opens(window, qtbot) -> None:
    app = window.app
    rows = coronary().sample(300, np.random.default_rng(1))
    settings = {"kappa": "auto", "kappas": (1.0, 0.1, 0.0), "folds": 2, "restarts": 0}
    add_ended_run(app, rows, "ldag.greedy", **settings)
    trigger(window, "learn.kappa-path")
    page = app.center.current
    assert isinstance(page, RunResultPage)
    path = page.artifact
    assert isinstance(path, KappaPath)
    xs, bits = page.view.curves["held-out"]
    assert xs == [0, 1, 2]
    assert bits == [point.held_bits for point in path.points]
    page.choose(along="parameters")
    assert page.view.curves["with labels"][1] == [point.parameters for point in path.points]
    assert page.view.curves["without"][1] == [p.unlabelled_parameters for p in path.points]
    page.view.chosen.emit(2)
    opened = app.project.models[app.workspace.model_id]
    assert opened.title.endswith("κ 1")
    assert opened.model.edges == path.points[2].model.edges


def _joins(page: RunResultPage, wanted: set[frozenset[str]]) -> bool:
    return set(map(frozenset, page.canvas.scene.edges)) == wanted


def test_chains_tell_how_probable_edges_labels_and_graphs_are(window, qtbot, tmp_path) -> None:
    app = window.app
    assert not app.actions["learn.label-probabilities"].isEnabled()
    rows = coronary().sample(300, np.random.default_rng(1))
    model_id = add_ended_run(app, rows, "ldag.mcmc", iterations=300, chains=2)
    trigger(window, "learn.label-probabilities")
    page = app.center.current
    assert isinstance(page, RunResultPage)
    assert page.model_id == model_id
    (run,) = app.project.runs.values()
    kept = restored(LdagPosterior.kind, run.artifacts[LdagPosterior.kind])
    assert isinstance(kept, LdagPosterior)
    rows_of = {}
    for key in ("edges", "labels", "graphs"):
        page.findChild(QToolButton, f"posteriorViews.{key}").click()
        rows_of[key] = page.table.rows
    page.choose(views="edges")
    edges, labels, graphs = rows_of.values()
    assert [row[1:] for row in edges] == [(e.probability, e.labelled) for e in kept.edges]
    assert [row[2] for row in labels] == [c.probability for c in kept.contexts]
    assert [row[2] for row in graphs] == [g.score for g in kept.graphs]
    # The picture has a pair of ends where the two directions together reach the threshold.
    qtbot.waitUntil(lambda: len(page.canvas.scene.nodes) == 6)
    together = Counter[frozenset[str]]()
    for edge in kept.edges:
        together[frozenset((edge.source, edge.target))] += edge.probability
    for percent in (50, 5):
        page.choose(threshold=percent)
        wanted = {pair for pair, share in together.items() if share >= percent / 100}
        qtbot.waitUntil(partial(_joins, page, wanted))
    drawn = page.canvas.scene.edges
    number = next(i for i, e in enumerate(kept.edges) if (e.source, e.target) in drawn)
    page.table.select(number)
    marked = kept.edges[number]
    assert page.canvas.scene.selected_edges == ((marked.source, marked.target),)
    page.export(tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_text(encoding="utf-8").startswith("from,to,vanishes_where")
