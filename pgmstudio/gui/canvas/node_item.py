"""The scene item of a node: its position, its view data and its painting."""

from __future__ import annotations

import math
from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.drawing.diagram import PictureNode, Point, Size
from pgmstudio.gui.canvas.fonts import canvas_metrics
from pgmstudio.gui.canvas.node_geometry import INDENT, MAX_WIDER, NodeGeometry, face_size
from pgmstudio.gui.canvas.node_painter import NodeLook, NodePainter, paint_dot
from pgmstudio.gui.canvas.node_view import Detail, Heat, LevelOfDetail, NodeMode, NodeView


def take_over(look: object, changes: Mapping[str, object]) -> bool:
    """Set the fields of a look; True if any of them changed."""
    differs = False
    for name, value in changes.items():
        if getattr(look, name) != value:
            setattr(look, name, value)
            differs = True
    return differs


# Margin around the box for rings, and around its centre for a dot with a ring.
MARGIN, DOT_MARGIN = 8.0, 52.0


class NodeItem(QGraphicsItem):
    """The scene item of a node; its position is the centre of its box."""

    def __init__(self, node: PictureNode, face: NodeView, zoomed: LevelOfDetail) -> None:
        super().__init__()
        self.node = node
        self._zoomed = zoomed
        self.face = face
        self.size = face_size(node, face)
        self._corner, self._bounds = _frame(self.size)
        self._geometry: NodeGeometry | None = None
        self.look = NodeLook(shape=node.shape)
        self.shown_beliefs: tuple[float, ...] = face.beliefs
        self._painted: Detail | None = None  # how much of it is on screen; None: nothing yet
        self._heat: tuple[Heat, NodeView, int | None] | None = None  # the step last asked for
        self.setZValue(1)
        # Qt caches the pixels of the whole node; a change updates a part of them, and only that
        # part is painted again.
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.setAcceptedMouseButtons(self.acceptedMouseButtons().NoButton)

    @property
    def id(self) -> str:
        return self.node.id

    @property
    def centre(self) -> Point:
        return self.x(), self.y()

    @property
    def geometry(self) -> NodeGeometry:
        """The geometry, made on first use: most nodes of a large graph never need it."""
        if self._geometry is None:
            self._geometry = NodeGeometry(self.face, self.size)
        return self._geometry

    def set_face(self, node: PictureNode, face: NodeView) -> bool:
        """Show new view data; True when the size of the box changed."""
        before = self.face
        is_same_node = node is self.node or node == self.node
        if face == before and is_same_node:
            return False
        only_beliefs = is_same_node and face.differs_in_beliefs_alone(before)
        shown = () if self._geometry is None else self._geometry.shown
        self.node, self.face = node, face
        self.look.shape = node.shape
        self._geometry = None
        if len(self.shown_beliefs) != len(face.beliefs):
            self.shown_beliefs = face.beliefs
        size = self.size if only_beliefs else face_size(node, face)
        is_resized = size != self.size
        if is_resized:
            self.prepareGeometryChange()
            self.size = size
            self._corner, self._bounds = _frame(size)
        if not only_beliefs or is_resized:
            self.update()
        elif self.shows_bars and self.geometry.shown == shown:
            self._update_part(self.geometry.rows)
        elif self._shows_beliefs or self._has_other_heat(before):
            self.update()
        return is_resized

    def _has_other_heat(self, before: NodeView) -> bool:
        heat = self._zoomed.heat
        return self._painted is Detail.DOT and heat.step(before) != heat.step(self.face)

    def _update_part(self, part: QRectF) -> None:
        # A dashed outline comes out differently where it is cut, so it is painted as a whole; so is
        # a small box, whose bars are elsewhere.
        if self.face.weights or self._painted is Detail.NAME:
            self.update()
        else:
            self.update(part.translated(self._corner))

    @property
    def _shows_beliefs(self) -> bool:
        return self._painted is None or self.face.shows_beliefs(self._painted)

    @property
    def shows_bars(self) -> bool:
        """Whether bars are drawn at the present zoom."""
        return self.face.shows_rows and self._shows_beliefs

    @property
    def shows_full_title(self) -> bool:
        """Whether the whole title is drawn and large enough to be read."""
        if self._painted is not Detail.FULL or self.face.mode is NodeMode.DOT:
            return False
        has_clock = self.face.is_stale and self.face.shows_rows
        marks = self.face.mark is not None or self.face.is_target or has_clock
        wide = canvas_metrics("dense", "semibold").horizontalAdvance(self.face.title)
        return not marks and wide <= self.size[0] - 2 * INDENT

    def forget_pixels(self) -> None:
        """Drop the cached pixels, for example after a change of the screen."""
        self.setCacheMode(QGraphicsItem.CacheMode.NoCache)
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    def show_beliefs(self, values: tuple[float, ...]) -> None:
        """Show these values in the bars during an animation."""
        if values == self.shown_beliefs:
            return
        self.shown_beliefs = values
        if self.shows_bars:
            self._update_part(self.geometry.bars)

    def change_look(self, **changes: object) -> None:
        """Selected, focused, … ; repaints only when something differs."""
        if take_over(self.look, changes):
            # A dragged or focused node is above the nodes it is moved across.
            self.setZValue(1.1 if self.look.is_selected else 1.0)
            self.update()

    @property
    def corner(self) -> QPointF:
        """Top left of the box in item coordinates; whole pixels keep its lines crisp."""
        return self._corner

    @property
    def box(self) -> QRectF:
        """The box in scene coordinates."""
        corner = self.pos() + self.corner
        return QRectF(corner.x(), corner.y(), *self.size)

    @property
    def sides(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the box in the scene."""
        left, top = self.x() + self._corner.x(), self.y() + self._corner.y()
        return left, top, left + self.size[0], top + self.size[1]

    def in_box(self, scene_point: QPointF) -> QPointF:
        """A point of the scene in the coordinates of `geometry`."""
        return scene_point - self.pos() - self.corner

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        corner = self.corner
        path.addRect(QRectF(corner.x(), corner.y(), *self.size))
        return path

    @property
    def _step(self) -> int | None:
        """The step of the heat ramp; hundreds of dots are painted again while none changes."""
        heat, face = self._zoomed.heat, self.face
        if self._heat is None or self._heat[0] is not heat or self._heat[1] is not face:
            self._heat = heat, face, heat.step(face)
        return self._heat[2]

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        zoom = self._zoomed.zoom_of(painter)
        detail = self._zoomed.detail_of(zoom)
        face, look = self.face, self.look
        is_on_screen = self._zoomed.forced is None  # not in a file
        if is_on_screen:
            self._painted = detail
        if detail is Detail.DOT or face.mode is NodeMode.DOT:
            paint_dot(painter, face, look, zoom, self._step if detail is Detail.DOT else None)
            return
        part = option.exposedRect.translated(-self._corner) if is_on_screen else None
        painter.translate(self.corner)
        made = NodePainter(painter, face, look, self.geometry, self.shown_beliefs)
        made.paint(detail, zoom, part)


def _frame(size: Size) -> tuple[QPointF, QRectF]:
    """The corner of the box and the bounding rectangle; cached because it is needed often."""
    corner = QPointF(math.floor(-size[0] / 2), math.floor(-size[1] / 2))
    margin_x = MARGIN + MAX_WIDER
    box = QRectF(corner.x(), corner.y(), *size).adjusted(-margin_x, -MARGIN, margin_x, MARGIN)
    return corner, box.united(QRectF(-DOT_MARGIN, -DOT_MARGIN, 2 * DOT_MARGIN, 2 * DOT_MARGIN))
