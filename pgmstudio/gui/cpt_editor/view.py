"""How the table of a variable looks and is walked: merged heads, widths, keys."""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from pgmstudio.gui.cpt_editor.model import TableGrid
from pgmstudio.gui.theme.theme import theme

# Merged heads are slow to lay out when there are very many columns.
MAX_SPANNED = 600
# The largest width of columns of numbers, in pixels.
MIN_WIDTH, MAX_WIDTH = 72, 144
_SIGN_GAP = 6

Index = QModelIndex | QPersistentModelIndex


class _MarkedCells(QStyledItemDelegate):
    """Draws an icon directly before its number, both centred in the cell."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.data(Qt.ItemDataRole.DecorationRole) is not None:
            option = QStyleOptionViewItem(option)
            used = option.fontMetrics.horizontalAdvance(str(index.data()))
            spare = option.rect.width() - used - option.decorationSize.width() - 3 * _SIGN_GAP
            option.rect = option.rect.adjusted(max(0, spare // 2), 0, -max(0, spare // 2), 0)
        super().paint(painter, option, index)


class TableView(QTableView):
    """A table with headers of parents above the columns; Return moves down."""

    copy_requested = Signal()
    paste_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._needed: list[int] = []  # the width of every column of numbers
        self.setObjectName("tableGrid")
        self.setAccessibleName("Table of the selected variable")
        self.setToolTip(
            "Type a number or a percentage; Ctrl+C and Ctrl+V exchange with spreadsheets."
        )
        self.setItemDelegate(_MarkedCells(self))
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
        """Merge headers over their columns, and set the width of every column."""
        self.clearSpans()
        columns = len(grid.combinations)
        if columns <= MAX_SPANNED:
            width = columns
            for number, parent in enumerate(grid.parents):
                width //= parent.cardinality
                if width > 1:
                    for start in range(0, columns, width):
                        self.setSpan(number, 1 + start, 1, width)
        self.resizeColumnsToContents()
        self.setColumnWidth(0, max(110, self.columnWidth(0) + 16))
        self._needed = [
            max(MIN_WIDTH, self.columnWidth(column) + 12)
            for column in range(1, min(columns, MAX_SPANNED) + 1)
        ]
        self._spread()

    def _spread(self) -> None:
        """Distribute the width among the columns of numbers; they scroll if there is too little."""
        if self._needed:
            available = self.viewport().width() - self.columnWidth(0)
            equal = min(MAX_WIDTH, available // len(self._needed))
            for column, needed in enumerate(self._needed, 1):
                self.setColumnWidth(column, max(needed, equal))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._spread()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste_requested.emit()
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
