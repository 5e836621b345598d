"""A small network on the page of a model, and the gestures that reach its parts."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.window.main_window import MainWindow

Key, Mods = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


def garden() -> BayesianNetwork:
    """Rain and a sprinkler wet the grass; the sprinkler has three settings."""
    domain = Domain.of(
        {"rain": ("yes", "no"), "sprinkler": ("off", "low", "high"), "grass": ("wet", "dry")}
    )
    dag = Dag.from_edges(domain.names, [("rain", "grass"), ("sprinkler", "grass")])
    tables = (
        [0.2, 0.8],
        [0.5, 0.3, 0.2],
        [[[0.9, 0.1], [0.95, 0.05], [1.0, 0.0]], [[0.0, 1.0], [0.6, 0.4], [0.9, 0.1]]],
    )
    return BayesianNetwork(domain, dag, tables)


def open_network(qtbot: QtBot, window: MainWindow, model: BayesianNetwork, title: str) -> ModelPage:
    add_and_show_model(window.app, ModelEntry(title=title, model=model), f"Open {title}")
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    wanted = len(model.domain)
    qtbot.waitUntil(lambda: len(page.scene().nodes) == wanted and not page.asking.live.is_waiting)
    page.canvas.view.set_zoom(1.0)
    page.canvas.view.fit()
    page.canvas.view.setFocus()
    return page


def open_garden(qtbot: QtBot, window: MainWindow) -> ModelPage:
    """The page of the garden in front, at a size at which its bars can be hit."""
    window.reset_layout()
    for name in ("tablePanel", "runsPanel", "logPanel"):  # more room for the canvas
        if name in window.docks:
            window.docks[name].hide()
    made = open_network(qtbot, window, garden(), "garden")
    assert made.canvas.view.zoom >= 0.7
    return made


def head_of(page: ModelPage, node: str) -> QPoint:
    box = page.scene().nodes[node].box
    return page.canvas.view.mapFromScene(QPointF(box.center().x(), box.top() + 10))


def bar_of(page: ModelPage, node: str, state: str, share: float = 0.5) -> QPoint:
    item = page.scene().nodes[node]
    index = item.geometry.shown.index(item.face.states.index(state))
    bar = item.geometry.bar(index)
    inside = QPointF(bar.left() + bar.width() * share, bar.center().y())
    return page.canvas.view.mapFromScene(item.pos() + item.corner + inside)


def click(qtbot: QtBot, page: ModelPage, position: QPoint, keys: Mods = Mods.NoModifier) -> None:
    qtbot.mouseClick(page.canvas.view.viewport(), LEFT, keys, position)


def drag(qtbot: QtBot, page: ModelPage, start: QPoint, end: QPoint) -> None:
    viewport = page.canvas.view.viewport()
    qtbot.mousePress(viewport, LEFT, pos=start)
    for share in (0.2, 0.5, 0.8, 1.0):
        qtbot.mouseMove(viewport, start + (end - start) * share)
    qtbot.mouseRelease(viewport, LEFT, pos=end)


def settled(qtbot: QtBot, page: ModelPage) -> None:
    live = page.asking.live
    qtbot.waitUntil(lambda: not live.is_stale and not live.is_waiting)


def shown(page: ModelPage, node: str) -> tuple[float, ...]:
    return page.scene().nodes[node].face.beliefs
