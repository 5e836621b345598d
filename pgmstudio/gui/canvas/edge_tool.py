"""The edge tool: a rubber line from node to node with the size of the new table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.gui.canvas.edge_item import paint_edge
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.canvas.signals import EdgeAdvice, Hit
from pgmstudio.gui.canvas.tools import Modifiers, Tool
from pgmstudio.gui.theme.icons import paint_icon
from pgmstudio.gui.theme.theme import theme

_ICON = 13.0
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.view import CanvasView


class EdgeTool(Tool):
    """Drag from a node to a node; with the keyboard, pick one and then the other."""

    name = "edge"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        self._source: str | None = None
        self._goal: str | None = None
        self._point = QPointF()
        self._advice = EdgeAdvice()

    @property
    def is_busy(self) -> bool:
        return self._source is not None

    @property
    def advice(self) -> EdgeAdvice:
        """The advice shown at the pointer now."""
        return self._advice

    def add_forecast(self, source: str, target: str, text: str, is_large: bool) -> None:
        """Add a forecast to the advice if the edge is still the one under the pointer."""
        if (source, target) == (self._source, self._goal) and not self._advice.refusal:
            self._advice = replace(self._advice, forecast=text, is_large=is_large)
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
            self._advice = EdgeAdvice()
            if goal is not None and self._source is not None:
                self._advice = self._view.advise_edge(self._source, goal)
                scene.nodes[goal].change_look(role="goal")
                scene.show_cycle(self._advice.path)
        self._view.viewport().update()

    def release(self, hit: Hit, modifiers: Modifiers) -> None:
        if self._source is not None:
            self._aim(None if hit.node is None else hit.node.id)
            self._drop()

    def _drop(self) -> None:
        source, goal, advice = self._source, self._goal, self._advice
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
        self._advice = EdgeAdvice()
        self._view.viewport().update()

    def paint(self, painter: QPainter) -> None:
        scene = self._view.graph
        if self._source not in scene.nodes:
            return
        begin = scene.nodes[self._source].pos()
        end = self._point if self._goal is None else scene.nodes[self._goal].pos()
        route = EdgeRoute((begin.x(), begin.y()), (end.x(), end.y()))
        advice = self._advice
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
