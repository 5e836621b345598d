"""A tornado chart: how far a belief moves, one bar per cause, the widest on top.

The line is the belief as it is. What would lower it lies at the left, what would raise it at the
right. The two ends of a bar differ by hatching, not by colour alone, and the legend that
explains them is on the chart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from pgmstudio.core.number_format import percent
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import paint_hatched

_MIN_SPAN = 0.02  # of the axis; a smaller one would show rounding


@dataclass(frozen=True, slots=True)
class TornadoRow:
    """One cause: the belief at its two ends, each with a word; either end may be the larger."""

    key: str
    title: str
    fact: str  # a number next to the title
    hatched: float
    solid: float
    hatched_text: str = ""
    solid_text: str = ""

    @property
    def description(self) -> str:
        ends = f"from {percent(self.hatched)} to {percent(self.solid)} percent"
        return f"{self.title}, {self.fact}, {ends}"


@dataclass(frozen=True, slots=True)
class Tornado:
    """Content of a tornado chart; `hatched` and `solid` explain the two kinds of end."""

    belief: float = 0.0
    rows: tuple[TornadoRow, ...] = ()
    fact_head: str = ""
    hatched: str = ""
    solid: str = ""
    belief_text: str = ""

    @property
    def axis(self) -> tuple[float, float]:
        """The least and the largest belief shown."""
        ends = [self.belief, *(end for row in self.rows for end in (row.hatched, row.solid))]
        low, high = min(ends), max(ends)
        lack = max(0.0, _MIN_SPAN - (high - low)) / 2
        return max(0.0, low - lack), min(1.0, high + lack)


def ticks_of(low: float, high: float, most: int) -> list[float]:
    """Round numbers between the two, at most so many."""
    span = max(high - low, 1e-9)
    step = 10.0 ** math.floor(math.log10(span / max(1, most)))
    for factor in (1, 2, 2.5, 5, 10, 20):
        if span / (step * factor) <= most:
            step *= factor
            break
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTER = Qt.AlignmentFlag.AlignCenter
_PAD = 16.0


class TornadoChart(QAbstractScrollArea):
    """Tornado chart; keys: ↑↓ move, Enter chooses; hovering or moving emits `looked_at`."""

    looked_at = Signal(str)  # key
    chosen = Signal(str)  # key

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName("Tornado chart")
        self.setToolTip("")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._tornado = Tornado()
        self._row = 0
        self._hovered: int | None = None
        self._head = _Head(self)
        theme().changed.connect(self._restyle)
        self._restyle()

    @property
    def tornado(self) -> Tornado:
        return self._tornado

    @property
    def current(self) -> str | None:
        """The key of the row looked at."""
        rows = self._tornado.rows
        return rows[self._row].key if self._row < len(rows) else None

    def show_tornado(self, tornado: Tornado) -> None:
        """Another chart; the row looked at stays when it is still there."""
        before = self.current
        self._tornado = tornado
        keys = [row.key for row in tornado.rows]
        self._row = keys.index(before) if before in keys else 0
        self._hovered = None
        descriptions = [row.description for row in tornado.rows[:10]]
        self.setAccessibleName("Tornado chart: " + "; ".join(descriptions))
        self._fit()
        self._head.update()
        self.viewport().update()

    # -- geometry

    @property
    def row_height(self) -> int:
        return round(QFontMetricsF(theme().font("dense")).height() * 2) + 4

    def columns(self) -> tuple[float, float, float, float]:
        """x of the end of titles, of the facts, and both ends of the area of the bars."""
        width = self.viewport().width()
        fact = QFontMetricsF(theme().font("dense")).horizontalAdvance("0.000  100.0 %") + 6
        title = width * (0.36 if width > 640 * theme().scale else 0.32)
        number = QFontMetricsF(theme().font("caption")).horizontalAdvance("100.0") + 6
        return title, title + fact, title + fact + number + 8, width - _PAD - number

    def x_of(self, belief: float) -> float:
        """Where a belief lies on the axis."""
        low, high = self._tornado.axis
        _, _, left, right = self.columns()
        return left + (right - left) * (belief - low) / max(high - low, 1e-12)

    def row_rect(self, key: str) -> QRect:
        """Where a row is in the viewport."""
        position = [row.key for row in self._tornado.rows].index(key)
        top = position * self.row_height - self.verticalScrollBar().value()
        return QRect(0, top, self.viewport().width(), self.row_height)

    def row_at(self, position: QPoint) -> int | None:
        row = (position.y() + self.verticalScrollBar().value()) // self.row_height
        return row if 0 <= row < len(self._tornado.rows) else None

    def _fit(self) -> None:
        whole = len(self._tornado.rows) * self.row_height
        bar = self.verticalScrollBar()
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(self.row_height)
        bar.setRange(0, max(0, whole - self.viewport().height()))

    def _restyle(self) -> None:
        self.setViewportMargins(0, self._head.sizeHint().height(), 0, 0)
        self._arrange_head()
        self._fit()
        self.viewport().update()

    def _arrange_head(self) -> None:
        self._head.setGeometry(0, 0, self.width(), self._head.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange_head()
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(320, self._head.sizeHint().height() + 3 * self.row_height)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        offset = self.verticalScrollBar().value()
        available = self.viewport().height()
        self.paint_grid(painter, 0, available)
        first = offset // self.row_height
        last = min(len(self._tornado.rows), (offset + available) // self.row_height + 1)
        for index in range(first, last):
            top = index * self.row_height - offset
            rect = QRectF(0, top, self.viewport().width(), self.row_height)
            self._paint_row(painter, self._tornado.rows[index], rect, index)

    def paint_grid(self, painter: QPainter, top: float, bottom: float) -> None:
        """A light line at every tick and a strong one at the present belief."""
        painter.setPen(QPen(theme().color("border"), 1))
        for tick in self.ticks():
            x = round(self.x_of(tick)) + 0.5
            painter.drawLine(QLineF(x, top, x, bottom))
        painter.setPen(QPen(theme().color("text"), 1.5))
        x = self.x_of(self._tornado.belief)
        painter.drawLine(QLineF(x, top, x, bottom))

    def ticks(self) -> list[float]:
        _, _, left, right = self.columns()
        return ticks_of(*self._tornado.axis, max(2, int((right - left) / (56 * theme().scale))))

    def _paint_row(self, painter: QPainter, row: TornadoRow, rect: QRectF, index: int) -> None:
        title_to, fact_to, *_ = self.columns()
        if index == self._hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().color("hover", 0.7))
            painter.drawRect(rect)
        font = theme().font("dense")
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setPen(theme().color("text"))
        name = QRectF(_PAD, rect.top(), title_to - _PAD - 8, rect.height())
        self._paint_title(painter, row.title, name, metrics)
        painter.setPen(theme().color("text_secondary"))
        painter.drawText(
            QRectF(title_to, rect.top(), fact_to - title_to, rect.height()), _RIGHT, row.fact
        )
        now, tall = self.x_of(self._tornado.belief), 9.0 * theme().scale
        has_text = bool(row.hatched_text or row.solid_text)
        middle = rect.center().y() - (5.0 * theme().scale if has_text else 0.0)
        for end, text, is_hatched in (
            (row.hatched, row.hatched_text, True),
            (row.solid, row.solid_text, False),
        ):
            x = self.x_of(end)
            area = QRectF(min(x, now), middle - tall / 2, abs(x - now), tall)
            paint_end(painter, area, is_hatched=is_hatched)
            self._paint_number(painter, end, x, now, middle)
            self._paint_text(painter, text, x, now, rect)
        painter.setPen(QPen(theme().color("text"), 1.5))
        painter.drawLine(QLineF(now, rect.top(), now, rect.bottom()))
        if self.hasFocus() and index == self._row:
            painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(3, 1, -3, -1), 4, 4)

    def _paint_title(
        self, painter: QPainter, title: str, area: QRectF, metrics: QFontMetricsF
    ) -> None:
        """In one line, or in two where a condition follows."""
        lines = [title]
        if metrics.horizontalAdvance(title) > area.width() and " | " in title:
            first, second = title.split(" | ", 1)
            lines = [f"{first} |", second]
        height = metrics.height()
        top = area.center().y() - height * len(lines) / 2
        for number, text in enumerate(lines):
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
            rect = QRectF(area.left(), top + number * height, area.width(), height)
            painter.drawText(rect, _LEFT, shown)

    def _paint_number(
        self, painter: QPainter, end: float, x: float, now: float, middle: float
    ) -> None:
        """Paint the belief next to the end of a bar."""
        if abs(x - now) < 1.0:
            return
        font = theme().font("caption")
        painter.setFont(font)
        number, metrics = percent(end), QFontMetricsF(font)
        wide, high = metrics.horizontalAdvance(number), metrics.height()
        at = x + 4 if x > now else x - 4 - wide
        painter.setPen(theme().color("text"))
        painter.drawText(QRectF(at, middle - high / 2, wide + 2, high), _LEFT, number)

    def _paint_text(self, painter: QPainter, text: str, x: float, now: float, rect: QRectF) -> None:
        """Under the bar, what leads there."""
        if not text or abs(x - now) < 1.0:
            return
        metrics = QFontMetricsF(theme().font("caption"))
        _, fact_to, _, _ = self.columns()
        available = (self.viewport().width() - now if x > now else now - fact_to) - 8
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, available)
        painter.setPen(theme().color("text_secondary"))
        top = rect.bottom() - metrics.height() - 1
        left, side = (now + 4, _LEFT) if x > now else (now - 4 - available, _RIGHT)
        painter.drawText(QRectF(left, top, available, metrics.height()), side, shown)

    # -- mouse and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.row_at(event.position().toPoint()))

    def _hover(self, row: int | None) -> None:
        if row != self._hovered:
            self._hovered = row
            if row is not None:
                self._row = row
                self.looked_at.emit(self._tornado.rows[row].key)
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().toPoint())
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            self._row = row
            self.chosen.emit(self._tornado.rows[row].key)
            self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        rows, key = self._tornado.rows, event.key()
        if rows and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = 1 if key == Qt.Key.Key_Down else -1
            self._row = min(len(rows) - 1, max(0, self._row + step))
            bar, top = self.verticalScrollBar(), self._row * self.row_height
            if top < bar.value():
                bar.setValue(top)
            elif top + self.row_height > bar.value() + self.viewport().height():
                bar.setValue(top + self.row_height - self.viewport().height())
            self.looked_at.emit(rows[self._row].key)
            self.viewport().update()
        elif rows and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(rows[self._row].key)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()


class _Head(QWidget):
    """The legend and the axis, which stay while the rows scroll."""

    def __init__(self, chart: TornadoChart) -> None:
        super().__init__(chart)
        self._chart = chart
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def sizeHint(self) -> QSize:
        line = QFontMetricsF(theme().font("dense")).height()
        return QSize(200, round(2 * line + 22))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tornado = self._chart.tornado
        font = theme().font("dense")
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        line, x = metrics.height(), _PAD
        for text, kind in (
            (tornado.hatched, "hatched"),
            (tornado.solid, "solid"),
            (tornado.belief_text, "line"),
        ):
            if not text:
                continue
            sample = QRectF(x, 6 + line / 2 - 4.5, 22, 9)
            if kind == "line":
                painter.setPen(QPen(theme().color("text"), 1.5))
                painter.drawLine(QLineF(x + 11, 5, x + 11, 5 + line))
            else:
                paint_end(painter, sample, is_hatched=kind == "hatched")
            painter.setPen(theme().color("text_secondary"))
            available = self.width() - x - 36
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, available)
            painter.drawText(QRectF(x + 28, 5, available, line), _LEFT, shown)
            x += 28 + metrics.horizontalAdvance(text) + 16
        self._paint_axis(painter, 10 + line)

    def _paint_axis(self, painter: QPainter, top: float) -> None:
        chart = self._chart
        title_to, fact_to, _, _ = chart.columns()
        height = self.height() - top
        painter.setPen(theme().color("text_secondary"))
        painter.drawText(
            QRectF(title_to - 60, top, fact_to - title_to + 60, height - 4),
            _RIGHT,
            chart.tornado.fact_head,
        )
        painter.setFont(theme().font("caption"))
        for tick in chart.ticks():
            x = chart.x_of(tick)
            painter.drawText(QRectF(x - 30, top, 60, height - 4), _CENTER, f"{100 * tick:.4g} %")
        painter.setPen(QPen(theme().color("border"), 1))
        painter.drawLine(
            QPointF(0, self.height() - 0.5), QPointF(self.width(), self.height() - 0.5)
        )


def paint_end(painter: QPainter, area: QRectF, *, is_hatched: bool) -> None:
    """One side of a bar, outlined, so that it is seen in any shade."""
    index = 1 if is_hatched else 0
    if is_hatched:
        paint_hatched(painter, area, theme().category(index, "fill"))
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().category(index, "fill"))
        painter.drawRect(area)
    painter.setPen(QPen(theme().category(index, "ink"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(area)
