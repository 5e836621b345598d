"""Files dropped on any part of the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.widgets.file_dialog import folder_of
from pgmstudio.gui.window.file_drop import drop_text
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler

COPY = Qt.DropAction.CopyAction


def drag(path: Path | None) -> QMimeData:
    data = QMimeData()
    if path is None:
        data.setText("Rain")
    else:
        data.setUrls([QUrl.fromLocalFile(str(path))])
    return data


def enter(window: MainWindow, over: QWidget, data: QMimeData) -> bool:
    position = over.mapTo(window, QPoint(5, 5))
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDragEnterEvent(position, COPY, data, buttons, keys)
    QApplication.sendEvent(window.windowHandle(), event)
    return event.isAccepted()


@pytest.mark.parametrize("part", ["canvas", "projectTree", "logText", "commandField", "status"])
def test_a_file_over_any_part_of_the_window_is_shown_and_opened(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, part: str
) -> None:
    app = window.app
    add_sprinkler(app)
    open_model_page(app, "m1")
    window.reveal("logPanel")
    parts = {
        "canvas": lambda: app.center.current.canvas.view.viewport(),  # type: ignore[union-attr]
        "status": window.statusBar,
        "commandField": lambda: window.command_field,
    }
    over = parts.get(part, lambda: window.findChild(QWidget, part))()
    file = tmp_path / "rows.csv"
    file.write_text("a,b\nx,y\nx,z\n")
    data = drag(file)
    assert enter(window, over, data)
    cover = window.file_drop
    assert cover.isVisible()
    assert cover.geometry() == window.rect()
    assert cover.findChild(QLabel, "fileDropText").text() == "Drop to import rows.csv"
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(cover, QDropEvent(QPointF(9, 9), COPY, data, buttons, keys))
    assert not cover.isVisible()
    assert app.center.current is not None
    assert app.center.current.key.startswith("import")
    assert folder_of("data") == tmp_path


def test_a_drag_that_leaves_or_is_no_file_is_left_alone(window: MainWindow, tmp_path: Path) -> None:
    enter(window, window.statusBar(), drag(None))
    assert not window.file_drop.isVisible()
    enter(window, window.statusBar(), drag(tmp_path / "a.pgmz"))
    assert window.file_drop.isVisible()
    QApplication.sendEvent(window.windowHandle(), QDragLeaveEvent())
    assert not window.file_drop.isVisible()


def test_the_highlight_states_what_dropping_does() -> None:
    texts = [drop_text([Path(name)]) for name in ("a.pgmz", "a.evid", "a.bif", "a.csv", "a.xlsx")]
    assert texts == [
        "Drop to open the project a.pgmz",
        "Drop to set the evidence of a.evid",
        "Drop to open a.bif",
        "Drop to import a.csv",
        "Drop to import a.xlsx",
    ]
    assert drop_text([Path("a.csv"), Path("b.csv")]) == "Drop to open 2 files"
