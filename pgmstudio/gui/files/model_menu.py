"""Entries of the context menus of a model: in the project tree and on its tab."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QMenu

from pgmstudio.core.project import edits
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.navigation import open_model_page


def add_model_entries(menu: QMenu, app: AppContext, model_id: str) -> None:
    """Duplicate, compare and export a model."""
    menu.addAction("Duplicate", partial(duplicate_model, app, model_id))
    compare = menu.addAction("Compare with…", partial(_act, app, model_id, "model.difference"))
    compare.setEnabled(len(app.project.models) > 1)
    compare.setToolTip(
        "Draw the differences to another model."
        if compare.isEnabled()
        else "Not now: the project has no other model."
    )
    menu.addAction("Export…", partial(_act, app, model_id, "file.save-model"))


def duplicate_model(app: AppContext, model_id: str) -> None:
    """A copy of the model in the project."""
    title = app.project.models[model_id].title
    copy = partial(edits.duplicate_model, model_id=model_id, title=f"{title} copy")
    if app.change(f"Duplicate {title}", copy):
        app.notify(f"{title} was duplicated.", undo=True)


def _act(app: AppContext, model_id: str, action: str) -> None:
    """Run an action on a model, which it needs in front."""
    open_model_page(app, model_id)
    app.actions.refresh()
    app.actions[action].trigger()
