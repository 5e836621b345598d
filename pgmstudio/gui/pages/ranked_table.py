"""A table of ranked things: a tick where wanted, a name, a bar, numbers; weak ones are greyed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from pgmstudio.gui.pages.column_list import dress_head, paint_row_line
from pgmstudio.gui.pages.ticked_rows import TICK, Index, TickedRows
from pgmstudio.gui.style.theme import theme

_, NAME, BAR = range(3)
_SHARE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class RankedRow:
    """`share` is the length of the bar, 0 to 1; `cells` are the numbers in words."""

    key: str
    name: str
    share: float
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
        head, tip = ("", "Kept") if section == TICK else self._heads[section - 1]
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
        if role == _SHARE:
            return row.share
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
        share = float(index.data(_SHARE) or 0.0)
        if share > 0:
            bar.setWidth(max(2.0, bar.width() * min(1.0, share)))
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
    """Rows in the order they are given; Space ticks, Delete wishes the row gone."""

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
        for place, row in enumerate(self.rows):
            if row.key == key:
                self.setCurrentIndex(self._rows.index(place, NAME))

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
        self.setFont(theme().font("dense"))
        dress_head(self.horizontalHeader())
        self.verticalHeader().setDefaultSectionSize(round(theme().px("row") * 1.1))
        self.viewport().update()
