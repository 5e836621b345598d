"""Every action, page, dialog and panel keeps the same promises, also those added next month."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QDesktopServices, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QInputDialog,
    QMenu,
    QMessageBox,
    QWidget,
)
from pytestqt.exceptions import TimeoutError as QtBotTimeout
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from pgmstudio.core.io.project.project_file import project_bytes
from pgmstudio.core.project import edits
from pgmstudio.gui.files.opening import show_project
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from pgmstudio.gui.window.registry import PANELS
from tests.gui.walking import (
    FURTHER,
    SITUATIONS,
    arrange,
    called,
    controls_in,
    misfits,
    open_every_page,
    opened_windows,
    restore,
    settle,
    spoken_name,
)


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a person was asked: file choices are cancelled; whatever else would wait fails."""
    questions: list[str] = []

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("this waits for an answer")

    def answering(owner: object, name: str, answer: object) -> None:
        def answered(*_: object, **__: object) -> object:
            questions.append(name)
            return answer

        monkeypatch.setattr(owner, name, answered)

    for choice in ("getOpenFileName", "getSaveFileName"):
        answering(QFileDialog, choice, ("", ""))
    answering(QFileDialog, "getOpenFileNames", ([], ""))
    answering(QFileDialog, "getExistingDirectory", "")
    for box in (QMessageBox, QDialog, QInputDialog):
        monkeypatch.setattr(box, "exec", refuse)
    answering(QMenu, "exec", None)
    answering(QDesktopServices, "openUrl", True)
    return questions


# These lead to a state that the window may be in already.
MAY_DO_NOTHING = {
    "evidence.update",  # beliefs that are up to date stay as they are
    "file.quit",  # replaced above
    "view.actual-size",
    "view.fit",
    "view.normal",
    "window.next-region",
    "window.previous-region",
    "window.reset",
}


class Effects:
    """Whether an action did anything: to the project, what is in view, or how the window looks."""

    def __init__(self, window: MainWindow, asked: list[str], *, opens: bool) -> None:
        """`opens`: a page or a dialog; nobody has to compare pictures to see that."""
        self._window, self._asked = window, asked
        self._received: list[object] = []
        workspace, app = window.app.workspace, window.app
        copied = QApplication.clipboard().dataChanged
        for signal in (app.toast, app.errors.message, workspace.message, copied):
            signal.connect(self._note)
        asked.clear()
        self._before = self._facts()
        self._parts = self._count_parts()
        self._look = None if opens else window.grab().toImage()

    def _note(self, *received: object) -> None:
        self._received.append(received)

    def _facts(self) -> tuple[object, ...]:
        window, workspace = self._window, self._window.app.workspace
        live = workspace.active_beliefs
        return (
            window.app.project,
            window.app.center.current,
            window.app.preferences,
            workspace.selection,
            workspace.target,
            None if live is None else live.standing,
            window.focusWidget(),
            window.windowState(),
            [action.isChecked() for action in window.app.actions.by_id.values()],
        )

    def _count_parts(self) -> int:
        return sum(widget.isVisible() for widget in self._window.findChildren(QWidget))

    def come(self, qtbot: QtBot) -> bool:
        """At once, or when what was started in the background is done."""
        try:
            qtbot.waitUntil(self.seen)
        except QtBotTimeout:
            return False
        return True

    def seen(self) -> bool:
        window = self._window
        return bool(
            self._asked
            or self._received
            or opened_windows(window)
            or self._facts() != self._before
            or self._count_parts() != self._parts  # slower than all before
            or (self._look is not None and window.grab().toImage() != self._look)
        )


# -- actions

# What these menus do is the same for a model of any language; it is walked in the first situations.
ANY_LANGUAGE = {"File", "Edit", "Data", "Knowledge", "Window", "Help"}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_action_says_what_it_does_or_why_not(window: MainWindow, situation: str) -> None:
    arrange(window, situation)
    registry = window.app.actions
    registry.refresh()
    for action_id, action in registry.by_id.items():
        tip = action.toolTip()
        assert registry.specs[action_id].tip.endswith("."), f"{action_id}: the tip is no sentence"
        if action.isEnabled():
            assert registry.specs[action_id].tip in tip
        else:
            assert tip.startswith("Not now: "), f"{action_id}: {tip}"
            assert tip.endswith("."), f"{action_id}: {tip}"


def test_no_menu_has_the_same_words_twice(window: MainWindow) -> None:
    words = Counter((spec.menu, spec.text) for spec in window.app.actions.specs.values())
    assert [entry for entry, count in words.items() if count > 1] == []


