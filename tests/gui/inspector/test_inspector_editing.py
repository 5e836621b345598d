"""Names, states, tables, edges and notes in the inspector, each change undone."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.information_measures import mutual_information_bits
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import click_bar, find, inspect, inspector, network_of

Key = Qt.Key


def test_names_and_states_are_renamed_undoably(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    stack = window.app.document.undo_stack
    inspect(window, qtbot, "tub", tab="table")
    title = find(window, QLineEdit, "inspectorNodeTitle")
    assert isinstance(title, QLineEdit)
    title.setFocus()
    title.selectAll()
    qtbot.keyClicks(title, "Tuberculosis")
    qtbot.keyClick(title, Key.Key_Return)
    model_id = window.app.workspace.model_id or ""
    assert window.app.project.models[model_id].node_titles == {"tub": "Tuberculosis"}
    identifier = find(window, QLineEdit, "inspectorIdentifier")
    assert isinstance(identifier, QLineEdit)
    identifier.setFocus()
    identifier.selectAll()
    qtbot.keyClicks(identifier, "tb")
    qtbot.keyClick(identifier, Key.Key_Return)
    assert "tb" in window.app.project.models[model_id].model.domain
    assert window.app.workspace.selection.nodes == ("tb",)
    states = find(window, QListWidget, "inspectorStates")
    assert isinstance(states, QListWidget)
    qtbot.waitUntil(lambda: inspector(window).node._name == "tb")
    states.item(0).setText("present")
    assert window.app.project.models[model_id].model.domain["tb"].states == ("present", "no")
    for _ in range(3):
        stack.undo()
    assert window.app.project.models[model_id].model is live.model
    assert "tub" in live.model.domain
    assert live.model.domain["tub"].states == ("yes", "no")


def test_a_name_that_is_taken_is_refused_and_the_field_goes_back(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    inspect(window, qtbot, "tub", tab="table")
    identifier = find(window, QLineEdit, "inspectorIdentifier")
    assert isinstance(identifier, QLineEdit)
    identifier.selectAll()
    qtbot.keyClicks(identifier, "lung")
    with qtbot.waitSignal(window.app.errors.message) as emitted:
        qtbot.keyClick(identifier, Key.Key_Return)
    assert "lung" in emitted.args[0]
    assert identifier.text() == "tub"


def test_the_table_tab_reports_columns_and_free_parameters(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    inspect(window, qtbot, "dysp", tab="table")
    facts = inspector(window).node.table.facts.facts
    assert facts["Columns"] == "4 = 2 × 2"
    assert facts["Free parameters"] == "4"


def test_edges_show_their_information_and_can_be_turned_and_deleted(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    inspect(window, qtbot, "lung", tab="edges")
    tab = inspector(window).node.edges
    bits = mutual_information_bits(JunctionTreeSession(network_of(live)).joint(["smoke", "lung"]))
    row = tab._rows["smoke", "lung"]
    qtbot.waitUntil(lambda: row.bits.text() == f"{bits:.3f}")
    turn = find(window, QToolButton, "turn.smoke → lung")
    qtbot.mouseClick(turn, Qt.MouseButton.LeftButton)
    assert ("lung", "smoke") in live.model.edges  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: ("lung", "smoke") in tab._rows)
    gone = find(window, QToolButton, "delete.lung → smoke")
    qtbot.mouseClick(gone, Qt.MouseButton.LeftButton)
    assert ("lung", "smoke") not in live.model.edges  # type: ignore[attr-defined]
    window.app.document.undo_stack.undo()
    window.app.document.undo_stack.undo()
    assert ("smoke", "lung") in live.model.edges  # type: ignore[attr-defined]


def test_notes_become_one_undoable_step_when_the_field_is_left(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    inspect(window, qtbot, "asia", tab="notes")
    field = find(window, QPlainTextEdit, "inspectorNotesTab")
    assert isinstance(field, QPlainTextEdit)
    field.setFocus()
    steps = window.app.document.undo_stack.count()
    qtbot.keyClicks(field, "A *rare* visit.")
    window.app.workspace.select(("tub",))
    model_id = window.app.workspace.model_id or ""
    qtbot.waitUntil(
        lambda: window.app.project.models[model_id].node_notes == {"asia": "A *rare* visit."}
    )
    assert window.app.document.undo_stack.count() == steps + 1
    qtbot.waitUntil(lambda: field.toPlainText() == "")
    window.app.document.undo_stack.undo()
    assert not window.app.project.models[model_id].node_notes


def test_a_selected_edge_shows_both_ends_and_their_information(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    window.app.workspace.select((), (("bronc", "dysp"),))
    page = inspector(window).edge
    qtbot.waitUntil(page.isVisible)
    bits = mutual_information_bits(JunctionTreeSession(network_of(live)).joint(["bronc", "dysp"]))
    qtbot.waitUntil(lambda: page.facts.facts["Mutual information"] == f"{bits:.4f} bits")
    assert [bars.bars.title for _, bars in page._ends] == ["bronc", "dysp"]
    click_bar(qtbot, page._ends[0][1], "no")
    assert live.evidence == {"bronc": Observed("no")}
    qtbot.mouseClick(find(window, QPushButton, "inspectorEdgeReverse"), Qt.MouseButton.LeftButton)
    assert window.app.workspace.selection.edges == (("dysp", "bronc"),)
