"""A node on the canvas: holds its picture node and its face, and paints them."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.pictures.picture import PictureNode, Point, Size
from pgmstudio.gui.views.node_face import Detail, NodeFace, NodeMode
from pgmstudio.gui.views.node_geometry import NodeGeometry, face_size
from pgmstudio.gui.views.node_painter import NodeLook, NodePainter, paint_dot
from pgmstudio.gui.views.zoomed import Zoomed

# Room around the box for rings, and around its middle for a dot with a ring.
MARGIN, DOT_ROOM = 8.0, 52.0


class NodeItem(QGraphicsItem):
    """Its position is the middle of its box."""

    def __init__(self, node: PictureNode, face: NodeFace, zoomed: Zoomed) -> None:
        super().__init__()
        self.node = node
        self._zoomed = zoomed
        self._face = face
        self._size = face_size(node, face)
        self._corner, self._bounds = _frame(self._size)
        self._geometry: NodeGeometry | None = None
        self.look = NodeLook(shape=node.shape)
        self.shown_beliefs: tuple[float, ...] = face.beliefs
        self.setZValue(1)
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setAcceptedMouseButtons(self.acceptedMouseButtons().NoButton)

    @property
    def id(self) -> str:
        return self.node.id

    @property
    def face(self) -> NodeFace:
        return self._face

    @property
    def size(self) -> Size:
        return self._size

    @property
    def centre(self) -> Point:
        return self.pos().x(), self.pos().y()

    @property
    def geometry(self) -> NodeGeometry:
        """Made when first asked: most nodes of a large graph are never looked at closely."""
        if self._geometry is None:
            self._geometry = NodeGeometry(self._face, self._size)
        return self._geometry

    def set_face(self, node: PictureNode, face: NodeFace) -> bool:
        """Show another face; True when the box has another size now."""
        if face == self._face and node == self.node:
            return False
        self.node, self._face = node, face
        self.look.shape = node.shape
        self._geometry = None
        if len(self.shown_beliefs) != len(face.beliefs):
            self.shown_beliefs = face.beliefs
        size = face_size(node, face)
        is_resized = size != self._size
        if is_resized:
            self.prepareGeometryChange()
            self._size = size
            self._corner, self._bounds = _frame(size)
        self.update()
        return is_resized

    def show_beliefs(self, values: tuple[float, ...]) -> None:
        """What the bars show while they slide."""
        self.shown_beliefs = values
        self.update()

    def change_look(self, **changes: object) -> None:
        """Selected, focused, … ; repaints only when something differs."""
        differs = False
        for name, value in changes.items():
            if getattr(self.look, name) != value:
                setattr(self.look, name, value)
                differs = True
        if differs:
            self.update()

    @property
    def corner(self) -> QPointF:
        """Top left of the box in item coordinates; whole pixels keep its lines crisp."""
        return self._corner

    @property
    def box(self) -> QRectF:
        """The box in scene coordinates."""
        corner = self.pos() + self.corner
        return QRectF(corner.x(), corner.y(), *self._size)

    def in_box(self, scene_point: QPointF) -> QPointF:
        """A point of the scene in the coordinates of `geometry`."""
        return scene_point - self.pos() - self.corner

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        corner = self.corner
        path.addRect(QRectF(corner.x(), corner.y(), *self._size))
        return path

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        zoom = self._zoomed.zoom_of(painter)
        detail = self._zoomed.detail_of(zoom)
        face, look = self._face, self.look
        if detail is Detail.DOT or face.mode is NodeMode.DOT:
            paint_dot(painter, face, look, zoom)
            return
        painter.translate(self.corner)
        NodePainter(painter, face, look, self.geometry, self.shown_beliefs).paint(detail, zoom)


def _frame(size: Size) -> tuple[QPointF, QRectF]:
    """The corner of the box and all that may be painted; asked for often, so kept."""
    corner = QPointF(math.floor(-size[0] / 2), math.floor(-size[1] / 2))
    box = QRectF(corner.x(), corner.y(), *size).adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
    return corner, box.united(QRectF(-DOT_ROOM, -DOT_ROOM, 2 * DOT_ROOM, 2 * DOT_ROOM))
