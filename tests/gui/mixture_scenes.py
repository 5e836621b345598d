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
from pgmstudio.core.experiments.generators.random_trees import random_tree
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.tree_mixture.diagrams import PARTITION
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.params import parse_params
from pgmstudio.gui.demo.window_driver import Hands
from pgmstudio.gui.evaluation.classification_page import ClassificationPage
from pgmstudio.gui.experiments.page import RecipePage
from pgmstudio.gui.languages.tree_mixture.assignments_page import ComponentRowsPage
from pgmstudio.gui.learning.actions import landing_of
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.project.opening import open_model_page
from pgmstudio.gui.runs.actions import OPEN_CANDIDATES
from pgmstudio.gui.runs.learning_run import RunRequest
from tests.gui.kept_runs import add_ended_run

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


def _open(hands: Hands, model_id: str) -> ModelPage:
    open_model_page(hands.shell, model_id)
    page = hands.model_page()
    QTest.qWait(700)
    page.canvas.view.fit()
    return page


def mixtures(hands: Hands, _own: Path) -> Iterator[str]:
    """Trees over and beside each other, with their root, alone and edited; rows and restarts."""
    shell = hands.shell
    learned = {"components": (3,), "restarts": 8, "smoothing": "auto"}
    model_id = add_ended_run(shell, votes(), "mixture.trees", **learned)
    page = _open(hands, model_id)
    page.asking.live.set_finding("Fee freeze", Observed("yes"))
    hands.wait_for("beliefs", lambda: not page.asking.live.is_stale)
    QTest.qWait(300)
    yield "mixture-overlay"
    for name in ("side-by-side", "latent"):
        page.bar.picture_chosen.emit(name)
        QTest.qWait(900)
        yield f"mixture-{name}"
    page.bar.picture_chosen.emit("overlay")
    hands.press("card.tree-2")
    QTest.qWait(300)
    yield "mixture-tree"
    shell.bench.select(("Contras", "Crime"))
    QTest.qWait(700)
    yield "mixture-edit"
    shell.bench.select(())
    hands.do("model.profiles")
    hands.settle()
    yield "mixture-profiles"
    open_model_page(shell, model_id)
    hands.do("model.assignments")
    rows = shell.center.current
    assert isinstance(rows, ComponentRowsPage)
    hands.wait_for("the rows", lambda: rows.found is not None)
    yield "mixture-rows"
    open_model_page(shell, model_id)
    hands.do("evaluate.adjacency")
    hands.settle()
    yield "mixture-adjacency"
    open_model_page(shell, add_ended_run(shell, votes(), "mixture.trees", **SCANNED))
    hands.do("learn.tree-scan")
    QTest.qWait(600)
    yield "mixture-scan"
    swept = {"components": (1, 3), "smoothings": (1.0, 10.0, 100.0), "restarts": 3}
    open_model_page(shell, add_ended_run(shell, votes(), "mixture.trees", **swept))
    hands.do("learn.tree-scan")
    hands.press("treeScanAlong.smoothing")
    QTest.qWait(600)
    yield "mixture-smoothings"
    many = _open(hands, add_ended_run(shell, votes(), "mixture.trees", components=(10,)))
    yield "mixture-many"
    many.bar.picture_chosen.emit("side-by-side")
    QTest.qWait(1200)
    yield "mixture-many-side-by-side"


def running(hands: Hands, _own: Path) -> Iterator[str]:
    """A mixture while it is learned: its curves, weights and edges."""
    shell = hands.shell
    add_ended_run(shell, votes(), "mixture.trees", components=(1,))
    settings = {"components": (5,), "restarts": 200, "patience": 40}
    params: MixtureParams = parse_params(learner_of("mixture.trees").params_type, settings)
    run = landing_of(shell).start(RunRequest("Five trees", "mixture.trees", params, 2, "d1"))
    shell.reveal("runsPanel")
    hands.wait_for("some steps", lambda: len(run.trace.steps) > 120, 60)
    for name in ("score", "weights", "edges"):
        hands.press(f"scorePlotView.{name}")
        QTest.qWait(300)
        yield f"mixture-running-{name}"
    run.stop()
    hands.wait_for("the end", lambda: run.state.is_end, 30)


