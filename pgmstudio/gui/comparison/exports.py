"""Exports of a comparison: open or add its models, copy or write its table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from pgmstudio import __version__
from pgmstudio.core.errors import FileError, PgmStudioError
from pgmstudio.core.experiments.language_comparison.results import (
    LanguageTable,
    table_csv,
    table_json,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.json_documents import exported_json
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.edits import add_comparison, add_model
from pgmstudio.core.project.project import ComparisonEntry, ModelEntry, Project, plain
from pgmstudio.gui.comparison.comparison_run import ComparisonRun
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.navigation import add_and_show_model, open_model_page


class ComparisonExports(QObject):
    """Exports of the comparison shown last."""

    def __init__(self, app: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._app, self._parent = app, parent
        self._run: ComparisonRun | None = None
        self._data_id: str | None = None
        self._data_name = ""
        self._opened: dict[str, str] = {}  # model ids by the key of their point

    def show(self, run: ComparisonRun, data_id: str | None, data_name: str) -> None:
        self._run, self._data_id, self._data_name = run, data_id, data_name

    @property
    def table(self) -> LanguageTable | None:
        snapshot = None if self._run is None else self._run.snapshot
        return None if snapshot is None else snapshot.table

    @property
    def _known_data(self) -> str | None:
        return self._data_id if self._data_id in self._app.project.data else None

    # -- models

    def open_language(self, title: str) -> None:
        """Open the model of a language as a model of the project."""
        if self.table is not None:
            self.open_point(self.table.row(title).point)

    def open_point(self, point: CurvePoint | None) -> None:
        """Open the model of a point, or show it if it is open."""
        if point is None or point.model is None:
            return
        known = self._opened.get(point.key)
        if known is not None and known in self._app.project.models:
            open_model_page(self._app, known)
            return
        entry = self._entry(point)
        model_id = add_and_show_model(self._app, entry, f"Open {entry.title}")
        if model_id is not None:
            self._opened[point.key] = model_id

    def _entry(self, point: CurvePoint) -> ModelEntry:
        assert point.model is not None
        rows = None if self._run is None else self._run.rows
        provenance: dict[str, Any] = {
            "made by": "Compare languages",
            "learner": point.learner,
            "parameters": plain(dict(point.parameters)),
            "seed": point.seed,
            "data": "" if rows is None else rows.fingerprint,
            "version": __version__,
            "seconds": round(point.seconds, 3),
        }
        return ModelEntry(
            point.series, point.model, data_id=self._known_data, provenance=provenance
        )

    def keep(self) -> None:
        """Add all models of the table and the comparison to the project in one step."""
        if self.table is None:
            return
        points = [row.point for row in self.table.ranked if row.point is not None]
        entries = {p.key: self._entry(p) for p in points if p.model is not None}
        models = self._app.project.models
        there = {k: self._opened[k] for k in entries if self._opened.get(k) in models}
        data_id = self._known_data
        model_ids: dict[str, str] = {}

        def edit(project: Project) -> Project:
            model_ids.update(there)
            for key, entry in entries.items():
                if key not in there:
                    model_ids[key] = project.next_model_id()
                    project = add_model(project, entry=entry)
            members = tuple(model_ids[key] for key in entries)
            return add_comparison(project, entry=ComparisonEntry("Languages", members, data_id))

        if self._app.change("Add the models of all languages", edit):
            self._opened.update(model_ids)
            self._app.notify(f"{counted(len(entries), 'model')} added to the project.", undo=True)

    # -- tables

    def copy(self) -> None:
        """Copy the table as text."""
        if self.table is not None:
            QApplication.clipboard().setText(table_csv(self.table))

    def ask_for_file(self) -> None:
        kinds = "Table (*.csv);;All results (*.json)"
        title, offered = "Export comparison", "languages.csv"
        path, _ = QFileDialog.getSaveFileName(self._parent, title, offered, kinds)
        if path:
            self.export(Path(path))

    def export(self, path: Path) -> None:
        """Write the table as CSV, or with all pairs and the settings as JSON."""
        table, run = self.table, self._run
        if table is None or run is None or run.rows is None:
            return
        if path.suffix.lower() not in (".csv", ".json"):
            text = f"“{path.suffix}” is not a supported format. Use .csv or .json."
            self._app.errors.report(FileError(path, f"{text} For a page use File ▸ Report."))
            return
        if path.suffix.lower() == ".json":
            about = {
                "data": self._data_name,
                "fingerprint": run.rows.fingerprint,
                "seeds": list(run.settings.all_seeds),
                "smoothing": run.settings.smoothing,
                "budget": run.settings.budget.seconds,
                "budget_per": run.settings.budget.per,
            }
            text = exported_json(table_json(table, about))
        else:
            text = table_csv(table)
        try:
            replace_file(path, text.encode())
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.notify(f"{path.name} was written.")
