"""Evidence in the window: the menu, cases, scenarios, and what the status bar shows of it."""

from __future__ import annotations

import csv
import io
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QInputDialog,
    QPushButton,
    QSpinBox,
    QTreeWidget,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Excluded, Likelihood, Observed
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.evidence.scenarios_page import ScenariosPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import bring_up_to_date, click_bar, click_mini_bar, inspector
from tests.gui.samples import add_sprinkler, sprinkler_rows


def run(window: MainWindow, action: str) -> None:
    window.app.actions.refresh()
    assert window.app.actions[action].isEnabled(), window.app.actions[action].toolTip()
    window.app.actions[action].trigger()


def session_of(live: BeliefService) -> JunctionTreeSession:
    assert isinstance(live.model, BayesianNetwork)
    return JunctionTreeSession(live.model)


def test_the_click_a_bar_tour_ends_at_the_prior_bit_for_bit(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    prior = {name: values.tolist() for name, values in live.beliefs.items()}
    click_mini_bar(qtbot, window, "smoke", "yes")
    window.app.workspace.select(("xray",))
    panel = inspector(window)
    qtbot.waitUntil(panel.node.isVisible)
    click_bar(qtbot, panel.node.belief.bars, "no", Qt.KeyboardModifier.ShiftModifier)
    live.set_likelihood("dysp", {"yes": 0.9, "no": 0.3})
    bring_up_to_date(qtbot, live)
    assert live.evidence == {
        "smoke": Observed("yes"),
        "xray": Observed("yes"),
        "dysp": Likelihood((("yes", 0.9), ("no", 0.3))),
    }
    bar = window.statusBar()
    assert bar.findChild(QPushButton, "statusEvidence").text().startswith("P(e) 0.0623")
    assert bar.findChild(QPushButton, "statusConflict").text() == "conflict −0.86 (none)"
    assert live.beliefs["lung"][0] == pytest.approx(0.6922, abs=5e-5)
    assert live.priors["lung"].tolist() == prior["lung"], "the ghost of the prior stays"
    run(window, "evidence.clear")
    bring_up_to_date(qtbot, live)
    assert {name: values.tolist() for name, values in live.beliefs.items()} == prior


def test_every_action_that_cannot_be_used_says_why(window: MainWindow, qtbot: QtBot) -> None:
    window.app.actions.refresh()
    for action_id, action in window.app.actions.by_id.items():
        if action_id.startswith("evidence."):
            assert not action.isEnabled()
            assert action.toolTip().startswith("Not now: no model is open.")


def test_evidence_is_retracted_on_the_selection_only(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.click_state("smoke", "yes")
    live.click_state("xray", "yes")
    window.app.workspace.select(("smoke", "asia"))
    run(window, "evidence.retract")
    assert live.evidence == {"xray": Observed("yes")}


def test_with_live_update_off_bars_wait_for_f5(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    run(window, "evidence.live")
    assert not window.app.actions["evidence.live"].isChecked()
    click_mini_bar(qtbot, window, "smoke", "yes")
    assert live.is_stale
    assert window.statusBar().findChild(QPushButton, "statusSpeed").text() == "stale"
    run(window, "evidence.update")
    assert not live.is_stale


def test_the_explanation_and_the_target_are_toggled_from_the_menu(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    run(window, "evidence.explain")
    assert dict(live.most_probable) == dict(session_of(live).most_probable())
    assert window.app.actions["evidence.explain"].isChecked()
    window.app.workspace.select(("lung",))
    run(window, "evidence.target")
    assert window.app.workspace.target == "lung"
    run(window, "evidence.target")
    assert window.app.workspace.target is None


def save_scenario(window: MainWindow, name: str | None = None) -> None:
    """Under the name that is offered, or another."""
    run(window, "evidence.save")
    dialog = window.findChild(QInputDialog, "nameDialog")
    if name is not None:
        dialog.setTextValue(name)
    dialog.accept()
    dialog.deleteLater()
    dialog.setObjectName("")


def test_a_scenario_is_saved_under_the_name_that_is_entered(
    window: MainWindow, live: BeliefService
) -> None:
    live.click_state("smoke", "yes")
    save_scenario(window, " Smoker ")
    save_scenario(window, "  ")
    assert list(window.app.project.evidence_cases) == ["Smoker"]


def test_evidence_is_saved_as_a_case_and_loaded_from_the_tree(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.click_state("smoke", "yes")
    live.exclude_state("xray", "no")
    save_scenario(window)
    cases = window.app.project.evidence_cases
    assert list(cases) == ["smoke = yes, xray = yes"]
    save_scenario(window, "smoke = yes, xray = yes")
    assert len(window.app.project.evidence_cases) == 2, "a name is never taken twice"
    window.app.document.undo_stack.undo()
    run(window, "evidence.clear")
    tree = window.findChild(QTreeWidget, "projectTree")
    item = tree.findItems("smoke = yes, xray = yes", Qt.MatchFlag.MatchRecursive, 0)[0]
    tree.itemDoubleClicked.emit(item, 0)
    assert live.evidence == {"smoke": Observed("yes"), "xray": Observed("yes")}
    window.app.document.undo_stack.undo()
    assert not window.app.project.evidence_cases


def test_evidence_is_copied_as_text(window: MainWindow, live: BeliefService, qtbot: QtBot) -> None:
    live.click_state("smoke", "yes")
    live.set_likelihood("dysp", {"yes": 0.9, "no": 0.3})
    run(window, "evidence.copy")
    assert QApplication.clipboard().text() == "smoke = yes\ndysp likelihood yes 0.9, no 0.3"


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # menus
def test_a_row_of_the_data_becomes_the_evidence(window: MainWindow, qtbot: QtBot) -> None:
    model_id = add_sprinkler(window.app)
    run(window, "evidence.row")
    chooser = window.findChild(QSpinBox, "rowChooserNumber")
    qtbot.waitUntil(chooser.isVisible)
    chooser.setValue(3)
    take = window.findChild(QPushButton, "rowChooserTake")
    qtbot.mouseClick(take, Qt.MouseButton.LeftButton)
    data = sprinkler_rows()
    row = {
        v.name: Observed(v.states[int(code)])
        for v, code in zip(data.domain, data.codes[:, 2], strict=True)
    }
    assert window.app.workspace.beliefs(model_id).evidence == row


def save_case(window: MainWindow, name: str, evidence: dict[str, object]) -> None:
    model_id = window.app.workspace.model_id
    edit = partial(edits.save_evidence_case, name=name, evidence=evidence, model_id=model_id)  # type: ignore[arg-type]
    window.app.change(f"Save {name}", edit)


@pytest.fixture
def scenarios(window: MainWindow, live: BeliefService, qtbot: QtBot) -> ScenariosPage:
    save_case(window, "Smoker", {"smoke": Observed("yes")})
    save_case(window, "Tourist", {"asia": Observed("yes"), "smoke": Observed("no")})
    live.click_state("dysp", "yes")
    run(window, "evidence.compare")
    page = window.app.center.current
    assert isinstance(page, ScenariosPage)
    qtbot.waitUntil(lambda: len(page.cards.cards) == 8 and bool(page.cards.cards[0].groups))
    return page


def test_scenarios_stand_side_by_side_and_equal_the_session(
    window: MainWindow, live: BeliefService, scenarios: ScenariosPage
) -> None:
    session = session_of(live)
    wanted = {
        "A": {"dysp": Observed("yes")},
        "B": {"smoke": Observed("yes")},
        "C": {"asia": Observed("yes"), "smoke": Observed("no")},
    }
    for card in scenarios.cards.cards:
        assert [group.letter for group in card.groups] == ["A", "B", "C"]
        assert card.priors == tuple(live.priors[card.name].tolist())
        for group in card.groups:
            session.set_all(wanted[group.letter])
            assert group.values == tuple(session.belief(card.name).values.tolist())
    assert live.evidence == {"dysp": Observed("yes")}, "the evidence in view is not disturbed"
    assert window.app.workspace.model_id == "m1", "the panels stay with the model"


def test_a_scenario_follows_the_present_evidence_and_another_can_be_chosen(
    window: MainWindow, live: BeliefService, scenarios: ScenariosPage, qtbot: QtBot
) -> None:
    live.click_state("dysp", "no")
    session = session_of(live)
    session.set_evidence("dysp", Observed("no"))
    lung = tuple(session.belief("lung").values.tolist())

    def shown(letter: str) -> tuple[float, ...]:
        card = next(card for card in scenarios.cards.cards if card.name == "lung")
        return {group.letter: group.values for group in card.groups}.get(letter, ())

    qtbot.waitUntil(lambda: shown("A") == lung)
    choice = scenarios.findChild(QComboBox, "scenarioD")
    choice.setCurrentIndex(choice.findText("Smoker"))
    choice.activated.emit(choice.currentIndex())
    qtbot.waitUntil(lambda: shown("D") != () and shown("D") == shown("B"))


def test_scenarios_are_copied_and_exported_to_all_digits(
    window: MainWindow,
    live: BeliefService,
    scenarios: ScenariosPage,
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    scenarios.copy()
    rows = list(csv.reader(io.StringIO(QApplication.clipboard().text()), delimiter="\t"))
    assert rows[0] == [
        "variable",
        "state",
        "prior",
        "A: Present evidence",
        "B: Smoker",
        "C: Tourist",
    ]
    by_state = {(row[0], row[1]): row[2:] for row in rows[1:]}
    assert float(by_state["lung", "yes"][0]) == live.priors["lung"][0]
    assert float(by_state["lung", "yes"][1]) == live.beliefs["lung"][0]
    scenarios.export(tmp_path / "scenarios.csv")
    exported = list(csv.reader((tmp_path / "scenarios.csv").open()))
    assert exported == rows


def test_only_the_selected_variables_are_compared_on_request(
    window: MainWindow, live: BeliefService, scenarios: ScenariosPage, qtbot: QtBot
) -> None:
    scenarios._only.click()
    assert not scenarios.cards.cards
    window.app.workspace.select(("lung", "bronc"))
    assert {card.name for card in scenarios.cards.cards} == {"lung", "bronc"}


def test_an_impossible_scenario_is_reported_and_the_others_stay(
    window: MainWindow, live: BeliefService, scenarios: ScenariosPage, qtbot: QtBot
) -> None:
    save_case(window, "Broken", {"tub": Observed("yes"), "either": Observed("no")})
    qtbot.waitUntil(lambda: "cannot hold together" in scenarios._note.text)
    letters = [group.letter for group in scenarios.cards.cards[0].groups]
    assert letters == ["A", "B", "C"]


def test_a_case_of_another_model_is_loaded_as_far_as_it_fits(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.set_all({"smoke": Observed("yes"), "moon": Observed("full"), "lung": Observed("maybe")})
    assert live.evidence == {"smoke": Observed("yes")}


def test_loading_impossible_evidence_keeps_what_can_hold_and_reports_the_rest(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(live.refused) as emitted:
        live.set_all({"tub": Observed("yes"), "either": Excluded(frozenset({"yes"}))})
    assert emitted.args[0] == "either"
    assert live.evidence == {"tub": Observed("yes")}


def test_closing_the_model_closes_its_scenarios(
    window: MainWindow, live: BeliefService, scenarios: ScenariosPage, qtbot: QtBot
) -> None:
    window.app.change("Delete asia", partial(edits.remove_model, model_id="m1"))
    qtbot.waitUntil(lambda: window.app.center.page("scenarios:m1") is None)


def test_data_without_columns_of_the_model_give_no_row(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    entry = DataEntry("garden", sprinkler_rows())
    window.app.change("Import", partial(edits.add_data, entry=entry))
    window.app.actions.refresh()
    assert "no data set has columns" in window.app.actions["evidence.row"].toolTip()


def test_scenarios_are_ordered_by_difference_with_the_target_first(
    window: MainWindow, scenarios: ScenariosPage
) -> None:
    window.app.workspace.set_target("asia")
    scenarios.findChild(QCheckBox, "scenariosByDifference").setChecked(True)
    names = [card.name for card in scenarios.cards.cards]
    assert names[0] == "asia"
    spread = {
        card.name: max(max(s) - min(s) for s in zip(*(g.values for g in card.groups), strict=True))
        for card in scenarios.cards.cards
    }
    rest = [round(spread[name], 6) for name in names[1:]]
    assert rest == sorted(rest, reverse=True)
    assert rest[0] > rest[-1]
