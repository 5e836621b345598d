"""The window at 200 %: signs grow with the words, and a small window hides nothing for good."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QScrollArea, QTabBar, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.drawing.theme import tokens
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.importing.page_view import CUTS
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.theme.style_sheet import style_sheet
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, ScrollingNotes
from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.gui.window.registry import BOTTOM, RIGHT
from tests.gui.samples import add_sprinkler


def sheet_at(scale: float) -> str:
    return style_sheet("light", lambda name: round(tokens()["size_px"][name] * scale), scale)


def rule(sheet: str, head: str) -> dict[str, str]:
    """The last rule with exactly that head."""
    bodies: list[str] = re.findall(rf"^{re.escape(head)} \{{(.*?)\}}", sheet, re.MULTILINE)
    pairs = (part.split(":", 1) for part in bodies[-1].split(";") if ":" in part)
    return {name.strip(): value.strip() for name, value in pairs}


def pixels(value: str) -> int:
    return int(value.split("px")[0])


@pytest.mark.parametrize("scale", [percent / 100 for percent in range(80, 201, 5)])
def test_a_round_button_is_round_and_keeps_its_size_when_it_is_ticked(scale: float) -> None:
    sheet = sheet_at(scale)
    plain = rule(sheet, "QRadioButton::indicator")
    ticked = rule(sheet, "QRadioButton::indicator:checked")
    whole = pixels(plain["width"]) + 2
    assert pixels(ticked["width"]) + 2 * pixels(ticked["border"]) == whole
    assert 2 * pixels(plain["border-radius"]) == whole  # more would be drawn square


def test_arrows_of_fields_grow_with_their_words() -> None:
    arrow = "QComboBox::down-arrow"
    assert pixels(rule(sheet_at(1), arrow)["width"]) * 2 == pixels(
        rule(sheet_at(2), arrow)["width"]
    )


@pytest.fixture
def large(window: MainWindow) -> Iterator[MainWindow]:
    theme().set_look(scale=2.0)
    window.resize(1024, 700)
    yield window
    theme().set_look(scale=1.0)


def test_the_crosses_of_tabs_grow_also_while_they_are_open(
    window: MainWindow, qtbot: QtBot
) -> None:
    open_model_page(window.app, add_sprinkler(window.app))
    bar = next(bar for bar in window.app.center.findChildren(QTabBar) if bar.count())
    cross = bar.tabButton(0, QTabBar.ButtonPosition.RightSide)
    before = cross.width()
    theme().set_look(scale=2.0)
    assert cross.width() == 2 * before
    theme().set_look(scale=1.0)
    assert cross.width() == before


def test_columns_and_cuts_are_stacked_and_scroll(
    large: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("age,sex\n" + "\n".join(f"{20 + n},{'mf'[n % 2]}" for n in range(90)))
    open_file(large.app, path)
    page = large.app.center.current
    assert isinstance(page, ImportPage)
    qtbot.waitUntil(lambda: page.reading is not None, timeout=20_000)
    page.go_to(CUTS)
    QApplication.processEvents()
    view = page.view
    assert view.columns.list.viewport().height() >= 2 * theme().px("row")
    assert view.cuts.histogram.height() >= theme().px("bottom_min") // 2
    area = page.findChild(QScrollArea, "columnsScroll")
    assert area is not None
    assert view.cuts.mapTo(area, view.cuts.rect().topRight()).x() <= area.width()


def test_a_long_sentence_leaves_room_for_what_it_is_about(qtbot: QtBot) -> None:
    page, form = QWidget(), QWidget()
    messages = ScrollingNotes(
        [note := Note("Each family is scored over the rows that have its cells. " * 20)]
    )
    layout = QVBoxLayout(page)
    layout.addWidget(form, 1)
    layout.addWidget(messages)
    qtbot.addWidget(page)
    page.resize(300, 700)
    page.show()
    QApplication.processEvents()
    assert form.height() > messages.height()
    assert messages.verticalScrollBar().maximum() > 0
    note.show_text("All cells are there.")
    qtbot.waitUntil(lambda: messages.verticalScrollBar().maximum() == 0)


def test_where_two_panels_have_no_room_the_one_asked_for_last_is_shown(
    large: MainWindow, qtbot: QtBot
) -> None:
    open_model_page(large.app, add_sprinkler(large.app))
    folding, workspace = large.folding, large.app.workspace
    overlays = folding.surround.overlays
    workspace.select(nodes=["rain"])
    QApplication.processEvents()
    assert overlays[RIGHT].is_open
    folding.reveal("tablePanel")
    assert overlays[BOTTOM].is_open
    assert not overlays[RIGHT].is_open
    workspace.select(nodes=["wet"])  # the table follows; nothing is laid over it
    assert overlays[BOTTOM].is_open
    assert not overlays[RIGHT].is_open
