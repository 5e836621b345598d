"""The geometry of a node's box, for painting and for hit testing.

Coordinates are px at 100 %, from the box's top left corner. At a medium zoom boxes of bars show
their name in one or two lines as large as it can be, and thin bars below it. Boxes of names are as
wide as the name at 100 %, so the names have nearly one font size and the boxes get a little wider
for them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from pgmstudio.core.drawing.diagram import PictureNode, Size
from pgmstudio.core.drawing.layout.boxes import (
    HEAD,
    LINE,
    NAME_PART_OF_BOX,
    ROW,
    box_size,
)
from pgmstudio.core.inference.base import Scale
from pgmstudio.gui.canvas.fonts import canvas_metrics, metrics_of_height
from pgmstudio.gui.canvas.node_view import NodeMode, NodeView
from pgmstudio.gui.widgets.soft_breaks import halves

INDENT = 9.0
NUMBER_COLUMN = 40.0
WORD_COLUMN = 72.0  # of “impossible”
DEGREES_COLUMN = 92.0  # of possibility and necessity
NECESSITY_COLUMN = 44.0
ROWS_TOP = HEAD + 2.5
BAR_HEIGHT = 9.0
MARK_SIZE = 13.0
DOT_SIZE = 16.0
NAME_HEIGHT = 26.0
NARROWEST_NAME, WIDEST_NAME = 56.0, 264.0


def face_size(node: PictureNode, face: NodeView) -> Size:
    """The size of the box of a node; even numbers, so that its centre is a whole pixel."""
    if face.mode is NodeMode.DOT:
        return DOT_SIZE, DOT_SIZE
    if face.shows_rows:
        width, height = box_size(PictureNode(node.id, face.title), face.states)
        return _even(width + _number_column(face) - NUMBER_COLUMN), height
    lines = face.title.split("\n")
    # Not by a clock: boxes that grow while beliefs are computed would cover their neighbours.
    marked = bool(face.weights) or face.is_target or bool(face.note)
    metrics = canvas_metrics("dense", "semibold" if marked else "medium")
    wanted = max(metrics.horizontalAdvance(line) for line in lines) + 2 * INDENT + 4
    if face.mode is NodeMode.ENTROPY:
        wanted += 40
    if node.variable is not None:
        marks = bool(face.weights) + face.is_target
        wanted += marks * (MARK_SIZE + 2) + (8 if face.note else 0)
    width = min(max(wanted, NARROWEST_NAME), WIDEST_NAME)
    return _even(width), NAME_HEIGHT + LINE * (len(lines) - 1)


def _number_column(face: NodeView) -> float:
    columns = {Scale.RELATION: WORD_COLUMN, Scale.POSSIBILITY: DEGREES_COLUMN}
    return columns.get(face.scale, NUMBER_COLUMN)


def _even(width: float) -> float:
    return 2.0 * round(width / 2)


class NodeGeometry:
    """The rows of one face in a box of this size."""

    def __init__(self, face: NodeView, size: Size) -> None:
        self.face = face
        self.width, self.height = size
        self.shown = face.shown_states() if face.shows_rows else ()
        metrics = canvas_metrics("caption")
        names = max((metrics.horizontalAdvance(face.states[i]) for i in self.shown), default=0.0)
        self.bar_left = INDENT + min(max(names + 8, 26.0), self.width * 0.42)
        self.bar_width = self.width - self.bar_left - _number_column(face)
        available = self.bar_left - INDENT - 5
        elide = Qt.TextElideMode.ElideMiddle
        self.names = tuple(metrics.elidedText(face.states[i], elide, available) for i in self.shown)

    @property
    def hidden(self) -> tuple[int, ...]:
        """States behind the row “n more”."""
        if not self.face.shows_rows:
            return ()
        return tuple(i for i in range(len(self.face.states)) if i not in self.shown)

    @property
    def rows(self) -> QRectF:
        """Everything below the head, inside the outline."""
        return QRectF(3, HEAD + 2, self.width - 6, self.height - HEAD - 5)

    @property
    def bars(self) -> QRectF:
        """The column of the bars, with all that reaches beyond their ends."""
        high = ROW * len(self.shown)
        return QRectF(self.bar_left - 3, ROWS_TOP, self.bar_width + 6, high)

    def row(self, position: int) -> QRectF:
        return QRectF(0, ROWS_TOP + ROW * position, self.width, ROW)

    def bar(self, position: int) -> QRectF:
        middle = ROWS_TOP + ROW * (position + 0.5)
        return QRectF(self.bar_left, middle - BAR_HEIGHT / 2, self.bar_width, BAR_HEIGHT)

    def handle(self, position: int) -> QRectF:
        """The grip of a likelihood."""
        bar = self.bar(position)
        x = bar.left() + bar.width() * self.face.weights[self.shown[position]]
        return QRectF(x - 2, bar.center().y() - 6.5, 4, 13)

    def state_at(self, point: QPointF) -> int | None:
        """The index of the state whose row holds the point."""
        position = int((point.y() - ROWS_TOP) // ROW)
        if not (0 <= point.x() <= self.width and 0 <= position < len(self.shown)):
            return None
        return self.shown[position]

    def is_on_bar(self, point: QPointF) -> bool:
        """Whether dragging from the point sets a likelihood; a little beyond the bar's ends too."""
        return self.bar_left - 3 <= point.x() <= self.bar_left + self.bar_width + 4

    def fraction_at(self, x: float) -> float:
        """The fraction along the bar, 0 to 1."""
        return min(1.0, max(0.0, (x - self.bar_left) / self.bar_width))


