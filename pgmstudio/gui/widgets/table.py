"""Tables of facts and rankings: sorted by a click on a heading, copied with Ctrl+C."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHBoxLayout,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from pgmstudio.core.analysis.tables import Cell, table_text
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.column_table import (
    TICK,
    Index,
    LinedRows,
    TickedRows,
    dress_head,
    paint_row_line,
)

_, NAME, BAR = range(3)
_FRACTION = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class RankedRow:
    """Row of a ranking; `fraction`: length of the bar, 0 to 1; `cells`: texts of the numbers."""

    key: str
    name: str
    fraction: float
    cells: tuple[str, ...]
    is_ticked: bool = True
    is_weak: bool = False
    tip: str = ""


class _Rows(TickedRows):
    rows: tuple[RankedRow, ...] = ()

    def __init__(self, heads: Sequence[tuple[str, str]], parent: QObject) -> None:
        super().__init__(parent)
        self._heads = tuple(heads)

    def show(self, rows: Sequence[RankedRow]) -> None:
        before, self.rows = self.rows, tuple(rows)
        if [row.key for row in before] == [row.key for row in self.rows]:
            if self.rows:
                last = self.index(len(self.rows) - 1, self.columnCount() - 1)
                self.dataChanged.emit(self.index(0, 0), last)
            return
        self.beginResetModel()
        self.endResetModel()

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._heads) + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        head, tip = ("", "Selected") if section == TICK else self._heads[section - 1]
        if role == Qt.ItemDataRole.DisplayRole:
            return head
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip
        return _side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = 0) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name if column == NAME else row.cells[column - 3] if column > BAR else None
        if role == Qt.ItemDataRole.CheckStateRole and column == TICK:
            return Qt.CheckState.Checked if row.is_ticked else Qt.CheckState.Unchecked
        if role == _FRACTION:
            return row.fraction
        if role == Qt.ItemDataRole.ForegroundRole and row.is_weak:
            return theme().color("text_tertiary")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tip or row.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join((row.name, *row.cells))
        return None


def _side(section: int) -> int:
    left = section in (NAME, BAR)
    side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
    return int(side | Qt.AlignmentFlag.AlignVCenter)


class _Painter(QStyledItemDelegate):
    """Bars on their track; the rest as usual."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() != BAR:
            super().paint(painter, option, index)
            paint_row_line(painter, option)
            return
        state: Any = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, theme().color("selection"))
        cell = QRectF(option.rect)
        height = 9 * theme().scale
        bar = QRectF(cell.left() + 4, cell.center().y() - height / 2, cell.width() - 16, height)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("belief_track"))
        painter.drawRoundedRect(bar, 2, 2)
        fraction = float(index.data(_FRACTION) or 0.0)
        if fraction > 0:
            bar.setWidth(max(2.0, bar.width() * min(1.0, fraction)))
            painter.setBrush(theme().color("belief"))
            painter.drawRoundedRect(bar, 2, 2)
        painter.restore()
        paint_row_line(painter, option)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        if index.column() > BAR:
            size.setWidth(size.width() + theme().space(3))  # numbers side by side need air
        return size


