"""Actions of the Data menu: import, export, missing cells, states, split, sampling."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.edits import edit_data
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import NO_MODEL, Conditions
from pgmstudio.gui.evidence.last_model import last_model
from pgmstudio.gui.evidence.row_evidence import no_row_evidence_reason
from pgmstudio.gui.navigation import open_data_page, open_files, open_import_page
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.file_dialog import ask_where, choose_files

_PASTED = "Pasted table"


if TYPE_CHECKING:
    from pgmstudio.gui.data.page import DataPage


def current_data_page(app: AppContext) -> DataPage | None:
    """The current page, if it shows a data set; its class is loaded with the first such page."""
    page = app.center.current
    if page is None or not page.key.startswith("data:"):
        return None
    from pgmstudio.gui.data.page import DataPage

    return page if isinstance(page, DataPage) else None


class DataCommands(QObject):
    """Commands of the Data menu; pages are imported when they are opened."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        last_model(app)  # listens from the start
        self._has_text: bool | None = None
        QApplication.clipboard().dataChanged.connect(self._on_clipboard)

    # -- the current data set

    @property
    def data_id(self) -> str | None:
        """The data set of the current page, else of the active model, else the first one."""
        app = self._app
        page = current_data_page(self._app)
        if page is not None:
            return page.data_id
        entry = app.project.models.get(app.workspace.model_id or "")
        if entry is not None and entry.data_id in app.project.data:
            return entry.data_id
        return next(iter(app.project.data), None)

    def show_tab(self, key: str) -> None:
        from pgmstudio.gui.data.page import DataPage

        data_id = self.data_id
        if data_id is None:
            return
        open_data_page(self._app, data_id)
        page = self._app.center.page(f"data:{data_id}")
        if isinstance(page, DataPage):
            page.show_tab(key)

    def tab(self, key: str) -> Callable[[], None]:
        return lambda: self.show_tab(key)

    # -- import and export

    def import_files(self) -> None:
        from pgmstudio.core.io.data.reader import FORMATS

        endings = " ".join(f"*{ending}" for kind in FORMATS for ending in kind.endings)
        filters = f"Data ({endings});;All files (*)"
        open_files(self._app, choose_files(self._app.window, "data", "Import data", filters))

    def no_text_to_paste(self) -> str | None:
        # The clipboard belongs to another program, which may answer slowly: ask once per copy.
        if self._has_text is None:
            self._has_text = bool(QApplication.clipboard().text().strip())
        return None if self._has_text else "the clipboard contains no text. Copy a table first."

    def _on_clipboard(self) -> None:
        self._has_text = None

    def paste(self) -> None:
        """Open the import page with the table on the clipboard."""
        text = QApplication.clipboard().text()
        if not text.strip():
            return
        folder = tempfile.TemporaryDirectory(prefix="pgmstudio-")
        path = Path(folder.name) / "pasted.txt"
        path.write_text(text, encoding="utf-8")
        open_import_page(self._app, path, name=_PASTED, on_closed=folder.cleanup)

    def export(self) -> None:
        from pgmstudio.core.io.data.reader import FORMATS

        data_id = self.data_id
        if data_id is None:
            return
        entry = self._app.project.data[data_id]
        filters = ";;".join(
            f"{kind.title} ({' '.join('*' + ending for ending in kind.endings)})"
            for kind in FORMATS
            if kind.write is not None
        )
        name = f"{entry.name}.csv"
        ask_where(self._app.window, "Export data", name, filters, self.export_to, kind="data")

    def export_to(self, path: Path) -> bool:
        """Write the current data set in the format of the file's extension."""
        from pgmstudio.core.io.data.reader import write_data

        try:
            data = self._app.project.data[self.data_id or ""].data
            write_data(path, data, quoted=self._app.preferences.quote_formulas)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return False
        self._app.notify(f"Wrote {path.name}.")
        return True

    # -- discretise again

    def _source(self) -> Path | None:
        entry = self._app.project.data.get(self.data_id or "")
        path = None if entry is None else entry.provenance.get("path")
        return Path(str(path)) if path else None

    def cannot_discretise(self) -> str | None:
        source = self._source()
        if source is None:
            return "the data set was not imported from a file; its original numbers are unknown."
        if not source.is_file():
            return f"{source.name} was moved or deleted. Import it again."
        return None

    def change_discretisation(self) -> None:
        """Open the import page of the same file with the same settings, at the bin edges."""
        source, data_id = self._source(), self.data_id
        if source is not None and data_id is not None:
            open_import_page(self._app, source, replaces=data_id)

    # -- imprecise values

    def is_imprecise(self) -> bool:
        entry = self._app.project.data.get(self.data_id or "")
        return entry is not None and isinstance(entry.data, ImpreciseData)

    def toggle_imprecise(self) -> None:
        """Let cells have sets of states, or take the sets away, as one undoable change."""
        data_id = self.data_id
        if data_id is None:
            return
        entry = self._app.project.data[data_id]
        before = entry.data
        sets = len(before.sets) if isinstance(before, ImpreciseData) else 0
        edit = "as_precise" if self.is_imprecise() else "as_imprecise"
        text = f"{'Precise' if self.is_imprecise() else 'Imprecise'} values of {entry.name}"
        if not self._app.change(text, partial(edit_data, data_id=data_id, edit=edit)):
            return
        open_data_page(self._app, data_id)
        if self.is_imprecise():
            message = "A cell can now have a set of states: double-click it and tick them."
        elif sets:
            message = f"{counted(sets, 'cell')} with a set of states became missing."
        else:
            message = "Every cell has one state or is missing; no set of states was lost."
        self._app.notify(message, undo=True)

    # -- rows and models

    def cannot_use_row(self) -> str | None:
        page = current_data_page(self._app)
        if page is None or page.table is None or not page.table.selected_rows():
            return "select a row of a data set first."
        return no_row_evidence_reason(self._app)

    def use_row(self) -> None:
        page = current_data_page(self._app)
        if page is not None and page.table is not None:
            page.table.use_selected_row()

    def cannot_sample(self) -> str | None:
        entry = last_model(self._app).entry
        if entry is None:
            return NO_MODEL
        if not isinstance(entry.model, ProbabilisticModel):
            return f"{a_kind(entry.model.kind)} does not define probabilities."
        return None

    def sample(self) -> None:
        from pgmstudio.gui.data.sample_page import SamplePage

        app, model_id = self._app, last_model(self._app).id
        if model_id is not None:
            app.open_page(f"sample:{model_id}", lambda: SamplePage(app, model_id))


