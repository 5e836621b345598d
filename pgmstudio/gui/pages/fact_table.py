"""A table of facts that is read, sorted and picked from: rows of words and numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QTableView, QWidget

from pgmstudio.gui.pages.column_list import LinedRows, dress_head
from pgmstudio.gui.style.sort_head import SortHead
from pgmstudio.gui.style.theme import theme

Index = QModelIndex | QPersistentModelIndex
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, how a value reads, and whether it is a number."""

    head: str
    told: Callable[[Any], str] = str
    is_number: bool = False
    stretches: bool = False
    tip: str = ""


class Facts(QAbstractTableModel):
    """Rows as they were given, or sorted by a column; equal ones keep their order."""

    def __init__(self, columns: Sequence[Column], parent: QObject) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._given: tuple[Row, ...] = ()
        self._order: list[int] = []
        self._sorted_by: tuple[int, bool] | None = None

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self._given = tuple(rows)
        self._arrange()
        self.endResetModel()

    @property
    def rows(self) -> tuple[Row, ...]:
        """In the order they were given."""
        return self._given

    def given(self, place: int) -> int:
        """The number of the row in the order it was given."""
        return self._order[place]

    def place_of(self, number: int) -> int:
        """Where the row that was given as this number stands."""
        return self._order.index(number)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._gap(section) + column.head
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip or column.head
        return _side(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = 0) -> Any:
        column = self._columns[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            told = column.told(self._given[self._order[index.row()]][index.column()])
            return self._gap(index.column()) + told
        return _side(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _gap(self, place: int) -> str:
        """Words that follow a number at the right side of its column need room before them."""
        follows = place > 0 and self._columns[place - 1].is_number
        return "\u2003" if follows and not self._columns[place].is_number else ""

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        self._sorted_by = (column, order is Qt.SortOrder.DescendingOrder) if column >= 0 else None
        self._arrange()
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        self._order = list(range(len(self._given)))
        if self._sorted_by is not None:
            column, down = self._sorted_by
            self._order.sort(key=lambda i: self._given[i][column], reverse=down)


def _side(column: Column) -> int:
    side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)


class FactTable(QTableView):
    """One row is selected at most; Enter or a double-click chooses it."""

    chosen = Signal(int)  # the number of the row as it was given
    selected = Signal(int)
    facts_type: type[Facts] = Facts

    def __init__(self, name: str, title: str, columns: Sequence[Column]) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setToolTip(title)
        self.facts = self.facts_type(columns, self)
        self.setModel(self.facts)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegate(LinedRows(self))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = SortHead(self)
        head.setHighlightSections(False)
        for place, column in enumerate(columns):
            mode = QHeaderView.ResizeMode
            head.setSectionResizeMode(
                place, mode.Stretch if column.stretches else mode.ResizeToContents
            )
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.activated.connect(self._on_activated)
        self.selectionModel().currentRowChanged.connect(self._on_row)
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.facts.show_rows(rows)

    def select(self, number: int) -> None:
        """Select the row that was given as this number."""
        if 0 <= number < self.facts.rowCount():
            self.selectRow(self.facts.place_of(number))

    @property
    def current(self) -> int | None:
        """The selected row, as it was given."""
        index = self.currentIndex()
        return self.facts.given(index.row()) if index.isValid() else None

    def _on_activated(self, index: QModelIndex) -> None:
        self.chosen.emit(self.facts.given(index.row()))

    def _on_row(self, index: QModelIndex) -> None:
        if index.isValid():
            self.selected.emit(self.facts.given(index.row()))

    def _restyle(self) -> None:
        self.setFont(theme().font("dense"))
        self.verticalHeader().setDefaultSectionSize(theme().px("row"))
        dress_head(self.horizontalHeader())


def wide_first(made: QWidget) -> QWidget:
    """A row whose first widget takes the room that is left."""
    return widening(made, 0)


def widening(made: QWidget, place: int) -> QWidget:
    """A row whose widget at this place takes the room that is left."""
    layout = made.layout()
    assert isinstance(layout, QHBoxLayout)
    layout.setStretch(place, 1)
    return made
