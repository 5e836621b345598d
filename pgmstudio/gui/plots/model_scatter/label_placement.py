"""Placement of short labels near the markers of a plot, without overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from pgmstudio.gui.plots.model_scatter.layers import Frame, Layer, draw_label
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.debounce import one_shot

Floats = NDArray[np.float64]

# Above, below and next to a mark; then diagonal, which is further from it.
_SIDES = ((0, -1), (0, 1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1))
_APART = 11.0  # px from the middle of a mark
_FURTHER = 1.8
_BETWEEN = 4.0  # px from a word to the next
_CELL = 4.0  # px of the grid on which marks are counted
_LATER_MS = 25  # the marks are drawn first, and the window breathes between


@dataclass(frozen=True, slots=True)
class MarkLabel:
    """Short text next to a mark at data coordinates; a name is preferably right of it."""

    x: float
    y: float
    text: str
    ink: QColor
    is_name: bool = False


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


class LabelLayer(Layer):
    """Layer of labels, placed where they cover the fewest marks and lines, or left out."""

    arranged = Signal()

    def __init__(self) -> None:
        super().__init__(38)
        self._labels: tuple[MarkLabel, ...] = ()
        self._xs: Floats = np.empty(0)
        self._ys: Floats = np.empty(0)
        self._clear: list[QRectF] = []
        self._arranged: list[tuple[QRectF, MarkLabel]] = []
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
        """Where they go in the part in sight."""
        if frame != self.frame:
            super().set_frame(frame)
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
        crowd = _Crowd(*self._px(self._xs, self._ys), area)
        self._arranged = []
        metrics = QFontMetricsF(theme().font("micro", "semibold"))
        for one in self._labels:
            taken = self._clear + [
                area.adjusted(-_BETWEEN, 0, _BETWEEN, 0) for area in self.label_rects
            ]
            rects = [
                rect
                for rect in _around(one, self.at(one.x, one.y), metrics)
                if area.contains(rect) and not any(rect.intersects(other) for other in taken)
            ]
            if rects:
                self._arranged.append((min(rects, key=crowd.within), one))
        self.changed()
        self.arranged.emit()

    @property
    def label_rects(self) -> list[QRectF]:
        """Rectangles of the labels, in px of the scene."""
        return [rect for rect, _ in self._arranged]

    @property
    def shown(self) -> list[str]:
        self.arrange_now()
        return [one.text for _, one in self._arranged]

    def draw(self, painter: QPainter, _on_screen: bool) -> None:
        font = theme().font("micro", "semibold")
        rise = QFontMetricsF(font).ascent()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for rect, one in self._arranged:
            draw_label(painter, rect.topLeft() + QPointF(0, rise), one.text, font, one.ink)


def _around(one: MarkLabel, at: QPointF, metrics: QFontMetricsF) -> list[QRectF]:
    """Candidate rectangles of a label, the best first."""
    size = metrics.size(0, one.text)
    sides = sorted(_SIDES, key=lambda side: side != (1, 0)) if one.is_name else _SIDES
    rects = []
    for apart in (_APART, _FURTHER * _APART):
        for across, down in sides:
            rect = QRectF(QPointF(0, 0), size)
            rect.moveCenter(
                QPointF(
                    at.x() + across * (apart + size.width() / 2),
                    at.y() + down * (apart + size.height() / 2),
                )
            )
            rects.append(rect)
    return rects
