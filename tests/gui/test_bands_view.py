"""The picture “Nodes and flow” of a decision graph: bands, flows, gestures, collapsing, editing."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDoubleSpinBox, QMenu, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.decision_graph_session import DecisionGraphSession
from pgmstudio.core.inference.protocols import Likelihood, Observed
from pgmstudio.core.models.decision_graph_choices import Deed, Step, prospect, redirections_from
from pgmstudio.core.models.decision_graph_edits import moved
from pgmstudio.core.models.decision_graph_measures import node_counts
from pgmstudio.core.pictures.band_words import node_name, step_words
from pgmstudio.gui.app.main_window import MainWindow
from pgmstudio.gui.dialogs.export_dialog import ExportDialog
from pgmstudio.gui.document.graph_nodes import graph_nodes
from pgmstudio.gui.document.graph_rows import take
from pgmstudio.gui.pages.model_page import ModelPage
from pgmstudio.gui.panels.change_rows import signed
from pgmstudio.gui.panels.graph_node_facts import move_of
from pgmstudio.gui.panels.inspector_graph_node import GraphNodeInspector
from pgmstudio.gui.panels.trail_section import TrailSection
from pgmstudio.gui.views.band_desk import BandDesk
from pgmstudio.gui.views.band_item import BandItem
from pgmstudio.gui.views.band_menu import band_menu, graph_node_menu
from pgmstudio.gui.views.canvas_drawing import CanvasDrawing
from pgmstudio.gui.views.picture_file import PictureOptions, picture_bytes
from pgmstudio.gui.views.wishes import Hit
from tests.gui.graph_pages import (
    FAMILY,
    MENTAL,
    PRESSURE,
    PROTEINS,
    SMOKING,
    WORK,
    bar_place,
    click,
    coronary,
    coronary_rows,
    desk_of,
    graph_of_page,
    inspector_of,
    node_place,
    open_graph,
)
from tests.gui.walking import point_at

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> ModelPage:
    """The coronary graph with its rows, its beliefs known."""
    shown = open_graph(window.shell, coronary(), coronary_rows(600))
    desk = desk_of(shown)
    qtbot.waitUntil(lambda: desk.canvas.bands.flows is not None)
    return shown


def choose(window: MainWindow, qtbot: QtBot, page: ModelPage, variable: str, node: int) -> None:
    click(page, node_place(page, variable, node))
    qtbot.waitUntil(lambda: bool(window.findChild(GraphNodeInspector)))
    name = node_name(graph_of_page(page), variable, node)
    qtbot.waitUntil(lambda: inspector_of(window)._head.title.text().startswith(name))


def test_the_page_opens_with_a_band_for_each_variable_and_no_tools_for_graphs(
    page: ModelPage,
) -> None:
    desk = desk_of(page)
    assert desk.is_open
    assert page.canvas.isHidden()
    assert set(desk.canvas.bands.items_by_variable) == set(graph_of_page(page).domain.names)
    assert not page.bar.findChild(type(page.bar._modes), "modeCombo").isVisible()  # type: ignore[union-attr]


def test_the_flows_shown_are_those_of_a_session_with_the_same_evidence(
    page: ModelPage, qtbot: QtBot
) -> None:
    live = page.asking.live
    click(page, bar_place(page, MENTAL, "yes"))
    click(page, bar_place(page, PROTEINS, "<3"))
    qtbot.waitUntil(lambda: len(live.evidence) == 2 and not live.is_stale)
    session = DecisionGraphSession(graph_of_page(page))
    session.set_evidence(MENTAL, Observed("yes"))
    session.set_evidence(PROTEINS, Observed("<3"))
    bands, expected = desk_of(page).canvas.bands, session.node_flows()
    assert bands.flows is not None
    for shown, wanted in zip(bands.flows.visits, expected.visits, strict=True):
        np.testing.assert_allclose(shown, wanted)
    item = bands.items_by_variable[SMOKING]
    assert item.nodes.visits is not None
    assert item.nodes.visits[2] == 0  # greyed: nobody comes here any more
    assert bands.items_by_variable[MENTAL].nodes.struck == {0}
    legend = [entry.text for entry in page.legend_entries()]
    assert "width = flow given evidence" in legend
    assert "not reached" in legend


def test_a_click_again_retracts_and_shift_excludes(page: ModelPage, qtbot: QtBot) -> None:
    live = page.asking.live
    click(page, bar_place(page, SMOKING, "no"))
    assert live.evidence[SMOKING] == Observed("no")
    click(page, bar_place(page, SMOKING, "no"))
    assert SMOKING not in live.evidence
    click(page, bar_place(page, SMOKING, "no"), Qt.KeyboardModifier.ShiftModifier)
    assert SMOKING in live.evidence
    qtbot.waitUntil(lambda: not live.is_stale)
    assert live.beliefs[SMOKING][0] == 0


def test_dragging_a_bar_of_the_gutter_sets_a_likelihood(page: ModelPage) -> None:
    view = page.front.view.viewport()
    start, end = bar_place(page, PRESSURE, "<140", 0.9), bar_place(page, PRESSURE, "<140", 0.3)
    QTest.mousePress(view, LEFT, NO_KEY, start)
    for share in (0.5, 1.0):
        QTest.mouseMove(view, start + (end - start) * share)
    QTest.mouseRelease(view, LEFT, NO_KEY, end)
    assert isinstance(page.asking.live.evidence[PRESSURE], Likelihood)


def test_hovering_a_node_lights_its_paths_and_tells_in_and_out_flow(page: ModelPage) -> None:
    view, bands = page.front.view, desk_of(page).canvas.bands
    point_at(view.viewport(), node_place(page, SMOKING, 0))
    assert bands.hovered == (SMOKING, 0)
    lit = bands.items_by_variable[MENTAL].nodes.lit
    assert lit is not None
    assert lit.tolist() == [True, False]
    told = desk_of(page).describe((SMOKING, 0))
    assert "in-flow" in told
    assert "out-flow" in told
    assert "Physical work = no, Proteins = <3" in told
    view.stop_hover()
    assert bands.items_by_variable[MENTAL].nodes.lit is None


def test_hovering_an_arc_writes_its_state(page: ModelPage) -> None:
    desk = desk_of(page)
    graph = graph_of_page(page)
    upper, lower = graph.domain.index(WORK), graph.domain.index(MENTAL)
    x1, y1, x2, y2 = desk.canvas.bands.bands.arc(upper, 0, 1, 2, lower, 1)
    view = desk.canvas.band_view
    point_at(view.viewport(), view.mapFromScene(QPointF((x1 + x2) / 2, (y1 + y2) / 2)))
    assert view.arc_words == "Physical work = yes · 50.0 %"


def test_choosing_a_node_fills_the_inspector(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    live = page.asking.live
    live.set_finding(MENTAL, Observed("yes"))
    live.set_finding(PROTEINS, Observed("<3"))
    qtbot.waitUntil(lambda: not live.is_stale)
    choose(window, qtbot, page, SMOKING, 1)
    panel = inspector_of(window)
    assert panel._head.title.text() == "ν7 of Smoking"
    assert panel.rules.text().splitlines() == [
        "Physical work = no, Proteins = >3",
        "or Physical work = yes, Proteins = <3",
    ]
    qtbot.waitUntil(lambda: "rows come here" in panel._head.facts.text())
    facts = panel.flow.facts
    into, out = float(facts["In-flow"]), float(facts["Out-flow"])
    share = into * out / 2**live.log2_evidence
    assert facts["P(reached | e)"] == f"{100 * share:.1f} %"
    assert "Before evidence: 54.5 %." in panel.sentence.text()
    qtbot.waitUntil(lambda: bool(panel.changes.rows))
    refused = [row for row in panel.changes.rows if row.refusal]
    assert refused
    assert any("cannot be merged" in row.refusal for row in refused)
    panel.segments.button("rows").click()
    assert panel.rows.table.rowCount() > 0
    assert panel.rows.table.columnCount() == 6


def test_in_a_small_window_the_inspector_stands_beside_the_chosen_node(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1024, 700)
    desk_of(page).improving.open()
    qtbot.waitUntil(lambda: page.front.view.zoom < 1)
    for variable, node in ((PRESSURE, 2), (PRESSURE, 0), (SMOKING, 2)):
        head = page.front.view.viewport().mapToGlobal(node_place(page, variable, node))
        choose(window, qtbot, page, variable, node)
        shown = window.findChild(QWidget, "rightOverlay")
        assert isinstance(shown, QWidget)

        def cover(shown: QWidget = shown) -> QRect:
            return QRect(shown.mapToGlobal(QPoint(0, 0)), shown.size())

        assert shown.isVisible()
        if variable != SMOKING:  # of another node of the same band the inspector stays
            assert not cover().contains(head)

        def is_beside() -> bool:
            place = page.selected_place()
            return place is not None and not cover().intersects(place)

        qtbot.waitUntil(is_beside)
        words = desk_of(page).improving.bar.words
        assert not cover().intersects(QRect(words.mapToGlobal(QPoint(0, 0)), words.size()))


def test_another_distribution_tells_what_it_brings_before_it_is_accepted(
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
    assert f"ΔL {signed(bits)} bits, Δsize 0, Δscore {signed(bits)}" in panel.counts.text()
    assert graph_of_page(page) is before
    qtbot.keyClick(field, Qt.Key.Key_Return)
    np.testing.assert_allclose(graph_of_page(page).parameters[i][1], [0.9, 0.1])
    window.shell.document.undo_stack.undo()
    assert graph_of_page(page) is before


def test_what_is_shown_before_a_step_is_what_it_brings(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    choose(window, qtbot, page, PRESSURE, 0)
    panel, before = inspector_of(window), graph_of_page(page)
    qtbot.waitUntil(lambda: any(not row.refusal for row in panel.changes.rows))
    place = next(i for i, row in enumerate(panel.changes.rows) if row.words.startswith("Merge"))
    row = panel.changes.rows[place]
    panel.changes.press(place)
    after = graph_of_page(page)
    assert after.effective_size() - before.effective_size() == row.size
    assert sum(after.node_counts) == sum(before.node_counts) - 1
    window.shell.document.undo_stack.undo()
    assert graph_of_page(page) is before


def test_a_variable_is_moved_in_the_forest_from_the_inspector(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    choose(window, qtbot, page, PRESSURE, 0)
    panel = inspector_of(window)
    qtbot.waitUntil(lambda: bool(panel.moves.rows))
    place = next(i for i, row in enumerate(panel.moves.rows) if row.words == "To the top")
    panel.moves.press(place)
    graph = graph_of_page(page)
    assert graph.forest[graph.domain.index(PRESSURE)] is None


def test_collapsing_keeps_one_box_and_can_be_undone(page: ModelPage, window: MainWindow) -> None:
    desk = desk_of(page)
    view = desk.canvas.band_view
    item = desk.canvas.bands.items_by_variable[SMOKING]
    title = view.mapFromScene(item.pos() + item.corner + QPointF(30, 10))
    QTest.mouseDClick(view.viewport(), LEFT, NO_KEY, title)
    assert desk.canvas.bands.collapsed == {SMOKING}
    assert page.entry.display_modes[SMOKING] == "collapsed"
    assert desk.canvas.bands.node_at(node_centre(desk, SMOKING)) is None
    window.shell.document.undo_stack.undo()
    assert desk.canvas.bands.collapsed == frozenset()
    QTest.mouseDClick(view.viewport(), LEFT, NO_KEY, _title_of(desk, WORK))
    assert "one node" in desk.canvas.bubble.text


def node_centre(desk: BandDesk, variable: str) -> QPointF:
    return desk.canvas.bands.box_of((variable, 0)).center()


def _title_of(desk: BandDesk, variable: str) -> object:
    item = desk.canvas.bands.items_by_variable[variable]
    return desk.canvas.band_view.mapFromScene(item.pos() + item.corner + QPointF(30, 10))


def test_the_menu_of_a_node_tells_what_each_step_brings(page: ModelPage) -> None:
    desk = desk_of(page)
    menu = graph_node_menu(page._shell, page._model_id, desk, (PRESSURE, 0))
    merges = menu.actions()[0].menu()
    assert merges is not None
    texts = [action.text() for action in merges.actions()]  # type: ignore[attr-defined]
    assert len(texts) == 2
    assert all("bits" in text and "size" in text for text in texts)
    menu.deleteLater()


def test_menus_tell_bits_size_and_score_of_redirections_and_moves(
    window: MainWindow, page: ModelPage
) -> None:
    desk, graph = desk_of(page), graph_of_page(page)
    node = graph_node_menu(page._shell, page._model_id, desk, (SMOKING, 0))
    item = desk.canvas.bands.items_by_variable[SMOKING]
    band = band_menu(page, desk, Hit(item.pos(), node=item))
    for menu, name in ((node, "menu.redirect"), (band, "menu.move")):
        steps = menu.findChild(QMenu, name)
        assert isinstance(steps, QMenu)
        steps.aboutToShow.emit()
        told = [action.text().partition("\t")[2] for action in steps.actions()]
        assert told
        assert all(re.fullmatch(r"\S+ bits, size \S+, score \S+", words) for words in told)
    rows, weight = desk.measured_by()
    step = next(redirections_from(graph, SMOKING, 0))
    found = prospect(graph, step, rows)
    score = signed(found.score(weight))
    listed = [action.text() for action in node.findChild(QMenu, "menu.redirect").actions()]
    assert any(text.startswith(step_words(graph, step)) and score in text for text in listed)
    node.deleteLater()
    band.deleteLater()


def test_a_move_that_keeps_the_distribution_is_told_to_gain_nothing(page: ModelPage) -> None:
    graph, (rows, weight) = graph_of_page(page), desk_of(page).measured_by()
    found = move_of(graph, MENTAL, PROTEINS, rows)
    assert found.refusal  # it stands above it
    below = moved(graph, FAMILY, PRESSURE, rows)
    assert below.is_exact
    told = move_of(graph, FAMILY, PRESSURE, rows)
    after = below.graph.log2_probabilities(rows).sum()
    assert told.bits == pytest.approx(after - graph.log2_probabilities(rows).sum())
    assert weight.gain(told.bits, told.size, told.free) <= 0


def test_alt_and_arrows_walk_over_nodes(page: ModelPage) -> None:
    view, shell = desk_of(page).canvas.band_view, page._shell
    chosen = graph_nodes(shell)
    click(page, node_place(page, SMOKING, 1))
    alt = Qt.KeyboardModifier.AltModifier
    QTest.keyClick(view, Qt.Key.Key_Right, alt)
    assert chosen.chosen(page._model_id) == (SMOKING, 2)
    QTest.keyClick(view, Qt.Key.Key_Up, alt)
    assert chosen.chosen(page._model_id) == (PROTEINS, 1)
    QTest.keyClick(view, Qt.Key.Key_Down, alt)
    assert chosen.chosen(page._model_id) == (SMOKING, 1)
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert chosen.chosen(page._model_id) is None


def test_a_variable_that_stands_alone_shows_no_node(page: ModelPage) -> None:
    item = desk_of(page).canvas.bands.items_by_variable[FAMILY]
    assert isinstance(item, BandItem)
    assert item.stands_alone
    assert item.node_at(item.box.center()) is None


def test_steps_raise_the_score_until_none_does(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    improving = desk_of(page).improving
    window.shell.book.refresh("model.graph.improve")
    window.shell.book["model.graph.improve"].trigger()
    assert improving.bar.isVisible()
    improving.run(True)
    qtbot.waitUntil(lambda: "any more" in improving.bar.words.text(), timeout=20_000)
    assert not improving.bar.is_running
    before = improving.taken
    improving.step()
    qtbot.waitUntil(lambda: not improving._asker.is_waiting)
    assert improving.taken == before
    for _ in range(before):
        window.shell.document.undo_stack.undo()
    assert sum(graph_of_page(page).node_counts) == 12
    # What the steps brought is undone, and no longer told.
    assert "worth most" in improving.bar.words.text()
    improving.close()


def test_the_picture_is_exported_with_its_legend(page: ModelPage, tmp_path: Path) -> None:
    drawing = CanvasDrawing(page.front, page.title)
    told = picture_bytes(drawing, ".svg", PictureOptions(in_full=True)).decode()
    assert "first state" in told
    dialog = ExportDialog(drawing, tmp_path)
    for ending in (".png", ".pdf"):
        assert dialog.export_to(tmp_path / f"graph{ending}")
    assert (tmp_path / "graph.png").stat().st_size > 5000
    dialog.deleteLater()


def test_the_forest_is_the_second_picture(page: ModelPage, qtbot: QtBot) -> None:
    page.bar.picture_chosen.emit("forest")
    assert not desk_of(page).is_open
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 6)
    assert len(page.scene().edges) == 4
    page.bar.picture_chosen.emit("nodes")
    assert desk_of(page).is_open


def test_the_model_and_the_status_bar_tell_the_sizes(window: MainWindow, page: ModelPage) -> None:
    words = window.statusBar().graph.text()  # type: ignore[attr-defined]
    assert words == "12 nodes · effective size 24"


def test_every_version_of_the_graph_has_a_point_of_size_and_likelihood(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.shell.bench.select(())
    step = Step(Deed.SPLIT, PROTEINS, 0)
    take(window.shell, page._model_id, step)
    section = window.findChild(TrailSection, "inspectorTrail")
    assert isinstance(section, TrailSection)
    qtbot.waitUntil(lambda: not section.isHidden())
    assert [point.size for point in section.plot.points] == [24, 26]
    qtbot.waitUntil(lambda: section.plot.current is section.plot.points[1])
    window.shell.document.undo_stack.undo()
    qtbot.waitUntil(lambda: section.plot.current is section.plot.points[0])


def test_pixels_kept_while_the_pointer_wanders_are_those_of_the_graph_in_view(
    page: ModelPage, qtbot: QtBot
) -> None:
    desk = desk_of(page)
    view, bands, live = desk.canvas.view, desk.canvas.bands, page.asking.live

    def painted() -> NDArray[np.int64]:
        image = QImage(view.viewport().size(), QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)
        view.viewport().render(image)
        return np.array(image.constBits(), dtype=np.int64)

    plain = painted()
    bands.light((SMOKING, 0))
    lit = painted()
    assert (lit != plain).any()
    live.set_finding(MENTAL, Observed("yes"))
    qtbot.waitUntil(lambda: not live.is_stale)
    with_evidence = painted()
    assert (with_evidence != lit).any()
    for item in (*bands.items_by_variable.values(), *bands.arcs.values()):
        item.forget_pixels()
    assert (painted() == with_evidence).all()
    bands.light(None)
    assert (painted() != with_evidence).any()