def test_every_menu_entry_has_a_mnemonic_of_its_own(window: MainWindow) -> None:
    # The entries of recent files are numbered when the menu opens.
    menus = [m for m in window.menuBar().findChildren(QMenu) if m.actions()]
    assert len(menus) > 20
    for menu in (window.menuBar(), *menus):
        texts = [action.text() for action in menu.actions() if not action.isSeparator()]
        letters = [text.replace("&&", "").partition("&")[2][:1].lower() for text in texts]
        assert "" not in letters, texts
        assert [one for one, count in Counter(letters).items() if count > 1] == [], texts
    window.app.actions.refresh()
    assert window.app.actions["edit.undo"].text().startswith("&Undo")


def test_no_two_actions_share_a_key(window: MainWindow) -> None:
    keys = [
        QKeySequence(key).toString() for s in window.app.actions.specs.values() for key in s.keys
    ]
    assert "" not in keys
    assert [key for key, count in Counter(keys).items() if count > 1] == []


def test_every_action_is_in_a_menu_and_in_the_command_field(window: MainWindow) -> None:
    def actions_of(menu: QMenu) -> set[str]:
        result: set[str] = set()
        for action in menu.actions():
            inner = action.menu()
            result |= actions_of(inner) if isinstance(inner, QMenu) else {action.objectName()}
        return result

    menus = window.menuBar().findChildren(QMenu)
    shown = set().union(*(actions_of(menu) for menu in menus))
    assert set(window.app.actions.by_id) <= shown
    window.command_field.begin()
    model = window.command_field.completer().model()
    lines = [model.index(row, 0).data() for row in range(model.rowCount())]
    for spec in window.app.actions.specs.values():
        assert any(spec.text in line for line in lines), spec.id


def usable(window: MainWindow) -> set[str]:
    return {one for one, action in window.app.actions.by_id.items() if action.isEnabled()}


ITS_OWN = ("data", *FURTHER)
WALKS = [(one, "whole") for one in SITUATIONS if one not in ITS_OWN] + [
    (one, "its own") for one in ITS_OWN
]


