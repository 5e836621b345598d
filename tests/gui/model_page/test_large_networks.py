"""A network of a thousand nodes opens, is drawn, panned and zoomed."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from pgmstudio.core.experiments.generators.random_models import RandomBnParams, random_network
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.window.main_window import MainWindow

LONG_MS = 120_000


@pytest.mark.long
def test_a_thousand_nodes_are_drawn_panned_and_zoomed(qtbot: QtBot, window: MainWindow) -> None:
    params = RandomBnParams(variables=1000, max_parents=2, most_states=3)
    network = random_network(params, np.random.default_rng(1))
    add_and_show_model(window.app, ModelEntry("Thousand", network), "Open Thousand")
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 1000, timeout=LONG_MS)
    assert len(page.scene().edges) == len(network.edges)
    view = page.canvas.view
    assert len(view.nodes_in_sight()) > 500
    view.set_zoom(1.0)
    before = view.sight()
    middle = view.viewport().rect().center()
    qtbot.mousePress(view.viewport(), Qt.MouseButton.MiddleButton, pos=middle)
    qtbot.mouseMove(view.viewport(), middle + QPoint(-60, -40))
    qtbot.mouseMove(view.viewport(), middle + QPoint(-120, -80))
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.MiddleButton, pos=middle)
    moved = view.sight().topLeft() - before.topLeft()
    assert (round(moved.x()), round(moved.y())) == (120, 80)
    view.fit()
    assert len(view.nodes_in_sight()) > 500
