"""The page of a model in the window: evidence by clicks, edits by gestures, undo, pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.brute_force import BruteForceSession
from pgmstudio.core.inference.protocols import Excluded, Likelihood, Observed
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.app.main_window import MainWindow
from pgmstudio.gui.app.opening import add_and_show_model
from pgmstudio.gui.pages.model_page import ModelPage
from pgmstudio.gui.views.model_bar import ModelBar
from pgmstudio.gui.views.node_face import NodeMode

Key, Mods = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


def _network() -> BayesianNetwork:
    """Rain and a sprinkler wet the grass; the sprinkler has three settings."""
    domain = Domain.of(
        {"rain": ("yes", "no"), "sprinkler": ("off", "low", "high"), "grass": ("wet", "dry")}
    )
    dag = Dag.from_edges(domain.names, [("rain", "grass"), ("sprinkler", "grass")])
    tables = (
        [0.2, 0.8],
        [0.5, 0.3, 0.2],
        [[[0.9, 0.1], [0.95, 0.05], [1.0, 0.0]], [[0.0, 1.0], [0.6, 0.4], [0.9, 0.1]]],
    )
    return BayesianNetwork(domain, dag, tables)


def _open(qtbot: QtBot, window: MainWindow, model: BayesianNetwork, title: str) -> ModelPage:
    add_and_show_model(window.shell, ModelEntry(title=title, model=model), f"Open {title}")
    page = window.shell.center.current
    assert isinstance(page, ModelPage)
    wanted = len(model.domain)
    qtbot.waitUntil(lambda: len(page.scene().nodes) == wanted and not page.asking.live.is_waiting)
    page.canvas.view.set_zoom(1.0)
    page.canvas.view.fit()
    page.canvas.view.setFocus()
    return page


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> ModelPage:
    window.reset_layout()
    for name in ("tablePanel", "runsPanel", "logPanel"):  # more room for the canvas
        if name in window.docks:
            window.docks[name].hide()
    made = _open(qtbot, window, _network(), "garden")
    assert made.canvas.view.zoom >= 0.7
    return made


def _head(page: ModelPage, node: str) -> QPoint:
    box = page.scene().nodes[node].box
    return page.canvas.view.mapFromScene(QPointF(box.center().x(), box.top() + 10))


def _bar(page: ModelPage, node: str, state: str, share: float = 0.5) -> QPoint:
    item = page.scene().nodes[node]
    place = item.geometry.shown.index(item.face.states.index(state))
    bar = item.geometry.bar(place)
    inside = QPointF(bar.left() + bar.width() * share, bar.center().y())
    return page.canvas.view.mapFromScene(item.pos() + item.corner + inside)


def _click(qtbot: QtBot, page: ModelPage, place: QPoint, keys: Mods = Mods.NoModifier) -> None:
    qtbot.mouseClick(page.canvas.view.viewport(), LEFT, keys, place)


def _drag(qtbot: QtBot, page: ModelPage, start: QPoint, end: QPoint) -> None:
    viewport = page.canvas.view.viewport()
    qtbot.mousePress(viewport, LEFT, pos=start)
    for share in (0.2, 0.5, 0.8, 1.0):
        qtbot.mouseMove(viewport, start + (end - start) * share)
    qtbot.mouseRelease(viewport, LEFT, pos=end)


def _settled(qtbot: QtBot, page: ModelPage) -> None:
    live = page.asking.live
    qtbot.waitUntil(lambda: not live.is_stale and not live.is_waiting)


def _shown(page: ModelPage, node: str) -> tuple[float, ...]:
    return page.scene().nodes[node].face.beliefs


# -- evidence


def test_a_click_on_a_bar_sets_evidence_and_a_second_one_retracts_it(
    qtbot: QtBot, page: ModelPage
) -> None:
    prior = _shown(page, "rain")
    _click(qtbot, page, _bar(page, "grass", "wet"))
    _settled(qtbot, page)
    assert page.asking.live.evidence == {"grass": Observed("wet")}
    reference = BruteForceSession(_network())
    reference.set_evidence("grass", Observed("wet"))
    assert _shown(page, "rain") == pytest.approx(tuple(reference.belief("rain").values))
    mark = page.scene().nodes["grass"].face.mark
    assert mark is not None
    assert mark.words == "= wet"
    _click(qtbot, page, _bar(page, "grass", "wet"))
    _settled(qtbot, page)
    assert page.asking.live.evidence == {}
    assert _shown(page, "rain") == pytest.approx(prior)


def test_shift_excludes_a_state_and_ctrl_allows_several(qtbot: QtBot, page: ModelPage) -> None:
    _click(qtbot, page, _bar(page, "sprinkler", "low"), Mods.ShiftModifier)
    _settled(qtbot, page)
    assert page.asking.live.evidence == {"sprinkler": Excluded(frozenset({"low"}))}
    assert page.scene().nodes["sprinkler"].face.mark.words == "≠ low"
    _click(qtbot, page, _bar(page, "sprinkler", "low"), Mods.ShiftModifier)
    _click(qtbot, page, _bar(page, "sprinkler", "off"), Mods.ControlModifier)
    assert page.asking.live.evidence == {"sprinkler": Observed("off")}
    _click(qtbot, page, _bar(page, "sprinkler", "high"), Mods.ControlModifier)
    _settled(qtbot, page)
    assert page.asking.live.evidence == {"sprinkler": Excluded(frozenset({"low"}))}


def test_dragging_a_bar_sets_a_likelihood_while_dragging(qtbot: QtBot, page: ModelPage) -> None:
    viewport = page.canvas.view.viewport()
    prior = _shown(page, "grass")
    qtbot.mousePress(viewport, LEFT, pos=_bar(page, "rain", "no", 0.9))
    qtbot.mouseMove(viewport, _bar(page, "rain", "no", 0.5))
    qtbot.mouseMove(viewport, _bar(page, "rain", "no", 0.25))
    _settled(qtbot, page)  # the button is still held
    assert isinstance(page.asking.live.evidence["rain"], Likelihood)
    assert _shown(page, "grass") != pytest.approx(prior)
    qtbot.mouseRelease(viewport, LEFT, pos=_bar(page, "rain", "no", 0.25))
    finding = page.asking.live.evidence["rain"]
    assert isinstance(finding, Likelihood)
    assert dict(finding.weights) == {"yes": 1.0, "no": pytest.approx(0.25, abs=0.03)}
    assert page.scene().nodes["rain"].pos() == page.scene().nodes["rain"].pos()


def test_an_impossible_state_cannot_be_clicked_and_says_what_excludes_it(
    qtbot: QtBot, page: ModelPage
) -> None:
    _click(qtbot, page, _bar(page, "rain", "no"))
    _click(qtbot, page, _bar(page, "sprinkler", "off"))
    _settled(qtbot, page)
    assert _shown(page, "grass")[0] == 0
    before = dict(page.asking.live.evidence)
    _click(qtbot, page, _bar(page, "grass", "wet"))
    assert dict(page.asking.live.evidence) == before
    assert page.canvas.bubble.isVisible()
    assert "rain" in page.canvas.bubble.text


def test_the_bar_counts_evidence_and_clears_it(qtbot: QtBot, page: ModelPage) -> None:
    _click(qtbot, page, _bar(page, "rain", "yes"))
    _click(qtbot, page, _bar(page, "grass", "dry"))
    chip = page.bar.findChild(object, "evidenceChip")
    assert chip.isVisible()
    assert "2 evidence" in chip.text()
    qtbot.mouseClick(page.bar.findChild(object, "clearEvidence"), LEFT)
    assert page.asking.live.evidence == {}
    assert not chip.isVisible()


def test_keys_set_evidence_and_targets(qtbot: QtBot, window: MainWindow, page: ModelPage) -> None:
    view = page.canvas.view
    view.keys.go_to("rain")
    qtbot.keyClick(view, Key.Key_Return)
    qtbot.keyClick(view, Key.Key_2)
    assert page.asking.live.evidence == {"rain": Observed("no")}
    qtbot.keyClick(view, Key.Key_T)
    assert window.shell.bench.target == "rain"
    assert page.scene().nodes["rain"].face.is_target
    qtbot.keyClick(view, Key.Key_C)
    assert page.asking.live.evidence == {}


# -- structure


def test_an_edge_is_drawn_by_mouse_and_undone(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = window.shell.project
    qtbot.mouseClick(page.bar.findChild(QToolButton, "tool.edge"), LEFT)
    _drag(qtbot, page, _head(page, "rain"), _head(page, "sprinkler"))
    model = window.shell.project.models[page.model_id or ""].model
    assert ("rain", "sprinkler") in model.edges
    assert ("rain", "sprinkler") in page.scene().edges
    assert window.shell.document.undo_stack.undoText() == "Add rain → sprinkler"
    window.shell.document.undo_stack.undo()
    assert window.shell.project is before
    assert ("rain", "sprinkler") not in page.scene().edges


def test_while_drawing_the_rows_of_the_table_are_told(qtbot: QtBot, page: ModelPage) -> None:
    from pgmstudio.gui.views.edge_tool import EdgeTool

    page.choose_tool("edge")
    viewport, tool = page.canvas.view.viewport(), page.canvas.view.tool
    assert isinstance(tool, EdgeTool)
    qtbot.mousePress(viewport, LEFT, pos=_head(page, "rain"))
    qtbot.mouseMove(viewport, _head(page, "grass"))
    qtbot.mouseMove(viewport, _head(page, "sprinkler"))
    assert tool.advice.words == "1 → 2 rows"
    qtbot.keyClick(page.canvas.view, Key.Key_Escape)
    qtbot.mouseRelease(viewport, LEFT, pos=_head(page, "sprinkler"))


def test_a_cycle_is_refused_with_its_path_and_changes_nothing(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = window.shell.project
    page.choose_tool("edge")
    _drag(qtbot, page, _head(page, "grass"), _head(page, "rain"))
    assert window.shell.project is before
    assert page.canvas.bubble.isVisible()
    assert page.canvas.bubble.text == "grass → rain would close a cycle: rain → grass."


def test_selected_things_are_deleted_and_come_back(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before, places = window.shell.project, page.scene().positions
    _click(qtbot, page, _head(page, "sprinkler"))
    qtbot.keyClick(page.canvas.view, Key.Key_Delete)
    assert set(page.scene().nodes) == {"rain", "grass"}
    assert page.scene().positions["rain"] == places["rain"]
    window.shell.document.undo_stack.undo()
    assert window.shell.project is before
    assert page.scene().positions == places


def test_an_edge_is_reversed_by_key(qtbot: QtBot, window: MainWindow, page: ModelPage) -> None:
    route = page.scene().edges["rain", "grass"].route
    _click(qtbot, page, page.canvas.view.mapFromScene(QPointF(*route.at(0.5))))
    assert window.shell.bench.selection.edges == (("rain", "grass"),)
    qtbot.keyClick(page.canvas.view, Key.Key_R)
    assert ("grass", "rain") in page.scene().edges
    assert window.shell.bench.selection.edges == (("grass", "rain"),)


def test_a_new_node_keeps_all_others_in_place(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    places = page.scene().positions
    page.canvas.view.begin_node(QPointF(300, 10))
    qtbot.keyClicks(page.canvas.view.editor, "cloud")
    qtbot.keyClick(page.canvas.view.editor, Key.Key_Return)
    after = page.scene().positions
    assert {n: after[n] for n in places} == places
    assert after["cloud"] == (300, 10)
    assert window.shell.bench.selection.nodes == ("cloud",)


def test_a_name_that_is_taken_is_refused_at_the_pointer(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = window.shell.project
    page.canvas.wishes.rename.emit("rain", "grass")
    assert window.shell.project is before
    assert "grass" in page.canvas.bubble.text
    place = page.scene().positions["rain"]
    page.canvas.wishes.rename.emit("rain", "shower")
    assert page.scene().positions["shower"] == place


def test_a_drag_is_one_undo_step_that_is_kept_in_the_project(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    count, places = window.shell.document.undo_stack.count(), page.scene().positions
    start = _head(page, "rain")
    _drag(qtbot, page, start, start + QPoint(-90, -11))
    assert window.shell.document.undo_stack.count() == count + 1
    stored = window.shell.project.models[page.model_id or ""].layouts["dag"]
    assert stored["rain"] == page.scene().positions["rain"] != places["rain"]
    window.shell.document.undo_stack.undo()
    assert page.scene().positions == places


def test_a_layout_that_was_asked_for_can_be_undone(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    places = page.scene().positions
    combo = page.bar.findChild(QComboBox, "layoutCombo")
    combo.setCurrentIndex(combo.findData("circle"))
    combo.activated.emit(combo.currentIndex())
    qtbot.waitUntil(lambda: page.scene().positions != places)
    assert window.shell.document.undo_stack.undoText() == "Arrange: circle"
    window.shell.document.undo_stack.undo()
    assert page.scene().positions == places


def test_nodes_are_aligned_by_the_menu(qtbot: QtBot, window: MainWindow, page: ModelPage) -> None:
    window.shell.bench.select(["rain", "grass"])
    window.shell.book.refresh()
    window.shell.book["model.align.left"].trigger()
    boxes = [page.scene().nodes[n].box for n in ("rain", "grass")]
    assert boxes[0].left() == pytest.approx(boxes[1].left(), abs=1)


def test_an_empty_model_says_how_to_begin_and_takes_a_first_node(
    qtbot: QtBot, window: MainWindow
) -> None:
    page = _open(qtbot, window, BayesianNetwork.uniform(Domain(())), "new")
    words = page.findChild(QLabel, "waiting")
    assert words.isVisible()
    assert "Press N" in words.text()
    qtbot.keyClick(page.canvas.view, Key.Key_N)
    qtbot.keyClicks(page.canvas.view.editor, "first")
    qtbot.keyClick(page.canvas.view.editor, Key.Key_Return)
    assert list(page.scene().nodes) == ["first"]
    assert not words.isVisible()


def test_undoing_the_opening_of_a_model_closes_its_page(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.shell.document.undo_stack.undo()
    qtbot.waitUntil(lambda: page not in window.shell.center.pages)


# -- how it is shown


def test_the_mode_of_all_nodes_is_an_undoable_choice(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    combo = page.bar.findChild(QComboBox, "modeCombo")
    combo.setCurrentIndex(combo.findData(NodeMode.NAME.value))
    combo.activated.emit(combo.currentIndex())
    assert {i.face.mode for i in page.scene().nodes.values()} == {NodeMode.NAME}
    window.shell.bench.select(["rain"])
    window.shell.book.refresh()
    window.shell.book["model.show-selected.bars"].trigger()
    assert page.scene().nodes["rain"].face.mode is NodeMode.BARS
    assert combo.currentIndex() == -1  # mixed
    window.shell.document.undo_stack.undo()
    window.shell.document.undo_stack.undo()
    assert {i.face.mode for i in page.scene().nodes.values()} == {NodeMode.PRIOR}


def test_other_pictures_are_shown_without_editing(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    qtbot.mouseClick(page.bar.findChild(QToolButton, "picture.moral"), LEFT)
    qtbot.waitUntil(lambda: ("rain", "sprinkler") in page.scene().edges)
    assert "joins parents" in [entry.text for entry in page.legend_entries()]
    assert not page.bar.findChild(QToolButton, "tool.edge").isEnabled()
    qtbot.mouseClick(page.bar.findChild(QToolButton, "picture.clique-tree"), LEFT)
    qtbot.waitUntil(lambda: list(page.scene().nodes) == ["rain, sprinkler, grass"])
    qtbot.mouseClick(page.bar.findChild(QToolButton, "picture.dag"), LEFT)
    assert set(page.scene().nodes) == {"rain", "sprinkler", "grass"}
    assert page.bar.findChild(QToolButton, "tool.edge").isEnabled()


def test_edge_widths_follow_mutual_information(qtbot: QtBot, page: ModelPage) -> None:
    combo = page.bar.findChild(QComboBox, "strengthCombo")
    combo.setCurrentIndex(combo.findData("mi"))
    combo.activated.emit(combo.currentIndex())
    qtbot.waitUntil(lambda: page.canvas.strengths is not None)
    widths = {ends: item.look.width for ends, item in page.scene().edges.items()}
    assert max(w for w in widths.values() if w is not None) == 6
    assert any("Edge width: MI" in entry.text for entry in page.legend_entries())


def test_selection_goes_both_ways(qtbot: QtBot, window: MainWindow, page: ModelPage) -> None:
    _click(qtbot, page, _head(page, "grass"))
    assert window.shell.bench.selection.nodes == ("grass",)
    window.shell.bench.select(["rain", "sprinkler"])
    chosen = {n for n, item in page.scene().nodes.items() if item.look.is_selected}
    assert chosen == {"rain", "sprinkler"}


def test_notes_and_titles_are_on_the_nodes(window: MainWindow, page: ModelPage) -> None:
    from functools import partial

    from pgmstudio.core.project.model_edits import set_node_note, set_node_title

    model_id = page.model_id or ""
    note = partial(set_node_note, model_id=model_id, node="rain", note="measured at noon")
    window.shell.change("Note", note)
    title = partial(set_node_title, model_id=model_id, node="rain", title="Rain today")
    window.shell.change("Title", title)
    face = page.scene().nodes["rain"].face
    assert (face.title, face.note) == ("Rain today", "measured at noon")


def test_a_model_that_cannot_answer_says_so_and_shows_names(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pgmstudio.core.errors import TooLargeError
    from pgmstudio.gui.document import live_beliefs

    def refuse(_model: object) -> object:
        raise TooLargeError("The largest clique would need 8 GB; prune the model.")

    monkeypatch.setattr(live_beliefs, "open_session", refuse)
    page = _open(qtbot, window, _network(), "huge")
    assert page.note.isVisible()
    assert "8 GB" in page.note.text
    assert {item.face.mode for item in page.scene().nodes.values()} == {NodeMode.NAME}


# -- clipboard and menus


def test_a_part_is_copied_into_another_model_with_its_tables(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.shell.bench.select(["rain", "sprinkler", "grass"])
    qtbot.keyClick(page.canvas.view, Key.Key_C, Mods.ControlModifier)
    assert json.loads(QApplication.clipboard().text())["language"] == "bayesian-network"
    other = _open(qtbot, window, BayesianNetwork.uniform(Domain.of({"rain": "ab"})), "other")
    qtbot.keyClick(other.canvas.view, Key.Key_V, Mods.ControlModifier)
    model = window.shell.project.models[other.model_id or ""].model
    assert isinstance(model, BayesianNetwork)
    assert model.domain.names == ("rain", "rain 2", "sprinkler", "grass")
    assert set(model.edges) == {("rain 2", "grass"), ("sprinkler", "grass")}
    assert (model.table("grass") == _network().table("grass")).all()
    assert window.shell.bench.selection.nodes == ("rain 2", "sprinkler", "grass")


def test_a_copy_without_its_parents_is_summed_over_them_and_says_so(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    told: list[str] = []
    window.shell.toast.connect(lambda sentence, _undo: told.append(sentence))
    window.shell.bench.select(["rain", "grass"])
    page.editing.copy()
    assert "grass is summed over sprinkler" in told[0]
    page.editing.paste()
    model = window.shell.project.models[page.model_id or ""].model
    assert isinstance(model, BayesianNetwork)
    joint = BruteForceSession(_network()).joint(["rain", "grass"])
    assert model.table("grass 2") == pytest.approx(joint / joint.sum(axis=1, keepdims=True))


def test_what_is_no_model_on_the_clipboard_is_refused(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = window.shell.project
    QApplication.clipboard().setText("good morning")
    qtbot.keyClick(page.canvas.view, Key.Key_V, Mods.ControlModifier)
    assert window.shell.project is before
    assert page.canvas.bubble.isVisible()


def test_the_context_menu_of_a_node_offers_its_states(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    page.canvas.view.keys.go_to("rain")
    qtbot.keyClick(page.canvas.view, Key.Key_Menu)
    menu = page.findChild(QMenu, "canvasMenu")
    texts = [action.text() for action in menu.actions() if action.text()]
    for wanted in ("Set evidence", "Not", "Likelihood…", "Make target", "Rename", "Delete"):
        assert wanted in texts
    states = next(a for a in menu.actions() if a.text() == "Set evidence").menu()
    states.actions()[0].trigger()
    assert page.asking.live.evidence == {"rain": Observed("yes")}
    menu.close()


def test_keys_of_the_canvas_do_not_reach_beyond_it(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.shell.bench.select(["rain"])
    window.command_field.setFocus()
    qtbot.keyClicks(window.command_field, "nr0")
    assert window.command_field.text() == "nr0"
    assert not page.canvas.view.editor.isVisible()


def test_the_bar_folds_when_it_is_narrow(qtbot: QtBot) -> None:
    frame = QWidget()  # a window of its own would not become narrower than its layout
    qtbot.addWidget(frame)
    bar = ModelBar(["dag", "moral", "clique-tree"], frame)
    bar.resize(1000, 40)
    frame.show()
    combo, view_menu = bar.findChild(QComboBox, "modeCombo"), bar.findChild(QToolButton, "viewMenu")
    tools, tool_menu = (
        bar.findChild(QToolButton, "tool.edge"),
        bar.findChild(QToolButton, "toolMenu"),
    )
    assert combo.isVisible()
    assert not view_menu.isVisible()
    bar.resize(500, 40)
    assert (combo.isVisible(), view_menu.isVisible(), tools.isVisible()) == (False, True, True)
    bar.resize(300, 40)
    assert (tools.isVisible(), tool_menu.isVisible()) == (False, True)
    with qtbot.waitSignal(bar.layout_chosen) as chosen:
        next(a for a in view_menu.menu().actions() if a.text() == "Circle").trigger()
    assert chosen.args == ["circle"]


def test_nothing_is_warned_about_by_qt(
    qtbot: QtBot, window: MainWindow, page: ModelPage, qtlog: object
) -> None:
    _click(qtbot, page, _bar(page, "rain", "yes"))
    _click(qtbot, page, _head(page, "grass"))
    qtbot.keyClick(page.canvas.view, Key.Key_Delete)
    window.shell.document.undo_stack.undo()
    page.canvas.view.set_zoom(0.3)
    page.canvas.view.grab()
    records = [r.message for r in qtlog.records]
    assert [m for m in records if "propagateSizeHints" not in m] == []


@pytest.mark.slow
def test_a_network_of_hundreds_of_nodes_opens_and_can_be_searched(
    qtbot: QtBot, window: MainWindow, shared: Path
) -> None:
    from pgmstudio.core.io.model_files import read_model

    model = read_model(shared / "data/networks/andes.bif").model
    assert isinstance(model, BayesianNetwork)
    add_and_show_model(window.shell, ModelEntry(title="andes", model=model), "Open andes")
    page = window.shell.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 223, timeout=30_000)
    qtbot.waitUntil(lambda: page.canvas.minimap.isVisible())
    page.canvas.open_find()
    qtbot.keyClicks(page.canvas.find_bar._field, "goal_49")
    assert window.shell.bench.selection.nodes == ("GOAL_49",)
    qtbot.waitUntil(lambda: not page.asking.live.is_waiting, timeout=60_000)
