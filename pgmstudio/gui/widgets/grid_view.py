"""The look of every table: headings that sort, hairlines under rows, bars and chips in cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
)

from pgmstudio.core.inference.findings import Chip
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.style_sheet import mark
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar, paint_mini_bars
from pgmstudio.gui.widgets.basic import named
from pgmstudio.gui.widgets.chip import chip_size, paint_chip
from pgmstudio.gui.widgets.number_help import show_number_card
from pgmstudio.gui.widgets.short_names import ShortNames

Index = QModelIndex | QPersistentModelIndex
MARKS = Qt.ItemDataRole.UserRole  # a `CellMarks`, or nothing
EXPLAINED = Qt.ItemDataRole.UserRole + 1  # of a heading: the number that “?” explains
BAR_HEIGHT, PROGRESS_HEIGHT, PROGRESS_WIDTH = 9, 4, 58  # px at 100 %
_MIN_BAR = 24  # px; a shorter bar shows nothing
_NUMBER_WIDTH = 68  # px right of a bar
_MARGIN = 4  # px at each side of a cell


@dataclass(frozen=True, slots=True)
class CellMarks:
    """What a cell shows besides its text."""

    bar: Bar | None = None  # alone, or left of a number
    progress: float | None = None  # a thin bar before the text
    chip: Chip | None = None  # instead of the text
    histogram: Sequence[float] = ()
    note: str = ""  # after the text, in grey
    is_dimmed: bool = False
    spans: bool = False  # a message over several columns, from the left


def paint_row_line(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """A hairline under the cell: rows are distinguishable without a grid."""
    painter.setPen(QPen(theme().color("border"), 1))
    painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())


class CellDelegate(QStyledItemDelegate):
    """Paints a cell with its marks and a hairline under it."""

    gap = 0  # px more for each column that is as wide as its contents
    short_texts: Mapping[int, Mapping[str, str]] = {}  # by column, what is drawn for a text

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        marks = index.data(MARKS)
        if marks is not None and marks.chip is not None:
            option.text = ""  # the chip has it
        elif (short := self.short_texts.get(index.column())) is not None:
            option.text = short.get(option.text, option.text)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        marks = index.data(MARKS)
        if marks is None:
            super().paint(painter, option, index)
        else:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_marked(painter, option, index, marks)
            painter.restore()
        paint_row_line(painter, option)

    def _paint_marked(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, marks: CellMarks
    ) -> None:
        cell, is_right = option.rect, _is_right(index)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected:
            painter.fillRect(cell, theme().color("selection"))
        text = QStyleOptionViewItem(option)
        text.rect = QRect(cell)
        note_area = self._note_area(text, index, marks.note, is_right) if marks.note else None
        if note_area is None and marks.progress is not None:
            text.rect.setLeft(self._paint_progress(painter, cell, marks.progress))
        super().paint(painter, text, index)
        if note_area is not None:  # over the background of the cell
            self._paint_note(painter, note_area, marks.note)
        if marks.bar is not None:
            self._paint_bar(painter, cell, marks.bar, has_text=bool(index.data()))
        if marks.chip is not None:
            size = chip_size(marks.chip, cell.width() - 2 * _MARGIN)
            left = cell.right() - 2 * _MARGIN - size.width() if is_right else cell.left() + _MARGIN
            corner = QPoint(left, cell.center().y() - size.height() // 2)
            paint_chip(painter, QRect(corner, size), marks.chip, is_selected=is_selected)
        if marks.histogram:
            area = QRectF(cell).adjusted(_MARGIN, 5, -2 * _MARGIN, -6)
            paint_mini_bars(painter, area, marks.histogram, dimmed=marks.is_dimmed)

    def _paint_bar(self, painter: QPainter, cell: QRect, bar: Bar, *, has_text: bool) -> None:
        height = BAR_HEIGHT * theme().scale
        right = _NUMBER_WIDTH * theme().scale if has_text else 2 * _MARGIN
        left = 2 * _MARGIN if has_text else _MARGIN  # the number before it ends at the cell
        track = QRectF(cell).adjusted(left, 0, -right, 0)
        track.setTop(QRectF(cell).center().y() - height / 2)
        track.setHeight(height)
        if track.width() >= _MIN_BAR:
            paint_bar(painter, track, bar)

    def _paint_progress(self, painter: QPainter, cell: QRect, fraction: float) -> int:
        """Returns where the text begins."""
        wide, high = (round(px * theme().scale) for px in (PROGRESS_WIDTH, PROGRESS_HEIGHT))
        top = cell.center().y() - high // 2 + 1
        paint_bar(painter, QRectF(cell.left() + _MARGIN, top, wide, high), Bar(fraction, "accent"))
        return cell.left() + wide + 2 * _MARGIN

    def _note_area(
        self, text: QStyleOptionViewItem, index: Index, note: str, is_right: bool
    ) -> QRect:
        """Where the note is; the text gets the rest of the cell."""
        metrics = QFontMetrics(theme().font("dense"))
        area = QRect(text.rect).adjusted(_MARGIN, 0, -_MARGIN, 0)
        if is_right:
            width = min(metrics.horizontalAdvance(note), area.width())
            area.setLeft(area.right() - width)
            text.rect.setRight(area.left() - 1)
        else:
            area.setLeft(area.left() + metrics.horizontalAdvance(f"{index.data()} "))
        return area

    def _paint_note(self, painter: QPainter, area: QRect, note: str) -> None:
        font = theme().font("dense")
        painter.setFont(font)
        painter.setPen(theme().color("text_secondary"))
        shown = QFontMetrics(font).elidedText(note, Qt.TextElideMode.ElideRight, area.width() + 1)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, shown)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        marks = index.data(MARKS)
        if marks is not None and marks.spans:
            size.setWidth(0)
        elif marks is not None and marks.chip is not None:
            size.setWidth(chip_size(marks.chip).width() + 3 * _MARGIN + 2)
        elif marks is not None and marks.note:
            metrics = QFontMetrics(theme().font("dense"))
            size.setWidth(size.width() + metrics.horizontalAdvance(f" {marks.note}"))
        if index.data(Qt.ItemDataRole.CheckStateRole) is not None:
            # The box grows with the font, which the style does not know.
            size.setWidth(max(size.width(), theme().px("icon_small") + 6))
        else:
            size.setWidth(size.width() + self.gap)
        return size


_RIGHT = Qt.AlignmentFlag.AlignRight.value


def _is_right(index: Index) -> bool:
    return bool(int(index.data(Qt.ItemDataRole.TextAlignmentRole) or 0) & _RIGHT)


_HEAD_PADDING = 4  # px at each side, as the sheets of heads have it, and one more
_HELP_SIDE, _HELP_GAP = 13, 3  # px at 100 %: the “?” beside a heading


class SortHead(QHeaderView):
    """Header whose sort arrow follows the text; the style would draw it over the text.

    A heading whose number can be explained has a “?” beside it, or, where there is no room, over
    its left end while the pointer is there.
    """

    has_room_for_help = True  # columns as wide as their contents have room for the “?”

    def __init__(self, table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.setSectionsClickable(True)
        self.setMouseTracking(True)
        self._hovered = -1
        self._short = ShortNames()
        table.setHorizontalHeader(self)

    def heading(self, section: int, name: str) -> str:
        """Elided heading of a column, with an arrow if the table is sorted by it."""
        arrow = ""
        if self.isSortIndicatorShown() and section == self.sortIndicatorSection():
            is_up = self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
            arrow = " ▴" if is_up else " ▾"
        metrics = self._metrics()
        used = 2 * _HEAD_PADDING + metrics.horizontalAdvance(arrow)
        available = self.sectionSize(section) - used
        if metrics.horizontalAdvance(name) <= available:
            return name + arrow
        if name not in self._short.names:  # of another model
            self._short = ShortNames(self._headings())
        return self._short.shorten(name, metrics, self.font().toString(), available) + arrow

    def _headings(self) -> list[str]:
        model = self.model()
        return [
            str(model.headerData(section, Qt.Orientation.Horizontal) or "")
            for section in range(model.columnCount())
        ]

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        option.text = self.heading(section, option.text)
        option.sortIndicator = QStyleOptionHeader.SortIndicator.None_

    # -- what a number is

    def help_area(self, section: int) -> QRect | None:
        """Where the “?” of a heading is, in the viewport; None if none is shown."""
        if not self._number(section):
            return None
        name = str(self._data(section, Qt.ItemDataRole.DisplayRole) or "")
        text = self._metrics().horizontalAdvance(self.heading(section, name))
        side, gap = (round(px * theme().scale) for px in (_HELP_SIDE, _HELP_GAP))
        left = self.sectionViewportPosition(section)
        right = left + self.sectionSize(section)
        if int(self._data(section, Qt.ItemDataRole.TextAlignmentRole) or 0) & _RIGHT:
            corner = right - _HEAD_PADDING - text - gap - side
        else:
            corner = left + _HEAD_PADDING + text + gap
        if corner < left or corner + side > right:
            if section != self._hovered:
                return None
            corner = left
        return QRect(corner, (self.viewport().height() - side) // 2, side, side)

    def sectionSizeFromContents(self, section: int) -> QSize:
        size = super().sectionSizeFromContents(section)
        if self.has_room_for_help and self._number(section):
            size.setWidth(size.width() + round((_HELP_SIDE + _HELP_GAP) * theme().scale))
        return size

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        painter.save()
        super().paintSection(painter, rect, section)
        painter.restore()
        area = self.help_area(section)
        if area is not None:
            if area.left() == rect.left():  # over the text
                painter.fillRect(area, theme().color("surface"))
            icon("question", "text_tertiary").paint(painter, area)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = event.position().toPoint()
        section = self.logicalIndexAt(position)
        area = self.help_area(section) if section >= 0 else None
        if area is None or not area.adjusted(-2, -2, 2, 2).contains(position):
            super().mousePressEvent(event)
        else:
            name = str(self._data(section, Qt.ItemDataRole.DisplayRole)).strip()
            show_number_card(name, self._number(section), self.viewport(), area)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.logicalIndexAt(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, section: int) -> None:
        if section != self._hovered:
            self._hovered = section
            self.viewport().update()

    def _number(self, section: int) -> str:
        return str(self._data(section, EXPLAINED) or "")

    def _data(self, section: int, role: int) -> Any:
        return self.model().headerData(section, Qt.Orientation.Horizontal, role)

    def _metrics(self) -> QFontMetrics:
        font = QFont(self.font())
        # As in the style sheet, which does not change the font.
        font.setWeight(QFont.Weight.DemiBold)
        return QFontMetrics(font)


def dress_head(head: QHeaderView, *, quiet: bool = False) -> None:
    """Names straight above their cells, in the size of the cells; `quiet`: for row numbers."""
    mark(head, "textSize", "dense")
    mark(head, "role", "row-numbers" if quiet else "")


class GridView(QTableView):
    """A table in the look of the window, for any model; rows are as high as the font needs."""

    def __init__(
        self,
        name: str,
        title: str,
        *,
        tip: str | None = None,
        row_height: float = 1.0,
        has_row_heads: bool = False,
    ) -> None:
        """`row_height`: in rows of the theme."""
        super().__init__()
        named(self, name, title, title if tip is None else tip)
        self._row_height = row_height
        self.delegate = CellDelegate(self)
        self.setItemDelegate(self.delegate)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        head = SortHead(self)
        head.setHighlightSections(False)
        side = self.verticalHeader()
        side.setVisible(has_row_heads)
        side.setHighlightSections(False)
        # A fixed row height makes a million rows as cheap as ten.
        side.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        side.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setProperty("textSize", "dense")
        dress_head(head)
        dress_head(side, quiet=True)
        theme().changed.connect(self._restyle)
        GridView._restyle(self)

    def _restyle(self) -> None:
        self.verticalHeader().setDefaultSectionSize(round(theme().px("row") * self._row_height))
        self.viewport().update()
