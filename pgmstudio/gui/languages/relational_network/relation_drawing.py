"""Drawings of a relation: a cube with its projections on the walls, and grids of pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from pgmstudio.core.data.relation import Relation
from pgmstudio.core.languages.relational_network.pairs import PairProjection
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.image_file import PictureOptions

SPURIOUS = "evidence"  # the colour of what contradicts the data; it is hatched as well
MAX_STATES = 12  # of a variable in the cube
_GAP = 1.2  # between the cube and its walls, in cells
_CELL = 0.62  # the side of a tuple, in cells
_COS, _SIN = math.cos(math.pi / 6), 0.5
_UP = 1.3  # the height of a cell: with 1 a tuple would cover that behind it completely
_MAX_UNIT = 46.0
_HATCH = 6.0  # px from one line to the next, along the axes
_GRID_WIDTH, _GRID_TILE = 160, 22
_GRID_HEIGHTS = (84, 190)

Codes = tuple[int, ...]
Pair = tuple[int, int]
_WALLS: tuple[Pair, ...] = ((0, 1), (1, 2), (0, 2))


def paint_tile(painter: QPainter, shape: QPolygonF, *, is_spurious: bool = False) -> None:
    """A pair of states on a wall or in a grid."""
    color = theme().color(SPURIOUS if is_spurious else "belief")
    painter.setPen(QPen(color, 1))
    painter.setBrush(theme().color("surface") if is_spurious else theme().color("belief", 0.45))
    painter.drawPolygon(shape)
    if is_spurious:
        painter.drawLines(_hatching(shape))


def _hatching(shape: QPolygonF) -> list[QLineF]:
    """Diagonal lines within a convex shape; a brush of a pattern would be lost in SVG files."""
    points = [(p.x(), p.y()) for p in (shape.at(n) for n in range(shape.size()))]
    sums = [x + y for x, y in points]
    lines = []
    level = math.ceil(min(sums) / _HATCH) * _HATCH
    while level < max(sums):
        ends = []
        for (x, y), (x2, y2) in zip(points, [*points[1:], points[0]], strict=True):
            start, end = x + y - level, x2 + y2 - level
            if (start < 0) != (end < 0):
                part = start / (start - end)
                ends.append(QPointF(x + part * (x2 - x), y + part * (y2 - y)))
        if len(ends) == 2:
            lines.append(QLineF(*ends))
        level += _HATCH
    return lines


def _rectangle(area: QRectF) -> QPolygonF:
    return QPolygonF([area.topLeft(), area.topRight(), area.bottomRight(), area.bottomLeft()])


def spurious_pairs(projection: PairProjection, spurious: Iterable[Codes]) -> NDArray[np.bool_]:
    """Pairs of states that only spurious tuples have."""
    table = np.zeros_like(projection.occurs)
    for codes in spurious:
        table[codes[projection.first], codes[projection.second]] = True
    return table & ~projection.occurs


class Drawn(QWidget):
    """Base of drawings of a relation: repainted with the theme, with tooltips."""

    def __init__(self, name: str, title: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.relation: Relation | None = None
        self.spurious: Sequence[Codes] = ()
        theme().changed.connect(self.update)

    def tip_at(self, position: QPointF) -> str:
        """What stands at a position."""
        return ""

    def paint_on(self, painter: QPainter) -> None:
        """On the screen, or on the page of a file."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_on(painter)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _states(self, codes: Sequence[int], variables: Iterable[int]) -> str:
        assert self.relation is not None
        names = [self.relation.domain.variables[v].states for v in variables]
        return ", ".join(states[code] for states, code in zip(names, codes, strict=True))


@dataclass(frozen=True, slots=True)
class RelationPicture:
    """A drawing for a file, as large as on the screen."""

    drawn: Drawn
    title: str

    has_parts: ClassVar[bool] = False

    def size(self, options: PictureOptions) -> QSizeF:
        return QSizeF(self.drawn.size())

    def paint(self, painter: QPainter, options: PictureOptions) -> None:
        self.drawn.paint_on(painter)


