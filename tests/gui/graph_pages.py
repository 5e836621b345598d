"""A decision graph of six variables with its rows, opened in a window."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.pdg.diagrams import node_name
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.project.edits import add_data, add_model
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.languages.pdg.inspector import GraphNodeInspector
from pgmstudio.gui.languages.pdg.page_extension import PdgExtension
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.window.main_window import MainWindow
from tests.decision_graphs import graph_of

WORK, MENTAL, PROTEINS = "Physical work", "Mental work", "Proteins"
SMOKING, PRESSURE, FAMILY = "Smoking", "Pressure", "Family history"


def coronary() -> DecisionGraph:
    """Twelve nodes over a chain of five variables and one beside it."""
    domain = Domain.of(
        {
            WORK: ["no", "yes"],
            MENTAL: ["no", "yes"],
            PROTEINS: ["<3", ">3"],
            SMOKING: ["no", "yes"],
            PRESSURE: ["<140", ">140"],
            FAMILY: ["neg", "pos"],
        }
    )
    return graph_of(
        domain,
        {MENTAL: WORK, PROTEINS: MENTAL, SMOKING: PROTEINS, PRESSURE: SMOKING},
        {
            WORK: [[0.5, 0.5]],
            MENTAL: [[0.29, 0.71], [0.87, 0.13]],
            PROTEINS: [[0.53, 0.47], [0.62, 0.38]],
            SMOKING: [[0.64, 0.36], [0.511, 0.489], [0.39, 0.61]],
            PRESSURE: [[0.6, 0.4], [0.69, 0.31], [0.52, 0.48]],
            FAMILY: [[0.859, 0.141]],
        },
        {
            MENTAL: [[0, 1]],
            PROTEINS: [[0, 0], [1, 1]],
            SMOKING: [[0, 1], [1, 2]],
            PRESSURE: [[0, 1], [2, 0], [2, 2]],
        },
    )


def coronary_rows(count: int = 1841) -> DataSet:
    """Rows drawn from the graph."""
    return coronary().sample(count, np.random.default_rng(5))


def add_graph(app: AppContext, graph: DecisionGraph, rows: DataSet | None = None) -> str:
    """The graph as a model of the project, with its rows when there are any."""
    data_id = None
    if rows is not None:
        data_id = app.project.next_data_id()
        entry = DataEntry("coronary", rows)
        app.change("Add rows", lambda project: add_data(project, entry=entry))
    model_id = app.project.next_model_id()
    model = ModelEntry("Coronary PDG", graph, data_id=data_id)
    app.change("Add graph", lambda project: add_model(project, entry=model))
    return model_id


def open_graph(app: AppContext, graph: DecisionGraph, rows: DataSet | None = None) -> ModelPage:
    """The same with its page in front."""
    open_model_page(app, add_graph(app, graph, rows))
    page = app.center.current
    assert isinstance(page, ModelPage)
    return page


def node_place(page: ModelPage, variable: str, node: int) -> QPoint:
    """The middle of a node's head on the view."""
    box = controller_of(page).canvas.bands.box_of((variable, node))
    return page.front.view.mapFromScene(QPointF(box.center().x(), box.top() + 10))


def bar_place(page: ModelPage, variable: str, state: str, share: float = 0.5) -> QPoint:
    """A point on the bar of a state in the gutter."""
    item = page.front.scene.nodes[variable]
    index = item.geometry.shown.index(item.face.states.index(state))
    bar = item.geometry.bar(index)
    inside = QPointF(bar.left() + bar.width() * share, bar.center().y())
    return page.front.view.mapFromScene(item.pos() + item.corner + inside)


def controller_of(page: ModelPage) -> PdgExtension:
    assert isinstance(page.extension, PdgExtension)
    return page.extension


def graph_of_page(page: ModelPage) -> DecisionGraph:
    graph = controller_of(page).graph
    assert graph is not None
    return graph


def click(
    page: ModelPage, position: QPoint, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.mouseClick(page.front.view.viewport(), Qt.MouseButton.LeftButton, held, position)


def inspector_of(window: MainWindow) -> GraphNodeInspector:
    result = window.findChild(GraphNodeInspector, "graphNodeInspector")
    assert isinstance(result, GraphNodeInspector)
    return result


def open_coronary(window: MainWindow, qtbot: QtBot) -> ModelPage:
    """The coronary graph with its rows, its beliefs known."""
    shown = open_graph(window.app, coronary(), coronary_rows(600))
    controller = controller_of(shown)
    qtbot.waitUntil(lambda: controller.canvas.bands.flows is not None)
    return shown


def choose(window: MainWindow, qtbot: QtBot, page: ModelPage, variable: str, node: int) -> None:
    """Click a node and wait for its inspector."""
    click(page, node_place(page, variable, node))
    qtbot.waitUntil(lambda: bool(window.findChild(GraphNodeInspector)))
    name = node_name(graph_of_page(page), variable, node)
    qtbot.waitUntil(lambda: inspector_of(window)._head.title.text().startswith(name))
