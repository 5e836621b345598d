"""The welcome page, the manual and the preferences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QPushButton,
    QSpinBox,
    QTabWidget,
    QToolButton,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.io.project.project_file import write_project
from pgmstudio.core.io.reading_limits import LIMIT_VARIABLE, read_limit, size_text
from pgmstudio.core.project.project import Project
from pgmstudio.gui.files.actions import RecentMenu
from pgmstudio.gui.files.opening import open_files
from pgmstudio.gui.help.page import open_help
from pgmstudio.gui.navigation import open_welcome
from pgmstudio.gui.project.preferences import Preferences, load_preferences
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.welcome.page import SampleCard, WelcomePage
from pgmstudio.gui.welcome.samples import SAMPLES, Sample, SampleOpener
from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.gui.window.preferences_dialog import show_preferences


@pytest.fixture
def page(window: MainWindow) -> WelcomePage:
    open_welcome(window.app)
    result = window.app.center.current
    assert isinstance(result, WelcomePage)
    return result


def shown_cards(page: WelcomePage) -> list[SampleCard]:
    return [card for card in page.findChildren(SampleCard) if card.isVisible()]


def test_every_sample_has_its_file_and_a_card(page: WelcomePage) -> None:
    assert all(sample.path.is_file() for sample in SAMPLES)
    assert len(shown_cards(page)) == len(SAMPLES)


def test_the_filter_shows_one_group_and_all_again(page: WelcomePage) -> None:
    everything = {card.sample.file for card in shown_cards(page)}
    seen: set[str] = set()
    for group in {sample.group for sample in SAMPLES}:
        page.findChild(QToolButton, f"sampleGroups.{group}").click()
        cards = shown_cards(page)
        assert {card.sample.group for card in cards} == {group}
        seen |= {card.sample.file for card in cards}
    page.findChild(QToolButton, "sampleGroups.All").click()
    assert seen == everything == {card.sample.file for card in shown_cards(page)}


@pytest.mark.parametrize("way", ["click", "enter"])
def test_a_sample_opens_by_click_and_by_enter_and_the_page_makes_room(
    qtbot: QtBot, window: MainWindow, page: WelcomePage, way: str
) -> None:
    card = next(c for c in shown_cards(page) if c.sample.file == "asia.json")
    if way == "click":
        qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    else:
        card.setFocus()
        qtbot.keyClick(card, Qt.Key.Key_Return)
    assert len(window.app.project.models) == 1
    assert window.app.center.page("welcome") is None
    assert window.app.workspace.model_id == next(iter(window.app.project.models))


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.rows], ids=lambda s: s.title)
def test_a_model_opens_with_the_rows_it_was_learned_from(
    qtbot: QtBot, window: MainWindow, page: WelcomePage, sample: Sample
) -> None:
    card = next(c for c in shown_cards(page) if c.sample is sample)
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.app.workspace.model_id is not None, timeout=20_000)
    project = window.app.project
    (entry,) = project.models.values()
    assert entry.title == sample.title
    assert entry.data_id is not None
    rows = project.data[entry.data_id].data
    assert rows.domain.names == entry.model.domain.names
    assert entry.provenance["data"]["fingerprint"] == rows.fingerprint
    assert window.app.actions["learn.reproduce"].isEnabled()
    window.app.document.undo_stack.undo()
    assert not window.app.project.models
    assert not window.app.project.data


def test_two_samples_of_the_same_rows_share_them(qtbot: QtBot, window: MainWindow) -> None:
    app = window.app
    opener = SampleOpener(app, window)
    for count, file in enumerate(("survey_trees.json", "survey_classes.json"), 1):
        opener.open(next(s for s in SAMPLES if s.file == file))
        qtbot.waitUntil(lambda count=count: len(app.project.models) == count, timeout=20_000)
    assert len(app.project.data) == 1
    assert {entry.data_id for entry in app.project.models.values()} == set(app.project.data)


def test_the_first_page_has_no_row_of_tabs_until_there_is_another(
    window: MainWindow, page: WelcomePage
) -> None:
    tabs = window.findChild(QTabWidget, "tabs0").tabBar()
    assert not tabs.isVisible()
    open_help(window.app)
    assert tabs.isVisible()


def test_every_way_in_is_an_action_of_a_menu(window: MainWindow, page: WelcomePage) -> None:
    ways = [b for b in page.findChildren(QPushButton) if b.objectName().startswith("welcome.")]
    assert len(ways) >= 3
    for way in ways:
        assert way.objectName().removeprefix("welcome.") in window.app.actions.by_id


def test_recent_projects_are_offered_unless_they_are_gone(
    window: MainWindow, tmp_path: Path
) -> None:
    kept, gone = tmp_path / "kept.pgmz", tmp_path / "gone.pgmz"
    write_project(kept, Project(title="kept"))
    recent = Preferences().with_recent(gone).with_recent(kept).recent
    window.app.set_preferences(replace(window.app.preferences, recent=recent))
    open_welcome(window.app)
    page = window.app.center.current
    assert page is not None
    rows = page.findChildren(QPushButton, "welcome.recent")
    assert [row.text() for row in rows] == ["kept.pgmz"]
    rows[0].click()
    assert window.app.document.path == kept
    assert window.app.project.title == "kept"


def test_cards_stand_in_fewer_columns_when_there_is_less_room(
    qtbot: QtBot, window: MainWindow, page: WelcomePage
) -> None:
    def columns() -> int:
        return len({card.x() for card in shown_cards(page)})

    window.resize(1400, 800)
    qtbot.wait(20)
    wide = columns()
    window.resize(1000, 700)
    qtbot.wait(20)
    assert columns() < wide


def test_the_file_menu_lists_the_projects_opened_or_saved_last(
    window: MainWindow, tmp_path: Path
) -> None:
    recent = window.findChild(RecentMenu)
    assert recent is not None
    assert not recent.menuAction().isEnabled()
    assert "no project" in recent.menuAction().toolTip()
    for name in ("older", "newer", "gone"):
        write_project(tmp_path / f"{name}.pgmz", Project(title=name))
        open_files(window.app, [tmp_path / f"{name}.pgmz"])
    (tmp_path / "gone.pgmz").unlink()
    assert recent.menuAction().isEnabled()
    recent.aboutToShow.emit()
    rows = recent.actions()
    assert [row.text() for row in rows] == ["&1 gone.pgmz", "&2 newer.pgmz", "&3 older.pgmz"]
    assert [row.isEnabled() for row in rows] == [False, True, True]
    rows[2].trigger()
    assert window.app.project.title == "older"


# -- preferences


def test_preferences_show_at_once_and_are_kept(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, "")  # put back at the end
    dialog = show_preferences(window.app)
    dialog.findChild(QToolButton, "preferMode.dark").click()
    assert theme().shade == "dark"
    dialog.findChild(QSpinBox, "preferScale").setValue(120)
    assert theme().scale == 1.2
    dialog.findChild(QCheckBox, "preferMotion").click()
    dialog.findChild(QSpinBox, "preferAutosave").setValue(15)
    dialog.findChild(QSpinBox, "preferReadLimit").setValue(9)
    assert size_text(read_limit()) == "9 GB"
    assert load_preferences() == window.app.preferences
    assert load_preferences().autosave_seconds == 15
    assert load_preferences().scale == 1.2
    assert load_preferences().reduced_motion
    dialog.findChild(QPushButton, "preferDefaults").click()
    assert window.app.preferences == Preferences()
    assert size_text(read_limit()) == "4 GB"
    assert theme().shade == "light"
    assert dialog.findChild(QSpinBox, "preferScale").value() == 100
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    theme().set_look(mode="light", scale=1.0, reduced_motion=True)


def test_preferences_follow_what_the_menu_changes(window: MainWindow) -> None:
    dialog = show_preferences(window.app)
    window.app.actions["view.larger"].trigger()
    assert dialog.findChild(QSpinBox, "preferScale").value() == 110
    window.app.actions["view.normal"].trigger()
    assert dialog.findChild(QSpinBox, "preferScale").value() == 100
    dialog.close()
