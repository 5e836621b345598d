"""Scenes beyond the main path: what is asked of a model, what a search leaves, and small things.

Each group begins in a window of its own; every name comes when its scene is set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QInputDialog

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.comparison.structure_diff_page import DifferencePage
from pgmstudio.gui.data.associations_tab import AssociationTab
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.evidence.sensitivity_page import SensitivityPage
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.learning.wizard.page import WizardPage
from pgmstudio.gui.learning.wizard.state import LINKS, QUESTIONS
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.structure.equivalence_page import EquivalencePage
from pgmstudio.gui.window.main_window import panel_widget
from tests.core.languages.bayesian_network.learning.constraint_based.test_npc import copies
from tests.core.learning.lecture_data import CORONARY, K2_DEMO
from tests.gui import (
    comparing_scenes,
    curve_scenes,
    degree_scenes,
    graph_scenes,
    label_scenes,
    lecture_scenes,
    markov_scenes,
    mixture_scenes,
    move_scenes,
    relation_scenes,
    saving_scenes,
    small_scenes,
    source_scenes,
    tutorial_scenes,
)
from tests.gui.saved_runs import add_ended_run
from tests.gui.small_scenes import SAMPLES, open_asia

ODD = {"smoke": Observed("no"), "xray": Observed("yes"), "bronc": Observed("no")}


def _rows(file: str) -> DataSet:
    return import_data(SAMPLES / file, ImportOptions()).data


def _add_rows(driver: WindowDriver, name: str, rows: DataSet) -> str:
    entry = DataEntry(name, rows)
    driver.app.change("Import", partial(edits.add_data, entry=entry))
    return list(driver.app.project.data)[-1]


def _click_node(driver: WindowDriver, page: ModelPage, *nodes: str) -> None:
    view = page.canvas.view
    for node in nodes:
        position: QPoint = view.mapFromScene(page.scene().nodes[node].pos())
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=position)
    driver.settle()


def asked(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """What a belief depends on, what goes together, what is most probable, what doing does."""
    page = open_asia(driver)
    app, live = driver.app, page.asking.live
    live.set_all(ODD)
    app.workspace.set_target("lung")
    for action in ("sensitivity", "findings", "ask-next"):
        driver.do(f"evidence.{action}")
        opened = app.center.current
        assert isinstance(opened, SensitivityPage)
        driver.wait_for("the answer", lambda opened=opened: opened.answer is not None)
        yield f"ask-{action}"
    open_model_page(app, page.model_id or "")
    driver.wait_for("beliefs", lambda: not live.is_stale)
    app.workspace.select(())
    live.set_all({**ODD, "asia": Observed("yes"), "tub": Observed("no")})
    driver.wait_for("beliefs", lambda: not live.is_stale)
    QTest.qWait(300)
    yield "conflict"
    driver.click_canvas(page, driver.head(page, "xray"))
    QTest.qWait(300)
    yield "cautious"
    live.set_all({"dysp": Observed("yes")})
    app.workspace.select(("lung", "bronc", "either"))
    driver.do("evidence.map")
    QTest.qWait(500)
    yield "map"
    driver.do("evidence.save")
    driver.window.findChild(QInputDialog, "nameDialog").accept()
    QTest.qWait(50)
    live.set_all({"smoke": Observed("yes"), "xray": Observed("yes")})
    driver.do("evidence.save")
    driver.window.findChild(QInputDialog, "nameDialog").accept()
    QTest.qWait(50)
    live.clear()
    driver.do("evidence.compare")
    QTest.qWait(500)
    yield "scenarios"
    open_model_page(app, page.model_id or "")
    live.do("either", "yes")
    app.workspace.select(("either",))
    driver.wait_for("beliefs", lambda: not live.is_stale)
    yield "doing"
    live.clear()
    driver.do("evidence.explain")
    live.set_all({"dysp": Observed("yes")})
    driver.wait_for("beliefs", lambda: not live.is_stale)
    QTest.qWait(300)
    yield "explained"
    driver.do("evidence.explain")
    live.clear()
    data_id = _add_rows(driver, "patients", page.asking.live.model.sample(200, _rng()))
    open_data_page(app, data_id)
    table = app.center.current
    assert isinstance(table, DataPage)
    head = table.table.view.verticalHeader()
    at = QPoint(8, head.sectionViewportPosition(2) + head.sectionSize(2) // 2)
    QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseDClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)
    app.workspace.select(())
    QTest.qWait(800)
    yield "surprise"


def pictured(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """Other pictures of the same model, trails, equivalents, edges and finding."""
    page = open_asia(driver)
    app = driver.app
    for name in ("cpdag", "pattern", "moral", "triangulated", "clique-tree"):
        page.bar.picture_chosen.emit(name)
        driver.settle()
        driver.wait_for("the picture", lambda: page.scene().nodes)
        page.canvas.view.fit()
        yield f"picture-{name}"
    page.bar.picture_chosen.emit("dag")
    page.canvas.view.fit()
    driver.do("model.separation")
    _click_node(driver, page, "asia", "smoke", "xray")
    driver.wait_for("the trails", lambda: page.separation.answer is not None)
    yield "separation"
    driver.do("model.separation")
    driver.do("model.members")
    members = app.center.current
    assert isinstance(members, EquivalencePage)
    driver.wait_for("the graphs", lambda: members.listing is not None)
    QTest.qWait(500)
    yield "equivalence"
    open_model_page(app, page.model_id or "")
    _add_rows(driver, "patients", _rows("asia_sample.csv"))
    inspector = panel_widget(driver.window, "inspectorPanel")
    assert isinstance(inspector, InspectorPanel)
    for scene, chosen, why in (
        ("edge", ((), [("smoke", "lung")]), inspector.edge.why),
        ("two-nodes", (("asia", "smoke"), ()), inspector.joint.why),
    ):
        app.workspace.select(*chosen)
        driver.do("model.why")
        driver.wait_for("the answer", lambda why=why: "changes BIC" in " ".join(why.messages))
        yield scene
    app.workspace.select(())
    driver.settle()
    yield "nothing-selected"
    driver.do("model.find")
    QTest.keyClicks(driver.widget("find.field"), "o")
    driver.settle()
    yield "find"
    open_file(app, SAMPLES / "greenhouse.json")
    driver.model_page()
    yield "greenhouse"


def searched(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """What searches leave behind: optima, tests, steps, open questions, edges counted."""
    app = driver.app
    settings = {"greediness": (1.0, 0.4, 0.0), "restarts": 5}
    model_id = add_ended_run(app, CORONARY, "bn.kes", **settings)
    open_model_page(app, model_id)
    driver.model_page()
    driver.do("learn.restarts")
    restarts = app.center.current
    assert isinstance(restarts, RunResultPage)
    driver.settle()
    yield "restarts"
    for view in ("edges", "times"):
        restarts.choose(view=view)
        QTest.qWait(800)
        yield f"restarts-{view}"
    open_model_page(app, add_ended_run(app, K2_DEMO, "bn.pc"))
    driver.model_page()
    driver.do("learn.tests")
    driver.settle()
    yield "tests"
    k2 = add_ended_run(app, K2_DEMO, "bn.k2", order="L, KA, M, KV", measure="k2")
    open_model_page(app, k2)
    driver.model_page()
    driver.do("learn.trace")
    trace = app.center.current
    assert isinstance(trace, RunResultPage)
    driver.wait_for("the graph", lambda: trace.canvas.scene.nodes)
    yield "trace"
    open_model_page(app, add_ended_run(app, copies(), "bn.npc"))
    page = driver.model_page()
    driver.wait_for("the questions", lambda: not page.questions.is_waiting)
    yield "ambiguous"
    asia = _add_rows(driver, "asia", _rows("asia_sample.csv"))
    driver.do("learn.bootstrap")
    sheet = app.center.current
    assert isinstance(sheet, LearnPage)
    sheet.choose(learner="tree.chow-liu", data_id=asia)
    sheet.bootstrap.replicates.setValue(20)
    yield "bootstrap-sheet"
    before = len(app.project.runs)
    driver.press("learnStart")
    driver.wait_for("the bootstrap", lambda: len(app.project.runs) > before, 120)
    driver.do("learn.frequencies")
    counted = app.center.current
    assert isinstance(counted, RunResultPage)
    driver.wait_for("the graph", lambda: counted.canvas.scene.nodes)
    counted.choose(threshold=30)
    QTest.qWait(600)
    yield "bootstrap"
    first = open_asia(driver).model_id
    driver.do("model.difference")
    difference = app.center.current
    assert isinstance(difference, DifferencePage)
    difference.choose(first or "", list(app.project.models)[-2])
    QTest.qWait(800)
    yield "difference"


def stepwise(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """Learning step by step, each of the five steps."""
    _add_rows(driver, "asia", _rows("asia_sample.csv"))
    driver.do("learn.stepwise")
    page = driver.app.center.current
    assert isinstance(page, WizardPage)
    box = driver.widget("stepwiseTarget")
    assert isinstance(box, QComboBox)
    box.setFocus()
    while box.currentText() != "dysp":
        QTest.keyClick(box, Qt.Key.Key_Down)
    driver.wait_for("the tests", lambda: page.plan.tests)
    yield "steps-1-columns"
    driver.press("stepwiseNext")
    yield "steps-2-rules"
    driver.press("stepwiseNext")
    page.learning.learners.choose("bn.hill-climb")
    driver.settle()
    yield "steps-3-learning"
    runs = driver.app.project.runs
    driver.press("stepwiseStart")
    driver.wait_for("the run", lambda: len(driver.app.project.runs) > len(runs), 60)
    driver.press("stepwiseNext")
    assert page.plan.step == QUESTIONS
    shown = page.models.page
    assert shown is not None
    driver.wait_for("the graph", lambda: shown.scene().nodes)
    QTest.qWait(600)
    yield "steps-4-questions"
    driver.press("stepwiseNext")
    assert page.plan.step == LINKS
    driver.wait_for("the strengths", lambda: page.models.links.links)
    QTest.qWait(600)
    yield "steps-5-links"


def data(driver: WindowDriver, own: Path) -> Iterator[str]:
    """Views of rows, and every step of an import."""
    data_id = _add_rows(driver, "survey", _rows("survey.csv"))
    open_data_page(driver.app, data_id)
    page = driver.app.center.current
    assert isinstance(page, DataPage)
    for action, name in (
        ("data.summary", "data-columns"),
        ("data.missing", "data-missing"),
        ("data.associations", "data-associations"),
        ("data.split", "data-split"),
        ("data.states", "data-states"),
    ):
        driver.do(action)
        QTest.qWait(800)
        if name == "data-associations":
            shown = page.show_tab("associations")
            assert isinstance(shown, AssociationTab)
            driver.wait_for("the pairs", lambda shown=shown: shown.legend.isVisible(), 60)
        yield name
    open_data_page(driver.app, _add_rows(driver, "objects", _rows("geometric_objects.arff")))
    page = driver.app.center.current
    assert isinstance(page, DataPage)
    shown = page.show_tab("associations")
    assert isinstance(shown, AssociationTab)
    shown.measure.choose("hartley_cond")
    shown.measure.activated.emit(shown.measure.currentIndex())
    driver.wait_for("the measure", lambda: "relational" in shown.about.text(), 60)
    cell = shown.map.cell_rect("shape", "size").center().toPoint()
    QTest.mouseClick(shown.map, Qt.MouseButton.LeftButton, pos=cell)
    QTest.qWait(300)
    yield "data-measure"
    open_file(driver.app, SAMPLES / "survey.csv")
    QTest.qWait(500)
    for step in (1, 2, 4):
        result = driver.window.findChildren(QAbstractButton, f"step{step}")
        QTest.mouseClick(next(b for b in result if b.isVisible()), Qt.MouseButton.LeftButton)
        QTest.qWait(200)
        yield f"import-step-{step}"


def _rng() -> np.random.Generator:
    return np.random.default_rng(4)


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {
    "asked": asked,
    "pictured": pictured,
    "searched": searched,
    "stepwise": stepwise,
    "data": data,
    "small": small_scenes.small,
    "saving": saving_scenes.saving,
    "sessions": saving_scenes.sessions,
    **comparing_scenes.GROUPS,
    **curve_scenes.GROUPS,
    **degree_scenes.GROUPS,
    **graph_scenes.GROUPS,
    **label_scenes.GROUPS,
    **lecture_scenes.GROUPS,
    **markov_scenes.GROUPS,
    **mixture_scenes.GROUPS,
    **move_scenes.GROUPS,
    **relation_scenes.GROUPS,
    **source_scenes.GROUPS,
    **tutorial_scenes.GROUPS,
}
