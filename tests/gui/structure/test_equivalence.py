"""Equivalent graphs and other pictures of the same model, sizes, and forecasts while drawing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QListWidget, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.arc_reversal import largest_difference
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.canvas.tools import EdgeTool
from pgmstudio.gui.inspector.model import SizeSection
from pgmstudio.gui.model_page.context_menu import canvas_menu
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.structure.equivalence_page import EquivalencePage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import inspector, open_asia_page

LEFT, NO_KEY = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow, sample_data: Path) -> ModelPage:
    return open_asia_page(qtbot, window, sample_data)


def network(window: MainWindow) -> BayesianNetwork:
    (entry,) = window.app.project.models.values()
    assert isinstance(entry.model, BayesianNetwork)
    return entry.model


def words(page: ModelPage) -> set[str]:
    return {entry.text for entry in page.legend_entries()}


# -- graphs of the class


def test_choosing_another_graph_keeps_the_distribution_and_can_be_undone(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = network(window)
    window.app.actions.refresh()
    window.app.actions["model.members"].trigger()
    listed = window.app.center.current
    assert isinstance(listed, EquivalencePage)
    view = listed.findChild(QListWidget, "equivalentList")
    assert view is not None
    qtbot.waitUntil(lambda: view.count() == 6)
    assert "All 6 graphs" in listed.summary.text()
    assert view.item(0).text() == "The current graph"
    use = listed.findChild(QPushButton, "equivalentUse")
    assert use is not None
    assert not use.isEnabled()
    assert use.toolTip() == "Not now: this is the current graph."
    row = next(i for i in range(6) if view.item(i).text().endswith(": tub → asia"))
    position = view.visualItemRect(view.item(row)).center()
    qtbot.mouseClick(view.viewport(), LEFT, NO_KEY, position)
    qtbot.waitUntil(use.isEnabled)
    assert "Same distribution" in listed.check.text
    assert listed.canvas.scene.selected_edges == (("tub", "asia"),)
    qtbot.mouseClick(use, LEFT)
    after = network(window)
    assert after.dag.has_edge("tub", "asia")
    assert after.dag.is_equivalent_to(before.dag)
    assert largest_difference(before, after) < 1e-12
    qtbot.waitUntil(lambda: view.count() == 6 and listed.listing is not None)
    window.app.document.undo_stack.undo()
    assert network(window) is before


def test_a_graph_that_stands_alone_says_so(qtbot: QtBot, window: MainWindow) -> None:
    domain = Domain(tuple(Variable(name, ("a", "b")) for name in "xyz"))
    model = BayesianNetwork.uniform(domain, Dag.from_edges("xyz", [("x", "z"), ("y", "z")]))
    add_and_show_model(window.app, ModelEntry("vee", model), "Open vee")
    window.app.actions.refresh()
    window.app.actions["model.members"].trigger()
    listed = window.app.center.current
    assert isinstance(listed, EquivalencePage)
    qtbot.waitUntil(lambda: "every edge is compelled" in listed.summary.text())


# -- reversing an edge


def menu_entries(page: ModelPage, edge: tuple[str, str]) -> dict[str, tuple[bool, str]]:
    item = page.scene().edges[edge]
    menu = canvas_menu(page, Hit(QPointF(*item.route.at(0.5)), edge=item), page)
    entries = {a.objectName(): (a.isEnabled(), a.toolTip()) for a in menu.actions()}
    menu.deleteLater()
    return entries


def test_a_covered_edge_is_reversed_with_new_tables(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = network(window)
    assert menu_entries(page, ("smoke", "lung"))["menu.turn"][0]
    window.app.workspace.select((), [("smoke", "lung")])
    window.app.actions.refresh()
    window.app.actions["model.turn"].trigger()
    assert network(window).dag.has_edge("lung", "smoke")
    assert largest_difference(before, network(window)) < 1e-12
    window.app.document.undo_stack.undo()
    assert network(window) is before


def test_an_edge_that_is_not_covered_says_what_would_be_needed(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = network(window)
    entries = menu_entries(page, ("tub", "either"))
    is_on, tip = entries["menu.turn"]
    assert not is_on
    assert tip.startswith("Not now: the two have other parents")
    assert "asia → either" in tip
    assert "lung → tub" in tip
    assert entries["menu.turn-inheriting"][0]
    page.editing.turn("tub", "either")
    after = network(window)
    assert {("either", "tub"), ("asia", "either"), ("lung", "tub")} <= set(after.edges)
    assert largest_difference(before, after) < 1e-12


def test_an_edge_with_a_way_around_cannot_be_turned(qtbot: QtBot, window: MainWindow) -> None:
    domain = Domain(tuple(Variable(name, ("a", "b")) for name in "xyz"))
    dag = Dag.from_edges("xyz", [("x", "y"), ("y", "z"), ("x", "z")])
    add_and_show_model(
        window.app, ModelEntry("three", BayesianNetwork.uniform(domain, dag)), "Open"
    )
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: len(page.scene().edges) == 3)
    entries = menu_entries(page, ("x", "z"))
    assert "x → y → z leads there too" in entries["menu.turn"][1]
    assert "menu.turn-inheriting" not in entries


# -- pictures


def test_every_picture_of_a_network_has_its_legend(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.resize(1900, 900)
    for name, shown in (
        ("cpdag", {"compelled edge", "reversible edge"}),
        ("pattern", {"in a v-structure", "edge without direction"}),
        ("moral", {"edge without direction", "joins parents"}),
        ("triangulated", {"joins parents", "fill-in"}),
    ):
        chosen = page.bar.findChild(QToolButton, f"picture.{name}")
        assert chosen is not None
        qtbot.waitUntil(chosen.isVisible)
        qtbot.mouseClick(chosen, LEFT)
        qtbot.waitUntil(lambda shown=shown: shown <= words(page))  # type: ignore[misc]
    chosen = page.bar.findChild(QToolButton, "picture.clique-tree")
    assert chosen is not None
    qtbot.mouseClick(chosen, LEFT)
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 6)
    titles = [item.face.title for item in page.scene().nodes.values()]
    assert sum(int(title.split("\n")[-1].split(" ")[0]) for title in titles) == 40
    assert {edge.edge.label for edge in page.scene().edges.values()} >= {"tub", "either"}


def test_a_narrow_bar_folds_pictures_but_never_the_one_in_view(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    bar = page.bar
    more = bar.findChild(QToolButton, "pictureMenu")
    assert more is not None
    bar.resize(2000, 40)
    assert more.isHidden()
    bar.resize(520, 40)
    assert not more.isHidden()
    assert {a.text() for a in more.menu().actions()} >= {"CPDAG", "Pattern", "Triangulated"}
    next(a for a in more.menu().actions() if a.text() == "Triangulated").trigger()
    assert page.picture_name == "triangulated"
    bar.resize(521, 40)
    shown = bar.findChild(QToolButton, "picture.triangulated")
    assert shown is not None
    assert not shown.isHidden()


# -- sizes


def test_the_inspector_says_what_the_sizes_are_made_of(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    section = inspector(window).findChild(SizeSection, "inspectorSizes")
    assert section is not None
    qtbot.waitUntil(lambda: bool(section.facts.facts))
    assert section.fact.text() == "18 in all"
    by_clique = section.findChild(QToolButton, "sizePart.cliques")
    assert by_clique is not None
    qtbot.mouseClick(by_clique, LEFT)
    assert section.fact.text() == "40 in all"
    assert section.facts.facts["Triangulated by"] == network(window).clique_tree.method
    more = section.findChild(QPushButton, "sizeMore")
    assert more is not None
    assert more.text() == "Show all 6 cliques"
    qtbot.mouseClick(more, LEFT)
    assert more.text() == "Show the largest only"


# -- forecasts


def head(page: ModelPage, node: str) -> QPoint:
    box = page.scene().nodes[node].box
    return page.canvas.view.mapFromScene(QPointF(box.center().x(), box.top() + 10))


def test_the_size_of_the_clique_tree_is_forecast_while_an_edge_is_drawn(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    page.choose_tool("edge")
    view = page.canvas.view
    tool = view.tool
    assert isinstance(tool, EdgeTool)
    qtbot.mousePress(view.viewport(), LEFT, NO_KEY, head(page, "asia"))
    qtbot.mouseMove(view.viewport(), head(page, "dysp"))
    assert tool.advice.text == "4 → 8 rows"  # at once
    qtbot.waitUntil(lambda: "junction-tree cells" in tool.advice.forecast)
    before, after = tool.advice.forecast.split(" junction")[0].split(" → ")
    model = network(window)
    assert int(before) == model.effective_size()
    assert int(after) == model.with_edge("asia", "dysp").effective_size()
    assert not tool.advice.is_large
    assert not window.grab().isNull()
    qtbot.mouseMove(view.viewport(), head(page, "tub"))  # an edge that is there already
    assert tool.advice.refusal
    qtbot.mouseMove(view.viewport(), head(page, "either"))
    qtbot.waitUntil(lambda: bool(tool.advice.forecast))
    tool.cancel()
    assert not tool.advice.forecast


def test_an_edge_that_makes_tables_explode_is_a_warning(qtbot: QtBot, window: MainWindow) -> None:
    names = [f"x{i}" for i in range(6)]
    states = tuple(f"s{k}" for k in range(8))
    domain = Domain((*(Variable(name, states) for name in names), Variable("y", ("a", "b"))))
    dag = Dag.from_edges(domain.names, [(name, "y") for name in names[:3]])
    tables = [np.full(8, 1 / 8)] * 6 + [np.full((8, 8, 8, 2), 0.5)]
    model = BayesianNetwork(domain, dag, tuple(tables))
    add_and_show_model(window.app, ModelEntry("wide", model), "Open")
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 7)
    page.choose_tool("edge")
    tool = page.canvas.view.tool
    assert isinstance(tool, EdgeTool)
    tool.pick("x3")
    tool.aim("y")
    qtbot.waitUntil(lambda: tool.advice.is_large)
    assert not window.grab().isNull()
