"""The workspace of a window: the active model, its selection and target, beliefs and runs."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.project.project import Project
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.context import Edge, Selection
from pgmstudio.gui.jobs.background_run import BackgroundRuns
from pgmstudio.gui.jobs.run_queue import RunQueue
from pgmstudio.gui.project.document import Document


class WindowWorkspace(QObject):
    """One per window. Panels connect to its signals and do not know each other."""

    active_model_changed = Signal(object)  # model id or None
    selection_changed = Signal(object)  # Selection
    beliefs_changed = Signal(str)  # model id whose beliefs or evidence are new
    target_changed = Signal(object)  # variable or None
    message = Signal(str, str)  # level ("info", "warning", "error"), text: for the log

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self.runs = RunQueue(document, self)
        self.background_runs = BackgroundRuns(self)
        self._model_id: str | None = None
        self._selection = Selection()
        self._target: str | None = None
        self._beliefs: dict[str, BeliefService] = {}
        document.replaced.connect(self._on_replaced)
        document.changed.connect(self._on_document_changed)

    @property
    def project(self) -> Project:
        return self.document.project

    @property
    def model_id(self) -> str | None:
        """The model of the current tab; None when another page is shown."""
        return self._model_id

    @property
    def selection(self) -> Selection:
        return self._selection

    @property
    def target(self) -> str | None:
        return self._target

    def activate_model(self, model_id: str | None) -> None:
        if model_id != self._model_id:
            self._model_id = model_id
            self._selection = Selection()
            self.active_model_changed.emit(model_id)
            self.selection_changed.emit(self._selection)

    def select(self, nodes: Iterable[str] = (), edges: Iterable[Edge] = ()) -> None:
        selection = Selection(tuple(nodes), tuple(edges))
        if selection != self._selection:
            self._selection = selection
            self.selection_changed.emit(selection)

    def set_target(self, variable: str | None) -> None:
        if variable != self._target:
            self._target = variable
            self.target_changed.emit(variable)

    def beliefs(self, model_id: str) -> BeliefService:
        """The beliefs of a model of the project, made on first use."""
        if model_id not in self._beliefs:
            live = BeliefService(self.project.models[model_id].model, self)
            self._beliefs[model_id] = live
            live.changed.connect(lambda: self.beliefs_changed.emit(model_id))
            live.evidence_changed.connect(lambda: self.beliefs_changed.emit(model_id))
        return self._beliefs[model_id]

    @property
    def active_beliefs(self) -> BeliefService | None:
        return None if self._model_id is None else self.beliefs(self._model_id)

    def _on_replaced(self) -> None:
        """Drop what belongs to the models of the previous project."""
        self.activate_model(None)
        self.set_target(None)
        for live in self._beliefs.values():
            live.deleteLater()
        self._beliefs.clear()

    def _on_document_changed(self, before: Project, after: Project) -> None:
        for model_id in list(self._beliefs):
            if model_id not in after.models:
                self._beliefs.pop(model_id).deleteLater()
            elif after.models[model_id].model is not self._beliefs[model_id].model:
                self._beliefs[model_id].set_model(after.models[model_id].model)
        if self._model_id is not None and self._model_id not in after.models:
            self.activate_model(None)
            return
        if self._model_id is not None:
            names = after.models[self._model_id].model.domain
            nodes = [n for n in self._selection.nodes if n in names]
            edges = [e for e in self._selection.edges if e[0] in names and e[1] in names]
            self.select(nodes, edges)
