"""The view of a graph: ground, zoom and pan, what lies under the pointer, and the tools."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsView, QToolTip, QWidget

from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.views.canvas_keys import CanvasKeys
from pgmstudio.gui.views.edge_tool import EdgeTool
from pgmstudio.gui.views.far_labels import paint_far_labels
from pgmstudio.gui.views.graph_scene import GraphScene
from pgmstudio.gui.views.name_editor import NameEditor
from pgmstudio.gui.views.node_face import Detail, NodeMode
from pgmstudio.gui.views.node_item import NodeItem
from pgmstudio.gui.views.pointing import hit_in, tooltip_of
from pgmstudio.gui.views.snapping import GRID
from pgmstudio.gui.views.tools import Modifiers, NodeTool, SelectTool, Tool
from pgmstudio.gui.views.wishes import Adviser, EdgeAdvice, Hit, Wishes

LEAST_ZOOM, MOST_ZOOM = 0.05, 4.0
ZOOM_STEP = 1.25
GROUND_FROM = 0.6
FIT_MARGIN = 32
# Room for the legend and the zoom control below a fitted graph.
FIT_FOOT = 64


class GraphView(QGraphicsView):
    """Looks at one scene. `wishes` tells what people ask for."""

    zoom_changed = Signal(float)
    looked_elsewhere = Signal()  # the part in sight is another

    def __init__(self, scene: GraphScene, parent: QWidget | None = None) -> None:
        super().__init__(scene, parent)
        self.graph = scene
        self.wishes = Wishes(self)
        self.is_editable = True
        self.snaps_to_grid = False
        self.advise: Adviser | None = None
        self.explain_impossible: Callable[[str, str], str] | None = None
        self.step_match: Callable[[int], None] | None = None  # while a search is open
        self._zoom = 1.0
        self._is_fitted = True
        self._pan_from: QPoint | None = None
        self._space_held = False
        self._pointer = QPointF()
        self._hovered: tuple[str, str] | str | None = None
        self.setObjectName("graphView")
        self.setAccessibleName("Canvas")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.MinimalViewportUpdate)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheBackground)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontSavePainterState)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.keys = CanvasKeys(self)
        self.editor = NameEditor(self)
        self.tools: dict[str, Tool] = {
            tool.name: tool for tool in (SelectTool(self), NodeTool(self), EdgeTool(self))
        }
        self._tool = self.tools["select"]
        scene.contents_changed.connect(self._on_contents_changed)
        scene.selection_shown.connect(self._repaint_far)
        theme().changed.connect(self._on_theme_changed)

    # -- zoom and pan

    @property
    def zoom(self) -> float:
        """1 is 100 %."""
        return self._zoom

    @property
    def pixels_per_unit(self) -> float:
        """Screen pixels per scene unit: the zoom, enlarged by the font scale."""
        return self._zoom * theme().scale

    @property
    def detail(self) -> Detail:
        return self.graph.zoomed.detail_of(self._zoom)

    def set_zoom(self, zoom: float, anchor: QPoint | None = None) -> None:
        """Zoom, keeping what is under `anchor` (else the middle) where it is."""
        zoom = min(MOST_ZOOM, max(LEAST_ZOOM, zoom))
        at = self.viewport().rect().center() if anchor is None else anchor
        kept = self.mapToScene(at)
        self._zoom = zoom
        self._is_fitted = False
        self._apply_zoom()
        self._scroll_by(self.mapFromScene(kept) - at)
        self.zoom_changed.emit(zoom)
        self.looked_elsewhere.emit()

    def _apply_zoom(self) -> None:
        scale = self.pixels_per_unit
        self.resetTransform()
        self.scale(scale, scale)
        self._give_room()

    def _give_room(self) -> None:
        """A scene rectangle large enough to push any node to any side of the view."""
        width = self.viewport().width() / self.pixels_per_unit
        height = self.viewport().height() / self.pixels_per_unit
        self.setSceneRect(self.graph.content_rect().adjusted(-width, -height, width, height))

    def zoom_by(self, factor: float, anchor: QPoint | None = None) -> None:
        self.set_zoom(self._zoom * factor, anchor)

    def fit(self) -> None:
        """Everything in sight, at most at 100 %."""
        content = self.graph.content_rect()
        width = max(40.0, self.viewport().width() - 2.0 * FIT_MARGIN)
        height = max(40.0, self.viewport().height() - FIT_MARGIN - float(FIT_FOOT))
        wanted = min(width / max(1.0, content.width()), height / max(1.0, content.height()))
        self._zoom = min(1.0, max(LEAST_ZOOM, wanted / theme().scale))
        self._apply_zoom()
        foot = (FIT_FOOT - FIT_MARGIN) / 2 / self.pixels_per_unit
        self.centerOn(content.center() + QPointF(0, foot))
        self._is_fitted = True
        self.zoom_changed.emit(self._zoom)
        self.looked_elsewhere.emit()

    def bring_into_sight(self, node: str) -> None:
        """Scroll as little as needed to see a node."""
        item = self.graph.nodes.get(node)
        if item is not None and item.isVisible():
            margin = int(24 * theme().scale)
            self.ensureVisible(item.box, margin, margin)
            self.looked_elsewhere.emit()

    def look_at(self, node: str) -> None:
        """Put a node in the middle, near enough to read its name."""
        item = self.graph.nodes.get(node)
        if item is not None:
            if self._zoom < 0.5:
                self.set_zoom(1.0)
            self.centre_on(item.pos())

    def centre_on(self, point: QPointF) -> None:
        """Put a point of the scene in the middle of the view."""
        self.centerOn(point)
        self._is_fitted = False
        self.looked_elsewhere.emit()

    def _scroll_by(self, way: QPoint) -> None:
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(across.value() + way.x())
        down.setValue(down.value() + way.y())

    def _on_contents_changed(self) -> None:
        if self._is_fitted and not self._tool.is_busy:
            self.fit()
        else:
            self._give_room()

    def _on_theme_changed(self) -> None:
        self.resetCachedContent()
        self._apply_zoom()
        if self._is_fitted:
            self.fit()
        self.viewport().update()

    # -- what is where

    def hit(self, view_point: QPoint) -> Hit:
        return self.hit_at(self.mapToScene(view_point))

    def hit_at(self, point: QPointF) -> Hit:
        """What lies at a point of the scene."""
        return hit_in(self.graph, point, self.detail, self.pixels_per_unit)

    def sight(self) -> QRectF:
        """The part of the scene that can be seen."""
        return self.mapToScene(self.viewport().rect()).boundingRect()

    def nodes_in_sight(self) -> list[NodeItem]:
        sight = self.sight()
        return [
            item
            for item in self.graph.nodes.values()
            if item.isVisible() and sight.intersects(item.box)
        ]

    @property
    def pointer(self) -> QPointF:
        """Where the pointer is in the scene; the middle of the view when it is elsewhere."""
        if self.viewport().rect().contains(self.viewport().mapFromGlobal(QCursor.pos())):
            return self._pointer
        return self.sight().center()

    @property
    def last_pointer(self) -> QPointF:
        """Where the pointer was last seen in the scene."""
        return self._pointer

    # -- tools

    @property
    def tool(self) -> Tool:
        return self._tool

    def choose_tool(self, name: str) -> None:
        self._tool.cancel()
        self._tool = self.tools[name]
        self.viewport().setCursor(self._tool.cursor)

    def advise_edge(self, source: str, target: str) -> EdgeAdvice:
        return EdgeAdvice() if self.advise is None else self.advise(source, target)

    def use_state(self, node: NodeItem, state: int, modifiers: Modifiers) -> None:
        """Set evidence as a click with these keys held says."""
        face = node.face
        if face.is_impossible(state):
            self.wishes.refused.emit(self._impossible(node, state))
            return
        if modifiers & Modifiers.ControlModifier:
            wish = self.wishes.toggle_state
        elif modifiers & (Modifiers.ShiftModifier | Modifiers.AltModifier):
            wish = self.wishes.exclude_state
        else:
            wish = self.wishes.click_state
        wish.emit(node.id, face.states[state])

    def _impossible(self, node: NodeItem, state: int) -> str:
        if self.explain_impossible is not None:
            return self.explain_impossible(node.id, node.face.states[state])
        return f"{node.face.title} = {node.face.states[state]} is impossible."

    def begin_node(self, point: QPointF) -> None:
        """Type the name of a new node in place."""
        if self.is_editable:
            self.editor.begin(QRectF(point.x() - 68, point.y() - 14, 136, 28), "", self._on_named)

    def _on_named(self, name: str) -> None:
        middle = self.editor.place.center()
        self.wishes.add_node.emit(name, (round(middle.x()), round(middle.y())))

    def begin_rename(self, node: str) -> None:
        """Type another name over the node's title."""
        item = self.graph.nodes.get(node)
        if item is not None and self.is_editable:
            box = QRectF(item.box.topLeft(), item.box.size())
            box.setHeight(28)
            self.editor.begin(box, node, lambda name: self.wishes.rename.emit(node, name))

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        middle = event.button() == Qt.MouseButton.MiddleButton
        if middle or (self._space_held and event.button() == Qt.MouseButton.LeftButton):
            self._pan_from = event.position().toPoint()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton:
            hit = self.hit(event.position().toPoint())
            self._pointer = hit.point
            self.keys.follow_pointer(hit)
            self._tool.press(hit, event.modifiers())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        hit = self.hit(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and hit.node and hit.state is None:
            self.wishes.open_node.emit(hit.node.id)
        else:
            self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        self._pointer = self.mapToScene(place)
        if self._pan_from is not None:
            self._scroll_by(self._pan_from - place)
            self._pan_from = place
            self._is_fitted = False
            self.looked_elsewhere.emit()
        elif event.buttons() & Qt.MouseButton.LeftButton:
            self._tool.move(self._pointer, event.modifiers())
        else:
            self._tool.move(self._pointer, event.modifiers())
            self._hover(event.modifiers())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pan_from is not None:
            self._pan_from = None
            self._show_cursor()
        elif event.button() == Qt.MouseButton.LeftButton:
            hit = self.hit(event.position().toPoint())
            self._pointer = hit.point
            self._tool.release(hit, event.modifiers())

    def leaveEvent(self, event: QEvent) -> None:
        self.stop_hover()
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta()
        if event.modifiers() & Modifiers.ControlModifier:
            self.zoom_by(ZOOM_STEP ** (turn.y() / 120), event.position().toPoint())
        else:
            way = event.pixelDelta() if not event.pixelDelta().isNull() else turn / 2
            if event.modifiers() & Modifiers.ShiftModifier and way.x() == 0:
                way = QPoint(way.y(), 0)
            self._scroll_by(-way)
            self._is_fitted = False
            self.looked_elsewhere.emit()
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.keys.open_menu()
        else:
            self.wishes.menu.emit(self.hit(event.pos()), event.globalPos())
        event.accept()

    # -- hover

    def _hover(self, modifiers: Modifiers) -> None:
        if self._tool.is_busy:
            return
        hit = self.hit_at(self._pointer)
        self._show_cursor(hit)
        near = self.graph.near
        if hit.node is not None:
            self._set_hovered(hit.node.id)
            if modifiers & Modifiers.AltModifier:
                self.graph.emphasise(near.line(hit.node.id))
            elif modifiers & Modifiers.ShiftModifier:
                self.graph.emphasise(near.blanket(hit.node.id))
            else:
                self.graph.emphasise(near.near(hit.node.id))
        elif hit.edge is not None:
            self._set_hovered(hit.edge.ends)
            self.graph.emphasise(frozenset(hit.edge.ends), hit.edge.ends)
        else:
            self.stop_hover()

    def stop_hover(self) -> None:
        """Everything at full strength again."""
        if self._hovered is not None:
            self._set_hovered(None)
            self.graph.emphasise(None)

    def _set_hovered(self, what: tuple[str, str] | str | None) -> None:
        if what != self._hovered:
            self._hovered = what
            self._repaint_far()

    def _repaint_far(self) -> None:
        """From afar names are written over the items, so the whole view is drawn anew."""
        if self.detail is Detail.DOT or self.has_dots:
            self.viewport().update()

    @property
    def has_dots(self) -> bool:
        return any(item.face.mode is NodeMode.DOT for item in self.graph.nodes.values())

    @property
    def hovered(self) -> tuple[str, str] | str | None:
        """The id of a node or the ends of an edge."""
        return self._hovered

    def _show_cursor(self, hit: Hit | None = None) -> None:
        shape = self._tool.cursor
        if self._space_held:
            shape = Qt.CursorShape.OpenHandCursor
        elif self._tool.name == "select" and hit is not None and hit.state is not None and hit.node:
            face = hit.node.face
            if face.is_impossible(hit.state):
                shape = Qt.CursorShape.ForbiddenCursor
            elif face.beliefs:
                mark = face.mark
                soft = mark is not None and mark.is_soft and hit.is_on_bar
                shape = Qt.CursorShape.SizeHorCursor if soft else Qt.CursorShape.PointingHandCursor
        if self.viewport().cursor().shape() != shape:
            self.viewport().setCursor(shape)

    # -- keyboard

    def event(self, event: QEvent) -> bool:
        # Keys of the canvas win over shortcuts of the window while the canvas has the focus.
        is_shortcut = event.type() == QEvent.Type.ShortcutOverride
        if is_shortcut and isinstance(event, QKeyEvent) and self.keys.wants(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.keys.press(event):
            event.accept()
        elif event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space_held = True
            self._show_cursor()
        elif event.key() in (Qt.Key.Key_Shift, Qt.Key.Key_Alt) and self._hovered:
            self._hover(event.modifiers())
        else:
            event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space_held = False
            self._show_cursor()
        elif event.key() in (Qt.Key.Key_Shift, Qt.Key.Key_Alt) and self._hovered:
            self._hover(event.modifiers())
        else:
            super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.keys.focus_came(event.reason())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._space_held = False
        self.keys.focus_went(event.reason())

    # -- painting

    def drawBackground(self, painter: QPainter, rect: QRectF | QPoint) -> None:  # type: ignore[override]
        assert isinstance(rect, QRectF)
        painter.fillRect(rect, theme().color("canvas"))
        if self._zoom < GROUND_FROM:
            return
        # Dotted lines instead of single points: a screen has thousands of them.
        size = 1.6
        pen = QPen(theme().color("grid"), size)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([1.0, GRID / size - 1.0])
        painter.setPen(pen)
        left = (rect.left() // GRID) * GRID - size / 2
        y = (rect.top() // GRID) * GRID
        while y <= rect.bottom() + GRID:
            painter.drawLine(QPointF(left, y), QPointF(rect.right() + GRID, y))
            y += GRID

    def drawForeground(self, painter: QPainter, rect: QRectF | QPoint) -> None:  # type: ignore[override]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_far_labels(painter, self)
        self._tool.paint(painter)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            hit = self.hit(event.pos())
            words = tooltip_of(hit)
            if hit.is_impossible and hit.node is not None and hit.state is not None:
                words = self._impossible(hit.node, hit.state)
            QToolTip.showText(event.globalPos(), words, self.viewport())
            return True
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_fitted:
            self.fit()
        else:
            self._give_room()
