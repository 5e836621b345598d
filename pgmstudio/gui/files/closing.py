"""Closing a project or the window: nothing is lost, nothing goes on behind it."""

from __future__ import annotations

from functools import partial

from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.files.saving import ProjectSaver
from pgmstudio.gui.widgets.question_box import Answer, Then, ask, nothing

WAIT_SECONDS = 3.0


def end_runs(app: AppContext) -> None:
    """Stop the runs of a window that closes."""
    app.workspace.runs.stop_all()
    app.workspace.background_runs.stop_all()
    are_over = app.workspace.runs.wait(WAIT_SECONDS)
    if not app.workspace.background_runs.wait(WAIT_SECONDS) or not are_over:
        app.notify("A run is still stopping; it will be ended on exit.")


def when_settled(app: AppContext, then: Then, otherwise: Then = nothing) -> None:
    """Call `then` once another project may replace this one: its runs end, unsaved changes are
    saved or dropped. Call `otherwise` when the person wants to stay, or saving failed."""
    settle = partial(when_saved_or_given_up, app, then, otherwise)
    queue = app.workspace.runs
    count = len(queue.running) + len(queue.waiting)
    if not count:
        settle()
        return
    ask(
        app.window,
        "runsBox",
        f"{counted(count, 'run')} of this project {'has' if count == 1 else 'have'} not ended. "
        "Leaving the project stops them and their results are lost.",
        {Answer.Discard: ("Stop the runs and leave", settle)},
        otherwise,
        more="Learn ▸ Stop all, keep best keeps it.",
    )


def when_saved_or_given_up(app: AppContext, then: Then, otherwise: Then = nothing) -> None:
    """Call `then` once the open project is saved, or the person does not want it saved."""
    if app.document.is_saved:
        then()
        return
    # Asked again after saving, as the project may have changed meanwhile.
    again = partial(when_saved_or_given_up, app, then, otherwise)
    ask(
        app.window,
        "unsavedBox",
        "The project has changes that are not saved.",
        {
            Answer.Save: ("", lambda: app.service(ProjectSaver).save(again, otherwise)),
            Answer.Discard: ("Leave without saving", then),
        },
        otherwise,
    )
