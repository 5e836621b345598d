"""A model of rows with a tick in their first column, which is a wish and not a change."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

Index = QModelIndex | QPersistentModelIndex
TICK = 0


class TickedRows(QAbstractTableModel):
    """A child shows the cells; `ticked` tells the key of the row and what is wished."""

    ticked = Signal(str, bool)
    rows: tuple[Any, ...] = ()  # each with a key

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == TICK else flags

    def setData(self, index: Index, value: Any, role: int = 0) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != TICK:
            return False
        self.ticked.emit(self.rows[index.row()].key, Qt.CheckState(value) == Qt.CheckState.Checked)
        return True
