"""A square map of how much two variables tell about each other; cells can be hovered and chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pgmstudio.gui.style.theme import theme

Floats = NDArray[np.float64]

STEPS = 8
LIGHT_STEPS = 5  # numbers on steps below are `text`, on those above the opposite
_VALUES_FROM = 24  # px of a cell
NAMES_FROM = 12
_LEAST_CELL, _MOST_CELL = 6, 44
_MOST_NAME = 130  # px


def value_text(value: float) -> str:
    """Two digits, as three would not fit a cell; `0+` for what would look like nothing."""
    if 0 < value < 0.005:
        return "0+"
    return f"{value:.2f}".replace("0.", ".", 1) if value < 1 else f"{value:.1f}"


def step_of(value: float, largest: float) -> int:
    """The step 0…7 of the ramp."""
    if largest <= 0:
        return 0
    return min(STEPS - 1, int(STEPS * max(0.0, value) / largest))


class HeatMap(QWidget):
    """Variables × variables; the diagonal is grey. Edges of a model are outlined cells."""

    hovered = Signal(int, int)  # places in the given order of names; -1, -1: nothing
    chosen = Signal(str, str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName("Heat map of associations")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._names: tuple[str, ...] = ()
        self._values: Floats = np.zeros((0, 0))
        self.describe: Callable[[int, int], str] | None = None  # what hovering a cell says
        self._order: list[int] = []
        self._edges: set[frozenset[str]] = set()
        self._selected: tuple[str, str] | None = None
        self._focused = (0, 0)
        self._hovered = (-1, -1)
        self._image: QImage | None = None
        theme().changed.connect(self._on_theme_changed)

    # -- what it shows

    def show_values(self, names: Sequence[str], values: Floats, order: Iterable[int]) -> None:
        """`values` is symmetric; its diagonal is of another kind and no part of the ramp."""
        self._names, self._values = tuple(names), values
        self._order = list(order)
        self._selected = None
        self._image = None
        self.setMinimumSize(self.minimumSizeHint())
        self.updateGeometry()
        self.update()

    def show_edges(self, edges: Iterable[tuple[str, str]]) -> None:
        self._edges = {frozenset(edge) for edge in edges}
        self.update()

    def select(self, pair: tuple[str, str] | None) -> None:
        """Draw the crosshair of a pair without telling anybody."""
        self._selected = pair
        self.update()

    @property
    def largest(self) -> float:
        """The value at the dark end of the ramp."""
        if len(self._names) < 2:
            return 0.0
        off = self._values[~np.eye(len(self._names), dtype=bool)]
        return float(off.max(initial=0.0))

    @property
    def outlined(self) -> set[frozenset[str]]:
        return {edge for edge in self._edges if edge <= set(self._names)}

    @property
    def order(self) -> tuple[str, ...]:
        return tuple(self._names[place] for place in self._order)

    # -- geometry

    @property
    def cell(self) -> float:
        """The side of a cell in pixels."""
        count = max(1, len(self._names))
        left, top = self._margins(_MOST_CELL)
        room = min(self.width() - left - 4, self.height() - top - 4)
        return float(min(_MOST_CELL, max(_LEAST_CELL, room // count)))

    @property
    def cell_width(self) -> float:
        """As wide as high, unless a child has room to the side."""
        return self.cell

    def _margins(self, cell: float) -> tuple[float, float]:
        if cell < NAMES_FROM or not self._names:
            return 4.0, 4.0
        metrics = QFontMetricsF(theme().font("caption"))
        longest = max(metrics.horizontalAdvance(name) for name in self._names)
        side = min(longest, _MOST_NAME * theme().scale) + 10
        return side, side

    def _origin(self) -> tuple[float, float]:
        return self._margins(self.cell)

    def cell_rect(self, first: str, second: str) -> QRectF:
        """Where the cell in the row of `first` and the column of `second` is."""
        row = self.order.index(first)
        column = self.order.index(second)
        left, top = self._origin()
        cell, width = self.cell, self.cell_width
        return QRectF(left + column * width, top + row * cell, width, cell)

    def _cell_at(self, place: QPoint) -> tuple[int, int]:
        left, top = self._origin()
        cell, width = self.cell, self.cell_width
        column, row = int((place.x() - left) // width), int((place.y() - top) // cell)
        count = len(self._order)
        return (row, column) if 0 <= row < count and 0 <= column < count else (-1, -1)

    # -- Qt

    def sizeHint(self) -> QSize:
        return QSize(520, 520)

    def minimumSizeHint(self) -> QSize:
        side = 8 + _LEAST_CELL * max(1, len(self._names))
        return QSize(max(200, side), max(200, side))

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._names:
            return
        painter = QPainter(self)
        left, top = self._origin()
        cell, width, count = self.cell, self.cell_width, len(self._order)
        right, bottom = int(left + count * width), int(top + count * cell)
        painter.drawImage(QRectF(left, top, width * count, cell * count), self._pixels())
        if cell >= 10:
            painter.setPen(QPen(theme().color("surface"), 1))
            for place in range(count + 1):
                x, y = int(left + place * width), int(top + place * cell)
                painter.drawLine(x, int(top), x, bottom)
                painter.drawLine(int(left), y, right, y)
        if cell >= NAMES_FROM:
            self._paint_names(painter, left, top, cell)
        if cell >= _VALUES_FROM:
            self._paint_values(painter, left, top, cell)
        self._paint_edges(painter)
        self._paint_crosshair(painter, left, top, cell)
        if self.hasFocus():
            row, column = self._focused
            painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
            painter.drawRect(QRectF(left + column * width, top + row * cell, width, cell))

    def _pixels(self) -> QImage:
        """One pixel per cell, kept until values or colours change."""
        if self._image is None:
            count = len(self._order)
            largest = self.largest
            ordered = self._values[np.ix_(self._order, self._order)]
            steps = np.clip(ordered / largest * STEPS if largest > 0 else ordered * 0, 0, 7)
            np.fill_diagonal(steps, STEPS)
            whole = np.ascontiguousarray(steps, dtype=np.uint8)
            kind = QImage.Format.Format_Indexed8
            image = QImage(whole.tobytes(), count, count, count, kind).copy()
            ramp = [theme().sequential(step).rgb() for step in range(STEPS)]
            image.setColorTable([*ramp, theme().color("stale").rgb()])
            self._image = image
        return self._image

    def _paint_names(self, painter: QPainter, left: float, top: float, cell: float) -> None:
        painter.setFont(theme().font("caption"))
        metrics = QFontMetricsF(painter.font())
        chosen = set(self._selected or ())
        for place, name in enumerate(self.order):
            painter.setPen(theme().color("accent" if name in chosen else "text_secondary"))
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, left - 8)
            box = QRectF(0, top + place * cell, left - 6, cell)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            painter.save()
            painter.translate(left + place * cell + cell / 2, top - 6)
            painter.rotate(-90)
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, -cell / 2, top - 8, cell), side, text)
            painter.restore()

    def _paint_values(self, painter: QPainter, left: float, top: float, cell: float) -> None:
        painter.setFont(theme().font("micro" if cell < 34 else "caption"))
        largest = self.largest
        names = self._order
        for row, i in enumerate(names):
            for column, j in enumerate(names):
                value = float(self._values[i, j])
                dark = i != j and step_of(value, largest) >= LIGHT_STEPS
                # The diagonal's grey is light in both themes enough for `text`.
                painter.setPen(theme().color("surface" if dark else "text"))
                box = QRectF(left + column * cell, top + row * cell, cell, cell)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, value_text(value))

    def _paint_edges(self, painter: QPainter) -> None:
        if not self._edges:
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme().color("text"), 1.5))
        for edge in self.outlined:
            first, second = sorted(edge) if len(edge) == 2 else (None, None)
            if first is not None and second is not None:
                for pair in ((first, second), (second, first)):
                    painter.drawRect(self.cell_rect(*pair).adjusted(1.5, 1.5, -1.5, -1.5))

    def _paint_crosshair(self, painter: QPainter, left: float, top: float, cell: float) -> None:
        if self._selected is None or not set(self._selected) <= set(self._names):
            return
        row, column = (self.order.index(name) for name in self._selected)
        width, count = self.cell_width, len(self._order)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme().color("accent"), 1))
        painter.drawRect(QRectF(left, top + row * cell, width * count, cell))
        painter.drawRect(QRectF(left + column * width, top, width, cell * count))
        painter.setPen(QPen(theme().color("accent"), 2))
        painter.drawRect(QRectF(left + column * width, top + row * cell, width, cell))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row, column = self._cell_at(event.position().toPoint())
        if (row, column) == self._hovered:
            return
        self._hovered = (row, column)
        if row < 0:
            QToolTip.hideText()
            self.hovered.emit(-1, -1)
            return
        i, j = self._order[row], self._order[column]
        self.hovered.emit(i, j)
        if self.describe is not None:
            QToolTip.showText(event.globalPosition().toPoint(), self.describe(i, j), self)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = (-1, -1)
        self.hovered.emit(-1, -1)
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row, column = self._cell_at(event.position().toPoint())
        if row >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self._focused = (row, column)
            self._choose(row, column)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = _MOVES.get(Qt.Key(event.key()))
        count = len(self._order)
        if move is not None and count:
            row, column = self._focused
            row = min(max(row + move[0], 0), count - 1)
            column = min(max(column + move[1], 0), count - 1)
            self._focused = (row, column)
            self.hovered.emit(self._order[row], self._order[column])
            self.update()
        elif Qt.Key(event.key()) in _TAKE and count:
            self._choose(*self._focused)
        else:
            super().keyPressEvent(event)

    def _choose(self, row: int, column: int) -> None:
        pair = (self._names[self._order[row]], self._names[self._order[column]])
        self.select(pair)
        self.chosen.emit(*pair)

    def _on_theme_changed(self) -> None:
        self._image = None
        self.update()


_MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
_TAKE = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
