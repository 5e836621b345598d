"""Projects with a part that no file can hold, and the note that says so."""

from __future__ import annotations

from functools import partial

from pgmstudio.core.project.edits import add_run
from pgmstudio.core.project.project import Outcome, Run
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow


def add_a_run_that_cannot_be_saved(app: AppContext) -> None:
    run = Run("x", {}, 1, "", "", Outcome.FINISHED, title="odd", artifacts={"odd": object()})
    assert app.change("Learn odd", partial(add_run, run=run, model=None))


def loss_note(window: MainWindow) -> Note:
    note = window.app.center.findChild(Note, "lossNote")
    assert isinstance(note, Note)
    assert note.isVisible()
    return note
