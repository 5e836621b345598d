"""Draws the nodes of a decision graph: cells, rows, numbers, strips, and collapsed ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from pgmstudio.core.languages.pdg.diagrams import (
    HEAD,
    NO_DATA,
    NOT_REACHED,
    ROW_HEIGHT,
    Band,
    BandForm,
    Box,
    progress_text,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.number_format import percent
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics, font_of_height
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar

Floats = NDArray[np.float64]

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTER = Qt.AlignmentFlag.AlignCenter
_INDENT, _RADIUS, _RING = 7.0, 6.0, 3.5
_DIMMED = 0.35
# Below this zoom state names cannot be read, below the next their bars cannot be distinguished,
# and below the last not even names of nodes fit.
WORDS_FROM, BARS_FROM, BOXES_BELOW = 0.66, 0.4, 0.32


@dataclass(slots=True)
class BandLook:
    """The values of the nodes of one band, and how they are highlighted now."""

    visits: Floats | None = None  # P(reached | e)
    rows: Floats | None = None  # rows of the data that come to each node
    struck: frozenset[int] = frozenset()  # states that evidence rules out
    chosen: int | None = None
    lit: NDArray[np.bool_] | None = None  # None: all at full strength
    marked: frozenset[int] = frozenset()  # nodes a step has just changed


def rect_of(box: Box) -> QRectF:
    return QRectF(box.x, box.y, box.width, box.height)


def _filled(box: Box, fraction: float) -> QRectF:
    height = box.height * min(1.0, fraction)
    return QRectF(box.x, box.y + box.height - height, box.width, height)


class BandPainter:
    """Paints the nodes of one band in scene coordinates, those that are in sight."""

    def __init__(
        self,
        painter: QPainter,
        graph: DecisionGraph,
        band: Band,
        look: BandLook,
        numbers: tuple[int, ...],
        zoom: float,
    ) -> None:
        self._painter, self._graph, self._band, self._look = painter, graph, band, look
        self._numbers, self._zoom = numbers, zoom
        self._states = graph.domain.variables[band.variable].states
        self._rows = graph.parameters[band.variable]

    def paint(self, seen: QRectF) -> None:
        """All nodes in sight, those that are not lit dimmed."""
        if self._band.form is BandForm.COLLAPSED:
            self._paint_collapsed(rect_of(self._band.boxes[0]))
            return
        self._paint_nodes(range(len(self._band.boxes)), seen)

    def paint_lit(self, seen: QRectF) -> None:
        """The lit nodes alone, over themselves as dimmed ones."""
        lit = self._look.lit
        if lit is None or self._band.form is BandForm.COLLAPSED:
            return
        positions = np.flatnonzero(lit).tolist()
        if self._band.form is BandForm.STRIP:  # what shows through must not be seen twice
            self._painter.setPen(Qt.PenStyle.NoPen)
            self._painter.setBrush(theme().color("surface"))
            self._painter.drawRects([rect_of(self._band.boxes[node]) for node in positions])
        self._paint_nodes(positions, seen)

    def _paint_nodes(self, nodes: Sequence[int], seen: QRectF) -> None:
        if self._zoom < BOXES_BELOW:
            self._paint_boxes(nodes, seen)
            return
        for node in nodes:
            box = self._band.boxes[node]
            if box.right < seen.left() - 8 or box.x > seen.right() + 8:
                continue
            lit = self._look.lit
            is_dim = lit is not None and not lit[node]
            if is_dim:
                self._painter.setOpacity(_DIMMED)
            self._paint_node(node, rect_of(box))
            if is_dim:
                self._painter.setOpacity(1.0)

    def _paint_boxes(self, nodes: Sequence[int], seen: QRectF) -> None:
        """Paint all nodes of a zoomed-out band in one call: boxes filled by probability."""
        look, boxes = self._look, self._band.boxes
        left, right = seen.left(), seen.right()
        positions = [n for n in nodes if boxes[n].right >= left and boxes[n].x <= right]
        painter = self._painter
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for is_lit in (False, True):
            mine = [n for n in positions if (look.lit is None or bool(look.lit[n])) is is_lit]
            if not mine:
                continue
            painter.setOpacity(1.0 if is_lit else _DIMMED)
            painter.setPen(QPen(theme().color("border_control"), 0.0))
            for is_reached, background in ((True, "surface"), (False, "sunken")):
                painter.setBrush(theme().color(background))
                some = [rect_of(boxes[n]) for n in mine if self._is_reached(n) is is_reached]
                painter.drawRects(some)
            if look.visits is not None:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme().color("belief"))
                painter.drawRects([_filled(boxes[n], float(look.visits[n])) for n in mine])
        painter.setOpacity(1.0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for node in positions:
            if node == look.chosen or node in look.marked:
                self._paint_ring(node, rect_of(boxes[node]))

    def _is_reached(self, node: int) -> bool:
        return self._look.visits is None or bool(self._look.visits[node] > 0)

    def _has_rows(self, node: int) -> bool:
        return self._look.rows is None or self._look.rows[node] > 0

    def _paint_node(self, node: int, box: QRectF) -> None:
        form = self._band.form
        if form is BandForm.STRIP:
            self._paint_piece(node, box)
        elif form is BandForm.NUMBERS:
            self._paint_number(node, box)
        else:
            self._paint_box(box, self._is_reached(node))
            if self._zoom < WORDS_FROM:
                self._paint_far(node, box)
            else:
                self._paint_head(node, box)
                paint = self._paint_cells if form is BandForm.CELLS else self._paint_state_rows
                paint(self._rows[node], box, self._is_reached(node))
        self._paint_ring(node, box)

    # -- the box

    def _paint_box(self, box: QRectF, is_reached: bool) -> None:
        pen = QPen(theme().color("border_control"), theme().line("node"))
        if not is_reached:
            pen.setDashPattern([3.0, 2.0])
        self._painter.setPen(pen)
        self._painter.setBrush(theme().color("surface" if is_reached else "sunken"))
        self._painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)

    def _paint_ring(self, node: int, box: QRectF) -> None:
        color = "accent" if node == self._look.chosen else ""
        if not color and node in self._look.marked:
            color = "virtual_ink"
        if not color:
            return
        self._painter.setPen(QPen(theme().color(color), theme().line("node_selected")))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        ring = box.adjusted(-_RING, -_RING, _RING, _RING)
        self._painter.drawRoundedRect(ring, _RADIUS + 2, _RADIUS + 2)

    def _paint_far(self, node: int, box: QRectF) -> None:
        """The name as large as at 100 %, how likely it is reached, and its states as bars."""
        painter, zoom, is_reached = self._painter, self._zoom, self._is_reached(node)
        name = f"ν{self._numbers[node]}"
        pixels = min(11 / zoom, box.height() * 0.5)
        painter.setFont(font_of_height(int(pixels)))
        painter.setPen(self._ink(is_reached))
        if zoom < BARS_FROM:
            painter.drawText(box, _CENTER, name)
            return
        head = QRectF(box.left() + 6, box.top() + 2, box.width() - 12, 13 / zoom)
        visits, metrics = self._look.visits, painter.fontMetrics()
        painter.drawText(head, _LEFT, name)
        if visits is not None and is_reached:
            number = percent(float(visits[node]))
            available = head.width() - metrics.horizontalAdvance(name) - 4 / zoom
            fitting = (
                w for w in (f"{number} %", number) if metrics.horizontalAdvance(w) <= available
            )
            painter.setPen(self._ink(is_reached, "text_secondary"))
            painter.drawText(head, _RIGHT, next(fitting, ""))
        below = QRectF(box.left() + 6, head.bottom() + 1, box.width() - 12, 0)
        below.setBottom(box.bottom() - 4)
        self._paint_far_bars(self._rows[node], below, is_reached)

    def _paint_far_bars(self, row: Floats, position: QRectF, is_reached: bool) -> None:
        """Side by side as cells, or below each other as rows."""
        count = len(self._states)
        is_horizontal = self._band.form is BandForm.CELLS
        across = position.width() / count if is_horizontal else position.width()
        down = position.height() if is_horizontal else position.height() / count
        thick = min(down * 0.7, 4 / self._zoom)
        for state in range(count):
            x = position.left() + (state * across if is_horizontal else 0.0)
            y = position.top() + (0.0 if is_horizontal else state * down) + (down - thick) / 2
            bar = QRectF(x, y, across - (4 if is_horizontal else 0), thick)
            self._paint_bar(bar, state, float(row[state]), is_reached)

    def _ink(self, is_reached: bool, name: str = "text") -> QColor:
        return theme().color(name if is_reached else "text_tertiary")

    def _paint_head(self, node: int, box: QRectF) -> None:
        painter, visits = self._painter, self._look.visits
        head = QRectF(box.left() + _INDENT, box.top(), box.width() - 2 * _INDENT, HEAD)
        is_reached = self._is_reached(node)
        painter.setFont(canvas_font("caption", "semibold"))
        painter.setPen(self._ink(is_reached))
        painter.drawText(head, _LEFT, f"ν{self._numbers[node]}")
        text = "" if visits is None else f"{percent(float(visits[node]))} %"
        if not is_reached:
            text = NOT_REACHED
        elif not self._has_rows(node):
            text = NO_DATA
        painter.setFont(canvas_font("caption"))
        painter.setPen(self._ink(is_reached, "text_secondary"))
        painter.drawText(head, _RIGHT, text)
        painter.setPen(QPen(theme().color("border"), 1))
        y = box.top() + HEAD + 0.5
        painter.drawLine(QLineF(box.left() + 1, y, box.right() - 1, y))

    # -- states

    def _paint_cells(self, row: Floats, box: QRectF, is_reached: bool) -> None:
        painter, count = self._painter, len(self._states)
        width, top = box.width() / count, box.top() + HEAD
        for state, name in enumerate(self._states):
            cell = QRectF(box.left() + state * width, top, width, box.height() - HEAD)
            if state:
                painter.setPen(QPen(theme().color("border"), 1))
                painter.drawLine(
                    QLineF(cell.left() + 0.5, cell.top() + 2, cell.left() + 0.5, cell.bottom() - 2)
                )
            label = QRectF(cell.left() + 4, cell.top() + 1, cell.width() - 8, 14)
            self._paint_name(name, label, _CENTER, state, is_reached)
            bar = QRectF(cell.left() + 6, cell.top() + 16, cell.width() - 12, 5)
            self._paint_bar(bar, state, float(row[state]), is_reached)
            painter.setFont(canvas_font("micro"))
            painter.setPen(self._ink(is_reached, "text_secondary"))
            number = QRectF(cell.left(), cell.top() + 21, cell.width(), 14)
            painter.drawText(number, _CENTER, progress_text(float(row[state])))

    def _paint_state_rows(self, row: Floats, box: QRectF, is_reached: bool) -> None:
        painter, top = self._painter, box.top() + HEAD
        left, right = box.width() * 0.38, 30.0
        for state, name in enumerate(self._states):
            rect = QRectF(box.left(), top + state * ROW_HEIGHT, box.width(), ROW_HEIGHT)
            label = QRectF(rect.left() + _INDENT, rect.top(), left - _INDENT - 4, ROW_HEIGHT)
            self._paint_name(name, label, _LEFT, state, is_reached)
            bar = QRectF(rect.left() + left, rect.center().y() - 3, box.width() - left - right, 6)
            self._paint_bar(bar, state, float(row[state]), is_reached)
            painter.setFont(canvas_font("micro"))
            painter.setPen(self._ink(is_reached, "text_secondary"))
            painter.drawText(rect.adjusted(0, 0, -6, 0), _RIGHT, progress_text(float(row[state])))

    def _paint_name(
        self,
        name: str,
        position: QRectF,
        align: Qt.AlignmentFlag,
        state: int,
        is_reached: bool,
    ) -> None:
        painter, metrics = self._painter, canvas_metrics("caption")
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, position.width())
        is_struck = state in self._look.struck
        painter.setFont(canvas_font("caption"))
        painter.setPen(self._ink(is_reached and not is_struck))
        painter.drawText(position, align, shown)
        if is_struck:
            width, middle = metrics.horizontalAdvance(shown), position.center().y() + 0.5
            left = position.left() if align == _LEFT else position.center().x() - width / 2
            painter.drawLine(QLineF(left, middle, left + width, middle))

    def _paint_bar(self, bar: QRectF, state: int, value: float, is_reached: bool) -> None:
        fill = theme().category(state, "line") if is_reached else theme().color("edge_dim")
        shown = None if state in self._look.struck else value
        paint_bar(self._painter, bar, Bar(shown, fill))

    # -- many nodes

    def _paint_number(self, node: int, box: QRectF) -> None:
        painter, is_reached = self._painter, self._is_reached(node)
        self._paint_box(box, is_reached)
        visits = self._look.visits
        if visits is not None and is_reached:
            bar = QRectF(box.left() + 4, box.bottom() - 6, box.width() - 8, 3)
            paint_bar(painter, bar, Bar(float(visits[node])))
        if self._zoom >= BOXES_BELOW:
            # As large on screen as the box allows.
            painter.setFont(font_of_height(round(min(10 / min(1.0, self._zoom), 15.0))))
            painter.setPen(self._ink(is_reached))
            painter.drawText(box.adjusted(0, 0, 0, -5), _CENTER, str(self._numbers[node]))

    def _paint_piece(self, node: int, box: QRectF) -> None:
        """A part of a strip, the deeper the likelier it is reached."""
        painter, visits = self._painter, self._look.visits
        is_reached = self._is_reached(node)
        fraction = 0.0 if visits is None else float(visits[node])
        color = theme().color("belief", 0.15 + 0.85 * min(1.0, fraction * 4))
        painter.setPen(QPen(theme().color("surface"), 0.5))
        painter.setBrush(color if is_reached else theme().color("sunken"))
        painter.drawRect(box)
        text = str(self._numbers[node])
        if (
            self._zoom >= WORDS_FROM
            and canvas_metrics("micro").horizontalAdvance(text) + 4 < box.width()
        ):
            painter.setFont(canvas_font("micro"))
            painter.setPen(theme().color("text"))
            painter.drawText(box, _CENTER, text)

    def _paint_collapsed(self, box: QRectF) -> None:
        """One box for all nodes: their mean distribution, by how often each is reached."""
        painter, visits = self._painter, self._look.visits
        for away in (6.0, 3.0):
            self._paint_box(box.translated(away, away), True)
        self._paint_box(box, True)
        count = self._rows.shape[0]
        weights = np.full(count, 1 / count) if visits is None else visits
        mean = weights @ self._rows / max(float(weights.sum()), 1e-300)
        head = QRectF(box.left() + _INDENT, box.top(), box.width() - 2 * _INDENT, HEAD)
        painter.setFont(canvas_font("caption", "semibold"))
        painter.setPen(theme().color("text"))
        painter.drawText(head, _LEFT, f"ν{min(self._numbers)}–ν{max(self._numbers)}")
        painter.setFont(canvas_font("caption"))
        painter.setPen(theme().color("text_secondary"))
        painter.drawText(head, _RIGHT, f"{count} nodes")
        if len(self._states) <= 3:
            self._paint_cells(np.asarray(mean), box, True)
