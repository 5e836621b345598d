"""Learning step by step: all five steps by mouse and keys, and each step alone."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QComboBox, QPushButton, QSlider, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.core.languages.bayesian_network.arc_reversal import largest_difference
from pgmstudio.core.languages.bayesian_network.edge_analysis import link_strengths
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.learning.wizard.page import STEPS, WizardPage, open_stepwise
from pgmstudio.gui.learning.wizard.state import COLUMNS, LEARNING, LINKS, QUESTIONS, RULES
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.widgets.table import Table
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.languages.bayesian_network.learning.constraint_based.test_npc import copies
from tests.core.learning.lecture_data import K2_DEMO
from tests.gui.samples import add_sprinkler
from tests.gui.saved_runs import add_ended_run

LEFT = Qt.MouseButton.LeftButton
Key, Mods = Qt.Key, Qt.KeyboardModifier
LONG_MS = 60_000


@pytest.fixture
def asia(window: MainWindow, sample_data: Path) -> WizardPage:
    """The page over 5 000 rows of a known network."""
    data = import_data(sample_data / "asia_sample.csv", ImportOptions()).data
    entry = DataEntry("asia", data)
    window.app.change("Import", partial(edits.add_data, entry=entry))
    window.app.actions.refresh()
    window.app.actions["learn.stepwise"].trigger()
    page = window.app.center.current
    assert isinstance(page, WizardPage)
    return page


def press(qtbot: QtBot, page: QWidget, name: str) -> None:
    def shown() -> list[QPushButton]:
        return [w for w in page.findChildren(QPushButton, name) if w.isVisible()]

    qtbot.waitUntil(lambda: len(shown()) == 1)
    (result,) = shown()
    assert result.isEnabled(), result.toolTip()
    qtbot.mouseClick(result, LEFT)


def go_to(qtbot: QtBot, page: WizardPage, step: int) -> None:
    """By a click on the number in the row of steps."""
    from PySide6.QtWidgets import QAbstractButton

    qtbot.mouseClick(page.steps.findChild(QAbstractButton, f"step{step + 1}"), LEFT)
    assert page.plan.step == step


def choose_target(qtbot: QtBot, page: WizardPage, target: str) -> None:
    box = page.findChild(QComboBox, "stepwiseTarget")
    box.setFocus()
    while box.currentText() != target:
        qtbot.keyClick(box, Key.Key_Down)
    qtbot.waitUntil(lambda: bool(page.plan.tests), timeout=LONG_MS)


def click_tick(qtbot: QtBot, table: Table, column: str) -> None:
    index = [row.key for row in table.rows].index(column)
    box = table.visualRect(table.model().index(index, 0))
    qtbot.mouseClick(table.viewport(), LEFT, pos=QPoint(box.left() + 10, box.center().y()))


def click_row(qtbot: QtBot, table: Table, position: int) -> None:
    where = table.visualRect(table.model().index(position, 1)).center()
    qtbot.mouseClick(table.viewport(), LEFT, pos=where)


def ticked(page: WizardPage) -> set[str]:
    return {row.key for row in page.columns.table.rows if row.is_ticked}


def settled(qtbot: QtBot, page: WizardPage) -> ModelPage:
    """The graph of steps 4 and 5, drawn, and the list beside it up to date."""
    shown = page.models.page
    assert shown is not None
    qtbot.waitUntil(lambda: bool(shown.scene().nodes), timeout=LONG_MS)
    panel = page.models.questions
    qtbot.waitUntil(lambda: not panel.is_waiting and not panel._soon.isActive(), timeout=LONG_MS)
    return shown


def network(page: WizardPage) -> BayesianNetwork:
    model = page._app.project.models[page.plan.model_id or ""].model
    assert isinstance(model, BayesianNetwork)
    return model


def test_all_five_steps_by_clicks_end_in_the_model_opened(
    qtbot: QtBot, window: MainWindow, asia: WizardPage
) -> None:
    app, page = window.app, asia
    # 1: asia tells nothing about dysp; one column is left out by hand.
    choose_target(qtbot, page, "dysp")
    assert "asia" not in ticked(page)
    assert next(row for row in page.columns.table.rows if row.key == "asia").is_weak
    click_tick(qtbot, page.columns.table, "xray")
    assert ticked(page) == {"bronc", "smoke", "either", "lung", "tub"}
    assert app.workspace.target == "dysp"
    # 2: one rule, on the project's own knowledge.
    press(qtbot, page, "stepwiseNext")
    assert page.plan.step == RULES
    for name, value in (("ruleSource", "smoke"), ("ruleTarget", "lung")):
        box = next(w for w in page.findChildren(QComboBox, name) if w.isVisible())
        box.setCurrentText(value)
    press(qtbot, page, "ruleRequire")
    assert app.project.knowledge.required == {("smoke", "lung")}
    # 3: hill climbing, in the background.
    press(qtbot, page, "stepwiseNext")
    page.learning.learners.choose("bn.hill-climb")
    assert "6 of 8 columns. 1 rule about edges" in page.findChild(Note, "stepwiseRows").text
    with qtbot.waitSignal(app.workspace.runs.run_ended, timeout=LONG_MS):
        press(qtbot, page, "stepwiseStart")
    outcome = page.findChild(Note, "stepwiseOutcome").text
    assert "finished" in outcome
    assert "All constraints hold." in outcome
    assert [entry.name for entry in app.project.data.values()] == ["asia", "asia, 6 columns"]
    assert set(network(page).domain.names) == {*ticked(page), "dysp"}
    assert ("smoke", "lung") in network(page).edges
    # 4: directions the data cannot tell.
    press(qtbot, page, "stepwiseNext")
    assert page.plan.step == QUESTIONS
    settled(qtbot, page)
    # 5: the weakest edge goes, and comes back.
    press(qtbot, page, "stepwiseNext")
    links = page.models.links
    qtbot.waitUntil(lambda: bool(links.links), timeout=LONG_MS)
    edges = set(network(page).edges)
    assert {link.edge for link in links.links} == edges
    weakest = links.links[0].edge
    click_row(qtbot, links.table, 0)
    press(qtbot, page, "stepwiseRemove")
    assert set(network(page).edges) == edges - {weakest}
    qtbot.waitUntil(lambda: weakest not in {link.edge for link in links.links}, timeout=LONG_MS)
    app.document.undo_stack.undo()
    assert set(network(page).edges) == edges
    press(qtbot, page, "stepwiseFinish")
    opened = app.center.current
    assert isinstance(opened, ModelPage)
    assert opened.model_id == page.plan.model_id


# -- step 1


def test_the_threshold_and_the_correction_decide_until_a_person_does(
    qtbot: QtBot, asia: WizardPage
) -> None:
    choose_target(qtbot, asia, "tub")
    before = ticked(asia)
    slider = asia.findChild(QSlider, "stepwiseAlpha")
    slider.setFocus()
    qtbot.keyClick(slider, Key.Key_Home)
    strict = ticked(asia)
    assert strict < before
    by_p = {test.column for test in asia.plan.tests if test.p_value < 1e-6}
    assert strict == by_p
    qtbot.keyClick(slider, Key.Key_End)
    assert ticked(asia) == {test.column for test in asia.plan.tests}
    asia.columns.alpha.setValue(7)
    qtbot.mouseClick(asia.findChild(QToolButton, "stepwiseCorrection.bonferroni"), LEFT)
    assert ticked(asia) <= before
    assert not asia.columns.table.isColumnHidden(5)
    press(qtbot, asia, "stepwiseAll")
    assert ticked(asia) == {test.column for test in asia.plan.tests}
    press(qtbot, asia, "stepwiseByP")
    assert ticked(asia) <= before


def test_ticks_are_set_by_keys_taken_back_and_survive_other_tabs(
    qtbot: QtBot, window: MainWindow, asia: WizardPage
) -> None:
    choose_target(qtbot, asia, "dysp")
    before = ticked(asia)
    table = asia.columns.table
    table.select_key("bronc")
    table.setFocus()
    qtbot.keyClick(table, Key.Key_Space)
    assert ticked(asia) == before - {"bronc"}
    qtbot.keyClick(table, Key.Key_Z, Mods.ControlModifier)
    assert ticked(asia) == before
    qtbot.keyClick(table, Key.Key_Z, Mods.ControlModifier | Mods.ShiftModifier)
    assert ticked(asia) == before - {"bronc"}
    open_data_page(window.app, "d1")
    assert open_stepwise(window.app) is asia
    assert ticked(asia) == before - {"bronc"}
    qtbot.keyClick(table, Key.Key_Escape)
    assert window.app.center.page("stepwise") is None
    again = open_stepwise(window.app)
    assert ticked(again) == before - {"bronc"}
    assert again.columns.target.currentText() == "dysp"


# -- each step alone


@pytest.mark.parametrize("step", range(len(STEPS)))
def test_a_step_without_its_input_says_what_to_do(
    qtbot: QtBot, window: MainWindow, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_stepwise(window.app)
    go_to(qtbot, page, step)
    if step > LEARNING:
        press(qtbot, page, "stepwiseToLearning")
        assert page.plan.step == LEARNING
        return
    asked: list[bool] = []
    monkeypatch.setattr(page, "_on_import", lambda: asked.append(True))
    (offer,) = [w for w in page.findChildren(QPushButton, "stepwiseImport") if w.isVisible()]
    assert offer.isEnabled()


def test_the_last_steps_take_any_model_of_the_project(qtbot: QtBot, window: MainWindow) -> None:
    model_id = add_sprinkler(window.app)
    page = open_stepwise(window.app)
    go_to(qtbot, page, LINKS)
    links = page.models.links
    qtbot.waitUntil(lambda: len(links.links) == 3, timeout=LONG_MS)
    data = window.app.project.data["d1"].data
    settings = {link.edge: link.bic_gain for link in link_strengths(network(page).dag, data)}
    assert {link.edge: link.bic_gain for link in links.links} == settings
    shown = settled(qtbot, page)
    widths = shown.canvas.strengths
    assert widths is not None
    assert dict(widths.values) == settings
    qtbot.mouseClick(links.measure.button("mi"), LEFT)
    assert [link.information_bits for link in links.links] == sorted(
        link.information_bits for link in links.links
    )
    links.weak.setFocus()
    qtbot.keyClick(links.weak, Key.Key_Right)
    weakest = links.links[0].edge
    assert [e for e, item in shown.scene().edges.items() if not item.isVisible()] == [weakest]
    links.table.select_key(weakest)
    links.table.setFocus()
    qtbot.keyClick(links.table, Key.Key_Delete)
    assert weakest not in network(page).edges
    assert page.model_id == model_id


# -- step 4


def test_regions_are_answered_in_the_list_and_counted(qtbot: QtBot, window: MainWindow) -> None:
    add_ended_run(window.app, copies(), "bn.npc")
    page = open_stepwise(window.app)
    go_to(qtbot, page, QUESTIONS)
    settled(qtbot, page)
    panel = page.models.questions
    region = panel.questions[0]
    assert region.text.startswith("Either a – b")
    wanted = region.answers[1].edge
    press(qtbot, page, "stepwiseAnswer0.1")
    qtbot.waitUntil(lambda: panel._count.text().startswith("1 decided"), timeout=LONG_MS)
    skeleton = {frozenset(edge) for edge in network(page).edges}
    assert frozenset(wanted) in skeleton
    window.app.document.undo_stack.undo()
    qtbot.waitUntil(lambda: panel._count.text().startswith("0 decided"), timeout=LONG_MS)
    press(qtbot, page, "stepwiseResolveAll")
    nothing = page.findChild(Note, "stepwiseNothingOpen")
    qtbot.waitUntil(nothing.isVisible, timeout=LONG_MS)
    assert panel.questions == ()


def test_a_click_on_the_graph_answers_as_on_the_canvas(qtbot: QtBot, window: MainWindow) -> None:
    # The lecture's demo: M → L decides L → KA and L → KV as well.
    add_ended_run(window.app, K2_DEMO, "bn.pc")
    page = open_stepwise(window.app)
    go_to(qtbot, page, QUESTIONS)
    shown = settled(qtbot, page)
    qtbot.waitUntil(lambda: all(map(shown.scene().is_routed, shown.scene().edges.values())))
    shown.questions.layer.follow()
    assert len(page.models.questions.questions) == 4
    position: QPointF | None = shown.questions.layer.point_near(("L", "M"), "L")
    assert position is not None
    view = shown.canvas.view
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.mapFromScene(position))
    qtbot.waitUntil(lambda: len(page.models.questions.questions) == 1, timeout=LONG_MS)
    assert {("M", "L"), ("L", "KA"), ("L", "KV")} <= set(network(page).edges)


def test_free_directions_of_a_network_by_hand_keep_its_distribution(
    qtbot: QtBot, window: MainWindow
) -> None:
    add_sprinkler(window.app)
    page = open_stepwise(window.app)
    go_to(qtbot, page, QUESTIONS)
    settled(qtbot, page)
    panel = page.models.questions
    before = network(page)
    assert len(panel.questions) == 3  # a complete graph: every edge could be turned
    answer = next(a for a in panel.questions[0].answers if a.edge not in before.edges)
    index = panel.questions[0].answers.index(answer)
    press(qtbot, page, f"stepwiseAnswer0.{index}")
    qtbot.waitUntil(lambda: answer.edge in network(page).edges, timeout=LONG_MS)
    assert largest_difference(network(page), before) < 1e-12
    settled(qtbot, page)
    qtbot.waitUntil(lambda: panel._count.text().startswith("1 decided"), timeout=LONG_MS)
    assert answer.edge not in {a.edge for q in panel.questions for a in q.answers}
    window.app.document.undo_stack.undo()
    qtbot.waitUntil(lambda: len(panel.questions) == 3, timeout=LONG_MS)


# -- room and company


def test_the_model_may_be_open_and_go_away_meanwhile(qtbot: QtBot, window: MainWindow) -> None:
    model_id = add_sprinkler(window.app)
    open_model_page(window.app, model_id)
    page = open_stepwise(window.app)
    go_to(qtbot, page, LINKS)
    settled(qtbot, page)
    window.app.change("Delete", partial(edits.remove_model, model_id=model_id))
    assert page.plan.model_id is None
    qtbot.waitUntil(lambda: page.findChild(QPushButton, "stepwiseToLearning").isVisible())
    window.app.document.undo_stack.undo()
    assert page.plan.model_id == model_id
    settled(qtbot, page)


@pytest.mark.parametrize("step", range(len(STEPS)))
def test_every_step_fits_a_small_window(qtbot: QtBot, window: MainWindow, step: int) -> None:
    add_sprinkler(window.app)
    page = open_stepwise(window.app)
    page.plan.choose_target("wet")
    window.resize(1024, 700)
    go_to(qtbot, page, step)
    qtbot.waitUntil(lambda: page.width() <= 1024)
    assert page.minimumSizeHint().width() <= 1024
    for name in ("stepwiseClose", "stepwiseBack"):
        made = page.findChild(QPushButton, name)
        assert page.rect().contains(made.geometry().translated(made.parentWidget().pos()))
    assert COLUMNS <= page.plan.step <= LINKS
