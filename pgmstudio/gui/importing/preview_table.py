"""Preview table of the first rows of a file, with the bin of each discretised number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView

from pgmstudio.core.data.discretization import labels_of
from pgmstudio.core.data.imprecise import is_set_text, set_members
from pgmstudio.core.errors import DataError
from pgmstudio.core.inference.findings import Chip
from pgmstudio.core.io.data.formats.text_sniffing import number_of
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.grid_view import MARKS, CellMarks, GridView, Index

_MAX_WIDTH, _MAX_NAME = 190, 300  # px of a column, for its cells and for its name
_ROWS_MEASURED = 30


class _Cells(QAbstractTableModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.names: tuple[str, ...] = ()
        self.rows: tuple[tuple[str, ...], ...] = ()
        self.shown: tuple[int, ...] = ()  # indices of the columns that are shown
        self.markers: frozenset[str] = frozenset()
        self.has_sets = False  # {red,green} is a set of states
        self.cut: str | None = None
        self.points: tuple[float, ...] = ()
        self.labels: tuple[str, ...] = ()
        self.decimal = "."

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.shown)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.names[self.shown[section]]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        column_index = self.shown[index.column()]
        text = self.rows[index.row()][column_index].strip()
        is_missing = text in self.markers
        if role == Qt.ItemDataRole.DisplayRole:
            return text or "·"
        is_set = self.has_sets and is_set_text(text)
        if role == MARKS:
            if is_set:
                return CellMarks(chip=Chip(text, "", "warning"))
            becomes = None if is_missing else self.becomes(column_index, text)
            return None if becomes is None else CellMarks(note=f"→ {becomes}")
        if role == Qt.ItemDataRole.BackgroundRole:
            if is_missing:
                return QBrush(theme().color("warning_soft"))
            return (
                QBrush(theme().color("selection")) if self.names[column_index] == self.cut else None
            )
        if role == Qt.ItemDataRole.ForegroundRole and is_missing:
            return QBrush(theme().color("warning_ink"))
        if role == Qt.ItemDataRole.ToolTipRole:
            if is_set:
                return f"One of {', '.join(_members(text))}" if _members(text) else "Not a set"
            what = "any state" if self.has_sets else "missing"
            return f"{text or 'empty'}: {what}" if is_missing else text
        return None

    def becomes(self, column_index: int, text: str) -> str | None:
        """The bin of a number in the column that is discretised."""
        if self.names[column_index] != self.cut:
            return None
        number = number_of(text, self.decimal)
        if number is None:
            return None
        return self.labels[sum(number >= point for point in self.points)]


def _members(text: str) -> tuple[str, ...]:
    try:
        return set_members(text)
    except DataError:
        return ()


class PreviewTable(GridView):
    """Table of up to 200 rows as in the file."""

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            "First rows of the file",
            tip="The first rows as in the file, and their states after the import.",
        )
        self._cells = _Cells(self)
        self.setModel(self._cells)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.horizontalHeader().setSectionsClickable(False)

    def show_cells(
        self,
        names: Sequence[str],
        rows: Sequence[Sequence[str]],
        markers: Sequence[str],
        *,
        only: Sequence[str] | None = None,
        decimal: str = ".",
        has_sets: bool = False,
    ) -> None:
        """Show other rows; `only` names the columns to show; `has_sets`: {red,green} is a set."""
        cells = self._cells
        cells.beginResetModel()
        cells.names = tuple(names)
        cells.rows = tuple(tuple(row) for row in rows)
        selected = set(names if only is None else only)
        cells.shown = tuple(
            column_index for column_index, name in enumerate(names) if name in selected
        )
        cells.markers = frozenset(markers)
        cells.decimal = decimal
        cells.has_sets = has_sets
        cells.endResetModel()
        self._size_columns()

    def show_cuts(self, column: str | None, points: Sequence[float]) -> None:
        """Highlight the discretised column and show the bins of its cells."""
        cells = self._cells
        moved = column != cells.cut
        cells.cut, cells.points = column, tuple(points)
        cells.labels = labels_of(cells.points)
        if moved:
            self._size_columns()
            names = [cells.names[column_index] for column_index in cells.shown]
            if column in names:
                self.scrollTo(cells.index(self.rowAt(0), names.index(column)))
        self.viewport().update()

    def text_at(self, row: int, column: str) -> str:
        """Text of a cell: `233 → 200–240`."""
        column_index = self._cells.names.index(column)
        text = self._cells.rows[row][column_index]
        becomes = self._cells.becomes(column_index, text)
        return text if becomes is None else f"{text} → {becomes}"

    def _size_columns(self) -> None:
        cells = self._cells
        metrics = QFontMetrics(theme().font("dense"))
        heads = QFontMetrics(theme().font("dense", "semibold"))
        arrow = max((metrics.horizontalAdvance(f" → {name}") for name in cells.labels), default=0)
        high = round(_MAX_WIDTH * theme().scale)
        widths = []
        for column_index in cells.shown:
            texts = [row[column_index] for row in cells.rows[:_ROWS_MEASURED]]
            width = max((metrics.horizontalAdvance(text) for text in texts), default=0)
            if cells.names[column_index] == cells.cut:
                width += arrow + 12
            head = heads.horizontalAdvance(cells.names[column_index]) + 20
            widths.append(max(min(high, width + 20), min(head, _MAX_NAME * high // _MAX_WIDTH)))
        # A few columns are stretched, so that the table is as wide as the histogram above.
        spare = max(0, self.viewport().width() - sum(widths)) // max(1, len(widths))
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width + min(spare, high // 2))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._size_columns()

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 3 * theme().px("row"))

    def _restyle(self) -> None:
        super()._restyle()
        self._size_columns()
