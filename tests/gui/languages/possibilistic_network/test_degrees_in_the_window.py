"""Possibility and necessity on nodes, in the list of variables, in the inspector and the legend."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.join_tree import MINIMUM
from pgmstudio.core.languages.possibilistic_network.fit import DRAWN
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import inspector, variables

WEATHER = (0.45, 0.35, 1.0)
GRASS_GIVEN = ((1.0, 0.2), (1.0, 0.3), (0.1, 0.8))  # dry and wet given each weather


def weather_and_grass() -> PossibilisticNetwork:
    domain = Domain.of({"weather": ("sunny", "cloudy", "rainy"), "grass": ("dry", "wet")})
    tables = (np.array(WEATHER), np.array(GRASS_GIVEN))
    return PossibilisticNetwork(domain, Dag(domain.names, ((), (0,))), tables, MINIMUM)


def test_degrees_are_not_scaled_and_are_shown_with_necessity(
    qtbot: QtBot, window: MainWindow
) -> None:
    app = window.app
    add_and_show_model(app, ModelEntry("rain", weather_and_grass()), "Open")
    page = WindowDriver(window).model_page()
    nodes = page.scene().nodes
    qtbot.waitUntil(lambda: nodes["weather"].face.beliefs == pytest.approx((0.45, 0.35, 0.8)))
    page.canvas.signals.click_state.emit("grass", "wet")
    # max–min: Π(weather, wet) = min of both degrees, whose largest is Π(wet) = 0.8.
    given_wet = (0.2, 0.3, 0.8)
    qtbot.waitUntil(lambda: nodes["weather"].face.beliefs == pytest.approx(given_wet))
    assert nodes["weather"].face.description == "weather, sunny 0.20, cloudy 0.30, rainy 0.80"
    listed = variables(window).list.model()
    first, role = listed.index(0, 0), Qt.ItemDataRole.AccessibleTextRole
    qtbot.waitUntil(lambda: listed.data(first, role) == nodes["weather"].face.description)
    legend = page.canvas.legend
    wanted = "outer: possibility Π, inner: necessity N"
    qtbot.waitUntil(lambda: wanted in legend.accessibleName())

    app.workspace.select(("weather",), ())
    bars = inspector(window).node.belief.bars
    qtbot.waitUntil(lambda: bars.bars.beliefs == pytest.approx(given_wet))
    assert bars.bars.description == "weather, sunny 0.20, cloudy 0.30, rainy 0.80"
    tip = bars.tip_at(bars.row_rect("rainy").center().toPoint())
    assert tip is not None
    assert tip.startswith("weather = rainy: Π 0.80  N 0.50")


def test_a_model_of_approximate_degrees_is_marked(qtbot: QtBot, window: MainWindow) -> None:
    def is_marked() -> bool:
        note = window.findChild(Note, "inspectorApproximate")
        return note is not None and not note.isHidden()

    drawn = ModelEntry("drawn", weather_and_grass(), provenance={"measures": {DRAWN: 5.0}})
    add_and_show_model(window.app, drawn, "Open")
    qtbot.waitUntil(is_marked)
    add_and_show_model(window.app, ModelEntry("exact", weather_and_grass()), "Open")
    qtbot.waitUntil(lambda: not is_marked())


def test_the_inner_part_of_a_bar_is_darker_and_as_long_as_its_value(qtbot: QtBot) -> None:
    image = QImage(100, 8, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    paint_bar(painter, QRectF(0, 0, 100, 8), Bar(0.8, inner=0.35))
    painter.end()
    inner, outer, track = (image.pixelColor(QPoint(x, 4)).lightness() for x in (30, 40, 90))
    assert inner < outer
    assert outer != track
    assert image.pixelColor(30, 1).lightness() == outer  # possibility frames necessity
