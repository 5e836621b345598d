"""The Asia network in a window, as the tests of evidence use it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.evidence.variables_panel import VariablesPanel, mini_rect
from pgmstudio.gui.files.opening import open_model_file
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.widgets.belief_bars import BeliefBars
from pgmstudio.gui.window.main_window import MainWindow, panel_widget

NO_KEY = Qt.KeyboardModifier.NoModifier


def open_asia(window: MainWindow, sample_data: Path) -> BeliefService:
    """The model's page in front; its live beliefs."""
    open_model_file(window.app, sample_data / "asia.json")
    live = window.app.workspace.active_beliefs
    assert live is not None
    return live


def bring_up_to_date(qtbot: QtBot, live: BeliefService) -> None:
    """Ask at once, and wait for the answer where a slow machine has a worker answer."""
    live.update_now()
    qtbot.waitUntil(lambda: not live.is_stale and not live.is_waiting)


def variables(window: MainWindow) -> VariablesPanel:
    panel = panel_widget(window, "variablesPanel")
    assert isinstance(panel, VariablesPanel)
    return panel


def inspector(window: MainWindow) -> InspectorPanel:
    panel = panel_widget(window, "inspectorPanel")
    assert isinstance(panel, InspectorPanel)
    return panel


def mini_bar(window: MainWindow, name: str, state: str) -> QPoint:
    """The middle of a state's mini bar, in the viewport of the list."""
    shown = variables(window).list
    rows = shown.model()
    position = next(i for i in range(rows.rowCount()) if rows.rows[i].name == name)  # type: ignore[attr-defined]
    row = rows.rows[position]  # type: ignore[attr-defined]
    mini = mini_rect(shown.visualRect(rows.index(position, 0)))
    number = row.shown().index(row.states.index(state))
    x = mini.left() + (number + 0.5) * mini.width() / len(row.shown())
    return QPoint(int(x), mini.center().y())


def click_mini_bar(
    qtbot: QtBot, window: MainWindow, name: str, state: str, held: Qt.KeyboardModifier = NO_KEY
) -> None:
    view = variables(window).list.viewport()
    qtbot.waitUntil(lambda: variables(window).list.model().rowCount() > 0)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, held, mini_bar(window, name, state))


def click_bar(
    qtbot: QtBot, bars: BeliefBars, state: str, held: Qt.KeyboardModifier = NO_KEY
) -> None:
    position = bars.row_rect(state).center().toPoint()
    qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, held, position)


def network_of(live: BeliefService) -> BayesianNetwork:
    assert isinstance(live.model, BayesianNetwork)
    return live.model


def inspect(window: MainWindow, qtbot: QtBot, *names: str, tab: str = "belief") -> None:
    """Select variables; the inspector shows them."""
    window.app.workspace.select(names)
    panel = inspector(window)
    page = {0: panel.model, 1: panel.node}.get(len(names), panel.joint)
    qtbot.waitUntil(page.isVisible)
    if len(names) == 1:
        panel.node.show_tab(tab)
        qtbot.waitUntil(lambda: panel.node._name == names[0])


def find(window: MainWindow, kind: type, name: str) -> object:
    """A part of the inspector by its name."""
    result = inspector(window).findChild(kind, name)
    assert result is not None, name
    return result


def open_asia_page(qtbot: QtBot, window: MainWindow, sample_data: Path) -> ModelPage:
    """The page of Asia in front, drawn and answered, all of it in sight."""
    open_asia(window, sample_data)
    result = window.app.center.current
    assert isinstance(result, ModelPage)
    qtbot.waitUntil(lambda: len(result.scene().nodes) == 8 and not result.asking.live.is_waiting)
    result.canvas.view.fit()
    return result
