"""The layer of unresolved edges: uncertain ones that are kept or left out, and free directions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.drawing.diagram import PictureEdge
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.gui.canvas.edge_item import paint_edge
from pgmstudio.gui.canvas.layers.layer import LayerPen, SceneLayer, bounds_around, routes_of
from pgmstudio.gui.canvas.legend import LegendEntry
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.theme.icons import paint_icon
from pgmstudio.gui.theme.theme import theme

Edge = tuple[str, str]
_ICON = 18.0
REACH = 9.0  # pixels on screen
CROWD = 24  # more links than this are drawn thin, so that the graph stays visible


PENS = {
    "kept": LayerPen("virtual_ink", (), "question", "uncertain edge, kept so far", 3.0),
    "left out": LayerPen("virtual_ink", (5.0, 4.0), "question", "uncertain edge, left out so far"),
    "free": LayerPen("target_ink", (), "arrows-left-right", "could point either way", 2.5),
}


@dataclass(frozen=True, slots=True)
class OpenLink:
    """An unresolved edge; a free one can point either way."""

    edge: Edge
    kind: str  # of PENS
    is_in_question: bool = False  # part of the question in the bar


class UnresolvedLayer(SceneLayer):
    """A layer above the edges and below the nodes; `at` finds the link under a click."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, 0.3)
        self._links: tuple[OpenLink, ...] = ()
        self._drawn: list[tuple[OpenLink, EdgeRoute]] = []

    @property
    def links(self) -> tuple[OpenLink, ...]:
        return self._links

    def show_links(self, links: tuple[OpenLink, ...]) -> None:
        self._links = links
        self.follow()

    def follow(self) -> None:
        """Update after nodes were added, removed or moved."""
        scene = self._scene
        nodes = scene.nodes
        here = [link for link in self._links if all(end in nodes for end in link.edge)]
        if not here and not self._drawn:
            return
        self.prepareGeometryChange()
        routes: dict[Edge, EdgeRoute] = {}
        for link in here:
            item = scene.edges.get(link.edge)
            if item is not None:
                routes[link.edge] = item.route
        absent = [PictureEdge(*link.edge) for link in here if link.edge not in routes]
        if absent:
            for edge, route in zip(absent, routes_of(scene, absent), strict=True):
                routes[edge.source, edge.target] = route
        self._drawn = [(link, routes[link.edge]) for link in here]
        self._bounds = bounds_around((route for _, route in self._drawn), _ICON)
        self.update()

    def at(self, point: QPointF, pixels_per_unit: float) -> tuple[OpenLink, float] | None:
        """The link under a point of the scene, and how far along it the point is, 0 to 1."""
        if not self.isVisible():
            return None
        reach = REACH / pixels_per_unit
        best: tuple[float, OpenLink, float] | None = None
        for link, route in self._drawn:
            for step in range(41):
                fraction = step / 40
                x, y = route.at(fraction)
                away = math.hypot(x - point.x(), y - point.y())
                if away <= max(reach, _ICON / 2) and (best is None or away < best[0]):
                    best = away, link, fraction
        return None if best is None else (best[1], best[2])

    def middle_of(self, edge: Edge) -> QPointF | None:
        """The position of the icon of a link."""
        for link, route in self._drawn:
            if set(link.edge) == set(edge):
                return QPointF(*route.at(0.5))
        return None

    def point_near(self, edge: Edge, end: str) -> QPointF | None:
        """A point on a link nearer to one of its ends."""
        for link, route in self._drawn:
            if set(link.edge) == set(edge):
                return QPointF(*route.at(0.8 if link.edge[1] == end else 0.2))
        return None

    def legend_entries(self) -> list[LegendEntry]:
        kinds = {link.kind for link, _ in self._drawn} if self.isVisible() else set()
        return [
            LegendEntry(pen.meaning, partial(_sample, pen))
            for kind, pen in PENS.items()
            if kind in kinds
        ]

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        is_crowded = len(self._drawn) > CROWD
        for link, route in self._drawn:
            pen = PENS[link.kind]
            # Links outside the current question are dimmed.
            color = theme().color(pen.color, 1.0 if link.is_in_question else 0.6)
            if link.is_in_question and not is_crowded:
                halo = theme().color(pen.color, 0.18)
                paint_edge(painter, route, halo, pen.width + 10, False)
            has_arrow = link.kind == "kept" and link.edge in self._scene.edges
            width = 1.2 if is_crowded and link.kind == "left out" else pen.width
            paint_edge(painter, route, color, width, has_arrow, pen.dash)
            if is_crowded and link.kind == "left out":
                continue
            x, y = route.at(0.5)
            painter.setPen(color)
            painter.setBrush(theme().color("canvas"))
            painter.drawEllipse(QPointF(x, y), _ICON / 2, _ICON / 2)
            inside = _ICON - 5
            position = QRectF(x - inside / 2, y - inside / 2, inside, inside)
            paint_icon(painter, pen.icon, pen.color, position)


def _sample(pen: LayerPen, painter: QPainter, position: QRectF) -> None:
    y = position.center().y()
    route = EdgeRoute((position.left(), y), (position.right(), y))
    paint_edge(painter, route, theme().color(pen.color), pen.width, False, pen.dash)
    paint_icon(painter, pen.icon, pen.color, QRectF(position.center().x() - 6, y - 6, 12, 12))
