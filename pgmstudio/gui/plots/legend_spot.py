"""Where a legend hides least of a plot."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF

from pgmstudio.core.arrays import Floats

_SPOTS = 5  # each way, where a legend may stand between the corners
_APART = 6.0  # px from a mark


def count_in(marks: tuple[Floats, Floats], area: QRectF) -> int:
    """Number of marks in an area."""
    across, down = marks
    is_in = (across > area.left()) & (across < area.right())
    return int((is_in & (down > area.top()) & (down < area.bottom())).sum())


def free_spot(marks: tuple[Floats, Floats], box: QSizeF, area: QRectF) -> QPointF:
    """Upper left corner of the box, in the first corner of the area with the fewest marks or,
    where marks are in every corner, anywhere with fewer."""
    left, top = area.left(), area.top()
    right, bottom = area.right() - box.width(), area.bottom() - box.height()
    spots = [QPointF(left, top), QPointF(right, bottom), QPointF(right, top), QPointF(left, bottom)]

    def crowd(spot: QPointF) -> int:
        near = QRectF(spot, box).adjusted(-_APART, -_APART, _APART, _APART)
        return count_in(marks, near)

    best = min(spots, key=crowd)
    if crowd(best) and right > left and bottom > top:
        lines = np.linspace(bottom, top, _SPOTS).tolist()
        columns = np.linspace(right, left, _SPOTS).tolist()
        best = min([best, *(QPointF(x, y) for y in lines for x in columns)], key=crowd)
    return best
