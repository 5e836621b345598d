"""Start-up: the application, the look, the window, and the files given on the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication


def make_application(arguments: Sequence[str] = ()) -> QApplication:
    """The QApplication with the look from the preferences."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication([sys.argv[0], *arguments])
    app.setApplicationName("pgmstudio")
    app.setApplicationDisplayName("PGM Studio")
    return app


def apply_preferences() -> None:
    from pgmstudio.gui.app.preferences import load_preferences
    from pgmstudio.gui.style.theme import Mode, theme

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
    app = make_application()
    apply_preferences()
    from pgmstudio.gui.app.main_window import MainWindow

    window = MainWindow()
    window.shell.errors.install()
    window.restore_geometry()
    window.show()
    # After the first paint: opening files may take a while.
    QTimer.singleShot(0, lambda: _begin(window, [Path(file) for file in files]))
    return int(app.exec())


def _begin(window: object, files: Sequence[Path]) -> None:
    from pgmstudio.gui.app.main_window import MainWindow
    from pgmstudio.gui.app.opening import begin

    assert isinstance(window, MainWindow)
    begin(window.shell, files)
