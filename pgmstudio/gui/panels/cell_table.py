"""Any table of words and numbers: sorted by a click on a head, copied with Ctrl+C."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QTableView

from pgmstudio.core.inference.analysis_tables import Cell, table_text
from pgmstudio.gui.pages.column_list import LinedRows, dress_head
from pgmstudio.gui.style.sort_head import SortHead
from pgmstudio.gui.style.theme import theme

Index = QModelIndex | QPersistentModelIndex


class _Cells(QAbstractTableModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.head: list[str] = []
        self.rows: list[list[Cell]] = []

    def show(self, rows: Sequence[Sequence[Cell]]) -> None:
        self.beginResetModel()
        self.head = [str(cell).replace("_", " ") for cell in rows[0]] if rows else []
        self.rows = [list(row) for row in rows[1:]]
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.head)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.head[section].capitalize()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(section)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        cell = self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return "" if cell is None else str(cell)
        if role != Qt.ItemDataRole.DisplayRole or cell is None:
            return None
        if isinstance(cell, float):
            return f"{cell:.4g}".replace("-", "−") if math.isfinite(cell) else "∞"
        return str(cell)

    def _side(self, column: int) -> int:
        is_number = any(isinstance(row[column], float | int) for row in self.rows[:20])
        side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        return int(side | Qt.AlignmentFlag.AlignVCenter)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(self.head):
            return
        self.layoutAboutToBeChanged.emit()
        is_down = order == Qt.SortOrder.DescendingOrder
        filled = [row for row in self.rows if row[column] is not None]
        empty = [row for row in self.rows if row[column] is None]
        filled.sort(key=lambda row: row[column], reverse=is_down)  # type: ignore[arg-type,return-value]
        self.rows = filled + empty
        self.layoutChanged.emit()


class CellTable(QTableView):
    """Rows as they come; the first is the head."""

    def __init__(self, name: str, words: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setToolTip("")
        self._cells = _Cells(self)
        self.setModel(self._cells)
        self.setItemDelegate(LinedRows(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        head = SortHead(self)
        self.setSortingEnabled(True)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setSortIndicatorClearable(True)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_rows(self, rows: Sequence[Sequence[Cell]]) -> None:
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._cells.show(rows)
        self.resizeColumnsToContents()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
            rows = [self._cells.rows[row] for row in chosen] or self._cells.rows
            QApplication.clipboard().setText(table_text([self._cells.head, *rows], "\t"))
            return
        super().keyPressEvent(event)

    def _restyle(self) -> None:
        self.setFont(theme().font("dense"))
        dress_head(self.horizontalHeader())
        self.verticalHeader().setDefaultSectionSize(theme().px("row"))
