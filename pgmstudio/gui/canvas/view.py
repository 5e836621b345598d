"""The view of a graph: tools, hover, keyboard focus, and labels of nodes that are far away."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable

from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import QLineEdit, QToolTip, QWidget

from pgmstudio.core.drawing.diagram import Point
from pgmstudio.core.drawing.layout.dot_labels import LABEL_HEIGHT
from pgmstudio.core.drawing.snapping import Box, free_place, free_place_within
from pgmstudio.core.inference.belief_text import state_text
from pgmstudio.gui.canvas.edge_item import EdgeItem
from pgmstudio.gui.canvas.keyboard import CanvasKeys
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.node_painter import dot_radius
from pgmstudio.gui.canvas.node_view import Detail, NodeMode
from pgmstudio.gui.canvas.overview import LABEL_WIDTH, CentralNames, DotLabel
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.canvas.signals import Adviser, CanvasSignals, EdgeAdvice, Hit
from pgmstudio.gui.canvas.tools import (
    EdgeTool,
    Modifiers,
    NodeTool,
    SelectTool,
    SeparationTool,
    Tool,
)
from pgmstudio.gui.canvas.zoom_view import ZoomView
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import named


def paint_far_labels(
    painter: QPainter,
    view: CanvasView,
    *,
    detail: Detail | None = None,
    zoom: float | None = None,
    exposed: QRectF | None = None,
) -> None:
    """Paint names next to dots at their size at 100 %, those in the exposed part of the scene; a
    file may show more than the screen."""
    far = (detail or view.detail) is Detail.DOT
    if not far and not view.has_dots:
        return
    zoom = zoom or view.zoom
    hovered = view.hovered
    near = hovered if isinstance(hovered, tuple) else (hovered,)
    wanted = {
        item.id: DotLabel(item, zoom)
        for item in view.graph.nodes.values()
        if (far or item.face.mode is NodeMode.DOT) and item.isVisible() and _matters(item, near)
    }
    if detail is None:  # on screen; a file has space for them
        for label in wanted.values():
            label.stay_left_of(view.sight().right() * zoom, zoom)
    part = None
    if exposed is not None:
        part = QRectF(exposed.topLeft() * zoom, exposed.size() * zoom)
    taken = [label.rect(zoom) for label in wanted.values()]
    for label in view.central_names.at(zoom) if far else ():
        rect = label.rect(zoom)
        if (part is not None and not rect.intersects(part)) or label.item.id in wanted:
            continue
        if not any(rect.intersects(other) for other in taken):
            label.paint(painter, zoom)
    for label in wanted.values():
        if part is None or label.rect(zoom).intersects(part):
            label.paint(painter, zoom)


def _matters(item: NodeItem, near: Container[str | None]) -> bool:
    look = item.look
    return (
        look.is_selected
        or look.has_focus
        or look.is_match
        or bool(look.role)
        or bool(item.face.weights)
        or item.face.is_target
        or item.id in near
    )


def hit_in(scene: CanvasScene, point: QPointF, detail: Detail, pixels_per_unit: float) -> Hit:
    """The hit at a point: nodes before edges, of several the nearest."""
    reach = theme().px("hit_min") / 2 / pixels_per_unit
    area = QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach)
    nodes: list[NodeItem] = []
    edges: list[EdgeItem] = []
    for item in scene.items(area):
        if isinstance(item, NodeItem):
            nodes.append(item)
        elif isinstance(item, EdgeItem):
            edges.append(item)
    nodes = [item for item in nodes if _holds(item, point, detail, reach, pixels_per_unit)]
    if nodes:
        node = min(nodes, key=lambda item: QLineF(item.pos(), point).length())
        return _on_node(node, point, detail)
    near = QRectF(point.x() - 1, point.y() - 1, 2, 2)
    touched = [edge for edge in edges if edge.shape().intersects(near)]
    return Hit(point, edge=touched[0] if touched else None)


def _holds(
    item: NodeItem, point: QPointF, detail: Detail, reach: float, pixels_per_unit: float
) -> bool:
    if detail is Detail.DOT or item.face.mode is NodeMode.DOT:
        radius = max(reach, dot_radius(pixels_per_unit))
        return QLineF(item.pos(), point).length() <= radius
    return item.box.contains(point)


def _on_node(node: NodeItem, point: QPointF, detail: Detail) -> Hit:
    if detail is not Detail.FULL or not node.face.shows_rows:
        return Hit(point, node)
    inside = node.in_box(point)
    state = node.geometry.state_at(inside)
    on_bar = state is not None and node.geometry.is_on_bar(inside)
    return Hit(point, node, state=state, is_on_bar=on_bar)


def tooltip_of(hit: Hit, described: str = "") -> str:
    """The tooltip of a hit, with the `described` text of an edge; "" for the background.

    The tag abbreviates the description and is left out if there is one.
    """
    if hit.edge is not None:
        source, target = hit.edge.ends
        arrow = "→" if hit.edge.edge.style.has_arrow else "–"
        name = f"{source} {arrow} {target}"
        edge = hit.edge.edge
        tag = "" if described and edge.style.has_tag else edge.label
        parts = [name, tag, *(strand.tooltip for strand in edge.strands), described]
        return "\n".join(filter(None, parts))
    if hit.node is None:
        return ""
    face = hit.node.face
    if hit.state is None:
        text = face.title if hit.node.id == face.title else f"{face.title} ({hit.node.id})"
        if face.mode is NodeMode.ENTROPY and face.entropy_bits is not None:
            text += f"\nEntropy {face.entropy_bits:.3f} bits"
        if face.mode is NodeMode.LINE and face.beliefs:
            for index, state in enumerate(face.states):
                text += f"\n{state} {state_text(face.beliefs, index, face.scale)}"
        text = f"{text}\n{face.note}" if face.note else text
        # A title that can be read in the box needs no tooltip.
        return "" if text == face.title and hit.node.shows_full_title else text
    state = face.states[hit.state]
    text = f"{face.title} = {state}"
    if not face.beliefs:
        return text
    text += f": {state_text(face.beliefs, hit.state, face.scale)}"
    if face.priors:
        text += f", prior {state_text(face.priors, hit.state, face.scale)}"
    return (
        f"{text}\nClick sets evidence, Shift excludes, Ctrl allows several, "
        "dragging the bar sets a likelihood."
    )


class NameEditor(QLineEdit):
    """A line edit over a node: Enter or losing focus accepts, Esc or an empty name cancels."""

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view.viewport())
        self._view = view
        self._done: Callable[[str], None] | None = None
        self.scene_rect = QRectF()
        named(self, "nameEditor", "Name of the node", "Enter accepts the name, Esc cancels.")
        self.setPlaceholderText("Name")
        self.hide()

    def begin(self, rect: QRectF, text: str, done: Callable[[str], None]) -> None:
        """Open over a rectangle of the scene."""
        self.scene_rect, self._done = rect, done
        box = self._view.mapFromScene(rect).boundingRect()
        width = max(box.width(), 120)
        self.setGeometry(box.center().x() - width // 2, box.top(), width, max(28, box.height()))
        self.setText(text)
        self.selectAll()
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._end(self.text().strip())
        elif event.key() == Qt.Key.Key_Escape:
            self._end("")
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._end(self.text().strip())

    def _end(self, name: str) -> None:
        done, self._done = self._done, None
        self.hide()
        if done is not None:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)
            if name:
                done(name)


# Free area for a node that is added by keyboard.
NEW_SIZE, NEW_GAP = (136.0, 63.0), 16.0


class CanvasView(ZoomView):
    """The view of one scene; `signals` emits the requests of the user."""

    gesture_started = Signal()  # a press or a key: the message of the last one is hidden

    def __init__(self, scene: CanvasScene, parent: QWidget | None = None) -> None:
        super().__init__(scene, parent)
        self.signals = CanvasSignals(self)
        self.is_editable = True
        self.is_pruned = False  # edges can be removed, though no nodes can be added
        self.is_joinable = False  # and edges can be drawn
        self.snaps_to_grid = False
        self.advise: Adviser | None = None
        self.explain_impossible: Callable[[str, str], str] | None = None
        self.describe_edge: Callable[[str, str], str] | None = None  # more for its tooltip
        # Nodes that light up with an edge besides its ends.
        self.nodes_of_edge: Callable[[str, str], frozenset[str]] | None = None
        self.step_match: Callable[[int], None] | None = None  # while a search is open
        self._space_held = False
        self._pointer = QPointF()
        self.hovered: tuple[str, str] | str | None = None  # the id of a node or the ends of an edge
        self._plain = ""  # the node clicked for evidence: nothing is dimmed meanwhile
        named(self, "graphView", "Canvas")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.central_names = CentralNames(scene, self)
        self.keys = CanvasKeys(self)
        self.editor = NameEditor(self)
        self.tools: dict[str, Tool] = {
            tool.name: tool
            for tool in (SelectTool(self), NodeTool(self), EdgeTool(self), SeparationTool(self))
        }
        self.tool = self.tools["select"]
        scene.selection_shown.connect(self._repaint_far)
        scene.marks_changed.connect(self._repaint_names)

    # -- hit testing

    def hit(self, view_point: QPoint) -> Hit:
        return self.hit_at(self.mapToScene(view_point))

    def hit_at(self, point: QPointF) -> Hit:
        """The hit at a point of the scene."""
        return hit_in(self.graph, point, self.detail, self.pixels_per_unit)

    def nodes_in_sight(self) -> list[NodeItem]:
        sight = self.sight()
        return [
            item
            for item in self.graph.nodes.values()
            if item.isVisible() and sight.intersects(item.box)
        ]

    @property
    def pointer(self) -> QPointF:
        """The pointer in the scene; if it is elsewhere, a free position near the middle."""
        if self.viewport().rect().contains(self.viewport().mapFromGlobal(QCursor.pos())):
            return self._pointer
        return QPointF(*self.free_place(self.sight().center().toTuple()))

    def free_place(self, at: Point) -> Point:
        """A place for a new node: `at`, or the nearest that is free, in sight if there is one."""
        wanted = Box(*at, *NEW_SIZE)
        place = free_place(wanted, self._boxes(), NEW_GAP)
        return at if place == at else self.free_place_in_sight(wanted) or place

    def free_place_in_sight(self, wanted: Box) -> Point | None:
        """The middle of the nearest visible place for this box, None where there is none."""
        sight = self.sight()
        frame = Box(*sight.center().toTuple(), sight.width(), sight.height())
        return free_place_within(frame, wanted, self._boxes(), NEW_GAP)

    def _boxes(self) -> list[Box]:
        return [Box(*item.centre, *item.size) for item in self.graph.nodes.values()]

    @property
    def last_pointer(self) -> QPointF:
        """The last position of the pointer in the scene."""
        return self._pointer

    # -- tools

    @property
    def is_busy(self) -> bool:
        return self.tool.is_busy

    @property
    def is_pressed(self) -> bool:
        return self.is_panning or self.tool.is_pressed

    def choose_tool(self, name: str) -> None:
        self.tool.cancel()
        self.tool = self.tools[name]
        self.viewport().setCursor(self.tool.cursor)

    def advise_edge(self, source: str, target: str) -> EdgeAdvice:
        return EdgeAdvice() if self.advise is None else self.advise(source, target)

    def use_state(self, node: NodeItem, state: int, modifiers: Modifiers) -> None:
        """Set evidence as a click with these modifier keys does."""
        face = node.face
        if face.is_impossible(state):
            self.signals.refused.emit(self._impossible(node, state))
            return
        if modifiers & Modifiers.ControlModifier:
            signal = self.signals.toggle_state
        elif modifiers & (Modifiers.ShiftModifier | Modifiers.AltModifier):
            signal = self.signals.exclude_state
        else:
            signal = self.signals.click_state
        signal.emit(node.id, face.states[state])

    def _impossible(self, node: NodeItem, state: int) -> str:
        if self.explain_impossible is not None:
            return self.explain_impossible(node.id, node.face.states[state])
        return f"{node.face.title} = {node.face.states[state]} is impossible."

    def begin_node(self, point: QPointF) -> None:
        """Open the name editor for a new node."""
        if self.is_editable:
            self.editor.begin(QRectF(point.x() - 68, point.y() - 14, 136, 28), "", self._on_named)

    def _on_named(self, name: str) -> None:
        middle = self.editor.scene_rect.center()
        self.signals.add_node.emit(name, (round(middle.x()), round(middle.y())))

    def begin_rename(self, node: str) -> None:
        """Open the name editor over the node's title."""
        item = self.graph.nodes.get(node)
        if item is not None and self.is_editable:
            box = QRectF(item.box.topLeft(), item.box.size())
            box.setHeight(28)
            self.editor.begin(box, node, lambda name: self.signals.rename.emit(node, name))

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.gesture_started.emit()
        middle = event.button() == Qt.MouseButton.MiddleButton
        if middle or (self._space_held and event.button() == Qt.MouseButton.LeftButton):
            self.begin_pan(event.position().toPoint())
        elif event.button() == Qt.MouseButton.LeftButton:
            hit = self.hit(event.position().toPoint())
            self._pointer = hit.point
            self.keys.follow_pointer(hit)
            self.tool.press(hit, event.modifiers())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        hit = self.hit(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and hit.node and hit.state is None:
            self.signals.open_node.emit(hit.node.id)
        else:
            self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        self._pointer = self.mapToScene(point)
        if self.is_panning:
            self.pan_to(point)
        elif event.buttons() & Qt.MouseButton.LeftButton:
            self.tool.move(self._pointer, event.modifiers())
        else:
            self.tool.move(self._pointer, event.modifiers())
            self._hover(event.modifiers())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.is_panning:
            self.end_pan()
            self._show_cursor()
        elif event.button() == Qt.MouseButton.LeftButton:
            hit = self.hit(event.position().toPoint())
            self._pointer = hit.point
            self.tool.release(hit, event.modifiers())

    def leaveEvent(self, event: QEvent) -> None:
        self.stop_hover()
        super().leaveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.keys.open_menu()
        else:
            self.signals.menu.emit(self.hit(event.pos()), event.globalPos())
        event.accept()

    # -- hover

    def _hover(self, modifiers: Modifiers) -> None:
        if self.tool.is_busy:
            return
        hit = self.hit_at(self._pointer)
        self._show_cursor(hit)
        near = self.graph.near
        if hit.node is None or hit.node.id != self._plain:
            self._plain = ""
        if hit.node is not None:
            self._set_hovered(hit.node.id)
            if self._plain:
                self.graph.emphasise(None)
            elif modifiers & Modifiers.AltModifier:
                self.graph.emphasise(near.line(hit.node.id))
            elif modifiers & Modifiers.ShiftModifier:
                self.graph.emphasise(near.blanket(hit.node.id))
            else:
                self.graph.emphasise(near.near(hit.node.id))
        elif hit.edge is not None:
            self._set_hovered(hit.edge.ends)
            ends = frozenset(hit.edge.ends)
            if self.nodes_of_edge is not None:
                ends |= self.nodes_of_edge(*hit.edge.ends)
            self.graph.emphasise(ends, hit.edge.ends)
        else:
            self.stop_hover()

    def look_at_all(self, node: str) -> None:
        """Dim nothing until the pointer leaves the node, so that all changes are visible."""
        self._plain = node
        self.graph.emphasise(None)

    def fit(self) -> None:
        before = self.sight()
        super().fit()
        if self.sight() != before:
            self.stop_hover()  # something else is under the pointer now

    def stop_hover(self) -> None:
        """Undo the dimming."""
        if self.hovered is not None:
            self._set_hovered(None)
            self.graph.emphasise(None)

    def _set_hovered(self, what: tuple[str, str] | str | None) -> None:
        if what != self.hovered:
            self.hovered = what
            self._repaint_far()

    def _repaint_far(self) -> None:
        """Repaint the whole view if names are painted over dots."""
        if self.detail is Detail.DOT or self.has_dots:
            self.viewport().update()

    def _repaint_names(self, nodes: Iterable[str]) -> None:
        """Repaint where the names beside these dots are, and those that they push away."""
        if self.detail is not Detail.DOT and not self.has_dots:
            return
        wide, high = (round(2 * side * theme().scale) for side in (LABEL_WIDTH, LABEL_HEIGHT))
        for node in nodes:
            middle = self.mapFromScene(self.graph.nodes[node].pos())
            around = QRect(middle.x() - wide, middle.y() - high, 2 * wide, 2 * high)
            self.viewport().update(around & self.viewport().rect())

    @property
    def has_dots(self) -> bool:
        return any(item.face.mode is NodeMode.DOT for item in self.graph.nodes.values())

    def _show_cursor(self, hit: Hit | None = None) -> None:
        shape = self.tool.cursor
        if self._space_held:
            shape = Qt.CursorShape.OpenHandCursor
        elif self.tool.name == "select" and hit is not None and hit.state is not None and hit.node:
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
        self.gesture_started.emit()
        if self.keys.press(event):
            event.accept()
        elif event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space_held = True
            self._show_cursor()
        elif event.key() in (Qt.Key.Key_Shift, Qt.Key.Key_Alt) and self.hovered:
            self._hover(event.modifiers())
        else:
            event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space_held = False
            self._show_cursor()
        elif event.key() in (Qt.Key.Key_Shift, Qt.Key.Key_Alt) and self.hovered:
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

    def drawForeground(self, painter: QPainter, rect: QRectF | QPoint) -> None:  # type: ignore[override]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        assert isinstance(rect, QRectF)
        paint_far_labels(painter, self, exposed=rect)
        self.tool.paint(painter)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            hit = self.hit(event.pos())
            described = ""
            if hit.edge is not None and self.describe_edge is not None:
                described = self.describe_edge(*hit.edge.ends)
            text = tooltip_of(hit, described)
            if hit.is_impossible and hit.node is not None and hit.state is not None:
                text = self._impossible(hit.node, hit.state)
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return super().viewportEvent(event)
