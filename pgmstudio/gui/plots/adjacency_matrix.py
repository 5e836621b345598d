"""How often edges occur, as squares below a diagonal of names; the area says the count."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPoint, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen

from pgmstudio.core.learning.adjacency import EdgeTally
from pgmstudio.gui.plots.heat_map import NAMES_FROM, HeatMap
from pgmstudio.gui.style.theme import theme

_PAD = 8.0
_LEAST_CELL, _MOST_CELL = 6, 34
_MOST_NAME = 150.0  # px at 100 %
_FULL = 0.92  # of a cell's side, for an edge that all have
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class AdjacencyMatrix(HeatMap):
    """Only the lower triangle can be pointed at; a name stands at its row and over its column."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setAccessibleName("How often edges occur")
        self.setToolTip("Point at a square for its count, click it to see the edge in the table.")
        self._tally: EdgeTally | None = None
        self._focused = (1, 0)
        self.describe = self._describe

    def show_tally(self, tally: EdgeTally) -> None:
        """Squares with an area in proportion to the counts."""
        place = {name: i for i, name in enumerate(tally.names)}
        values = np.zeros((len(place), len(place)))
        for (one, other), count in tally.counts.items():
            i, j = place[one], place[other]
            values[i, j] = values[j, i] = count
        chosen = self._selected
        self._tally = tally
        self.show_values(tally.names, values, range(len(place)))
        self.select(chosen if chosen is not None and set(chosen) <= set(place) else None)

    def words(self, one: str, other: str) -> str:
        """“A – B: in 14 of 24 trees”."""
        if self._tally is None:
            return ""
        count = self._tally.count(one, other)
        return f"{one} – {other}: in {count} of {self._tally.total} {self._tally.what}"

    def _describe(self, row: int, column: int) -> str:
        return self.words(self._names[row], self._names[column])

    # -- geometry

    def _name_room(self) -> float:
        """What the longest name takes at the right of the diagonal."""
        metrics = QFontMetricsF(theme().font("caption"))
        longest = max((metrics.horizontalAdvance(name) for name in self._names), default=0.0)
        return min(longest, _MOST_NAME * theme().scale) + 10

    @property
    def cell(self) -> float:
        return self._cell_in(QSizeF(self.size()))

    def _cell_in(self, size: QSizeF) -> float:
        count = max(1, len(self._names))
        room = min(size.width() - 2 * _PAD - self._name_room(), size.height() - 2 * _PAD)
        return float(min(_MOST_CELL, max(_LEAST_CELL, room // count)))

    def _origin(self) -> tuple[float, float]:
        return _PAD, _PAD

    def _cell_at(self, place: QPoint) -> tuple[int, int]:
        row, column = super()._cell_at(place)
        return (row, column) if column < row else (-1, -1)

    def square_rect(self, one: str, other: str) -> QRectF:
        """The square itself: side ∝ √count."""
        row, column = sorted((self.order.index(one), self.order.index(other)), reverse=True)
        return self._square(row, column, self.cell)

    def _square(self, row: int, column: int, cell: float) -> QRectF:
        left, top = self._origin()
        value = float(self._values[self._order[row], self._order[column]])
        total = max(1, self._tally.total if self._tally is not None else 1)
        side = _FULL * cell * math.sqrt(value / total)
        middle = (left + (column + 0.5) * cell, top + (row + 0.5) * cell)
        return QRectF(middle[0] - side / 2, middle[1] - side / 2, side, side)

    # -- painting

    def size_of_picture(self) -> QSizeF:
        """For a file: cells with room for names."""
        cell = max(self.cell, 16.0)
        side = cell * len(self._names) + 2 * _PAD
        return QSizeF(side + self._name_room(), side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        self.paint_on(QPainter(self), QSizeF(self.size()), for_screen=True)

    def paint_on(self, painter: QPainter, size: QSizeF, *, for_screen: bool = False) -> None:
        """All of it; on the screen with what is selected and focused."""
        if not self._names:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        cell = self._cell_in(size)
        left, top = self._origin()
        self._paint_ground(painter, left, top, cell)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().category(0, "line"))
        for row in range(len(self._order)):
            for column in range(row):
                if self._values[self._order[row], self._order[column]] > 0:
                    painter.drawRect(self._square(row, column, cell))
        if for_screen:
            self._paint_marks(painter, left, top, cell)

    def _paint_ground(self, painter: QPainter, left: float, top: float, cell: float) -> None:
        look, count = theme(), len(self._order)
        if cell >= 10:
            painter.setPen(QPen(look.color("border"), 0.5))
            for place in range(1, count):
                at = place * cell
                across = QRectF(left, top + at, at, (count - place) * cell)
                painter.drawLine(across.topLeft(), across.topRight())
                painter.drawLine(across.topRight(), across.bottomRight())
        if cell < NAMES_FROM:
            return
        painter.setFont(look.font("caption"))
        metrics = QFontMetricsF(painter.font())
        chosen = set(self._selected or ())
        for place, name in enumerate(self.order):
            painter.setPen(look.color("accent" if name in chosen else "text_secondary"))
            room = self._name_room() - 8
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
            box = QRectF(left + place * cell + 6, top + place * cell, room, cell)
            painter.drawText(box, _LEFT, text)

    def _paint_marks(self, painter: QPainter, left: float, top: float, cell: float) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._edges:  # those of the model in view
            painter.setPen(QPen(theme().color("text"), 1.2))
            for edge in self.outlined:
                places = sorted((self.order.index(name) for name in edge), reverse=True)
                box = QRectF(left + places[1] * cell, top + places[0] * cell, cell, cell)
                painter.drawRect(box.adjusted(0.6, 0.6, -0.6, -0.6))
        if self._selected is not None and set(self._selected) <= set(self._names):
            row, column = sorted((self.order.index(n) for n in self._selected), reverse=True)
            painter.setPen(QPen(theme().color("accent"), 1))
            painter.drawRect(QRectF(left, top + row * cell, row * cell, cell))
            below = (len(self._order) - column) * cell
            painter.drawRect(QRectF(left + column * cell, top + column * cell, cell, below))
            painter.setPen(QPen(theme().color("accent"), 2))
            painter.drawRect(QRectF(left + column * cell, top + row * cell, cell, cell))
        if self.hasFocus():
            row, column = self._focused
            painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
            painter.drawRect(QRectF(left + column * cell, top + row * cell, cell, cell))

    def _choose(self, row: int, column: int) -> None:
        if column < row:  # the arrow keys may lead beyond the diagonal
            super()._choose(row, column)
