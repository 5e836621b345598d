"""Scenes of labelled graphs; every name comes when its scene is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.languages.ldag.label_table import LabelTable
from pgmstudio.gui.runs.results.page import RunResultPage
from tests.gui.label_pages import EDGE, open_labelled
from tests.gui.saved_runs import add_ended_run
from tests.labelled_dags import coronary


def labels(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """A label being edited in a context, the views of its table, a multinet, a question."""
    app = driver.app
    page = open_labelled(app, rows=1841)
    driver.wait_for("nodes", lambda: page.canvas.scene.nodes)
    yield "ldag"
    context_views(app).choose(page.model_id or "", {"Smoking": "no", "Mental work": "yes"})
    app.workspace.select((), (EDGE,))
    app.reveal("tablePanel")
    table = driver.window.findChild(LabelTable)
    driver.wait_for("counts", lambda: table.grid.has_counts)
    QTest.qWait(1500)
    yield "ldag-context"
    table.views.button("reduced").click()
    yield "ldag-reduced"
    table.views.button("tree").click()
    yield "ldag-cube"
    table.views.button("full").click()
    driver.window.folding.toggle_side(Qt.DockWidgetArea.BottomDockWidgetArea)
    page.show_picture("multinet")
    QTest.qWait(300)
    yield "ldag-multinet"
    page.show_picture("labels")
    controller = page.separation
    page.choose_tool("separation")
    controller.pick("Pressure", "A")
    controller.pick("Proteins", "B")
    driver.wait_for("an answer", lambda: controller.answer is not None)
    yield "ldag-question"
    rows = coronary().sample(1841, np.random.default_rng(1))
    add_ended_run(app, rows, "ldag.greedy", kappa="auto", folds=5, restarts=0)
    driver.do("learn.kappa-path")
    path = app.center.current
    assert isinstance(path, RunResultPage)
    driver.settle()
    yield "ldag-kappa"
    path.choose(along="parameters")
    driver.settle()
    yield "ldag-kappa-size"
    add_ended_run(app, rows, "ldag.mcmc", iterations=2000)
    driver.do("learn.label-probabilities")
    chains = app.center.current
    assert isinstance(chains, RunResultPage)
    driver.wait_for("nodes", lambda: chains.canvas.scene.nodes)
    chains.table.select(0)
    driver.settle()
    yield "ldag-posterior"
    chains.choose(views="labels")
    yield "ldag-posterior-labels"


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"labels": labels}
