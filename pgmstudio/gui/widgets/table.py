"""The table widget: typed columns over rows of any kind; sorted, filtered, ticked and copied."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QBrush, QIcon, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView

from pgmstudio.core.analysis.tables import Cell, table_text
from pgmstudio.core.explained_numbers import explained
from pgmstudio.core.number_format import ascii_numbers, general
from pgmstudio.gui.theme.theme import Weight, theme
from pgmstudio.gui.widgets.grid_view import EXPLAINED, MARKS, CellMarks, GridView, Index, SortHead

SelectionMode = QAbstractItemView.SelectionMode
_Role = Qt.ItemDataRole
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_GAP = "\u2003"  # before a text column that follows a right-aligned number


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, how its values read, and what else its cells show.

    `text` and `copied` get the value of a cell; the other functions get the row. Without `value`
    the row is a sequence with an item for each column.
    """

    title: str
    text: Callable[[Any], str] = str
    is_number: bool = False
    stretches: bool = False
    tip: str = ""  # of the heading
    short_title: str = ""  # where there is little space
    value: Callable[[Any], Any] | None = None
    keys: NDArray[Any] | None = None  # to sort by, one for each row, if there are very many rows
    copied: Callable[[Any], Cell] | None = None  # None: the text, with ASCII numbers
    copied_title: str = ""
    cell_tip: Callable[[Any], str] | None = None
    icon: Callable[[Any], QIcon] | None = None
    marks: Callable[[Any], CellMarks | None] | None = None
    is_ticked: Callable[[Any], bool] | None = None  # a check box
    color: Callable[[Any], str | None] | None = None  # of the text, by its name in the theme
    background: Callable[[Any], str | None] | None = None
    weight: Callable[[Any], Weight] | None = None
    is_editable: bool = False
    explains: str = ""  # the number that “?” explains, where the title does not name it

    @property
    def number(self) -> str:
        """The number that “?” beside the heading explains; empty if there is none."""
        key = self.explains or self.title
        return key if self.is_number and explained(key) is not None else ""

    @property
    def has_text(self) -> bool:
        return self.value is not None or (self.marks is None and self.is_ticked is None)

    @property
    def side(self) -> int:
        return _RIGHT if self.is_number else _LEFT


def _cell_column(
    cells: Sequence[Sequence[Cell]], index: int, explains: Mapping[str, str]
) -> Column:
    title = str(cells[0][index]).replace("_", " ")
    is_number = any(isinstance(row[index], float | int) for row in cells[1:20])
    return Column(
        title[:1].upper() + title[1:],
        _cell_text,
        is_number,
        copied=lambda cell: cell,
        copied_title=title,
        cell_tip=lambda row: "" if row[index] is None else str(row[index]),
        explains=explains.get(str(cells[0][index]), ""),
    )


def _cell_text(cell: Cell) -> str:
    """A number with four digits, or a dash."""
    return general(cell) if cell is None or isinstance(cell, float) else str(cell)


