"""States of a variable are added, renamed, ordered and removed in its inspector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.gui.inspector.node import StateChips
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import inspector, open_asia

Key = Qt.Key


@pytest.fixture
def chips(window: MainWindow, sample_data: Path, qtbot: QtBot) -> StateChips:
    open_asia(window, sample_data)
    window.app.workspace.select(("tub",))
    panel = inspector(window)
    qtbot.waitUntil(panel.node.isVisible)
    panel.node.show_tab("table")
    result = panel.findChild(StateChips, "inspectorStates")
    assert isinstance(result, StateChips)
    qtbot.waitUntil(lambda: result.states == ("yes", "no"))
    return result


def network(window: MainWindow) -> BayesianNetwork:
    model = window.app.project.models["m1"].model
    assert isinstance(model, BayesianNetwork)
    return model


def add(qtbot: QtBot, window: MainWindow) -> QLineEdit:
    button = inspector(window).findChild(QPushButton, "inspectorAddState")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    return editor


def end_editing(qtbot: QtBot, chips: StateChips, editor: QLineEdit) -> None:
    """Enter; the list takes the name over a moment later."""
    qtbot.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: not chips.findChildren(QLineEdit))


def test_a_state_is_added_named_and_taken_back_in_one_step(
    qtbot: QtBot, window: MainWindow, chips: StateChips
) -> None:
    before, steps = network(window), window.app.document.undo_stack.count()
    editor = add(qtbot, window)
    editor.selectAll()
    qtbot.keyClicks(editor, "unsure")
    end_editing(qtbot, chips, editor)
    after = network(window)
    assert after.domain["tub"].states == ("yes", "no", "unsure")
    assert after.table("tub")[..., 2] == pytest.approx(0)
    assert after.table("either").shape[after.dag.parents("either").index("tub")] == 3
    assert window.app.document.undo_stack.count() == steps + 1
    window.app.document.undo_stack.undo()
    assert network(window) is before
    qtbot.waitUntil(lambda: chips.states == ("yes", "no"))


def test_ctrl_and_arrow_orders_and_beliefs_stay_with_their_names(
    qtbot: QtBot, window: MainWindow, chips: StateChips
) -> None:
    live = window.app.workspace.beliefs("m1")
    qtbot.waitUntil(lambda: not live.is_stale)
    yes = live.beliefs["tub"][0]
    chips.setFocus()
    chips.choose("yes")
    qtbot.keyClick(chips, Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert network(window).domain["tub"].states == ("no", "yes")
    qtbot.waitUntil(lambda: not live.is_stale)
    assert live.beliefs["tub"][1] == pytest.approx(yes)
    current = chips.currentItem()
    assert current is not None
    assert current.text() == "yes"


def test_delete_removes_a_state_and_reports_it(
    qtbot: QtBot, window: MainWindow, chips: StateChips
) -> None:
    end_editing(qtbot, chips, add(qtbot, window))
    messages: list[str] = []
    window.app.toast.connect(lambda message, _undo: messages.append(message))
    chips.setFocus()
    chips.choose("no")
    qtbot.keyClick(chips, Key.Key_Delete)
    model = network(window)
    assert model.domain["tub"].states == ("yes", "state 1")
    assert np.allclose(model.table("tub").sum(axis=-1), 1)
    assert messages == [
        "tub = no was removed. The other states of its table were scaled to 1; in 1 table of "
        "children its columns went."
    ]


def test_the_last_two_states_cannot_be_removed(
    qtbot: QtBot, window: MainWindow, chips: StateChips
) -> None:
    before = window.app.project
    messages: list[str] = []
    window.app.errors.message.connect(messages.append)
    chips.setFocus()
    chips.choose("no")
    qtbot.keyClick(chips, Key.Key_Delete)
    assert window.app.project is before
    assert "needs two" in messages[0]


def test_evidence_on_a_removed_state_goes(
    qtbot: QtBot, window: MainWindow, chips: StateChips
) -> None:
    end_editing(qtbot, chips, add(qtbot, window))
    live = window.app.workspace.beliefs("m1")
    qtbot.waitUntil(lambda: not live.is_stale)
    live.click_state("tub", "yes")
    chips.setFocus()
    chips.choose("yes")
    qtbot.keyClick(chips, Key.Key_Delete)
    assert "tub" not in live.evidence
