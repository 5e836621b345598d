"""Card of a plot with its title, also available as a table or a CSV file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from pgmstudio.core.analysis.tables import Cell, table_text
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.io.data.spreadsheets import write_csv
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.widgets.basic import label, named, row, tool_button, vbox, widening
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.table import Table

Cells = Sequence[Sequence[Cell]]
TableMaker = Callable[[], Cells]


class PictureCard(QWidget):
    """Card of a plot; `table` returns header and rows, complete or thinned, or None without
    results."""

    def __init__(
        self,
        app: AppContext,
        name: str,
        title: str,
        picture: QWidget,
        table: Callable[[bool], TableMaker | None],
        *extra: QWidget,
    ) -> None:
        super().__init__()
        self.setObjectName(name)
        self._app, self._name, self._title, self._table = app, name, title, table
        self.fact = named(ElidedLabel("", "secondary"), f"{name}Fact")
        self.as_table = tool_button(
            "table",
            f"{title}: show as table",
            self._on_as_table,
            checkable=True,
            name=f"{name}AsTable",
        )
        self.exporter = tool_button(
            "export", f"{title}: export as CSV…", self._on_export, name=f"{name}Export"
        )
        self.picture = picture
        self.list = Table(f"{name}Table", f"{title} as a table")
        self._stack = QStackedWidget()
        self._stack.addWidget(picture)
        self._stack.addWidget(self.list)
        heading = label(title, "heading", size="dense")
        head = row(heading, self.fact, *extra, self.as_table, self.exporter)
        vbox(self, widening(head, 1), (self._stack, 1), spacing=4)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def refresh(self) -> None:
        """Update after a change; the table is computed only while it is shown."""
        if self.as_table.isChecked():
            self._show_table()

    def _on_as_table(self) -> None:
        if self.as_table.isChecked():
            self._show_table()
        else:
            self._stack.setCurrentWidget(self.picture)

    def _show_table(self) -> None:
        make = self._table(False)
        if make is None:
            return
        self.list.show_cells(make())
        self._stack.setCurrentWidget(self.list)

    def _on_export(self) -> None:
        offered = f"{self._title.lower().replace(' ', '-')}.csv"
        ask_where(self, f"Export {self._title}", offered, "Table (*.csv)", self.export)

    def export(self, path: Path) -> None:
        """Write the table with all digits."""
        make = self._table(True)
        if make is not None:
            table_writer(self._app).write(path, make)


class TableWriter(QObject):
    """Writes tables in the background, since a million rows take a moment."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._latest_task = LatestTask(self, self._on_written, app.errors.report)
        self._app = app

    @property
    def is_busy(self) -> bool:
        return self._latest_task.is_waiting

    def write(self, path: Path, make: TableMaker) -> None:
        """Write a table to a file and report the outcome."""
        quoted = self._app.preferences.quote_formulas
        self._latest_task.ask(partial(_written, path, make, quoted))

    def _on_written(self, path: Path) -> None:
        self._app.notify(f"{path.name} was written.")


def _written(path: Path, make: TableMaker, quoted: bool, _cancel: CancelToken) -> Path:
    write_csv(path, table_text(make()), quoted=quoted)
    return path


def table_writer(app: AppContext) -> TableWriter:
    """The `TableWriter` of a window, made on first use."""
    return app.service(TableWriter)
