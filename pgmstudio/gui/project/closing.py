"""Closing a project or the window: nothing is lost, nothing goes on behind it."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox

from pgmstudio.core.number_format import counted
from pgmstudio.gui.window.app_context import Shell

WAIT_SECONDS = 3.0


def may_close(shell: Shell) -> bool:
    """Ask about unsaved changes, stop the runs; False keeps the window open."""
    if not _is_saved_or_given_up(shell):
        return False
    shell.bench.runs.stop_all()
    shell.bench.beside.stop_all()
    are_over = shell.bench.runs.wait(WAIT_SECONDS)
    if not shell.bench.beside.wait(WAIT_SECONDS) or not are_over:
        shell.tell("A run does not stop; it ends together with the program.")
    return True


def settled(shell: Shell) -> bool:
    """True when another project may take the place of this one: its runs end, its changes go."""
    return _may_end_runs(shell) and _is_saved_or_given_up(shell)


def _may_end_runs(shell: Shell) -> bool:
    queue = shell.bench.runs
    count = len(queue.running) + len(queue.waiting)
    if not count:
        return True
    buttons = QMessageBox.StandardButton
    box = QMessageBox(shell.window)
    box.setObjectName("runsBox")
    box.setWindowTitle("PGM Studio")
    box.setText(
        f"{counted(count, 'run')} of this project {'has' if count == 1 else 'have'} not ended. "
        "Leaving the project stops them, and what they have found is lost."
    )
    box.setInformativeText("Learn ▸ Stop all, keep best keeps it.")
    box.setStandardButtons(buttons.Discard | buttons.Cancel)
    box.button(buttons.Discard).setText("Stop the runs and leave")
    return bool(box.exec() == buttons.Discard)


def _is_saved_or_given_up(shell: Shell) -> bool:
    """True when the open project is saved, or the person does not want it saved."""
    if shell.document.is_saved:
        return True
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
