"""The base of pages that ask one model in the background."""

from __future__ import annotations

from PySide6.QtCore import QTimer

from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.page import Page


class ModelQueryPage(Page):
    """Asks again after every change of the model or its evidence, and closes with the model."""

    def __init__(self, app: AppContext, model_id: str, subject: str, rest_ms: int) -> None:
        super().__init__(f"{subject}:{model_id}")
        self._app, self._model_id, self._heading = app, model_id, subject.capitalize()
        self._live = app.workspace.beliefs(model_id)
        self._topic = f"{subject}-{id(self)}"
        self._rest = one_shot(self, self._ask, rest_ms)
        app.document.changed.connect(self._on_document_changed)
        self._live.changed.connect(self._rest.start)
        self._live.evidence_changed.connect(self._rest.start)

    def _ask(self) -> None:
        """Ask the model, under `_topic`."""

    def _refill(self) -> None:
        """Offer what the changed project has."""

    @property
    def _entry(self) -> ModelEntry | None:
        return self._app.project.models.get(self._model_id)

    @property
    def title(self) -> str:
        entry = self._entry
        return self._heading if entry is None else f"{self._heading} of {entry.title}"

    @property
    def model_id(self) -> str | None:
        return self._model_id

    def closed(self) -> None:
        self._rest.stop()
        if self._entry is not None:  # a removed model has no beliefs to disconnect from
            self._live.side.forget(self._topic)

    def _on_document_changed(self, before: object, after: object) -> None:
        if self._entry is None:
            QTimer.singleShot(0, self, self._leave)
            return
        self._refill()
        self.title_changed.emit()
        self._rest.start()

    def _leave(self) -> None:
        self._app.center.close_page(self)
