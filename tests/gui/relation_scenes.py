"""Scenes of relational networks; every name comes when its scene is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtTest import QTest

from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.languages.relational_network.relation_page import RelationPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.runs.results.page import RunResultPage
from tests.gui.saved_runs import add_ended_run
from tests.gui.small_scenes import SAMPLES


def relation(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """The ten objects: the cube, a pair, the decomposition test; and pages of grids."""
    app = driver.app
    rows = import_data(SAMPLES / "geometric_objects.arff", ImportOptions()).data
    open_model_page(app, add_ended_run(app, rows, "relational.spanning-tree"))
    canvas = driver.model_page().canvas
    driver.wait_for("nodes", lambda: canvas.scene.nodes)
    app.workspace.select((), (("color", "shape"),))
    QTest.qWait(500)
    yield "relation-edge"
    driver.do("evaluate.decomposition")
    page = app.center.current
    assert isinstance(page, RelationPage)
    driver.wait_for("the graphs", lambda: len(page.graphs.rows) == 8)
    page.select_graph([(0, 1), (0, 2)])
    driver.wait_for("the tuples", lambda: len(page.tuples.rows) == 3)
    QTest.qWait(300)
    yield "relation-cube"
    page.shown.setCurrentIndex(1)
    page.shown.picked.emit("graph")
    QTest.qWait(200)
    yield "relation-beams"
    page.show_pair(0, 1)
    QTest.qWait(300)
    yield "relation-pair"
    page.show_view("tests")
    driver.wait_for("the tests", lambda: page.tests.result is not None)
    QTest.qWait(600)
    yield "relation-tests"
    driver.do("learn.spanning-tree")
    result = app.center.current
    assert isinstance(result, RunResultPage)
    result.choose(slider=2)
    QTest.qWait(600)
    yield "relation-kruskal"
    objects = import_data(SAMPLES / "geometric_objects.arff", ImportOptions()).data
    open_model_page(app, add_ended_run(app, objects, "relational.exhaustive"))
    driver.do("learn.graph-ranking")
    QTest.qWait(600)
    yield "relation-ranking"
    driver.do("evaluate.scores")
    QTest.qWait(600)
    yield "relation-scores"
    rows = import_data(SAMPLES / "coronary.csv", ImportOptions()).data
    open_model_page(app, add_ended_run(app, rows, "relational.spanning-tree"))
    driver.do("model.relation")
    QTest.qWait(700)
    yield "relation-grids"


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"relation": relation}
