"""Scenes of mixtures of trees and latent classes; every name comes when its scene is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtTest import QTest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.experiments.generators.bars import BarsParams, bars
from pgmstudio.core.experiments.generators.hidden_variable_models import TreeHParams, tree_h
from pgmstudio.core.experiments.generators.random_models import random_tree
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.tree_mixture.diagrams import PARTITION
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.params import parse_params
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.evaluation.averaging_page import AveragingPage
from pgmstudio.gui.evaluation.classification_page import ClassificationPage
from pgmstudio.gui.experiments.page import RecipePage
from pgmstudio.gui.languages.tree_mixture.assignments_page import ComponentRowsPage
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from tests.gui.saved_runs import add_ended_run
from tests.hidden_levels import two_level_rows

TOPICS = (
    "Infants",
    "Water project",
    "Budget",
    "Fee freeze",
    "El Salvador",
    "Religious groups",
    "Satellite ban",
    "Contras",
    "MX missile",
    "Immigration",
    "Synfuels",
    "Education",
    "Superfund",
    "Crime",
    "Duty-free",
    "South Africa",
)


SCANNED = {"components": (1, 2, 3, 4, 5), "restarts": 4, "max_iterations": 40}


def votes(count: int = 900) -> DataSet:
    """Votes that hang together in three ways."""
    rng = np.random.default_rng(8)
    domain = Domain.of({name: ["no", "yes"] for name in TOPICS})
    trees = tuple(random_tree(domain, 0.4, rng) for _ in range(3))
    return TreeMixture(domain, np.array([0.4, 0.35, 0.25]), trees).sample(count, rng)


def _open(driver: WindowDriver, model_id: str) -> ModelPage:
    open_model_page(driver.app, model_id)
    page = driver.model_page()
    QTest.qWait(700)
    page.canvas.view.fit()
    return page


def mixtures(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """Trees over and beside each other, with their root, alone and edited; rows and restarts."""
    app = driver.app
    learned = {"components": (3,), "restarts": 8, "smoothing": "auto"}
    model_id = add_ended_run(app, votes(), "mixture.trees", **learned)
    page = _open(driver, model_id)
    page.asking.live.set_finding("Fee freeze", Observed("yes"))
    driver.wait_for("beliefs", lambda: not page.asking.live.is_stale)
    QTest.qWait(300)
    yield "mixture-overlay"
    for name in ("side-by-side", "latent"):
        page.bar.picture_chosen.emit(name)
        QTest.qWait(900)
        yield f"mixture-{name}"
    page.bar.picture_chosen.emit("overlay")
    driver.press("card.tree-2")
    QTest.qWait(300)
    yield "mixture-tree"
    app.workspace.select(("Contras", "Crime"))
    QTest.qWait(700)
    yield "mixture-edit"
    app.workspace.select(())
    driver.do("model.profiles")
    driver.settle()
    yield "mixture-profiles"
    open_model_page(app, model_id)
    driver.do("model.assignments")
    rows = app.center.current
    assert isinstance(rows, ComponentRowsPage)
    driver.wait_for("the rows", lambda: rows.result is not None)
    yield "mixture-rows"
    open_model_page(app, model_id)
    driver.do("evaluate.adjacency")
    driver.settle()
    yield "mixture-adjacency"
    open_model_page(app, add_ended_run(app, votes(), "mixture.trees", **SCANNED))
    driver.do("learn.tree-scan")
    QTest.qWait(600)
    yield "mixture-scan"
    swept = {"components": (1, 3), "smoothings": (1.0, 10.0, 100.0), "restarts": 3}
    open_model_page(app, add_ended_run(app, votes(), "mixture.trees", **swept))
    driver.do("learn.tree-scan")
    driver.press("treeScanAlong.smoothing")
    QTest.qWait(600)
    yield "mixture-smoothings"
    many = _open(driver, add_ended_run(app, votes(), "mixture.trees", components=(10,)))
    yield "mixture-many"
    many.bar.picture_chosen.emit("side-by-side")
    QTest.qWait(1200)
    yield "mixture-many-side-by-side"
    driver.do("evaluate.average")
    average = app.center.current
    assert isinstance(average, AveragingPage)
    driver.wait_for("the weights", average.make.isEnabled, 60)
    yield "mixture-average"


def running(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """A mixture while it is learned: its curves, weights and edges."""
    app = driver.app
    add_ended_run(app, votes(), "mixture.trees", components=(1,))
    settings = {"components": (5,), "restarts": 200, "patience": 40}
    params: MixtureParams = parse_params(learner_of("mixture.trees").params_type, settings)
    run = run_recorder(app).start(RunRequest("Five trees", "mixture.trees", params, 2, "d1"))
    app.reveal("runsPanel")
    driver.wait_for("some steps", lambda: len(run.trace.steps) > 120, 60)
    for name in ("score", "weights", "edges"):
        driver.press(f"scorePlotView.{name}")
        QTest.qWait(300)
        yield f"mixture-running-{name}"
    run.stop()
    driver.wait_for("the end", lambda: run.state.is_end, 30)


def classes(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """The star, profiles and scan of latent classes."""
    app = driver.app
    scanned = {"components": (1, 2, 3, 4, 5, 6), "restarts": 2}
    page = _open(driver, add_ended_run(app, votes(), "nb.latent", **scanned))
    page.asking.live.set_finding("Budget", Observed("yes"))
    driver.wait_for("beliefs", lambda: not page.asking.live.is_stale)
    page.canvas.view.fit()
    QTest.qWait(300)
    yield "classes-star"
    driver.do("model.profiles")
    driver.settle()
    yield "classes-profiles"
    open_model_page(app, page.model_id or "")
    driver.do("learn.class-scan")
    QTest.qWait(600)
    yield "classes-scan"
    open_model_page(app, page.model_id or "")
    driver.do("model.assignments")
    rows = app.center.current
    assert isinstance(rows, ComponentRowsPage)
    driver.wait_for("the rows", lambda: rows.result is not None)
    yield "classes-rows"


def blocks(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """A hidden variable and its blocks, the candidates for it, and trees that tell a class."""
    app = driver.app
    rows = tree_h(TreeHParams(keep_hidden=True), np.random.default_rng(0), 1500)
    result = {"components": (2, 3, 4), "restarts": 2, "label": "h"}
    page = _open(driver, add_ended_run(app, rows, "mixture.hidden", **result))
    driver.press(f"picture.{PARTITION}")
    QTest.qWait(900)
    page.canvas.view.fit()
    yield "hidden-partition"
    driver.do("learn.hidden-scan")
    QTest.qWait(500)
    yield "hidden-candidates"
    result = {"components": (2,), "restarts": 2, "levels": 2}
    page = _open(driver, add_ended_run(app, two_level_rows(3000), "mixture.hidden", **result))
    driver.press(f"picture.{PARTITION}")
    QTest.qWait(900)
    page.canvas.view.fit()
    yield "hidden-levels"
    driver.do("learn.hidden-scan")
    QTest.qWait(500)
    yield "hidden-levels-candidates"
    learned = {"choice": "Crime", "restarts": 1}
    page = _open(driver, add_ended_run(app, votes(), "mixture.trees", **learned))
    app.workspace.select(("Crime",))
    app.actions.refresh()
    driver.do("evaluate.classify")
    judged = app.center.current
    assert isinstance(judged, ClassificationPage)
    driver.wait_for("the answer", lambda: judged.answer is not None and not judged.is_stale, 60)
    QTest.qWait(500)
    yield "classification"
    judged.lists.views.button("consensus").click()
    QTest.qWait(200)
    yield "classification-consensus"


def images(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """Bars as pixels: the trees of a mixture and latent classes as images, and the sweep of α."""
    app = driver.app
    rows = bars(BarsParams(), np.random.default_rng(0), 400)
    result = {"criterion": "aic", "penalty": "constant", "edge_penalty": 5.0, "toward": "uniform"}
    _open(driver, add_ended_run(app, rows, "mixture.trees", components=(2,), **result))
    driver.do("model.profiles")
    driver.settle()
    yield "images-trees"
    _open(driver, add_ended_run(app, rows, "nb.latent", components=(8,), restarts=2))
    driver.do("model.profiles")
    driver.settle()
    yield "images-classes"
    driver.do("evaluate.recipes")
    page = app.center.current
    assert isinstance(page, RecipePage)
    page.choose("bars-sweep")
    form = page.view.params()
    assert form is not None
    page.start_with(replace(form, trials=4))
    driver.wait_for("the sweep", lambda: page.run is not None and page.run.state.is_end, 120)
    QTest.qWait(400)
    yield "recipe-curves"
    page.view.show_view("table")
    yield "recipe-table"


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {
    "mixtures": mixtures,
    "mixture-run": running,
    "classes": classes,
    "blocks": blocks,
    "images": images,
}
