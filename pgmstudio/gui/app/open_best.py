"""Opening the best model of a run: while it runs as a model that follows it, then its result."""

from __future__ import annotations

from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.app.opening import add_and_show_model, open_model_page
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.pages.page import BEST_SO_FAR
from pgmstudio.gui.workers.following import following_of
from pgmstudio.gui.workers.recorded_run import AnyRun, RecordedRun, model_of


def open_best(shell: Shell, run: AnyRun) -> None:
    """The model in a tab of its own, to be looked at, questioned and edited."""
    model_id = model_of(shell.project, run)
    if model_id is not None:
        open_model_page(shell, model_id)
        return
    if isinstance(run, RecordedRun) or run.best is None:
        return
    following = following_of(shell)
    follower = following.of_run(run)
    if follower is not None:
        open_model_page(shell, follower.model_id)
        return
    data_id = run.request.data_id if run.request.data_id in shell.project.data else None
    title = f"{run.request.title}, {BEST_SO_FAR}"
    entry = ModelEntry(title=title, model=run.best, data_id=data_id)
    model_id = add_and_show_model(shell, entry, f"Open the best of {run.request.title}")
    if model_id is not None and not run.state.is_end:
        following.follow(run, model_id)
