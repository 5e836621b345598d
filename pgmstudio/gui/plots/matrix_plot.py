"""Matrix plots: heat map of associations, edge frequencies, and patterns of missing cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip

from pgmstudio.core.arrays import Floats
from pgmstudio.core.languages.tree_mixture.learning.edge_counts import EdgeTally
from pgmstudio.core.number_format import counted, decimal, general, grouped
from pgmstudio.gui.plots.chart import StillChart
from pgmstudio.gui.plots.items import Frame, Text
from pgmstudio.gui.theme.theme import theme

STEPS = 8
LIGHT_STEPS = 5  # numbers on steps below are `text`, on those above the opposite
_VALUES_FROM = 24  # px of a cell
NAMES_FROM = 12
_LINES_FROM = 10
_MIN_CELL, _MAX_CELL = 6, 44
_MAX_NAMED = 64  # columns whose names are always drawn; the map is scrolled where it is too large
_MAX_NAME = 130  # px
_ROUNDING = 1e-9  # differences of values that are only rounding
_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
CELLS_Z, GRID_Z, TEXT_Z, MARK_Z, FOCUS_Z = range(5)


def value_text(value: float) -> str:
    """Two digits, as three would not fit a cell; `0+` for what would look like nothing."""
    if math.isnan(value):
        return ""
    if 0 < value < 0.005:
        return "0+"
    size = abs(value)
    if size >= 10_000:
        return f"{decimal(value / 1000, 0)}k"
    if size >= 1:
        return decimal(value, 1 if size < 100 else 0)
    return decimal(value, 2).replace("0.", ".", 1)


def step_of(value: float, largest: float) -> int:
    """The step 0…7 of the ramp."""
    if largest <= 0:
        return 0
    return min(STEPS - 1, int(STEPS * max(0.0, value) / largest))


def ink_on(step: int) -> str:
    """Colour of a number on a step of the ramp; the diagonal's grey is light in both themes."""
    return "surface" if LIGHT_STEPS <= step < STEPS else "text"


def longest_name(names: Iterable[str], size: str = "caption") -> float:
    """Px of the longest of some names."""
    metrics = QFontMetricsF(theme().font(size))
    return max((metrics.horizontalAdvance(name) for name in names), default=0.0)


class CellChart(StillChart):
    """Base of charts of cells: row 0 at the top, a cell 1 × 1 in data coordinates."""

    def _cell(self) -> QSizeF:
        """Px of a cell."""
        return QSizeF(_MAX_CELL, _MAX_CELL)

    def _seen(self, area: QRectF) -> QRectF:
        cell = self._cell()
        across, down = area.width() / cell.width(), area.height() / cell.height()
        return QRectF(0, -down, across, down)

    def cell_box(self, row: float, column: float, rows: float = 1, columns: float = 1) -> QRectF:
        """Px of a cell, or of several from this one on."""
        return self.frame.rect(column, -(row + rows), columns, rows)

    def cell_under(self, position: QPointF) -> tuple[int, int]:
        """Row and column of the cell at a position, also of one that is not there."""
        x, y = self.frame.value(position)
        return math.floor(-y), math.floor(x)

    def _draw_column_names(self, names: Sequence[str], top: float, inks: Sequence[str]) -> None:
        """Over the columns, standing."""
        boxes = [self.cell_box(0, index) for index in range(len(names))]
        texts = [
            Text(
                QRectF(box.left(), 0, box.width(), top - 6),
                name,
                ink=ink,
                side=_LEFT,
                is_turned=True,
            )
            for box, name, ink in zip(boxes, names, inks, strict=True)
        ]
        self.items.texts("columns", texts, TEXT_Z)


