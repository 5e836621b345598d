"""Context menus of tabs and variables."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtWidgets import QMenu, QTabBar
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.evidence.variables_panel import VariablesPanel
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.widgets.actions import unmarked
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from tests.gui.samples import add_sprinkler


def entries(menu: QMenu) -> list[str]:
    return [unmarked(action.text()) for action in menu.actions() if action.text()]


def choose(menu: QMenu, text: str) -> None:
    next(action for action in menu.actions() if unmarked(action.text()) == text).trigger()
    menu.close()


def tab_menu(window: MainWindow, index: int) -> QMenu:
    bar = window.app.center.findChild(QTabBar)
    bar.customContextMenuRequested.emit(bar.tabRect(index).center())
    (menu,) = [m for m in window.findChildren(QMenu, "tabMenu") if m.isVisible()]
    return menu


def test_the_menu_of_a_tab_has_what_the_tree_has_for_its_model(
    qtbot: QtBot, window: MainWindow
) -> None:
    app = window.app
    add_sprinkler(app)
    open_data_page(app, "d1")
    open_model_page(app, "m1")
    titles = [page.title for page in app.center.pages]
    menu = tab_menu(window, 1)
    assert entries(menu) == ["Duplicate", "Compare with…", "Export…", "Close", "Close others"]
    choose(menu, "Duplicate")
    assert [entry.title for entry in app.project.models.values()] == [
        titles[1],
        f"{titles[1]} copy",
    ]
    menu = tab_menu(window, 0)
    assert entries(menu) == ["Close", "Close others"]
    choose(menu, "Close others")
    assert [page.title for page in app.center.pages] == titles[:1]


def test_a_variable_can_be_observed_and_its_blanket_shown_by_its_menu(
    qtbot: QtBot, window: MainWindow
) -> None:
    app = window.app
    states = ["low", "high"]
    domain = Domain.of({"rain": states, "wet": states, "slip": states})
    half = np.full((2, 2), 0.5)
    dag = Dag.from_edges(domain.names, [("rain", "wet"), ("wet", "slip")])
    chain = BayesianNetwork(domain, dag, (half[0], half, half))
    app.change("Add", partial(edits.add_model, entry=ModelEntry("Chain", chain)))
    open_model_page(app, "m1")
    page = app.center.current
    assert isinstance(page, ModelPage)
    panel = panel_widget(window, "variablesPanel")
    assert isinstance(panel, VariablesPanel)
    qtbot.waitUntil(lambda: panel.list.live is not None and bool(panel.list.live.beliefs))
    panel._refresh()
    row = next(row for row in panel._rows.rows if row.name == "rain")
    app.workspace.select(("rain",))
    menu = panel.list.menu_of(row)
    assert entries(menu)[1:3] == ["Clear evidence", "Make target"]
    choose(menu, "Make target")
    assert app.workspace.target == "rain"
    choose(panel.list.menu_of(row), "Show only its Markov blanket")
    nodes = page.scene().nodes
    shown = {name for name, item in nodes.items() if item.isVisible()}
    assert shown == page.scene().near.blanket("rain")
    assert shown != set(nodes)
    page.canvas.find_bar.finish()
    assert all(item.isVisible() for item in nodes.values())
