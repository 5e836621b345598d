"""A joint belief as a grid: the last variable across, all others down; cells coloured by heat."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFontMetrics

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.pictures.svg_nodes import percent
from pgmstudio.gui.style.theme import theme

Index = QModelIndex | QPersistentModelIndex
STEPS = 8


class JointGrid(QAbstractTableModel):
    """Percentages; the deepest step of the ramp is the largest cell."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._variables: tuple[Variable, ...] = ()
        self._cells: NDArray[np.float64] = np.zeros((0, 0))
        self._largest = 1.0

    def show(self, variables: Sequence[Variable], table: NDArray[np.float64]) -> None:
        self.beginResetModel()
        self._variables = tuple(variables)
        self._cells = table.reshape(-1, table.shape[-1])
        self._largest = float(self._cells.max(initial=0.0)) or 1.0
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else int(self._cells.shape[0])

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else int(self._cells.shape[1])

    def row_states(self, row: int) -> list[str]:
        """The states of all variables but the last in a row."""
        places = np.unravel_index(row, [v.cardinality for v in self._variables[:-1]] or [1])
        pairs = zip(self._variables[:-1], places, strict=False)
        return [variable.states[int(place)] for variable, place in pairs]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        across = orientation == Qt.Orientation.Horizontal
        named = self._variables[-1:] if across else self._variables[:-1]
        states = [named[0].states[section]] if across else self.row_states(section)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                fifths = 1 if across else max(2, 5 - len(self._variables[-1].states))
                room = theme().px("right") * fifths // 5
                font = theme().font("dense", "semibold" if across else "regular")
                return shortened(states, room, QFontMetrics(font))
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                pairs = zip(named, states, strict=True)
                return ", ".join(f"{variable.name} = {state}" for variable, state in pairs)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        value = float(self._cells[index.row(), index.column()])
        step = min(STEPS - 1, int(STEPS * value / self._largest)) if value > 0 else 0
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return percent(value)
            case Qt.ItemDataRole.TextAlignmentRole:
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case Qt.ItemDataRole.BackgroundRole:
                return theme().sequential(step)
            case Qt.ItemDataRole.ForegroundRole:
                return theme().color("text" if step <= 4 else "surface")
            case Qt.ItemDataRole.FontRole:
                return theme().font("dense")
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                states = [*self.row_states(index.row()), self._variables[-1].states[index.column()]]
                pairs = zip(self._variables, states, strict=True)
                return ", ".join(f"{v.name} = {s}" for v, s in pairs) + f": {value:.6g}"
        return None


def shortened(states: Sequence[str], room: int, metrics: QFontMetrics) -> str:
    """The states side by side; where there is no room, the longest give way first.

    Where there is no room for a letter of each, the last are said: from row to row they differ.
    """
    between = metrics.horizontalAdvance(", ")
    widths = [metrics.horizontalAdvance(state) for state in states]
    free = room - between * (len(states) - 1)
    limit, left = free, len(states)
    for width in sorted(widths):  # a short one leaves its share to the longer ones
        limit = free // left
        if width > limit:
            break
        free, left = free - width, left - 1
        if not left:
            return ", ".join(states)
    middle = Qt.TextElideMode.ElideMiddle
    if limit < metrics.horizontalAdvance("m…"):
        return metrics.elidedText(", ".join(states), Qt.TextElideMode.ElideLeft, room)
    return ", ".join(
        metrics.elidedText(state, middle, limit) if width > limit else state
        for state, width in zip(states, widths, strict=True)
    )


def joint_text(variables: Sequence[Variable], table: NDArray[np.float64], separator: str) -> str:
    """One line per combination of states: the states, then the probability to all its digits."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow([*(variable.name for variable in variables), "probability"])
    rows = itertools.product(*(variable.states for variable in variables))
    for states, value in zip(rows, table.ravel().tolist(), strict=True):
        writer.writerow([*states, repr(value)])
    return text.getvalue()
