"""The layer of partition blocks: tinted backgrounds behind their variables."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pgmstudio.gui.canvas.layers.layer import SceneLayer
from pgmstudio.gui.canvas.legend import LegendEntry
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.theme.theme import theme

METHOD = "blocks"  # the layout of the pictures that have them
_MARGIN, _RADIUS = 14.0, 12.0
_ALPHA = 0.28


class PartitionLayer(SceneLayer):
    """A layer behind the edges; backgrounds follow their nodes."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, -1.0)
        self.grounds: dict[str, QRectF] = {}

    def follow(self) -> None:
        """Update after nodes were added, removed or moved."""
        picture, nodes = self._scene.picture, self._scene.nodes
        before, self.grounds = self.grounds, {}
        if picture.method == METHOD:
            for node in picture.nodes:
                item = nodes.get(node.id)
                if node.group is not None and item is not None and item.isVisible():
                    known = self.grounds.get(node.group, QRectF())
                    self.grounds[node.group] = known.united(item.box)
        if not before and not self.grounds:
            return
        bounds = QRectF()
        for group, ground in self.grounds.items():
            self.grounds[group] = ground.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)
            bounds = bounds.united(self.grounds[group])
        self.cover(bounds.adjusted(-2, -2, 2, 2))
        self.update()

    def legend_entries(self) -> list[LegendEntry]:
        if not self.grounds:
            return []
        return [
            LegendEntry(
                "tinted area = block, independent of the others given the component", _sample
            )
        ]

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        groups = self._scene.picture.groups
        for group, ground in self.grounds.items():
            number = groups.index(group) if group in groups else 0
            _paint_ground(painter, ground, number, _RADIUS)


def _paint_ground(painter: QPainter, position: QRectF, number: int, radius: float) -> None:
    fill = theme().category(number, "fill")
    fill.setAlphaF(_ALPHA)
    line = theme().category(number, "line")
    painter.setPen(QPen(line, 1.2))
    painter.setBrush(fill)
    painter.drawRoundedRect(position, radius, radius)


def _sample(painter: QPainter, position: QRectF) -> None:
    _paint_ground(painter, position.adjusted(1, 3, -1, -3), 0, 4.0)
