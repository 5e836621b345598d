"""F1 at what has the focus, and the explanations beside numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.explained_numbers import NUMBERS, explained
from pgmstudio.gui.help.help_dialog import HelpDialog
from pgmstudio.gui.help.page import HelpPage, anchor_of
from pgmstudio.gui.help.topics import TOPICS, topic_of
from pgmstudio.gui.widgets.fact_rows import FactRows
from pgmstudio.gui.widgets.number_help import NumberCard
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
    card.close()
    assert explained("BIC ↑") is NUMBERS["BIC"]
