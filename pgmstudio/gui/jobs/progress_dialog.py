"""A progress dialog for work that must end before anything else, such as reading a project.

The window keeps painting and the work can be stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar, cast

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QProgressBar, QVBoxLayout, QWidget

from pgmstudio.core.data.counting import ReportFraction
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.gui.jobs.job import Job, JobState, ProgressCell
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, label, named, row

T = TypeVar("T")

LOOK_EVERY_MS = 10
# Shorter work shows no dialog, because one that flashes up is distracting.
QUIET_MS = 150
# A window manager gives the keyboard back within this time; without one it never does.
FOCUS_MS = 200


def run_with_progress(
    parent: QWidget,
    text: str,
    work: Callable[[CancelToken, ReportFraction], T],
    then: Callable[[T], object],
    failed: Callable[[BaseException], object],
) -> None:
    """Run `work` in a thread and pass its value to `then`, or what it raised to `failed`.

    Short work has ended on return. Longer work shows a dialog, which alone takes input and can
    stop it: `failed` gets Cancelled. Shortcuts pressed meanwhile are triggered when it ends.
    """
    progress = ProgressCell()

    def task(cancel: CancelToken) -> Iterator[object]:
        yield work(cancel, progress.report)

    job = Job(task, parent)
    values: list[object] = []
    dialogs: list[WaitingDialog] = []

    def on_state(state: JobState) -> None:
        if not state.is_end:
            return
        job.deleteLater()
        for dialog in dialogs:
            dialog.close_at_end()
        if state is JobState.FINISHED:
            then(cast(T, values[0]))
        else:
            failed(job.error or Cancelled())

    job.events_arrived.connect(values.extend)
    job.state_changed.connect(on_state)
    job.start()
    if not job.ends_within(QUIET_MS / 1000):
        dialogs.append(WaitingDialog(parent, text, job, progress))
        dialogs[0].open()


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

    def release(self) -> None:
        """Carry them out, once the keyboard is back at the window."""
        self._window.activateWindow()
        if QGuiApplication.focusWindow() is self._window.windowHandle():
            QTimer.singleShot(0, self, self._trigger)
        else:
            QTimer.singleShot(FOCUS_MS, self, self._trigger)

    def _trigger(self) -> None:
        self._app.removeEventFilter(self)
        self.deleteLater()
        for action in self._held:
            action.trigger()

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


class WaitingDialog(QDialog):
    """A text, a progress bar and a Stop button, which Escape presses as well."""

    def __init__(self, parent: QWidget, text: str, job: Job, progress: ProgressCell) -> None:
        super().__init__(parent)
        self.setObjectName("waitingDialog")
        self.setWindowTitle("PGM Studio")
        self._job, self._progress = job, progress
        self._held = _HeldShortcuts(parent.window())
        self._text = label(text)
        self._bar = named(QProgressBar(), "waitingProgress", "Progress", "Progress.")
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
        self._job.cancel()
        self._stop.setEnabled(False)
        self._text.setText("Stopping…")

    def close_at_end(self) -> None:
        self._look.stop()
        self.done(0)
        self.deleteLater()
        self._held.release()

    def _on_look(self) -> None:
        self._bar.setValue(round(1000 * self._progress.done))
