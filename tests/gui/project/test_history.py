"""Undo takes back what was done last, evidence or a change of the project, each in its turn."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.inference.base import Likelihood, Observed
from pgmstudio.core.io.project.project_file import project_bytes
from pgmstudio.core.project import model_edits
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.widgets.actions import unmarked
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import bring_up_to_date


def press(qtbot: QtBot, window: MainWindow, key: Qt.Key) -> None:
    window.app.actions.refresh()
    qtbot.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)


def menu_text(window: MainWindow, action: str) -> str:
    window.app.actions.refresh()
    return unmarked(window.app.actions[action].text())


def test_undo_takes_back_evidence_before_the_opening_of_its_model(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    app, stack = window.app, window.app.document.undo_stack
    before, steps = project_bytes(app.project), stack.count()
    prior = {name: values.tolist() for name, values in live.beliefs.items()}
    live.click_state("smoke", "yes")
    live.click_state("xray", "yes")
    assert menu_text(window, "edit.undo") == "Undo evidence xray = yes"
    press(qtbot, window, Qt.Key.Key_Z)
    assert live.evidence == {"smoke": Observed("yes")}
    press(qtbot, window, Qt.Key.Key_Z)
    assert not live.evidence
    bring_up_to_date(qtbot, live)
    assert {name: values.tolist() for name, values in live.beliefs.items()} == prior
    press(qtbot, window, Qt.Key.Key_Y)
    press(qtbot, window, Qt.Key.Key_Y)
    assert live.evidence == {"smoke": Observed("yes"), "xray": Observed("yes")}
    assert stack.count() == steps, "the project's own history knows nothing of it"
    assert project_bytes(app.project) == before


def test_undoing_the_opening_of_a_model_is_reported(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    messages: list[str] = []
    window.app.toast.connect(lambda message, _: messages.append(message))
    assert menu_text(window, "edit.undo") == "Undo open asia.json"
    press(qtbot, window, Qt.Key.Key_Z)
    assert not window.app.project.models
    assert messages == ["Undone: Open asia.json. Ctrl+Y redoes it."]
    press(qtbot, window, Qt.Key.Key_Y)
    assert window.app.workspace.model_id in window.app.project.models


def test_evidence_and_changes_are_undone_in_the_order_they_were_made(
    window: MainWindow, live: BeliefService
) -> None:
    app, history = window.app, window.app.history
    (model_id,) = app.project.models
    live.click_state("smoke", "yes")
    new = Variable("new", ("a", "b"))
    edit = partial(model_edits.add_variable, model_id=model_id, variable=new)
    assert app.change("Add new", edit)
    live.click_state("new", "b")
    live.switch("smoke", on=False)
    events = []
    for _ in range(4):
        events.append(history.undo_text)
        history.undo()
    assert events == [
        "Undo evidence smoke = yes",
        "Undo evidence new = b",
        "Undo add new",
        "Undo evidence smoke = yes",
    ]
    assert not live.findings
    assert "new" not in live.model.domain
    for _ in range(4):
        history.redo()
    assert live.findings == {"smoke": Observed("yes"), "new": Observed("b")}
    assert list(live.evidence) == ["new"]
    assert not history.can_redo


def test_a_likelihood_that_is_dragged_is_one_step(window: MainWindow, live: BeliefService) -> None:
    live.click_state("smoke", "yes")
    for weight in (0.9, 0.6, 0.3):
        live.set_likelihood("dysp", {"yes": weight, "no": 1.0})
    window.app.history.undo()
    assert live.evidence == {"smoke": Observed("yes")}
    window.app.history.redo()
    assert live.evidence["dysp"] == Likelihood((("yes", 0.3), ("no", 1.0)))


def test_what_the_model_refuses_is_nothing_to_undo(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.click_state("tub", "yes")
    live.click_state("either", "no")  # either = tub or lung
    bring_up_to_date(qtbot, live)
    assert list(live.evidence) == ["tub"]
    window.app.history.undo()
    assert not live.evidence


def test_evidence_taken_back_in_a_model_out_of_view_is_reported(
    window: MainWindow, live: BeliefService
) -> None:
    messages: list[str] = []
    live.click_state("smoke", "yes")
    window.app.actions["file.welcome"].trigger()
    window.app.toast.connect(lambda message, _: messages.append(message))
    window.app.history.undo()
    assert not live.evidence
    assert messages == ["asia: evidence smoke = yes taken back."]
