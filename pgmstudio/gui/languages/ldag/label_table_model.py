"""The table of a labelled variable as a grid: a row per configuration or block, its class first."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.languages.ldag.diagrams import ANY
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import star_rows
from pgmstudio.core.number_format import class_letter, grouped, parse_probability
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar
from pgmstudio.gui.widgets.chip import category_chip
from pgmstudio.gui.widgets.grid_view import MARKS, CellMarks

Index = QModelIndex | QPersistentModelIndex
Floats = NDArray[np.float64]

MAX_ROWS = 4096


@dataclass(frozen=True, eq=False, slots=True)
class GridRow:
    """A class and the configurations it stands for, ∗ for any state; rows of data by state."""

    number: int
    states: tuple[str, ...]
    counts: Floats | None

    @property
    def count(self) -> float | None:
        return None if self.counts is None else float(self.counts.sum())

    def observed(self, state: int) -> float | None:
        """The fraction of rows of data with a state; None without any rows."""
        total = self.count
        return None if self.counts is None or not total else float(self.counts[state] / total)


def full_rows(model: LabelledDag, name: str, counts: Floats | None) -> list[GridRow]:
    """Every configuration of the parents with its class."""
    classes = model.classes[model.domain.index(name)]
    parents = [model.domain[p] for p in model.dag.parents(name)]
    indices = itertools.islice(itertools.product(*(range(c) for c in classes.shape)), MAX_ROWS)
    return [
        GridRow(
            int(classes[position]),
            tuple(p.states[code] for p, code in zip(parents, position, strict=True)),
            None if counts is None else counts[position],
        )
        for position in indices
    ]


def reduced_rows(model: LabelledDag, name: str, counts: Floats | None) -> list[GridRow]:
    """The blocks of the classes, ∗ where a parent has no effect."""
    classes = model.classes[model.domain.index(name)]
    parents = [model.domain[p] for p in model.dag.parents(name)]
    rows = []
    for number, block in star_rows(classes)[:MAX_ROWS]:
        states = tuple(
            ANY if code is None else p.states[code] for p, code in zip(parents, block, strict=True)
        )
        chosen = tuple(slice(None) if code is None else slice(code, code + 1) for code in block)
        inside = None if counts is None else counts[chosen].reshape(-1, counts.shape[-1])
        rows.append(GridRow(number, states, None if inside is None else inside.sum(axis=0)))
    return sorted(rows, key=lambda row: row.number)


class LabelGrid(QAbstractTableModel):
    """Columns: class, a parent each, rows of data where known, then probabilities.

    A variable with two states also has a column for the observed fraction.
    """

    edited = Signal(int, int, float)  # class, state, probability

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.variable: Variable | None = None
        self.parents: tuple[str, ...] = ()
        self.rows: list[GridRow] = []
        self.values: Floats = np.zeros((0, 0))  # by class and state
        self.has_counts = False

    def show(
        self, variable: Variable, parents: tuple[str, ...], rows: list[GridRow], values: Floats
    ) -> None:
        self.beginResetModel()
        self.variable, self.parents, self.rows, self.values = variable, parents, rows, values
        self.has_counts = any(row.counts is not None for row in rows)
        self.endResetModel()

    # -- positions

    @property
    def shown_states(self) -> tuple[int, ...]:
        """Of two states only the second is shown; the first follows from it."""
        count = 0 if self.variable is None else self.variable.cardinality
        return (1,) if count == 2 else tuple(range(count))

    @property
    def first_number(self) -> int:
        """The first column with probabilities."""
        return 1 + len(self.parents) + (1 if self.has_counts else 0) + self._has_observed

    @property
    def _has_observed(self) -> bool:
        return self.has_counts and len(self.shown_states) == 1

    @property
    def observed_column(self) -> int:
        """The column of the observed fractions; −1 when each would need a column of its own."""
        return self.first_number - 1 if self._has_observed else -1

    def state_of(self, index: Index) -> int | None:
        position = index.column() - self.first_number
        return self.shown_states[position] if 0 <= position < len(self.shown_states) else None

    # -- Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if self.variable is None else self.first_number + len(self.shown_states)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal or self.variable is None:
            return None
        is_number = section > len(self.parents)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if section == 0:
            return "Class"
        if section <= len(self.parents):
            return self.parents[section - 1]
        if section == self.observed_column:
            return "Observed"
        if self.has_counts and section == len(self.parents) + 1:
            return "Rows"
        state = self.shown_states[section - self.first_number]
        return f"P({self.variable.name} = {self.variable.states[state]})"

    def flags(self, index: Index) -> Qt.ItemFlag:
        base = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return base | Qt.ItemFlag.ItemIsEditable if self.state_of(index) is not None else base

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column, state = self.rows[index.row()], index.column(), self.state_of(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column, state)
        if role == Qt.ItemDataRole.EditRole and state is not None:
            return f"{self.values[row.number, state]:.12g}"
        if role == MARKS and state is not None:
            value = float(self.values[row.number, state])
            return CellMarks(bar=Bar(value, tick=row.observed(state)))
        if role == MARKS and column == 0:
            return CellMarks(chip=category_chip(class_letter(row.number), row.number))
        if role == Qt.ItemDataRole.ForegroundRole and column == self.observed_column:
            return theme().color("text_tertiary")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft
            if column > len(self.parents):
                side = Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row, state)
        return None

    def _text(self, row: GridRow, column: int, state: int | None) -> str:
        if column == 0:
            return class_letter(row.number)
        if column <= len(self.parents):
            return row.states[column - 1]
        if column == self.observed_column:
            seen = row.observed(self.shown_states[0])
            return "–" if seen is None else f"{seen:.3f}"
        if state is None:
            return "" if row.count is None else grouped(round(row.count))
        return f"{self.values[row.number, state]:.3f}"

    def _tip(self, row: GridRow, state: int | None) -> str:
        letter = class_letter(row.number)
        many = sum(other.number == row.number for other in self.rows)
        if state is None or self.variable is None:
            return f"Class {letter}: {many} rows here share one distribution."
        given = ", ".join(f"{p} = {s}" for p, s in zip(self.parents, row.states, strict=True))
        what = f"P({self.variable.name} = {self.variable.states[state]}"
        text = f"{what} | {given})" if given else f"{what})"
        seen = row.observed(state)
        observed = "" if seen is None else f"\nObserved: {seen:.3f}, the tick on the bar."
        value = self.values[row.number, state]
        return (
            f"{text} = {value:.6g}, class {letter}. Editing it changes the whole class.{observed}"
        )

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        state, number = self.state_of(index), parse_probability(str(value))
        if state is None or number is None:
            return False
        row = self.rows[index.row()]
        if number != self.values[row.number, state]:
            self.edited.emit(row.number, state, number)
        return True


def with_probability(row: Floats, state: int, value: float) -> Floats:
    """The row with one number changed; the other states keep their proportions."""
    others = np.delete(row, state)
    rest, total = 1.0 - value, float(others.sum())
    fraction = others / total if total > 0 else np.full(others.size, 1 / max(1, others.size))
    return np.insert(fraction * rest, state, value)
