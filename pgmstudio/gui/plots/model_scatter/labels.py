"""Placement of short labels near the markers and lines of a plot, without overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.arrays import Floats
from pgmstudio.gui.plots.items import Frame
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.debounce import one_shot

# Above, below and next to a mark; then diagonal, which is further from it.
_SIDES = ((0, -1), (0, 1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1))
_APART = 11.0  # px from the middle of a mark
_FURTHER = 1.8
_BETWEEN = 4.0  # px from a word to the next
_CELL = 4.0  # px of the grid on which marks are counted
_LATER_MS = 25  # the marks are drawn first, and the window breathes between
_SEAM = 3.0  # px around text


@dataclass(frozen=True, slots=True)
class MarkLabel:
    """Short text near a position in data coordinates.

    `place`: around a mark, preferably right of it, or above an end of a horizontal line.
    """

    x: float
    y: float
    text: str
    ink: QColor
    placement: Literal["around", "right", "line"] = "around"

    @property
    def font(self) -> QFont:
        look = theme()
        return look.font("caption") if self.placement == "line" else look.font("micro", "semibold")


class _Crowd:
    """Number of marks in a rectangle, from cumulative sums over a grid."""

    def __init__(self, xs: Floats, ys: Floats, area: QRectF) -> None:
        shape = (int(area.height() / _CELL) + 1, int(area.width() / _CELL) + 1)
        self._corner = area.topLeft()
        rows = np.floor((ys - area.top()) / _CELL)
        columns = np.floor((xs - area.left()) / _CELL)
        is_in = (rows >= 0) & (rows < shape[0]) & (columns >= 0) & (columns < shape[1])
        cells = rows[is_in].astype(np.int64) * shape[1] + columns[is_in].astype(np.int64)
        counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
        self._sums = np.zeros((shape[0] + 1, shape[1] + 1), dtype=np.int64)
        self._sums[1:, 1:] = counts.cumsum(axis=0).cumsum(axis=1)

    def within(self, rect: QRectF) -> int:
        top, bottom = (self._cell(y, self._corner.y(), 0) for y in (rect.top(), rect.bottom()))
        left, right = (self._cell(x, self._corner.x(), 1) for x in (rect.left(), rect.right()))
        sums = self._sums
        inside = sums[bottom + 1, right + 1] - sums[top, right + 1]
        return int(inside - sums[bottom + 1, left] + sums[top, left])

    def _cell(self, at: float, begin: float, axis: int) -> int:
        return min(max(int((at - begin) / _CELL), 0), self._sums.shape[axis] - 2)


class LabelLayer(QGraphicsObject):
    """Layer of labels, placed where they cover the fewest marks and lines, or left out.

    Not pyqtgraph's TextItem: it can fill the box around a text, but not outline its letters.
    """

    arranged = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setZValue(38)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.frame = Frame()
        self._labels: tuple[MarkLabel, ...] = ()
        self._xs: Floats = np.empty(0)
        self._ys: Floats = np.empty(0)
        self._clear: list[QRectF] = []
        self._arranged: list[tuple[QRectF, MarkLabel, QPainterPath]] = []
        self._later = one_shot(self, self._arrange, _LATER_MS)

    def show_labels(self, labels: Sequence[MarkLabel], xs: Floats, ys: Floats) -> None:
        """Place these labels in their order; `xs` and `ys` should stay uncovered."""
        self._labels, self._xs, self._ys = tuple(labels), xs, ys
        self._arrange_later()

    def keep_clear(self, areas: list[QRectF]) -> None:
        """Place no label in these areas: something covers them."""
        if areas != self._clear:
            self._clear = areas
            self._arrange_later()

    def set_frame(self, frame: Frame) -> None:
        """Show another visible range."""
        if frame != self.frame:
            self.prepareGeometryChange()
            self.frame = frame
            self._arrange()  # at once: labels must move with their marks

    def _arrange_later(self) -> None:
        if not self._later.isActive():
            self._later.start()

    def arrange_now(self) -> None:
        """Place pending labels; not while the scene is painted, since it moves items."""
        if self._later.isActive():
            self._arrange()

    def _arrange(self) -> None:
        self._later.stop()
        area = self.frame.area
        crowd = _Crowd(self.frame.across(self._xs), self.frame.down(self._ys), area)
        self._arranged = []
        for one in self._labels:
            taken = self._clear + [
                area.adjusted(-_BETWEEN, 0, _BETWEEN, 0) for area in self.label_rects
            ]
            rects = [
                rect
                for rect in self._candidates(one)
                if area.contains(rect) and not any(rect.intersects(other) for other in taken)
            ]
            if rects:
                rect = rects[0] if one.placement == "line" else min(rects, key=crowd.within)
                path, rise = QPainterPath(), QFontMetricsF(one.font).ascent()
                path.addText(rect.topLeft() + QPointF(0, rise), one.font, one.text)
                self._arranged.append((rect, one, path))
        self.update()
        self.arranged.emit()

    def _candidates(self, one: MarkLabel) -> list[QRectF]:
        """Rectangles where a label may be, the best first."""
        size, area = QFontMetricsF(one.font).size(0, one.text), self.frame.area
        x = float(self.frame.across(np.array([one.x]))[0])
        y = float(self.frame.down(np.array([one.y]))[0])
        if one.placement == "line":
            lefts = area.right() - 6 - size.width(), area.left() + 6
            return [QRectF(QPointF(left, y - 2 - size.height()), size) for left in lefts]
        is_right = one.placement == "right"
        sides = sorted(_SIDES, key=lambda side: side != (1, 0)) if is_right else _SIDES
        rects = []
        for apart in (_APART, _FURTHER * _APART):
            for across, down in sides:
                rect = QRectF(QPointF(0, 0), size)
                middle_x = x + across * (apart + size.width() / 2)
                rect.moveCenter(QPointF(middle_x, y + down * (apart + size.height() / 2)))
                rects.append(rect)
        return rects

    @property
    def label_rects(self) -> list[QRectF]:
        """Rectangles of the labels, in px of the scene."""
        return [rect for rect, _, _ in self._arranged]

    @property
    def shown(self) -> list[str]:
        self.arrange_now()
        return [one.text for _, one, _ in self._arranged]

    def boundingRect(self) -> QRectF:
        return self.frame.area

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        seam = QPen(theme().color("surface", 0.85), _SEAM)  # separates a text from lines below
        seam.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        for _, one, path in self._arranged:
            painter.strokePath(path, seam)
            painter.fillPath(path, one.ink)