class RankedTable(QTableView):
    """Rows in the order they are given; Space ticks, Delete requests removal of the row."""

    picked = Signal(str)
    ticked = Signal(str, bool)
    unwanted = Signal(str)

    def __init__(
        self, name: str, title: str, heads: Sequence[tuple[str, str]], *, with_ticks: bool
    ) -> None:
        """`heads`: word and tip of the name, the bar and each number."""
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setToolTip(title)
        self._rows = _Rows(heads, self)
        self._rows.ticked.connect(self.ticked)
        self.setModel(self._rows)
        self.setItemDelegate(_Painter(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.verticalHeader().hide()
        self.setColumnHidden(TICK, not with_ticks)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setMinimumSectionSize(8)
        for column in range(self._rows.columnCount()):
            mode = QHeaderView.ResizeMode.ResizeToContents
            if column in (NAME, BAR):
                mode = QHeaderView.ResizeMode.Stretch
            head.setSectionResizeMode(column, mode)
        self.selectionModel().currentRowChanged.connect(self._on_row)
        theme().changed.connect(self._restyle)
        self._restyle()

    @property
    def rows(self) -> tuple[RankedRow, ...]:
        return self._rows.rows

    @property
    def current(self) -> str | None:
        """The key of the selected row."""
        index = self.currentIndex()
        return self.rows[index.row()].key if index.isValid() else None

    def show_rows(self, rows: Sequence[RankedRow]) -> None:
        """Other rows; the selected one stays selected where it is still there."""
        chosen = self.current
        self._rows.show(rows)
        if chosen is not None and self.current != chosen:
            self.pick(chosen)

    def pick(self, key: str) -> None:
        for position, row in enumerate(self.rows):
            if row.key == key:
                self.setCurrentIndex(self._rows.index(position, NAME))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, current = Qt.Key(event.key()), self.currentIndex()
        if current.isValid() and key == Qt.Key.Key_Space and not self.isColumnHidden(TICK):
            row = self.rows[current.row()]
            self.ticked.emit(row.key, not row.is_ticked)
        elif current.isValid() and key == Qt.Key.Key_Delete:
            self.unwanted.emit(self.rows[current.row()].key)
        else:
            super().keyPressEvent(event)

    def _on_row(self, index: QModelIndex) -> None:
        if index.isValid():
            self.picked.emit(self.rows[index.row()].key)

    def _restyle(self) -> None:
        self.setProperty("textSize", "dense")
        dress_head(self.horizontalHeader())
        self.verticalHeader().setDefaultSectionSize(round(theme().px("row") * 1.1))
        self.viewport().update()


_PADDING = 4  # px at each side, as the sheets of heads have it, and one more


class SortHead(QHeaderView):
    """Header whose sort arrow follows the text; the style would draw it over the text."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.setSectionsClickable(True)
        table.setHorizontalHeader(self)

    def heading(self, section: int, name: str) -> str:
        """Elided heading of a column, with an arrow if the table is sorted by it."""
        arrow = ""
        if self.isSortIndicatorShown() and section == self.sortIndicatorSection():
            is_up = self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
            arrow = " ▴" if is_up else " ▾"
        font = QFont(self.font())
        font.setWeight(
            QFont.Weight.DemiBold
        )  # as in the style sheet, which does not change the font
        metrics = QFontMetrics(font)
        available = self.sectionSize(section) - 2 * _PADDING - metrics.horizontalAdvance(arrow)
        return metrics.elidedText(name, Qt.TextElideMode.ElideRight, available) + arrow

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        option.text = self.heading(section, option.text)
        option.sortIndicator = QStyleOptionHeader.SortIndicator.None_


Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, how a value reads, and whether it is a number."""

    head: str
    parts: Callable[[Any], str] = str
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

    def given(self, index: int) -> int:
        """The number of the row in the order it was given."""
        return self._order[index]

    def row_of(self, number: int) -> int:
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
        return _table_side(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = 0) -> Any:
        column = self._columns[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            parts = column.parts(self._given[self._order[index.row()]][index.column()])
            return self._gap(index.column()) + parts
        return _table_side(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _gap(self, index: int) -> str:
        """Gap before a text column that follows a right-aligned number."""
        follows = index > 0 and self._columns[index - 1].is_number
        return "\u2003" if follows and not self._columns[index].is_number else ""

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


def _table_side(column: Column) -> int:
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
        for index, column in enumerate(columns):
            mode = QHeaderView.ResizeMode
            head.setSectionResizeMode(
                index, mode.Stretch if column.stretches else mode.ResizeToContents
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
            self.selectRow(self.facts.row_of(number))

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
        self.setProperty("textSize", "dense")
        self.verticalHeader().setDefaultSectionSize(theme().px("row"))
        dress_head(self.horizontalHeader())


def wide_first(made: QWidget) -> QWidget:
    """A row whose first widget takes the space that is left."""
    return widening(made, 0)


def widening(made: QWidget, index: int) -> QWidget:
    """A row whose widget at this index takes the space that is left."""
    layout = made.layout()
    assert isinstance(layout, QHBoxLayout)
    layout.setStretch(index, 1)
    return made


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

    def __init__(self, name: str, title: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)
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
        self.setProperty("textSize", "dense")
        dress_head(self.horizontalHeader())
        self.verticalHeader().setDefaultSectionSize(theme().px("row"))