class PairGrid(Drawn):
    """The projection to a pair of variables: a tile where the pair of states occurs."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "Pairs of states that occur")
        self._projection: PairProjection | None = None
        self._extra: NDArray[np.bool_] | None = None

    def show_pair(
        self, relation: Relation, projection: PairProjection, spurious: Sequence[Codes] = ()
    ) -> None:
        self.relation, self._projection, self.spurious = relation, projection, spurious
        self._extra = spurious_pairs(projection, spurious)
        self.updateGeometry()
        self.update()

    def _names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The states of the columns, and of the rows."""
        assert self.relation is not None
        assert self._projection is not None
        variables = self.relation.domain.variables
        return variables[self._projection.first].states, variables[self._projection.second].states

    def sizeHint(self) -> QSize:
        rows = 3 if self._projection is None else len(self._names()[1])
        return QSize(220, min(320, round(theme().px("row") * (rows + 1) * 1.1)))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, min(120, self.sizeHint().height()))

    def _cells(self) -> tuple[QRectF, float, float]:
        """The area of the cells, and the width and height of one."""
        columns, rows = self._names()
        metrics = QFontMetricsF(theme().font("caption"))
        left = min(0.4 * self.width(), max(map(metrics.horizontalAdvance, rows)) + 12)
        top = metrics.height() + 6
        height = min(34.0 * theme().scale, (self.height() - top - 2) / len(rows))
        width = min(72.0 * theme().scale, (self.width() - left - 2) / len(columns))
        return QRectF(left, top, width * len(columns), height * len(rows)), width, height

    def paint_on(self, painter: QPainter) -> None:
        if self._projection is None or self._extra is None:
            return
        columns, rows = self._names()
        area, width, height = self._cells()
        metrics = QFontMetricsF(theme().font("caption"))
        painter.setFont(theme().font("caption"))
        painter.setPen(theme().color("text_secondary"))
        elide = Qt.TextElideMode.ElideRight
        if height >= metrics.height() * 0.8:
            for number, state in enumerate(rows):
                place = QRectF(0, area.top() + number * height, area.left() - 8, height)
                text = metrics.elidedText(state, elide, place.width())
                painter.drawText(place, _RIGHT, text)
        if width >= 18:
            for number, state in enumerate(columns):
                place = QRectF(area.left() + number * width, 0, width, area.top() - 2)
                text = metrics.elidedText(state, elide, width - 4)
                painter.drawText(place, _CENTER, text)
        for i in range(len(columns)):
            for j in range(len(rows)):
                cell = QRectF(area.left() + i * width, area.top() + j * height, width, height)
                space = 1.5 if min(width, height) > 8 else 0.5
                cell.adjust(space, space, -space, -space)
                if self._projection.occurs[i, j] or self._extra[i, j]:
                    is_spurious = not self._projection.occurs[i, j]
                    paint_tile(painter, _rectangle(cell), is_spurious=is_spurious)
                else:
                    painter.setPen(QPen(theme().color("border"), 1))
                    painter.setBrush(theme().color("surface"))
                    painter.drawRect(cell)

    def tip_at(self, position: QPointF) -> str:
        if self._projection is None or self._extra is None:
            return ""
        area, width, height = self._cells()
        if not area.contains(position):
            return ""
        columns, rows = self._names()
        i = min(len(columns) - 1, int((position.x() - area.left()) / width))
        j = min(len(rows) - 1, int((position.y() - area.top()) / height))
        text = "occurs" if self._projection.occurs[i, j] else "never occurs"
        text = "only in spurious tuples" if self._extra[i, j] else text
        return f"{columns[i]}, {rows[j]}: {text}"


_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_CENTER = int(Qt.AlignmentFlag.AlignCenter)


@dataclass(frozen=True)
class _Wall:
    """A wall of the cube: the variables it shows, its tiles, and where its beams begin and end."""

    pair: Pair
    tile: Callable[[float, float, float, float], QPolygonF]  # from and to on both axes
    beam: Callable[[int, int], QLineF]


