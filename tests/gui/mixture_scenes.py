"""Scenes of mixtures of trees and latent classes; every name comes when its scene is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PySide6.QtTest import QTest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.experiments.generators.random_trees import random_tree
from pgmstudio.core.inference.protocols import Observed
from pgmstudio.core.learning.mixture_params import MixtureParams
from pgmstudio.core.learning.registry import learner_of
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.core.params import parse_params
from pgmstudio.gui.app.hands import Hands
from pgmstudio.gui.app.learn_actions import landing_of
from pgmstudio.gui.app.opening import open_model_page
from pgmstudio.gui.pages.component_rows_page import ComponentRowsPage
from pgmstudio.gui.pages.model_page import ModelPage
from pgmstudio.gui.workers.learning_run import RunRequest
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


GROUPS: dict[str, Callable[[Hands, Path], Iterator[str]]] = {
    "mixtures": mixtures,
    "mixture-run": running,
    "classes": classes,
}
