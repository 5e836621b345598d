"""The last active model, which a data page acts on while it is the current page."""

from __future__ import annotations

from PySide6.QtCore import QObject

from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext


class LastModel(QObject):
    """Follows the workspace; `id` is None when the model was removed or none was shown yet."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._id = app.workspace.model_id
        app.workspace.active_model_changed.connect(self._on_active_model_changed)
        app.document.replaced.connect(self._on_replaced)

    @property
    def id(self) -> str | None:
        project = self._app.project
        if self._app.workspace.model_id is not None:
            return self._app.workspace.model_id
        if self._id is not None and self._id in project.models:
            return self._id
        shown = [page.model_id for page in self._app.center.pages]
        return next((m for m in reversed(shown) if m is not None and m in project.models), None)

    @property
    def entry(self) -> ModelEntry | None:
        return self._app.project.models.get(self.id or "")

    def _on_replaced(self) -> None:
        self._id = None

    def _on_active_model_changed(self, model_id: str | None) -> None:
        if model_id is not None:
            self._id = model_id


def last_model(app: AppContext) -> LastModel:
    """The `LastModel` of a window, made on first use."""
    return app.service(LastModel)