class TableModel(QAbstractTableModel):
    """Rows as they were given, or sorted by a column and filtered; equal ones keep their order."""

    ticked = Signal(int, bool)  # the number of the row as it was given
    edited = Signal(int, int, str)  # row, column, text

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.columns: tuple[Column, ...] = ()
        self.rows: Sequence[Any] = ()
        self.has_short_titles = False
        self.row_tip: Callable[[Any], str] | None = None
        self.row_title: Callable[[Any], str] | None = None
        self.row_color: Callable[[Any], str | None] | None = None
        self.description: Callable[[Any], str] | None = None
        self._order: Sequence[int] = ()
        self._sorted_by: tuple[int, bool] | None = None
        self._filter = ""

    # -- rows and their order

    def show_columns(self, columns: Sequence[Column]) -> None:
        """Other columns; the rows go."""
        self.beginResetModel()
        self.columns, self.rows, self._order, self._sorted_by = tuple(columns), (), (), None
        self.endResetModel()

    def show_rows(self, rows: Sequence[Any]) -> None:
        self.beginResetModel()
        self.rows = rows
        self._arrange()
        self.endResetModel()

    def replace_rows(self, rows: Sequence[Any]) -> None:
        """The same rows with other values; only those that differ are painted again."""
        before, self.rows = self.rows, rows
        for position, number in enumerate(self._order):
            if before[number] is not rows[number] and before[number] != rows[number]:
                self.refresh(position, position)

    def refresh(self, first: int = 0, last: int = -1) -> None:
        """Paint rows again, all by default."""
        last = self.rowCount() - 1 if last < 0 else last
        if first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(self.columns) - 1))

    @property
    def is_as_given(self) -> bool:
        return self._sorted_by is None and not self._filter

    def number_at(self, position: int) -> int:
        """The number of the row in the order it was given."""
        return self._order[position]

    def position_of(self, number: int) -> int | None:
        """Where the row that was given as this number is; None if it is filtered out."""
        return self._order.index(number) if number in self._order else None

    def show_filtered(self, text: str) -> None:
        """Only rows with `text` in their first text column."""
        self.beginResetModel()
        self._filter = text.casefold()
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        is_down = order == Qt.SortOrder.DescendingOrder
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        numbers = [self._order[index.row()] for index in before]
        self._sorted_by = (column, is_down) if 0 <= column < len(self.columns) else None
        self._arrange()
        wanted = set(numbers)
        positions = {n: row for row, n in enumerate(self._order) if n in wanted} if wanted else {}
        after = [
            self.index(positions[number], index.column())
            for number, index in zip(numbers, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        self._order = range(len(self.rows))
        if self._filter:
            named = next((i for i, column in enumerate(self.columns) if column.has_text), 0)
            texts = [self.text(row, named) for row in self.rows]
            self._order = [n for n in self._order if self._filter in texts[n].casefold()]
        if self._sorted_by is not None:
            self._order = self._sorted(*self._sorted_by)

    def _sorted(self, column: int, is_down: bool) -> list[int]:
        """The order by the values of a column; rows without a value come last."""
        keys = self.columns[column].keys
        if keys is not None and not self._filter:
            order: list[int] = np.argsort(-keys if is_down else keys, kind="stable").tolist()
            return order
        values = {number: self.value(self.rows[number], column) for number in self._order}
        known = [n for n in self._order if values[n] is not None and values[n] == values[n]]
        known.sort(key=values.__getitem__, reverse=is_down)
        present = set(known)
        return known + [n for n in self._order if n not in present]

    # -- cells

    def value(self, row: Any, index: int) -> Any:
        """What a cell is sorted by, and its text made from."""
        column = self.columns[index]
        if column.value is not None:
            return column.value(row)
        if column.is_ticked is not None:
            return not column.is_ticked(row)
        if column.marks is not None:
            marks = column.marks(row) or CellMarks()
            return marks.chip.text if marks.chip is not None else marks.bar and marks.bar.value
        return row[index]

    def text(self, row: Any, index: int) -> str:
        """What a cell shows."""
        column = self.columns[index]
        if column.has_text:
            return column.text(self.value(row, index))
        marks = None if column.marks is None else column.marks(row)
        return "" if marks is None or marks.chip is None else marks.chip.text

    def copied(self, row: Any, index: int) -> Cell:
        """What a cell gives to the clipboard."""
        column = self.columns[index]
        if column.copied is not None:
            return column.copied(self.value(row, index))
        return ascii_numbers(self.text(row, index))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            if self.row_title is None or role not in (_Role.DisplayRole, _Role.ToolTipRole):
                return None
            return self.row_title(self.rows[self._order[section]])
        column = self.columns[section]
        if role == _Role.DisplayRole:
            is_short = self.has_short_titles and column.short_title
            return self._gap(section) + (column.short_title if is_short else column.title)
        if role == _Role.ToolTipRole:
            return column.tip or column.title
        if role == EXPLAINED:
            return column.number
        return column.side if role == _Role.TextAlignmentRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags, column = super().flags(index), self.columns[index.column()]
        if column.is_ticked is not None:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags | Qt.ItemFlag.ItemIsEditable if column.is_editable else flags

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        row, number = self.rows[self._order[index.row()]], index.column()
        column = self.columns[number]
        match role:
            case _Role.DisplayRole:
                return self._gap(number) + self.text(row, number)
            case _Role.TextAlignmentRole:
                marks = None if column.marks is None else column.marks(row)
                return _LEFT if marks is not None and marks.spans else column.side
            case MARKS.value:
                return None if column.marks is None else column.marks(row)
            case _Role.DecorationRole:
                return None if column.icon is None else column.icon(row)
            case _Role.CheckStateRole if column.is_ticked is not None:
                return Qt.CheckState.Checked if column.is_ticked(row) else Qt.CheckState.Unchecked
            case _Role.ForegroundRole:
                return self._brush(column.color or self.row_color, row)
            case _Role.BackgroundRole:
                return self._brush(column.background, row)
            case _Role.FontRole if column.weight is not None:
                return theme().font("dense", column.weight(row))
            case _Role.ToolTipRole:
                tip = column.cell_tip or self.row_tip
                return self.text(row, number) if tip is None else tip(row)
            case _Role.EditRole:
                return self.text(row, number)
            case _Role.AccessibleTextRole:
                if self.description is not None:
                    return self.description(row)
                return f"{column.title}: {self.text(row, number)}"
        return None

    def setData(self, index: Index, value: Any, role: int = _Role.EditRole) -> bool:
        number = self._order[index.row()]
        if role == _Role.CheckStateRole:
            self.ticked.emit(number, Qt.CheckState(value) == Qt.CheckState.Checked)
        elif role == _Role.EditRole:
            self.edited.emit(number, index.column(), str(value))
        return role in (_Role.CheckStateRole, _Role.EditRole)

    def _gap(self, index: int) -> str:
        column = self.columns[index]
        follows = index > 0 and self.columns[index - 1].is_number and column.has_text
        return _GAP if follows and not column.is_number else ""

    def _brush(self, named: Callable[[Any], str | None] | None, row: Any) -> QBrush | None:
        name = None if named is None else named(row)
        return None if name is None else QBrush(theme().color(name))


class Table(GridView):
    """A table of rows; Enter or a double-click chooses a row, Space ticks it, Ctrl+C copies.

    Signals carry the number of a row in the order the rows were given.
    """

    selected = Signal(int)
    chosen = Signal(int)
    ticked = Signal(int, bool)
    edited = Signal(int, int, str)  # row, column, text
    removal_requested = Signal(int)  # Delete

    def __init__(
        self,
        name: str,
        title: str,
        columns: Sequence[Column] = (),
        *,
        key: Callable[[Any], Hashable] | None = None,
        row_tip: Callable[[Any], str] | None = None,
        row_title: Callable[[Any], str] | None = None,
        row_color: Callable[[Any], str | None] | None = None,
        description: Callable[[Any], str] | None = None,
        is_sortable: bool = True,
        selection: SelectionMode = SelectionMode.SingleSelection,
        row_height: float = 1.0,
        gap: int = 0,
        rows_measured: int = 1000,
        tip: str | None = None,
        has_room_for_help: bool = True,
    ) -> None:
        """`key`: what a row is known by when rows change; `description`: for screen readers.

        `rows_measured`: how many rows the widths of columns fit; without `has_room_for_help` only
        the pointer shows the “?” of headings, so that narrow columns are whole.
        """
        super().__init__(
            name, title, tip=tip, row_height=row_height, has_row_heads=row_title is not None
        )
        self._key = key
        self.delegate.gap = gap
        self._rows = TableModel(self)
        self._rows.row_tip, self._rows.row_title = row_tip, row_title
        self._rows.row_color, self._rows.description = row_color, description
        self._rows.ticked.connect(self.ticked)
        self._rows.edited.connect(self.edited)
        self.setModel(self._rows)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(selection)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        head = self.horizontalHeader()
        assert isinstance(head, SortHead)
        head.has_room_for_help = has_room_for_help
        head.setMinimumSectionSize(8)
        head.setResizeContentsPrecision(rows_measured)
        head.setSectionsClickable(is_sortable)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        head.setSortIndicatorClearable(True)
        self.setSortingEnabled(is_sortable)
        self.show_columns(columns)
        self.activated.connect(self._on_activated)
        self.selectionModel().currentRowChanged.connect(self._on_row)

    def show_columns(self, columns: Sequence[Column]) -> None:
        """Other columns; the rows go."""
        head = self.horizontalHeader()
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._rows.show_columns(columns)
        for index, column in enumerate(columns):
            mode = QHeaderView.ResizeMode
            head.setSectionResizeMode(
                index, mode.Stretch if column.stretches else mode.ResizeToContents
            )

    @property
    def wanted_width(self) -> int:
        """The width at which no column is cut."""
        head = self.horizontalHeader()
        columns = range(head.count())
        wanted = sum(max(self.sizeHintForColumn(i), head.sectionSizeHint(i)) for i in columns)
        return wanted + self.verticalScrollBar().sizeHint().width() + 2 * self.frameWidth()

    def show_cells(
        self, cells: Sequence[Sequence[Cell]], explains: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """The table of an analysis: its first row has the headings.

        `explains`: by heading, the number that “?” explains, where the heading does not name it.
        """
        self.show_columns([_cell_column(cells, i, explains) for i in range(len(cells[0]))])
        self.show_rows(cells[1:])

    def show_short_titles(self, on: bool) -> None:
        """The short headings of the columns that have one, or the whole ones."""
        if on != self._rows.has_short_titles:
            self._rows.has_short_titles = on
            last = len(self._rows.columns) - 1
            self._rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Other rows; with a `key`, the selected one stays selected where it is still there."""
        rows = rows if isinstance(rows, range) else tuple(rows)
        if self._key is None:
            self._rows.show_rows(rows)
            return
        keys = [self._key(row) for row in rows]
        if self._rows.is_as_given and [self._key(row) for row in self.rows] == keys:
            self._rows.replace_rows(rows)
            return
        chosen = None if self.current_row is None else self._key(self.current_row)
        self._rows.show_rows(rows)
        if chosen in keys:
            self._select_again(keys.index(chosen))

    def _select_again(self, number: int) -> None:
        """Without a signal, because it was selected before."""
        was_blocked = self.blockSignals(True)
        self.select(number)
        self.blockSignals(was_blocked)

    def show_filtered(self, text: str) -> None:
        """Only rows with `text` in their first text column; the selected one stays selected."""
        current = self.current
        self._rows.show_filtered(text)
        if current is not None:
            self._select_again(current)

    def refresh(self) -> None:
        """Paint the rows again, whose values have changed."""
        self._rows.refresh()

    @property
    def columns(self) -> Sequence[Column]:
        return self._rows.columns

    @property
    def rows(self) -> Sequence[Any]:
        """In the order they were given."""
        return self._rows.rows

    @property
    def current(self) -> int | None:
        """The number of the selected row."""
        index = self.currentIndex()
        return self._rows.number_at(index.row()) if index.isValid() else None

    @property
    def current_row(self) -> Any:
        """The selected row, or None."""
        return None if self.current is None else self.rows[self.current]

    @property
    def selected_rows(self) -> list[Any]:
        """All selected rows in the order they are shown."""
        indices = self.selectionModel().selectedRows()
        return [self.rows[self._rows.number_at(p)] for p in sorted(i.row() for i in indices)]

    def select(self, number: int) -> None:
        """Select the row that was given as this number."""
        position = self._rows.position_of(number)
        if position is not None:
            self.selectRow(position)

    def select_key(self, key: Hashable) -> None:
        """Select the row that is known by this key."""
        assert self._key is not None
        for number, row in enumerate(self.rows):
            if self._key(row) == key:
                self.select(number)
                return

    def row_at(self, index: Index) -> Any:
        """The row of an index of the model, or None."""
        return self.rows[self._rows.number_at(index.row())] if index.isValid() else None

    def copy(self) -> None:
        """The selected rows, or all, to the clipboard as tab-separated text."""
        model = self._rows
        shown = [
            i
            for i, column in enumerate(model.columns)
            if not self.isColumnHidden(i) and (column.has_text or column.title)
        ]
        rows = self.selected_rows or [
            self.rows[model.number_at(position)] for position in range(model.rowCount())
        ]
        heads = [model.columns[i] for i in shown]
        head: list[Cell] = [column.copied_title or column.title for column in heads]
        cells = [[model.copied(row, i) for i in shown] for row in rows]
        QApplication.clipboard().setText(table_text([head, *cells], "\t"))

    def toggle_current(self) -> None:
        """Request a change of the check box of the selected row."""
        for index, column in enumerate(self._rows.columns):
            can_tick = column.is_ticked is not None and not self.isColumnHidden(index)
            if can_tick and column.is_ticked is not None and self.current is not None:
                self.ticked.emit(self.current, not column.is_ticked(self.current_row))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        has_boxes = any(column.is_ticked is not None for column in self._rows.columns)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif has_boxes and Qt.Key(event.key()) == Qt.Key.Key_Space:
            self.toggle_current()
        elif Qt.Key(event.key()) == Qt.Key.Key_Delete and self.current is not None:
            self.removal_requested.emit(self.current)
        else:
            super().keyPressEvent(event)

    def _on_activated(self, index: QModelIndex) -> None:
        self.chosen.emit(self._rows.number_at(index.row()))

    def _on_row(self, index: QModelIndex) -> None:
        if index.isValid():
            self.selected.emit(self._rows.number_at(index.row()))