def classes(hands: Hands, _own: Path) -> Iterator[str]:
    """The star, profiles and scan of latent classes."""
    shell = hands.shell
    scanned = {"components": (1, 2, 3, 4, 5, 6), "restarts": 2}
    page = _open(hands, add_ended_run(shell, votes(), "nb.latent", **scanned))
    page.asking.live.set_finding("Budget", Observed("yes"))
    hands.wait_for("beliefs", lambda: not page.asking.live.is_stale)
    page.canvas.view.fit()
    QTest.qWait(300)
    yield "classes-star"
    hands.do("model.profiles")
    hands.settle()
    yield "classes-profiles"
    open_model_page(shell, page.model_id or "")
    hands.do("learn.class-scan")
    QTest.qWait(600)
    yield "classes-scan"
    open_model_page(shell, page.model_id or "")
    hands.do("model.assignments")
    rows = shell.center.current
    assert isinstance(rows, ComponentRowsPage)
    hands.wait_for("the rows", lambda: rows.found is not None)
    yield "classes-rows"


def blocks(hands: Hands, _own: Path) -> Iterator[str]:
    """A hidden variable and its blocks, the candidates for it, and trees that tell a class."""
    shell = hands.shell
    rows = tree_h(TreeHParams(keep_hidden=True), np.random.default_rng(0), 1500)
    found = {"components": (2, 3, 4), "restarts": 2, "label": "h"}
    page = _open(hands, add_ended_run(shell, rows, "mixture.hidden", **found))
    hands.press(f"picture.{PARTITION}")
    QTest.qWait(900)
    page.canvas.view.fit()
    yield "hidden-partition"
    hands.do(OPEN_CANDIDATES)
    QTest.qWait(500)
    yield "hidden-candidates"
    learned = {"choice": "Crime", "restarts": 1}
    page = _open(hands, add_ended_run(shell, votes(), "mixture.trees", **learned))
    shell.bench.select(("Crime",))
    shell.book.refresh()
    hands.do("evaluate.classify")
    judged = shell.center.current
    assert isinstance(judged, ClassificationPage)
    hands.wait_for("the answer", lambda: judged.answer is not None and not judged.is_stale, 60)
    QTest.qWait(500)
    yield "classification"


def images(hands: Hands, _own: Path) -> Iterator[str]:
    """Bars as pixels: the trees of a mixture and latent classes as images, and the sweep of α."""
    shell = hands.shell
    rows = bars(BarsParams(), np.random.default_rng(0), 400)
    found = {"criterion": "aic", "penalty": "constant", "edge_penalty": 5.0, "toward": "uniform"}
    _open(hands, add_ended_run(shell, rows, "mixture.trees", components=(2,), **found))
    hands.do("model.profiles")
    hands.settle()
    yield "images-trees"
    _open(hands, add_ended_run(shell, rows, "nb.latent", components=(8,), restarts=2))
    hands.do("model.profiles")
    hands.settle()
    yield "images-classes"
    hands.do("evaluate.recipes")
    page = shell.center.current
    assert isinstance(page, RecipePage)
    page.choose("bars-sweep")
    form = page.view.params()
    assert form is not None
    page.start_with(replace(form, trials=4))
    hands.wait_for("the sweep", lambda: page.run is not None and page.run.state.is_end, 120)
    QTest.qWait(400)
    yield "recipe-curves"
    page.view.show_view("table")
    yield "recipe-table"


GROUPS: dict[str, Callable[[Hands, Path], Iterator[str]]] = {
    "mixtures": mixtures,
    "mixture-run": running,
    "classes": classes,
    "blocks": blocks,
    "images": images,
}