# Names keep about this height on screen while the boxes around them shrink.
IN_BOX_OF_BARS, MIN_IN_BOX_OF_BARS = 10.5, 7.0
IN_BOX_OF_ITS_OWN, MIN_PART = 9.5, 0.85
INSET, MAX_WIDER = 3.0, 7.0
_LINE_HEIGHT = 1.15  # of a line of text, in font sizes
MIN_BAR = 2.0  # pixels on screen; thinner bars are left out


def name_rect(box: QRectF) -> QRectF:
    """The rectangle of the name in a box."""
    return box.adjusted(INSET, 1, -INSET, -1)


def name_pixels(face: NodeView, box: QRectF, zoom: float) -> int:
    """The font size of the name in scene px, in a box that holds nothing else."""
    rect = name_rect(box)
    most = min(IN_BOX_OF_ITS_OWN / zoom, rect.height() * NAME_PART_OF_BOX)
    title = canvas_metrics("dense", "medium").horizontalAdvance(shown_name(face))
    wide = rect.width() + 2 * MAX_WIDER
    return int(max(min(most, 12 * wide / max(title, 1.0)), most * MIN_PART))


@dataclass(frozen=True, slots=True)
class SmallFace:
    """A box with bars that is too small for its rows: the name in one or two lines, and thin bars
    below it where there is space."""

    lines: tuple[str, ...]
    pixels: int
    name: QRectF
    bars: tuple[QRectF, ...]


@lru_cache(maxsize=4096)
def small_face(title: str, size: Size, count: int, zoom: float) -> SmallFace:
    """The name at the largest size at which it is whole, then `count` bars."""
    rect = name_rect(QRectF(0, 0, *size))
    lines, pixels = _largest_name(title, rect, zoom)
    text_height = _LINE_HEIGHT * pixels * len(lines)
    free = rect.height() - text_height - 3
    bar = min(BAR_HEIGHT, free / max(count, 1) - 1.5)
    if count == 0 or bar * zoom < MIN_BAR:
        return SmallFace(lines, pixels, rect, ())
    top = rect.bottom() - count * (bar + 1.5) - 1
    tracks = tuple(
        QRectF(rect.left() + 4, top + number * (bar + 1.5), rect.width() - 8, bar)
        for number in range(count)
    )
    return SmallFace(
        lines, pixels, QRectF(rect.left(), rect.top(), rect.width(), top - rect.top()), tracks
    )


def _largest_name(title: str, rect: QRectF, zoom: float) -> tuple[tuple[str, ...], int]:
    """The lines of the name and their font size; shortened where even the smallest is too wide."""
    largest = int(min(IN_BOX_OF_BARS / zoom, rect.height() * NAME_PART_OF_BOX))
    least = min(largest, math.ceil(MIN_IN_BOX_OF_BARS / zoom))
    for pixels in range(largest, least - 1, -1):
        metrics = metrics_of_height(pixels)
        lines = _lines(title, metrics, rect.width(), in_words=pixels == least)
        fits = all(metrics.horizontalAdvance(line) <= rect.width() for line in lines)
        if fits and _LINE_HEIGHT * pixels * len(lines) <= rect.height():
            return lines, pixels
    metrics = metrics_of_height(least)
    lines = _lines(title, metrics, rect.width(), in_words=True)
    if _LINE_HEIGHT * least * len(lines) > rect.height():
        lines = (title,)
    middle = Qt.TextElideMode.ElideMiddle
    return tuple(metrics.elidedText(line, middle, rect.width()) for line in lines), least


def _lines(title: str, metrics: QFontMetricsF, width: float, *, in_words: bool) -> tuple[str, ...]:
    """One line, or two where it does not fit."""
    return (
        (title,) if metrics.horizontalAdvance(title) <= width else halves(title, in_words=in_words)
    )


def named_box(face: NodeView, box: QRectF, pixels: int) -> QRectF:
    """The box of a name, widened if the name needs it, at most to the gap between nodes."""
    needed = metrics_of_height(pixels).horizontalAdvance(shown_name(face)) + 2 * INSET + 1
    more = min(MAX_WIDER, max(0.0, (needed - box.width()) / 2))
    return box.adjusted(-more, 0, more, 0)


def shown_name(face: NodeView) -> str:
    """The title in one line."""
    return face.title.replace("\n", " ")
