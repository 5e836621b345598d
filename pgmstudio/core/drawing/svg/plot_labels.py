"""Markers and labels of plots; labels avoid the lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.drawing.diagram import Point
from pgmstudio.core.drawing.markers import corners_of
from pgmstudio.core.drawing.svg.elements import element, path, rect


def draw_marker(symbol: str, at: Point, radius: float, **attributes: Any) -> str:
    """One mark by its symbol: circle, square, diamond, triangle, hexagon, star."""
    x, y = at
    if symbol == "o":
        return element("circle", cx=x, cy=y, r=radius, **attributes)
    if symbol == "s":
        return rect(x - radius, y - radius, 2 * radius, 2 * radius, **attributes)
    if symbol == "+":
        arms = ("M", (x - radius, y), "L", (x + radius, y), "M", (x, y - radius))
        return path(*arms, "L", (x, y + radius), **attributes)
    steps: list[str | Point] = []
    for right, down in corners_of(symbol, radius * (1.0 if symbol == "h" else 1.25)):
        steps += ["L" if steps else "M", (x + right, y + down)]
    return path(*steps, "Z", **attributes)


# Above, below, left and right of a mark; then diagonal, which is further from it.
_SIDES = ((0, -1), (0, 1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1))
_APART = (9.0, 16.0, 24.0)  # px from the middle of a mark
_BETWEEN = 4.0  # px from a word to the next
_STEP = 3.0  # px between the sample points of a line


class Box(NamedTuple):
    """The rectangle of a label or mark, in px."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, middle: Point, width: float, height: float) -> Box:
        x, y = middle
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    @property
    def middle(self) -> Point:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def meets(self, other: Box, apart: float = 0.0) -> bool:
        across = self.left < other.right + apart and other.left < self.right + apart
        return across and self.top < other.bottom and other.top < self.bottom

    def is_in(self, other: Box) -> bool:
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.bottom <= other.bottom


class Crowd:
    """Occupied areas of a plot: sample points of lines, boxes of marks and of labels."""

    def __init__(self, bounds: Box) -> None:
        self._bounds = bounds
        self._points: list[NDArray[np.float64]] = [np.empty((0, 2))]
        self._marks: list[Box] = []
        self._words: list[Box] = []

    def add_line(self, corners: Sequence[Point]) -> None:
        for one, other in pairwise(corners):
            ends = np.array([one, other])
            count = int(np.hypot(*(ends[1] - ends[0])) / _STEP) + 2
            self._points.append(np.linspace(ends[0], ends[1], count))

    def add_mark(self, at: Point, radius: float) -> None:
        self._marks.append(Box.around(at, 2 * radius, 2 * radius))

    def place_label(self, mark: Point, width: float, height: float) -> Box:
        """The best free box for a label next to a mark; it is occupied from now on."""
        boxes = [
            Box.around(
                (mark[0] + across * (apart + width / 2), mark[1] + down * (apart + height / 2)),
                width,
                height,
            )
            for apart in _APART
            for across, down in _SIDES
        ]
        return self.take(boxes)

    def take(self, boxes: Sequence[Box]) -> Box:
        """The first of those that cover least; it is taken from now on."""
        positions = np.concatenate(self._points)

        def covered(box: Box) -> tuple[int, int, int]:
            """Overlaps, the worst first: other labels, then marks, then lines."""
            label = sum(box.meets(other, _BETWEEN) for other in self._words)
            marks = sum(box.meets(other) for other in self._marks)
            inside = (positions[:, 0] > box.left) & (positions[:, 0] < box.right)
            inside &= (positions[:, 1] > box.top) & (positions[:, 1] < box.bottom)
            return label, marks, int(inside.sum())

        result = min([box for box in boxes if box.is_in(self._bounds)] or boxes[:1], key=covered)
        self._words.append(result)
        return result
