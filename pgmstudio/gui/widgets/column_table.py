"""List of columns: tick, kind, small histogram, range or states, missing cells, a chip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from pgmstudio.core.number_format import grouped
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.style_sheet import mark
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import paint_mini_bars

Index = QModelIndex | QPersistentModelIndex
TICK = 0


class TickedRows(QAbstractTableModel):
    """Table model with a tick column; `ticked` requests a change of the tick of a row."""

    ticked = Signal(str, bool)
    rows: tuple[Any, ...] = ()  # each with a key

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == TICK else flags

    def setData(self, index: Index, value: Any, role: int = 0) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != TICK:
            return False
        self.ticked.emit(self.rows[index.row()].key, Qt.CheckState(value) == Qt.CheckState.Checked)
        return True


_, NAME, BARS, FACTS, MISSING, CHIP = range(6)
_ROW = Qt.ItemDataRole.UserRole
_MAX_NAME, _MIN_NAME = 150, 84  # px
_MAX_FACTS = 110
BRIEF_HEAD = "Values"  # short heading over both ranges and states


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """What the list shows of one column."""

    name: str
    is_number: bool
    bars: tuple[float, ...]
    facts: str
    missing: int
    chip: str = ""
    chip_is_warning: bool = False
    is_used: bool = True
    tip: str = ""

    @property
    def key(self) -> str:
        return self.name


class _Rows(TickedRows):
    rows: tuple[ColumnRow, ...] = ()

    def __init__(self, facts_head: str, chip_head: str, parent: QObject) -> None:
        super().__init__(parent)
        self._heads = ["", "Column", "", facts_head, "Missing", chip_head]

    def show(self, rows: Sequence[ColumnRow]) -> None:
        before, rows = self.rows, tuple(rows)
        if [row.name for row in before] == [row.name for row in rows]:
            self.rows = rows
            for position, (old, new) in enumerate(zip(before, rows, strict=True)):
                if old != new:
                    self.dataChanged.emit(self.index(position, 0), self.index(position, CHIP))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def set_header_text(self, text: str) -> None:
        """Over the facts."""
        if text != self._heads[FACTS]:
            self._heads[FACTS] = text
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, FACTS, FACTS)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._heads)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._heads[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section == MISSING else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        row = self.rows[index.row()]
        column = index.column()
        if role == _ROW:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            texts = {NAME: row.name, FACTS: row.facts, CHIP: row.chip}
            return grouped(row.missing) if column == MISSING else texts.get(column)
        if role == Qt.ItemDataRole.CheckStateRole and column == TICK:
            return Qt.CheckState.Checked if row.is_used else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.DecorationRole and column == NAME:
            return icon("hash" if row.is_number else "tag")
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._ink(row, column)
        if role == Qt.ItemDataRole.FontRole and column == MISSING and row.missing:
            return theme().font("dense", "semibold")
        if role == Qt.ItemDataRole.TextAlignmentRole and column == MISSING:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tip or row.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            kind = "numbers" if row.is_number else "states"
            return f"{row.name}, {kind}, {row.facts}, {row.missing} missing, {row.chip}"
        return None

    def _ink(self, row: ColumnRow, column: int) -> Any:
        if not row.is_used:
            return theme().color("text_disabled")
        if column == MISSING:
            return theme().color("warning_ink" if row.missing else "text_secondary")
        return theme().color("text_secondary") if column == FACTS else None


def dress_head(head: QHeaderView, *, quiet: bool = False) -> None:
    """Names straight above their cells, in the size of the cells; `quiet`: for row numbers."""
    mark(head, "textSize", "dense")
    mark(head, "role", "row-numbers" if quiet else "")


def paint_row_line(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """A hairline under the cell: rows are distinguishable without a grid."""
    painter.setPen(QPen(theme().color("border"), 1))
    painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())


class LinedRows(QStyledItemDelegate):
    """Cells as usual, with a hairline under each row."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        paint_row_line(painter, option)


