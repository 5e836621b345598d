"""The grid of the table panel: its model, its view, and copying and pasting cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from pgmstudio.core.data.counting import plain_counts
from pgmstudio.core.data.transforms import fitted_to
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import DataError, PgmStudioError
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.labels import ColumnClasses, column_classes
from pgmstudio.core.languages.table_checks import ROW_SUM_TOLERANCE
from pgmstudio.core.number_format import class_letter, grouped, parse_probability
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import named
from pgmstudio.gui.widgets.chip import category_tint

Counts = NDArray[np.float64]


def family_counts(
    project: Project, entry: ModelEntry, network: BayesianNetwork, index: int
) -> Counts | None:
    """One axis for each parent and one for the variable; None where no data set fits them."""
    family = [network.domain.names[i] for i in (*network.dag.parent_indices[index], index)]
    ids = [entry.data_id] if entry.data_id else list(project.data)
    for data_id in ids:
        data = project.data[data_id].data if data_id in project.data else None
        if data is None or not all(name in data.domain for name in family):
            continue
        try:  # the same states, in whichever order
            rows = fitted_to(data, network.domain.restricted_to(family))
        except PgmStudioError:
            continue
        return plain_counts(rows, [rows.domain.index(name) for name in family])
    return None


Index = QModelIndex | QPersistentModelIndex
STEPS = 8
# Telling more columns apart takes longer than a typed number may.
MAX_SIMILAR = 1000


class TableGrid(QAbstractTableModel):
    """`values` has one row per combination of parent states and one column per state."""

    edited = Signal(int, int)  # combination, state

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.variable: Variable | None = None
        self.parents: tuple[Variable, ...] = ()
        self.combinations: list[tuple[str, ...]] = [()]
        self.values: NDArray[np.float64] = np.zeros((1, 0))
        self.counts: NDArray[np.float64] | None = None
        self.classes: ColumnClasses | None = None  # classes of similar columns; None: not marked
        self.editable = True
        self.why_locked = ""

    def show(
        self,
        variable: Variable,
        parents: Sequence[Variable],
        table: NDArray[np.float64],
        counts: NDArray[np.float64] | None,
    ) -> None:
        """Show a table; `counts` are the rows of data behind each combination."""
        if variable == self.variable and tuple(parents) == self.parents:
            # Only numbers are new: a reset would take the editor away from under the person.
            self.values = np.array(table, dtype=np.float64).reshape(-1, variable.cardinality)
            self.counts = counts
            self._all_changed()
            return
        self.beginResetModel()
        self.variable, self.parents = variable, tuple(parents)
        self.combinations = list(product(*(parent.states for parent in parents)))
        self.values = np.array(table, dtype=np.float64).reshape(-1, variable.cardinality)
        self.counts = counts
        self.endResetModel()

    def clear(self) -> None:
        self.beginResetModel()
        self.variable, self.parents, self.combinations = None, (), [()]
        self.values, self.counts = np.zeros((1, 0)), None
        self.endResetModel()

    # -- positions

    @property
    def head_rows(self) -> int:
        return len(self.parents)

    @property
    def state_count(self) -> int:
        return 0 if self.variable is None else self.variable.cardinality

    def cell_of(self, index: Index) -> tuple[int, int] | None:
        """(combination, state) of a number, or None for heads and feet."""
        state = index.row() - self.head_rows
        if index.column() < 1 or not 0 <= state < self.state_count:
            return None
        return index.column() - 1, state

    def wrong_columns(self) -> list[int]:
        """Combinations whose numbers do not sum to 1."""
        sums = self.values.sum(axis=1)
        return [int(c) for c in np.flatnonzero(np.abs(sums - 1) > ROW_SUM_TOLERANCE)]

    def mark_similar(self, epsilon: float | None) -> None:
        """Mark columns that differ by at most ε with the same letter and tint; None: no marks."""
        shows = epsilon is not None and 1 < len(self.combinations) <= MAX_SIMILAR
        result = column_classes(self.values, epsilon) if shows and epsilon is not None else None
        if (result is None) != (self.classes is None):
            self.beginResetModel()  # a row more or less
            self.classes = result
            self.endResetModel()
        else:
            self.classes = result
            self._all_changed()

    def set_values(self, values: NDArray[np.float64]) -> None:
        self.values = np.array(values, dtype=np.float64)
        self._all_changed()

    def _all_changed(self) -> None:
        if self.rowCount() and self.columnCount():
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    # -- Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        if self.variable is None:
            return 0
        feet = 1 + (self.classes is not None) + (self.counts is not None)
        return self.head_rows + self.state_count + feet

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if self.variable is None else 1 + len(self.combinations)

    def flags(self, index: Index) -> Qt.ItemFlag:
        base = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if self.cell_of(index) is not None and self.editable:
            return base | Qt.ItemFlag.ItemIsEditable
        return base

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        cell = self.cell_of(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(index)
        if role == Qt.ItemDataRole.EditRole and cell is not None:
            return f"{self.values[cell]:.12g}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = (
                Qt.AlignmentFlag.AlignLeft
                if index.column() == 0
                else (Qt.AlignmentFlag.AlignHCenter)
            )
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.BackgroundRole:
            return self._background(index)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._ink(index)
        if role == Qt.ItemDataRole.DecorationRole and self._is_sum(index) and index.column():
            right = (index.column() - 1) not in self._wrong
            return icon("check", "success_ink") if right else icon("warning-circle", "danger_ink")
        if role == Qt.ItemDataRole.FontRole and (
            index.column() == 0 or self._is_sum(index) or self._is_similar(index)
        ):
            return theme().font("dense", "semibold")
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(index)
        return None

    @property
    def _wrong(self) -> set[int]:
        return set(self.wrong_columns())

    def _is_similar(self, index: Index) -> bool:
        position = self.head_rows + self.state_count + 1
        return self.classes is not None and index.row() == position

    def _class_of(self, index: Index) -> int | None:
        """The class of a column; None if no columns are marked."""
        if self.classes is None or not 0 < index.column() <= len(self.classes.classes):
            return None
        return self.classes.classes[index.column() - 1]

    def _is_sum(self, index: Index) -> bool:
        return index.row() == self.head_rows + self.state_count

    def _text(self, index: Index) -> str:
        assert self.variable is not None
        row, column = index.row(), index.column()
        state = row - self.head_rows
        if row < self.head_rows:
            return self.parents[row].name if column == 0 else self.combinations[column - 1][row]
        if state < self.state_count:
            if column == 0:
                return self.variable.states[state]
            return _short(self.values[column - 1, state])
        if self._is_sum(index):
            return "Sum" if column == 0 else _sum_text(float(self.values[column - 1].sum()))
        if self._is_similar(index):
            number = self._class_of(index)
            return "Similar" if column == 0 else "" if number is None else class_letter(number)
        assert self.counts is not None
        return "Rows in data" if column == 0 else grouped(round(self.counts[column - 1]))

    def _background(self, index: Index) -> QColor | None:
        cell = self.cell_of(index)
        if cell is not None:
            fraction = min(1.0, max(0.0, float(self.values[cell])))
            return theme().sequential(int(fraction * (STEPS - 3) + 0.2))
        number = self._class_of(index)
        if number is not None and self._is_similar(index):
            return category_tint(number)
        if index.column() == 0 or index.row() < self.head_rows:
            return theme().color("sunken")
        return None

    def _ink(self, index: Index) -> QColor:
        cell = self.cell_of(index)
        if cell is not None:
            dark = int(min(1.0, float(self.values[cell])) * (STEPS - 3) + 0.2) > 4
            return theme().color("surface" if dark else "text")
        if self._is_sum(index) and index.column():
            wrong = (index.column() - 1) in self._wrong
            return theme().color("danger_ink" if wrong else "success_ink")
        if self._is_similar(index) and index.column():
            return theme().color("text")
        return theme().color("text_secondary" if index.row() >= self.head_rows else "text")

    def _tip(self, index: Index) -> str:
        cell = self.cell_of(index)
        if self._is_similar(index) and index.column():
            return "Columns of one letter differ by no more than ε in any probability."
        if cell is None or self.variable is None:
            return ""
        given = ", ".join(
            f"{parent.name} = {state}"
            for parent, state in zip(self.parents, self.combinations[cell[0]], strict=True)
        )
        what = f"P({self.variable.name} = {self.variable.states[cell[1]]}"
        text = f"{what} | {given})" if given else f"{what})"
        return f"{text} = {self.values[cell]:.6g}" + (
            "" if self.editable else f". {self.why_locked}"
        )

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        cell = self.cell_of(index)
        number = parse_probability(str(value))
        if cell is None or number is None or not self.editable:
            return False
        if number == self.values[cell]:
            return True
        self.values[cell] = number
        self._all_changed()
        self.edited.emit(*cell)
        return True


def _short(value: float) -> str:
    text = f"{value:.4f}".rstrip("0")
    if len(text.partition(".")[2]) < 2:
        text = f"{value:.2f}"
    return f"{value:.2g}" if 0 < value < 0.00005 else text


def _sum_text(total: float) -> str:
    """Two digits, and as many more as it takes to see that it is not 1."""
    text = f"{total:.2f}"
    return text if abs(float(text) - total) <= ROW_SUM_TOLERANCE else f"{total:.4g}"


def table_text(grid: TableGrid, cells: Sequence[tuple[int, int]]) -> str:
    """The selected numbers as a block; with fewer than two of them the whole table with heads."""
    if grid.variable is None:
        return ""
    if len(cells) >= 2:
        columns = sorted({column for column, _ in cells})
        states = sorted({state for _, state in cells})
        chosen = [[_exact(grid.values[c, s]) for c in columns] for s in states]
        return "\n".join("\t".join(line) for line in chosen)
    lines = [
        [parent.name, *(combination[number] for combination in grid.combinations)]
        for number, parent in enumerate(grid.parents)
    ]
    for state, name in enumerate(grid.variable.states):
        lines.append([name, *(_exact(value) for value in grid.values[:, state])])
    return "\n".join("\t".join(line) for line in lines)


def _exact(value: float) -> str:
    """The fewest digits that come back as the same number."""
    return repr(float(value))


def pasted(grid: TableGrid, text: str, start: tuple[int, int]) -> NDArray[np.float64]:
    """The table with the numbers of `text` in it; DataError explains what does not fit.

    A whole table copied with its heads goes back to where it came from; a block of numbers goes to
    the cell `start` = (column, state) and to the right of and below it.
    """
    lines = [line.split("\t") for line in text.replace("\r", "").split("\n") if line.strip()]
    if not lines:
        raise DataError("The clipboard holds no numbers.")
    assert grid.variable is not None
    states = grid.variable.states
    heads = len(lines) - len(states)
    if heads >= 0 and [line[0].strip() for line in lines[heads:]] == list(states):
        lines, start = [line[1:] for line in lines[heads:]], (0, 0)
    values = grid.values.copy()
    column, state = start
    width = max(len(line) for line in lines)
    if state + len(lines) > values.shape[1] or column + width > values.shape[0]:
        raise DataError(
            f"The clipboard has {len(lines)} × {width} numbers; from here on the table has "
            f"{values.shape[1] - state} × {values.shape[0] - column}."
        )
    for down, line in enumerate(lines):
        for right, word in enumerate(line):
            number = parse_probability(word)
            if number is None:
                raise DataError(
                    f"“{word.strip()}” in row {down + 1}, column {right + 1} of the clipboard "
                    "is no number from 0 to 1."
                )
            values[column + right, state + down] = number
    return values


# Merged heads are slow to lay out when there are very many columns.
MAX_SPANNED = 600
# The largest width of columns of numbers, in pixels.
MIN_WIDTH, MAX_WIDTH = 72, 144
_SIGN_GAP = 6


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
        named(
            self,
            "tableGrid",
            "Table of the selected variable",
            "Type a number or a percentage; Ctrl+C and Ctrl+V exchange with spreadsheets.",
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
