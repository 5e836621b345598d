"""The Asia network in a window, as the tests of evidence use it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from pgmstudio.gui.app.main_window import MainWindow, panel_widget
from pgmstudio.gui.app.opening import open_model_file
from pgmstudio.gui.document.live_beliefs import LiveBeliefs
from pgmstudio.gui.panels.belief_bars import BeliefBars
from pgmstudio.gui.panels.inspector_panel import InspectorPanel
from pgmstudio.gui.panels.variable_rows import mini_rect
from pgmstudio.gui.panels.variables_panel import VariablesPanel

NO_KEY = Qt.KeyboardModifier.NoModifier


def open_asia(window: MainWindow, sample_data: Path) -> LiveBeliefs:
    """The model's page in front; its live beliefs."""
    open_model_file(window.shell, sample_data / "asia.json")
    live = window.shell.bench.beliefs_in_view
    assert live is not None
    return live


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
    place = next(i for i in range(rows.rowCount()) if rows.rows[i].name == name)  # type: ignore[attr-defined]
    row = rows.rows[place]  # type: ignore[attr-defined]
    mini = mini_rect(shown.visualRect(rows.index(place, 0)))
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
    place = bars.row_rect(state).center().toPoint()
    qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, held, place)
