"""Grid of differences in bits per row: darker is worse, improvements are bold with a +."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QRectF,
    Qt,
)
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from pgmstudio.core.number_format import signed
from pgmstudio.gui.plots.matrix_plot import LIGHT_STEPS, step_of
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.grid_view import GridView, Index

Cells = Sequence[Sequence[float | None]]
_VALUE = Qt.ItemDataRole.UserRole


def difference_text(value: float | None) -> str:
    """A difference with three digits and a sign."""
    if value is None:
        return ""
    return "0" if abs(value) < 0.0005 else signed(value)


class _Cells(QAbstractTableModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: tuple[str, ...] = ()
        self.columns: tuple[str, ...] = ()
        self.cells: Cells = ()
        self.tips: Sequence[Sequence[str]] = ()

    def show(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        cells: Cells,
        tips: Sequence[Sequence[str]],
    ) -> None:
        self.beginResetModel()
        self.rows, self.columns, self.cells, self.tips = tuple(rows), tuple(columns), cells, tips
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        is_across = orientation is Qt.Orientation.Horizontal
        names = self.columns if is_across else self.rows
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return names[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignHCenter if is_across else Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        value = self.cells[index.row()][index.column()]
        if role == _VALUE:
            return value
        if role == Qt.ItemDataRole.DisplayRole:
            return difference_text(value)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.tips[index.row()][index.column()]
        return None


class _Painter(QStyledItemDelegate):
    worst = 1.0

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        value = index.data(_VALUE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect).adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        step = 0
        if value is None:
            painter.setBrush(theme().color("surface"))
        else:
            step = step_of(-value, self.worst) if value < 0 and math.isfinite(value) else 0
            step = 7 if value == -math.inf else step
            painter.setBrush(theme().sequential(step))
        painter.drawRoundedRect(box, 2, 2)
        is_better = value is not None and value >= 0.0005
        painter.setFont(theme().font("caption", "semibold" if is_better else "regular"))
        painter.setPen(theme().color("surface" if step >= LIGHT_STEPS else "text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, difference_text(value))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
            painter.drawRoundedRect(box, 2, 2)
        painter.restore()


class DifferenceGrid(GridView):
    """Scrolling grid with row and column names."""

    def __init__(self, name: str, title: str) -> None:
        super().__init__(name, title, has_row_heads=True)
        self._cells = _Cells(self)
        self._painter = _Painter(self)
        self.setModel(self._cells)
        self.setItemDelegate(self._painter)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        for head in (self.horizontalHeader(), self.verticalHeader()):
            head.setSectionsClickable(False)
            head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMaximumWidth(160)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._restyle()

    @property
    def values(self) -> dict[tuple[str, str], float | None]:
        """All cells by row and column."""
        shown = self._cells
        return {
            (row, column): shown.cells[i][j]
            for i, row in enumerate(shown.rows)
            for j, column in enumerate(shown.columns)
        }

    def show_cells(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        cells: Cells,
        tips: Sequence[Sequence[str]],
    ) -> None:
        """Show other differences; the largest loss has the darkest colour."""
        known = [-v for line in cells for v in line if v is not None and math.isfinite(v)]
        self._painter.worst = max([*known, 1e-9])
        self._cells.show(rows, columns, cells, tips)
        self._fit()

    def _fit(self) -> None:
        names = self._cells.columns
        metrics = QFontMetricsF(theme().font("dense", "semibold"))
        numbers = QFontMetricsF(theme().font("caption", "semibold"))
        texts = [difference_text(value) for line in self._cells.cells for value in line]
        number = max(map(numbers.horizontalAdvance, [*texts, "−0.000"])) + 2
        for column, name in enumerate(names):
            self.setColumnWidth(column, round(max(number, metrics.horizontalAdvance(name)) + 6))

    def _restyle(self) -> None:
        super()._restyle()
        self.verticalHeader().setDefaultSectionSize(round(22 * theme().scale))
        self._fit()
