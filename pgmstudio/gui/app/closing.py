"""Closing the window: nothing is lost, nothing goes on behind it."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox

from pgmstudio.gui.app.shell import Shell

WAIT_SECONDS = 3.0


def may_close(shell: Shell) -> bool:
    """Ask about unsaved changes, stop the runs; False keeps the window open."""
    if not shell.document.is_saved and not _settled(shell):
        return False
    shell.bench.runs.stop_all()
    if not shell.bench.runs.wait(WAIT_SECONDS):
        shell.tell("A run does not stop; it ends together with the program.")
    return True


def _settled(shell: Shell) -> bool:
    buttons = QMessageBox.StandardButton
    box = QMessageBox(shell.window)
    box.setObjectName("unsavedBox")
    box.setWindowTitle("PGM Studio")
    box.setText("The project has changes that are not saved.")
    box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
    box.button(buttons.Discard).setText("Leave without saving")
    answer = box.exec()
    if answer == buttons.Save:
        shell.book["file.save"].trigger()
        return shell.document.is_saved
    return bool(answer == buttons.Discard)