def data_actions(app: AppContext) -> list[ActionSpec]:
    on, commands = Conditions(app), DataCommands(app)
    return [
        ActionSpec(
            "data.import",
            "Import…",
            "Data",
            "Import a table from a text file, workbook or database.",
            commands.import_files,
            keys=("Ctrl+I",),
            icon="download-simple",
        ),
        ActionSpec(
            "data.paste",
            "Paste table",
            "Data",
            "Import the table on the clipboard.",
            commands.paste,
            icon="clipboard-text",
            needs=[commands.no_text_to_paste],
        ),
        ActionSpec(
            "data.export",
            "Export data…",
            "Data",
            "Write the data set as CSV, TSV, Parquet, ARFF or Netica cases.",
            commands.export,
            icon="export",
            needs=[on.data],
        ),
        ActionSpec(
            "data.missing",
            "Missing cells",
            "Data",
            "Show which cells are missing together, and fill them.",
            commands.tab("missing"),
            needs=[on.data],
            separator_before=True,
        ),
        ActionSpec(
            "data.discretise",
            "Change discretisation…",
            "Data",
            "Choose other bin edges for the numeric columns of the imported file.",
            commands.change_discretisation,
            needs=[on.data, commands.cannot_discretise],
        ),
        ActionSpec(
            "data.states",
            "States…",
            "Data",
            "Rename, merge, reorder and declare the states of a column.",
            commands.tab("columns"),
            icon="tag",
            needs=[on.data],
        ),
        ActionSpec(
            "data.imprecise",
            "Imprecise values",
            "Data",
            "Allow sets of states in cells: one of several states, or * for any.",
            commands.toggle_imprecise,
            needs=[on.data],
            is_checked=commands.is_imprecise,
        ),
        ActionSpec(
            "data.split",
            "Split…",
            "Data",
            "Split the rows into training, validation and test rows.",
            commands.tab("split"),
            icon="scissors",
            needs=[on.data],
        ),
        ActionSpec(
            "data.summary",
            "Summary",
            "Data",
            "Show the distribution, entropy and missing rate of every column.",
            commands.tab("columns"),
            needs=[on.data],
            separator_before=True,
        ),
        ActionSpec(
            "data.associations",
            "Associations",
            "Data",
            "Show the mutual information or another measure of every pair of columns.",
            commands.tab("associations"),
            needs=[on.data],
        ),
        ActionSpec(
            "data.possibility",
            "Possibility",
            "Data",
            "Show the degrees of possibility that the rows give to tuples, and their α-cuts.",
            commands.tab("possibility"),
            needs=[on.data],
        ),
        ActionSpec(
            "data.row-evidence",
            "Use row as evidence",
            "Data",
            "Set the selected row as evidence in the active model.",
            commands.use_row,
            icon="flag",
            needs=[commands.cannot_use_row],
            separator_before=True,
        ),
        ActionSpec(
            "data.sample",
            "Sample from model…",
            "Data",
            "Draw rows from the active model, optionally given its evidence.",
            commands.sample,
            icon="dice-five",
            needs=[commands.cannot_sample],
        ),
    ]
