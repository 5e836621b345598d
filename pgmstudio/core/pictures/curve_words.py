"""Where short words stand on a plot in a file: clear of lines, marks and each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.pictures.picture import Point

# Above, below and beside a mark; then askew, which is further from it.
_SIDES = ((0, -1), (0, 1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1))
_APART = (9.0, 16.0, 24.0)  # px from the middle of a mark
_BETWEEN = 4.0  # px from a word to the next
_STEP = 3.0  # px between the places that stand for a line


class Box(NamedTuple):
    """What words take, in px."""

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
    """What is drawn already: places along lines, boxes of marks and of words."""

    def __init__(self, room: Box) -> None:
        self._room = room
        self._places: list[NDArray[np.float64]] = [np.empty((0, 2))]
        self._marks: list[Box] = []
        self._words: list[Box] = []

    def add_line(self, corners: Sequence[Point]) -> None:
        for one, other in pairwise(corners):
            ends = np.array([one, other])
            count = int(np.hypot(*(ends[1] - ends[0])) / _STEP) + 2
            self._places.append(np.linspace(ends[0], ends[1], count))

    def add_mark(self, at: Point, radius: float) -> None:
        self._marks.append(Box.around(at, 2 * radius, 2 * radius))

    def beside(self, mark: Point, width: float, height: float) -> Box:
        """The best place for words beside a mark; it is taken from now on."""
        boxes = [
            Box.around(
                (
                    mark[0] + across * (apart + width / 2),
                    mark[1] + down * (apart + height / 2),
                ),
                width,
                height,
            )
            for apart in _APART
            for across, down in _SIDES
        ]
        return self.take(boxes)

    def take(self, boxes: Sequence[Box]) -> Box:
        """The first of those that cover least; it is taken from now on."""
        places = np.concatenate(self._places)

        def covered(box: Box) -> tuple[int, int, int]:
            """The worst first: other words, then marks, then lines."""
            words = sum(box.meets(other, _BETWEEN) for other in self._words)
            marks = sum(box.meets(other) for other in self._marks)
            inside = (places[:, 0] > box.left) & (places[:, 0] < box.right)
            inside &= (places[:, 1] > box.top) & (places[:, 1] < box.bottom)
            return words, marks, int(inside.sum())

        found = min([box for box in boxes if box.is_in(self._room)] or boxes[:1], key=covered)
        self._words.append(found)
        return found
