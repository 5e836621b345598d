"""The guided tour walks through the window by keyboard and leaves everything as it was found."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.project.edits import rename_model
from pgmstudio.core.project.project import Project
from pgmstudio.gui.files.opening import show_project
from pgmstudio.gui.navigation import open_welcome
from pgmstudio.gui.tour.guided_tour import STEPS, GuidedTour, start_tour
from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.gui.window.registry import PANELS
from tests.gui.asia import open_asia

LONG_MS = 60_000
Key = Qt.Key


def tour_of(window: MainWindow) -> GuidedTour:
    result = window.findChild(GuidedTour, "guidedTour")
    assert isinstance(result, GuidedTour)
    return result


def card_key(qtbot: QtBot, window: MainWindow, key: Key) -> None:
    """A key pressed where the focus is, which is on the card."""
    focus = QApplication.focusWidget()
    assert focus is not None
    assert tour_of(window).card.isAncestorOf(focus)
    qtbot.keyClick(focus, key)


def walk_to(qtbot: QtBot, window: MainWindow, number: int) -> GuidedTour:
    tour = tour_of(window)
    while tour.number < number:
        qtbot.waitUntil(lambda: tour.is_ready, timeout=LONG_MS)
        card_key(qtbot, window, Key.Key_Return)
    qtbot.waitUntil(lambda: tour.is_ready and tour.ring.isVisible(), timeout=LONG_MS)
    return tour


def state_of(window: MainWindow) -> tuple[object, ...]:
    app, stack = window.app, window.app.document.undo_stack
    current = app.center.current
    return (
        app.project,
        [stack.text(index) for index in range(stack.count())],
        stack.index(),
        stack.cleanIndex(),
        sorted(page.key for page in app.center.pages),
        None if current is None else current.key,
        app.workspace.target,
        app.workspace.selection,
        window.folding.wanted,
        {spec.name: window.folding.is_shown(spec.name) for spec in PANELS},
        app.workspace.runs.runs,
    )


def in_window(window: MainWindow, part: QWidget) -> bool:
    return window.rect().contains(QRect(part.pos(), part.size()))


@pytest.mark.parametrize("size", [(1280, 800), (1024, 700)])
def test_eight_steps_by_keyboard_and_everything_as_it_was(
    qtbot: QtBot, window: MainWindow, sample_data: Path, size: tuple[int, int]
) -> None:
    window.resize(*size)
    app = window.app
    open_asia(window, sample_data)
    edit = partial(rename_model, model_id="m1", title="mine")
    app.change("Rename to mine", edit)
    app.document.undo_stack.undo()  # something to redo
    app.workspace.set_target("lung")
    qtbot.wait(0)
    before = state_of(window)
    app.actions["help.tour"].trigger()
    texts = []
    for number, _step in enumerate(STEPS):
        tour = walk_to(qtbot, window, number)
        assert in_window(window, tour.card)
        assert in_window(window, tour.ring)
        assert not tour.card.geometry().intersects(tour.ring.geometry()) or number in (4, 6)
        texts.append(tour.card.findChild(QLabel, "tourText").text())
    assert len(set(texts)) == len(STEPS) == 8
    assert len(app.project.models) == 3
    assert len(app.project.data) == 1
    card_key(qtbot, window, Key.Key_Return)  # Done
    qtbot.waitUntil(lambda: window.findChild(GuidedTour, "guidedTour") is None)
    qtbot.waitUntil(lambda: state_of(window) == before, timeout=LONG_MS)


def test_the_steps_act_on_the_sample(qtbot: QtBot, window: MainWindow) -> None:
    open_welcome(window.app)
    qtbot.mouseClick(window.findChild(QPushButton, "welcomeStartTour"), Qt.MouseButton.LeftButton)
    walk_to(qtbot, window, 1)
    (model_id,) = window.app.project.models
    live = window.app.workspace.beliefs(model_id)
    assert not live.evidence
    walk_to(qtbot, window, 2)
    assert str(live.evidence["smoke"]) == "= yes"
    assert live.beliefs["lung"][0] > live.priors["lung"][0]
    walk_to(qtbot, window, 3)
    assert window.app.workspace.selection.nodes == ("dysp",)
    qtbot.keyClick(window, Key.Key_Escape)
    assert not window.app.project.models
    assert [page.key for page in window.app.center.pages] == ["welcome"]
    usual = {spec.name for spec in PANELS if spec.shown}
    assert window.folding.wanted == usual  # also once a page with panels is in front


def test_a_step_that_was_done_is_seen_as_done(qtbot: QtBot, window: MainWindow) -> None:
    start_tour(window.app)
    tour = walk_to(qtbot, window, 1)
    assert not tour.card.shows_done
    live = window.app.workspace.active_beliefs
    assert live is not None
    live.click_state("smoke", "yes")
    qtbot.waitUntil(lambda: tour.card.shows_done)
    tour.next()
    assert not tour.card.shows_done
    tour.leave()


def test_the_card_covers_as_little_of_a_large_target_as_it_can(
    qtbot: QtBot, window: MainWindow
) -> None:
    tour = start_tour(window.app)
    whole = window.rect()
    target = whole.adjusted(0, 0, 0, -whole.height() // 8)  # no side has space
    tour.card.move_next_to(target)
    assert whole.contains(tour.card.geometry())
    covered = tour.card.geometry() & target
    assert covered.height() < tour.card.height()
    tour.leave()


def test_the_card_leaves_the_buttons_beside_its_target_free(
    qtbot: QtBot, window: MainWindow
) -> None:
    tour = start_tour(window.app)
    target = QRect(window.width() - 140, window.height() - 60, 120, 30)
    left = QPushButton("Back", window)
    left.setGeometry(target.translated(-160, 0))
    left.show()
    tour.card.move_next_to(target)
    card = tour.card.geometry()
    assert window.rect().contains(card)
    assert not card.intersects(target)
    assert not card.intersects(left.geometry())
    tour.leave()


def test_back_shows_the_step_before(qtbot: QtBot, window: MainWindow) -> None:
    window.app.actions["help.tour"].trigger()
    tour = walk_to(qtbot, window, 3)
    card_key(qtbot, window, Key.Key_Left)
    assert tour.number == 2
    qtbot.waitUntil(lambda: tour.is_ready)
    qtbot.mouseClick(tour.card.back, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(tour.card.back, Qt.MouseButton.LeftButton)
    assert tour.number == 0
    assert not tour.card.back.isEnabled()
    qtbot.mouseClick(tour.card.leave, Qt.MouseButton.LeftButton)
    assert not window.app.project.models


def test_the_outline_follows_a_window_that_changes_its_size(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.app.actions["help.tour"].trigger()
    tour = walk_to(qtbot, window, 2)
    for size in ((1024, 700), (1400, 900), (960, 640)):
        window.resize(*size)

        def is_around() -> bool:
            position = STEPS[2].target(tour._scene)
            inside = position is not None and tour.ring.geometry().contains(position)
            return inside and in_window(window, tour.card)

        qtbot.waitUntil(is_around)
    tour.leave()


def test_a_run_of_the_tour_leaves_nothing_behind(qtbot: QtBot, window: MainWindow) -> None:
    window.app.actions["help.tour"].trigger()
    tour = walk_to(qtbot, window, 6)
    assert window.app.workspace.runs.running
    qtbot.keyClick(tour.card.next, Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.app.workspace.runs.runs, timeout=LONG_MS)
    assert window.app.project is not None
    assert not window.app.project.runs
    assert not window.app.project.models
    assert window.app.document.is_saved


def test_closing_the_window_asks_nothing_about_the_tour(qtbot: QtBot, window: MainWindow) -> None:
    window.app.actions["help.tour"].trigger()
    walk_to(qtbot, window, 2)
    assert not window.app.document.is_saved
    assert window.close()
    assert window.app.document.is_saved


def test_another_project_ends_the_tour_and_stays(qtbot: QtBot, window: MainWindow) -> None:
    window.app.actions["help.tour"].trigger()
    walk_to(qtbot, window, 2)
    other = Project()
    show_project(window.app, other, None)
    qtbot.waitUntil(lambda: window.findChild(GuidedTour, "guidedTour") is None)
    assert window.app.project is other


def test_starting_twice_goes_on_with_the_first(qtbot: QtBot, window: MainWindow) -> None:
    window.app.actions["help.tour"].trigger()
    tour = walk_to(qtbot, window, 1)
    window.app.actions["help.tour"].trigger()
    assert tour_of(window) is tour
    assert tour.number == 1
    tour.leave()
