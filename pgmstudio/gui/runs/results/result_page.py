"""Base of the pages on artifacts of a run: export to a file, and its models."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton, QSplitter, QVBoxLayout, QWidget

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.io.run_artifacts import write_artifacts
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.learning.base import RunArtifact
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.widgets.basic import button
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.page import Page


def facts_label(name: str) -> ElidedLabel:
    """Line of facts on the artifact."""
    made = ElidedLabel()
    made.setObjectName(name)
    made.setProperty("role", "secondary")
    return made


def one_above_the_other(upper: QWidget, lower: QWidget) -> QSplitter:
    """A picture and the table under it; the line between them can be moved."""
    splitter = QSplitter(Qt.Orientation.Vertical)
    splitter.setChildrenCollapsible(False)
    splitter.addWidget(upper)
    splitter.addWidget(lower)
    splitter.setStretchFactor(0, 3)
    splitter.setStretchFactor(1, 2)
    return splitter


def under_the_picture(*widgets: QWidget, top: int = 8) -> QWidget:
    """The lower of the two; its last widget takes the space that is left."""
    made = QWidget()
    layout = QVBoxLayout(made)
    layout.setContentsMargins(0, top, 0, 0)
    layout.setSpacing(4)
    for widget in widgets:
        layout.addWidget(widget)
    layout.setStretchFactor(widgets[-1], 1)
    return made


class ArtifactPage(Page):
    """Page on one artifact of a run; None as long as the run has none."""

    # Of the dialog that asks for a file: its title, the name it offers, the kinds of files.
    export_dialog: tuple[str, str, str]
    _artifact: RunArtifact | None = None

    def __init__(self, key: str, app: AppContext, source: ArtifactSource) -> None:
        super().__init__(f"{key}:{source.key}")
        self._app, self._source = app, source
        source.setParent(self)

    @property
    def short_title(self) -> str:
        """“Restarts”, without of what."""
        return self.title.partition(" of ")[0]

    @property
    def model_id(self) -> str | None:
        """The model of the run: the panels around go on to show it."""
        return self._source.model_id

    def _lay_out(self, *widgets: QWidget) -> None:
        """Stack widgets; the last takes the space that is left."""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        for widget in widgets:
            layout.addWidget(widget)
        layout.setStretchFactor(widgets[-1], 1)

    def _export_button(self, text: str, name: str, tip: str) -> QPushButton:
        return button(text, self._on_export, icon_name="export", name=name, tip=tip)

    def _on_export(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, *self.export_dialog)
        if path:
            self.export(Path(path))

    def export(self, path: Path) -> None:
        """Write what is shown as a table in a .csv, or everything as .json."""
        if self._artifact is None:
            return
        try:
            write_artifacts(
                path,
                {self._artifact.kind: self._artifact},
                quoted=self._app.preferences.quote_formulas,
            )
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.notify(f"{path.name} was written.")

    def _task(self) -> LearnTask | None:
        """The task of the run; None, and the reason reported, when its rows are gone."""
        try:
            return self._source.task()
        except PgmStudioError as error:
            self._app.errors.report(error)
            return None


class FittingPage(ArtifactPage):
    """A page whose graphs become models, their tables fitted in the background."""

    def __init__(self, key: str, app: AppContext, source: ArtifactSource) -> None:
        super().__init__(key, app, source)
        self._fitting = LatestTask(self)
        self._fitting.answered.connect(self._on_fitted)
        self._fitting.failed.connect(app.errors.report)

    def closed(self) -> None:
        self._fitting.forget()

    def _on_fitted(self, entry: ModelEntry) -> None:
        add_and_show_model(self._app, entry, f"Open {entry.title}")
