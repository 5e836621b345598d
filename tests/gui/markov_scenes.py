"""Scenes of Markov networks; every name comes when its scene is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.window.main_window import panel_widget
from tests.gui.saved_runs import add_ended_run
from tests.gui.small_scenes import SAMPLES

EDGE = ("pressure", "lipoproteins")


def markov(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """A contextual network in a context with evidence, its inspector, diagrams, and results."""
    app = driver.app
    rows = import_data(SAMPLES / "coronary.csv", ImportOptions()).data
    model_id = add_ended_run(app, rows, "mn.contextual", kappas=(1.0, 0.1, 0.001, 0.0))
    open_model_page(app, model_id)
    page = driver.model_page()
    driver.wait_for("nodes", lambda: page.canvas.scene.nodes)
    QTest.qWait(1000)
    yield "markov"
    context_views(app).choose(model_id, {"smoking": "no"})
    page.asking.live.set_finding("physical_work", Observed("yes"))
    app.workspace.select((), (EDGE,))
    QTest.qWait(1500)
    yield "markov-context"
    app.workspace.select(("smoking",))
    QTest.qWait(500)
    yield "markov-node"
    inspector = panel_widget(driver.window, "inspectorPanel")
    assert isinstance(inspector, InspectorPanel)
    inspector.node.show_tab("table")
    QTest.qWait(500)
    yield "markov-blanket"
    app.reveal("tablePanel")
    QTest.qWait(300)
    yield "markov-table"
    driver.window.folding.toggle_side(Qt.DockWidgetArea.BottomDockWidgetArea)
    for name in ("triangulated", "cliques", "clique-tree", "multinet"):
        page.show_picture(name)
        QTest.qWait(700)
        yield f"markov-{name}"
    driver.do("learn.blankets")
    result = app.center.current
    assert isinstance(result, RunResultPage)
    for view in ("blankets", "graphs", "steps"):
        result.choose(view=view, slider=2)
        QTest.qWait(500)
        yield f"markov-{view}"
    driver.do("learn.markov-kappa-path")
    driver.settle()
    yield "markov-kappa"
    add_ended_run(app, rows, "mn.stratified")
    driver.do("learn.markov-probabilities")
    QTest.qWait(700)
    yield "markov-posterior"


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"markov": markov}
