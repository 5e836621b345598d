"""do(X = x) in the window: by menu and key, drawn with cut edges, kept in cases and scenarios."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Done, Observed
from pgmstudio.core.languages.bayesian_network.interventions import mutilated
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.evidence.evidence_list import EvidenceSection
from pgmstudio.gui.model_page.context_menu import canvas_menu
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import inspector, open_asia_page, variables
from tests.oracles.brute_force import BruteForceSession
from tests.strategies import random_mixture, random_tree

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow, sample_data: Path) -> ModelPage:
    return open_asia_page(qtbot, window, sample_data)


def settled(qtbot: QtBot, page: ModelPage) -> None:
    live = page.asking.live
    qtbot.waitUntil(lambda: not live.is_stale and not live.is_waiting)


def menu_of(page: ModelPage, node: str) -> QMenu:
    item = page.scene().nodes[node]
    return canvas_menu(page, Hit(QPointF(item.pos()), item), page)


def do(page: ModelPage, node: str, state: str) -> None:
    menu = menu_of(page, node)
    states = menu.findChild(QMenu, "menu.do")
    assert states is not None
    next(a for a in states.actions() if a.objectName() == f"menu.do.{state}").trigger()
    menu.deleteLater()


def test_doing_cuts_the_edges_into_a_node_and_beliefs_follow(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    live = page.asking.live
    do(page, "lung", "yes")
    live.click_state("dysp", "yes")
    settled(qtbot, page)
    assert live.evidence == {"lung": Done("yes"), "dysp": Observed("yes")}
    model = live.model
    assert isinstance(model, BayesianNetwork)
    reference = BruteForceSession(mutilated(model, {"lung": "yes"}))
    reference.set_evidence("dysp", Observed("yes"))
    for name in model.domain.names:
        np.testing.assert_allclose(live.beliefs[name], reference.belief(name).values, atol=1e-9)
    assert live.log2_evidence == pytest.approx(reference.log2_evidence())
    assert live.conflict_bits is None
    # On the canvas: a lock and words on the node, the edge from its parent cut.
    scene = page.scene()
    mark = scene.nodes["lung"].face.mark
    assert mark is not None
    assert (mark.text, mark.tint, mark.icon) == ("do = yes", "do", "lock-simple")
    assert {ends for ends, e in scene.edges.items() if e.look.is_cut} == {("smoke", "lung")}
    assert "do = yes" in scene.nodes["lung"].face.description
    assert "cut by do" in {entry.text for entry in page.legend_entries()}
    live.show_most_probable(True)
    settled(qtbot, page)
    assert live.most_probable == {**reference.most_probable(), "lung": "yes"}
    assert live.log2_most_probable == pytest.approx(reference.log2_most_probable())
    assert not window.grab().isNull()
    page.canvas.view.set_zoom(0.3)  # from afar a shape of its own
    assert "intervention, do(X = x)" in {entry.text for entry in page.legend_entries()}
    assert not window.grab().isNull()


def test_the_key_d_does_the_state_the_keyboard_is_on(qtbot: QtBot, page: ModelPage) -> None:
    view, live = page.canvas.view, page.asking.live
    view.setFocus()
    view.keys.enter("bronc")
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_D)
    assert live.evidence == {"bronc": Done("no")}
    qtbot.keyClick(view, Qt.Key.Key_D)  # once more takes it back
    assert live.evidence == {}
    settled(qtbot, page)
    assert not any(edge.look.is_cut for edge in page.scene().edges.values())


def test_the_key_d_on_a_node_asks_for_the_state(qtbot: QtBot, page: ModelPage) -> None:
    view = page.canvas.view
    view.setFocus()
    view.keys.go_to("tub")
    qtbot.keyClick(view, Qt.Key.Key_D)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert page.asking.live.evidence == {"tub": Done("yes")}


def test_the_evidence_menu_does_it_to_the_selected_variable(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.app.workspace.select(["either"])
    window.app.actions.refresh()
    window.app.actions["evidence.do"].trigger()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.close()
    window.app.workspace.select([])
    window.app.actions.refresh()
    assert window.app.actions["evidence.do"].toolTip() == "Not now: select one variable first."


def test_chips_say_do_in_the_lists_and_it_can_be_switched_off_and_retracted(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    live = page.asking.live
    do(page, "smoke", "yes")
    settled(qtbot, page)
    rows = variables(window).list.model()
    qtbot.waitUntil(lambda: any(row.chip is not None for row in rows.rows))  # type: ignore[attr-defined]
    row = next(row for row in rows.rows if row.name == "smoke")  # type: ignore[attr-defined]
    assert row.chip is not None
    assert (row.chip.text, row.chip.icon, row.chip.tint) == ("do yes", "lock-simple", "do")
    section = inspector(window).findChild(EvidenceSection, "modelEvidence")
    assert section is not None
    chip = section.findChild(type(section._rows["smoke"].chip), "evidenceChip.smoke")
    assert chip is not None
    assert chip.chip is not None
    assert chip.chip.text == "do = yes"
    live.switch("smoke", False)
    settled(qtbot, page)
    assert not any(edge.look.is_cut for edge in page.scene().edges.values())
    live.switch("smoke", True)
    settled(qtbot, page)
    assert live.evidence == {"smoke": Done("yes")}
    qtbot.mouseClick(section._rows["smoke"].gone, LEFT)
    assert live.evidence == {}


def test_a_click_on_what_was_done_retracts_it_and_on_another_state_observes(
    qtbot: QtBot, page: ModelPage
) -> None:
    live = page.asking.live
    do(page, "smoke", "yes")
    live.click_state("smoke", "yes")
    assert live.evidence == {}
    do(page, "smoke", "yes")
    live.click_state("smoke", "no")
    assert live.evidence == {"smoke": Observed("no")}


def test_a_conflict_names_what_was_done_and_changes_nothing(qtbot: QtBot, page: ModelPage) -> None:
    live = page.asking.live
    live.click_state("either", "no")
    settled(qtbot, page)
    do(page, "lung", "yes")  # either is a logical or
    assert live.evidence == {"either": Observed("no")}
    assert "lung do = yes" in page.canvas.bubble.text


def test_an_intervention_is_kept_in_an_evidence_case(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    do(page, "lung", "yes")
    window.app.actions.refresh()
    window.app.actions["evidence.save"].trigger()
    window.findChild(QInputDialog, "nameDialog").accept()
    ((name, case),) = window.app.project.evidence_cases.items()
    assert case.evidence == {"lung": Done("yes")}
    assert name == "lung do = yes"
    page.asking.live.clear()
    page.asking.live.set_all(case.evidence)
    settled(qtbot, page)
    assert page.asking.live.evidence == {"lung": Done("yes")}
    assert page.asking.live.beliefs["smoke"] == pytest.approx(page.asking.live.priors["smoke"])


def test_an_intervention_in_a_tree_follows_its_edges_and_says_so(
    qtbot: QtBot, window: MainWindow
) -> None:
    tree = random_tree(np.random.default_rng(3), 4)
    add_and_show_model(window.app, ModelEntry("tree", tree), "Open tree")
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    live = page.asking.live
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 4 and not live.is_stale)
    parent, child = tree.edges[0]
    before = live.beliefs[parent].tolist()
    assert menu_of(page, child).findChild(QMenu, "menu.do").isEnabled()
    with qtbot.waitSignal(window.app.toast) as emitted:
        page.canvas.signals.do.emit(child, tree.domain[child].states[0])
    assert "away from its root" in emitted.args[0]
    qtbot.waitUntil(lambda: not live.is_stale and live.beliefs[child][0] == 1.0)
    assert live.beliefs[parent].tolist() == pytest.approx(before, abs=1e-12)
    cut = [ends for ends, edge in page.scene().edges.items() if edge.look.is_cut]
    assert cut == [(parent, child)]


def test_a_mixture_says_why_nothing_can_be_done(qtbot: QtBot, window: MainWindow) -> None:
    tree = random_mixture(np.random.default_rng(3), 4, 2)
    add_and_show_model(window.app, ModelEntry("mixture", tree), "Open mixture")
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 4 and not page.asking.live.is_stale)
    name = tree.domain.names[0]
    menu = menu_of(page, name)
    states = menu.findChild(QMenu, "menu.do")
    assert states is not None
    assert not states.isEnabled()
    assert "Use a Bayesian network" in states.menuAction().toolTip()
    page.canvas.signals.do.emit(name, tree.domain[name].states[0])
    assert page.asking.live.evidence == {}
    assert "Use a Bayesian network" in page.canvas.bubble.text
