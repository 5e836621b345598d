"""The tools of the canvas: select, node, edge, separation; what a press, drag and release do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from pgmstudio.core.drawing.diagram import Point
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.core.drawing.snapping import Box, Guide, snap, snapped_to_grid
from pgmstudio.gui.canvas.edge_item import paint_edge
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.signals import EdgeAdvice, Hit
from pgmstudio.gui.theme.icons import paint_icon
from pgmstudio.gui.theme.theme import theme

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.view import CanvasView

Modifiers = Qt.KeyboardModifier
# Screen pixels until a press becomes a drag, and the reach of snapping.
DRAG_FROM, SNAP_REACH = 4.0, 5.0
MIN_WEIGHT = 0.01


class Tool:
    """A tool that does nothing; points are in the scene."""

    name: ClassVar[str] = ""
    cursor: ClassVar[Qt.CursorShape] = Qt.CursorShape.ArrowCursor

    def __init__(self, view: CanvasView) -> None:
        self._view = view

    @property
    def is_busy(self) -> bool:
        """Whether a gesture is in progress."""
        return False

    @property
    def is_pressed(self) -> bool:
        """Whether a mouse button is down."""
        return self.is_busy

    def press(self, hit: Hit, modifiers: Modifiers) -> None: ...

    def move(self, point: QPointF, modifiers: Modifiers) -> None: ...

    def release(self, hit: Hit, modifiers: Modifiers) -> None: ...

    def cancel(self) -> None:
        """Cancel the gesture and leave everything as it was."""

    def paint(self, painter: QPainter) -> None:
        """Paint the feedback of the gesture in scene coordinates."""


class SelectTool(Tool):
    """Selects, moves, rubber bands; on state rows it sets evidence, on bars likelihoods."""

    name = "select"

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        self._pressed: Hit | None = None
        self._modifiers = Modifiers.NoModifier
        self._gesture = ""  # "", "move", "band", "weight", "idle"
        self._starts: dict[str, Point] = {}
        self._band = QRectF()
        self._guides: tuple[Guide, ...] = ()
        self._weights: dict[str, float] = {}

    @property
    def is_busy(self) -> bool:
        return bool(self._gesture)

    @property
    def is_pressed(self) -> bool:
        return self._pressed is not None

    def press(self, hit: Hit, modifiers: Modifiers) -> None:
        self._pressed, self._modifiers, self._gesture = hit, modifiers, ""
        if hit.node is not None and hit.state is None:
            self._choose_node(hit.node.id, modifiers)
        elif hit.node is None and hit.edge is not None:
            self._choose_edge(hit.edge.ends, modifiers)
        elif hit.node is None and not _adds(modifiers):
            self._view.signals.select.emit((), ())

    def _choose_node(self, identity: str, modifiers: Modifiers) -> None:
        scene = self._view.graph
        chosen = scene.selected_nodes
        if _adds(modifiers):
            rest = tuple(n for n in chosen if n != identity)
            nodes = rest if identity in chosen else (*chosen, identity)
            self._view.signals.select.emit(nodes, scene.selected_edges)
        elif identity not in chosen:
            self._view.signals.select.emit((identity,), ())

    def _choose_edge(self, ends: tuple[str, str], modifiers: Modifiers) -> None:
        scene = self._view.graph
        chosen = scene.selected_edges
        if _adds(modifiers):
            rest = tuple(e for e in chosen if e != ends)
            edges = rest if ends in chosen else (*chosen, ends)
            self._view.signals.select.emit(scene.selected_nodes, edges)
        else:
            self._view.signals.select.emit((), (ends,))

    # -- dragging

    def move(self, point: QPointF, modifiers: Modifiers) -> None:
        hit = self._pressed
        if hit is None:
            return
        if not self._gesture:
            way = QLineF(hit.point, point).length() * self._view.pixels_per_unit
            if way < DRAG_FROM:
                return
            self._begin_drag(hit)
        if self._gesture == "move":
            self._drag_nodes(point - hit.point, modifiers)
        elif self._gesture == "band":
            self._band = QRectF(hit.point, point).normalized()
            self._view.viewport().update()
        elif self._gesture == "weight":
            self._drag_weight(point)

    def _begin_drag(self, hit: Hit) -> None:
        self._view.stop_hover()
        if hit.node is None:
            self._gesture = "band"
            return
        if hit.state is not None and hit.is_on_bar and self._begin_weight(hit.node, hit.state):
            return
        chosen = self._view.graph.selected_nodes
        if hit.node.id not in chosen:
            self._view.signals.select.emit((hit.node.id,), ())
            chosen = (hit.node.id,)
        if self._view.graph.is_fixed:
            self._gesture = "idle"
            return
        self._gesture = "move"
        self._starts = {i: self._view.graph.nodes[i].centre for i in chosen}

    def _begin_weight(self, node: NodeItem, state: int) -> bool:
        face = node.face
        if not face.beliefs or face.is_impossible(state):
            return False
        self._gesture = "weight"
        mark = face.mark
        soft = mark is not None and mark.is_soft
        self._weights = dict(
            zip(face.states, face.weights if soft else (1.0,) * len(face.states), strict=True)
        )
        return True

    def _drag_weight(self, point: QPointF) -> None:
        hit = self._pressed
        if hit is None or hit.node is None or hit.state is None:
            return
        node = hit.node
        fraction = node.geometry.fraction_at(node.in_box(point).x())
        self._weights[node.face.states[hit.state]] = max(MIN_WEIGHT, round(fraction, 2))
        self._view.signals.likelihood.emit(node.id, dict(self._weights))

    def _drag_nodes(self, way: QPointF, modifiers: Modifiers) -> None:
        scene, hit = self._view.graph, self._pressed
        if hit is None or hit.node is None:
            return
        dx, dy = way.x(), way.y()
        self._guides = ()
        x, y = self._starts[hit.node.id]
        free = bool(modifiers & Modifiers.AltModifier)
        if self._view.snaps_to_grid and not free:
            wanted = snapped_to_grid((x + dx, y + dy))
            dx, dy = wanted[0] - x, wanted[1] - y
        elif not free:
            box = Box(x + dx, y + dy, *hit.node.size)
            others = [
                Box(*item.centre, *item.size)
                for item in self._view.nodes_in_sight()
                if item.id not in self._starts
            ]
            reach = SNAP_REACH / self._view.pixels_per_unit
            (sx, sy), self._guides = snap(box, others, reach)
            dx, dy = dx + sx, dy + sy
        scene.move_nodes({i: (x + dx, y + dy) for i, (x, y) in self._starts.items()})
        self._view.viewport().update()

    # -- release

    def release(self, hit: Hit, modifiers: Modifiers) -> None:
        pressed, gesture = self._pressed, self._gesture
        starts, band = self._starts, self._band
        self._forget()
        if pressed is None:
            return
        signals, scene = self._view.signals, self._view.graph
        if gesture == "move":
            moved = {i: scene.nodes[i].centre for i in starts if i in scene.nodes}
            if moved != starts:
                signals.move.emit(moved)
        elif gesture == "band":
            inside = tuple(i.id for i in scene.nodes.values() if band.intersects(i.box))
            if _adds(self._modifiers):
                inside = tuple(dict.fromkeys((*scene.selected_nodes, *inside)))
            signals.select.emit(inside, ())
        elif gesture == "" and pressed.node is not None and pressed.state is None:
            # A press keeps several selected for a drag; a mere click means this one.
            if not _adds(modifiers):
                signals.select.emit((pressed.node.id,), ())
        elif gesture == "" and pressed.node is not None and pressed.state is not None:
            is_same = hit.node is pressed.node and hit.state == pressed.state
            if is_same:
                self._view.look_at_all(pressed.node.id)
                self._view.use_state(pressed.node, pressed.state, modifiers)

    def cancel(self) -> None:
        if self._gesture == "move":
            self._view.graph.move_nodes(self._starts)
        self._forget()

    def _forget(self) -> None:
        self._pressed, self._gesture = None, ""
        self._guides, self._band, self._starts = (), QRectF(), {}
        self._view.viewport().update()

    def paint(self, painter: QPainter) -> None:
        unit = 1 / self._view.pixels_per_unit
        if self._gesture == "band":
            painter.setPen(QPen(theme().color("accent"), unit))
            painter.setBrush(theme().color("accent", 0.08))
            painter.drawRect(self._band)
        if self._guides:
            painter.setPen(QPen(theme().color("accent"), unit))
            painter.drawLines([QLineF(*g.start, *g.end) for g in self._guides])


class NodeTool(Tool):
    """A tool whose clicks on the background add a node; its name is typed there."""

    name = "node"
    cursor = Qt.CursorShape.CrossCursor

    def release(self, hit: Hit, modifiers: Modifiers) -> None:
        if hit.node is None:
            self._view.begin_node(hit.point)


def _adds(modifiers: Modifiers) -> bool:
    return bool(modifiers & (Modifiers.ShiftModifier | Modifiers.ControlModifier))


_ICON = 13.0
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class EdgeTool(Tool):
    """Drag from a node to a node; with the keyboard, pick one and then the other."""

    name = "edge"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        self._source: str | None = None
        self._goal: str | None = None
        self._point = QPointF()
        self.advice = EdgeAdvice()  # the advice shown at the pointer now

    @property
    def is_busy(self) -> bool:
        return self._source is not None

    def add_forecast(self, source: str, target: str, text: str, is_large: bool) -> None:
        """Add a forecast to the advice if the edge is still the one under the pointer."""
        if (source, target) == (self._source, self._goal) and not self.advice.refusal:
            self.advice = replace(self.advice, forecast=text, is_large=is_large)
            self._view.viewport().update()

    def press(self, hit: Hit, modifiers: Modifiers) -> None:
        if hit.node is not None:
            self._begin(hit.node.id, hit.point)

    def pick(self, node: str) -> None:
        """By keyboard: the first pick is the source, the second the target."""
        point = self._view.graph.nodes[node].pos()
        if self._source is None:
            self._begin(node, point)
        else:
            self._aim(node)
            self._drop()

    def aim(self, node: str) -> None:
        """By keyboard: look at a target without choosing it."""
        if self._source is not None:
            self._point = self._view.graph.nodes[node].pos()
            self._aim(node)

    def _begin(self, node: str, point: QPointF) -> None:
        self._view.stop_hover()
        self._source, self._point = node, point
        self._view.graph.nodes[node].change_look(role="source")

    def move(self, point: QPointF, modifiers: Modifiers) -> None:
        if self._source is None:
            return
        self._point = point
        node = self._view.hit_at(point).node
        self._aim(None if node is None else node.id)

    def _aim(self, goal: str | None) -> None:
        if goal == self._source:
            goal = None
        if goal != self._goal:
            scene = self._view.graph
            scene.show_cycle(())
            if self._goal in scene.nodes:
                scene.nodes[self._goal].change_look(role="")
            self._goal = goal
            self.advice = EdgeAdvice()
            if goal is not None and self._source is not None:
                self.advice = self._view.advise_edge(self._source, goal)
                scene.nodes[goal].change_look(role="goal")
                scene.show_cycle(self.advice.path)
        self._view.viewport().update()

    def release(self, hit: Hit, modifiers: Modifiers) -> None:
        if self._source is not None:
            self._aim(None if hit.node is None else hit.node.id)
            self._drop()

    def _drop(self) -> None:
        source, goal, advice = self._source, self._goal, self.advice
        self.cancel()
        if source is None or goal is None:
            return
        if advice.refusal:
            self._view.signals.refused.emit(advice.refusal)
        else:
            self._view.signals.add_edge.emit(source, goal)

    def cancel(self) -> None:
        scene = self._view.graph
        scene.show_cycle(())
        for node in (self._source, self._goal):
            if node in scene.nodes:
                scene.nodes[node].change_look(role="")
        self._source = self._goal = None
        self.advice = EdgeAdvice()
        self._view.viewport().update()

    def paint(self, painter: QPainter) -> None:
        scene = self._view.graph
        if self._source not in scene.nodes:
            return
        begin = scene.nodes[self._source].pos()
        end = self._point if self._goal is None else scene.nodes[self._goal].pos()
        route = EdgeRoute((begin.x(), begin.y()), (end.x(), end.y()))
        advice = self.advice
        color = "danger_ink" if advice.refusal else "accent"
        paint_edge(painter, route, theme().color(color), 2.0, True, (6.0, 4.0))
        if advice.text:
            ink = "danger_ink" if advice.refusal else "warning_ink" if advice.is_warning else "text"
            lines = [(advice.text, ink)]
            if advice.forecast:
                lines.append((advice.forecast, "warning_ink" if advice.is_large else "text"))
            self._paint_text(painter, lines, advice.is_large)

    def _paint_text(self, painter: QPainter, lines: list[tuple[str, str]], is_large: bool) -> None:
        """Paint a small card next to the pointer, with the same size on screen at any zoom."""
        painter.save()
        painter.translate(self._point)
        painter.scale(1 / self._view.zoom, 1 / self._view.zoom)
        metrics = canvas_metrics("dense", "medium")
        icon_width = _ICON + 6 if is_large else 0.0
        width = max(metrics.horizontalAdvance(text) for text, _ in lines) + 16 + icon_width
        card = QRectF(14, 14, width, 4 + 20 * len(lines))
        painter.setPen(theme().color("border_control"))
        painter.setBrush(theme().color("raised"))
        painter.drawRoundedRect(card, 5, 5)
        painter.setFont(canvas_font("dense", "medium"))
        for number, (text, ink) in enumerate(lines):
            position = QRectF(card.left() + 8, card.top() + 2 + 20 * number, width - 16, 20)
            if is_large and number == len(lines) - 1:
                middle = position.center().y() - _ICON / 2
                paint_icon(painter, "warning", ink, QRectF(position.left(), middle, _ICON, _ICON))
                position.setLeft(position.left() + icon_width)
            painter.setPen(theme().color(ink))
            painter.drawText(position, _LEFT, text)
        painter.restore()


class SeparationTool(Tool):
    """A tool whose clicks pick nodes for the role that is chosen in the separation bar."""

    name = "separation"
    cursor = Qt.CursorShape.PointingHandCursor

    def release(self, hit: Hit, modifiers: Modifiers) -> None:
        if hit.node is not None:
            self.pick(hit.node.id)

    def pick(self, node: str, role: str = "") -> None:
        """`role` is A, B or Z; empty: whichever is next."""
        self._view.signals.pick.emit(node, role)
