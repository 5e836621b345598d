"""A decision graph from afar: names, flows and bars that can still be read."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.pdg.diagrams import band_picture
from pgmstudio.core.languages.pdg.session import DecisionGraphSession
from pgmstudio.gui.canvas.fonts import canvas_metrics
from pgmstudio.gui.canvas.legend import LegendEntry
from pgmstudio.gui.languages.pdg import bands as band_names
from pgmstudio.gui.languages.pdg.arcs import BandArcs, is_solid_at
from pgmstudio.gui.languages.pdg.bands import BandNames, gutter_lines, names_over
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.graph_pages import (
    MENTAL,
    PRESSURE,
    SMOKING,
    controller_of,
    coronary,
    graph_of_page,
    open_coronary,
)


def test_a_name_stands_on_one_line_or_two_or_not_in_the_gutter(qtbot: QtBot) -> None:
    whole = canvas_metrics("caption", "medium").horizontalAdvance("Physical work")
    assert gutter_lines("Physical work", whole + 1, 20) == ("Physical work",)
    assert gutter_lines("Physical work", whole * 0.8, 40) == ("Physical", "work")
    assert gutter_lines("Physical work", whole * 0.8, 20) is None  # two lines are too high
    assert gutter_lines("Physical work", whole * 0.3, 40) is None


def test_names_without_room_stand_over_their_bands_and_none_over_another(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = open_coronary(window, qtbot)
    items = controller_of(page).canvas.bands.items_by_variable
    all_of_it = QRectF(-500, -500, 3000, 3000)
    assert names_over(items.values(), 1.0, all_of_it) == []
    over = names_over(items.values(), 0.15, all_of_it)
    assert items[SMOKING] in [item for item, _ in over]
    for item, position in over:
        assert position.bottom() == pytest.approx(item.box.top())
    assert not any(a.intersects(b) for (_, a), (_, b) in combinations(over, 2))


def test_where_not_all_names_have_room_those_with_evidence_come_first(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = open_coronary(window, qtbot)
    items = controller_of(page).canvas.bands.items_by_variable
    all_of_it = QRectF(-5000, -5000, 20000, 20000)
    crowded = names_over(items.values(), 0.05, all_of_it)
    left_out = next(name for name in items if items[name] not in [item for item, _ in crowded])
    live = page.asking.live
    live.set_finding(left_out, Observed(graph_of_page(page).domain[left_out].states[0]))
    qtbot.waitUntil(lambda: items[left_out].face.mark is not None)
    assert names_over(items.values(), 0.05, all_of_it)[0][0] is items[left_out]


def _arcs() -> BandArcs:
    graph = coronary()
    lower = graph.domain.index(MENTAL)
    arcs = BandArcs(graph, band_picture(graph), lower)
    flows = DecisionGraphSession(graph).node_flows()
    arcs.show_flow(flows.arcs[arcs.upper])
    return arcs


@pytest.mark.parametrize("zoom", [0.05, 0.2, 0.45])
def test_from_afar_more_flow_is_still_wider_on_the_screen(qtbot: QtBot, zoom: float) -> None:
    arcs = _arcs()
    arcs.show_flow(np.array([[0.9, 0.1]]))
    strokes = arcs._strokes_of(np.arange(2), zoom)
    pixels = {stroke.look.state: stroke.look.width * zoom for stroke in strokes}
    assert pixels[0] > 1.5 * max(pixels[1], 1.0)
    assert strokes[-1].look.state == 0  # and lies over the other


def test_from_afar_what_hardly_flows_is_faint_unless_it_is_lit(qtbot: QtBot) -> None:
    arcs = _arcs()
    arcs.show_flow(np.array([[0.999, 0.001]]))
    looks = [stroke.look for stroke in arcs._strokes_of(np.arange(2), 0.1)]
    strengths = {look.state: look.strength for look in looks}
    assert strengths[1] < strengths[0] == 1.0
    lit = arcs._strokes_of(np.arange(2), 0.1, is_lit=True)
    assert all(stroke.look.strength == 1.0 for stroke in lit)


def test_the_legend_reports_which_ring_a_step_has_drawn(window: MainWindow, qtbot: QtBot) -> None:
    page = open_coronary(window, qtbot)
    bands = controller_of(page).canvas.bands
    assert "changed by the step" not in [entry.text for entry in page.legend_entries()]
    bands.mark([(PRESSURE, 0)])
    assert "changed by the step" in [entry.text for entry in page.legend_entries()]


def test_from_afar_the_legend_shows_lines_as_they_are_drawn(
    window: MainWindow, qtbot: QtBot
) -> None:
    canvas = controller_of(open_coronary(window, qtbot)).canvas
    canvas.view.set_zoom(1.0)
    assert "second state (hollow, dashed when thin)" in [e.text for e in canvas.legend_entries()]
    canvas.view.set_zoom(0.4)
    entries = canvas.legend_entries()
    assert [entry.text for entry in entries[:2]] == ["first state", "second state"]
    assert _columns(entries[1]) == {True}  # without gaps
    texts = lambda: [entry.text for entry in canvas.legend.entries]  # noqa: E731
    qtbot.waitUntil(lambda: "zoom to 50 % for dashes" in texts())
    drawn = [entry.text for entry in canvas.drawn_entries(canvas.view.detail)]
    assert "second state (hollow, dashed when thin)" in drawn  # in a file they are as near by


def _columns(entry: LegendEntry) -> set[bool]:
    """Whether the sample is drawn in the middle of each of its columns."""
    image = QImage(26, 20, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    assert entry.sample is not None
    entry.sample(painter, QRectF(0, 0, 26, 20))
    painter.end()
    return {image.pixelColor(x, 10) == theme().category(1, "line") for x in range(1, 25)}


def test_where_the_zoom_is_reported_as_half_lines_have_their_dashes() -> None:
    assert not is_solid_at(0.498)
    assert is_solid_at(0.49)


def test_names_over_bands_are_placed_anew_for_evidence_but_not_for_the_pointer(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_coronary(window, qtbot)
    view = controller_of(page).canvas.band_view
    view.set_zoom(0.15)
    placed: list[float] = []

    def counted(items: Any, zoom: float, sight: QRectF) -> Any:
        placed.append(zoom)
        return names_over(items, zoom, sight)

    monkeypatch.setattr(band_names, "names_over", counted)
    names, image = BandNames(), QImage(8, 8, QImage.Format.Format_ARGB32_Premultiplied)

    def paint() -> int:
        painter = QPainter(image)
        names.paint(painter, view)
        painter.end()
        return len(placed)

    assert paint() == 1
    view.bands.light((SMOKING, 0))
    assert paint() == 1
    page.asking.live.set_finding(SMOKING, Observed("yes"))
    qtbot.waitUntil(lambda: view.bands.nodes[SMOKING].face.mark is not None)
    assert paint() == 2
    view.set_zoom(0.2)
    assert paint() == 3
