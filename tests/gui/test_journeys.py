"""Whole walks through the window, step by step, with real mouse and keyboard events."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QFileDialog,
    QLineEdit,
    QListWidget,
    QPushButton,
    QTableView,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.brute_force import BruteForceSession
from pgmstudio.core.inference.protocols import Likelihood, Observed
from pgmstudio.core.io.project_file import project_bytes
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.gui.app.hands import Hands
from pgmstudio.gui.app.main_window import MainWindow
from pgmstudio.gui.app.opening import open_file, open_welcome
from pgmstudio.gui.document.recovery import left_behind
from pgmstudio.gui.pages.data_page import DataPage
from pgmstudio.gui.pages.import_page import ImportPage
from pgmstudio.gui.pages.import_page_view import COLUMNS, CUTS
from pgmstudio.gui.pages.learn_page import LearnPage
from pgmstudio.gui.pages.missing_map import MissingTab
from pgmstudio.gui.pages.model_page import ModelPage
from pgmstudio.gui.panels.table_model import TableGrid
from pgmstudio.gui.style.widgets import Note
from tests.gui.walking import point_at

Key, Mods = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton
LONG_MS = 60_000
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def hands(qtbot: QtBot, window: MainWindow) -> Hands:
    """The window has the keyboard, and the graph has the room of the bottom panels."""
    with qtbot.waitActive(window):
        window.activateWindow()
    made = Hands(window)
    made.do("window.bottom")
    return made


def press_keys(window: MainWindow, qtbot: QtBot, key: Key, held: Mods = Mods.NoModifier) -> None:
    """To whatever has the focus, as from a keyboard."""
    qtbot.keyClick(window.focusWidget() or window, key, held)


# -- journey 2: click a bar


def shown_beliefs(page: ModelPage) -> dict[str, tuple[float, ...]]:
    return {name: node.face.beliefs for name, node in page.scene().nodes.items()}


def ghost_is_drawn(hands: Hands, page: ModelPage, node: str, state: str) -> bool:
    """Whether the right side of the prior's outline can be seen over the empty bar."""
    item = page.scene().nodes[node]
    place = item.face.states.index(state)
    edge = hands.bar(page, node, state, item.face.priors[place])
    picture = page.canvas.view.viewport().grab().toImage()
    lights = [picture.pixelColor(edge + QPoint(dx, 0)).lightnessF() for dx in range(-5, 3)]
    return min(lights) < lights[0] - 0.15


