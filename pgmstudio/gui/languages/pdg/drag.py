"""Dragging on the bands of a decision graph: an arc, a node or a whole variable.

Before the drop, a card at the pointer shows the change in score, or why it is not possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from pgmstudio.core.languages.pdg.candidate_operations import CandidateOperation, Operation
from pgmstudio.core.languages.pdg.diagrams import GUTTER, BandForm, node_name, operation_text
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.canvas.tools import DRAG_FROM
from pgmstudio.gui.languages.pdg.arcs import Arc
from pgmstudio.gui.languages.pdg.nodes import NodeKey
from pgmstudio.gui.theme.theme import theme

if TYPE_CHECKING:
    from pgmstudio.gui.languages.pdg.canvas import BandView

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LINE, _PAD, _AWAY = 20.0, 8.0, 14.0
MEASURING = "measuring…"
NOT_MEASURED = "Not measured yet: hold it there until the card shows the change in score."


@dataclass(frozen=True)
class VariablePosition:
    """A variable below another one of the forest."""

    variable: str
    above: str

    @property
    def text(self) -> str:
        return f"Move {self.variable} below {self.above}"


Change = CandidateOperation | VariablePosition
Grabbed = Arc | NodeKey | str


@dataclass(frozen=True)
class Advice:
    """The result of a drop here: a change, or why there is none."""

    change: Change | None = None
    title: str = ""
    effect: str = ""  # empty: not measured yet
    refusal: str = ""


class BandDrag:
    """The drag gesture; the view forwards presses, moves and releases."""

    def __init__(self, view: BandView) -> None:
        self._view = view
        self._grabbed: Grabbed | None = None
        self._start = self._point = QPointF()
        self.is_under_way = False
        self._goal: NodeKey | str | None = None
        self.advice = Advice()

    @property
    def is_held(self) -> bool:
        """Something has been pressed that could be dragged."""
        return self._grabbed is not None

    def grabbed_at(self, point: QPointF, hit: Hit) -> Grabbed | None:
        """The part that a press here grabs; rows of states still set evidence."""
        bands = self._view.bands
        if bands.graph is None or hit.state is not None:
            return None
        key = bands.node_at(point)
        if key is not None:
            return key
        result = bands.arc_at(point)
        if result is not None:
            return None if self._is_folded(result[0]) else result[0]
        if hit.node is not None and point.x() - hit.node.box.left() < GUTTER:
            return hit.node.id
        return None

    def _is_folded(self, arc: Arc) -> bool:
        """Arcs of collapsed variables lie over each other, so none of them is meant."""
        bands = self._view.bands.bands.bands
        return any(bands[i].form is BandForm.COLLAPSED for i in (arc.upper, arc.lower))

    def press(self, grabbed: Grabbed, point: QPointF) -> None:
        self.cancel()
        self._grabbed, self._start, self._point = grabbed, point, point

    def move(self, point: QPointF) -> None:
        if self._grabbed is None:
            return
        self._point = point
        if not self.is_under_way:
            way = (point - self._start).manhattanLength() * self._view.pixels_per_unit
            if way < DRAG_FROM:
                return
            self.is_under_way = True
            self._view.stop_hover()
            self._view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        self._aim(self._goal_at(point))
        self._view.viewport().update()

    def release(self) -> bool:
        """Whether a drag has ended by it; a mere click is not one."""
        was_under_way, advice = self.is_under_way, self.advice
        self.cancel()
        if not was_under_way:
            return False
        if advice.refusal:
            self._view.signals.refused.emit(advice.refusal)
        elif advice.change is not None and not advice.effect:
            self._view.signals.refused.emit(NOT_MEASURED)
        elif advice.change is not None:
            self._view.change_requested.emit(advice.change)
        return True

    def cancel(self) -> None:
        """Give the gesture up; nothing has been changed."""
        if self._goal is not None:
            self._view.change_previewed.emit(None)
        self._grabbed = self._goal = None
        self.is_under_way = False
        self.advice = Advice()
        self._view.viewport().unsetCursor()
        self._view.viewport().update()

    # -- where it would go

    def _goal_at(self, point: QPointF) -> NodeKey | str | None:
        if not isinstance(self._grabbed, str):
            return self._view.bands.node_at(point)
        band = self._view.hit_at(point).node
        return None if band is None or band.id == self._grabbed else band.id

    def _aim(self, goal: NodeKey | str | None) -> None:
        if goal == self._goal:
            return
        self._goal, self.advice = goal, self._advice_for(goal)
        self._view.change_previewed.emit(self.advice.change)

    def _advice_for(self, goal: NodeKey | str | None) -> Advice:
        graph, grabbed = self._view.bands.graph, self._grabbed
        if graph is None or goal is None or goal == grabbed:
            return Advice()
        if isinstance(goal, str):
            assert isinstance(grabbed, str)
            position = VariablePosition(grabbed, goal)
            return Advice(position, position.text)
        if isinstance(grabbed, Arc):
            lower = graph.domain.names[grabbed.lower]
            if goal[0] != lower:
                upper = graph.domain.names[grabbed.upper]
                return _refused(f"This arc leads from {upper} to a node of {lower}, no other.")
            if goal[1] == grabbed.head:
                return Advice()
            step = CandidateOperation(
                Operation.REDIRECT, *goal, upper=grabbed.node, state=grabbed.state
            )
            return Advice(step, operation_text(graph, step))
        assert isinstance(grabbed, tuple)
        if goal[0] != grabbed[0]:
            mine, other = node_name(graph, *grabbed), node_name(graph, *goal)
            return _refused(
                f"{mine} is a node of {grabbed[0]} and {other} one of {goal[0]}; nodes of one "
                "variable can be merged."
            )
        step = CandidateOperation(Operation.MERGE, *grabbed, other=goal[1])
        return Advice(step, operation_text(graph, step))

    def show_text(self, change: Change, effect: str, refusal: str) -> None:
        """Show the effect of a change, if it is still the one under the pointer."""
        if change == self.advice.change:
            if refusal:
                self.advice = _refused(refusal)
            else:
                self.advice = Advice(change, self.advice.title, effect)
            self._view.viewport().update()

    # -- painting

    def paint(self, painter: QPainter) -> None:
        """In scene coordinates."""
        if not self.is_under_way:
            return
        unit = 1 / self._view.pixels_per_unit
        ink = theme().color("danger_ink" if self.advice.refusal else "accent")
        pen = QPen(ink, 2 * unit)
        pen.setDashPattern([3.0, 2.0])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.strokePath(self._line(), pen)
        if self._goal is not None and self._goal != self._grabbed:
            painter.setPen(QPen(ink, 2 * unit))
            ring = 4 * unit
            painter.drawRoundedRect(self._goal_box().adjusted(-ring, -ring, ring, ring), 8, 8)
        if self.advice.title:
            self._paint_card(painter)

    def _line(self) -> QPainterPath:
        end = self._point
        begin = self._start
        if isinstance(self._grabbed, Arc):
            graph, arc = self._view.bands.graph, self._grabbed
            assert graph is not None
            states = graph.domain.cardinalities[arc.upper]
            ends = (arc.lower, arc.head)
            x, y, _, _ = self._view.bands.bands.arc(arc.upper, arc.node, arc.state, states, *ends)
            begin = QPointF(x, y)
        path = QPainterPath(begin)
        bend = (end.y() - begin.y()) / 2
        path.cubicTo(begin.x(), begin.y() + bend, end.x(), end.y() - bend, end.x(), end.y())
        return path

    def _goal_box(self) -> QRectF:
        bands = self._view.bands
        if isinstance(self._goal, str):
            return bands.nodes[self._goal].box
        assert self._goal is not None
        return bands.box_of(self._goal)

    def _paint_card(self, painter: QPainter) -> None:
        """The card next to the pointer: the same size at any zoom and always visible."""
        advice, unit = self.advice, 1 / self._view.pixels_per_unit
        metrics = canvas_metrics("dense", "medium")
        text = advice.effect or ("" if advice.refusal else MEASURING)
        lines = [line for line in (advice.title, text) if line]
        width = max(metrics.horizontalAdvance(line) for line in lines) + 2 * _PAD
        height = _LINE * len(lines) + 4
        scale = unit * theme().scale
        available = self._view.sight()
        # A panel may cover the right part of the view.
        available.setRight(available.right() - self._view.hidden_at_right * unit)
        x = min(self._point.x() + _AWAY * scale, available.right() - (width + 4) * scale)
        y = self._point.y() + _AWAY * scale
        if y + (height + 4) * scale > available.bottom():
            y = self._point.y() - (_AWAY + height) * scale
        painter.save()
        painter.translate(max(x, available.left()), y)
        painter.scale(scale, scale)
        painter.setPen(theme().color("border_control"))
        painter.setBrush(theme().color("raised"))
        painter.drawRoundedRect(QRectF(0, 0, width, height), 5, 5)
        painter.setFont(canvas_font("dense", "medium"))
        for number, line in enumerate(lines):
            ink = "danger_ink" if advice.refusal else "text" if number else "text_secondary"
            painter.setPen(theme().color(ink))
            rect = QRectF(_PAD, 2 + _LINE * number, width - 2 * _PAD, _LINE)
            painter.drawText(rect, _LEFT, line)
        painter.restore()


def _refused(text: str) -> Advice:
    return Advice(title="cannot be done here", refusal=text)
