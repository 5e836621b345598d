"""Qt model of the rows of a data set; codes are converted to text only for visible cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import named

Index = QModelIndex | QPersistentModelIndex
Rows = NDArray[np.intp]

MISSING_SYMBOL = "·"
MISSING_TEXT = "missing"


@dataclass(frozen=True)
class RowChoice:
    """Filters and sort order of the shown rows; None as a state means missing."""

    filters: Mapping[str, frozenset[str | None]] = field(default_factory=dict)
    sort_by: str | None = None
    descending: bool = False

    @property
    def is_everything(self) -> bool:
        return not self.filters and self.sort_by is None


def rows_shown(data: DataSet, choice: RowChoice) -> Rows | None:
    """Indices of the rows to show, in order; None for all rows in file order.

    Missing cells come last in either direction; equal cells keep the order of the file.
    """
    if choice.is_everything:
        return None
    is_shown = np.ones(data.row_count, dtype=bool)
    for column, states in choice.filters.items():
        if column in data.domain:
            variable = data.domain[column]
            allowed = np.zeros(data.missing_code + 1, dtype=bool)
            for state in states:
                if state is None:
                    allowed[data.missing_code] = True
                elif state in variable.states:
                    allowed[variable.code(state)] = True
            is_shown &= allowed[data.column(column)]
    rows = np.flatnonzero(is_shown)
    if choice.sort_by is None or choice.sort_by not in data.domain:
        return rows
    keys = data.column(choice.sort_by)[rows]
    if choice.descending:
        # Reversed from the last state, so that missing cells stay the largest.
        reversed_keys = (data.missing_code - 1 - keys.astype(np.int64)) % (data.missing_code + 1)
        keys = reversed_keys.astype(keys.dtype)
    return rows[np.argsort(keys, kind="stable")]


class DataTableModel(QAbstractTableModel):
    """Table model of a data set; edits and sorting are requested by signals."""

    sort_requested = Signal(int, bool)  # column (-1: order of the file), descending
    cell_edited = Signal(int, str, object)  # row of the data set, column, state or None

    def __init__(self, data: DataSet, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data = data
        self._rows: Rows | None = None
        self._read_domain()

    def _read_domain(self) -> None:
        self._names = self._data.domain.names
        self._states = tuple(variable.states for variable in self._data.domain)
        self._missing = self._data.missing_code

    @property
    def dataset(self) -> DataSet:
        return self._data

    def show(self, data: DataSet, rows: Rows | None) -> None:
        """Show other rows; a table of the same shape keeps its scroll position and selection."""
        before = (self.rowCount(), self._names)
        after = (data.row_count if rows is None else rows.size, data.domain.names)
        if before == after:
            self._data, self._rows = data, rows
            self._read_domain()
            if self.rowCount() and self._names:
                last = self.index(self.rowCount() - 1, len(self._names) - 1)
                self.dataChanged.emit(self.index(0, 0), last)
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, max(0, self.rowCount() - 1))
            return
        self.beginResetModel()
        self._data, self._rows = data, rows
        self._read_domain()
        self.endResetModel()

    def row_of(self, shown: int) -> int:
        """Index in the data set of a row of the view."""
        return shown if self._rows is None else int(self._rows[shown])

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if parent.isValid():
            return 0
        return self._data.row_count if self._rows is None else int(self._rows.size)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._names)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in _ROLES:
            return None
        column = index.column()
        code = int(self._data.codes[column, self.row_of(index.row())])
        is_missing = code == self._missing
        if role == Qt.ItemDataRole.DisplayRole:
            return MISSING_SYMBOL if is_missing else self._states[column][code]
        if role == Qt.ItemDataRole.EditRole:
            return None if is_missing else self._states[column][code]
        if not is_missing:
            return None
        if role == Qt.ItemDataRole.BackgroundRole:
            return QBrush(theme().color("warning_soft"))
        if role == Qt.ItemDataRole.ForegroundRole:
            return QBrush(theme().color("warning_ink"))
        return f"{self._names[column]} is missing in row {grouped(self.row_of(index.row()) + 1)}."

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            if role == Qt.ItemDataRole.DisplayRole:
                return grouped(self.row_of(section) + 1)
            if role == Qt.ItemDataRole.ToolTipRole:
                return "Double-click to set this row as evidence in the active model."
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._names[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{self._names[section]}: click to sort, right-click to filter."
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return _CELL_FLAGS  # called for every cell of every paint

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or value == self.data(index, role):
            return False
        self.cell_edited.emit(self.row_of(index.row()), self._names[index.column()], value)
        return True

    def states_of(self, column: int) -> tuple[str, ...]:
        return self._states[column]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.sort_requested.emit(column, order == Qt.SortOrder.DescendingOrder)


_CELL_FLAGS = (
    Qt.ItemFlag.ItemIsEnabled
    | Qt.ItemFlag.ItemIsSelectable
    | Qt.ItemFlag.ItemIsEditable
    | Qt.ItemFlag.ItemNeverHasChildren
)
_ROLES = frozenset(
    {
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.EditRole,
        Qt.ItemDataRole.BackgroundRole,
        Qt.ItemDataRole.ForegroundRole,
        Qt.ItemDataRole.ToolTipRole,
    }
)


class StateDelegate(QStyledItemDelegate):
    """Delegate that edits a cell with a list of its states and “missing”."""

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        combo = named(QComboBox(parent), "cellEditor", "State of this cell")
        model = index.model()
        if isinstance(model, DataTableModel):
            for state in model.states_of(index.column()):
                combo.addItem(state, state)
        combo.addItem(f"{MISSING_SYMBOL} {MISSING_TEXT}", None)
        combo.activated.connect(self._on_activated)
        return combo

    def _on_activated(self, _index: int) -> None:
        editor = self.sender()
        if isinstance(editor, QWidget):
            self.commitData.emit(editor)
            self.closeEditor.emit(editor)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QComboBox):
            state = index.data(Qt.ItemDataRole.EditRole)
            last = editor.count() - 1
            editor.setCurrentIndex(last if state is None else editor.findData(state))
            editor.showPopup()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentData(), Qt.ItemDataRole.EditRole)
