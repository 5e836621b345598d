"""The layer of the next moves of a search: dashed edges with their numbers in the list."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from pgmstudio.gui.canvas.layers.layer import LayerPen, SceneLayer, bounds_around, routes_of
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.drawing.diagram import PictureEdge
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.core.languages.bayesian_network.learning.score_based.candidate_moves import MoveKey
from pgmstudio.gui.canvas.edge_item import paint_edge
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.canvas.legend import LegendEntry
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.theme.icons import paint_icon
from pgmstudio.gui.theme.theme import theme

_BADGE = 18.0
_FRACTIONS = (0.5, 0.38, 0.62, 0.26, 0.74)  # positions of a badge along its line, by preference
_APART = 24.0
_BOTH = "·"  # between the numbers of moves on one pair

PENS = {
    "add": LayerPen("required", (6.0, 4.0), "plus", "next move: add"),
    "remove": LayerPen("forbidden", (6.0, 4.0), "minus", "next move: remove"),
    "reverse": LayerPen("label_ink", (6.0, 4.0), "arrows-left-right", "next move: reverse"),
}


@dataclass(frozen=True, slots=True)
class _Ghost:
    """The moves on one pair with their numbers, the route of the first, and the badge position."""

    moves: tuple[tuple[int, MoveKey], ...]
    route: EdgeRoute
    position: QPointF

    def shown(self, looked_at: MoveKey | None) -> MoveKey:
        """The move that determines how the pair is drawn."""
        keys = [key for _, key in self.moves]
        return looked_at if looked_at in keys and looked_at is not None else keys[0]


class MovesLayer(SceneLayer):
    """A layer above the edges and below the nodes that ignores the mouse."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, 0.28)
        self._moves: tuple[tuple[int, MoveKey], ...] = ()
        self._looked_at: MoveKey | None = None
        self._drawn: list[_Ghost] = []

    @property
    def moves(self) -> tuple[MoveKey, ...]:
        return tuple(key for _, key in self._moves)

    @property
    def looked_at(self) -> MoveKey | None:
        return self._looked_at

    def show_moves(
        self, moves: Sequence[tuple[int, MoveKey]], looked_at: MoveKey | None = None
    ) -> None:
        """Show moves with their numbers in the list; the one `looked_at` is emphasised."""
        self._moves, self._looked_at = tuple(moves), looked_at
        self.follow()

    def follow(self) -> None:
        """Update after nodes were added, removed or moved."""
        scene = self._scene
        pairs: dict[frozenset[str], list[tuple[int, MoveKey]]] = {}
        for number, key in self._moves:
            if key.source in scene.nodes and key.target in scene.nodes:
                pairs.setdefault(frozenset((key.source, key.target)), []).append((number, key))
        if not pairs and not self._drawn:
            return
        self.prepareGeometryChange()
        ends = [(result[0][1].source, result[0][1].target) for result in pairs.values()]
        ways = {edge: scene.edges[edge].route for edge in ends if edge in scene.edges}
        absent = [PictureEdge(*edge) for edge in ends if edge not in ways]
        for missing, route in zip(absent, routes_of(scene, absent), strict=True):
            ways[missing.source, missing.target] = route
        self._drawn = []
        for edge, result in zip(ends, pairs.values(), strict=True):
            position = self._free_position(ways[edge])
            self._drawn.append(_Ghost(tuple(result), ways[edge], position))
        self._bounds = bounds_around((ghost.route for ghost in self._drawn), 2 * _BADGE)
        self.update()

    def _free_position(self, route: EdgeRoute) -> QPointF:
        """The position along the route where the badge overlaps other badges and nodes least."""
        taken = [ghost.position for ghost in self._drawn]
        boxes = [item.box for item in self._scene.nodes.values()]

        def clearance(fraction: float) -> float:
            point = QPointF(*route.at(fraction))
            if any(box.contains(point) for box in boxes):
                return -1.0
            gaps = [math.hypot(point.x() - t.x(), point.y() - t.y()) for t in taken]
            return min(_APART, *gaps) if gaps else _APART

        return QPointF(*route.at(max(_FRACTIONS, key=clearance)))

    def legend_entries(self) -> list[LegendEntry]:
        shown = self._drawn if self.isVisible() else []
        shown_actions = {key.action for ghost in shown for _, key in ghost.moves}
        return [
            LegendEntry(pen.meaning, partial(_sample, pen))
            for action, pen in PENS.items()
            if action in shown_actions
        ]

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        # The best are painted last, over the others.
        for ghost in reversed(self._drawn):
            self._paint_way(painter, ghost)
        for ghost in reversed(self._drawn):
            self._paint_badge(painter, ghost)

    def _paint_way(self, painter: QPainter, ghost: _Ghost) -> None:
        key = ghost.shown(self._looked_at)
        pen, is_looked_at = PENS[key.action], key == self._looked_at
        route = ghost.route
        # The arrow is at the end it would have after the move.
        if (key.source != ghost.moves[0][1].source) != (key.action == "reverse"):
            route = EdgeRoute(route.end, route.start, route.bend)
        if is_looked_at:
            paint_edge(painter, route, theme().color(pen.color, 0.18), pen.width + 10, False)
        color = theme().color(pen.color, 1.0 if is_looked_at else 0.55)
        width = pen.width + 0.8 if is_looked_at else 1.4
        has_arrow = key.is_directed and key.action != "remove"
        paint_edge(painter, route, color, width, has_arrow, pen.dash)

    def _paint_badge(self, painter: QPainter, ghost: _Ghost) -> None:
        key = ghost.shown(self._looked_at)
        color, is_looked_at = PENS[key.action].color, key == self._looked_at
        text = _BOTH.join(str(number) for number, _ in ghost.moves)
        font = canvas_font("caption", "semibold")
        wide = max(_BADGE, canvas_metrics("caption", "semibold").horizontalAdvance(text) + 8)
        badge = QRectF(0, 0, wide, _BADGE)
        badge.moveCenter(ghost.position)
        painter.setPen(theme().color(color))
        painter.setBrush(theme().color(color if is_looked_at else "canvas"))
        painter.drawRoundedRect(badge, _BADGE / 2, _BADGE / 2)
        painter.setPen(theme().color("canvas" if is_looked_at else color))
        painter.setFont(font)
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, text)


def _sample(pen: LayerPen, painter: QPainter, position: QRectF) -> None:
    y = position.center().y()
    route = EdgeRoute((position.left(), y), (position.right(), y))
    paint_edge(painter, route, theme().color(pen.color), pen.width, False, pen.dash)
    middle = QPointF(position.center().x(), y)
    painter.setPen(theme().color("canvas"))
    painter.setBrush(theme().color("canvas"))
    painter.drawEllipse(middle, 6, 6)
    paint_icon(painter, pen.icon, pen.color, QRectF(middle.x() - 6, y - 6, 12, 12))
