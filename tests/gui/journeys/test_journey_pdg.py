"""Exploring a decision graph: learn, look, ask, merge, undo, convert, save and open again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.pdg.learning.trace import PdgScan
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.files.opening import open_files
from pgmstudio.gui.languages.pdg.inspector import GraphNodeInspector
from pgmstudio.gui.languages.pdg.page_extension import PdgExtension
from pgmstudio.gui.languages.pdg.size_history import graph_trail
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.runs.results.page import RunResultPage
from tests.gui.graph_pages import MENTAL, WORK, bar_place, coronary_rows, node_place
from tests.gui.saved_runs import add_ended_run
from tests.gui.walking import point_at

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier


def _click(page: ModelPage, position: object) -> None:
    QTest.mouseClick(page.front.view.viewport(), LEFT, NO_KEY, position)  # type: ignore[call-overload]


def test_a_person_learns_a_decision_graph_asks_it_edits_it_and_keeps_it(
    driver: WindowDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    app = driver.app
    learned = {"lambdas": (0.02, 0.3), "forest": "chain", "criterion": "bic"}
    model_id = add_ended_run(app, coronary_rows(800), "pdg.learn", **learned)
    open_model_page(app, model_id)
    page = driver.model_page()
    controller = page.extension
    assert isinstance(controller, PdgExtension)
    assert controller.is_open
    graph = controller.graph
    assert graph is not None
    qtbot.waitUntil(lambda: controller.canvas.bands.flows is not None)

    # Hover a node: in-flow and out-flow.
    several = max(range(6), key=lambda i: graph.node_counts[i])
    name = graph.domain.names[several]
    assert graph.node_counts[several] > 1
    point_at(page.front.view.viewport(), node_place(page, name, 0))
    assert controller.canvas.bands.hovered == (name, 0)
    assert "in-flow" in controller.describe((name, 0))

    # Evidence: what nobody reaches any more is greyed.
    live = page.asking.live
    _click(page, bar_place(page, WORK, "no"))
    qtbot.waitUntil(lambda: bool(live.evidence) and not live.is_stale)
    bands = controller.canvas.bands
    below = bands.items_by_variable[MENTAL].nodes.visits
    assert below is not None
    assert (below == 0).any()

    # Merge two nodes: what it costs is shown, it is done, and undone.
    last = graph.order[
        [not graph.children[i] and graph.node_counts[i] > 1 for i in graph.order].index(True)
    ]
    leaf = graph.domain.names[last]
    _click(page, node_place(page, leaf, 0))
    qtbot.waitUntil(lambda: driver.window.findChild(GraphNodeInspector) is not None)
    panel = driver.window.findChild(GraphNodeInspector)
    assert isinstance(panel, GraphNodeInspector)
    qtbot.waitUntil(lambda: any(row.text.startswith("Merge") for row in panel.changes.rows))
    position = next(i for i, row in enumerate(panel.changes.rows) if row.text.startswith("Merge"))
    row = panel.changes.rows[position]
    assert row.bits is not None
    assert row.bits <= 0
    panel.changes.press(position)
    merged = controller.graph
    assert merged is not None
    assert merged.effective_size() == graph.effective_size() + row.size
    trail = graph_trail(app).points(model_id)
    assert [point.size for point in trail] == [graph.effective_size(), merged.effective_size()]
    assert trail[1].bits <= trail[0].bits + 1e-9
    app.document.undo_stack.undo()
    assert controller.graph is graph

    # Every λ of the sweep has a point of size and likelihood, and opens.
    driver.do("learn.pdg-scan")
    sweep = app.center.current
    assert isinstance(sweep, RunResultPage)
    assert isinstance(sweep.artifact, PdgScan)
    assert len(sweep.artifact.points) == 2
    sizes, bits = sweep.view.curves["training"]
    assert sizes == sorted(float(p.effective_size) for p in sweep.artifact.points)
    assert len(bits) == 2
    count = len(app.project.models)
    sweep.open_row(1)
    assert len(app.project.models) == count + 1
    opened = list(app.project.models.values())[-1].model
    assert isinstance(opened, DecisionGraph)

    # As a Bayesian network it says the same.
    open_model_page(app, model_id)
    driver.do("model.convert.bayesian-network")
    qtbot.waitUntil(lambda: len(app.project.models) == count + 2)
    network = list(app.project.models.values())[-1].model
    assert isinstance(network, BayesianNetwork)
    one, other = open_session(graph), open_session(network)
    for variable in graph.domain:
        mine, theirs = one.belief(variable.name), other.belief(variable.name)
        np.testing.assert_allclose(mine.values, theirs.values, atol=1e-9)

    # Saved as .pdg and opened again it is the same graph.
    path = tmp_path / "graph.pdg"
    write_model(path, ModelFile(graph, "graph"))
    again = read_model(path).model
    assert isinstance(again, DecisionGraph)
    assert again.forest == graph.forest
    for a, b in zip(again.parameters, graph.parameters, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    open_files(app, [path])
    assert isinstance(list(app.project.models.values())[-1].model, DecisionGraph)
    driver.model_page()
