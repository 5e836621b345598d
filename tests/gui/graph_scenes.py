"""Scenes of decision graphs; every name comes when its scene is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.pdg.learning.params import PdgParams
from pgmstudio.core.languages.pdg.model import DecisionGraph, without_unreachable
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.languages.pdg.page_extension import PdgExtension
from pgmstudio.gui.languages.pdg.steps_page import PdgStepsPage
from pgmstudio.gui.navigation import open_learn_page, open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from tests.gui.graph_pages import (
    MENTAL,
    PRESSURE,
    PROTEINS,
    SMOKING,
    coronary,
    coronary_rows,
    node_place,
    open_graph,
)
from tests.gui.saved_runs import add_ended_run
from tests.gui.walking import point_at


def _wide() -> DecisionGraph:
    """Variables with one, few, a dozen and many nodes."""
    rng = np.random.default_rng(4)
    counts = (1, 4, 11, 40, 90, 6)
    domain = Domain.of({f"Sensor {i + 1}": ["low", "mid", "high", "off"] for i in range(6)})
    parameters = tuple(rng.dirichlet([1] * 4, size=count) for count in counts)
    edges = [
        None,
        *(rng.integers(n, size=(m, 4)) for m, n in pairwise(counts)),
    ]
    forest = (None, 0, 1, 2, 3, 0)
    edges[5] = rng.integers(6, size=(1, 4))
    return without_unreachable(domain, forest, parameters, tuple(edges), (0, 1, 2, 3, 4, 5))


def graphs(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """Nodes and flow with evidence, a node in the inspector, the forest, collapsed and large."""
    app = driver.app
    page = open_graph(app, coronary(), coronary_rows())
    extension = page.extension
    assert isinstance(extension, PdgExtension)
    driver.wait_for("flows", lambda: extension.canvas.bands.flows is not None)
    QTest.qWait(700)
    yield "pdg"
    live = page.asking.live
    live.set_finding(MENTAL, Observed("yes"))
    live.set_finding(PROTEINS, Observed("<3"))
    driver.wait_for("beliefs", lambda: not live.is_stale)
    extension.canvas.band_view.node_chosen.emit((SMOKING, 1))
    QTest.qWait(1200)
    yield "pdg-evidence"
    point_at(page.front.view.viewport(), node_place(page, SMOKING, 0))
    QTest.qWait(200)
    yield "pdg-hover"
    page.front.view.stop_hover()
    view, start = page.front.view.viewport(), node_place(page, PRESSURE, 1)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for way in (0.4, 1.0):
        QTest.mouseMove(view, start + (node_place(page, PRESSURE, 0) - start) * way)
    QTest.qWait(500)
    yield "pdg-drag"
    extension.canvas.band_view.drag.cancel()
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start)
    extension.canvas.band_view.node_chosen.emit((SMOKING, 1))
    QTest.qWait(300)
    extension.toggle(SMOKING)
    extension.improving.open()
    extension.improving.step()
    QTest.qWait(1500)
    yield "pdg-step"
    extension.improving.close()
    page.bar.picture_chosen.emit("forest")
    QTest.qWait(700)
    yield "pdg-forest"
    wide = open_graph(app, _wide())
    QTest.qWait(1200)
    wide.front.view.fit()
    yield "pdg-wide"
    learned = {"lambdas": (0.01, 0.03, 0.1, 0.3, 0.6), "population": 4}
    model_id = add_ended_run(app, coronary_rows(1200), "pdg.learn", **learned)
    open_model_page(app, model_id)
    QTest.qWait(900)
    yield "pdg-learned"
    driver.do("learn.pdg-scan")
    QTest.qWait(700)
    yield "pdg-sweep"
    yield from _walked(driver)


def _walked(driver: WindowDriver) -> Iterator[str]:
    """The sheet of a run that can be walked through, and its steps."""
    app = driver.app
    params = PdgParams(lambdas=(0.02, 0.1), forest="chain", population=1)
    sheet = open_learn_page(app)
    sheet.fill(RunRequest("", "pdg.learn", params, 4, next(iter(app.project.data))))
    QTest.qWait(300)
    yield "pdg-walk-sheet"
    walk = sheet.findChild(QPushButton, "learnSteps")
    assert isinstance(walk, QPushButton)
    walk.click()
    page = driver.window.findChild(PdgStepsPage)
    assert isinstance(page, PdgStepsPage)
    for count in range(1, 13):
        page.step()
        driver.wait_for("a step", lambda count=count: len(page.steps) >= count)
    QTest.qWait(700)
    yield "pdg-walk"
    app.workspace.runs.stop_all()
    driver.wait_for("the end of the run", lambda: not app.workspace.runs.running)


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"graphs": graphs}
