"""The Table tab of a data page: rows that can be sorted, filtered, edited and deleted."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush, QFontMetrics, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.imprecise import (
    UNKNOWN,
    ImpreciseData,
    cell_text,
)
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.number_format import counted, general, grouped
from pgmstudio.core.project.edits import edit_data
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.data.set_editor import SetEditor
from pgmstudio.gui.evidence.row_evidence import no_row_evidence_reason, use_row_as_evidence
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import popup
from pgmstudio.gui.widgets.basic import button, empty, hbox, label, literal, named, vbox
from pgmstudio.gui.widgets.grid_view import GridView

# Sorting and filtering fewer rows than this takes less than a frame.
ROWS_AT_ONCE = 200_000
_MAX_WIDTH, _MAX_NAME = 170, 300  # initial column width (px) for cells and for the name
_SETS_MEASURED = 500  # cells whose widths columns fit


Filters = dict[str, frozenset[str | None]]

_MAX_STATES = 60  # listed in a menu


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
        self.is_imprecise = isinstance(self._data, ImpreciseData)
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
        if self.is_imprecise and is_missing:
            return self._imprecise_data(index, role)
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

    def _imprecise_data(self, index: Index, role: int) -> Any:
        """A cell that is a set of states, or unknown."""
        if role == Qt.ItemDataRole.BackgroundRole:
            return QBrush(theme().color("warning_soft"))
        if role == Qt.ItemDataRole.ForegroundRole:
            return QBrush(theme().color("warning_ink"))
        row = self.row_of(index.row())
        text = cell_text(self._data, index.column(), row, " ")
        if role != Qt.ItemDataRole.ToolTipRole:
            return text
        what = "is one of the states" if text != UNKNOWN else "may have any state:"
        return f"{self._names[index.column()]} of row {grouped(row + 1)} {what} {text}"

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            if role == Qt.ItemDataRole.DisplayRole:
                number = grouped(self.row_of(section) + 1)
                weights = self._data.weights
                if weights is None:
                    return number
                return f"{number}  × {general(weights[self.row_of(section)], 6)}"
            if role == Qt.ItemDataRole.ToolTipRole:
                count = "" if self._data.weights is None else "× is the count of the row. "
                return f"{count}Double-click to set this row as evidence in the active model."
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

    def variable(self, column: int) -> Variable:
        return self._data.domain.variables[column]

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
    """Delegate that edits a cell with a list of its states and “missing”; an imprecise one as text
    or with ticks."""

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        model = index.model()
        assert isinstance(model, DataTableModel)
        if model.is_imprecise:
            editor = SetEditor(parent, model.variable(index.column()))
            editor.left.connect(self._on_left)
            return editor
        combo = named(QComboBox(parent), "cellEditor", "State of this cell")
        for state in model.variable(index.column()).states:
            combo.addItem(state, state)
        combo.addItem(f"{MISSING_SYMBOL} {MISSING_TEXT}", None)
        combo.activated.connect(self._on_activated)
        return combo

    def _on_activated(self, _index: int) -> None:
        self._on_left()

    def _on_left(self) -> None:
        editor = self.sender()
        if isinstance(editor, QWidget):
            self.commitData.emit(editor)
            self.closeEditor.emit(editor)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        if isinstance(editor, SetEditor):
            editor.place(option.rect)
        else:
            super().updateEditorGeometry(editor, option, index)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, SetEditor):
            editor.show_text(index.data(Qt.ItemDataRole.EditRole))
        if isinstance(editor, QComboBox):
            state = index.data(Qt.ItemDataRole.EditRole)
            last = editor.count() - 1
            editor.setCurrentIndex(last if state is None else editor.findData(state))
            editor.showPopup()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, SetEditor):
            model.setData(index, editor.text.strip(), Qt.ItemDataRole.EditRole)
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentData(), Qt.ItemDataRole.EditRole)


class FilterBar(QWidget):
    """Row filters; `filters` maps a column to the states shown, None meaning missing."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("filterBar")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._domain = Domain(())
        self._filters: Filters = {}
        self._chips = QHBoxLayout()
        self._chips.setSpacing(6)
        self.add = button(
            "Filter",
            self._on_add,
            icon_name="funnel",
            tip="Show only rows with some states of a column",
            name="addFilter",
        )
        hbox(self, self.add, self._chips, None)

    @property
    def filters(self) -> Filters:
        return dict(self._filters)

    def show_domain(self, domain: Domain) -> None:
        """Set the columns to choose from; drop filters on columns and states that are gone."""
        if domain == self._domain:
            return
        self._domain = domain
        self._filters = {
            name: existing
            for name, states in self._filters.items()
            if name in domain
            and (existing := frozenset(s for s in states if s is None or s in domain[name].states))
        }
        self._rebuild()

    def set_filter(self, column: str, states: frozenset[str | None]) -> None:
        """Show only rows with these states; an empty set removes the filter."""
        if states:
            self._filters[column] = states
        else:
            self._filters.pop(column, None)
        self._rebuild()
        self.changed.emit()

    def toggle(self, column: str, state: str | None) -> None:
        self.set_filter(column, self._filters.get(column, frozenset()) ^ {state})

    def menu_of(self, column: str, parent: QWidget) -> QMenu:
        """Menu of the states of a column with check marks."""
        menu = named(QMenu(f"Show only {column}", parent), "filterMenu")
        chosen = self._filters.get(column, frozenset())
        states: list[str | None] = [*self._domain[column].states[:_MAX_STATES], None]
        for state in states:
            text = f"{MISSING_SYMBOL} {MISSING_TEXT}" if state is None else state
            action = menu.addAction(literal(text))
            action.setCheckable(True)
            action.setChecked(state in chosen)
            action.triggered.connect(partial(self._on_toggled, column, state))
        menu.addSeparator()
        menu.addAction("Show all rows", partial(self.set_filter, column, frozenset()))
        return menu

    def _on_toggled(self, column: str, state: str | None, _checked: bool) -> None:
        self.toggle(column, state)

    def _on_add(self) -> None:
        menu = named(QMenu(self), "filterColumns")
        for name in self._domain.names:
            sub = menu.addMenu(
                icon("funnel") if name in self._filters else icon("tag"), literal(name)
            )
            sub.aboutToShow.connect(partial(self._fill, sub, name))
        popup(menu, self.add.mapToGlobal(self.add.rect().bottomLeft()))

    def _fill(self, menu: QMenu, column: str) -> None:
        if menu.isEmpty():
            menu.addActions(self.menu_of(column, menu).actions())

    def _rebuild(self) -> None:
        empty(self._chips)
        for column, states in self._filters.items():
            text = " or ".join(MISSING_TEXT if s is None else s for s in _in_order(states))
            if len(text) > 28:
                text = f"{len(states)} states"
            chip = named(QPushButton(f"{column} = {text}"), f"filter:{column}")
            chip.setIcon(icon("x"))
            chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
            chip.setToolTip(f"Remove the filter on {column}")
            chip.setAccessibleName(f"Filter: {column} is {text}. Click to remove it.")
            chip.clicked.connect(partial(self._on_chip, column))
            self._chips.addWidget(chip)

    def _on_chip(self, column: str, _checked: bool = False) -> None:
        self.set_filter(column, frozenset())


