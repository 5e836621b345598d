"""The delegate of the variables panel: paints mini bars, the name and at most one chip."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QRegion
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pgmstudio.gui.evidence.variable_model import (
    MARGIN,
    Index,
    VariableRow,
    VariableRows,
    mini_rect,
)
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.chip import chip_size, paint_chip

MINI_GAP = 9
V_CENTER = int(Qt.AlignmentFlag.AlignVCenter)
# As integers: flags are slow, and every row needs them.
SELECTED = QStyle.StateFlag.State_Selected.value
HOVERED = QStyle.StateFlag.State_MouseOver.value
FOCUSED = QStyle.StateFlag.State_HasFocus.value


class VariableDelegate(QStyledItemDelegate):
    """Paints the rows; only the bars if nothing else of a row is exposed."""

    def __init__(self, rows: VariableRows, parent: QObject) -> None:
        super().__init__(parent)
        self._rows = rows
        self.exposed: QRegion | None = None  # the region to paint; None: everything

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics = QFontMetrics(theme().font("body"))
        return QSize(120, max(theme().px("row") + 1, metrics.height() + 6))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        position: QRect = option.rect
        exposed = self.exposed
        if exposed is not None and not exposed.intersects(position):
            return  # Qt paints every row between the first and the last
        row = self._rows.rows[index.row()]
        mini = mini_rect(position)
        self._paint_ground(painter, position, option.state.value)
        paint_mini(painter, mini, row)
        left, right = mini.right() + MINI_GAP, position.right() - MARGIN
        text_rect = QRect(QPoint(mini.right() + 1, position.top()), position.bottomRight())
        if exposed is None or exposed.intersects(text_rect):
            self._paint_text(painter, position, row, left, right)

    def _paint_text(
        self, painter: QPainter, position: QRect, row: VariableRow, left: int, right: int
    ) -> None:
        if row.chip is not None:
            name = _wide(row.title, theme().scale)
            size = chip_size(row.chip, max((right - left) * 3 // 5, right - left - name - 8))
            at = QRect(QPoint(0, 0), size)
            at.moveCenter(QPoint(right - size.width() // 2, position.center().y()))
            paint_chip(painter, at, row.chip)
            right = at.left() - 6
        hidden = len(row.states) - len(row.shown())
        if hidden:
            left = self._paint_more(painter, position, left, hidden)
        painter.setFont(theme().font("body"))
        painter.setPen(theme().color("text"))
        text = _elided(row.title, theme().scale, max(0, right - left))
        rect = QRect(left, position.top(), max(0, right - left), position.height())
        painter.drawText(rect, V_CENTER, text)

    def _paint_ground(self, painter: QPainter, position: QRect, state: int) -> None:
        if not state & (SELECTED | HOVERED | FOCUSED):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QRectF(position).adjusted(1, 0.5, -1, -0.5)
        radius = theme().radius("control")
        if state & (SELECTED | HOVERED):
            name = "selection" if state & SELECTED else "hover"
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().color(name))
            painter.drawRoundedRect(ground, radius, radius)
        if state & FOCUSED:
            painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), radius, radius)

    def _paint_more(self, painter: QPainter, position: QRect, left: int, hidden: int) -> int:
        font = theme().font("micro")
        painter.setFont(font)
        painter.setPen(theme().color("text_secondary"))
        text = f"+{hidden}"
        width = QFontMetrics(font).horizontalAdvance(text)
        rect = QRect(left - 5, position.top(), width + 2, position.height())
        painter.drawText(rect, V_CENTER, text)
        return left + width + 2


@lru_cache(maxsize=2048)
def _elided(title: str, scale: float, available: int) -> str:
    """The elided title, cached because eliding is slower than drawing; depends on the font
    scale."""
    metrics = QFontMetrics(theme().font("body"))
    return metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, available)


@lru_cache(maxsize=2048)
def _wide(title: str, scale: float) -> int:
    return QFontMetrics(theme().font("body")).horizontalAdvance(title)


def paint_mini(painter: QPainter, position: QRect, row: VariableRow) -> None:
    """Paint one column per state, as high as its belief and at least one pixel."""
    columns = row.columns(position.height(), painter.device().devicePixelRatio())
    if not columns:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    colors = theme()
    plain = "border" if not row.fractions else "stale" if row.is_stale else "belief"
    chosen = plain
    if row.fractions and not row.is_stale:
        chosen = "evidence" if row.chip is None else row.chip.tint  # observed, or an intervention
    step, left, bottom = position.width() / len(columns), position.left(), position.bottom() + 1
    for number, (index, height) in enumerate(columns):
        x = round(left + number * step)
        width = max(1.0, round(left + (number + 1) * step) - x - 1)
        fill = chosen if row.states[index] == row.chosen else plain
        painter.fillRect(QRectF(x, bottom - height, width, height), colors.color(fill))
        if row.cursor == index:
            painter.fillRect(QRectF(x, bottom + 1, width, 2), colors.color("focus"))
