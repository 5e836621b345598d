"""The rows of the variables panel: what each shows, in which order, and how it is painted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pgmstudio.core.pictures.svg_nodes import percent
from pgmstudio.gui.document.evidence_words import Chip
from pgmstudio.gui.panels.chip_label import chip_size, paint_chip
from pgmstudio.gui.style.theme import theme

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
MINI_WIDTH, MINI_HEIGHT, MINI_GAP = 46, 14, 9
MARGIN = 8
MOST_STATES = 8
MOST_ALONE = 24


@dataclass(frozen=True, slots=True)
class VariableRow:
    """Two equal rows look alike, so a row is only repainted when it differs."""

    name: str
    title: str
    states: tuple[str, ...]
    shares: tuple[float, ...] = ()  # belief, or share of the data's rows; empty: not known
    chip: Chip | None = None
    chosen: str | None = None  # the observed state
    is_stale: bool = False
    cursor: int | None = None  # the state the keyboard is on

    def shown(self) -> tuple[int, ...]:
        """All states, or the eight tallest in their order."""
        count = len(self.states)
        if count <= MOST_STATES:
            return tuple(range(count))
        size = self.shares or (0.0,) * count
        return tuple(sorted(sorted(range(count), key=lambda i: (-size[i], i))[:MOST_STATES]))

    @property
    def description(self) -> str:
        words = [self.title]
        if self.chip is not None:
            words.append(self.chip.words)
        pairs = zip(self.states, self.shares, strict=False)
        return ", ".join([*words, *(f"{s} {percent(v)} percent" for s, v in pairs)])


class VariableRows(QAbstractListModel):
    """A flat list; the panel decides on order and filter."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: tuple[VariableRow, ...] = ()
        self._places: dict[str, int] = {}

    def show(self, rows: Sequence[VariableRow]) -> bool:
        """True when rows came, went or moved, so that a selection has to be made again."""
        rows = tuple(rows)
        if [row.name for row in rows] == [row.name for row in self.rows]:
            before, self.rows = self.rows, rows
            changed = [i for i, (a, b) in enumerate(zip(before, rows, strict=True)) if a != b]
            # A view paints one row for one, but all it shows for a range.
            few = len(changed) <= MOST_ALONE
            spans = [(i, i) for i in changed] if few else [(changed[0], changed[-1])]
            for first, last in spans:
                self.dataChanged.emit(self.index(first), self.index(last))
            return False
        self.beginResetModel()
        self.rows = rows
        self._places = {row.name: place for place, row in enumerate(rows)}
        self.endResetModel()
        return True

    def place_of(self, name: str) -> QModelIndex:
        place = self._places.get(name)
        return QModelIndex() if place is None else self.index(place)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = 0) -> Any:
        row = self.rows[index.row()]
        if role == ROW:
            return row
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


def state_at(row: VariableRow, place: QRect, point: QPoint) -> int | None:
    """The state whose mini bar is under the point."""
    mini, shown = mini_rect(place), row.shown()
    if not shown or not mini.left() - 3 <= point.x() <= mini.right() + 3:
        return None
    step = mini.width() / len(shown)
    return shown[min(len(shown) - 1, max(0, int((point.x() - mini.left()) / step)))]


class VariableDelegate(QStyledItemDelegate):
    """Mini bars, name, at most one chip."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics = QFontMetrics(theme().font("body"))
        return QSize(120, max(theme().px("row") + 1, metrics.height() + 6))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: VariableRow = index.data(ROW)
        place: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        self._paint_ground(painter, place, state)
        paint_mini(painter, mini_rect(place), row)
        left = mini_rect(place).right() + MINI_GAP
        right = place.right() - MARGIN
        if row.chip is not None:
            name = QFontMetrics(theme().font("body")).horizontalAdvance(row.title)
            size = chip_size(row.chip, max((right - left) * 3 // 5, right - left - name - 8))
            at = QRect(QPoint(0, 0), size)
            at.moveCenter(QPoint(right - size.width() // 2, place.center().y()))
            paint_chip(painter, at, row.chip)
            right = at.left() - 6
        hidden = len(row.states) - len(row.shown())
        if hidden:
            left = self._paint_more(painter, place, left, hidden)
        font = theme().font("body")
        painter.setFont(font)
        painter.setPen(theme().color("text"))
        words = _elided(row.title, theme().scale, max(0, right - left))
        room = QRect(left, place.top(), max(0, right - left), place.height())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), words)
        painter.restore()

    def _paint_ground(self, painter: QPainter, place: QRect, state: QStyle.StateFlag) -> None:
        flags = QStyle.StateFlag
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QRectF(place).adjusted(1, 0.5, -1, -0.5)
        radius = theme().radius("control")
        if state & flags.State_Selected or state & flags.State_MouseOver:
            name = "selection" if state & flags.State_Selected else "hover"
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().color(name))
            painter.drawRoundedRect(ground, radius, radius)
        if state & flags.State_HasFocus:
            painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), radius, radius)

    def _paint_more(self, painter: QPainter, place: QRect, left: int, hidden: int) -> int:
        font = theme().font("micro")
        painter.setFont(font)
        painter.setPen(theme().color("text_secondary"))
        words = f"+{hidden}"
        width = QFontMetrics(font).horizontalAdvance(words)
        room = QRect(left - 5, place.top(), width + 2, place.height())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), words)
        return left + width + 2


@lru_cache(maxsize=2048)
def _elided(title: str, scale: float, room: int) -> str:
    """Cutting words takes longer than drawing them; the font is another at another scale."""
    metrics = QFontMetrics(theme().font("body"))
    return metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, room)


def paint_mini(painter: QPainter, place: QRect, row: VariableRow) -> None:
    """One column per state, as high as its belief; a hair where there is nothing."""
    shown = row.shown()
    if not shown:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    step = place.width() / len(shown)
    bottom = place.bottom() + 1
    for number, index in enumerate(shown):
        value = min(1.0, max(0.0, row.shares[index])) if row.shares else 0.0
        is_chosen = row.states[index] == row.chosen
        tint = "evidence" if row.chip is None else row.chip.tint  # seen, or done
        fill = "stale" if row.is_stale else tint if is_chosen else "belief"
        height = max(1.0, place.height() * value)
        x = place.left() + number * step
        bar = QRectF(round(x), bottom - height, max(1.0, round(x + step) - round(x) - 1), height)
        painter.fillRect(bar, theme().color(fill if row.shares else "border"))
        if row.cursor == index:
            mark = QRectF(bar.left(), place.bottom() + 2, bar.width(), 2)
            painter.fillRect(mark, theme().color("focus"))
    painter.restore()
