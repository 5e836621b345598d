"""Pairs of columns in words and numbers: the list of all, and the table of one."""

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
_MAX_SIDE = 40  # states of a pair table that are shown


class _Pairs(QAbstractTableModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._found: Associations | None = None
        self._first = self._second = np.zeros(0, dtype=np.intp)

    def show(self, found: Associations) -> None:
        self.beginResetModel()
        self._found = found
        self._first, self._second = np.triu_indices(len(found.names), 1)
        self._arrange(-found.information_bits[self._first, self._second])
        self.endResetModel()

    def _arrange(self, keys: Any) -> None:
        order = np.argsort(keys, kind="stable")
        self._first, self._second = self._first[order], self._second[order]

    def names(self, place: int) -> tuple[str, str]:
        assert self._found is not None
        names = self._found.names
        return names[self._first[place]], names[self._second[place]]

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
        found = self._found
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() >= 2:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if found is None or role != Qt.ItemDataRole.DisplayRole:
            return None
        i, j = self._first[index.row()], self._second[index.row()]
        if index.column() < 2:
            return found.names[(i, j)[index.column()]]
        if index.column() == 2:
            return f"{found.information_bits[i, j]:.4f}"
        return f"{found.p_values[i, j]:.2g}"

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        found = self._found
        if found is None:
            return
        self.layoutAboutToBeChanged.emit()
        i, j = self._first, self._second
        ranks = np.argsort(np.argsort(np.array(found.names)))
        keys = (ranks[i], ranks[j], found.information_bits[i, j], found.p_values[i, j])[column]
        self._arrange(keys if order == Qt.SortOrder.AscendingOrder else -keys)
        self.layoutChanged.emit()


class PairList(QTableView):
    """All pairs, the strongest first; Enter or a click chooses one."""

    chosen = Signal(str, str)

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
        self.clicked.connect(self._on_chosen)
        self.activated.connect(self._on_chosen)
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_pairs(self, found: Associations) -> None:
        self._pairs.show(found)

    def _on_chosen(self, index: QModelIndex) -> None:
        self.chosen.emit(*self._pairs.names(index.row()))

    def _restyle(self) -> None:
        self.setFont(theme().font("dense"))
        dress_head(self.horizontalHeader())
        self.verticalHeader().setDefaultSectionSize(theme().px("row"))


class PairTable(QWidget):
    """Counts of two columns together, darker where a cell has more rows than chance would give."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pairTable")
        self._pair: tuple[DataSet, str, str] | None = None
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_counted)
        self._counts: Any = None
        self.title = label("", "heading", wrap=True)
        self.said = label("", "secondary", size="dense", wrap=True)
        self.table = QTableWidget()
        self.table.setObjectName("pairCounts")
        self.table.setAccessibleName("Rows with both states")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTabKeyNavigation(False)
        words = "Rows; tinted where there are more than by chance."
        self._key = label(words, "tertiary", size="dense", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        for widget in (self.title, self.said):
            layout.addWidget(widget)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._key)
        self._air = QWidget()  # below the words, while there is no table
        layout.addWidget(self._air, 1)
        theme().changed.connect(self._on_theme_changed)
        self.show_pair(None)

    def minimumSizeHint(self) -> QSize:
        return QSize(round(260 * theme().scale), 200)

    def show_pair(
        self, data: DataSet | None, first: str = "", second: str = "", said: str = ""
    ) -> None:
        self.table.setVisible(data is not None)
        self._key.setVisible(data is not None)
        self._air.setVisible(data is None)
        self.title.setText(f"{first} × {second}" if data is not None else "")
        self.said.setText(said or "Click a cell to see the table of its two columns.")
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
                    f"{float(counts[i, j]):g} rows, {float(expected[i, j]):.1f} by chance"
                )
                if counts[i, j] > 1.2 * expected[i, j]:
                    item.setBackground(QBrush(theme().color("accent_soft")))
                self.table.setItem(i, j, item)
        self.table.setFont(theme().font("dense"))
        for head in (self.table.horizontalHeader(), self.table.verticalHeader()):
            dress_head(head)
        self.table.verticalHeader().setDefaultSectionSize(theme().px("row"))
        self.table.resizeColumnsToContents()

    def _on_theme_changed(self) -> None:
        if self._counts is not None:
            self._on_counted(self._counts)
