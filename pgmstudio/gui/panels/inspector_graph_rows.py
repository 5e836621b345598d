"""The rows behind a node of a decision graph, as a table."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QAbstractItemView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.gui.panels.graph_node_facts import MOST_ROWS
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import label

# More columns are looked at on the page of the data.
MOST_COLUMNS = 40


class GraphRowsTab(QWidget):
    """The first rows that come to the node."""

    def __init__(self) -> None:
        super().__init__()
        self.words = label("", "tertiary", size="dense", wrap=True)
        self.words.setObjectName("graphNodeRowsWords")
        self.table = QTableWidget()
        self.table.setObjectName("graphNodeRows")
        self.table.setAccessibleName("Rows that come to this node")
        self.table.setToolTip("Rows that come to this node")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._shown: tuple[object, ...] = ()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 10, 16, 8)
        layout.setSpacing(6)
        layout.addWidget(self.words)
        layout.addWidget(self.table, 1)

    def show_rows(self, data: DataSet | None, rows: tuple[int, ...], variable: str) -> None:
        """These rows, the variable of the node first."""
        key = (None if data is None else data.fingerprint, rows, variable)
        if key == self._shown:
            return
        self._shown = key
        self.table.clear()
        if data is None or not rows:
            self.table.setRowCount(0)
            self.table.setColumnCount(0)
            self.words.setText(
                "No rows of the project belong to this model."
                if data is None
                else "No row comes to this node."
            )
            return
        names = [variable, *(name for name in data.domain.names if name != variable)]
        names = names[:MOST_COLUMNS]
        most = f"The first {MOST_ROWS} rows" if len(rows) == MOST_ROWS else f"{len(rows)} rows"
        self.words.setText(f"{most} that come here, complete rows only.")
        self.table.setFont(theme().font("dense"))
        self.table.setRowCount(len(rows))
        self.table.setColumnCount(len(names))
        self.table.setHorizontalHeaderLabels(names)
        self.table.setVerticalHeaderLabels([str(r + 1) for r in rows])
        for column, name in enumerate(names):
            place, states = data.domain.index(name), data.domain[name].states
            for line, r in enumerate(rows):
                item = QTableWidgetItem(states[int(data.codes[place, r])])
                self.table.setItem(line, column, item)
        self.table.resizeColumnsToContents()