class HeatMap(CellChart):
    """Variables × variables; the diagonal is grey. Edges of a model are outlined cells."""

    hovered = Signal(int, int)  # indices in the given order of names; -1, -1: nothing
    chosen = Signal(str, str)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setAccessibleName("Heat map of associations")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._names: tuple[str, ...] = ()
        self._values: Floats = np.zeros((0, 0))
        self._larger_is_stronger = True
        self.describe: Callable[[int, int], str] | None = None  # tooltip of a cell
        self._order: list[int] = []
        self._edges: set[frozenset[str]] = set()
        self._selected: tuple[str, str] | None = None
        self._focused = (0, 0)
        self._hovered = (-1, -1)

    # -- what it shows

    def show_values(
        self,
        names: Sequence[str],
        values: Floats,
        order: Iterable[int],
        *,
        larger_is_stronger: bool = True,
    ) -> None:
        """The diagonal is of another kind and no part of the ramp, nor is what is not a number."""
        self._names, self._values = tuple(names), values
        self._larger_is_stronger = larger_is_stronger
        self._order = list(order)
        self._selected = None
        self.updateGeometry()
        self.refresh()

    def show_edges(self, edges: Iterable[tuple[str, str]]) -> None:
        self._edges = {frozenset(edge) for edge in edges}
        self.redraw()

    def select(self, pair: tuple[str, str] | None) -> None:
        """Draw the crosshair of a pair without a signal."""
        self._selected = pair
        self.redraw()

    @property
    def is_empty(self) -> bool:
        return not self._names

    @property
    def ramp(self) -> tuple[float, float]:
        """The values at the light and at the dark end; the light end is 0 where it can be."""
        off = self._values[~np.eye(len(self._names), dtype=bool)]
        off = off[np.isfinite(off)]
        if not off.size:
            return 0.0, 0.0
        low, high = float(off.min()), float(off.max())
        if not self._larger_is_stronger:
            return high, low
        return (0.0 if low > -_ROUNDING else low), high

    @property
    def outlined(self) -> set[frozenset[str]]:
        return {edge for edge in self._edges if edge <= set(self._names)}

    @property
    def order(self) -> tuple[str, ...]:
        return tuple(self._names[index] for index in self._order)

    # -- geometry

    @property
    def cell(self) -> float:
        """The height of a cell in pixels."""
        return self._cell().height()

    def _names_width(self) -> float:
        return min(longest_name(self._names), _MAX_NAME * theme().scale) + 10

    def _cell(self) -> QSizeF:
        room = min(self._size.width(), self._size.height()) - self._names_width() - 4
        side = min(_MAX_CELL, max(self._least_side(), room // max(1, len(self._names))))
        return QSizeF(side, side)

    def _least_side(self) -> int:
        return NAMES_FROM if len(self._names) <= _MAX_NAMED else _MIN_CELL

    def _margins(self) -> tuple[float, float, float, float]:
        side = self._names_width() if self.cell >= NAMES_FROM else 4.0
        return side, side, 0.0, 0.0

    def cell_rect(self, first: str, second: str) -> QRectF:
        """Where the cell in the row of `first` and the column of `second` is."""
        return self.cell_box(self.order.index(first), self.order.index(second))

    def _cell_at(self, position: QPointF) -> tuple[int, int]:
        row, column = self.cell_under(position)
        count = len(self._order)
        return (row, column) if 0 <= row < count and 0 <= column < count else (-1, -1)

    def sizeHint(self) -> QSize:
        return QSize(520, 520)

    def minimumSizeHint(self) -> QSize:
        least = self._least_side()
        names = self._names_width() if least >= NAMES_FROM else 4.0
        side = math.ceil(names) + 4 + least * max(1, len(self._names))
        return QSize(max(200, side), max(200, side))

    # -- drawing

    def _draw_items(self, frame: Frame) -> None:
        colors = [*(theme().sequential(step) for step in range(STEPS)), theme().color("stale")]
        cell = self._cell()
        gap = 1.0 if cell.height() >= _LINES_FROM else 0.0
        self.items.cells("cells", self._steps(), colors, CELLS_Z, gap=gap)
        if cell.height() >= NAMES_FROM:
            self._draw_names()
        self.items.texts("values", list(self._value_texts(cell)), TEXT_Z)
        self._draw_marks()

    def _steps(self) -> NDArray[np.uint8]:
        """Steps of the ramp in the order shown, and one more on the diagonal."""
        light, dark = self.ramp
        ordered = self._values[np.ix_(self._order, self._order)]
        span = dark - light
        part = (ordered - light) / span if abs(span) > _ROUNDING else ordered * 0
        steps = np.clip(part * STEPS, 0, STEPS - 1)
        np.fill_diagonal(steps, STEPS)
        steps[np.isnan(steps)] = STEPS
        return steps.astype(np.uint8)

    def _draw_names(self) -> None:
        side, top, _, _ = self._margins()
        chosen, names = set(self._selected or ()), self.order
        inks = ["accent" if name in chosen else "text_secondary" for name in names]
        boxes = [self.cell_box(index, 0) for index in range(len(names))]
        rows = [
            Text(QRectF(0, box.top(), side - 6, box.height()), name, ink=ink, side=_RIGHT)
            for box, name, ink in zip(boxes, names, inks, strict=True)
        ]
        self.items.texts("rows", rows, TEXT_Z)
        self._draw_column_names(names, top, inks)

    def _value_texts(self, cell: QSizeF) -> Iterator[Text]:
        if cell.height() < _VALUES_FROM:
            return
        font, steps = theme().font("micro" if cell.height() < 34 else "caption"), self._steps()
        first = self.cell_box(0, 0)
        for row, i in enumerate(self._order):
            for column, j in enumerate(self._order):
                box = first.translated(column * cell.width(), row * cell.height())
                text, ink = value_text(float(self._values[i, j])), ink_on(steps[row, column])
                yield Text(box, text, ink=ink, font=font)

    def _draw_marks(self) -> None:
        """The edges of a model, the selected pair and the cell with the focus."""
        edges = [edge for edge in self.outlined if len(edge) == 2]
        cells = [cell for edge in edges for cell in self._cells_of(*edge)]
        self._outline("edges", cells, "text", 1.5, inset=1.5)
        if self._selected is not None and set(self._selected) <= set(self._names):
            cell = self._cells_of(*self._selected)[0]
            across, down = self._crosshair(*cell)
            xs = (across.left(), down.left()), (across.right(), down.right())
            ys = (across.top(), down.top()), (across.bottom(), down.bottom())
            self.items.boxes("crosshair", xs, ys, MARK_Z, ink=theme().color("accent"))
            self._outline("selected", [cell], "accent", 2)
        if self.shows_focus:
            self._outline("focus", [self._focused], "focus", theme().line("focus"))

    def _cells_of(self, one: str, other: str) -> list[tuple[int, int]]:
        """Row and column of a pair, and mirrored."""
        row, column = self.order.index(one), self.order.index(other)
        return [(row, column), (column, row)]

    def _crosshair(self, row: int, column: int) -> tuple[QRectF, QRectF]:
        """The row and the column of a cell."""
        count = len(self._order)
        return QRectF(0, -row - 1, count, 1), QRectF(column, -count, 1, count)

    def _outline(
        self,
        name: str,
        cells: Sequence[tuple[int, int]],
        ink: str,
        width: float,
        inset: float = 0.0,
    ) -> None:
        rows, columns = (np.array([cell[part] for cell in cells]) for part in (0, 1))
        xs, ys = (columns, columns + 1), (-rows - 1, -rows)
        color = theme().color(ink)
        self.items.boxes(name, xs, ys, FOCUS_Z, ink=color, width=width, inset=inset)

    # -- mouse and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row, column = self._cell_at(event.position())
        if (row, column) == self._hovered:
            return
        self._hovered = (row, column)
        if row < 0:
            QToolTip.hideText()
            self.hovered.emit(-1, -1)
            return
        self.hovered.emit(self._order[row], self._order[column])
        text = self.text_at(event.position())
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def text_at(self, position: QPointF) -> str:
        row, column = self._cell_at(position)
        if row < 0 or self.describe is None:
            return self.toolTip()
        return self.describe(self._order[row], self._order[column])

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = (-1, -1)
        self.hovered.emit(-1, -1)
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row, column = self._cell_at(event.position())
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
            self.redraw()
        elif Qt.Key(event.key()) in _TAKE and count:
            self._choose(*self._focused)
        else:
            super().keyPressEvent(event)

    def _choose(self, row: int, column: int) -> None:
        pair = (self._names[self._order[row]], self._names[self._order[column]])
        self.select(pair)
        self.chosen.emit(*pair)


_MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
_TAKE = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


_PAD = 8.0
_MAX_SQUARE = 34
_MIN_NAMED = 16.0  # px of a cell in a file
_FULL = 0.92  # of a cell's side, for an edge that all have


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

    def _cell(self) -> QSizeF:
        wide = self._size.width() - 2 * _PAD - self._names_width()
        room = min(wide, self._size.height() - 2 * _PAD)
        side = min(_MAX_SQUARE, max(_MIN_CELL, room // max(1, len(self._names))))
        return QSizeF(side, side)

    def _margins(self) -> tuple[float, float, float, float]:
        return _PAD, _PAD, 0.0, 0.0

    def _cell_at(self, position: QPointF) -> tuple[int, int]:
        row, column = super()._cell_at(position)
        return (row, column) if column < row else (-1, -1)

    def square_rect(self, one: str, other: str) -> QRectF:
        """The square itself: side ∝ √count."""
        row, column = sorted((self.order.index(one), self.order.index(other)), reverse=True)
        rest = (1 - self._side(row, column)) / 2
        return self.cell_box(row + rest, column + rest, 1 - 2 * rest, 1 - 2 * rest)

    def _side(self, row: int, column: int) -> float:
        """Side of a square as a part of the cell."""
        value = float(self._values[self._order[row], self._order[column]])
        total = max(1, self._tally.total if self._tally is not None else 1)
        return _FULL * math.sqrt(value / total)

    def picture_size(self) -> QSizeF:
        """As large as the matrix, with cells large enough for the names."""
        side = max(self.cell, _MIN_NAMED) * len(self._names) + 2 * _PAD
        return QSizeF(side + self._names_width(), side)

    # -- drawing

    def _draw_items(self, frame: Frame) -> None:
        count = len(self._order)
        if self.cell >= _LINES_FROM:
            steps = np.arange(1.0, count)
            across = np.stack((steps * 0, steps, steps, steps), axis=1).ravel()
            down = np.stack((steps, steps, steps, steps * 0 + count), axis=1).ravel()
            pen = QPen(theme().color("border"), 0.5)
            self.items.line("grid", across, -down, pen, GRID_Z, connect="pairs")
        if self.cell >= NAMES_FROM:
            self._draw_names()
        cells = [(row, column) for row in range(count) for column in range(row)]
        squares = [(row, column, self._side(row, column)) for row, column in cells]
        row, column, side = np.array([s for s in squares if s[2] > 0]).reshape(-1, 3).T
        xs = column + 0.5 - side / 2, column + 0.5 + side / 2
        ys = -row - 0.5 - side / 2, -row - 0.5 + side / 2
        self.items.boxes("squares", xs, ys, CELLS_Z, fill=theme().category(0, "line"))
        if not self._is_for_file:
            self._draw_marks()

    def _draw_names(self) -> None:
        """At the right of the diagonal."""
        chosen, width, texts = set(self._selected or ()), self._names_width() - 8, []
        for index, name in enumerate(self.order):
            box = self.cell_box(index, index)
            box = QRectF(box.left() + 6, box.top(), width, box.height())
            ink = "accent" if name in chosen else "text_secondary"
            texts.append(Text(box, name, ink=ink, side=_LEFT))
        self.items.texts("rows", texts, TEXT_Z)

    def _cells_of(self, one: str, other: str) -> list[tuple[int, int]]:
        return [max(super()._cells_of(one, other))]

    def _crosshair(self, row: int, column: int) -> tuple[QRectF, QRectF]:
        count = len(self._order)
        return QRectF(0, -row - 1, row, 1), QRectF(column, -count, 1, count - column)

    def _choose(self, row: int, column: int) -> None:
        if column < row:  # the arrow keys may lead beyond the diagonal
            super()._choose(row, column)


class HeatLegend(QLabel):
    """`0 ▁▂▃▄▅▆▇█ 0.31 bits · ■ entropy · □ edge of Asia`."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("heatLegend")
        self.setProperty("rich", True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._title, self._unit, self._grey = "Mutual information", " bits", "entropy"
        self._ramp = (0.0, 0.0)
        self._model: str | None = None
        theme().changed.connect(self._describe)
        self._describe()

    def show_range(self, title: str, unit: str, ramp: tuple[float, float], grey: str) -> None:
        """`ramp` has the values at the light and the dark end; `grey` is the diagonal, if any."""
        self._title, self._unit, self._ramp, self._grey = title, unit, ramp, grey
        self._describe()

    def show_edges_of(self, model: str | None) -> None:
        self._model = model
        self._describe()

    def _describe(self) -> None:
        look = theme()
        self.setFont(look.font("dense"))
        ramp = "".join(_sample(look.sequential(step).name()) for step in range(STEPS))
        light, dark = (end_text(value) for value in self._ramp)
        texts = [f"{escape(self._title)}&nbsp; {light} &nbsp;{ramp}&nbsp; {dark}{self._unit}"]
        if self._grey:
            texts.append(f"{_sample(look.color('stale').name())} {self._grey}")
        if self._model:
            texts.append(f"▢ edge of {escape(self._model)}")
        ink = look.color("text_secondary").name()
        self.setText(f"<span style='color:{ink}'>{'&nbsp;&nbsp; '.join(texts)}</span>")
        edges = f"; outlined cells are edges of {self._model}" if self._model else ""
        diagonal = f"; the diagonal is {self._grey}" if self._grey else ""
        self.setAccessibleName(
            f"{self._title} from {light} to {dark}{self._unit}, light to dark{diagonal}{edges}"
        )
        self.setToolTip(self.accessibleName())


def _sample(color: str) -> str:
    return f"<span style='background-color:{color}'>&nbsp;&nbsp;&nbsp;</span>"


def end_text(value: float) -> str:
    """An end of the ramp: two digits, also of a value that is all but nothing."""
    if value == 0:
        return "0"
    return decimal(value, 2) if abs(value) >= 0.095 else general(value, 2)


MAX_PATTERNS = 400
_MAX_PATTERN_CELL, _MIN_PATTERN_CELL, _MAX_HEAD = 56.0, 5.0, 120.0
_BAR = 70.0


class PatternMap(CellChart):
    """Patterns × columns, the most frequent pattern first."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._names: tuple[str, ...] = ()
        self._patterns: NDArray[np.bool_] = np.zeros((0, 0), bool)
        self._weights: Floats = np.zeros(0)

    def show_patterns(
        self, names: Sequence[str], patterns: NDArray[np.bool_], weights: Floats
    ) -> None:
        self._names = tuple(names)
        self._patterns, self._weights = patterns[:MAX_PATTERNS], weights[:MAX_PATTERNS]
        descriptions = [self._pattern_text(index) for index in range(min(5, len(self._weights)))]
        self.setAccessibleName("Missing map. " + " ".join(descriptions))
        self.refresh()

    @property
    def is_empty(self) -> bool:
        return not self._patterns.size

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

    def text_at(self, position: QPointF) -> str:
        index, _ = self.cell_under(position)
        return self._pattern_text(index) if 0 <= index < self.pattern_count else ""

    # -- geometry

    def _side(self) -> float:
        return longest_name(["000 000 rows"], "dense") + _BAR + 16

    def _cell(self) -> QSizeF:
        width = (self._size.width() - self._side() - 8) / max(1, len(self._names))
        width = min(_MAX_PATTERN_CELL, max(_MIN_PATTERN_CELL, width))
        return QSizeF(width, QFontMetricsF(theme().font("dense")).height() + 6)

    def _margins(self) -> tuple[float, float, float, float]:
        has_names = self._cell().width() > NAMES_FROM
        longest = min(_MAX_HEAD * theme().scale, longest_name(self._names))
        return 4.0, longest + 12 if has_names else 8.0, 0.0, 0.0

    def minimumSizeHint(self) -> QSize:
        wide = self._side() + 8 + _MIN_PATTERN_CELL * len(self._names)
        high = 140 * theme().scale + self._cell().height() * (self.pattern_count + 1)
        return QSize(round(max(280.0, wide)), round(high))

    # -- drawing

    def _draw_items(self, frame: Frame) -> None:
        look, cell = theme(), self._cell()
        colors = look.color("belief_track"), look.color("text")
        self.items.cells("cells", self._patterns.astype(np.uint8), colors, CELLS_Z)
        columns = len(self._names)
        if cell.width() > NAMES_FROM:
            top = self._margins()[1]
            self._draw_column_names(self._names, top, ["text_secondary"] * columns)
        rows = np.arange(self.pattern_count) + 0.5
        px = 1 / cell.width()
        left = columns + 8 * px
        lengths = _BAR * px * self._weights / float(self._weights.max(initial=1.0))
        ys = -rows - 4 / cell.height(), -rows + 4 / cell.height()
        fill = look.color("belief")
        self.items.boxes("bars", (left + 0 * rows, left + lengths), ys, CELLS_Z, fill=fill, least=1)
        texts, font = [], look.font("dense")
        for index, weight in enumerate(self._weights.tolist()):
            box = self.cell_box(index, columns)
            box = QRectF(box.left() + 16 + _BAR, box.top(), self._side() - _BAR, box.height())
            texts.append(Text(box, counted(round(weight), "row"), font=font, side=_LEFT))
        self.items.texts("weights", texts, TEXT_Z)
        self.items.texts("totals", list(self._total_texts(cell)), TEXT_Z)

    def _total_texts(self, cell: QSizeF) -> Iterator[Text]:
        """How many cells of each column are missing, where the number fits."""
        metrics = QFontMetricsF(theme().font("caption"))
        for column, total in enumerate((self._weights @ self._patterns).tolist()):
            text = grouped(round(total))
            if metrics.horizontalAdvance(text) + 2 <= cell.width():
                ink = "warning_ink" if total else "text_tertiary"
                yield Text(self.cell_box(self.pattern_count, column), text, ink=ink)
