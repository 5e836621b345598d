"""Dragging arcs, nodes and variables of a decision graph; nothing is done before it is measured."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    Operation,
    operation_effect,
)
from pgmstudio.core.languages.pdg.node_facts import move_of
from pgmstudio.gui.canvas.tools import EdgeTool
from pgmstudio.gui.languages.pdg.drag import NOT_MEASURED
from pgmstudio.gui.languages.pdg.nodes import NodeKey, graph_nodes
from pgmstudio.gui.languages.pdg.page_extension import effect_text
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.graph_pages import (
    FAMILY,
    MENTAL,
    PRESSURE,
    SMOKING,
    WORK,
    click,
    controller_of,
    graph_of_page,
    node_place,
    open_coronary,
)

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> ModelPage:
    return open_coronary(window, qtbot)


def arc_place(page: ModelPage, upper: str, node: int, state: int, lower: str) -> QPoint:
    """The middle of an arc on the view."""
    graph, bands = graph_of_page(page), controller_of(page).canvas.bands
    i, j = graph.domain.index(upper), graph.domain.index(lower)
    edges = graph.successors[j]
    assert edges is not None
    ends = bands.bands.arc(i, node, state, edges.shape[1], j, int(edges[node, state]))
    middle = QPointF((ends[0] + ends[2]) / 2, (ends[1] + ends[3]) / 2)
    return page.front.view.mapFromScene(middle)


def title_place(page: ModelPage, variable: str) -> QPoint:
    item = controller_of(page).canvas.bands.items_by_variable[variable]
    return page.front.view.mapFromScene(item.pos() + item.corner + QPointF(30, 10))


def hold(page: ModelPage, start: QPoint, end: QPoint) -> None:
    """Press and drag, without letting go."""
    view = page.front.view.viewport()
    QTest.mousePress(view, LEFT, NO_KEY, start)
    for share in (0.3, 0.7, 1.0):
        QTest.mouseMove(view, start + (end - start) * share)


def let_go(page: ModelPage, end: QPoint) -> None:
    QTest.mouseRelease(page.front.view.viewport(), LEFT, NO_KEY, end)


def wait_measured(page: ModelPage, qtbot: QtBot) -> str:
    drag = controller_of(page).canvas.band_view.drag
    qtbot.waitUntil(lambda: bool(drag.advice.effect or drag.advice.refusal))
    return drag.advice.effect or drag.advice.refusal


def test_an_arc_dragged_to_another_node_leads_there_after_its_worth_was_reported(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    before = graph_of_page(page)
    end = node_place(page, PRESSURE, 1)
    step = CandidateOperation(Operation.REDIRECT, PRESSURE, 1, upper=0, state=0)
    rows, weight = controller_of(page).measured_by()
    result = operation_effect(before, step, rows)
    hold(page, arc_place(page, SMOKING, 0, 0, PRESSURE), end)
    words = wait_measured(page, qtbot)
    assert words == effect_text(result, weight)
    assert graph_of_page(page) is before
    let_go(page, end)
    edges = graph_of_page(page).successors[before.domain.index(PRESSURE)]
    assert edges is not None
    assert edges[0, 0] == 1
    window.app.document.undo_stack.undo()
    assert graph_of_page(page) is before


def test_a_node_dragged_onto_another_is_merged_with_it_and_stays_chosen(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    before, end = graph_of_page(page), node_place(page, PRESSURE, 0)
    hold(page, node_place(page, PRESSURE, 1), end)
    assert "bits, size −2, score" in wait_measured(page, qtbot)
    let_go(page, end)
    assert sum(graph_of_page(page).node_counts) == sum(before.node_counts) - 1
    assert graph_nodes(window.app).chosen(page._model_id) == (PRESSURE, 0)
    window.app.document.undo_stack.undo()
    assert graph_of_page(page) is before


@pytest.mark.parametrize(
    ("dragged", "onto", "reason"),
    [
        ((PRESSURE, 1), (SMOKING, 0), "nodes of one variable"),
        ((SMOKING, 1), (SMOKING, 2), "cannot be merged"),
    ],
)
def test_nodes_that_cannot_be_merged_say_why(
    page: ModelPage, qtbot: QtBot, dragged: NodeKey, onto: NodeKey, reason: str
) -> None:
    before, end = graph_of_page(page), node_place(page, *onto)
    hold(page, node_place(page, *dragged), end)
    assert reason in wait_measured(page, qtbot)
    let_go(page, end)
    assert reason in controller_of(page).canvas.bubble.text
    assert graph_of_page(page) is before


def test_an_arc_is_refused_by_nodes_of_other_variables(page: ModelPage, qtbot: QtBot) -> None:
    before, end = graph_of_page(page), node_place(page, SMOKING, 0)
    hold(page, arc_place(page, WORK, 0, 0, MENTAL), end)
    assert "to a node of Mental work" in wait_measured(page, qtbot)
    let_go(page, end)
    assert "to a node of Mental work" in controller_of(page).canvas.bubble.text
    assert graph_of_page(page) is before


def test_what_is_let_go_before_it_was_measured_is_not_done(page: ModelPage) -> None:
    before, end = graph_of_page(page), node_place(page, PRESSURE, 0)
    controller_of(page).changes._rest.setInterval(600_000)  # nobody waits that long
    hold(page, node_place(page, PRESSURE, 1), end)
    let_go(page, end)
    assert controller_of(page).canvas.bubble.text == NOT_MEASURED
    assert graph_of_page(page) is before


def test_escape_gives_a_drag_up(page: ModelPage, qtbot: QtBot) -> None:
    view, before, end = page.front.view, graph_of_page(page), node_place(page, PRESSURE, 0)
    hold(page, node_place(page, PRESSURE, 1), end)
    wait_measured(page, qtbot)
    QTest.keyClick(view, Qt.Key.Key_Escape)
    let_go(page, end)
    assert graph_of_page(page) is before


def test_a_band_dragged_onto_another_comes_below_it(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    before, end = graph_of_page(page), title_place(page, FAMILY)
    rows, weight = controller_of(page).measured_by()
    result = move_of(before, PRESSURE, FAMILY, rows)
    hold(page, title_place(page, PRESSURE), end)
    words = wait_measured(page, qtbot)
    assert words == effect_text(result, weight)
    let_go(page, end)
    graph = graph_of_page(page)
    assert graph.forest[graph.domain.index(PRESSURE)] == graph.domain.index(FAMILY)
    window.app.document.undo_stack.undo()
    assert graph_of_page(page) is before


def test_a_band_is_not_moved_below_one_that_hangs_from_it(page: ModelPage, qtbot: QtBot) -> None:
    before, end = graph_of_page(page), title_place(page, PRESSURE)
    hold(page, title_place(page, MENTAL), end)
    assert "stands below it" in wait_measured(page, qtbot)
    let_go(page, end)
    assert "stands below it" in controller_of(page).canvas.bubble.text
    assert graph_of_page(page) is before


def test_arcs_of_collapsed_variables_are_not_taken_hold_of(page: ModelPage) -> None:
    controller = controller_of(page)
    controller.toggle(SMOKING)
    start = arc_place(page, SMOKING, 0, 0, PRESSURE)
    QTest.mousePress(page.front.view.viewport(), LEFT, NO_KEY, start)
    assert not controller.canvas.band_view.drag.is_held
    let_go(page, start)


def test_an_edge_drawn_in_the_forest_moves_the_variable_it_leads_to(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    before = graph_of_page(page)
    page.bar.picture_chosen.emit("forest")
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 6)
    page.canvas.view.fit()
    page.choose_tool("edge")
    tool, view = page.canvas.view.tool, page.canvas.view
    assert isinstance(tool, EdgeTool)
    ends = [view.mapFromScene(page.scene().nodes[name].pos()) for name in (FAMILY, PRESSURE)]
    hold(page, ends[0], ends[1])
    qtbot.waitUntil(lambda: "score" in tool.advice.forecast)
    let_go(page, ends[1])
    graph = graph_of_page(page)
    assert graph.forest[graph.domain.index(PRESSURE)] == graph.domain.index(FAMILY)
    window.app.document.undo_stack.undo()
    assert graph_of_page(page) is before
    page.choose_tool("edge")
    hold(page, ends[1], ends[0])
    qtbot.waitUntil(lambda: bool(tool.advice.forecast))
    QTest.keyClick(view, Qt.Key.Key_Escape)
    let_go(page, ends[0])
    assert graph_of_page(page) is before


def test_nothing_of_the_forest_is_deleted_and_the_way_out_is_reported(
    page: ModelPage, qtbot: QtBot
) -> None:
    before = graph_of_page(page)
    page.bar.picture_chosen.emit("forest")
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 6)
    page.canvas.signals.select.emit((PRESSURE,), ())
    page.canvas.signals.delete.emit()
    assert "Move in the forest" in page.canvas.bubble.text
    assert graph_of_page(page) is before


@pytest.mark.parametrize(("action", "node", "count"), [("merge", 0, 2), ("split", 1, 1)])
def test_the_buttons_offer_steps_with_what_they_bring_and_do_none_themselves(
    page: ModelPage, window: MainWindow, action: str, node: int, count: int
) -> None:
    before = graph_of_page(page)
    variable = PRESSURE if action == "merge" else SMOKING
    click(page, node_place(page, variable, node))
    window.app.actions[f"model.graph.{action}"].trigger()
    menu = controller_of(page).canvas.findChild(QMenu, "graphOffer")
    assert isinstance(menu, QMenu)
    lines = [line.text() for line in menu.actions()]
    assert len(lines) == count
    assert all("bits, size" in line and "score" in line for line in lines)
    assert graph_of_page(page) is before
    menu.actions()[0].trigger()
    assert sum(graph_of_page(page).node_counts) != sum(before.node_counts)
    menu.close()
