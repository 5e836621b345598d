"""What is known before learning: lanes, matrix and list are three looks at the same rules."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QLabel,
    QListWidget,
    QPushButton,
    QToolButton,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.knowledge.page import FREE, EdgeMatrix, KnowledgePage, Lane, LaneList, TierLanes
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.navigation import open_learn_page, open_model_page
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(window: MainWindow) -> KnowledgePage:
    add_sprinkler(window.app)
    window.app.actions.refresh()
    window.app.actions["knowledge.edit"].trigger()
    return cast(KnowledgePage, window.app.center.current)


def rules(window: MainWindow) -> Knowledge:
    return window.app.project.knowledge


def lane(page: KnowledgePage, number: int) -> QListWidget:
    result = [w for w in page.findChildren(QListWidget, f"laneList{number}") if w.isVisible()]
    return result[0]


def names_in(page: KnowledgePage, number: int) -> list[str]:
    shown = lane(page, number)
    return [shown.item(i).text() for i in range(shown.count())]


def add_tier(page: KnowledgePage) -> None:
    page.findChild(QPushButton, "addTier").click()


# -- tiers


def test_a_new_tier_is_empty_and_everything_else_stays_free(
    window: MainWindow, page: KnowledgePage
) -> None:
    add_tier(page)
    assert rules(window).tiers == ((),)
    assert names_in(page, FREE) == ["rain", "sprinkler", "wet"]
    assert names_in(page, 0) == []


def test_moving_variables_between_lanes_is_one_undoable_step(
    window: MainWindow, page: KnowledgePage
) -> None:
    add_tier(page)
    add_tier(page)
    lanes = page.findChild(TierLanes)
    lanes.move_variables(["rain", "sprinkler"], 0)
    lanes.move_variables(["wet"], 1)
    assert rules(window).tiers == (("rain", "sprinkler"), ("wet",))
    assert names_in(page, FREE) == []
    window.app.document.undo_stack.undo()
    assert rules(window).tiers == (("rain", "sprinkler"), ())
    lanes.move_variables(["rain"], FREE)
    assert rules(window).tiers == (("sprinkler",), ())


def test_keys_carry_a_variable_from_lane_to_lane_and_the_focus_with_it(
    qtbot: QtBot, window: MainWindow, page: KnowledgePage
) -> None:
    add_tier(page)
    add_tier(page)
    lane(page, FREE).setFocus()
    lane(page, FREE).setCurrentRow(1)
    for tier in (0, 1):
        focus = QApplication.focusWidget()
        assert isinstance(focus, LaneList)
        qtbot.keyClick(focus, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
        assert names_in(page, tier) == ["sprinkler"]
        assert lane(page, tier).hasFocus()
        assert lane(page, tier).currentItem().text() == "sprinkler"
    qtbot.keyClick(lane(page, 1), Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert names_in(page, 1) == ["sprinkler"]
    qtbot.keyClick(lane(page, 1), Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert rules(window).tiers == (("sprinkler",), ())


def test_a_drop_reports_the_lane_the_drag_came_from(page: KnowledgePage) -> None:
    add_tier(page)
    free, first = cast(LaneList, lane(page, FREE)), cast(LaneList, lane(page, 0))
    first._source = free
    assert not first.dropMimeData(0, QMimeData(), Qt.DropAction.MoveAction)
    assert free._dropped_on == 0
    assert names_in(page, 0) == []


def test_a_closed_tier_forbids_edges_within(window: MainWindow, page: KnowledgePage) -> None:
    add_tier(page)
    page.findChild(TierLanes).move_variables(["rain", "wet"], 0)
    tick = next(w for w in page.findChildren(QCheckBox, "laneClosed0") if w.isVisible())
    tick.click()
    assert rules(window).closed_tiers == {0}
    assert not rules(window).allows("rain", "wet")


def test_removing_a_tier_frees_its_variables_and_keeps_the_other_ticks(
    qtbot: QtBot, window: MainWindow, page: KnowledgePage
) -> None:
    for _ in range(3):
        add_tier(page)
    lanes = page.findChild(TierLanes)
    lanes.move_variables(["rain"], 1)
    lanes.move_variables(["wet"], 2)
    next(w for w in page.findChildren(QCheckBox, "laneClosed2") if w.isVisible()).click()
    middle = next(w for w in page.findChildren(Lane, "lane1") if w.isVisible())
    qtbot.mouseClick(middle.findChild(QToolButton), LEFT)
    assert rules(window).tiers == ((), ("wet",))
    assert rules(window).closed_tiers == {1}
    assert "rain" in names_in(page, FREE)


# -- matrix


def click(qtbot: QtBot, matrix: EdgeMatrix, row: int, column: int) -> None:
    index = matrix.visualRect(matrix.model().index(row, column)).center()
    qtbot.mouseClick(matrix.viewport(), LEFT, pos=index)


def test_a_click_in_the_matrix_goes_through_required_forbidden_and_free(
    qtbot: QtBot, window: MainWindow, page: KnowledgePage
) -> None:
    page.findChild(QToolButton, "knowledgeLook.matrix").click()
    matrix = page.findChild(EdgeMatrix)
    click(qtbot, matrix, 0, 2)
    assert rules(window).required == {("rain", "wet")}
    click(qtbot, matrix, 0, 2)
    assert rules(window).required == set()
    assert rules(window).forbidden == {("rain", "wet")}
    click(qtbot, matrix, 0, 2)
    assert rules(window).is_empty


def test_the_diagonal_of_the_matrix_has_no_rules(
    qtbot: QtBot, window: MainWindow, page: KnowledgePage
) -> None:
    page.findChild(QToolButton, "knowledgeLook.matrix").click()
    click(qtbot, page.findChild(EdgeMatrix), 1, 1)
    assert rules(window).is_empty


def test_keys_set_rules_and_the_current_cell_stays(
    qtbot: QtBot, window: MainWindow, page: KnowledgePage
) -> None:
    page.findChild(QToolButton, "knowledgeLook.matrix").click()
    matrix = page.findChild(EdgeMatrix)
    matrix.setCurrentIndex(matrix.model().index(1, 2))
    qtbot.keyClick(matrix, Qt.Key.Key_Plus)
    assert rules(window).required == {("sprinkler", "wet")}
    qtbot.keyClick(matrix, Qt.Key.Key_Minus)
    assert rules(window).forbidden == {("sprinkler", "wet")}
    qtbot.keyClick(matrix, Qt.Key.Key_Delete)
    assert rules(window).is_empty
    assert (matrix.currentIndex().row(), matrix.currentIndex().column()) == (1, 2)


def test_the_matrix_marks_what_the_tiers_keep_out(page: KnowledgePage) -> None:
    add_tier(page)
    add_tier(page)
    lanes = page.findChild(TierLanes)
    lanes.move_variables(["wet"], 0)
    lanes.move_variables(["rain"], 1)
    model = page.findChild(EdgeMatrix).rules
    names = model.names
    backwards = model.index(names.index("rain"), names.index("wet"))
    forwards = model.index(names.index("wet"), names.index("rain"))
    assert model.rule(backwards) == "tier"
    assert model.rule(forwards) == ""
    assert "tier" in str(model.data(backwards, Qt.ItemDataRole.ToolTipRole))


# -- combos, list, clash


def test_the_combos_start_at_an_edge_that_can_be(window: MainWindow, page: KnowledgePage) -> None:
    source = page.findChild(QComboBox, "ruleSource").currentText()
    target = page.findChild(QComboBox, "ruleTarget").currentText()
    assert source != target
    page.findChild(QPushButton, "ruleForbid").click()
    assert rules(window).forbidden == {(source, target)}
    assert page.findChild(QLabel, "ruleCount").text() == "1 rule"


def test_an_edge_to_itself_is_refused_in_words(window: MainWindow, page: KnowledgePage) -> None:
    messages: list[str] = []
    window.app.errors.message.connect(messages.append)
    page.set_rule("rain", "rain", "required")
    assert rules(window).is_empty
    assert len(messages) == 1


def test_rules_that_clash_are_named_at_once_until_one_is_removed(
    window: MainWindow, page: KnowledgePage
) -> None:
    note = page.findChild(Note, "clashNote")
    assert note.isHidden()
    for edge in (("rain", "wet"), ("wet", "rain")):
        page.set_rule(*edge, "required")
    assert note.isVisible()
    assert "cycle" in note.text
    page.findChild(QPushButton, "clashRules").click()
    removers = [
        w for w in page.findChildren(QToolButton) if w.toolTip().startswith("Remove constraint: ")
    ]
    shown = [w for w in removers if w.isVisible()]
    assert len(shown) == 2
    shown[0].click()
    assert note.isHidden()
    assert len(rules(window).required) == 1


def test_of_a_rule_and_a_tier_that_clash_either_can_be_removed(
    window: MainWindow, page: KnowledgePage
) -> None:
    window.app.change("Tiers", partial(edits.set_tiers, tiers=[["rain"], ["wet"]]))
    page.set_rule("wet", "rain", "required")
    note = page.findChild(Note, "clashNote")
    assert note.isVisible()
    page.findChild(QPushButton, "clashRules").click()
    shown = [w for w in page.findChildren(QToolButton) if w.toolTip().endswith(": tier 1")]
    shown[-1].click()
    assert note.isHidden()
    assert rules(window).tiers == (("wet",),)
    assert rules(window).required == {("wet", "rain")}


# -- files


def test_rules_written_to_a_file_come_back(
    window: MainWindow, page: KnowledgePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_tier(page)
    page.findChild(TierLanes).move_variables(["rain"], 0)
    page.set_rule("rain", "wet", "required")
    page.set_rule("wet", "sprinkler", "forbidden")
    before = rules(window)
    file = str(tmp_path / "rules.json")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (file, ""))
    page.findChild(QPushButton, "knowledgeExport").click()
    window.app.actions.refresh()
    window.app.actions["knowledge.clear"].trigger()
    assert rules(window).is_empty
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (file, ""))
    page.findChild(QPushButton, "knowledgeImport").click()
    assert rules(window) == before


def test_a_file_that_is_no_knowledge_is_reported_and_changes_nothing(
    window: MainWindow, page: KnowledgePage, tmp_path: Path
) -> None:
    messages: list[str] = []
    window.app.errors.message.connect(messages.append)
    file = tmp_path / "rules.json"
    file.write_text("{", encoding="utf-8")
    before = window.app.project
    page.import_file(file)
    assert window.app.project is before
    assert "rules.json" in messages[0]


def test_a_price_is_set_listed_and_removed_as_undoable_steps(
    window: MainWindow, page: KnowledgePage, tmp_path: Path
) -> None:
    def prices() -> EdgePrices:
        return window.app.project.edge_prices

    between = page.findChild(QLabel, "ruleBetween")
    assert between.text() == "→"
    page._segments.button("prices").click()
    assert between.text() == "–"
    page.findChild(QDoubleSpinBox, "priceBox").setValue(-2.5)
    page.findChild(QPushButton, "priceSet").click()
    assert prices() == EdgePrices((("rain", "sprinkler", -2.5),))
    shown = [result.text() for result in page.findChildren(QLabel)]
    assert "rain – sprinkler" in shown
    assert page.findChild(QLabel, "ruleCount").text() == "1 price"
    page.export_prices(tmp_path / "prices.csv")
    remove = "Remove price: rain – sprinkler"
    (button,) = [b for b in page.findChildren(QToolButton) if b.toolTip() == remove]
    button.click()
    assert prices().is_empty
    page.import_prices(tmp_path / "prices.csv")
    assert not prices().is_empty
    window.app.document.undo_stack.undo()
    window.app.document.undo_stack.undo()
    assert prices() == EdgePrices((("rain", "sprinkler", -2.5),))


def test_a_run_can_use_the_prices_of_the_project(window: MainWindow, page: KnowledgePage) -> None:
    page.set_price("rain", "wet", 3.0)
    open_learn_page(window.app)
    learn = window.app.center.current
    assert isinstance(learn, LearnPage)
    choice = learn.findChild(QComboBox, "param.edge_prices")
    choice.setCurrentText("of this project")
    request = learn._request()
    assert request is not None
    assert request.params.edge_prices == window.app.project.edge_prices


def test_the_page_follows_undo_and_new_variables(window: MainWindow, page: KnowledgePage) -> None:
    page.set_rule("rain", "wet", "required")
    window.app.document.undo_stack.undo()
    assert page.findChild(QLabel, "ruleCount").text() == "0 rules"
    model_id = next(iter(window.app.project.models))
    from functools import partial

    from pgmstudio.core.data.variables import Variable
    from pgmstudio.core.project.model_edits import add_variable

    cloudy = Variable("cloudy", ("no", "yes"))
    window.app.change("Add", partial(add_variable, model_id=model_id, variable=cloudy))
    assert "cloudy" in names_in(page, FREE)
    assert "cloudy" in page.findChild(EdgeMatrix).rules.names


def test_the_page_shows_the_variables_of_what_is_at_hand(window: MainWindow) -> None:
    app = window.app
    add_sprinkler(app)
    domain = Domain.of({"quartz": ["low", "high"], "basalt": ["low", "high"]})
    entry = ModelEntry("Geology", BayesianNetwork.uniform(domain))
    app.change("Add", partial(edits.add_model, entry=entry))
    open_model_page(app, "m2")
    app.actions.refresh()
    app.actions["knowledge.edit"].trigger()
    page = app.center.current
    assert isinstance(page, KnowledgePage)
    source = page.findChild(QComboBox, "ruleSource")
    assert [source.itemText(index) for index in range(source.count())] == ["quartz", "basalt"]
    page.findChild(QComboBox, "knowledgeAbout").setCurrentIndex(0)
    assert source.count() == len(app.project.data["d1"].data.domain) + 2
