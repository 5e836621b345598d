"""Changing a decision graph: distributions, steps, moves, collapsing, menus, improving."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDoubleSpinBox, QMenu
from pytestqt.qtbot import QtBot

from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    Operation,
    operation_effect,
    redirections_from,
)
from pgmstudio.core.languages.pdg.diagrams import operation_text
from pgmstudio.core.languages.pdg.measures import node_counts
from pgmstudio.core.languages.pdg.node_facts import move_of
from pgmstudio.core.languages.pdg.operators import moved
from pgmstudio.core.number_format import change
from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.languages.pdg.nodes import take
from pgmstudio.gui.languages.pdg.page_extension import PdgExtension, band_menu, graph_node_menu
from pgmstudio.gui.languages.pdg.size_history import TrailSection
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.graph_pages import (
    FAMILY,
    MENTAL,
    PRESSURE,
    PROTEINS,
    SMOKING,
    WORK,
    choose,
    controller_of,
    coronary_rows,
    graph_of_page,
    inspector_of,
    open_coronary,
)

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> ModelPage:
    return open_coronary(window, qtbot)


def test_another_distribution_reports_its_effect_before_it_is_accepted(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    choose(window, qtbot, page, SMOKING, 1)
    before = graph_of_page(page)
    panel, i = inspector_of(window), before.domain.index(SMOKING)
    qtbot.waitUntil(lambda: panel.counts.text().startswith("Rows: "))
    here = node_counts(before, coronary_rows(600))[i][1]
    bits = here @ np.log2(np.array([0.9, 0.1]) / before.parameters[i][1])
    field = panel.findChild(QDoubleSpinBox, "parameter.no")
    field.selectAll()
    qtbot.keyClicks(field, "0.9")
    assert f"ΔL {change(bits)} bits, Δsize 0, Δscore {change(bits)}" in panel.counts.text()
    assert graph_of_page(page) is before
    qtbot.keyClick(field, Qt.Key.Key_Return)
    np.testing.assert_allclose(graph_of_page(page).parameters[i][1], [0.9, 0.1])
    window.app.document.undo_stack.undo()
    assert graph_of_page(page) is before


def test_what_is_shown_before_a_step_is_its_effect(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    choose(window, qtbot, page, PRESSURE, 0)
    panel, before = inspector_of(window), graph_of_page(page)
    qtbot.waitUntil(lambda: any(not row.refusal for row in panel.changes.rows))
    position = next(i for i, row in enumerate(panel.changes.rows) if row.text.startswith("Merge"))
    row = panel.changes.rows[position]
    panel.changes.press(position)
    after = graph_of_page(page)
    assert after.effective_size() - before.effective_size() == row.size
    assert sum(after.node_counts) == sum(before.node_counts) - 1
    window.app.document.undo_stack.undo()
    assert graph_of_page(page) is before


def test_a_variable_is_moved_in_the_forest_from_the_inspector(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    choose(window, qtbot, page, PRESSURE, 0)
    panel = inspector_of(window)
    qtbot.waitUntil(lambda: bool(panel.moves.rows))
    position = next(i for i, row in enumerate(panel.moves.rows) if row.text == "To the top")
    panel.moves.press(position)
    graph = graph_of_page(page)
    assert graph.forest[graph.domain.index(PRESSURE)] is None


def test_collapsing_keeps_one_box_and_can_be_undone(page: ModelPage, window: MainWindow) -> None:
    controller = controller_of(page)
    view = controller.canvas.band_view
    item = controller.canvas.bands.items_by_variable[SMOKING]
    title = view.mapFromScene(item.pos() + item.corner + QPointF(30, 10))
    QTest.mouseDClick(view.viewport(), LEFT, NO_KEY, title)
    assert controller.canvas.bands.collapsed == {SMOKING}
    assert page.entry.display_modes[SMOKING] == "collapsed"
    assert controller.canvas.bands.node_at(node_centre(controller, SMOKING)) is None
    window.app.document.undo_stack.undo()
    assert controller.canvas.bands.collapsed == frozenset()
    QTest.mouseDClick(view.viewport(), LEFT, NO_KEY, _title_of(controller, WORK))
    assert "one node" in controller.canvas.bubble.text


def node_centre(controller: PdgExtension, variable: str) -> QPointF:
    return controller.canvas.bands.box_of((variable, 0)).center()


def _title_of(controller: PdgExtension, variable: str) -> object:
    item = controller.canvas.bands.items_by_variable[variable]
    return controller.canvas.band_view.mapFromScene(item.pos() + item.corner + QPointF(30, 10))


def test_the_menu_of_a_node_reports_the_effect_of_each_step(page: ModelPage) -> None:
    controller = controller_of(page)
    menu = graph_node_menu(controller, (PRESSURE, 0))
    merges = menu.actions()[0].menu()
    assert merges is not None
    texts = [action.text() for action in merges.actions()]  # type: ignore[attr-defined]
    assert len(texts) == 2
    assert all("bits" in text and "size" in text for text in texts)
    menu.deleteLater()


def test_menus_tell_bits_size_and_score_of_redirections_and_moves(
    window: MainWindow, page: ModelPage
) -> None:
    controller, graph = controller_of(page), graph_of_page(page)
    node = graph_node_menu(controller, (SMOKING, 0))
    item = controller.canvas.bands.items_by_variable[SMOKING]
    band = band_menu(page, controller, Hit(item.pos(), node=item))
    for menu, name in ((node, "menu.redirect"), (band, "menu.move")):
        steps = menu.findChild(QMenu, name)
        assert isinstance(steps, QMenu)
        steps.aboutToShow.emit()
        events = [action.text().partition("\t")[2] for action in steps.actions()]
        assert events
        assert all(re.fullmatch(r"\S+ bits, size \S+, score \S+", words) for words in events)
    rows, weight = controller.measured_by()
    step = next(redirections_from(graph, SMOKING, 0))
    result = operation_effect(graph, step, rows)
    score = change(result.score(weight))
    listed = [action.text() for action in node.findChild(QMenu, "menu.redirect").actions()]
    assert any(text.startswith(operation_text(graph, step)) and score in text for text in listed)
    node.deleteLater()
    band.deleteLater()


def test_a_move_that_keeps_the_distribution_is_reported_to_gain_nothing(page: ModelPage) -> None:
    graph, (rows, weight) = graph_of_page(page), controller_of(page).measured_by()
    result = move_of(graph, MENTAL, PROTEINS, rows)
    assert result.refusal  # it stands above it
    below = moved(graph, FAMILY, PRESSURE, rows)
    assert below.is_exact
    message = move_of(graph, FAMILY, PRESSURE, rows)
    after = below.graph.log2_probabilities(rows).sum()
    assert message.bits == pytest.approx(after - graph.log2_probabilities(rows).sum())
    assert weight.gain(message.bits, message.size, message.free) <= 0


def test_steps_raise_the_score_until_none_does(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    improving = controller_of(page).improving
    window.app.actions.refresh("model.graph.improve")
    window.app.actions["model.graph.improve"].trigger()
    assert improving.bar.isVisible()
    improving.run(True)
    qtbot.waitUntil(lambda: "any more" in improving.bar.message.text(), timeout=20_000)
    assert not improving.bar.is_running
    before = improving.taken
    improving.step()
    qtbot.waitUntil(lambda: not improving._latest_task.is_waiting)
    assert improving.taken == before
    for _ in range(before):
        window.app.document.undo_stack.undo()
    assert sum(graph_of_page(page).node_counts) == 12
    # What the steps brought is undone, and no longer reported.
    assert "worth most" in improving.bar.message.text()
    improving.close()


def test_every_version_of_the_graph_has_a_point_of_size_and_likelihood(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.app.workspace.select(())
    step = CandidateOperation(Operation.SPLIT, PROTEINS, 0)
    take(window.app, page._model_id, step)
    section = window.findChild(TrailSection, "inspectorTrail")
    assert isinstance(section, TrailSection)
    qtbot.waitUntil(lambda: not section.isHidden())
    assert [point.size for point in section.plot.points] == [24, 26]
    qtbot.waitUntil(lambda: section.plot.current is section.plot.points[1])
    window.app.document.undo_stack.undo()
    qtbot.waitUntil(lambda: section.plot.current is section.plot.points[0])
