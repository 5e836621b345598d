"""The view of a decision graph: hover, choosing and dragging, collapsing; evidence as on graphs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from pgmstudio.core.number_format import percent
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.canvas.tools import Modifiers
from pgmstudio.gui.canvas.view import CanvasView
from pgmstudio.gui.languages.pdg.band_painter import WORDS_FROM
from pgmstudio.gui.languages.pdg.drag import BandDrag
from pgmstudio.gui.languages.pdg.node_names import BandNames
from pgmstudio.gui.languages.pdg.scene import BandScene, NodeKey
from pgmstudio.gui.theme.theme import theme

Key = Qt.Key


class BandView(CanvasView):
    """The view of the bands; `node_chosen` emits the clicked node, None for anything else."""

    node_chosen = Signal(object)  # NodeKey or None
    node_menu = Signal(object, object)  # NodeKey, global point
    collapse_requested = Signal(str)
    change_previewed = Signal(object)  # a step or a position; None: the preview ended
    change_requested = Signal(object)  # a step or a position that was dropped

    def __init__(self, scene: BandScene, parent: QWidget | None = None) -> None:
        super().__init__(scene, parent)
        self.bands = scene
        self.setObjectName("bandView")
        self.setAccessibleName("Nodes and flow")
        self.describe_node: Callable[[NodeKey], str] | None = None
        self.is_editable = False
        self.can_drag = False  # a controller measures and makes the changes
        self.drag = BandDrag(self)
        self._names = BandNames()
        self._arc_text = ("", QPointF())

    def selected_box(self) -> QRectF | None:
        """That of the chosen node: a band is often wider than what is free."""
        chosen = self.bands.chosen
        return super().selected_box() if chosen is None else self.bands.box_of(chosen)

    def _repaint_far(self) -> None:
        """Repaint the whole view, since names over bands are no items."""
        if self.zoom < WORDS_FROM:
            self.viewport().update()

    # -- mouse

    def _key_at(self, position: QPoint) -> NodeKey | None:
        return self.bands.node_at(self.mapToScene(position))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        key = self._key_at(event.position().toPoint())
        is_plain = event.button() == Qt.MouseButton.LeftButton and self.tool.name == "select"
        if is_plain and self.can_drag and not self._space_held:
            point = self.mapToScene(event.position().toPoint())
            grabbed = self.drag.grabbed_at(point, self.hit_at(point))
            if grabbed is not None:
                self.drag.press(grabbed, point)
        if key is None or not is_plain or self._space_held:
            if event.button() == Qt.MouseButton.LeftButton and key is None:
                self.node_chosen.emit(None)
            super().mousePressEvent(event)
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.gesture_started.emit()
        self.node_chosen.emit(key)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.drag.is_held and event.buttons() & Qt.MouseButton.LeftButton:
            self._pointer = self.mapToScene(event.position().toPoint())
            self.drag.move(self._pointer)
            if self.drag.is_under_way:
                self.tool.cancel()
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.drag.release():
            self._show_cursor()
        else:
            super().mouseReleaseEvent(event)

    @property
    def is_pressed(self) -> bool:
        return self.drag.is_held or super().is_pressed

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        hit = self.hit(point)
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and hit.node is not None and hit.state is None and self._key_at(point) is None:
            self.collapse_requested.emit(hit.node.id)
        elif hit.state is not None:
            super().mouseDoubleClickEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        key = self.bands.chosen if is_by_key else self._key_at(event.pos())
        if key is None:
            super().contextMenuEvent(event)
            return
        self.node_chosen.emit(key)
        position = event.globalPos()
        if is_by_key:
            box = self.mapFromScene(self.bands.box_of(key)).boundingRect()
            position = self.viewport().mapToGlobal(box.bottomLeft())
        self.node_menu.emit(key, position)
        event.accept()

    # -- hover

    def _hover(self, modifiers: Modifiers) -> None:
        if self.tool.is_busy:
            return
        self._show_cursor(self.hit_at(self._pointer))
        key = self.bands.node_at(self._pointer)
        self.bands.light(key)
        self._hovered = None if key is None else f"{key[0]}:{key[1]}"
        text = "" if key is not None else self._arc_at_pointer()
        if key is not None or (text and self.can_drag):
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self._show_arc_text(text)

    def _arc_at_pointer(self) -> str:
        result, graph = self.bands.arc_at(self._pointer), self.bands.graph
        if result is None or graph is None:
            return ""
        arc, flow = result
        upper = graph.domain.variables[arc.upper]
        return f"{upper.name} = {upper.states[arc.state]} · {percent(flow)} %"

    def _show_arc_text(self, text: str) -> None:
        if text or self._arc_text[0]:
            self._arc_text = text, QPointF(self._pointer)
            self.viewport().update()

    @property
    def arc_text(self) -> str:
        """The text of the arc under the pointer."""
        return self._arc_text[0]

    def fit(self) -> None:
        """Keep the highlight where the pointer is still on it, as after a slight resize."""
        before, position = self.bands.hovered, self.mapFromScene(self._pointer)
        super().fit()
        if before is not None and self._key_at(position) == before:
            self._pointer = self.mapToScene(position)
            self._hover(Modifiers.NoModifier)

    def stop_hover(self) -> None:
        super().stop_hover()
        self.bands.light(None)
        self._show_arc_text("")

    def drawForeground(self, painter: QPainter, rect: QRectF | QPoint) -> None:  # type: ignore[override]
        super().drawForeground(painter, rect)
        self._names.paint(painter, self)
        self.drag.paint(painter)
        text, position = self._arc_text
        if not text:
            return
        unit = 1 / self.pixels_per_unit
        painter.save()
        painter.translate(position)
        painter.scale(unit * theme().scale, unit * theme().scale)
        width = canvas_metrics("caption", "medium").horizontalAdvance(text) + 14
        pill = QRectF(12, -11, width, 20)
        painter.setPen(theme().color("border_control"))
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(pill, 10, 10)
        painter.setFont(canvas_font("caption", "medium"))
        painter.setPen(theme().color("text"))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            key = self._key_at(event.pos())
            if key is not None and self.describe_node is not None:
                QToolTip.showText(event.globalPos(), self.describe_node(key), self.viewport())
                return True
        return super().viewportEvent(event)

    # -- keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Key.Key_Escape and self.drag.is_held:
            self.drag.cancel()
            event.accept()
        elif event.modifiers() & Modifiers.AltModifier and self._walk_nodes(Key(event.key())):
            event.accept()
        elif event.key() == Key.Key_Escape and self.bands.chosen is not None:
            self.node_chosen.emit(None)
            event.accept()
        else:
            super().keyPressEvent(event)

    def _walk_nodes(self, key: Qt.Key) -> bool:
        """Alt with an arrow: along the band, or along the widest arc up or down."""
        graph, chosen = self.bands.graph, self.bands.chosen
        if graph is None or key not in (Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down):
            return False
        if chosen is None:
            name = self.keys.node or (self.bands.selected_nodes or (graph.domain.names[0],))[-1]
            order = self.bands.bands.bands[graph.domain.index(name)].order
            self._go_to((name, order[0]))
            return True
        i, node = graph.domain.index(chosen[0]), chosen[1]
        if key in (Key.Key_Left, Key.Key_Right):
            order = self.bands.bands.bands[i].order
            at = order.index(node) + (1 if key == Key.Key_Right else -1)
            if 0 <= at < len(order):
                self._go_to((chosen[0], order[at]))
            return True
        flows = self.bands.flows
        if key == Key.Key_Up:
            above, edges = graph.forest[i], graph.successors[i]
            if above is not None and edges is not None:
                mass = graph.parameters[above] if flows is None else flows.arcs[above]
                upper = (mass * (edges == node) + 1e-12 * (edges == node)).sum(axis=1).argmax()
                self._go_to((graph.domain.names[above], int(upper)))
        elif graph.children[i]:
            below = graph.children[i][0]
            edges = graph.successors[below]
            mass = graph.parameters[i] if flows is None else flows.arcs[i]
            if edges is not None:
                self._go_to((graph.domain.names[below], int(edges[node, mass[node].argmax()])))
        return True

    def _go_to(self, key: NodeKey) -> None:
        self.node_chosen.emit(key)
        margin = int(24 * theme().scale)
        self.ensureVisible(self.bands.box_of(key), margin, margin)
        self.looked_elsewhere.emit()
