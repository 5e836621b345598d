"""Closing a project or the window: nothing is lost, nothing goes on behind it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox

from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.files.saving import ProjectSaver
from pgmstudio.gui.widgets.basic import named

WAIT_SECONDS = 3.0


def may_close(app: AppContext) -> bool:
    """Ask about unsaved changes, stop the runs; False keeps the window open.

    If saving takes longer, the window is closed after it.
    """
    if not _is_saved_or_given_up(app, app.window.close):
        return False
    app.workspace.runs.stop_all()
    app.workspace.background_runs.stop_all()
    are_over = app.workspace.runs.wait(WAIT_SECONDS)
    if not app.workspace.background_runs.wait(WAIT_SECONDS) or not are_over:
        app.notify("A run is still stopping; it will be ended on exit.")
    return True


def settled(app: AppContext, again: Callable[[], object] = lambda: None) -> bool:
    """True when another project may replace this one: runs end, unsaved changes are dropped.

    If saving takes longer, `again` is called after it.
    """
    return _may_end_runs(app) and _is_saved_or_given_up(app, again)


def _may_end_runs(app: AppContext) -> bool:
    queue = app.workspace.runs
    count = len(queue.running) + len(queue.waiting)
    if not count:
        return True
    buttons = QMessageBox.StandardButton
    box = named(QMessageBox(app.window), "runsBox")
    box.setWindowTitle("PGM Studio")
    box.setText(
        f"{counted(count, 'run')} of this project {'has' if count == 1 else 'have'} not ended. "
        "Leaving the project stops them and their results are lost."
    )
    box.setInformativeText("Learn ▸ Stop all, keep best keeps it.")
    box.setStandardButtons(buttons.Discard | buttons.Cancel)
    box.button(buttons.Discard).setText("Stop the runs and leave")
    return bool(box.exec() == buttons.Discard)


def _is_saved_or_given_up(app: AppContext, again: Callable[[], object]) -> bool:
    """True when the open project is saved, or the person does not want it saved."""
    if app.document.is_saved:
        return True
    buttons = QMessageBox.StandardButton
    box = named(QMessageBox(app.window), "unsavedBox")
    box.setWindowTitle("PGM Studio")
    box.setText("The project has changes that are not saved.")
    box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
    box.button(buttons.Discard).setText("Leave without saving")
    answer = box.exec()
    if answer == buttons.Save:
        return app.service(ProjectSaver).save(again)
    return bool(answer == buttons.Discard)