@pytest.mark.parametrize(
    ("situation", "part"),
    WALKS + [pytest.param(one, "whole", marks=pytest.mark.long) for one in ITS_OWN],
)
def test_every_action_that_can_be_used_can_be_used(
    qtbot: QtBot,
    window: MainWindow,
    situation: str,
    part: str,
    asked: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = window.app
    monkeypatch.setattr(app.actions["file.quit"], "trigger", lambda: None)
    refused: list[str] = []
    app.errors.message.connect(refused.append)
    walked: set[str] = set()
    if part == "its own":  # what a plain network can do as well is walked there
        arrange(window, "model")
        walked = usable(window)
    arrange(window, situation)
    beginning = app.project
    problems = []
    is_restored = False
    for action_id in list(app.actions.by_id):
        menu = app.actions.specs[action_id].menu.split("/")[0]
        # How a model is edited differs from language to language, whatever the menu calls it.
        is_walked = action_id in walked and menu != "Model"
        if is_walked or (situation in FURTHER and menu in ANY_LANGUAGE):
            continue
        if app.project is not beginning:
            show_project(app, beginning, None)
        if not is_restored:
            restore(window, situation)
        action = app.actions[action_id]
        is_restored = not action.isEnabled()
        if is_restored:
            continue
        refused.clear()
        is_chosen = action.isCheckable() and action.isChecked()
        effects = Effects(window, asked, opens=action.text().endswith("…"))
        action.trigger()
        settle(window)
        if not (is_chosen or action_id in MAY_DO_NOTHING or effects.come(qtbot)):
            problems.append(f"{action_id} could be used and did nothing")
        for other in opened_windows(window):
            QTest.keyClick(other, Qt.Key.Key_Escape)
            settle(window)
            if isValid(other) and other.isVisible():
                problems.append(f"{action_id}: {called(other)} stays open after Escape")
                other.close()
        if refused:
            problems.append(f"{action_id} could be used and was refused: {refused}")
        project_bytes(app.project)
        stack = app.document.undo_stack
        if stack.canUndo():
            stack.setIndex(0)
            if app.project is not beginning:
                problems.append(f"{action_id}: undo does not lead back")
        stack.setClean()
    assert not problems, "\n".join(problems)
    theme().set_look(mode="light", scale=1.0, reduced_motion=True)


def test_in_one_tree_of_a_mixture_edges_are_drawn_and_no_nodes_are_added(
    window: MainWindow,
) -> None:
    arrange(window, "one tree")
    registry = window.app.actions
    assert registry["model.draw-edges"].isEnabled()
    assert not registry["model.add-node"].isEnabled()
    assert "nodes and edges are edited in the DAG" in registry["model.add-node"].toolTip()


# -- names and tips


def pages_of(window: MainWindow) -> list[Callable[[], QWidget]]:
    """Brings each open page to front in turn."""

    def show(key: str) -> QWidget:
        page = window.app.center.page(key)
        assert page is not None
        window.app.center.bring_to_front(page)
        settle(window)
        return page

    return [partial(show, page.key) for page in window.app.center.pages]


class _TopLevels(QObject):
    """Notes every widget that is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            stray = watched.isWindow() and watched.parent() is None
            if stray and not isinstance(watched, MainWindow):
                self.seen.append(called(watched))
        return False


def test_every_page_opens_inside_the_window_and_all_in_it_has_a_name_and_a_tip(
    window: MainWindow, sample_data: Path
) -> None:
    watch = _TopLevels()
    qt_app = QApplication.instance()
    assert qt_app is not None
    qt_app.installEventFilter(watch)
    open_every_page(window, sample_data)
    qt_app.removeEventFilter(watch)
    window.app.document.undo_stack.setClean()
    assert not watch.seen, "\n".join(watch.seen)
    for spec in PANELS:
        assert panel_widget(window, spec.name).accessibleName() == spec.title
        assert window.docks[spec.name].toolTip() == spec.tip
    titles = [page.title for page in window.app.center.pages]
    assert all(titles)
    assert len(window.app.center.pages) >= 6
    problems = set()
    for show in pages_of(window):
        show()
        for control in controls_in(window):
            if not spoken_name(control):
                problems.add(f"{called(control)} has no accessible name")
            if not control.toolTip() and not _explained_by_parent(control):
                problems.add(f"{called(control)} has no tooltip")
    assert not problems, "\n".join(sorted(problems))


def _explained_by_parent(control: QWidget) -> bool:
    """Buttons of a standard row say what they do in their words."""
    parent = control.parentWidget()
    return parent is not None and parent.metaObject().className() == "QDialogButtonBox"


# -- what fits


@pytest.mark.parametrize("scale", [pytest.param(1.0, marks=pytest.mark.long), 1.5])
def test_everything_fits_a_small_window(
    qtbot: QtBot, window: MainWindow, sample_data: Path, scale: float
) -> None:
    theme().set_look(scale=scale)
    window.resize(1024, 700)
    open_every_page(window, sample_data)
    window.app.document.undo_stack.setClean()
    assert (window.width(), window.height()) == (1024, 700)
    problems = set()
    for show in pages_of(window):
        page = show()
        qtbot.wait(20)
        where = f"{scale:.1f} {page.objectName()}: "
        problems |= {where + words for words in misfits(page)}
        problems |= {where + words for words in misfits(window.statusBar())}
    theme().set_look(scale=1.0)
    assert not problems, "\n".join(sorted(problems))


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("action", ["edit.preferences", "help.about"])
def test_every_dialog_fits_a_small_window(window: MainWindow, action: str, scale: float) -> None:
    theme().set_look(scale=scale)
    window.resize(1024, 700)
    window.app.actions[action].trigger()
    settle(window)
    [dialog] = opened_windows(window)
    assert dialog.width() <= 1024
    assert dialog.height() <= 700
    result = misfits(dialog)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    theme().set_look(scale=1.0)
    assert result == []


@pytest.mark.parametrize("action", ["file.report", "edit.shortcuts"])
def test_with_large_fonts_a_dialog_is_no_higher_than_its_screen(
    window: MainWindow, action: str
) -> None:
    arrange(window, "data")
    theme().set_look(scale=2.0)
    window.app.actions[action].trigger()
    settle(window)
    [dialog] = opened_windows(window)
    assert isinstance(dialog, QDialog)
    assert dialog.height() <= dialog.screen().availableGeometry().height()
    dialog.reject()
    theme().set_look(scale=1.0)


def test_a_project_survives_its_own_name(window: MainWindow) -> None:
    arrange(window, "data")
    long = "a very long name " * 12
    data_id = next(iter(window.app.project.data))
    window.app.change("Rename", partial(edits.rename_data, data_id=data_id, name=long))
    settle(window)
    assert window.width() == 1280
    window.app.document.undo_stack.setClean()