class _Painter(QStyledItemDelegate):
    """Small histograms and chips; the rest as usual."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self._paint(painter, option, index)
        paint_row_line(painter, option)

    def _paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() not in (BARS, CHIP):
            super().paint(painter, option, index)
            return
        state: Any = option.state
        rect = QRectF(option.rect)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(rect, theme().color("selection"))
        row = index.data(_ROW)
        if not isinstance(row, ColumnRow):
            return
        if index.column() == BARS:
            bars = rect.adjusted(4, 5, -8, -6)
            paint_mini_bars(painter, bars, row.bars, dimmed=not row.is_used)
        elif row.chip:
            self._paint_chip(painter, rect, row, selected)

    def _paint_chip(self, painter: QPainter, rect: QRectF, row: ColumnRow, selected: bool) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme().font("caption", "semibold"))
        metrics = painter.fontMetrics()
        width = metrics.horizontalAdvance(row.chip) + 14.0
        height = metrics.height() + 3.0
        chip = QRectF(rect.right() - width - 8, rect.center().y() - height / 2, width, height)
        warn = row.chip_is_warning
        ground = "surface" if selected else "warning_soft" if warn else "sunken"
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color(ground))
        painter.drawRoundedRect(chip, height / 2, height / 2)
        ink = "warning_ink" if warn else "accent" if selected else "text_secondary"
        painter.setPen(theme().color(ink))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, row.chip)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        if index.column() == CHIP and isinstance(row := index.data(_ROW), ColumnRow):
            metrics = QFontMetrics(theme().font("caption", "semibold"))
            size.setWidth(metrics.horizontalAdvance(row.chip) + 28 if row.chip else 8)
        elif index.column() == TICK:  # its box grows with the font, which the style does not know
            size.setWidth(max(size.width(), theme().px("icon_small") + 6))
        return size


class ColumnList(QTableView):
    """Rows of `ColumnRow`; `picked` follows the current row."""

    picked = Signal(str)
    ticked = Signal(str, bool)

    def __init__(
        self,
        name: str,
        *,
        with_ticks: bool,
        facts_head: str = "Range or states",
        chip_head: str = "",
    ) -> None:
        """`chip_head`: heading of the chips, which then alone show the missing cells."""
        super().__init__()
        self._facts_head = facts_head
        self.setObjectName(name)
        self.setAccessibleName("Columns")
        self._rows = _Rows(facts_head, chip_head, self)
        self._rows.ticked.connect(self.ticked)
        self._filtered = QSortFilterProxyModel(self)
        self._filtered.setSourceModel(self._rows)
        self._filtered.setFilterKeyColumn(NAME)
        self._filtered.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setModel(self._filtered)
        self.setItemDelegate(_Painter(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.setColumnHidden(TICK, not with_ticks)
        self.setColumnHidden(MISSING, bool(chip_head))
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setMinimumSectionSize(8)
        for column in (TICK, MISSING, CHIP):
            head.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Interactive)
        head.setSectionResizeMode(BARS, QHeaderView.ResizeMode.Fixed)
        head.setSectionResizeMode(FACTS, QHeaderView.ResizeMode.Stretch)
        head.sectionResized.connect(self._fit_head)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_rows(self, rows: Sequence[ColumnRow]) -> None:
        self._rows.show(rows)
        self._size_names()
        if rows and not self.currentIndex().isValid():
            self.pick(rows[0].name)

    def find_columns(self, text: str) -> None:
        """Only columns whose name contains `text`."""
        self._filtered.setFilterFixedString(text)

    @property
    def current(self) -> str | None:
        """The name of the current column."""
        index = self._filtered.mapToSource(self.currentIndex())
        return self._rows.rows[index.row()].name if index.isValid() else None

    def pick(self, name: str) -> None:
        for position, row in enumerate(self._rows.rows):
            if row.name == name:
                index = self._filtered.mapFromSource(self._rows.index(position, NAME))
                if index.isValid():
                    self.setCurrentIndex(index)

    def toggle_current(self) -> None:
        """Tick or untick the current column."""
        index = self._filtered.mapToSource(self.currentIndex())
        if index.isValid():
            row = self._rows.rows[index.row()]
            self.ticked.emit(row.name, not row.is_used)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) == Qt.Key.Key_Space and not self.isColumnHidden(TICK):
            self.toggle_current()
            return
        super().keyPressEvent(event)

    def _on_current_changed(self, *_: object) -> None:
        if (name := self.current) is not None:
            self.picked.emit(name)

    def _fit_head(self, section: int, _before: int, width: int) -> None:
        """Shorten a heading that would be elided."""
        if section == FACTS:
            needed = QFontMetrics(theme().font("dense", "semibold")).horizontalAdvance
            whole = self._facts_head
            self._rows.set_header_text(whole if needed(whole) + 4 <= width else BRIEF_HEAD)

    def _size_names(self) -> None:
        """As wide as the longest name, within reason."""
        metrics = QFontMetrics(theme().font("dense"))
        names = [row.name for row in self._rows.rows]
        longest = max((metrics.horizontalAdvance(name) for name in names), default=0)
        most = min(round(_MAX_NAME * theme().scale), longest + theme().px("icon") + 18)
        # Ranges and states get their width first; an elided name is whole in its tooltip.
        facts = [*(row.facts for row in self._rows.rows), BRIEF_HEAD]
        needed = max(metrics.horizontalAdvance(text) for text in facts) + 12
        shown = (TICK, BARS, MISSING, CHIP)
        others = sum(self._width_of(column) for column in shown)
        space = self.viewport().width() - others - min(needed, round(_MAX_FACTS * theme().scale))
        least = min(most, round(_MIN_NAME * theme().scale))
        self.setColumnWidth(NAME, max(least, min(most, space)))

    def _width_of(self, column: int) -> int:
        return 0 if self.isColumnHidden(column) else self.columnWidth(column)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._size_names()

    def _restyle(self) -> None:
        self.setProperty("textSize", "dense")
        dress_head(self.horizontalHeader())
        self._size_names()
        self.verticalHeader().setDefaultSectionSize(round(theme().px("row") * 1.1))
        self.setColumnWidth(BARS, round(58 * theme().scale))
        self.viewport().update()
