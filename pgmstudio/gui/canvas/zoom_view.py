"""A zooming and panning graphics view with a dotted background and no scroll bars."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPen, QResizeEvent, QTransform, QWheelEvent
from PySide6.QtWidgets import QApplication, QFrame, QGraphicsView, QWidget

from pgmstudio.core.drawing.diagram import Size
from pgmstudio.core.drawing.layout.fitted import CANVAS
from pgmstudio.core.drawing.snapping import GRID
from pgmstudio.gui.canvas.node_view import Detail
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.debounce import one_shot

SMALLEST_CANVAS = 200.0  # pixels; a smaller one is about to be resized
MIN_ZOOM, MAX_ZOOM = 0.05, 4.0
ZOOM_STEP = 1.25
GROUND_FROM = 0.6
FIT_MARGIN = 24


class ZoomView(QGraphicsView):
    """A view that stays fitted to its scene until the user zooms or pans."""

    zoom_changed = Signal(float)
    looked_elsewhere = Signal()  # another part of the scene is visible

    def __init__(self, scene: CanvasScene, parent: QWidget | None = None) -> None:
        super().__init__(scene, parent)
        self.graph = scene
        self.zoom = 1.0  # 1 is 100 %
        # Whether the graph is fitted: after `fit`, until the user pans or zooms.
        self.is_fitted = True
        self._stands = False  # fitted, but not moved while everything is visible
        self._waits_to_fit = False  # it was fitted before a panel covered a part of it
        self._clear_later = one_shot(self, self._show_selected_uncovered)
        self._pan_from: QPoint | None = None
        self._margin = self._foot = self._head = float(FIT_MARGIN)
        # Pixels right of and below a fitted graph for the widget in that corner, if space allows.
        self.reserved_corner = (0.0, 0.0)
        self._covered = (0, 0)  # pixels at the right and below that panels cover
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.MinimalViewportUpdate)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheBackground)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontSavePainterState)
        scene.contents_changed.connect(self._on_contents_changed)
        scene.boxes_resized.connect(self._on_boxes_resized)
        theme().changed.connect(self._on_theme_changed)

    @property
    def is_busy(self) -> bool:
        """Whether a gesture is in progress, so that the view must not move."""
        return False

    @property
    def is_pressed(self) -> bool:
        """Whether a mouse button is down on the canvas."""
        return False

    @property
    def pixels_per_unit(self) -> float:
        """Screen pixels per scene unit: the zoom, enlarged by the font scale."""
        return self.zoom * theme().scale

    @property
    def detail(self) -> Detail:
        return self.graph.zoomed.detail_of(self.zoom)

    def set_zoom(self, zoom: float, anchor: QPoint | None = None) -> None:
        """Set the zoom, keeping the point under `anchor` (else the middle) fixed."""
        zoom = min(MAX_ZOOM, max(MIN_ZOOM, zoom))
        at = self.viewport().rect().center() if anchor is None else anchor
        anchored = self.mapToScene(at)
        self.zoom = zoom
        self.is_fitted = False
        self._apply_zoom()
        self._scroll_by(self.mapFromScene(anchored) - at)
        self.zoom_changed.emit(zoom)
        self.looked_elsewhere.emit()

    def _apply_zoom(self, content: QRectF | None = None) -> None:
        scale = self.pixels_per_unit
        # In one step: setting the same zoom again repaints nothing.
        self.setTransform(QTransform.fromScale(scale, scale))
        self._extend_scene_rect(content)

    def _extend_scene_rect(self, content: QRectF | None = None) -> None:
        """A scene rectangle large enough to push any node to any side of the view."""
        width = self.viewport().width() / self.pixels_per_unit
        height = self.viewport().height() / self.pixels_per_unit
        content = self.graph.content_rect() if content is None else content
        scene_rect = content.adjusted(-width, -height, width, height)
        if scene_rect != self.sceneRect():  # else the background would be repainted
            self.setSceneRect(scene_rect)

    def zoom_by(self, factor: float, anchor: QPoint | None = None) -> None:
        self.set_zoom(self.zoom * factor, anchor)

    def _room(self) -> Size:
        """The pixels that a graph can have."""
        return self._room_in(self.viewport().width(), self.viewport().height())

    def _room_in(self, width: float, height: float) -> Size:
        return (
            max(40.0, width - 2.0 * self._margin),
            max(40.0, height - self._head - self._foot),
        )

    @property
    def canvas_size(self) -> Size:
        """The size of the canvas at 100 %, for layouts; that of a usual window before it is
        shown."""
        viewport = self.viewport()
        if not self.isVisible():
            return CANVAS
        return self.canvas_size_in(viewport.width(), viewport.height())

    def canvas_size_in(self, width: float, height: float) -> Size:
        """The size of the canvas at 100 % in a view of so many pixels."""
        room = self._room_in(width, height)
        if min(room) < SMALLEST_CANVAS:
            return CANVAS
        return room[0] / theme().scale, room[1] / theme().scale

    def fit(self) -> None:
        """Show everything, at most at 100 %."""
        content = self.graph.content_rect()
        width, height = self._room()
        wanted = min(width / max(1.0, content.width()), height / max(1.0, content.height()))
        before = self.zoom, self.sight()
        self.zoom = min(1.0, max(MIN_ZOOM, wanted / theme().scale))
        self._apply_zoom(content)
        # Shifted as far as space allows: the graph is not scaled down for the widget there.
        free = max(0.0, width - content.width() * self.pixels_per_unit)
        left = max(0.0, self.reserved_corner[0] - self._margin)
        up = 0.0
        if left > free:  # a wide graph is shifted up instead
            above = max(0.0, height - content.height() * self.pixels_per_unit)
            left, up = free, min(above, max(0.0, self.reserved_corner[1] - self._foot))
        offset = QPointF(left, self._foot - self._head + up)
        self.centerOn(content.center() + offset / (2 * self.pixels_per_unit))
        self.is_fitted, self._stands = True, False
        if (self.zoom, self.sight()) != before:
            self.zoom_changed.emit(self.zoom)
            self.looked_elsewhere.emit()

    def keep_margin(self, margin: float) -> None:
        """Set the margin around a fitted graph, for small views."""
        self._margin = self._foot = self._head = margin

    def keep_corner(self, width: float, height: float) -> None:
        """Keep a fitted graph out of the lower right corner if space allows."""
        needs_more, self.reserved_corner = width > self.reserved_corner[0], (width, height)
        if needs_more and self.is_fitted:
            self.fit()

    def keep_foot(self, height: float) -> None:
        """Keep the lowest part of the view free below a fitted graph, for legend and zoom
        control."""
        needs_more, self._foot = height > self._foot, height
        # Only growing: a smaller legend after fitting must not change the zoom again and again.
        if needs_more and self.is_fitted:
            self.fit()

    def keep_head(self, height: float) -> None:
        """Keep the topmost part of the view free above a fitted graph, for bars."""
        height = max(self._margin, height)
        is_other, self._head = height != self._head, height
        if is_other and self.is_fitted:
            self.fit()

    def keep_clear(self, right: int, below: int) -> None:
        """Set the pixels that panels cover; the selection is soon moved out of them.

        A fitted graph is fitted again when nothing covers it any more.
        """
        if (right, below) == (0, 0) and self._covered != (0, 0) and self._waits_to_fit:
            self._waits_to_fit = False
            self.fit()
        self._covered = (right, below)
        self.show_selected_soon()

    @property
    def hidden_at_right(self) -> int:
        """Pixels of the view that a panel covers."""
        return self._covered[0]

    def show_selected_soon(self) -> None:
        """Soon move a new selection out of the covered part of the view."""
        # Not before a double click is over: both clicks must hit the same item.
        self._clear_later.start(QApplication.doubleClickInterval())

    def box_of(self, nodes: Sequence[str], edges: Sequence[tuple[str, str]] = ()) -> QRectF | None:
        """The box of the last of these nodes, else the label or the middle of the last of these
        edges; None when none is drawn."""
        drawn = [node for node in nodes if node in self.graph.nodes]
        if drawn:
            return self.graph.nodes[drawn[-1]].box
        lines = [edge for edge in edges if edge in self.graph.edges]
        return self.graph.edges[lines[-1]].middle_box if lines else None

    def _selected_box(self) -> QRectF | None:
        return self.box_of(self.graph.selected_nodes, self.graph.selected_edges)

    def _show_selected_uncovered(self) -> None:
        box = self._selected_box()
        if self._covered == (0, 0) or box is None:
            return
        if self.is_pressed:
            self._clear_later.start()
            return
        if self._pan_to_show(box) and self.is_fitted:
            self.is_fitted, self._waits_to_fit = False, True

    def _pan_to_show(self, box: QRectF) -> bool:
        """Pan so that a box lies in the free part; False when it does already."""
        margin = round(12 * theme().scale)
        right, below = self._covered
        free = self.viewport().rect().adjusted(margin, margin, -right - margin, -below - margin)
        seen = self.mapFromScene(box).boundingRect()
        across = max(0, seen.right() - free.right())
        down = max(0, seen.bottom() - free.bottom())
        # A box larger than the free part shows its beginning.
        across -= max(0, free.left() - (seen.left() - across))
        down -= max(0, free.top() - (seen.top() - down))
        if (across, down) == (0, 0):
            return False
        self._scroll_by(QPoint(across, down))
        self.looked_elsewhere.emit()
        return True

    def keep_fitted(self) -> None:
        """Fit again as soon as positions change."""
        self.is_fitted, self._stands = True, False

    def stand_still(self) -> None:
        """Do not fit after a drag, so that the node stays under the pointer, if everything is
        visible."""
        self._stands = True

    def hold(self) -> None:
        """Do not fit any more: nodes are added, and the view must not move meanwhile."""
        self.is_fitted = False

    def ensure_node_visible(self, node: str) -> None:
        """Scroll as little as needed to see a node."""
        item = self.graph.nodes.get(node)
        if item is not None and item.isVisible():
            margin = int(24 * theme().scale)
            self.ensureVisible(item.box, margin, margin)
            self._pan_to_show(item.box)
            self.looked_elsewhere.emit()

    def look_at(self, node: str) -> None:
        """Centre a node, zoomed in enough to read its name; a readable node is not moved."""
        item = self.graph.nodes.get(node)
        if item is not None:
            if self.zoom < 0.5:
                self.set_zoom(1.0)
            elif self._below_find_bar().contains(item.box):
                self.ensure_node_visible(node)  # only from under a panel
                return
            self.centre_on(item.pos())

    def centre_on(self, point: QPointF) -> None:
        """Put a point of the scene in the middle of the view."""
        self.centerOn(point)
        self.is_fitted = False
        self.looked_elsewhere.emit()

    def _scroll_by(self, way: QPoint) -> None:
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(across.value() + way.x())
        down.setValue(down.value() + way.y())

    def _on_contents_changed(self) -> None:
        stays = self._stands and self.sight().contains(self.graph.content_rect())
        if self.is_fitted and not self.is_busy and not stays:
            self.fit()
        else:
            self._extend_scene_rect()

    def _on_boxes_resized(self, nodes: Sequence[str]) -> None:
        """Evidence moves nothing as long as its nodes are visible."""
        sight = self.sight()
        if not all(sight.contains(self.graph.nodes[node].box) for node in nodes):
            self._on_contents_changed()

    def _on_theme_changed(self) -> None:
        self.resetCachedContent()
        self._apply_zoom()
        if self.is_fitted:
            self.fit()
        self.viewport().update()

    # -- pan

    @property
    def is_panning(self) -> bool:
        return self._pan_from is not None

    def begin_pan(self, position: QPoint) -> None:
        self._pan_from = position
        self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)

    def pan_to(self, position: QPoint) -> None:
        """Follow the pointer."""
        if self._pan_from is not None:
            self._scroll_by(self._pan_from - position)
            self._pan_from = position
            self.is_fitted = False
            self.looked_elsewhere.emit()

    def end_pan(self) -> None:
        self._pan_from = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(ZOOM_STEP ** (turn.y() / 120), event.position().toPoint())
        else:
            way = event.pixelDelta() if not event.pixelDelta().isNull() else turn / 2
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and way.x() == 0:
                way = QPoint(way.y(), 0)
            self._scroll_by(-way)
            self.is_fitted = False
            self.looked_elsewhere.emit()
        event.accept()

    def _below_find_bar(self) -> QRectF:
        """The visible part of the scene while the find bar is open."""
        return self.sight().adjusted(0, 1.5 * theme().px("view_bar") / self.zoom, 0, 0)

    def sight(self) -> QRectF:
        """The visible part of the scene."""
        return self.mapToScene(self.viewport().rect()).boundingRect()

    def drawBackground(self, painter: QPainter, rect: QRectF | QPoint) -> None:  # type: ignore[override]
        assert isinstance(rect, QRectF)
        painter.fillRect(rect, theme().color("canvas"))
        if self.zoom < GROUND_FROM:
            return
        # Dotted lines instead of single points: a screen has thousands of them.
        size = 1.5 / self.zoom
        pen = QPen(theme().color("grid"), size)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([1.0, GRID / size - 1.0])
        painter.setPen(pen)
        left = (rect.left() // GRID) * GRID - size / 2
        y = (rect.top() // GRID) * GRID
        while y <= rect.bottom() + GRID:
            painter.drawLine(QPointF(left, y), QPointF(rect.right() + GRID, y))
            y += GRID

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:  # moved to another screen
            self.resetCachedContent()
            self.graph.forget_pixels()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # A panel that opens makes the view smaller, but must not cover the selected node.
        selected = self._selected_box()
        before = QRect(QPoint(), event.oldSize())
        was_seen = selected is not None and before.contains(self.mapFromScene(selected.center()))
        super().resizeEvent(event)
        if self.is_fitted:
            self.fit()
            return
        self._extend_scene_rect()
        if selected is not None and was_seen:
            self._pan_to_show(selected)
