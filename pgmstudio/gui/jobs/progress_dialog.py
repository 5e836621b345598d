"""A progress dialog for work that must end before anything else, such as reading a project.

The window keeps painting and the work can be stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QDeadlineTimer, QEvent, QEventLoop, QObject, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QProgressBar, QVBoxLayout, QWidget

from pgmstudio.core.data.counting import ReportFraction
from pgmstudio.core.execution.events import CancelToken, StopSwitch
from pgmstudio.gui.jobs.job import ProgressCell
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, label, row

T = TypeVar("T")

LOOK_EVERY_MS = 10
# Shorter waits show no dialog, because one that flashes up is distracting.
QUIET_MS = 150
# A window manager gives the keyboard back within this time; without one it never does.
FOCUS_MS = 200


def run_with_progress(
    parent: QWidget, text: str, work: Callable[[CancelToken, ReportFraction], T]
) -> T:
    """Run `work` in a thread and return its value; meanwhile only its dialog takes input.

    Shortcuts pressed meanwhile are triggered when it ends. Raises what `work` raises, and
    Cancelled when it was stopped.
    """
    worker = _Worker(work)
    if worker.is_done_within(QUIET_MS):
        return worker.outcome()
    held = _HeldShortcuts(parent.window())
    QCoreApplication.processEvents()  # keys that came so far would be lost on the blocked window
    dialog = WaitingDialog(parent, text, worker.switch, worker.progress)
    dialog.open()
    worker.is_done_within(None)
    was_active = dialog.isActiveWindow()
    dialog.done(0)
    dialog.deleteLater()
    if was_active:
        _wait_for_focus(parent.window())
    held.stop()
    outcome = worker.outcome()
    held.release()
    return outcome


def _wait_for_focus(window: QWidget) -> None:
    """Let the keyboard come back to the window before keys count as its own again."""
    window.activateWindow()
    deadline = QDeadlineTimer(FOCUS_MS)
    while not deadline.hasExpired() and QGuiApplication.focusWindow() is not window.windowHandle():
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 10)


class _HeldShortcuts(QObject):
    """Catches the shortcuts of a window's actions, to carry them out later."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._held: list[QAction] = []
        app = QCoreApplication.instance()
        assert app is not None
        app.installEventFilter(self)
        self._app = app

    def stop(self) -> None:
        self._app.removeEventFilter(self)
        self.deleteLater()

    def release(self) -> None:
        """Carry them out, once the caller has done its own part."""
        for action in self._held:
            QTimer.singleShot(0, action, action.trigger)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if event.type() not in kinds or not isinstance(event, QKeyEvent):
            return False
        keys = QKeySequence(event.keyCombination())
        for action in self._window.findChildren(QAction):
            if keys in action.shortcuts() and action.isEnabled():
                if action not in self._held:
                    self._held.append(action)
                event.accept()
                return True
        return False


class _Worker(Generic[T]):
    """A thread, and the loop in which the window waits for it."""

    def __init__(self, work: Callable[[CancelToken, ReportFraction], T]) -> None:
        self.switch, self.progress = StopSwitch(), ProgressCell()
        self._work = work
        self._made: list[T] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True, name="waited for")
        self._thread.start()

    def _run(self) -> None:
        try:
            self._made.append(self._work(self.switch, self.progress.report))
        except BaseException as error:  # raised again in the window's thread
            self._error = error

    def is_done_within(self, milliseconds: int | None) -> bool:
        """Let the window work until the thread has ended; for a while only, clicks wait too."""
        loop, look = QEventLoop(), QTimer()
        look.setInterval(LOOK_EVERY_MS)
        look.timeout.connect(lambda: None if self._thread.is_alive() else loop.quit())
        look.start()
        if milliseconds is None:
            loop.exec()
        else:
            QTimer.singleShot(milliseconds, loop, loop.quit)
            loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        look.stop()
        return not self._thread.is_alive()

    def outcome(self) -> T:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._made[0]


class WaitingDialog(QDialog):
    """A text, a progress bar and a Stop button, which Escape presses as well."""

    def __init__(
        self, parent: QWidget, text: str, switch: StopSwitch, progress: ProgressCell
    ) -> None:
        super().__init__(parent)
        self.setObjectName("waitingDialog")
        self.setWindowTitle("PGM Studio")
        self._switch, self._progress = switch, progress
        self._text = label(text)
        self._bar = QProgressBar()
        self._bar.setObjectName("waitingProgress")
        self._bar.setAccessibleName("Progress")
        self._bar.setToolTip("Progress.")
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._stop = button(
            "Stop", self.reject, tip="Stop; nothing is changed.", name="waitingStop"
        )
        layout = QVBoxLayout(self)
        margin = theme().space(5)
        layout.setContentsMargins(margin, margin, margin, margin)
        layout.setSpacing(theme().space(3))
        for widget in (self._text, self._bar, row(None, self._stop)):
            layout.addWidget(widget)
        self.setMinimumWidth(theme().px("right_min"))
        self._look = QTimer(self)
        self._look.setInterval(LOOK_EVERY_MS)
        self._look.timeout.connect(self._on_look)
        self._look.start()

    def reject(self) -> None:
        """Ask to stop; the dialog goes when the work has ended."""
        self._switch.cancel()
        self._stop.setEnabled(False)
        self._text.setText("Stopping…")

    def _on_look(self) -> None:
        self._bar.setValue(round(1000 * self._progress.done))
