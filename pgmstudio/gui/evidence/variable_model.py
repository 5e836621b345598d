"""The model of the variables panel: its rows and the signals of their changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import ceil
from operator import attrgetter
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QAccessible

from pgmstudio.core.inference.findings import Chip
from pgmstudio.core.number_format import percent
from pgmstudio.gui.theme.theme import theme

Index = QModelIndex | QPersistentModelIndex
MINI_WIDTH, MINI_HEIGHT = 46, 14
MARGIN = 8
MAX_STATES = 8
MAX_ALONE = 24


@dataclass(frozen=True, slots=True)
class VariableRow:
    """The contents of a row; a row is repainted only when this value changes."""

    name: str
    title: str
    states: tuple[str, ...]
    fractions: tuple[float, ...] = ()  # beliefs, or fractions of rows; empty: not known
    chip: Chip | None = None
    chosen: str | None = None  # the observed state
    is_stale: bool = False
    cursor: int | None = None  # the focused state

    def shown(self) -> tuple[int, ...]:
        """All states, or the eight tallest in their order."""
        count = len(self.states)
        if count <= MAX_STATES:
            return tuple(range(count))
        size = self.fractions or (0.0,) * count
        return tuple(sorted(sorted(range(count), key=lambda i: (-size[i], i))[:MAX_STATES]))

    @property
    def description(self) -> str:
        parts = [self.title]
        if self.chip is not None:
            parts.append(self.chip.words)
        pairs = zip(self.states, self.fractions, strict=False)
        return ", ".join([*parts, *(f"{s} {percent(v)} percent" for s, v in pairs)])

    def columns(self, full: int, ratio: float) -> list[tuple[int, float]]:
        """The states of the mini bars and their heights in whole pixels of the screen.

        Rows with equal columns that differ only in fractions look the same.
        """
        if not self.fractions:
            return [(index, 1.0) for index in self.shown()]
        most, fractions = full * ratio, self.fractions
        # Half a pixel is not drawn: the lower edge is fixed and the upper one is rounded down.
        return [
            (i, max(1.0, ceil(most * min(1.0, fractions[i]) - 0.5) / ratio)) for i in self.shown()
        ]

    def differs_only_in_fractions(self, other: VariableRow) -> bool:
        """Whether only the beliefs differ, and both rows have them."""
        has_both = bool(self.fractions) and bool(other.fractions)
        return has_both and bool(_without_fractions(self) == _without_fractions(other))


_without_fractions = attrgetter(*(f.name for f in fields(VariableRow) if f.name != "fractions"))


class VariableRows(QAbstractListModel):
    """A list model; the panel sorts and filters."""

    bars_changed = Signal(object)  # row number → the row before, if only its bars changed

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: tuple[VariableRow, ...] = ()
        self._row_numbers: dict[str, int] = {}

    def show(self, rows: Sequence[VariableRow]) -> bool:
        """Show rows; True when rows were added, removed or moved, so that the selection is lost."""
        rows = tuple(rows)
        if [row.name for row in rows] == [row.name for row in self.rows]:
            before, self.rows = self.rows, rows
            self._emit_changes(before)
            return False
        self.beginResetModel()
        self.rows = rows
        self._row_numbers = {row.name: position for position, row in enumerate(rows)}
        self.endResetModel()
        return True

    def _emit_changes(self, before: Sequence[VariableRow]) -> None:
        others: list[int] = []
        bars: dict[int, VariableRow] = {}
        has_screen_reader = QAccessible.isActive()  # a screen reader needs every change
        for position, (old, new) in enumerate(zip(before, self.rows, strict=True)):
            if old is new or old == new:
                continue
            if not has_screen_reader and new.differs_only_in_fractions(old):
                bars[position] = old
            else:
                others.append(position)
        # For one row a view repaints that row, for a range everything it shows.
        few = len(others) <= MAX_ALONE
        for first, last in [(i, i) for i in others] if few else [(others[0], others[-1])]:
            self.dataChanged.emit(self.index(first), self.index(last))
        if bars:
            self.bars_changed.emit(bars)

    def index_of(self, name: str) -> QModelIndex:
        position = self._row_numbers.get(name)
        return QModelIndex() if position is None else self.index(position)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = 0) -> Any:
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.description
        return None


def mini_rect(row: QRect) -> QRect:
    """Where the mini bars of a row are; the whole height reacts to the pointer."""
    height = round(MINI_HEIGHT * theme().scale)
    return QRect(
        row.left() + MARGIN,
        row.center().y() - height // 2,
        round(MINI_WIDTH * theme().scale),
        height,
    )


def state_at(row: VariableRow, position: QRect, point: QPoint) -> int | None:
    """The state whose mini bar is under the point."""
    mini, shown = mini_rect(position), row.shown()
    if not shown or not mini.left() - 3 <= point.x() <= mini.right() + 3:
        return None
    step = mini.width() / len(shown)
    return shown[min(len(shown) - 1, max(0, int((point.x() - mini.left()) / step)))]
