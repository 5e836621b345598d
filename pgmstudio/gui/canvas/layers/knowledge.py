"""The layer of required and forbidden edges, whether the model has them or not."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.drawing.diagram import PictureEdge
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.gui.canvas.edge_item import paint_edge
from pgmstudio.gui.canvas.layers.layer import LayerPen, SceneLayer, bounds_around, routes_of
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.theme.icons import paint_icon
from pgmstudio.gui.theme.theme import theme

_ICON = 16.0


PENS = {
    "required": LayerPen("required", (), "lock-simple", "required edge"),
    "forbidden": LayerPen("forbidden", (6.0, 4.0), "prohibit", "forbidden edge"),
}


class RulesLayer(SceneLayer):
    """A layer above the edges and below the nodes that ignores the mouse."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, 0.25)
        self._knowledge = Knowledge()
        self._drawn: list[tuple[str, EdgeRoute]] = []

    @property
    def knowledge(self) -> Knowledge:
        return self._knowledge

    @property
    def kinds(self) -> set[str]:
        """The kinds of rules that are drawn, for the legend."""
        return {kind for kind, _ in self._drawn} if self.isVisible() else set()

    def show_rules(self, knowledge: Knowledge) -> None:
        """Show the rules whose two ends are in the picture."""
        self._knowledge = knowledge
        self.follow()

    def follow(self) -> None:
        """Update after nodes were added, removed or moved."""
        nodes = self._scene.nodes
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
        routes = routes_of(self._scene, [edge for _, edge in rules])
        self._drawn = [(kind, route) for (kind, _), route in zip(rules, routes, strict=True)]
        self._bounds = bounds_around(routes, _ICON)
        self.update()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        for kind, route in self._drawn:
            pen = PENS[kind]
            paint_edge(painter, route, theme().color(pen.color), pen.width, True, pen.dash)
            x, y = route.at(0.5)
            painter.setPen(theme().color("canvas"))
            painter.setBrush(theme().color("canvas"))
            painter.drawEllipse(QPointF(x, y), _ICON / 2, _ICON / 2)
            position = QRectF(x - _ICON / 2, y - _ICON / 2, _ICON, _ICON)
            paint_icon(painter, pen.icon, pen.color, position)
