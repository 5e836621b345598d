"""A small graph drawn with the Hartley gains of its pairs: its variables in a row, arcs between."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import combinations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QIcon, QPainter, QPainterPath, QPen

from pgmstudio.core.data.relation import Relation
from pgmstudio.core.languages.relational_network.pairs import PairProjection
from pgmstudio.core.number_format import counted, decimal
from pgmstudio.gui.languages.relational_network.relation_drawing import Drawn
from pgmstudio.gui.theme.icons import PaintedIconEngine
from pgmstudio.gui.theme.theme import theme

MAX_VARIABLES = 5  # more boxes have no space for their names
Pair = tuple[int, int]
_CENTER = int(Qt.AlignmentFlag.AlignCenter)


def row_order(count: int, edges: Collection[Pair]) -> list[int]:
    """The variables so that neighbours stand beside each other where they can: depth first, from
    the variables with the fewest edges."""
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    order: list[int] = []
    for start in sorted(range(count), key=lambda v: (len(near[v]) == 0, len(near[v]), v)):
        waiting = [start]
        while waiting:
            v = waiting.pop()
            if v not in order:
                order.append(v)
                waiting += sorted(near[v], reverse=True)
    return order


@lru_cache(maxsize=2048)
def graph_icon(count: int, edges: tuple[Pair, ...]) -> QIcon:
    """A graph in a few pixels: its variables clockwise on a circle, from the lower left on."""

    def paint(painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        side = float(min(rect.width(), rect.height()))
        dot = max(1.5, side / 9)
        middle, radius = QRectF(rect).center(), side / 2 - dot
        turns = [math.radians(90 + 180 / count + 360 * v / count) for v in range(count)]
        at = [middle + QPointF(radius * math.cos(t), radius * math.sin(t)) for t in turns]
        ink = theme().color("text_secondary")
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(ink, max(1.0, side / 14)))
        for a, b in edges:
            painter.drawLine(at[a], at[b])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        for point in at:
            painter.drawEllipse(point, dot, dot)
        painter.restore()

    return QIcon(PaintedIconEngine(paint))


class GainGraph(Drawn):
    """Edges with their gains; pairs that are no edge are dashed."""

    def __init__(self) -> None:
        super().__init__("relationGraph", "The graph with the Hartley gains of its pairs")
        self._edges: frozenset[Pair] = frozenset()
        self._gains: dict[Pair, float] = {}

    def show_graph(
        self, relation: Relation, projections: Sequence[PairProjection], edges: Sequence[Pair]
    ) -> None:
        self.relation = relation
        self._edges = frozenset(edges)
        self._gains = {(p.first, p.second): p.gain_bits for p in projections}
        self.setVisible(1 < len(relation.domain) <= MAX_VARIABLES)
        self.updateGeometry()
        self.update()

    def _arc_rows(self) -> int:
        """How many heights of arcs stand above the boxes."""
        return 0 if self.relation is None else max(0, len(self.relation.domain) - 2)

    def sizeHint(self) -> QSize:
        return QSize(300, round((74 + 30 * self._arc_rows()) * theme().scale))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def paint_on(self, painter: QPainter) -> None:
        if self.relation is None:
            return
        scale = theme().scale
        names = self.relation.domain.names
        order = row_order(len(names), self._edges)
        position = {v: n for n, v in enumerate(order)}
        gap = 62.0 * scale
        wide = min(110.0 * scale, (self.width() - 8 - gap * (len(names) - 1)) / len(names))
        left = (self.width() - wide * len(names) - gap * (len(names) - 1)) / 2
        high = 38.0 * scale
        top = self.height() - high - 14 * scale
        boxes = {v: QRectF(left + n * (wide + gap), top, wide, high) for v, n in position.items()}
        largest = max(self._gains.values(), default=0.0) or 1.0
        for pair in combinations(range(len(names)), 2):
            first, second = sorted(pair, key=position.__getitem__)
            span = position[second] - position[first]
            self._paint_pair(painter, pair, boxes[first], boxes[second], span, largest)
        for v, box in boxes.items():
            self._paint_box(painter, v, box)

    def _paint_pair(
        self, painter: QPainter, pair: Pair, first: QRectF, second: QRectF, span: int, most: float
    ) -> None:
        is_edge = pair in self._edges
        gain = self._gains[pair]
        width = 1.0 + 3.0 * gain / most if is_edge else 1.2
        pen = QPen(theme().color("edge" if is_edge else "edge_dim"), width * theme().scale)
        if not is_edge:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        font = theme().font("caption", "semibold" if is_edge else "regular")
        metrics = QFontMetricsF(font)
        text = decimal(gain, 2)
        if span == 1:
            painter.drawLine(
                QPointF(first.right(), first.center().y()),
                QPointF(second.left(), second.center().y()),
            )
            middle = QPointF((first.right() + second.left()) / 2, first.center().y())
            at = middle - QPointF(0, metrics.height() * 0.65)
        else:
            height = 30.0 * theme().scale * (span - 1)
            start, end = first.center().x(), second.center().x()
            path = QPainterPath(QPointF(start, first.top()))
            low = first.top() - 4 * height / 3
            path.cubicTo(QPointF(start, low), QPointF(end, low), QPointF(end, second.top()))
            painter.drawPath(path)
            at = QPointF((start + end) / 2, first.top() - height)
        tag = QRectF(0, 0, metrics.horizontalAdvance(text) + 8, metrics.height())
        tag.moveCenter(at)
        painter.fillRect(tag, theme().color("window"))
        painter.setFont(font)
        painter.setPen(theme().color("text" if is_edge else "text_secondary"))
        painter.drawText(tag, _CENTER, text)

    def _paint_box(self, painter: QPainter, v: int, box: QRectF) -> None:
        assert self.relation is not None
        variable = self.relation.domain.variables[v]
        painter.setPen(QPen(theme().color("border_control"), 1))
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(box, 6, 6)
        for half, text, font, color in (
            (0, variable.name, theme().font("caption", "semibold"), "text"),
            (
                1,
                counted(self.relation.used_states[v], "value"),
                theme().font("caption"),
                "text_secondary",
            ),
        ):
            place = QRectF(box.left() + 4, box.top(), box.width() - 8, box.height() / 2)
            place.translate(0, 1 if half == 0 else box.height() / 2 - 1)
            painter.setFont(font)
            painter.setPen(theme().color(color))
            elide = Qt.TextElideMode.ElideRight
            cut = QFontMetricsF(font).elidedText(text, elide, place.width())
            painter.drawText(place, _CENTER, cut)
