"""A search one move at a time: moves are seen, accepted, vetoed, forced, and follow every edit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.edge_moves import MoveKey
from pgmstudio.core.project import edits
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.structure.move_search import MoveSearch, move_search
from pgmstudio.gui.structure.moves_panel import MovesPanel
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from tests.gui.walking import called, controls_in, misfits, open_sprinkler, spoken_name, trigger

LEFT = Qt.MouseButton.LeftButton
Edge = tuple[str, str]


class Walk:
    """The panel of moves beside the sprinkler without two of its edges."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot, self.window = qtbot, window
        self.page: ModelPage = open_sprinkler(qtbot, window)
        self.page.editing.delete((), [("rain", "wet"), ("sprinkler", "wet")])
        trigger(window, "learn.moves")
        panel = panel_widget(window, "movesPanel")
        assert isinstance(panel, MovesPanel)
        self.panel = panel
        self.settled()

    @property
    def search(self) -> MoveSearch:
        return move_search(self.window.app)

    @property
    def network(self) -> BayesianNetwork:
        model = self.window.app.project.models[self.page.model_id or ""].model
        assert isinstance(model, BayesianNetwork)
        return model

    @property
    def edges(self) -> set[Edge]:
        return set(self.network.edges)

    @property
    def listed(self) -> list[MoveKey]:
        return [] if self.search.move_list is None else [m.key for m in self.search.move_list.moves]

    def settled(self) -> None:
        def is_over() -> bool:
            shown, search = self.search.shown, self.search
            return shown is not None and not search.is_waiting and shown.model is self.network

        self.qtbot.waitUntil(is_over, timeout=20000)

    def press(self, name: str) -> None:
        made = self.panel.findChild(QWidget, name)
        assert isinstance(made, QAbstractButton)
        assert made.isEnabled(), name
        self.qtbot.mouseClick(made, LEFT)

    def click(self, key: MoveKey) -> None:
        """On the row of a move."""
        table = self.panel.table
        index = table.model().index(self.listed.index(key), 1)
        self.qtbot.mouseClick(table.viewport(), LEFT, pos=table.visualRect(index).center())


@pytest.fixture
def walk(qtbot: QtBot, window: MainWindow) -> Iterator[Walk]:
    yield Walk(qtbot, window)
    window.folding.toggle("movesPanel")


def test_an_accepted_move_is_drawn_fitted_and_undone(walk: Walk) -> None:
    best, before = walk.listed[0], walk.network
    assert best.action == "add"
    assert walk.page.canvas.moves.looked_at == best
    assert "next move: add" in {e.text for e in walk.page.canvas.legend_entries()}
    walk.panel.table.setFocus()
    walk.qtbot.keyClick(walk.panel.table, Qt.Key.Key_Return)
    walk.qtbot.waitUntil(lambda: (best.source, best.target) in walk.edges, timeout=20000)
    walk.settled()
    assert not np.array_equal(before.table(best.target), walk.network.table(best.target))
    rows = next(iter(walk.window.app.project.data.values())).data
    counts = np.zeros(walk.network.table(best.target).shape)
    positions = [
        rows.domain.index(n) for n in (*walk.network.dag.parents(best.target), best.target)
    ]
    np.add.at(counts, tuple(rows.codes[positions]), 1.0)
    smoothed = (counts + 1) / (counts + 1).sum(axis=-1, keepdims=True)
    assert walk.network.table(best.target) == pytest.approx(smoothed)
    assert best not in walk.listed
    walk.window.app.document.undo_stack.undo()
    walk.settled()
    assert walk.network is before
    assert walk.listed[0] == best
    action = walk.window.app.actions["learn.best-move"]
    assert action.isEnabled()
    action.trigger()
    walk.qtbot.waitUntil(lambda: (best.source, best.target) in walk.edges, timeout=20000)
    walk.settled()


def test_a_veto_keeps_a_move_out_until_it_is_allowed_again(walk: Walk) -> None:
    best, second = walk.listed[:2]
    walk.press("movesVeto")
    walk.qtbot.waitUntil(lambda: walk.listed[:1] == [second], timeout=20000)
    assert best not in walk.page.canvas.moves.moves
    assert walk.window.app.project.knowledge.is_empty
    walk.press("movesAllow")
    walk.qtbot.waitUntil(lambda: walk.listed[:1] == [best], timeout=20000)


def test_a_forced_move_is_made_and_becomes_a_rule_and_the_rest_is_climbed(walk: Walk) -> None:
    forced = MoveKey("reverse", "rain", "sprinkler")
    walk.click(forced)
    assert walk.page.canvas.moves.looked_at == forced
    walk.press("movesForce")
    walk.qtbot.waitUntil(lambda: ("sprinkler", "rain") in walk.edges, timeout=20000)
    assert walk.window.app.project.knowledge.required == {("sprinkler", "rain")}
    walk.settled()
    assert all({key.source, key.target} != {"sprinkler", "rain"} for key in walk.listed)
    # A hand-drawn edge changes the list as a move does.
    walk.page.editing.add_edge("rain", "wet")
    walk.settled()
    assert MoveKey("remove", "rain", "wet") in walk.listed
    walk.press("movesRun")
    walk.qtbot.waitUntil(lambda: len(walk.edges) == 3, timeout=20000)
    walk.settled()
    assert walk.search.move_list is not None
    assert walk.search.move_list.is_optimum
    assert "local optimum" in walk.panel.summary.text()
    assert ("sprinkler", "rain") in walk.edges
    walk.window.folding.toggle("movesPanel")  # nobody watches: nothing is drawn or counted
    assert walk.page.canvas.moves.moves == ()
    walk.window.folding.toggle("movesPanel")


def test_behind_another_tab_nothing_is_counted_or_drawn(walk: Walk) -> None:
    assert walk.page.canvas.moves.moves
    walk.window.app.reveal("logPanel")
    walk.qtbot.waitUntil(lambda: not walk.search.is_watched)
    assert walk.page.canvas.moves.moves == ()
    trigger(walk.window, "learn.moves")
    walk.settled()
    assert walk.page.canvas.moves.moves


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_the_panel_fits_a_small_window_and_every_control_is_explained(
    walk: Walk, scale: float
) -> None:
    theme().set_look(scale=scale)
    walk.window.resize(1024, 700)
    if not walk.panel.isVisible():  # a small window has folded it
        trigger(walk.window, "learn.moves")
    walk.settled()
    walk.press("movesVeto")
    walk.settled()
    for score in ("bdeu", "lambda"):
        walk.panel.score.picked.emit(score)
        walk.settled()
        QApplication.processEvents()
        assert walk.panel.isVisible()
        assert misfits(walk.panel) == []
        for control in controls_in(walk.panel):
            assert spoken_name(control), called(control)
            assert control.toolTip(), called(control)
    theme().set_look(scale=1.0)


def test_where_there_are_no_moves_the_reason_is_reported(qtbot: QtBot, window: MainWindow) -> None:
    search = move_search(window.app)
    assert search.disabled_reason() == "open a Bayesian network or a Markov network first."
    open_sprinkler(qtbot, window)
    data_id = next(iter(window.app.project.data))
    assert search.disabled_reason() is None
    window.app.change("Remove", partial(edits.remove_data, data_id=data_id))
    assert search.disabled_reason() == "this needs rows; import data first (Ctrl+I)."
