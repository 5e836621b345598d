"""How the table of a variable looks and is walked: merged heads, widths, keys."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHeaderView, QTableView

from pgmstudio.gui.panels.table_model import TableGrid
from pgmstudio.gui.style.theme import theme

# Merged heads are slow to lay out when there are very many columns.
MOST_SPANNED = 600


class TableView(QTableView):
    """Heads of parents over the columns; Return steps down, copy and paste are told."""

    copy_wished = Signal()
    paste_wished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("tableGrid")
        self.setAccessibleName("Table of the selected variable")
        self.setToolTip(
            "Type a number or a percentage; Ctrl+C and Ctrl+V exchange with spreadsheets."
        )
        self.horizontalHeader().hide()
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(theme().px("row") + 2)
        self.setEditTriggers(
            QTableView.EditTrigger.DoubleClicked
            | QTableView.EditTrigger.AnyKeyPressed
            | QTableView.EditTrigger.EditKeyPressed
        )

    def span_heads(self, grid: TableGrid) -> None:
        """Merge heads over the columns they share, and give every column its width."""
        self.clearSpans()
        columns = len(grid.combinations)
        if columns <= MOST_SPANNED:
            width = columns
            for number, parent in enumerate(grid.parents):
                width //= parent.cardinality
                if width > 1:
                    for start in range(0, columns, width):
                        self.setSpan(number, 1 + start, 1, width)
        self.resizeColumnsToContents()
        for column in range(1, min(columns, MOST_SPANNED) + 1):
            self.setColumnWidth(column, max(72, self.columnWidth(column) + 12))
        self.setColumnWidth(0, max(110, self.columnWidth(0) + 16))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wished.emit()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste_wished.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # The Return that ends an editor comes here before the number is taken over.
            QTimer.singleShot(0, self, self._step_down)
        else:
            super().keyPressEvent(event)

    def _step_down(self) -> None:
        current = self.currentIndex()
        below = current.siblingAtRow(current.row() + 1)
        if below.isValid():
            clear = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(below, clear)
