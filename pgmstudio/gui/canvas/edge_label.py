"""Tags of labelled edges: the label on the line, hollow where the edge vanished."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.drawing.diagram import EdgeStyle, Size
from pgmstudio.core.drawing.layout.edge_routing import TAG_GAP, TAG_HEIGHT, EdgeRoute, tag_shares
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.canvas.node_view import Detail
from pgmstudio.gui.theme.theme import theme

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.scene import CanvasScene

_RADIUS = TAG_HEIGHT / 2
_RING = 3.0  # between a selected tag and the ring around it
# With more labelled edges, tags stay in the middle of their lines even if they overlap.
MAX_PLACED = 120
_HEIGHT = 0.6  # over all edges, hovered ones too; below nodes


def tag_size(label: str) -> Size:
    """The size of a tag with this label in the font of the canvas."""
    return canvas_metrics("caption", "semibold").horizontalAdvance(label) + 20.0, TAG_HEIGHT


def tag_rect(route: EdgeRoute, fraction: float, label: str) -> QRectF:
    """The rectangle of the tag in the scene."""
    (x, y), (width, height) = route.at(fraction), tag_size(label)
    return QRectF(x - width / 2, y - height / 2, width, height)


def paint_tag(
    painter: QPainter, rect: QRectF, label: str, style: EdgeStyle, *, is_selected: bool = False
) -> None:
    """The tag over its line, which gets a gap; a ring when the edge is selected."""
    is_gone = style.is_vanished
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("canvas"))
    ground = rect.adjusted(-TAG_GAP, -TAG_GAP, TAG_GAP, TAG_GAP)
    painter.drawRoundedRect(ground, _RADIUS + TAG_GAP, _RADIUS + TAG_GAP)
    pen = QPen(theme().color("label_ink"), theme().line("hairline"))
    if is_gone:
        pen.setDashPattern([3.0, 2.0])
    painter.setPen(pen)
    painter.setBrush(theme().color("canvas" if is_gone else "label_soft"))
    painter.drawRoundedRect(rect, _RADIUS, _RADIUS)
    if is_selected:
        painter.setPen(QPen(theme().color("accent"), theme().line("focus")))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ring = rect.adjusted(-_RING, -_RING, _RING, _RING)
        painter.drawRoundedRect(ring, _RADIUS + _RING, _RADIUS + _RING)
    painter.setPen(theme().color("text_secondary" if is_gone else "label_ink"))
    painter.setFont(canvas_font("caption", "semibold"))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)


class TagLayer(QGraphicsItem):
    """A layer that paints the tags again over all lines, so that no edge crosses their text.

    Dimmed edges paint their tags themselves.
    """

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__()
        self._scene = scene
        self._bounds = QRectF()
        self.setZValue(_HEIGHT)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        scene.addItem(self)

    def cover(self, bounds: QRectF) -> None:
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds
        self.update()

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        zoomed = self._scene.zoomed
        if zoomed.detail_of(zoomed.zoom_of(painter)) is Detail.DOT:
            return
        for item in self._scene.edges.values():
            if not item.tag.isEmpty() and item.isVisible() and item.effectiveOpacity() == 1.0:
                text, style = item.edge.label, item.edge.style
                paint_tag(painter, item.tag, text, style, is_selected=item.look.is_selected)


def _raise_tags(scene: CanvasScene) -> None:
    """Make the tag layer once the scene has tags, and update its bounds."""
    bounds = QRectF()
    for item in scene.edges.values():
        if item.edge.style.has_tag:
            bounds = bounds.united(item.boundingRect())
    if not bounds.isEmpty() and scene.tag_layer is None:
        scene.tag_layer = TagLayer(scene)
    if scene.tag_layer is not None:
        scene.tag_layer.cover(bounds)


def place_labels(scene: CanvasScene, routed: Collection[tuple[str, str]]) -> None:
    """Place labels along their lines without overlap after these edges were routed."""
    if scene.tag_layer is not None or any(e.edge.style.has_tag for e in scene.edges.values()):
        _raise_tags(scene)
    labelled = {ends: item for ends, item in scene.edges.items() if item.edge.label}
    if not any(ends in labelled for ends in routed) or len(labelled) > MAX_PLACED:
        return
    sizes = [item.label_rect.size() for item in labelled.values()]
    fractions = tag_shares(
        [item.route for item in labelled.values()],
        [(size.width(), size.height()) for size in sizes],
        [node.sides for node in scene.nodes.values()],
        [item.route for ends, item in scene.edges.items() if ends not in labelled],
    )
    for item, fraction in zip(labelled.values(), fractions, strict=True):
        item.set_label_fraction(fraction)
    _raise_tags(scene)
