"""The picture “Nodes and flow” of a decision graph: bands, flows, evidence, hover, keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Likelihood, Observed
from pgmstudio.core.languages.pdg.session import DecisionGraphSession
from pgmstudio.gui.export.canvas_image import CanvasDrawing
from pgmstudio.gui.export.dialog import ExportDialog
from pgmstudio.gui.languages.pdg.bands import BandItem
from pgmstudio.gui.languages.pdg.nodes import graph_nodes
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.widgets.image_file import PictureOptions, picture_bytes
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.graph_pages import (
    FAMILY,
    MENTAL,
    PRESSURE,
    PROTEINS,
    SMOKING,
    WORK,
    bar_place,
    choose,
    click,
    controller_of,
    graph_of_page,
    inspector_of,
    node_place,
    open_coronary,
)
from tests.gui.walking import point_at

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> ModelPage:
    return open_coronary(window, qtbot)


def test_the_page_opens_with_a_band_for_each_variable_and_no_tools_for_graphs(
    page: ModelPage,
) -> None:
    controller = controller_of(page)
    assert controller.is_open
    assert page.canvas.isHidden()
    assert set(controller.canvas.bands.items_by_variable) == set(graph_of_page(page).domain.names)
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
    bands, expected = controller_of(page).canvas.bands, session.node_flows()
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


def test_hovering_a_node_lights_its_paths_and_reports_in_and_out_flow(page: ModelPage) -> None:
    view, bands = page.front.view, controller_of(page).canvas.bands
    point_at(view.viewport(), node_place(page, SMOKING, 0))
    assert bands.hovered == (SMOKING, 0)
    lit = bands.items_by_variable[MENTAL].nodes.lit
    assert lit is not None
    assert lit.tolist() == [True, False]
    message = controller_of(page).describe((SMOKING, 0))
    assert "in-flow" in message
    assert "out-flow" in message
    assert "Physical work = no, Proteins = <3" in message
    view.stop_hover()
    assert bands.items_by_variable[MENTAL].nodes.lit is None


def test_what_is_lit_stays_so_after_a_fit_that_leaves_it_under_the_pointer(
    page: ModelPage,
) -> None:
    view, bands = page.front.view, controller_of(page).canvas.bands
    view.fit()
    point_at(view.viewport(), node_place(page, SMOKING, 0))
    before = view.zoom
    view.resize(view.width() - 4, view.height() - 4)  # as when the look changes
    assert view.zoom != before
    assert bands.hovered == (SMOKING, 0)
    lit = bands.items_by_variable[MENTAL].nodes.lit
    assert lit is not None
    assert lit.tolist() == [True, False]
    view.resize(view.width() // 2, view.height() // 2)
    assert bands.hovered is None


def test_in_another_graph_the_node_under_the_pointer_is_lit_anew(page: ModelPage) -> None:
    view, bands = page.front.view, controller_of(page).canvas.bands
    point_at(view.viewport(), node_place(page, SMOKING, 0))
    controller_of(page).toggle(PRESSURE)
    assert bands.items_by_variable[MENTAL].nodes.lit is None
    assert bands.hovered is None
    point_at(view.viewport(), node_place(page, SMOKING, 0))
    assert bands.items_by_variable[MENTAL].nodes.lit is not None


def test_hovering_an_arc_writes_its_state(page: ModelPage) -> None:
    controller = controller_of(page)
    graph = graph_of_page(page)
    upper, lower = graph.domain.index(WORK), graph.domain.index(MENTAL)
    x1, y1, x2, y2 = controller.canvas.bands.bands.arc(upper, 0, 1, 2, lower, 1)
    view = controller.canvas.band_view
    point_at(view.viewport(), view.mapFromScene(QPointF((x1 + x2) / 2, (y1 + y2) / 2)))
    assert view.arc_text == "Physical work = yes · 50.0 %"


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
    qtbot.waitUntil(lambda: "rows reach this node" in panel._head.facts.text())
    facts = panel.flow.facts
    into, out = float(facts["In-flow"]), float(facts["Out-flow"])
    share = into * out / 2**live.log2_evidence
    assert facts["P(reached | e)"] == f"{100 * share:.1f} %"
    assert "Before evidence: 54.5 %." in panel.flow_note.text()
    qtbot.waitUntil(lambda: bool(panel.changes.rows))
    refused = [row for row in panel.changes.rows if row.refusal]
    assert refused
    assert any("cannot be merged" in row.refusal for row in refused)
    panel.segments.button("rows").click()
    assert panel.rows.table.model().rowCount() > 0
    assert panel.rows.table.model().columnCount() == 6


def test_in_a_small_window_the_inspector_stands_beside_the_chosen_node(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1024, 700)
    controller_of(page).improving.open()
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
            position = page.selected_rect()
            return position is not None and not cover().intersects(position)

        qtbot.waitUntil(is_beside)
        words = controller_of(page).improving.bar.message
        assert not cover().intersects(QRect(words.mapToGlobal(QPoint(0, 0)), words.size()))


def test_alt_and_arrows_walk_over_nodes(page: ModelPage) -> None:
    view, app = controller_of(page).canvas.band_view, page._app
    chosen = graph_nodes(app)
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
    item = controller_of(page).canvas.bands.items_by_variable[FAMILY]
    assert isinstance(item, BandItem)
    assert item.stands_alone
    assert item.node_at(item.box.center()) is None


def test_the_picture_is_exported_with_its_legend(page: ModelPage, tmp_path: Path) -> None:
    drawing = CanvasDrawing(page.front, page.title)
    message = picture_bytes(drawing, ".svg", PictureOptions(in_full=True)).decode()
    assert "first state" in message
    dialog = ExportDialog(drawing, tmp_path)
    for ending in (".png", ".pdf"):
        assert dialog.export_to(tmp_path / f"graph{ending}")
    assert (tmp_path / "graph.png").stat().st_size > 5000
    dialog.deleteLater()


def test_the_forest_is_the_second_picture(page: ModelPage, qtbot: QtBot) -> None:
    page.bar.picture_chosen.emit("forest")
    assert not controller_of(page).is_open
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 6)
    assert len(page.scene().edges) == 4
    page.bar.picture_chosen.emit("nodes")
    assert controller_of(page).is_open


def test_the_model_and_the_status_bar_tell_the_sizes(window: MainWindow, page: ModelPage) -> None:
    words = window.statusBar().graph.text()  # type: ignore[attr-defined]
    assert words == "12 nodes · effective size 24"


def test_pixels_kept_while_the_pointer_wanders_are_those_of_the_graph_in_view(
    page: ModelPage, qtbot: QtBot
) -> None:
    controller = controller_of(page)
    view, bands, live = controller.canvas.view, controller.canvas.bands, page.asking.live

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
