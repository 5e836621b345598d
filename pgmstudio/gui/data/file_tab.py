"""A table that stays in its file: what is known of its rows, and who can learn from them."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.io.data.large_table import LargeTable
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.large_counts import in_units
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.widgets.basic import Note, button, label, row
from pgmstudio.gui.widgets.table import Column, Table

STAYS = (
    "The rows stay in the file and are read in chunks when a learner counts them, here or on a "
    "Dask cluster. Pages that need the rows themselves are not available: import a part of the "
    "rows for them. The project does not contain this table; open the file again next time."
)


class FileTab(QWidget):
    """The file, its size, its columns with their states and missing cells, and its learners."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__()
        self.setObjectName("fileTab")
        self._app, self._data_id = app, data_id
        self.summary = label("", wrap=True, name="fileSummary")
        self.learners = label("", "secondary", wrap=True, name="fileLearners")
        self.columns = Table(
            "fileColumns",
            "Columns of the file",
            (
                Column("Column", stretches=True),
                Column("States", grouped, is_number=True),
                Column("Missing cells", grouped, is_number=True),
            ),
            key=lambda line: line[0],
        )
        learn = button(
            "Learn…",
            lambda: open_learn_page(app),
            role="primary",
            tip="Choose a learner for this table.",
            name="fileLearn",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        layout.addWidget(self.summary)
        layout.addWidget(Note(STAYS, "info", "fileStays"))
        layout.addWidget(self.learners)
        layout.addWidget(row(learn, None))
        layout.addWidget(self.columns, 1)

    def show_data(self, data: DataSet) -> None:
        """Show what is known of the rows."""
        assert isinstance(data, LargeTable)
        self.summary.setText(
            f"{counted(data.row_count, 'row')} of {counted(len(data.domain), 'column')} in "
            f"{data.source.path} ({in_units(data.source.size)}). A pass reads "
            f"{in_units(data.pass_bytes)} in {grouped(len(data.source.pieces))} chunks."
        )
        able = [one.title for one in all_learners().values() if one.refuses(data) is None]
        self.learners.setText(f"Learners that can use it: {', '.join(able)}.")
        states = zip(data.domain, data.missing_counts, strict=True)
        self.columns.show_rows(
            [(variable.name, variable.cardinality, missing) for variable, missing in states]
        )
