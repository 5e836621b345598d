"""The list of variables: mini bars set evidence, keys too, and the selection goes both ways."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton, QToolTip
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Excluded, Observed
from pgmstudio.core.inference.information_measures import entropy_bits, shift_bits
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.evidence.variables_panel import VariableRow
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import bring_up_to_date, click_mini_bar, mini_bar, variables
from tests.gui.samples import sprinkler_rows
from tests.strategies import random_network

Key, Held = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def live(live: BeliefService, window: MainWindow, qtbot: QtBot) -> BeliefService:
    qtbot.waitUntil(lambda: len(rows(window)) == 8)
    return live


def rows(window: MainWindow) -> dict[str, VariableRow]:
    return {row.name: row for row in variables(window)._rows.rows}


def go_to(window: MainWindow, name: str) -> None:
    shown = variables(window).list
    shown.setFocus()
    shown.setCurrentIndex(variables(window)._rows.index_of(name))


def test_clicking_a_mini_bar_sets_evidence_and_clicking_again_retracts_it(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    click_mini_bar(qtbot, window, "smoke", "yes")
    assert live.evidence == {"smoke": Observed("yes")}
    qtbot.waitUntil(lambda: rows(window)["smoke"].chosen == "yes")
    chip = rows(window)["smoke"].chip
    assert chip is not None
    assert (chip.text, chip.icon) == ("yes", "flag-fill")
    click_mini_bar(qtbot, window, "smoke", "yes")
    assert not live.evidence
    assert not window.app.workspace.selection.nodes, "a click on a bar does not select"


def test_the_mini_bars_are_the_beliefs_of_the_session(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    click_mini_bar(qtbot, window, "dysp", "yes")
    session = live.session
    assert session is not None
    qtbot.waitUntil(
        lambda: all(
            row.fractions == tuple(session.belief(name).values.tolist())
            for name, row in rows(window).items()
        )
    )


def test_shift_excludes_and_ctrl_allows_several(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    network = random_network(np.random.default_rng(2), cardinalities=(4, 2))
    add_and_show_model(window.app, ModelEntry("four", network), "Open four")
    opened = window.app.workspace.active_beliefs
    assert opened is not None
    qtbot.waitUntil(lambda: len(rows(window)) == 2)
    click_mini_bar(qtbot, window, "X0", "s1", Held.ShiftModifier)
    assert opened.evidence == {"X0": Excluded(frozenset({"s1"}))}
    qtbot.waitUntil(lambda: rows(window)["X0"].chip is not None)
    assert rows(window)["X0"].chip.text == "≠ s1"  # type: ignore[union-attr]
    opened.clear()
    click_mini_bar(qtbot, window, "X0", "s0", Held.ControlModifier)
    click_mini_bar(qtbot, window, "X0", "s3", Held.ControlModifier)
    assert opened.evidence == {"X0": Excluded(frozenset({"s1", "s2"}))}
    qtbot.waitUntil(lambda: rows(window)["X0"].chip.text == "∈ 2 of 4")  # type: ignore[union-attr]


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # tooltips
def test_an_impossible_state_cannot_be_clicked_and_its_tooltip_says_why(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    click_mini_bar(qtbot, window, "lung", "yes")
    bring_up_to_date(qtbot, live)
    click_mini_bar(qtbot, window, "either", "no")
    assert live.evidence == {"lung": Observed("yes")}
    position = mini_bar(window, "either", "no")
    view = variables(window).list
    event = QHelpEvent(QEvent.Type.ToolTip, position, view.viewport().mapToGlobal(position))
    QApplication.sendEvent(view.viewport(), event)
    assert "Not now: lung = yes rules out either = no." in QToolTip.text()


def test_the_selection_goes_both_ways(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    panel = variables(window)
    position = panel.list.visualRect(panel._rows.index_of("lung")).center()
    qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=position + QPoint(20, 0))
    assert window.app.workspace.selection.nodes == ("lung",)
    window.app.workspace.select(("asia", "dysp"))
    chosen = {panel._rows.rows[i.row()].name for i in panel.list.selectedIndexes()}
    assert chosen == {"asia", "dysp"}
    assert window.app.workspace.selection.nodes == ("asia", "dysp"), "following tells nothing back"


def test_the_keyboard_sets_excludes_clears_and_makes_the_target(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    shown = variables(window).list
    go_to(window, "xray")
    qtbot.keyClick(shown, Key.Key_2)
    assert live.evidence == {"xray": Observed("no")}
    qtbot.keyClick(shown, Key.Key_C)
    assert not live.evidence
    qtbot.keyClick(shown, Key.Key_1, Held.ShiftModifier)
    assert live.evidence == {"xray": Observed("no")}, "of two states one is left"
    qtbot.keyClick(shown, Key.Key_T)
    assert window.app.workspace.target == "xray"
    qtbot.keyClick(shown, Key.Key_Up)
    assert window.app.workspace.selection.nodes == ("either",)
    qtbot.keyClick(shown, Key.Key_Right)
    qtbot.keyClick(shown, Key.Key_Right)
    qtbot.keyClick(shown, Key.Key_Return)
    assert live.evidence["either"] == Observed("no")


def test_the_filter_lists_what_has_these_letters(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    panel = variables(window)
    toggle = panel.findChild(QToolButton, "variablesFilterButton")
    field = panel.findChild(QLineEdit, "variablesFilter")
    assert toggle is not None
    assert field is not None
    toggle.click()
    qtbot.keyClicks(field, "s")
    assert set(rows(window)) == {"asia", "smoke", "dysp"}
    qtbot.keyClicks(field, "zz")
    assert not rows(window)
    assert "No variable matches “szz”." in panel._none.text
    toggle.click()
    assert len(rows(window)) == 8


def test_variables_can_be_sorted_by_shift_entropy_and_name(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.click_state("xray", "yes")
    bring_up_to_date(qtbot, live)
    panel = variables(window)
    panel.sort_by("shift")
    shifts = [shift_bits(live.beliefs[n], live.priors[n]) for n in rows(window)]
    assert shifts == sorted(shifts, reverse=True)
    panel.sort_by("entropy")
    entropies = [entropy_bits(live.beliefs[n]) for n in rows(window)]
    assert entropies == pytest.approx(sorted(entropies, reverse=True))
    panel.sort_by("name")
    assert list(rows(window)) == sorted(live.model.domain.names)
    panel.sort_by("data")
    assert tuple(rows(window)) == live.model.domain.names


def test_of_many_states_the_eight_tallest_are_shown() -> None:
    states = tuple(f"s{i}" for i in range(12))
    fractions = tuple((i % 5 + 1) / 100 for i in range(12))
    row = VariableRow("v", "v", states, fractions)
    smallest_shown = min(fractions[i] for i in row.shown())
    hidden = [i for i in range(12) if i not in row.shown()]
    assert len(row.shown()) == 8
    assert all(fractions[i] <= smallest_shown for i in hidden)


def test_before_a_model_the_bars_are_those_of_the_data(window: MainWindow, qtbot: QtBot) -> None:
    data = sprinkler_rows()
    window.app.change("Import", partial(edits.add_data, entry=DataEntry("garden", data)))
    qtbot.waitUntil(lambda: bool(rows(window)) and bool(rows(window)["rain"].fractions))
    fraction = float((data.column("rain") == 1).mean())
    assert rows(window)["rain"].fractions == pytest.approx((1 - fraction, fraction))


def test_a_thousand_variables_are_listed_without_a_widget_each(
    window: MainWindow, qtbot: QtBot
) -> None:
    network = random_network(np.random.default_rng(3), 1000, density=0.001)
    before = len(variables(window).findChildren(QToolButton))
    add_and_show_model(window.app, ModelEntry("wide", network), "Open wide")
    qtbot.waitUntil(lambda: len(rows(window)) == 1000, timeout=20_000)
    qtbot.waitUntil(lambda: bool(rows(window)["X999"].fractions), timeout=20_000)
    assert len(variables(window).findChildren(QToolButton)) == before
