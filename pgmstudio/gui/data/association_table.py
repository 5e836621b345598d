"""The list of column pairs by mutual information, and the contingency table of one pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.summary import Associations
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label
from pgmstudio.gui.widgets.column_table import LinedRows, dress_head
from pgmstudio.gui.widgets.table import SortHead

Index = QModelIndex | QPersistentModelIndex

_HEADS = ("Column", "Column", "MI (bits)", "p-value")
_MAX_SIDE = 40  # states shown of each variable of a contingency table


class _Pairs(QAbstractTableModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._associations: Associations | None = None
        self._first = self._second = np.zeros(0, dtype=np.intp)

    def show(self, associations: Associations) -> None:
        self.beginResetModel()
        self._associations = associations
        self._first, self._second = np.triu_indices(len(associations.names), 1)
        self._arrange(-associations.information_bits[self._first, self._second])
        self.endResetModel()

    def _arrange(self, keys: Any) -> None:
        order = np.argsort(keys, kind="stable")
        self._first, self._second = self._first[order], self._second[order]

    def names(self, row: int) -> tuple[str, str]:
        assert self._associations is not None
        names = self._associations.names
        return names[self._first[row]], names[self._second[row]]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else int(self._first.size)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(_HEADS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _HEADS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section < 2 else Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        associations = self._associations
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() >= 2:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if associations is None or role != Qt.ItemDataRole.DisplayRole:
            return None
        i, j = self._first[index.row()], self._second[index.row()]
        if index.column() < 2:
            return associations.names[(i, j)[index.column()]]
        if index.column() == 2:
            return f"{associations.information_bits[i, j]:.4f}"
        return f"{associations.p_values[i, j]:.2g}"

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        associations = self._associations
        if associations is None:
            return
        self.layoutAboutToBeChanged.emit()
        i, j = self._first, self._second
        ranks = np.argsort(np.argsort(np.array(associations.names)))
        keys = (
            ranks[i],
            ranks[j],
            associations.information_bits[i, j],
            associations.p_values[i, j],
        )[column]
        self._arrange(keys if order == Qt.SortOrder.AscendingOrder else -keys)
        self.layoutChanged.emit()


class PairList(QTableView):
    """List of all pairs, strongest first; Enter or a click selects one."""

    selected = Signal(str, str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName("All pairs of columns")
        self._pairs = _Pairs(self)
        self.setModel(self._pairs)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        head = SortHead(self)
        self.setSortingEnabled(True)
        head.setSortIndicator(2, Qt.SortOrder.DescendingOrder)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.setItemDelegate(LinedRows(self))
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.clicked.connect(self._on_selected)
        self.activated.connect(self._on_selected)
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_pairs(self, associations: Associations) -> None:
        self._pairs.show(associations)

    def _on_selected(self, index: QModelIndex) -> None:
        self.selected.emit(*self._pairs.names(index.row()))

    def _restyle(self) -> None:
        self.setProperty("textSize", "dense")
        dress_head(self.horizontalHeader())
        self.verticalHeader().setDefaultSectionSize(theme().px("row"))


class PairTable(QWidget):
    """Contingency table of two columns, tinted where there are more rows than expected."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pairTable")
        self._pair: tuple[DataSet, str, str] | None = None
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_counted)
        self._counts: Any = None
        self.title = label("", "heading", wrap=True)
        self.note = label("", "secondary", size="dense", wrap=True)
        self.table = QTableWidget()
        self.table.setObjectName("pairCounts")
        self.table.setAccessibleName("Rows with both states")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTabKeyNavigation(False)
        key_text = "Row counts, tinted where there are more than expected under independence."
        self._key = label(key_text, "tertiary", size="dense", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        for widget in (self.title, self.note):
            layout.addWidget(widget)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._key)
        self._air = QWidget()  # keeps the text at the top while there is no table
        layout.addWidget(self._air, 1)
        theme().changed.connect(self._on_theme_changed)
        self.show_pair(None)

    def minimumSizeHint(self) -> QSize:
        return QSize(round(260 * theme().scale), 200)

    def show_pair(
        self, data: DataSet | None, first: str = "", second: str = "", note: str = ""
    ) -> None:
        self.table.setVisible(data is not None)
        self._key.setVisible(data is not None)
        self._air.setVisible(data is None)
        self.title.setText(f"{first} × {second}" if data is not None else "")
        self.note.setText(note or "Click a cell to show the contingency table of its two columns.")
        self._counts = None
        if data is None:
            self._pair = None
            self._latest_task.forget()
            return
        self._pair = (data, first, second)

        def count(cancel: CancelToken) -> Any:
            return joint_counts(data, [data.domain.index(first), data.domain.index(second)], cancel)

        self._latest_task.ask(count)

    def _on_counted(self, counts: Any) -> None:
        if self._pair is None:
            return
        self._counts = counts
        data, first, second = self._pair
        rows, columns = data.domain[first].states, data.domain[second].states
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1.0)
        self.table.setRowCount(min(len(rows), _MAX_SIDE))
        self.table.setColumnCount(min(len(columns), _MAX_SIDE))
        self.table.setVerticalHeaderLabels(rows[:_MAX_SIDE])
        self.table.setHorizontalHeaderLabels(columns[:_MAX_SIDE])
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for i in range(self.table.rowCount()):
            for j in range(self.table.columnCount()):
                item = QTableWidgetItem(grouped(round(float(counts[i, j]))))
                item.setTextAlignment(right)
                item.setToolTip(
                    f"{first} = {rows[i]}, {second} = {columns[j]}: "
                    f"{float(counts[i, j]):g} rows, {float(expected[i, j]):.1f} expected"
                )
                if counts[i, j] > 1.2 * expected[i, j]:
                    item.setBackground(QBrush(theme().color("accent_soft")))
                self.table.setItem(i, j, item)
        self.table.setProperty("textSize", "dense")
        for head in (self.table.horizontalHeader(), self.table.verticalHeader()):
            dress_head(head)
        self.table.verticalHeader().setDefaultSectionSize(theme().px("row"))
        self.table.resizeColumnsToContents()

    def _on_theme_changed(self) -> None:
        if self._counts is not None:
            self._on_counted(self._counts)
