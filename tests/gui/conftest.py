"""A window on no screen, with preferences and settings of its own."""

from __future__ import annotations

import gc
import itertools
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, QStandardPaths, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.exceptions import TimeoutError as QtBotTimeout
from pytestqt.qtbot import QtBot

from pgmstudio.gui.demo.patience import patience

if TYPE_CHECKING:
    from pgmstudio.gui.beliefs.belief_service import BeliefService
    from pgmstudio.gui.demo.screenshot_tour import WindowDriver
    from pgmstudio.gui.window.main_window import MainWindow


HERE = Path(__file__).parent
PATIENCE_MS = 120_000
TURNS = 8
AWAY = (-50, -50)  # outside every window


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Python collects in this thread and between tests, when nothing holds their windows any more.

    In whichever thread happens to allocate it would take a widget apart while Qt does. The program
    has `GuiThreadCollector` for it.
    """
    if not item.path.is_relative_to(HERE):
        return (yield)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()  # what is left is there to stay, and need not be looked through every time
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _own_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing of the person's own preferences is read or written."""
    QStandardPaths.setTestModeEnabled(True)
    folder = str(tmp_path_factory.mktemp("settings"))
    for scope in (QSettings.Scope.UserScope, QSettings.Scope.SystemScope):
        QSettings.setPath(QSettings.Format.IniFormat, scope, folder)


@pytest.fixture(autouse=True)
def _patience_with_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a small file, too, is read before a dialog is shown."""
    monkeypatch.setattr("pgmstudio.gui.jobs.progress_dialog.QUIET_MS", PATIENCE_MS)


@pytest.fixture(autouse=True)
def _released_mouse(qapp: QApplication) -> None:
    """A button that a test before left pressed is released."""
    for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
        if qapp.mouseButtons() & button:
            QTest.mouseRelease(QWidget(), button)


@pytest.fixture(scope="session", autouse=True)
def _empty_clipboard(qapp: QApplication) -> Iterator[None]:
    """What was copied goes while there is an interpreter; Qt would free it after its end."""
    yield
    qapp.clipboard().clear()


class PatientBot(QtBot):
    """Waits for the thing itself, however busy the machine is.

    A wait that ends early tells something about the machine, not about the program; what never
    comes still fails, only later.
    """

    def wait(self, ms: int) -> None:
        """At least `ms`, and as many turns of the loop as what was just started may need."""
        super().wait(ms)
        for _ in range(TURNS):
            QCoreApplication.processEvents()

    def waitUntil(self, callback: Any, *, timeout: int = PATIENCE_MS) -> None:
        """Looks often at first: most of what is waited for takes a turn or two of the loop."""
        pauses = itertools.chain((1, 2, 4), itertools.repeat(10))
        begin, seconds = time.perf_counter(), max(timeout, PATIENCE_MS) / 1000
        for pause in pauses:
            waited = time.perf_counter() - begin
            is_last = waited > seconds and waited > patience(seconds)
            try:
                if callback() in (None, True):
                    return
            except AssertionError:
                if is_last:
                    raise
            if is_last:
                raise QtBotTimeout(f"what was waited for did not come in {waited:.0f} s")
            self.wait(pause)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **how: Any) -> Any:
        if how.get("raising", True):  # else it need not come, as in `assertNotEmitted`
            timeout = _longer(timeout)
        return super().waitSignal(signal, timeout=timeout, **how)

    def waitActive(self, widget: QWidget, *, timeout: int = PATIENCE_MS) -> Any:
        return super().waitActive(widget, timeout=_longer(timeout))

    def waitExposed(self, widget: QWidget, *, timeout: int = PATIENCE_MS) -> Any:
        return super().waitExposed(widget, timeout=_longer(timeout))

    @staticmethod
    def mouseClick(widget: QWidget, *where: Any, **how: Any) -> None:
        """Where the widget belongs: what was shown a moment ago is laid out first."""
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        QtBot.mouseClick(widget, *where, **how)


def _longer(timeout: int) -> int:
    return round(1000 * patience(max(timeout, PATIENCE_MS) / 1000))


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """In place of the one of pytest-qt."""
    return PatientBot(request)


@pytest.fixture(autouse=True)
def _pointer_away(qapp: QApplication) -> None:
    """No window of a test opens under the pointer, wherever the test before has left it."""
    QCursor.setPos(*AWAY)


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    """A test that starts a thread ends it."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        if not thread.daemon or thread.name == "job":
            thread.join(patience(PATIENCE_MS / 1000))
            assert not thread.is_alive(), f"the thread {thread.name} is left behind"


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    """A main window of 1280×800 in the light theme, without motion."""
    from pgmstudio.gui.project import preferences

    monkeypatch.setattr(preferences, "preferences_folder", lambda: tmp_path / "preferences")
    from pgmstudio.gui.theme.theme import theme
    from pgmstudio.gui.window.application import make_application
    from pgmstudio.gui.window.main_window import MainWindow

    make_application()
    theme().set_look(mode="light", scale=1.0, reduced_motion=True)
    made = MainWindow()
    qtbot.addWidget(made, before_close_func=_settle)
    made.resize(1280, 800)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    # The closed window goes now, its parts in the order Qt knows.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def driver(qtbot: QtBot, window: MainWindow) -> WindowDriver:
    """Somebody at the window, which has the keyboard."""
    from pgmstudio.gui.demo.screenshot_tour import WindowDriver

    with qtbot.waitActive(window):
        window.activateWindow()
    return WindowDriver(window)


@pytest.fixture
def live(window: MainWindow, sample_data: Path) -> BeliefService:
    """The live beliefs of Asia, whose page is in front."""
    from tests.gui.asia import open_asia

    return open_asia(window, sample_data)


def _settle(window: MainWindow) -> None:
    """Nothing unsaved, nothing running: closing asks no question."""
    window.app.workspace.runs.stop_all()
    assert window.app.workspace.runs.wait(patience(PATIENCE_MS / 1000))
    window.app.document.undo_stack.setClean()
