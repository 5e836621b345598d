"""Pages of mixtures of votes, and a gesture on their bars."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_votes

LEFT = Qt.MouseButton.LeftButton


def page_of(qtbot: QtBot, window: MainWindow, kind: str) -> ModelPage:
    """The page of a model of votes, of either kind, with its beliefs."""
    model_id = add_votes(window.app, kind)
    open_model_page(window.app, model_id)
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: bool(page.scene().nodes))
    qtbot.waitUntil(lambda: bool(page.asking.live.priors))
    return page


def click_state(qtbot: QtBot, page: ModelPage, node: str, state: int) -> None:
    item = page.scene().nodes[node]
    row = item.geometry.row(item.geometry.shown.index(state)).center()
    position = page.canvas.view.mapFromScene(item.pos() + item.corner + row)
    qtbot.mouseClick(page.canvas.view.viewport(), LEFT, pos=position)
