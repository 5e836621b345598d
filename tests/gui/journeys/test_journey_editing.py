"""The walk of editing by hand, with real events: a network made, kept, killed and recovered."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QListWidget,
    QTableView,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.io.project.project_file import project_bytes
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.gui.cpt_editor.grid import TableGrid
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.files.recovery import left_behind
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_welcome
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.walking import point_at, press_keys
from tests.oracles.brute_force import BruteForceSession

Key, Mods = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def driver(driver: WindowDriver) -> WindowDriver:
    """The graph has the room of the bottom panels."""
    driver.do("window.bottom")
    return driver


# -- journey 8: edit by hand


def new_node(qtbot: QtBot, page: ModelPage, name: str, position: QPoint) -> None:
    """N at the pointer, then the name and Enter."""
    view = page.canvas.view
    point_at(view.viewport(), position)
    qtbot.keyClick(view, Key.Key_N)
    editor = view.viewport().findChild(QLineEdit, "nameEditor")
    assert editor.isVisible()
    qtbot.keyClicks(editor, name)
    qtbot.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: name in page.scene().nodes)


def test_nodes_added_by_keyboard_alone_do_not_cover_each_other(
    qtbot: QtBot, window: MainWindow, driver: WindowDriver
) -> None:
    press_keys(window, qtbot, Key.Key_N, Mods.ControlModifier)
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    driver.settle()
    outside = page.mapToGlobal(QPoint(-40, 40))
    for name in "abcdef":
        QCursor.setPos(outside)
        qtbot.keyClick(page.canvas.view, Key.Key_N)
        editor = page.canvas.view.viewport().findChild(QLineEdit, "nameEditor")
        qtbot.keyClicks(editor, name)
        qtbot.keyClick(editor, Key.Key_Return)
        qtbot.waitUntil(lambda name=name: name in page.scene().nodes)
        driver.settle()
    boxes = [node.box for node in page.scene().nodes.values()]
    assert len(boxes) == 6
    for number, box in enumerate(boxes):
        assert not any(box.intersects(other) for other in boxes[number + 1 :])


def type_into(qtbot: QtBot, view: QTableView, index: QModelIndex, text: str) -> None:
    """Select a cell with a click, type, Enter."""
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())
    qtbot.keyClicks(view.viewport(), text[0])
    editor = view.viewport().findChild(QLineEdit)
    assert editor is not None
    qtbot.keyClicks(editor, text[1:])
    qtbot.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: view.viewport().findChild(QLineEdit) is None)


def grid_of(window: MainWindow) -> tuple[QTableView, TableGrid]:
    view = window.findChild(QTableView, "tableGrid")
    model = view.model()
    assert isinstance(model, TableGrid)
    return view, model


def network_in_view(window: MainWindow) -> BayesianNetwork:
    model = window.app.project.models[window.app.workspace.model_id or ""].model
    assert isinstance(model, BayesianNetwork)
    return model


def test_edit_by_hand(
    qtbot: QtBot,
    window: MainWindow,
    driver: WindowDriver,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = window.app
    press_keys(window, qtbot, Key.Key_N, Mods.ControlModifier)
    page = app.center.current
    assert isinstance(page, ModelPage)
    driver.settle()
    view = page.canvas.view
    view.setFocus()
    for name, position in (
        ("rain", QPoint(160, 120)),
        ("sprinkler", QPoint(480, 120)),
        ("grass", QPoint(320, 380)),
    ):
        new_node(qtbot, page, name, position)
    view.set_zoom(1.0)
    view.fit()

    # Edges, and the one that would close a cycle.
    qtbot.keyClick(view, Key.Key_L)
    assert view.tool.name == "edge"
    for source, target in (("rain", "sprinkler"), ("rain", "grass"), ("sprinkler", "grass")):
        driver.drag(view.viewport(), driver.head(page, source), driver.head(page, target))
    assert set(network_in_view(window).edges) == {
        ("rain", "sprinkler"),
        ("rain", "grass"),
        ("sprinkler", "grass"),
    }
    viewport, before = view.viewport(), app.project
    qtbot.mousePress(viewport, LEFT, pos=driver.head(page, "grass"))
    qtbot.mouseMove(viewport, view.rect().center())
    qtbot.mouseMove(viewport, driver.head(page, "rain"))
    lit = {ends for ends, edge in page.scene().edges.items() if edge.look.step is not None}
    assert lit == {("rain", "grass")}  # the path is shown before the button is let go
    qtbot.mouseRelease(viewport, LEFT, pos=driver.head(page, "rain"))
    assert app.project is before
    assert page.canvas.bubble.isVisible()
    assert page.canvas.bubble.text == "grass → rain would close a cycle: rain → grass."
    qtbot.keyClick(view, Key.Key_Escape)
    assert view.tool.name == "select"

    # Tables: typed, pasted, normalised.
    app.reveal("tablePanel")
    driver.settle()
    driver.click_canvas(page, driver.head(page, "rain"))
    table, grid = grid_of(window)
    assert network_in_view(window).domain["rain"].states == ("yes", "no")
    for row, text in ((0, "0.2"), (1, "0.8")):
        type_into(qtbot, table, grid.index(row, 1), text)
    assert network_in_view(window).table("rain").tolist() == [0.2, 0.8]
    driver.click_canvas(page, driver.head(page, "sprinkler"))
    table.setFocus()
    table.setCurrentIndex(grid.index(grid.head_rows, 1))
    QApplication.clipboard().setText("0.01\t40 %\n0.99\t0,6\n")
    qtbot.keyClick(table, Key.Key_V, Mods.ControlModifier)
    assert network_in_view(window).table("sprinkler").tolist() == [[0.01, 0.99], [0.4, 0.6]]
    driver.click_canvas(page, driver.head(page, "grass"))
    table.setCurrentIndex(grid.index(grid.head_rows, 1))
    QApplication.clipboard().setText("0.6\t0.9\t0.8\t0\n0.2\t0.1\t0.2\t1\n")
    qtbot.keyClick(table, Key.Key_V, Mods.ControlModifier)
    assert network_in_view(window).table("grass")[0, 0].tolist() == [0.5, 0.5]  # waits
    driver.press("tableNormalise")
    assert network_in_view(window).table("grass").reshape(-1, 2).tolist() == [
        pytest.approx([0.75, 0.25]),
        [0.9, 0.1],
        [0.8, 0.2],
        [0, 1],
    ]

    # A state gets another name; the numbers stay.
    qtbot.mouseClick(driver.widget("inspectorTabs.table"), LEFT)
    chips = driver.widget("inspectorStates")
    assert isinstance(chips, QListWidget)
    position = chips.visualItemRect(chips.item(0)).center()
    qtbot.mouseClick(chips.viewport(), LEFT, pos=position)
    qtbot.keyClick(chips, Key.Key_F2)
    editor = chips.viewport().findChild(QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, "wet")
    qtbot.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: network_in_view(window).domain["grass"].states == ("wet", "no"))
    assert network_in_view(window).table("grass")[1, 0].tolist() == [0.8, 0.2]

    # Two of the three into a second model; the third is summed out.
    first = network_in_view(window)
    messages: list[str] = []
    app.workspace.message.connect(lambda _level, message: messages.append(message))
    driver.click_canvas(page, driver.head(page, "sprinkler"))
    driver.click_canvas(page, driver.head(page, "grass"), Mods.ControlModifier)
    qtbot.keyClick(view, Key.Key_C, Mods.ControlModifier)
    press_keys(window, qtbot, Key.Key_N, Mods.ControlModifier)
    second = app.center.current
    assert isinstance(second, ModelPage)
    assert second is not page
    second.canvas.view.setFocus()
    qtbot.keyClick(second.canvas.view, Key.Key_V, Mods.ControlModifier)
    qtbot.waitUntil(lambda: set(second.scene().nodes) == {"sprinkler", "grass"})
    pasted = network_in_view(window)
    assert pasted.edges == (("sprinkler", "grass"),)
    joint = BruteForceSession(first).joint(["sprinkler", "grass"])
    assert pasted.table("sprinkler") == pytest.approx(joint.sum(axis=1))
    assert pasted.table("grass") == pytest.approx(joint / joint.sum(axis=1, keepdims=True))
    assert any("The table of grass is summed over rain" in message for message in messages)

    # Thirty steps back and thirty forth. All of them fit into thirty.
    after, stack = app.project, app.document.undo_stack
    assert 12 <= stack.count() <= 30
    for _ in range(30):
        press_keys(window, qtbot, Key.Key_Z, Mods.ControlModifier)
        QApplication.processEvents()
    assert not app.project.models
    for _ in range(30):
        press_keys(window, qtbot, Key.Key_Z, Mods.ControlModifier | Mods.ShiftModifier)
        QApplication.processEvents()
    assert app.project is after

    # Saved; then another window is killed while it keeps its changes.
    path = tmp_path / "garden.pgmz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    press_keys(window, qtbot, Key.Key_S, Mods.ControlModifier)
    assert app.document.is_saved
    assert path.read_bytes() == project_bytes(after)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), str(tmp_path / "preferences")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert path.read_bytes() == project_bytes(after)
    (kept,) = left_behind()
    assert kept.path == path
    open_welcome(app)
    note = window.findChild(Note, "recoveryNote")
    assert "garden.pgmz" in note.text
    driver.press("recoveryAccept")
    assert "snow" in next(iter(app.project.models.values())).model.domain
    assert not app.document.is_saved
    assert not left_behind()


# Opens the project, changes it, keeps that change whole, changes it again and dies while the
# second keeping is half written.
KILLED = textwrap.dedent("""
    import os, signal, sys
    from pathlib import Path

    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtTest import QTest
    from pgmstudio.core.io import atomic
    from pgmstudio.core.project.model_edits import rename_variable
    from pgmstudio.gui.project import preferences
    from pgmstudio.gui.window.application import make_application

    project, folder = Path(sys.argv[1]), Path(sys.argv[2])
    preferences.preferences_folder = lambda: folder
    application = make_application()
    from pgmstudio.gui.window.main_window import MainWindow
    from pgmstudio.gui.files.opening import open_file

    window = MainWindow()
    window.show()
    open_file(window.app, project)
    kept = []
    window.autosave.saved.connect(kept.append)

    def change(old, new):
        model_id = next(iter(window.app.project.models))
        window.app.change("Rename", lambda p: rename_variable(
            p, model_id=model_id, old=old, new=new))
        window.autosave.save_now()

    change("rain", "snow")
    while not kept:
        QTest.qWait(10)

    def half(part, content, _permissions):
        with part.open("xb") as stream:
            stream.write(content[: len(content) // 2])
            stream.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    atomic._write_through = half
    change("snow", "hail")
    QTest.qWait(60_000)
""")
