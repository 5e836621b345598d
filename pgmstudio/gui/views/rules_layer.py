"""Required and forbidden edges drawn over the picture, whether the model has them or not."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.pictures.picture import PictureEdge
from pgmstudio.core.pictures.routes import EdgeRoute, edge_route
from pgmstudio.gui.style.icons import paint_icon
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.views.edge_item import paint_edge
from pgmstudio.gui.views.graph_scene import GraphScene

_SIGN = 16.0


@dataclass(frozen=True, slots=True)
class RulePen:
    """How one kind of rule is drawn: never by its colour alone."""

    color: str
    dash: tuple[float, ...]
    icon: str
    meaning: str


PENS = {
    "required": RulePen("required", (), "lock-simple", "required edge"),
    "forbidden": RulePen("forbidden", (6.0, 4.0), "prohibit", "forbidden edge"),
}
WIDTH = 2.0


class RulesLayer(QGraphicsItem):
    """Above the edges, below the nodes; it takes no mouse."""

    def __init__(self, scene: GraphScene) -> None:
        super().__init__()
        self._scene = scene
        self._knowledge = Knowledge()
        self._drawn: list[tuple[str, EdgeRoute]] = []
        self._bounds = QRectF()
        self.setZValue(0.25)
        self.setAcceptedMouseButtons(self.acceptedMouseButtons().NoButton)
        scene.addItem(self)

    @property
    def knowledge(self) -> Knowledge:
        return self._knowledge

    @property
    def kinds(self) -> set[str]:
        """The kinds of rule in sight, for the legend."""
        return {kind for kind, _ in self._drawn} if self.isVisible() else set()

    def show_rules(self, knowledge: Knowledge) -> None:
        """The rules whose two ends are in the picture."""
        self._knowledge = knowledge
        self.follow()

    def follow(self) -> None:
        """Nodes came, went or moved."""
        scene, nodes = self._scene, self._scene.nodes
        rules = [
            (kind, PictureEdge(*edge))
            for kind, edges in (
                ("required", self._knowledge.required),
                ("forbidden", self._knowledge.forbidden),
            )
            for edge in sorted(edges)
            if edge[0] in nodes and edge[1] in nodes
        ]
        if not rules and not self._drawn:
            return
        self.prepareGeometryChange()
        places = {name: item.centre for name, item in nodes.items()}
        sizes = {name: item.size for name, item in nodes.items()}
        routes = edge_route(scene.picture, places, sizes, [edge for _, edge in rules])
        self._drawn = [(kind, route) for (kind, _), route in zip(rules, routes, strict=True)]
        bounds = QRectF()
        for _, route in self._drawn:
            for point in (route.start, route.end, route.bend or route.start):
                bounds = bounds.united(QRectF(point[0] - 1, point[1] - 1, 2, 2))
        self._bounds = bounds.adjusted(-_SIGN, -_SIGN, _SIGN, _SIGN)
        self.update()

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        for kind, route in self._drawn:
            pen = PENS[kind]
            paint_edge(painter, route, theme().color(pen.color), WIDTH, True, pen.dash)
            x, y = route.at(0.5)
            painter.setPen(theme().color("canvas"))
            painter.setBrush(theme().color("canvas"))
            painter.drawEllipse(QPointF(x, y), _SIGN / 2, _SIGN / 2)
            place = QRectF(x - _SIGN / 2, y - _SIGN / 2, _SIGN, _SIGN)
            paint_icon(painter, pen.icon, pen.color, place)
