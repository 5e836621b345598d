"""A small window folds its panels and never squeezes the canvas."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.importing.page_view import CUTS
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_import_page, open_model_page, open_welcome
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.collapsible_docks import CANVAS_HEIGHT, CANVAS_WIDTH, folded_sides
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from pgmstudio.gui.window.registry import BOTTOM, LEFT, PANELS, RIGHT
from pgmstudio.gui.window.window_actions import regions, step_region
from tests.gui.samples import add_sprinkler

SIDES = frozenset({LEFT, RIGHT, BOTTOM})
sizes = st.floats(400, 3000)


@given(sizes, sizes, st.floats(0, 500), st.floats(0, 500))
def test_more_room_never_folds_more(
    width: float, height: float, wider: float, higher: float
) -> None:
    small = folded_sides(width, height, SIDES)
    assert folded_sides(width + wider, height + higher, SIDES) <= small


@given(sizes, sizes)
def test_the_left_side_gives_way_only_after_the_right_one(width: float, height: float) -> None:
    folded = folded_sides(width, height, SIDES)
    assert LEFT not in folded or RIGHT in folded


@given(sizes, sizes, st.sets(st.sampled_from(sorted(SIDES, key=lambda side: side.value))))
def test_only_sides_with_panels_are_folded(
    width: float, height: float, sides: set[Qt.DockWidgetArea]
) -> None:
    assert folded_sides(width, height, sides) <= sides


def test_two_pages_side_by_side_get_the_room_of_the_inspector_first() -> None:
    sides = frozenset({LEFT, RIGHT})
    assert not folded_sides(1280, 740, sides)
    assert folded_sides(1280, 740, sides, columns=2) == {RIGHT}
    assert folded_sides(1024, 640, sides, columns=2) == sides


@pytest.fixture
def small(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """1024×700 with a model in front."""
    window.resize(1024, 700)
    open_model_page(window.app, add_sprinkler(window.app))
    qtbot.wait(20)
    return window


def overlay(window: MainWindow, name: str) -> QWidget:
    result = window.findChild(QWidget, name)
    assert isinstance(result, QWidget)
    return result


@pytest.mark.parametrize("size", [(1024, 700), (960, 640), (1280, 800), (1600, 900)])
def test_the_canvas_keeps_its_room(qtbot: QtBot, window: MainWindow, size: tuple[int, int]) -> None:
    window.resize(*size)
    open_model_page(window.app, add_sprinkler(window.app))
    qtbot.wait(20)
    assert (window.width(), window.height()) == size
    canvas = window.findChild(QWidget, "canvas")
    assert canvas.width() >= CANVAS_WIDTH
    assert canvas.height() >= CANVAS_HEIGHT


def test_selecting_opens_the_inspector_over_the_canvas_and_escape_closes_it(
    qtbot: QtBot, small: MainWindow
) -> None:
    right = overlay(small, "rightOverlay")
    assert RIGHT in small.folding.folded
    assert not right.isVisible()
    focus = QApplication.focusWidget()
    small.app.workspace.select(["rain"])
    assert right.isVisible()
    assert panel_widget(small, "inspectorPanel").isVisible()
    assert QApplication.focusWidget() is focus
    qtbot.keyClick(small, Qt.Key.Key_Escape)
    assert not right.isVisible()
    small.app.workspace.select(["wet"])
    assert right.isVisible()
    small.app.workspace.select([])
    assert not right.isVisible()


def test_the_bottom_folds_to_its_words_which_open_it(qtbot: QtBot, small: MainWindow) -> None:
    small.app.reveal("runsPanel")
    assert BOTTOM in small.folding.folded
    assert panel_widget(small, "runsPanel").isVisible()
    bottom = overlay(small, "bottomOverlay")
    words = small.findChild(QToolButton, "rail.logPanel")
    qtbot.mouseClick(words, Qt.MouseButton.LeftButton)
    assert bottom.isVisible()
    assert panel_widget(small, "logPanel").isVisible()
    assert words.isChecked()
    qtbot.mouseClick(small.findChild(QToolButton, "rail.runsPanel"), Qt.MouseButton.LeftButton)
    assert not panel_widget(small, "logPanel").isVisible()
    assert panel_widget(small, "runsPanel").isVisible()
    qtbot.mouseClick(small.findChild(QToolButton, "bottomOverlayClose"), Qt.MouseButton.LeftButton)
    assert not bottom.isVisible()
    assert not words.isChecked()


def test_large_letters_fold_the_left_side_to_a_rail(qtbot: QtBot, small: MainWindow) -> None:
    theme().set_look(scale=1.5)
    qtbot.wait(20)
    rail = small.findChild(QWidget, "leftRail")
    assert rail.isVisible()
    assert rail.width() == theme().px("rail")
    qtbot.mouseClick(small.findChild(QToolButton, "rail.projectPanel"), Qt.MouseButton.LeftButton)
    panel = panel_widget(small, "projectPanel")
    assert panel.isVisible()
    qtbot.keyClick(panel, Qt.Key.Key_Escape)
    assert not panel.isVisible()
    theme().set_look(scale=1.0)
    qtbot.wait(20)
    assert not rail.isVisible()
    assert panel.isVisible()


def test_a_larger_window_brings_every_panel_back(qtbot: QtBot, small: MainWindow) -> None:
    small.app.workspace.select(["rain"])
    small.resize(1400, 900)
    qtbot.wait(20)
    assert small.folding.folded == frozenset()
    for spec in PANELS:
        dock = small.docks[spec.name]
        assert dock.isHidden() is not spec.shown, spec.name
        assert dock.isAncestorOf(panel_widget(small, spec.name))


def test_hidden_panels_stay_hidden_through_folding(qtbot: QtBot, window: MainWindow) -> None:
    for name in ("runsPanel", "logPanel"):
        window.app.reveal(name)
    window.app.actions["window.logPanel"].trigger()
    assert window.docks["logPanel"].isHidden()
    window.resize(1024, 700)
    qtbot.wait(20)
    window.resize(1400, 900)
    qtbot.wait(20)
    assert window.docks["logPanel"].isHidden()
    assert not window.docks["runsPanel"].isHidden()


def test_asking_for_a_folded_panel_shows_it(small: MainWindow) -> None:
    small.app.reveal("runsPanel")
    assert panel_widget(small, "runsPanel").isVisible()
    assert small.folding.is_shown("runsPanel")


@pytest.mark.parametrize("size", [(1024, 700), (1400, 900)])
@pytest.mark.parametrize(
    ("keys", "panel"), [("F9", "projectPanel"), ("F10", "inspectorPanel"), ("F8", "tablePanel")]
)
def test_a_key_for_every_side(
    qtbot: QtBot, window: MainWindow, keys: str, panel: str, size: tuple[int, int]
) -> None:
    window.resize(*size)
    open_model_page(window.app, add_sprinkler(window.app))
    qtbot.wait(20)
    action = next(a for a in window.app.actions.by_id.values() if a.shortcut().toString() == keys)
    before = window.folding.is_shown(panel)
    action.trigger()
    assert window.folding.is_shown(panel) is not before
    action.trigger()
    assert window.folding.is_shown(panel) is before


def test_centre_only_and_back(window: MainWindow) -> None:
    open_model_page(window.app, add_sprinkler(window.app))
    shown = {name for name in window.docks if window.folding.is_shown(name)}
    window.app.actions["window.canvas"].trigger()
    assert not any(window.folding.is_shown(name) for name in window.docks)
    window.app.actions["window.canvas"].trigger()
    assert {name for name in window.docks if window.folding.is_shown(name)} == shown


def test_a_page_that_stands_alone_sends_the_panels_away_and_back(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_model_page(window.app, add_sprinkler(window.app))
    width = panel_widget(window, "projectPanel").width()
    open_welcome(window.app)
    assert not any(dock.isVisible() for dock in window.docks.values())
    window.resize(1024, 700)
    window.resize(1280, 800)
    page = window.app.center.page("model:m1")
    assert page is not None
    window.app.center.bring_to_front(page)
    qtbot.wait(20)
    assert panel_widget(window, "projectPanel").isVisible()
    assert panel_widget(window, "projectPanel").width() == width


def test_the_arrangement_is_kept_from_one_window_to_the_next(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.app.reveal("runsPanel")
    open_welcome(window.app)  # with the panels away, which is not what the person chose
    window.app.actions["window.historyPanel"].trigger()
    window.save_geometry()
    following = MainWindow()
    qtbot.addWidget(following)
    following.restore_geometry()
    following.resize(1400, 900)
    following.show()
    assert not following.docks["projectPanel"].isHidden()
    assert not following.docks["runsPanel"].isHidden()


def test_reset_puts_everything_back(qtbot: QtBot, window: MainWindow) -> None:
    window.docks["projectPanel"].setFloating(True)
    window.app.actions["window.runsPanel"].trigger()
    window.app.actions["window.reset"].trigger()
    qtbot.wait(20)
    assert not window.docks["projectPanel"].isFloating()
    for spec in PANELS:
        assert window.docks[spec.name].isHidden() is not spec.shown


def test_sizes_that_were_dragged_survive_folding(qtbot: QtBot, window: MainWindow) -> None:
    open_model_page(window.app, add_sprinkler(window.app))
    window.resizeDocks([window.docks["projectPanel"]], [310], Qt.Orientation.Horizontal)
    qtbot.wait(20)
    button, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    released = QMouseEvent(
        QEvent.Type.MouseButtonRelease, QPointF(1, 1), QPointF(1, 1), button, button, none
    )
    QApplication.sendEvent(window, released)
    window.resize(1024, 700)
    qtbot.wait(20)
    window.resize(1280, 800)
    qtbot.wait(20)
    assert window.docks["projectPanel"].width() == 310


def test_f6_walks_through_every_region_and_back(qtbot: QtBot, window: MainWindow) -> None:
    open_model_page(window.app, add_sprinkler(window.app))
    qtbot.wait(20)
    result = regions(window)
    assert len(result) >= 5

    def current() -> int:
        focus = QApplication.focusWidget()
        holding = [i for i, region in enumerate(result) if _holds(region, focus)]
        return holding[0]

    visited = []
    for _ in result:
        step_region(window, 1)
        visited.append(current())
    first = visited[0]
    assert visited == [(first + i) % len(result) for i in range(len(result))]
    step_region(window, -1)
    assert current() == visited[-2]


def _holds(region: QWidget, focus: QWidget | None) -> bool:
    return focus is not None and (region is focus or region.isAncestorOf(focus))


def test_the_status_bar_drops_its_parts_from_the_left(qtbot: QtBot, window: MainWindow) -> None:
    open_model_page(window.app, add_sprinkler(window.app))
    bar = window.statusBar()
    parts = ["statusData", "statusGraph", "statusSelection", "statusEvidence", "statusRuns"]
    widgets = [bar.findChild(QWidget, name) for name in parts]
    assert all(widget.isVisible() for widget in widgets)
    theme().set_look(scale=2.0)
    window.resize(960, 640)
    qtbot.wait(20)
    shown = [widget.isVisible() for widget in widgets]
    theme().set_look(scale=1.0)
    assert shown == sorted(shown)
    assert shown[-2:] == [True, True]
    assert not shown[0]


def test_facts_in_the_status_bar_are_shortened_before_one_is_dropped(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_model_page(window.app, add_sprinkler(window.app))
    bar = window.statusBar()
    data = bar.findChild(QPushButton, "statusData")
    assert data is not None
    whole = data.text()
    assert whole.startswith("garden · 400 rows × 3 · ")
    shown = [part for part in bar.findChildren(QPushButton) if part.isVisible()]
    bar.resize(sum(part.width() + 12 for part in shown) - 20, bar.height())  # with their gaps
    qtbot.waitUntil(lambda: data.text() == "garden · 400 rows × 3")
    assert data.isVisible()
    data.click()
    assert QApplication.clipboard().text() == whole


def model_page(window: MainWindow, qtbot: QtBot) -> ModelPage:
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: bool(page.scene().nodes))
    return page


def test_the_inspector_stands_where_the_selected_edge_is_not(
    qtbot: QtBot, small: MainWindow
) -> None:
    page = model_page(small, qtbot)
    view = page.canvas.view
    middle = QPointF(*page.scene().edges["rain", "wet"].route.at(0.5))
    for x in (60, view.width() - 60):
        view.centre_on(middle + QPointF((view.width() / 2 - x) / view.pixels_per_unit, 0))
        page.canvas.signals.select.emit((), (("rain", "wet"),))
        shown, position = overlay(small, "rightOverlay"), page.selected_rect()
        assert shown.isVisible()
        assert position is not None
        cover = QRect(shown.mapToGlobal(QPoint(0, 0)), shown.size())
        assert not cover.intersects(position), x
        small.app.workspace.select(())


@pytest.mark.parametrize("name", ["rain", "sprinkler", "wet"])
def test_the_inspector_never_hides_what_is_selected(
    qtbot: QtBot, small: MainWindow, name: str
) -> None:
    page = model_page(small, qtbot)
    view = page.canvas.view
    for x in (60, view.width() // 2, view.width() - 60):
        item = page.scene().nodes[name]
        box = item.box
        view.centre_on(box.center() + QPointF((view.width() / 2 - x) / view.pixels_per_unit, 0))
        head = view.mapFromScene(QPointF(box.center().x(), box.top() + 8))
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=head)
        shown = overlay(small, "rightOverlay")
        assert shown.isVisible()
        position = page.selected_rect()
        assert position is not None
        cover = QRect(shown.mapToGlobal(QPoint(0, 0)), shown.size())
        # A double click at the same place still meets the node.
        assert not cover.contains(view.viewport().mapToGlobal(head)), x
        assert not cover.intersects(position) or position.width() > small.app.center.width() - 608
        small.app.workspace.select(())
        assert not shown.isVisible()


def test_a_table_over_the_canvas_pans_to_the_selected_node(qtbot: QtBot, small: MainWindow) -> None:
    page = model_page(small, qtbot)
    view = page.canvas.view
    fitted = view.zoom
    small.app.workspace.select(("wet",))  # the lowest
    small.reveal("tablePanel")
    shown = overlay(small, "bottomOverlay")
    qtbot.waitUntil(shown.isVisible)

    def is_in_sight() -> bool:
        position = page.selected_rect()
        cover = QRect(shown.mapToGlobal(QPoint(0, 0)), shown.size())
        return position is not None and not cover.intersects(position)

    qtbot.waitUntil(is_in_sight)
    assert view.zoom == fitted
    while small.folding.close_one():
        pass
    qtbot.waitUntil(lambda: view.sight().contains(page.scene().content_rect()))


def test_a_wide_page_that_leaves_gives_the_sides_their_room_back(
    qtbot: QtBot, window: MainWindow, sample_data: Path
) -> None:
    open_import_page(window.app, sample_data / "survey.csv")
    page = window.app.center.current
    assert isinstance(page, ImportPage)
    qtbot.waitUntil(lambda: page.reading is not None, timeout=60_000)
    page.go_to(CUTS)
    page.view.setMinimumWidth(900)  # more than the sides can spare
    qtbot.mouseClick(window.findChild(QPushButton, "importFinish"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: isinstance(window.app.center.current, DataPage), timeout=60_000)
    left, right = theme().px("left"), theme().px("right")
    docks = window.docks
    qtbot.waitUntil(lambda: abs(docks["projectPanel"].width() - left) <= 2)
    qtbot.waitUntil(lambda: abs(docks["inspectorPanel"].width() - right) <= 2)


def test_the_panel_in_front_at_the_bottom_is_in_front_after_a_page_that_stood_alone(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_model_page(window.app, add_sprinkler(window.app))
    window.reveal("logPanel")
    qtbot.waitUntil(lambda: window.folding.is_shown("logPanel"))
    open_welcome(window.app)
    qtbot.waitUntil(lambda: not window.folding.is_shown("logPanel"))
    page = window.app.center.current
    assert page is not None
    window.app.center.close_page(page)
    qtbot.waitUntil(lambda: window.folding.is_shown("logPanel"))
    assert not window.folding.is_shown("tablePanel")
