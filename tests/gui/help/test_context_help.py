"""F1 at what has the focus, and the explanations beside numbers."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot

import pgmstudio.gui
from pgmstudio.core.execution.events import NeverCancelled
from pgmstudio.core.explained_numbers import NUMBERS, PLAIN, explained
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.learning.score_definition import ScoreUnit, score_definition
from pgmstudio.core.resources import folder_of
from pgmstudio.core.scores.association_measures import MEASURES
from pgmstudio.gui.evidence.sensitivity_page import EXPLAINED_HEADS, VIEWS, SensitivityQuery
from pgmstudio.gui.help.contents import anchor_of
from pgmstudio.gui.help.context_help import HelpDialog
from pgmstudio.gui.help.page import HelpPage
from pgmstudio.gui.help.topics import TOPICS, topic_of
from pgmstudio.gui.widgets.fact_rows import FactRows
from pgmstudio.gui.widgets.grid_view import SortHead
from pgmstudio.gui.widgets.number_help import NumberCard
from pgmstudio.gui.widgets.table import Column, Table
from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.gui.window.preferences_dialog import PreferencesDialog
from pgmstudio.gui.window.registry import PANELS
from tests.gui.walking import trigger

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize("topic", sorted(set(TOPICS.values())))
def test_every_topic_is_a_heading_of_the_manual(topic: str) -> None:
    path, _, anchor = topic.partition("#")
    lines = (DOCS / path).read_text(encoding="utf-8").splitlines()
    headings = [anchor_of(line.lstrip("# ")) for line in lines if line.startswith("#")]
    assert not anchor or anchor in headings


def test_every_panel_has_a_topic() -> None:
    assert {panel.name for panel in PANELS} <= set(TOPICS)


def test_a_widget_is_explained_by_the_nearest_one_around_it(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    page.setObjectName("scenarios:m1")
    assert topic_of(QLineEdit(page)) == ("how-to/work-with-evidence.md", "compare-scenarios")
    assert topic_of(None) == ("index.md", "")


def test_help_on_this_opens_the_page_on_the_focus(window: MainWindow, qtbot: QtBot) -> None:
    trigger(window, "file.welcome")
    trigger(window, "help.context")
    page = window.app.center.current
    assert isinstance(page, HelpPage)
    assert page.shown_path == "tutorials/first-model.md"


def test_help_over_a_dialog_is_about_it(window: MainWindow, qtbot: QtBot) -> None:
    dialog = PreferencesDialog(window.app)
    qtbot.addWidget(dialog)
    help_ = HelpDialog(window.app, dialog, dialog)
    assert help_.page.shown_path == "reference/window.md"


def test_a_number_is_explained_with_all_it_needs(qtbot: QtBot) -> None:
    facts = FactRows("facts")
    qtbot.addWidget(facts)
    facts.show_facts([("BIC ↑", "−3.2 bits per row"), ("Origin", "a file")])
    asked = [b for b in facts.findChildren(QToolButton) if b.objectName() == "numberHelp"]
    assert len(asked) == 1
    asked[0].click()
    card = asked[0].findChild(NumberCard)
    assert isinstance(card, NumberCard)
    for text in ("½ log2(N)", "bits per row", "higher is better", "Schwarz 1978"):
        assert text in card.text.text()
    assert card.text.height() >= card.text.heightForWidth(card.text.width())  # nothing is cut
    card.close()
    assert explained("BIC ↑") is NUMBERS["BIC"]


def test_long_names_beside_numbers_are_broken_and_leave_room_for_the_question_mark(
    window: MainWindow, qtbot: QtBot
) -> None:
    facts = FactRows("facts")  # in the look of the window
    qtbot.addWidget(facts)
    name = "region_of_residence_in_the_year_2019_winter"
    facts.show_facts([("BIC ↑", "−3.2 bits per row"), ("Most states", f"4, {name}")])
    facts.resize(250, 90)
    facts.show()
    assert facts.minimumSizeHint().width() <= 250
    asked = facts.findChild(QToolButton, "numberHelp")
    assert asked is not None
    assert asked.width() >= asked.iconSize().width() >= 10
    value = next(label for label in facts.findChildren(QLabel) if name in label.text())
    value.setSelection(3, len(QLabel.text(value)) - 3)
    QTest.keySequence(value, QKeySequence.StandardKey.Copy)
    assert QApplication.clipboard().text() == name


def _column_titles() -> dict[str, tuple[str, bool]]:
    """By the key of its number, the title of every column of numbers in a table of the window."""
    keys = {}
    for result in pkgutil.walk_packages(pgmstudio.gui.__path__, "pgmstudio.gui."):
        for value in vars(importlib.import_module(result.name)).values():
            columns = value if isinstance(value, tuple) else (value,)
            for column in columns:
                if isinstance(column, Column) and column.is_number and column.title:
                    keys[column.explains or column.title] = column.title, bool(column.number)
    return keys


def test_every_column_of_numbers_is_explained() -> None:
    columns = _column_titles()
    assert len(columns) > 60
    assert {title for title, is_explained in columns.values() if not is_explained} <= PLAIN


def test_every_number_of_a_sensitivity_table_is_explained(qtbot: QtBot) -> None:
    network = read_model(folder_of("sample_data") / "asia.json").model
    evidence = {"smoke": Observed("yes"), "xray": Observed("yes")}
    query = SensitivityQuery(network, {}, evidence, "lung", "yes")
    table = Table("t", "t")
    qtbot.addWidget(table)
    for key, (_, _, compute) in VIEWS.items():
        table.show_cells(
            compute(query, open_session(network), NeverCancelled()).cells, EXPLAINED_HEADS
        )
        assert [c.title for c in table.columns if c.is_number and not c.number] == [], key
        assert any(c.number for c in table.columns)


def test_every_search_score_and_measure_is_explained() -> None:
    for learner in all_learners().values():
        definition = score_definition(learner, learner.params_type())
        is_total = definition.unit is ScoreUnit.BITS
        number = explained(f"{'Search' if is_total else 'Criterion'}: {definition.title}")
        assert number is not None, definition.title
        assert not (is_total and "per row" in number.unit), definition.title
    for measure in MEASURES.values():
        assert explained(measure.title) is not None


def test_a_click_on_the_question_mark_of_a_heading_explains_it(qtbot: QtBot) -> None:
    table = Table("t", "t", (Column("Model", stretches=True), Column("BIC ↑", is_number=True)))
    qtbot.addWidget(table)
    table.resize(300, 100)
    table.show()
    head = table.horizontalHeader()
    assert isinstance(head, SortHead)
    assert head.help_area(0) is None
    area = head.help_area(1)
    assert area is not None
    QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=area.center())
    card = head.viewport().findChild(NumberCard)
    assert isinstance(card, NumberCard)
    assert "Schwarz 1978" in card.text.text()
    card.close()
    assert head.sortIndicatorSection() != 1