class RelationView(Drawn):
    """A relation of three variables as a cube; of others the grids of one with each other."""

    pair_chosen = Signal(int, int)

    def __init__(self) -> None:
        super().__init__("relationView", "The tuples of the relation")
        self._pair: Pair | None = None
        self._extended: tuple[Pair, ...] = ()
        self._variable = 0
        self._projections: dict[Pair, PairProjection] = {}
        self._unit = 1.0
        self._origin = QPointF()
        self._pairs_at: list[tuple[QPolygonF, Pair]] = []
        self._tuples_at: list[tuple[QPolygonF, str]] = []
        self.setMouseTracking(True)

    @property
    def is_cube(self) -> bool:
        if self.relation is None or len(self.relation.domain) != 3:
            return False
        return max(self.relation.domain.cardinalities) <= MAX_STATES

    def show_relation(self, relation: Relation, projections: Sequence[PairProjection]) -> None:
        self.relation = relation
        self._projections = {(p.first, p.second): p for p in projections}
        self._variable = min(self._variable, len(relation.domain) - 1)
        self._fit_height()
        self.update()

    def show_spurious(self, spurious: Sequence[Codes]) -> None:
        """The tuples of a graph that the relation has not."""
        self.spurious = spurious
        self.update()

    def show_pair(self, pair: Pair | None) -> None:
        """Mark a wall or grid."""
        self._pair = pair
        self.update()

    def show_extensions(self, pairs: Iterable[Pair]) -> None:
        """Draw the cylindrical extensions of these projections as beams through the cube."""
        self._extended = tuple(pairs)
        self.update()

    def show_variable(self, variable: int) -> None:
        """The page of grids of a variable with each of the others."""
        self._variable = variable
        self._fit_height()
        self.update()

    def pair_positions(self) -> dict[Pair, QPointF]:
        """A point of every wall or grid that is drawn, where a click chooses it."""
        return {pair: _corner_point(shape) for shape, pair in self._pairs_at}

    def sizeHint(self) -> QSize:
        return QSize(420, 420)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 220)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    # -- painting

    def paint_on(self, painter: QPainter) -> None:
        self._pairs_at, self._tuples_at = [], []
        if self.relation is None:
            return
        if self.is_cube:
            self._paint_cube(painter)
        else:
            self._paint_grids(painter)

    def _point(self, i: float, j: float, k: float) -> QPointF:
        """The first variable goes to the front, the second to the back right, the third up."""
        x = (i + j) * _COS * self._unit
        y = ((i - j) * _SIN - k * _UP) * self._unit
        return self._origin + QPointF(x, y)

    def _polygon(self, corners: Iterable[tuple[float, float, float]]) -> QPolygonF:
        return QPolygonF([self._point(*corner) for corner in corners])

    def _fit_cube(self, cards: Sequence[int], labels: Sequence[float]) -> None:
        """Choose unit and origin so that cube, walls and labels fit; `labels`: px of each axis."""
        a, b, c = cards
        self._unit, self._origin = 1.0, QPointF()
        whole = [(0, a, 0, b), (0, b, 0, c), (0, a, 0, c)]
        tiles = {wall.pair: wall.tile for wall in self._walls(cards)}
        shapes = [tiles[pair](*ends) for pair, ends in zip(_WALLS, whole, strict=True)]
        corners = [shape.at(n) for shape in shapes for n in range(4)]
        low_x, high_x = min(p.x() for p in corners), max(p.x() for p in corners)
        low_y, high_y = min(p.y() for p in corners), max(p.y() for p in corners)
        line = QFontMetricsF(theme().font("caption")).height()
        left, right, top = labels[2] + 20, 16.0, line + 14
        bottom = 1.6 * line + 8 + _legend_height()
        wide = (self.width() - left - right) / (high_x - low_x)
        high = (self.height() - top - bottom) / (high_y - low_y)
        self._unit = max(8.0, min(wide, high, _MAX_UNIT))
        used = (high_x - low_x) * self._unit + left + right
        x = max(0.0, (self.width() - used) / 2) + left - low_x * self._unit
        space = self.height() - (high_y - low_y) * self._unit - top - bottom
        self._origin = QPointF(x, max(0.0, space / 2) + top - low_y * self._unit)

    def _walls(self, cards: Sequence[int]) -> list[_Wall]:
        a, b, c = cards

        def floor(i: float, i2: float, j: float, j2: float) -> QPolygonF:
            return self._polygon([(x, y, -_GAP) for x, y in _corners(i, i2, j, j2)])

        def left(j: float, j2: float, k: float, k2: float) -> QPolygonF:
            return self._polygon([(-_GAP, x, y) for x, y in _corners(j, j2, k, k2)])

        def right(i: float, i2: float, k: float, k2: float) -> QPolygonF:
            return self._polygon([(x, b + _GAP, y) for x, y in _corners(i, i2, k, k2)])

        def along(i: int, j: int) -> QLineF:
            return self._line((i + 0.5, j + 0.5, -_GAP), (i + 0.5, j + 0.5, c))

        def across(j: int, k: int) -> QLineF:
            return self._line((-_GAP, j + 0.5, k + 0.5), (a, j + 0.5, k + 0.5))

        def back(i: int, k: int) -> QLineF:
            return self._line((i + 0.5, b + _GAP, k + 0.5), (i + 0.5, 0, k + 0.5))

        return [
            _Wall((1, 2), left, across),
            _Wall((0, 2), right, back),
            _Wall((0, 1), floor, along),
        ]

    def _line(self, start: Codes | tuple[float, ...], end: Codes | tuple[float, ...]) -> QLineF:
        return QLineF(self._point(*start), self._point(*end))

    def _paint_cube(self, painter: QPainter) -> None:
        assert self.relation is not None
        cards = self.relation.domain.cardinalities
        metrics = QFontMetricsF(theme().font("caption"))
        states = [variable.states for variable in self.relation.domain]
        widths = [max(map(metrics.horizontalAdvance, names)) for names in states]
        self._fit_cube(cards, widths)
        walls = self._walls(cards)
        for wall in walls:
            self._paint_wall(painter, wall, cards)
        self._paint_frame(painter, cards, is_front=False)
        for wall in walls:
            if wall.pair in self._extended:
                self._paint_beams(painter, wall)
        known = [(tuple(codes), False) for codes in self.relation.tuples.T.tolist()]
        extra = [(codes, True) for codes in self.spurious]
        for codes, is_spurious in sorted(known + extra, key=lambda t: t[0][0] - t[0][1] + t[0][2]):
            self._paint_tuple(painter, codes, is_spurious)
        self._paint_frame(painter, cards, is_front=True)
        self._paint_labels(painter, cards)
        self._paint_legend(painter)

    def _paint_wall(self, painter: QPainter, wall: _Wall, cards: Sequence[int]) -> None:
        projection = self._projections[wall.pair]
        extra = spurious_pairs(projection, self.spurious)
        across, up = (cards[v] for v in wall.pair)
        whole = wall.tile(0, across, 0, up)
        self._pairs_at.append((whole, wall.pair))
        is_chosen = wall.pair == self._pair
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("surface"))
        painter.drawPolygon(whole)
        painter.setPen(QPen(theme().color("border"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for p in range(across):
            for q in range(up):
                painter.drawPolygon(wall.tile(p, p + 1, q, q + 1))
        for p, q in np.argwhere(projection.occurs | extra).tolist():
            shape = wall.tile(p + 0.1, p + 0.9, q + 0.1, q + 0.9)
            paint_tile(painter, shape, is_spurious=bool(extra[p, q]))
        color = "accent" if is_chosen else "border_control"
        painter.setPen(QPen(theme().color(color), 2 if is_chosen else 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolygon(whole)

    def _paint_beams(self, painter: QPainter, wall: _Wall) -> None:
        """The cylindrical extension: every tuple with a pair of the projection."""
        pen = QPen(theme().color("accent", 0.3), max(2.0, 0.22 * self._unit))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        projection = self._projections[wall.pair]
        for p, q in np.argwhere(projection.occurs).tolist():
            painter.drawLine(wall.beam(p, q))

    def _paint_frame(self, painter: QPainter, cards: Sequence[int], *, is_front: bool) -> None:
        a, b, c = cards
        hidden = (0, b, 0)  # the corner behind
        pen = QPen(theme().color("edge_dim", 0.8), 1)
        if not is_front:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        corners = [(i, j, k) for i in (0, a) for j in (0, b) for k in (0, c)]
        for start in corners:
            for axis, size in enumerate(cards):
                if start[axis] == 0:
                    end = tuple(size if n == axis else x for n, x in enumerate(start))
                    if (hidden in (start, end)) is not is_front:
                        painter.drawLine(self._line(start, end))

    def _paint_tuple(self, painter: QPainter, codes: Codes, is_spurious: bool) -> None:
        sides = (_CELL, _CELL, _CELL / _UP)
        low = [code + (1 - side) / 2 for code, side in zip(codes, sides, strict=True)]
        high = [code + (1 + side) / 2 for code, side in zip(codes, sides, strict=True)]
        (i, j, k), (i2, j2, k2) = low, high
        top = self._polygon([(i, j, k2), (i2, j, k2), (i2, j2, k2), (i, j2, k2)])
        front = self._polygon([(i, j, k), (i2, j, k), (i2, j, k2), (i, j, k2)])
        side = self._polygon([(i2, j, k), (i2, j2, k), (i2, j2, k2), (i2, j, k2)])
        if is_spurious:
            for face in (top, front, side):
                paint_tile(painter, face, is_spurious=True)
        else:
            base = theme().color("belief")
            painter.setPen(QPen(theme().color("surface"), 0.8))
            for face, color in ((top, base.lighter(122)), (front, base), (side, base.darker(150))):
                painter.setBrush(QColor(color))
                painter.drawPolygon(face)
        text = self._states(codes, range(3)) + (" (spurious)" if is_spurious else "")
        outline = [(i, j, k), (i2, j, k), (i2, j2, k), (i2, j2, k2), (i, j2, k2), (i, j, k2)]
        self._tuples_at.append((self._polygon(outline), text))

    def _paint_labels(self, painter: QPainter, cards: Sequence[int]) -> None:
        assert self.relation is not None
        a, b, c = cards
        first, second, third = self.relation.domain.variables
        small = theme().font("caption")
        line = QFontMetricsF(small).height()
        skip = max(1, math.ceil(line / (self._unit * _SIN * 1.15)))

        def write(at: QPointF, text: str, side: int, *, is_name: bool = False) -> None:
            font = theme().font("caption", "semibold" if is_name else "regular")
            painter.setFont(font)
            painter.setPen(theme().color("text" if is_name else "text_secondary"))
            width = QFontMetricsF(font).horizontalAdvance(text) + 4
            x = at.x() if side == _LEFT else at.x() - width
            x = min(max(0.0, x), max(0.0, self.width() - width))
            painter.drawText(QRectF(x, at.y() - line / 2, width, line), side, text)

        for code in range(0, a, skip):
            write(self._point(code + 0.5, 0, -_GAP) + QPointF(-8, 6), first.states[code], _RIGHT)
        for code in range(0, b, skip):
            write(self._point(a, code + 0.5, -_GAP) + QPointF(8, 6), second.states[code], _LEFT)
        for code in range(0, c, max(1, math.ceil(line / (self._unit * _UP)))):
            write(self._point(-_GAP, 0, code + 0.5) + QPointF(-6, 0), third.states[code], _RIGHT)
        front = self._point(a, 0, -_GAP)
        below = front.y() + line * 0.9
        write(QPointF(front.x() - 14, below), first.name, _RIGHT, is_name=True)
        write(QPointF(front.x() + 14, below), second.name, _LEFT, is_name=True)
        top = self._point(-_GAP, 0, c)
        write(top + QPointF(-6, -4), third.name, _RIGHT, is_name=True)

    def _paint_legend(self, painter: QPainter) -> None:
        """What the shapes mean, below the cube."""
        entries = ["tuple", "projection"]
        entries += ["extension"] if self._extended else []
        entries += ["additional"] if self.spurious else []
        font = theme().font("caption")
        metrics = QFontMetricsF(font)
        mark = 12.0 * theme().scale
        widths = [mark + 6 + metrics.horizontalAdvance(text) for text in entries]
        space = min(18.0, max(8.0, (self.width() - sum(widths)) / len(entries)))
        x = max(0.0, (self.width() - sum(widths) - space * (len(entries) - 1)) / 2)
        y = self.height() - _legend_height() / 2
        painter.setFont(font)
        for text, width in zip(entries, widths, strict=True):
            area = QRectF(x, y - mark / 2, mark, mark)
            if text == "tuple":
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme().color("belief"))
                painter.drawRect(area)
            elif text == "extension":
                painter.setPen(QPen(theme().color("accent", 0.3), mark / 2))
                painter.drawLine(QLineF(x, y, x + mark, y))
            else:
                paint_tile(painter, _rectangle(area), is_spurious=text == "additional")
            painter.setPen(theme().color("text_secondary"))
            place = QRectF(x + mark + 6, y - metrics.height() / 2, width, metrics.height())
            painter.drawText(place, _LEFT, text)
            x += width + space

    # -- pages of grids

    def _grid_pairs(self) -> list[Pair]:
        assert self.relation is not None
        others = (v for v in range(len(self.relation.domain)) if v != self._variable)
        return [(min(self._variable, v), max(self._variable, v)) for v in others]

    def _grid_columns(self) -> int:
        return max(1, int(self.width() / (_GRID_WIDTH * theme().scale)))

    def _grid_height(self) -> float:
        """The height of a grid with its title, enough for the most states."""
        assert self.relation is not None
        least, most = _GRID_HEIGHTS
        wanted = 48 + _GRID_TILE * max(self.relation.domain.cardinalities)
        return theme().scale * min(most, max(least, wanted))

    def _fit_height(self) -> None:
        if self.relation is None or self.is_cube:
            self.setMinimumHeight(0)
            return
        rows = math.ceil(len(self._grid_pairs()) / self._grid_columns())
        self.setMinimumHeight(round(rows * self._grid_height()))

    def _paint_grids(self, painter: QPainter) -> None:
        assert self.relation is not None
        variables = self.relation.domain.variables
        columns = self._grid_columns()
        height = self._grid_height()
        width = self.width() / columns
        font = theme().font("caption", "semibold")
        metrics = QFontMetricsF(font)
        for number, pair in enumerate(self._grid_pairs()):
            place = QRectF(number % columns * width, number // columns * height, width, height)
            place.adjust(6, 6, -6, -6)
            self._pairs_at.append((_rectangle(place), pair))
            projection = self._projections[pair]
            is_chosen = pair == self._pair
            painter.setBrush(theme().color("surface"))
            color = "accent" if is_chosen else "border"
            painter.setPen(QPen(theme().color(color), 2 if is_chosen else 1))
            painter.drawRoundedRect(place, 6, 6)
            count = f"{projection.counts[2]} of {projection.occurs.size}"
            space = place.width() - 24 - metrics.horizontalAdvance(count)
            other = pair[1] if pair[0] == self._variable else pair[0]
            title = f"× {variables[other].name}"
            head = QRectF(place.left() + 8, place.top() + 4, place.width() - 16, metrics.height())
            painter.setFont(font)
            painter.setPen(theme().color("text"))
            elide = Qt.TextElideMode.ElideRight
            painter.drawText(head, _LEFT, metrics.elidedText(title, elide, space))
            painter.setFont(theme().font("caption"))
            painter.setPen(theme().color("text_secondary"))
            painter.drawText(head, _RIGHT, count)
            self._paint_cells(painter, place.adjusted(8, metrics.height() + 10, -8, -8), projection)

    def _paint_cells(self, painter: QPainter, area: QRectF, projection: PairProjection) -> None:
        columns, rows = projection.occurs.shape
        side = min(area.width() / columns, area.height() / rows, float(_GRID_TILE))
        left = area.center().x() - side * columns / 2
        extra = spurious_pairs(projection, self.spurious)
        painter.setPen(QPen(theme().color("border"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(left, area.top(), side * columns, side * rows))
        space = 1.0 if side > 6 else 0.0
        for i, j in np.argwhere(projection.occurs | extra).tolist():
            cell = QRectF(left + i * side, area.top() + j * side, side, side)
            cell.adjust(space, space, -space, -space)
            paint_tile(painter, _rectangle(cell), is_spurious=bool(extra[i, j]))

    # -- the pointer

    def tip_at(self, position: QPointF) -> str:
        inside = Qt.FillRule.OddEvenFill
        for shape, text in reversed(self._tuples_at):
            if shape.containsPoint(position, inside):
                return text
        pair = self._pair_at(position)
        if pair is None or self.relation is None:
            return ""
        first, second = (self.relation.domain.names[v] for v in pair)
        projection = self._projections[pair]
        count = f"{projection.counts[2]} of {projection.occurs.size} pairs occur"
        return f"{first} × {second}: {count}. Click for the Hartley information gain."

    def _pair_at(self, position: QPointF) -> Pair | None:
        inside = Qt.FillRule.OddEvenFill
        hits = (
            pair
            for shape, pair in reversed(self._pairs_at)
            if shape.containsPoint(position, inside)
        )
        return next(hits, None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_hit = self._pair_at(event.position()) is not None
        shape = Qt.CursorShape.PointingHandCursor if is_hit else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pair = self._pair_at(event.position())
        if pair is not None and event.button() == Qt.MouseButton.LeftButton:
            self.pair_chosen.emit(*pair)


def _legend_height() -> float:
    return QFontMetricsF(theme().font("caption")).height() + 14


def _corners(p: float, p2: float, q: float, q2: float) -> list[tuple[float, float]]:
    return [(p, q), (p2, q), (p2, q2), (p, q2)]


def _corner_point(shape: QPolygonF) -> QPointF:
    """Near the first corner, which the cube does not cover."""
    corner, center = shape.at(0), shape.boundingRect().center()
    return QLineF(corner, center).pointAt(0.12)
