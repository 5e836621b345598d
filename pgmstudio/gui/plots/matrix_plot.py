"""Matrix plots: heat map of associations, edge frequencies, and patterns of missing cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pgmstudio.core.languages.tree_mixture.learning.edge_counts import EdgeTally
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.theme.theme import theme

Floats = NDArray[np.float64]

STEPS = 8
LIGHT_STEPS = 5  # numbers on steps below are `text`, on those above the opposite
_VALUES_FROM = 24  # px of a cell
NAMES_FROM = 12
_MIN_CELL, _MAX_CELL = 6, 44
_MAX_NAME = 130  # px


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

    hovered = Signal(int, int)  # indices in the given order of names; -1, -1: nothing
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
        self.describe: Callable[[int, int], str] | None = None  # tooltip of a cell
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
        return tuple(self._names[index] for index in self._order)

    # -- geometry

    @property
    def cell(self) -> float:
        """The side of a cell in pixels."""
        count = max(1, len(self._names))
        left, top = self._margins(_MAX_CELL)
        available = min(self.width() - left - 4, self.height() - top - 4)
        return float(min(_MAX_CELL, max(_MIN_CELL, available // count)))

    @property
    def cell_width(self) -> float:
        """Width of a cell: its height, unless a subclass has wider cells."""
        return self.cell

    def _margins(self, cell: float) -> tuple[float, float]:
        if cell < NAMES_FROM or not self._names:
            return 4.0, 4.0
        metrics = QFontMetricsF(theme().font("caption"))
        longest = max(metrics.horizontalAdvance(name) for name in self._names)
        side = min(longest, _MAX_NAME * theme().scale) + 10
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

    def _cell_at(self, position: QPoint) -> tuple[int, int]:
        left, top = self._origin()
        cell, width = self.cell, self.cell_width
        column, row = int((position.x() - left) // width), int((position.y() - top) // cell)
        count = len(self._order)
        return (row, column) if 0 <= row < count and 0 <= column < count else (-1, -1)

    # -- Qt

    def sizeHint(self) -> QSize:
        return QSize(520, 520)

    def minimumSizeHint(self) -> QSize:
        side = 8 + _MIN_CELL * max(1, len(self._names))
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
            for index in range(count + 1):
                x, y = int(left + index * width), int(top + index * cell)
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
        """One pixel per cell, cached until values or colours change."""
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
        for index, name in enumerate(self.order):
            painter.setPen(theme().color("accent" if name in chosen else "text_secondary"))
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, left - 8)
            box = QRectF(0, top + index * cell, left - 6, cell)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            painter.save()
            painter.translate(left + index * cell + cell / 2, top - 6)
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


_PAD = 8.0
_MATRIX_LEAST_CELL, _MATRIX_MOST_CELL = 6, 34
_MATRIX_MOST_NAME = 150.0  # px at 100 %
_FULL = 0.92  # of a cell's side, for an edge that all have
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class AdjacencyMatrix(HeatMap):
    """Only the lower triangle can be pointed at; a name stands at its row and over its column."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setAccessibleName("How often edges occur")
        self.setToolTip("Hover over a square for its count; click to show the edge in the table.")
        self._tally: EdgeTally | None = None
        self._focused = (1, 0)
        self.describe = self._describe

    def show_tally(self, tally: EdgeTally) -> None:
        """Squares with an area in proportion to the counts."""
        index = {name: i for i, name in enumerate(tally.names)}
        values = np.zeros((len(index), len(index)))
        for (one, other), count in tally.counts.items():
            i, j = index[one], index[other]
            values[i, j] = values[j, i] = count
        chosen = self._selected
        self._tally = tally
        self.show_values(tally.names, values, range(len(index)))
        self.select(chosen if chosen is not None and set(chosen) <= set(index) else None)

    def pair_text(self, one: str, other: str) -> str:
        """“A – B: in 14 of 24 trees”."""
        if self._tally is None:
            return ""
        count = self._tally.count(one, other)
        return f"{one} – {other}: in {count} of {self._tally.total} {self._tally.what}"

    def _describe(self, row: int, column: int) -> str:
        return self.pair_text(self._names[row], self._names[column])

    # -- geometry

    def _name_width(self) -> float:
        """What the longest name takes at the right of the diagonal."""
        metrics = QFontMetricsF(theme().font("caption"))
        longest = max((metrics.horizontalAdvance(name) for name in self._names), default=0.0)
        return min(longest, _MATRIX_MOST_NAME * theme().scale) + 10

    @property
    def cell(self) -> float:
        return self._cell_in(QSizeF(self.size()))

    def _cell_in(self, size: QSizeF) -> float:
        count = max(1, len(self._names))
        available = min(size.width() - 2 * _PAD - self._name_width(), size.height() - 2 * _PAD)
        return float(min(_MATRIX_MOST_CELL, max(_MATRIX_LEAST_CELL, available // count)))

    def _origin(self) -> tuple[float, float]:
        return _PAD, _PAD

    def _cell_at(self, position: QPoint) -> tuple[int, int]:
        row, column = super()._cell_at(position)
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
        """Size of the exported image, with cells large enough for the names."""
        cell = max(self.cell, 16.0)
        side = cell * len(self._names) + 2 * _PAD
        return QSizeF(side + self._name_width(), side)

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
            for index in range(1, count):
                at = index * cell
                across = QRectF(left, top + at, at, (count - index) * cell)
                painter.drawLine(across.topLeft(), across.topRight())
                painter.drawLine(across.topRight(), across.bottomRight())
        if cell < NAMES_FROM:
            return
        painter.setFont(look.font("caption"))
        metrics = QFontMetricsF(painter.font())
        chosen = set(self._selected or ())
        for index, name in enumerate(self.order):
            painter.setPen(look.color("accent" if name in chosen else "text_secondary"))
            available = self._name_width() - 8
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, available)
            box = QRectF(left + index * cell + 6, top + index * cell, available, cell)
            painter.drawText(box, _LEFT, text)

    def _paint_marks(self, painter: QPainter, left: float, top: float, cell: float) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._edges:  # those of the model in view
            painter.setPen(QPen(theme().color("text"), 1.2))
            for edge in self.outlined:
                indices = sorted((self.order.index(name) for name in edge), reverse=True)
                box = QRectF(left + indices[1] * cell, top + indices[0] * cell, cell, cell)
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


_STEP = 16.0


class HeatLegend(QWidget):
    """`0 ▁▂▃▄▅▆▇█ 0.31 bits · ■ entropy · □ edge of Asia`."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("heatLegend")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._largest = 0.0
        self._model: str | None = None
        theme().changed.connect(self.update)
        self._describe()

    def show_range(self, largest: float) -> None:
        self._largest = largest
        self._describe()

    def show_edges_of(self, model: str | None) -> None:
        self._model = model
        self._describe()

    def _describe(self) -> None:
        edges = f"; outlined cells are edges of {self._model}" if self._model else ""
        self.setAccessibleName(
            f"Mutual information from 0 to {self._largest:.3f} bits, light to dark; "
            f"the diagonal is entropy{edges}"
        )
        self.setToolTip(self.accessibleName())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(420, round(QFontMetricsF(theme().font("dense")).height() + 8))

    def minimumSizeHint(self) -> QSize:
        return QSize(180, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(theme().font("dense"))
        metrics = QFontMetricsF(painter.font())
        middle = self.height() / 2
        x = 0.0

        def word(text: str) -> None:
            nonlocal x
            painter.setPen(theme().color("text_secondary"))
            available = self.width() - x
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, available)
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(x, 0, available, self.height()), side, shown)
            x += metrics.horizontalAdvance(text) + 6

        word("Mutual information  0")
        for step in range(STEPS):
            painter.fillRect(QRectF(x, middle - 5, _STEP, 10), theme().sequential(step))
            x += _STEP
        x += 6
        word(f"{largest_text(self._largest)} bits")
        x += 10
        painter.fillRect(QRectF(x, middle - 5, 10, 10), theme().color("stale"))
        x += 16
        word("entropy")
        if self._model is not None:
            x += 10
            painter.setPen(QPen(theme().color("text"), 1.5))
            painter.drawRect(QRectF(x, middle - 5, 10, 10))
            x += 16
            word(f"edge of {self._model}")


def largest_text(value: float) -> str:
    """The upper end of the ramp: two digits, also of a value that is all but nothing."""
    return f"{value:.2f}" if value >= 0.095 or value <= 0 else f"{value:.2g}"


MAX_PATTERNS = 400
_MAP_MOST_CELL = 56.0
_MAP_LEAST_CELL = 5.0
_NAMES_FROM = 13.0
_BAR = 70.0


class PatternMap(QWidget):
    """Patterns × columns, the most frequent pattern first."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._names: tuple[str, ...] = ()
        self._patterns: NDArray[np.bool_] = np.zeros((0, 0), bool)
        self._weights: NDArray[np.float64] = np.zeros(0)
        theme().changed.connect(self._on_theme_changed)

    def show_patterns(
        self, names: Sequence[str], patterns: NDArray[np.bool_], weights: NDArray[np.float64]
    ) -> None:
        self._names = tuple(names)
        self._patterns, self._weights = patterns[:MAX_PATTERNS], weights[:MAX_PATTERNS]
        descriptions = [self._pattern_text(index) for index in range(min(5, len(self._weights)))]
        self.setAccessibleName("Missing map. " + " ".join(descriptions))
        self.setMinimumSize(self.minimumSizeHint())
        self.updateGeometry()
        self.update()

    @property
    def pattern_count(self) -> int:
        return len(self._weights)

    def _pattern_text(self, index: int) -> str:
        gone = [n for n, m in zip(self._names, self._patterns[index], strict=True) if m]
        rows = counted(round(float(self._weights[index])), "row")
        if not gone:
            return f"{rows} complete."
        listed = ", ".join(gone[:6]) + (" …" if len(gone) > 6 else "")
        return f"{rows} without {listed}."

    # -- geometry

    def _row_height(self) -> float:
        return QFontMetricsF(theme().font("dense")).height() + 6

    def _side(self) -> float:
        return QFontMetricsF(theme().font("dense")).horizontalAdvance("000 000 rows") + _BAR + 16

    def _cell(self) -> float:
        available = self.width() - self._side() - 8
        return min(_MAP_MOST_CELL, max(_MAP_LEAST_CELL, available / max(1, len(self._names))))

    def _head(self) -> float:
        if self._cell() < _NAMES_FROM:
            return 8.0
        metrics = QFontMetricsF(theme().font("caption"))
        longest = max((metrics.horizontalAdvance(name) for name in self._names), default=0.0)
        return min(120.0 * theme().scale, longest) + 12

    def minimumSizeHint(self) -> QSize:
        wide = self._side() + 8 + _MAP_LEAST_CELL * len(self._names)
        high = 140 * theme().scale + self._row_height() * (self.pattern_count + 1)
        return QSize(round(max(280.0, wide)), round(high))

    # -- Qt

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.pattern_count:
            return
        painter = QPainter(self)
        cell, head, height = self._cell(), self._head(), self._row_height()
        if cell >= _NAMES_FROM:
            self._paint_names(painter, cell, head)
        right = 4 + cell * len(self._names)
        heaviest = float(self._weights.max(initial=1.0))
        dark, light = theme().color("text"), theme().color("belief_track")
        painter.setFont(theme().font("dense"))
        for index in range(self.pattern_count):
            top = head + index * height
            for column in range(len(self._names)):
                box = QRectF(4 + column * cell, top + 1, max(1.0, cell - 1), height - 2)
                painter.fillRect(box, dark if self._patterns[index, column] else light)
            fraction = float(self._weights[index]) / heaviest
            bar = QRectF(right + 8, top + height / 2 - 4, max(1.0, _BAR * fraction), 8)
            painter.fillRect(bar, theme().color("belief"))
            painter.setPen(theme().color("text"))
            text = QRectF(right + 16 + _BAR, top, self._side() - _BAR, height)
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(text, side, counted(round(float(self._weights[index])), "row"))
        self._paint_totals(painter, cell, head + self.pattern_count * height)

    def _paint_names(self, painter: QPainter, cell: float, head: float) -> None:
        painter.setFont(theme().font("caption"))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(theme().color("text_secondary"))
        for column, name in enumerate(self._names):
            painter.save()
            painter.translate(4 + column * cell + cell / 2, head - 6)
            painter.rotate(-90)
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, head - 8)
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, -cell / 2, head - 8, cell), side, text)
            painter.restore()

    def _paint_totals(self, painter: QPainter, cell: float, top: float) -> None:
        """How many cells of each column are missing, where the number fits."""
        totals = self._weights @ self._patterns
        painter.setFont(theme().font("caption"))
        metrics = QFontMetricsF(painter.font())
        for column, total in enumerate(totals):
            text = grouped(round(float(total)))
            if metrics.horizontalAdvance(text) + 2 > cell:
                continue
            painter.setPen(theme().color("warning_ink" if total else "text_tertiary"))
            box = QRectF(4 + column * cell, top, cell, self._row_height())
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = int((event.pos().y() - self._head()) // self._row_height())
            if 0 <= index < self.pattern_count:
                QToolTip.showText(event.globalPos(), self._pattern_text(index), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _on_theme_changed(self) -> None:
        self.setMinimumSize(self.minimumSizeHint())
        self.update()