def test_click_a_bar_tour(qtbot: QtBot, window: MainWindow, hands: Hands) -> None:
    open_welcome(window.shell)
    hands.press("sample.asia.json")
    page = hands.model_page()
    network = page.asking.live.model
    assert isinstance(network, BayesianNetwork)
    reference = BruteForceSession(network)
    prior = shown_beliefs(page)
    assert prior["lung"] == pytest.approx((0.055, 0.945))

    hands.click_canvas(page, hands.bar(page, "smoke", "yes"))
    reference.set_evidence("smoke", Observed("yes"))
    hands.click_canvas(page, hands.bar(page, "xray", "no"), Mods.ShiftModifier)
    reference.set_evidence("xray", Observed("yes"))  # of two states, not one is the other
    mark = page.scene().nodes["xray"].face.mark
    assert mark is not None
    assert mark.words == "= yes"

    live = page.asking.live
    viewport = page.canvas.view.viewport()
    start, end = hands.bar(page, "dysp", "no", 0.95), hands.bar(page, "dysp", "no", 0.3)
    qtbot.mousePress(viewport, LEFT, pos=start)
    moved = []
    for share in (0.3, 0.6, 1.0):
        qtbot.mouseMove(viewport, start + (end - start) * share)
        qtbot.waitUntil(lambda: not live.is_stale)
        moved.append(live.beliefs["lung"][0])
    assert len(set(moved)) == 3  # beliefs follow while dragging
    qtbot.mouseRelease(viewport, LEFT, pos=end)
    soft = live.evidence["dysp"]
    assert isinstance(soft, Likelihood)
    assert dict(soft.weights)["no"] == pytest.approx(0.3, abs=0.03)
    reference.set_evidence("dysp", soft)
    qtbot.waitUntil(lambda: not live.is_stale)
    for name, beliefs in shown_beliefs(page).items():
        assert beliefs == pytest.approx(tuple(reference.belief(name).values))

    assert ghost_is_drawn(hands, page, "lung", "no")
    assert "outline = prior" in [entry.text for entry in page.canvas.legend.entries]
    status = window.findChild(QPushButton, "statusEvidence")
    assert status.text() == f"P(e) {2 ** reference.log2_evidence():.4g}"

    hands.click_canvas(page, hands.head(page, "lung"))
    tick = window.findChild(QCheckBox, "evidenceTick.smoke")
    qtbot.mouseClick(tick, LEFT, pos=QPoint(8, tick.height() // 2))
    qtbot.waitUntil(lambda: "smoke" not in live.evidence and not live.is_stale)
    reference.retract("smoke")
    assert shown_beliefs(page)["lung"] == pytest.approx(tuple(reference.belief("lung").values))
    assert "smoke" in live.switched_off

    page.canvas.view.setFocus()
    press_keys(window, qtbot, Key.Key_E, Mods.ControlModifier | Mods.ShiftModifier)
    qtbot.waitUntil(lambda: not live.findings and not live.is_stale)
    for name, beliefs in shown_beliefs(page).items():
        assert beliefs == pytest.approx(prior[name])
    assert status.text() == "no evidence"


# -- journey 8: edit by hand


def new_node(qtbot: QtBot, page: ModelPage, name: str, place: QPoint) -> None:
    """N at the pointer, then the name and Enter."""
    view = page.canvas.view
    point_at(view.viewport(), place)
    qtbot.keyClick(view, Key.Key_N)
    editor = view.viewport().findChild(QLineEdit, "nameEditor")
    assert editor.isVisible()
    qtbot.keyClicks(editor, name)
    qtbot.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: name in page.scene().nodes)


def test_nodes_added_by_keyboard_alone_do_not_cover_each_other(
    qtbot: QtBot, window: MainWindow, hands: Hands
) -> None:
    press_keys(window, qtbot, Key.Key_N, Mods.ControlModifier)
    page = window.shell.center.current
    assert isinstance(page, ModelPage)
    hands.settle()
    outside = page.mapToGlobal(QPoint(-40, 40))
    for name in "abcdef":
        QCursor.setPos(outside)
        qtbot.keyClick(page.canvas.view, Key.Key_N)
        editor = page.canvas.view.viewport().findChild(QLineEdit, "nameEditor")
        qtbot.keyClicks(editor, name)
        qtbot.keyClick(editor, Key.Key_Return)
        qtbot.waitUntil(lambda name=name: name in page.scene().nodes)
        hands.settle()
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
    model = window.shell.project.models[window.shell.bench.model_id or ""].model
    assert isinstance(model, BayesianNetwork)
    return model


def test_edit_by_hand(
    qtbot: QtBot,
    window: MainWindow,
    hands: Hands,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shell = window.shell
    press_keys(window, qtbot, Key.Key_N, Mods.ControlModifier)
    page = shell.center.current
    assert isinstance(page, ModelPage)
    hands.settle()
    view = page.canvas.view
    view.setFocus()
    for name, place in (
        ("rain", QPoint(160, 120)),
        ("sprinkler", QPoint(480, 120)),
        ("grass", QPoint(320, 380)),
    ):
        new_node(qtbot, page, name, place)
    view.set_zoom(1.0)
    view.fit()

    # Edges, and the one that would close a cycle.
    qtbot.keyClick(view, Key.Key_L)
    assert view.tool.name == "edge"
    for source, target in (("rain", "sprinkler"), ("rain", "grass"), ("sprinkler", "grass")):
        hands.drag(view.viewport(), hands.head(page, source), hands.head(page, target))
    assert set(network_in_view(window).edges) == {
        ("rain", "sprinkler"),
        ("rain", "grass"),
        ("sprinkler", "grass"),
    }
    viewport, before = view.viewport(), shell.project
    qtbot.mousePress(viewport, LEFT, pos=hands.head(page, "grass"))
    qtbot.mouseMove(viewport, view.rect().center())
    qtbot.mouseMove(viewport, hands.head(page, "rain"))
    lit = {ends for ends, edge in page.scene().edges.items() if edge.look.step is not None}
    assert lit == {("rain", "grass")}  # the path is shown before the button is let go
    qtbot.mouseRelease(viewport, LEFT, pos=hands.head(page, "rain"))
    assert shell.project is before
    assert page.canvas.bubble.isVisible()
    assert page.canvas.bubble.text == "grass → rain would close a cycle: rain → grass."
    qtbot.keyClick(view, Key.Key_Escape)
    assert view.tool.name == "select"

    # Tables: typed, pasted, normalised.
    shell.reveal("tablePanel")
    hands.settle()
    hands.click_canvas(page, hands.head(page, "rain"))
    table, grid = grid_of(window)
    assert network_in_view(window).domain["rain"].states == ("yes", "no")
    for row, text in ((0, "0.2"), (1, "0.8")):
        type_into(qtbot, table, grid.index(row, 1), text)
    assert network_in_view(window).table("rain").tolist() == [0.2, 0.8]
    hands.click_canvas(page, hands.head(page, "sprinkler"))
    table.setFocus()
    table.setCurrentIndex(grid.index(grid.head_rows, 1))
    QApplication.clipboard().setText("0.01\t40 %\n0.99\t0,6\n")
    qtbot.keyClick(table, Key.Key_V, Mods.ControlModifier)
    assert network_in_view(window).table("sprinkler").tolist() == [[0.01, 0.99], [0.4, 0.6]]
    hands.click_canvas(page, hands.head(page, "grass"))
    table.setCurrentIndex(grid.index(grid.head_rows, 1))
    QApplication.clipboard().setText("0.6\t0.9\t0.8\t0\n0.2\t0.1\t0.2\t1\n")
    qtbot.keyClick(table, Key.Key_V, Mods.ControlModifier)
    assert network_in_view(window).table("grass")[0, 0].tolist() == [0.5, 0.5]  # waits
    hands.press("tableNormalise")
    assert network_in_view(window).table("grass").reshape(-1, 2).tolist() == [
        pytest.approx([0.75, 0.25]),
        [0.9, 0.1],
        [0.8, 0.2],
        [0, 1],
    ]

    # A state gets another name; the numbers stay.
    qtbot.mouseClick(hands.widget("inspectorTabs.table"), LEFT)
    chips = hands.widget("inspectorStates")
    assert isinstance(chips, QListWidget)
    place = chips.visualItemRect(chips.item(0)).center()
    qtbot.mouseClick(chips.viewport(), LEFT, pos=place)
    qtbot.keyClick(chips, Key.Key_F2)
    editor = chips.viewport().findChild(QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, "wet")
    qtbot.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: network_in_view(window).domain["grass"].states == ("wet", "no"))
    assert network_in_view(window).table("grass")[1, 0].tolist() == [0.8, 0.2]

    # Two of the three into a second model; the third is summed out.
    first = network_in_view(window)
    told: list[str] = []
    shell.bench.message.connect(lambda _level, sentence: told.append(sentence))
    hands.click_canvas(page, hands.head(page, "sprinkler"))
    hands.click_canvas(page, hands.head(page, "grass"), Mods.ControlModifier)
    qtbot.keyClick(view, Key.Key_C, Mods.ControlModifier)
    press_keys(window, qtbot, Key.Key_N, Mods.ControlModifier)
    second = shell.center.current
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
    assert any("The table of grass is summed over rain" in sentence for sentence in told)

    # Thirty steps back and thirty forth. All of them fit into thirty.
    after, stack = shell.project, shell.document.undo_stack
    assert 12 <= stack.count() <= 30
    for _ in range(30):
        press_keys(window, qtbot, Key.Key_Z, Mods.ControlModifier)
        QApplication.processEvents()
    assert not shell.project.models
    for _ in range(30):
        press_keys(window, qtbot, Key.Key_Z, Mods.ControlModifier | Mods.ShiftModifier)
        QApplication.processEvents()
    assert shell.project is after

    # Saved; then another window is killed while it keeps its changes.
    path = tmp_path / "garden.pgmz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    press_keys(window, qtbot, Key.Key_S, Mods.ControlModifier)
    assert shell.document.is_saved
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
    open_welcome(shell)
    note = window.findChild(Note, "recoveryNote")
    assert "garden.pgmz" in note.text
    hands.press("recoveryAccept")
    assert "snow" in next(iter(shell.project.models.values())).model.domain
    assert not shell.document.is_saved
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
    from pgmstudio.gui.app import preferences
    from pgmstudio.gui.app.main import make_application

    project, folder = Path(sys.argv[1]), Path(sys.argv[2])
    preferences.preferences_folder = lambda: folder
    application = make_application()
    from pgmstudio.gui.app.main_window import MainWindow
    from pgmstudio.gui.app.opening import open_file

    window = MainWindow()
    window.show()
    open_file(window.shell, project)
    kept = []
    window.autosave.saved.connect(kept.append)

    def change(old, new):
        model_id = next(iter(window.shell.project.models))
        window.shell.change("Rename", lambda p: rename_variable(
            p, model_id=model_id, old=old, new=new))
        window.autosave.save_now()

    change("rain", "snow")
    while not kept:
        QTest.qWait(10)

    def half(part, content):
        with part.open("xb") as stream:
            stream.write(content[: len(content) // 2])
            stream.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    atomic._write_through = half
    change("snow", "hail")
    QTest.qWait(60_000)
""")


# -- journey 1: from an incomplete file to a saved project


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """200 people: two numbers, two words; “?” in one column, blanks in another, both in row 5."""
    rng = np.random.default_rng(3)
    lines = ["age,pressure,smoker,sport"]
    for row in range(200):
        smoker = "?" if row in (5, 60, 61) else ("yes" if rng.random() < 0.4 else "no")
        sport = "" if row in (5, 9, 100, 101) else ("often" if rng.random() < 0.5 else "never")
        pressure = 100 + row % 60 + (15 if smoker == "yes" else 0)
        lines.append(f"{20 + row % 60},{pressure},{smoker},{sport}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def drag_cut(hands: Hands, page: ImportPage, cut: int, value: float) -> None:
    histogram = page.view.cuts.histogram
    middle = histogram.height() // 2
    start = QPoint(histogram.x_of(histogram.points[cut]), middle)
    hands.drag(histogram, start, QPoint(histogram.x_of(value), middle))


def test_an_incomplete_file_becomes_a_saved_project(
    qtbot: QtBot,
    window: MainWindow,
    hands: Hands,
    people: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shell = window.shell
    open_file(shell, people)
    page = shell.center.current
    assert isinstance(page, ImportPage)
    qtbot.waitUntil(lambda: page.reading is not None, timeout=20_000)
    page.go_to(COLUMNS)
    assert "7 cells missing" in page.view.columns.note.text
    assert "194 of 200 rows are complete" in page.view.columns.note.text

    # Cuts: two columns, one of them by hand.
    page.go_to(CUTS)
    page.view.columns.list.pick("pressure")
    page.view.cuts.bins.setValue(2)
    page.view.columns.list.pick("age")
    page.view.cuts.bins.setValue(3)
    hands.settle()
    before = page.view.cuts.histogram.points
    drag_cut(hands, page, 0, 30)
    after = page.view.cuts.histogram.points
    assert after[0] == 30
    assert after[1:] == before[1:]
    qtbot.keyClick(page.view.cuts.histogram, Key.Key_Z, Mods.ControlModifier)
    assert page.view.cuts.histogram.points == before
    redo = Mods.ControlModifier | Mods.ShiftModifier
    qtbot.keyClick(page.view.cuts.histogram, Key.Key_Z, redo)
    assert page.view.cuts.histogram.points == after
    hands.press("importFinish")
    qtbot.waitUntil(lambda: isinstance(shell.center.current, DataPage), timeout=20_000)
    (entry,) = shell.project.data.values()
    assert entry.cuts["age"].points == after
    assert len(entry.cuts["pressure"].points) == 1
    counts = np.bincount(entry.data.column("age"))
    assert counts[0] == sum(20 + row % 60 < 30 for row in range(200))

    # The missing map counts what the file lacks.
    data_page = shell.center.current
    assert isinstance(data_page, DataPage)
    hands.press("dataTabs.missing")
    tab = data_page.findChild(MissingTab, "missingTab")
    qtbot.waitUntil(lambda: tab.map.pattern_count == 4)  # none, one of them, the other, both
    assert "7 of 800 cells are missing in smoker and sport" in tab.sentence.text
    missing = dict(zip(entry.data.domain.names, entry.data.missing_counts, strict=True))
    assert missing == {"age": 0, "pressure": 0, "smoker": 3, "sport": 4}

    # Learn; what happens with the missing cells is said before.
    press_keys(window, qtbot, Key.Key_L, Mods.ControlModifier)
    sheet = shell.center.current
    assert isinstance(sheet, LearnPage)
    sheet.choose(learner="bn.hill-climb")
    hands.settle()
    note = sheet.findChild(Note, "missingNote")
    assert note.isVisible()
    assert note.text == sheet.learner.on_missing(entry.data)
    assert "7" in note.text
    start = sheet.findChild(QPushButton, "learnStart")
    with qtbot.waitSignal(shell.bench.runs.run_ended, timeout=LONG_MS):
        qtbot.mouseClick(start, LEFT)
    (run,) = shell.project.runs.values()
    assert run.model_id in shell.project.models

    # Save, and open in another window: the same bytes.
    path = tmp_path / "people.pgmz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    press_keys(window, qtbot, Key.Key_S, Mods.ControlModifier)
    assert shell.document.is_saved
    other = MainWindow()
    qtbot.addWidget(other)
    other.show()
    open_file(other.shell, path)
    assert project_bytes(other.shell.project) == path.read_bytes()
    assert project_bytes(shell.project) == path.read_bytes()
    reopened = other.shell.center.current
    assert isinstance(reopened, ModelPage)
    qtbot.waitUntil(lambda: len(reopened.scene().nodes) == 4)
