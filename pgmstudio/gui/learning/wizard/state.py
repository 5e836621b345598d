"""State of the learning wizard; it survives closing the page, not closing the project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.analysis.feature_selection import ALPHA, TargetTest, corrected
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.edits import select_columns
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.project.model_state import ByModel
from pgmstudio.gui.runs.recorded_run import model_of

COLUMNS, RULES, LEARNING, QUESTIONS, LINKS = range(5)
Edge = tuple[str, str]


@dataclass(frozen=True)
class ColumnSelection:
    """Selection of columns: a threshold on corrected p-values and manual selections."""

    alpha: float = ALPHA
    correction: str = "none"
    by_hand: Mapping[str, bool] = field(default_factory=dict)

    def selected(self, tests: tuple[TargetTest, ...]) -> frozenset[str]:
        """The selected columns besides the target; all of them before there are any tests."""
        p_values = corrected([test.p_value for test in tests], self.correction)
        return frozenset(
            test.column
            for test, p in zip(tests, p_values, strict=True)
            if self.by_hand.get(test.column, p < self.alpha or self.alpha >= 1)
        )


class WizardState(QObject):
    """Wizard state of the window; `changed` is sent after every change."""

    changed = Signal()

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self.step = COLUMNS
        self.data_id: str | None = None
        self.target: str | None = None
        self.tests: tuple[TargetTest, ...] = ()
        self.tested: tuple[DataSet, str] | None = None  # data and target of the tests
        self.picking = ColumnSelection()
        self.model_id: str | None = None
        self.run: LearningRun | None = None
        self.decided: ByModel[tuple[Edge, ...]] = ByModel(app.document)  # directions
        self._history: list[tuple[str, ColumnSelection]] = []
        self._undone: list[tuple[str, ColumnSelection]] = []
        self._settle(app.project)
        app.document.replaced.connect(self._on_replaced)
        app.document.changed.connect(self._on_document_changed)
        app.workspace.runs.run_ended.connect(self._on_run_ended)

    # -- data and columns

    @property
    def data(self) -> DataSet | None:
        entry = self._app.project.data.get(self.data_id or "")
        return None if entry is None else entry.data

    def choose_data(self, data_id: str) -> None:
        if data_id != self.data_id and data_id in self._app.project.data:
            self.data_id = data_id
            self._forget_tests()
            target = self._app.workspace.target
            data = self.data
            self.target = target if data is not None and target in data.domain else None
            self.changed.emit()

    def choose_target(self, target: str | None) -> None:
        """Set the target of the tests, which is also the window's target."""
        if target != self.target:
            self.target = target
            self._forget_tests()
            self._app.workspace.set_target(target)
            self.changed.emit()

    def _forget_tests(self) -> None:
        self.tests, self.tested = (), None
        self.picking = replace(self.picking, by_hand={})
        self._history, self._undone = [], []

    def take_tests(self, data: DataSet, target: str, tests: tuple[TargetTest, ...]) -> None:
        self.tests, self.tested = tests, (data, target)
        self.changed.emit()

    @property
    def names(self) -> list[str]:
        """The selected columns in the order of the data set."""
        data = self.data
        if data is None:
            return []
        if not self.tests:
            return list(data.domain.names)
        selected = {*self.picking.selected(self.tests), self.target}
        return [name for name in data.domain.names if name in selected]

    def pick(self, text: str, picking: ColumnSelection) -> None:
        """Change the selection of columns; can be undone."""
        if picking != self.picking:
            self._history.append((text, self.picking))
            self._undone.clear()
            self.picking = picking
            self.changed.emit()

    @property
    def can_undo(self) -> bool:
        return bool(self._history)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def undo(self) -> None:
        """Undo the last selection of columns."""
        self._swap(self._history, self._undone)

    def redo(self) -> None:
        self._swap(self._undone, self._history)

    def _swap(
        self, source: list[tuple[str, ColumnSelection]], into: list[tuple[str, ColumnSelection]]
    ) -> None:
        if source:
            text, picking = source.pop()
            into.append((text, self.picking))
            self.picking = picking
            self.changed.emit()

    def rules(self) -> Knowledge:
        """The background knowledge about the selected columns."""
        return self._app.project.knowledge.among(self.names)

    def rows(self) -> DataSet | None:
        """All rows of the selected columns."""
        data, names = self.data, self.names
        if data is None or len(names) == len(data.domain):
            return data
        return data.select_columns(names)

    def learning_data(self) -> str | None:
        """Id of the data set to learn from; one of the selected columns is added if needed."""
        project, rows = self._app.project, self.rows()
        if rows is None or rows is self.data:
            return self.data_id
        for key, entry in project.data.items():
            if entry.data.fingerprint == rows.fingerprint:
                return key
        key = project.next_data_id()
        text = f"Select {counted(len(self.names), 'column')}"
        select = partial(select_columns, data_id=self.data_id or "", names=tuple(self.names))
        return key if self._app.change(text, select) else None

    # -- the model

    def choose_model(self, model_id: str | None) -> None:
        if model_id != self.model_id:
            self.model_id = model_id
            self.changed.emit()

    def models(self) -> dict[str, str]:
        """Titles of the models with directed edges, by id."""
        entries = self._app.project.models
        return {k: e.title for k, e in entries.items() if isinstance(e.model, DirectedModel)}

    def follow(self, run: LearningRun) -> None:
        """Set the run of the wizard; its model becomes the wizard's model."""
        self.run = run
        self.changed.emit()

    def _on_run_ended(self, run: LearningRun) -> None:
        if run is self.run:
            made = model_of(self._app.project, run)
            if made in self.models():
                self.model_id = made
            self.changed.emit()

    # -- following the project

    def _settle(self, project: Project) -> None:
        """Replace a deleted data set or model by an existing one."""
        if self.data_id not in project.data:
            self.data_id, self.target = next(iter(project.data), None), None
            self._forget_tests()
            data, target = self.data, self._app.workspace.target
            if data is not None and target is not None and target in data.domain:
                self.target = target
        data = self.data
        if self.target is not None and (data is None or self.target not in data.domain):
            self.target = None
            self._forget_tests()
        if self.model_id not in self.models():
            in_view = self._app.workspace.model_id
            known = list(self.models())
            self.model_id = in_view if in_view in known else known[-1] if known else None

    def _on_replaced(self) -> None:
        self.step, self.run, self.picking = COLUMNS, None, ColumnSelection()
        self.data_id = self.model_id = None

    def _on_document_changed(self, before: Project, after: Project) -> None:
        if before is not after:
            self._settle(after)
            self.changed.emit()


def plan_of(app: AppContext) -> WizardState:
    """The `WizardState` of a window, made on first use."""
    return app.service(WizardState)
