"""Cycles of objects are collected in the window thread only.

Python collects them in whichever thread happens to allocate; a widget or timer that dies in a
worker thread takes the program with it.

Start-up: the application, the look, the window, and the files given on the command line.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from pgmstudio.gui.window.main_window import MainWindow


EVERY_MS = 1000


class GuiThreadCollector(QObject):
    """Replaces the automatic collection of the process; one for the program."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        self._timer.start(EVERY_MS)

    def collect(self) -> None:
        """The oldest generation that is full, with the younger ones, as Python would."""
        limits = gc.get_threshold()
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > limits[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Python collects again by itself."""
        self._timer.stop()
        gc.enable()


# Background threads yield after this many seconds; Python's default is five times longer.
SWITCH_SECONDS = 0.001
_M_ARENA_MAX = -8  # of mallopt


# After the first paint: the window is complete and what was given to open is open.
COMPILE_AFTER_MS = 3000
# What a process loads that is kept ready for the next run: what every run of a learner needs.
LOADED_AHEAD = (
    "pgmstudio.core.languages.learn_task",
    "pgmstudio.core.languages.run_checks",
    "pgmstudio.core.languages.start_models",
    "pgmstudio.core.numba_support",
)


def make_application(arguments: Sequence[str] = ()) -> QApplication:
    """The QApplication with the look from the preferences."""
    _share_freed_memory()
    qt_app = QApplication.instance()
    if not isinstance(qt_app, QApplication):
        qt_app = QApplication([sys.argv[0], *arguments])
    sys.setswitchinterval(SWITCH_SECONDS)
    qt_app.setApplicationName("pgmstudio")
    qt_app.setApplicationDisplayName("PGM Studio")
    return qt_app


def _share_freed_memory() -> None:
    """glibc keeps what is freed apart for many threads; shared by two it takes less memory."""
    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def apply_preferences() -> None:
    from pgmstudio.gui.project.preferences import load_preferences
    from pgmstudio.gui.theme.theme import Mode, theme

    wanted = load_preferences()
    modes: dict[str, Mode] = {"light": "light", "dark": "dark", "system": "system"}
    theme().set_look(
        mode=modes.get(wanted.mode, "light"),
        scale=wanted.scale,
        reduced_motion=wanted.reduced_motion,
    )


def has_screen() -> bool:
    """Qt aborts the program when there is none, so ask before."""
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def main(files: Sequence[str] = ()) -> int:
    """Open the window; returns the exit code."""
    if not has_screen():
        print(
            "There is no screen here. Set DISPLAY, or use the command line: pgmstudio --help",
            file=sys.stderr,
        )
        return 2
    qt_app = make_application()
    apply_preferences()
    from pgmstudio.gui.files.opening import begin
    from pgmstudio.gui.window.main_window import MainWindow

    GuiThreadCollector(qt_app)
    window = MainWindow(completed_later=True)
    window.app.errors.install()
    window.restore_geometry()
    if not files:
        begin(window.app, [])  # the welcome page needs no panels and is there at once
    # Menus and panels nobody sees yet, and files that may take a while.
    AfterFirstPaint(window, lambda: _go_on(window, [Path(file) for file in files]))
    window.show()
    return int(qt_app.exec())


class AfterFirstPaint(QObject):
    """Does something once, when a widget has been painted for the first time."""

    def __init__(self, widget: QWidget, callback: Callable[[], None]) -> None:
        super().__init__(widget)
        self._widget, self._callback = widget, callback
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._widget.removeEventFilter(self)
            QTimer.singleShot(0, self._widget, self._callback)
        return False


def _keep_spare_child() -> None:
    """Have a process ready for the next run, until the program ends."""
    from pgmstudio.core.execution.child_process import SPARE_CHILD

    SPARE_CHILD.keep(LOADED_AHEAD)


def _load_compiled_code() -> None:
    """Load what the beliefs of the first model need, which would hold the window for a second."""

    def load() -> None:
        from pgmstudio.core.numba_support import load_ahead

        load_ahead()

    threading.Thread(target=load, daemon=True).start()


def _go_on(window: MainWindow, files: Sequence[Path]) -> None:
    from pgmstudio.gui.files.opening import begin
    from pgmstudio.gui.runs.learner_compiler import LearnerCompiler

    # Modules and the window stay until the end: collections need not look at them, which would
    # hold the window for a quarter of a second.
    window.adding_learners.finished.connect(gc.freeze)
    if files:
        window.completing.finish()
        begin(window.app, files)
    window.completing.start()
    compiler = window.app.service(LearnerCompiler)
    QTimer.singleShot(COMPILE_AFTER_MS, compiler, compiler.start)
    QTimer.singleShot(COMPILE_AFTER_MS, window, _keep_spare_child)
    QTimer.singleShot(COMPILE_AFTER_MS, window, _load_compiled_code)