def _in_order(states: frozenset[str | None]) -> list[str | None]:
    return sorted(states, key=lambda state: (state is None, state or ""))


class RowTable(GridView):
    """Table view of the rows; Del deletes the selected ones, Ctrl+C and Ctrl+V exchange them as
    text."""

    def __init__(self, tab: TableTab) -> None:
        super().__init__("dataGrid", "Rows of the data set", tip="", has_row_heads=True)
        self.setShowGrid(True)
        self._tab = tab

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) == Qt.Key.Key_Delete:
            self._tab.delete_selected_rows()
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            self._tab.copy()
            return
        if event.matches(QKeySequence.StandardKey.Paste):
            self._tab.paste()
            return
        super().keyPressEvent(event)


class TableTab(QWidget):
    """Row table of one data set; edits go through the document."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__()
        self.setObjectName("dataTable")
        self._app, self._data_id = app, data_id
        self._choice = RowChoice()
        self._latest_task = LatestTask(self, self._on_rows_ready, app.errors.report)
        data = app.project.data[data_id].data
        self.model = DataTableModel(data, self)
        self.model.sort_requested.connect(self._on_sort_requested)
        self.model.cell_edited.connect(self._on_cell_edited)
        self.view = self._make_view()
        self.filters = FilterBar()
        self.filters.changed.connect(self._on_filters_changed)
        self.filters.show_domain(data.domain)
        self.shown = label("", "secondary", size="dense", name="rowsShown")
        head = hbox(None, (self.filters, 1), self.shown, margins=(16, 6, 16, 6))
        vbox(self, head, (self.view, 1), spacing=0)
        theme().follow(self._restyle)
        self._restyle()
        self._refresh_count()

    def _make_view(self) -> RowTable:
        view = RowTable(self)
        view.setModel(self.model)
        view.setItemDelegate(StateDelegate(view))
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._on_row_menu)
        view.verticalHeader().sectionDoubleClicked.connect(self._on_row_head_double_clicked)
        head = view.horizontalHeader()
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSortIndicatorShown(True)
        head.setSortIndicatorClearable(True)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        head.sortIndicatorChanged.connect(self.model.sort)
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(self._on_head_menu)
        return view

    # -- the shown rows

    @property
    def data(self) -> DataSet:
        return self._app.project.data[self._data_id].data

    def show_data(self, data: DataSet) -> None:
        """Show changed data with the current sorting and filters."""
        self.filters.show_domain(data.domain)
        self._choice = RowChoice(
            self.filters.filters,
            self._choice.sort_by if (self._choice.sort_by or "") in data.domain else None,
            self._choice.descending,
        )
        self._update_rows(data)

    def _update_rows(self, data: DataSet) -> None:
        if self._choice.is_everything or data.row_count <= ROWS_AT_ONCE:
            self._latest_task.forget()
            self._show(data, rows_shown(data, self._choice))
        else:
            choice = self._choice
            self.shown.setText("Filtering…")

            def find(_cancel: CancelToken) -> tuple[DataSet, Rows | None]:
                return data, rows_shown(data, choice)

            self._latest_task.ask(find)

    def _on_rows_ready(self, result: tuple[DataSet, Rows | None]) -> None:
        self._show(*result)

    def _show(self, data: DataSet, rows: Rows | None) -> None:
        self.model.show(data, rows)
        self._refresh_count()

    def _refresh_count(self) -> None:
        total, shown = self.model.dataset.row_count, self.model.rowCount()
        text = (
            counted(total, "row")
            if shown == total
            else f"{grouped(shown)} of {grouped(total)} rows"
        )
        self.shown.setText(text)

    def _on_sort_requested(self, column: int, descending: bool) -> None:
        name = self.data.domain.names[column] if column >= 0 else None
        self._choice = RowChoice(self._choice.filters, name, descending)
        self._update_rows(self.data)

    def _on_filters_changed(self) -> None:
        self._choice = RowChoice(
            self.filters.filters, self._choice.sort_by, self._choice.descending
        )
        self._update_rows(self.data)

    # -- edits

    def selected_rows(self) -> list[int]:
        """Indices of the selected rows in the data set."""
        ranges = self.view.selectionModel().selection()
        blocks = [ranges.at(i) for i in range(ranges.size())]
        shown = {row for block in blocks for row in range(block.top(), block.bottom() + 1)}
        return sorted(self.model.row_of(row) for row in shown)

    def _on_cell_edited(self, row: int, column: str, state: str | None) -> None:
        value = state if state is not None else "missing"
        text = "" if state is None else state
        self._set_cells(f"Set {column} of row {row + 1} to {value}", {(row, column): text})

    def _set_cells(self, text: str, cells: Mapping[tuple[int, str], str]) -> bool:
        """Cells as they are typed, by row and column, in one step; refused if one is wrong."""
        edit = partial(edit_data, data_id=self._data_id, edit="with_typed_cells", cells=dict(cells))
        return self._app.change(text, edit)

    def copy(self) -> None:
        """Copy the selected rows as text with tabs, as they are shown in the columns."""
        rows, data = self.selected_rows(), self.data
        lines = [
            "\t".join(self._text(data, column, row) for column in range(len(data.domain)))
            for row in rows
        ]
        if lines:
            QApplication.clipboard().setText("\n".join(lines))
            self._app.notify(f"{counted(len(rows), 'row')} copied.")

    @staticmethod
    def _text(data: DataSet, column: int, row: int) -> str:
        text = cell_text(data, column, row, " ")
        is_missing = text == UNKNOWN and not isinstance(data, ImpreciseData)
        return "" if is_missing else text

    def paste(self) -> None:
        """Set cells to the text of the clipboard from the current one on; whole rows from the first
        column on. One cell of text is set in the column of all selected rows."""
        current = self.view.currentIndex()
        lines = QApplication.clipboard().text().rstrip("\n").split("\n")
        block = [line.rstrip("\r").split("\t") for line in lines]
        names, width = self.data.domain.names, max(map(len, block))
        if not current.isValid() or block == [[""]]:
            return
        column = 0 if width == len(names) else current.column()
        rows = [self.model.row_of(current.row())]
        if len(block) == width == 1:
            rows = self.selected_rows() or rows
            block *= len(rows)
        else:
            last = min(self.model.rowCount(), current.row() + len(block))
            rows = [self.model.row_of(shown) for shown in range(current.row(), last)]
        if len(block) > len(rows) or column + width > len(names):
            self._app.notify(
                f"Nothing was pasted: {counted(len(block), 'row')} × {width} on the clipboard do "
                f"not fit from row {rows[0] + 1} of {names[column]} on."
            )
            return
        cells = {
            (row, names[column + offset]): text
            for row, line in zip(rows, block, strict=True)
            for offset, text in enumerate(line)
        }
        self._set_cells(f"Paste {counted(len(cells), 'cell')}", cells)

    def delete_selected_rows(self) -> None:
        rows = self.selected_rows()
        if not rows:
            return
        had_split = self._app.project.data[self._data_id].split is not None
        edit = partial(edit_data, data_id=self._data_id, edit="drop_rows", rows=rows)
        if self._app.change(f"Delete {counted(len(rows), 'row')}", edit):
            note = " The split is no longer valid; split again." if had_split else ""
            self._app.notify(f"{counted(len(rows), 'row')} deleted.{note}", undo=True)

    def use_selected_row(self) -> None:
        """Set the first selected row as evidence in the active model."""
        rows = self.selected_rows()
        if rows:
            use_row_as_evidence(self._app, self.data, rows[0])

    def _on_row_head_double_clicked(self, shown: int) -> None:
        use_row_as_evidence(self._app, self.data, self.model.row_of(shown))

    # -- menus

    def _on_row_menu(self, position: QPoint) -> None:
        index = self.view.indexAt(position)
        if index.isValid() and not self.view.selectionModel().isSelected(index):
            flags = QItemSelectionModel.SelectionFlag
            self.view.selectionModel().select(index, flags.ClearAndSelect | flags.Rows)
        rows = len(self.selected_rows())
        menu = named(QMenu(self), "rowMenu")
        menu.setToolTipsVisible(True)
        evidence = menu.addAction(icon("flag"), "Use row as evidence", self.use_selected_row)
        reason = no_row_evidence_reason(self._app)
        evidence.setEnabled(rows > 0 and reason is None)
        evidence.setToolTip(
            f"Not now: {reason}" if reason else "Set the row as evidence in the active model."
        )
        delete = menu.addAction(
            icon("trash"), f"Delete {counted(rows, 'row')}", self.delete_selected_rows
        )
        delete.setEnabled(rows > 0)
        popup(menu, self.view.viewport().mapToGlobal(position))

    def _on_head_menu(self, position: QPoint) -> None:
        column = self.view.horizontalHeader().logicalIndexAt(position)
        if column >= 0:
            menu = self.filters.menu_of(self.data.domain.names[column], self)
            popup(menu, self.view.horizontalHeader().mapToGlobal(position))

    # -- Qt

    def _restyle(self) -> None:
        view = self.view
        metrics = QFontMetrics(theme().font("dense"))
        heads = QFontMetrics(theme().font("dense", "semibold"))
        most = round(_MAX_WIDTH * theme().scale)
        data = self.model.dataset
        sets: dict[int, set[str]] = {}
        if isinstance(data, ImpreciseData):
            for column, row in itertools.islice(data.sets, _SETS_MEASURED):
                sets.setdefault(column, set()).add(cell_text(data, column, row, " "))
        for column, variable in enumerate(self.model.dataset.domain):
            texts = [*variable.states[:40], *sets.get(column, ())]
            widest = max((metrics.horizontalAdvance(text) for text in texts), default=0)
            head = min(heads.horizontalAdvance(variable.name) + 34, _MAX_NAME * most // _MAX_WIDTH)
            view.setColumnWidth(column, max(min(most, widest + 16), head))
