"""The edges of a Markov network in the window: reasons, widths and bootstraps."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.structure.move_search import move_search
from pgmstudio.gui.structure.moves_panel import MovesPanel
from pgmstudio.gui.welcome.samples import SAMPLES, SampleOpener
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import inspector
from tests.gui.walking import trigger

EDGE = ("smoking", "pressure")


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> ModelPage:
    """The coronary network with its rows, as it opens from the welcome page."""
    opener = SampleOpener(window.app, window)
    opener.open(next(s for s in SAMPLES if s.file == "coronary_markov.json"))
    qtbot.waitUntil(lambda: window.app.workspace.model_id is not None, timeout=20_000)
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    return page


def test_an_edge_and_its_context_are_explained(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.app.workspace.select((), (EDGE,))
    trigger(window, "model.why")
    why = inspector(window).edge.why
    qtbot.waitUntil(lambda: "changes PIC by" in " ".join(why.messages))
    text = " ".join(why.messages)
    assert "Removing the context lipoproteins = 3 or over" in text
    assert "→" not in text
    window.app.workspace.select(("smoking", "family"))
    trigger(window, "model.why")


def test_edge_widths_are_measures_of_undirected_edges(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    combo = page.bar.findChild(QComboBox, "strengthCombo")
    offered = {combo.itemData(index) for index in range(combo.count())}
    assert offered == {"none", "mi", "removal", "score.pic", "score.mpl", "bootstrap"}
    for kind in ("mi", "removal", "score.pic", "score.mpl"):
        page.strengths.choose(kind)
        qtbot.waitUntil(lambda: page.canvas.strengths is not None, timeout=20_000)
        shown = page.canvas.strengths
        assert shown is not None
        assert max(shown.values, key=shown.values.__getitem__) == ("mental_work", "physical_work")
        page.strengths.choose("none")
    window.app.actions.refresh()
    assert not window.app.actions["view.strength.score.bic"].isEnabled()
    assert "directed edges" in window.app.actions["view.strength.score.bic"].toolTip()


def test_a_bootstrap_has_no_choice_of_directions(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    trigger(window, "learn.bootstrap")
    form = window.app.center.current
    assert isinstance(form, LearnPage)
    assert form.learner.key == "mn.contextual"
    assert not form.bootstrap.orientation.isVisible()
    assert open_learn_page(window.app) is form


def test_an_edge_is_forbidden_in_both_directions_and_the_rule_is_checked(
    window: MainWindow, page: ModelPage
) -> None:
    window.app.workspace.select((), (EDGE,))
    trigger(window, "knowledge.forbid")
    assert window.app.project.knowledge.forbidden == {EDGE, EDGE[::-1]}
    assert window.app.document.undo_stack.undoText() == "Forbid smoking – pressure"
    messages: list[str] = []
    window.app.toast.connect(lambda message, _button: messages.append(message))
    trigger(window, "knowledge.check")
    assert "pressure – smoking is present" in messages[-1]
    trigger(window, "knowledge.require")
    assert window.app.project.knowledge.required == {EDGE}
    assert not window.app.project.knowledge.forbidden


def test_next_moves_are_listed_taken_vetoed_and_undone(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    app = window.app
    app.reveal("movesPanel")
    trigger(window, "learn.moves")
    panel = window.findChild(MovesPanel)
    search = move_search(app)
    qtbot.waitUntil(lambda: search.move_list is not None and not search.is_waiting)
    assert "PIC" in panel.summary.text()
    assert search.move_list.is_optimum
    before = app.project.models[page.model_id].model
    worst = next(m for m in search.move_list.moves if str(m).startswith("Remove the context"))
    search.take(worst.key)
    qtbot.waitUntil(lambda: app.project.models[page.model_id].model is not before)
    after = app.project.models[page.model_id].model
    assert after.structure.element_count == 2
    assert app.document.undo_stack.undoText() == str(worst)
    qtbot.waitUntil(lambda: not search.is_waiting)
    assert search.move_list.moves[0].gain == pytest.approx(-worst.gain)
    search.veto(search.move_list.moves[0].key)
    qtbot.waitUntil(lambda: not search.is_waiting and search.move_list.is_optimum)
    search.allow(search.vetoes[0])
    qtbot.waitUntil(lambda: not search.is_waiting and not search.move_list.is_optimum)
    search.take_best(None)
    qtbot.waitUntil(
        lambda: app.project.models[page.model_id].model.structure == before.structure,
        timeout=20_000,
    )
