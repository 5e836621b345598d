"""Which mark is next: along a line of a plot, or on the line above or below."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


def next_on_line(xs: Floats, ys: Floats, line_of: Numbers, at: int | None, step: int) -> int | None:
    """The mark so many steps to the right on the same line; the first of all without `at`."""
    usable = np.flatnonzero(np.isfinite(ys))
    if not len(usable):
        return None
    if at is None:
        return int(usable[0])
    own = usable[line_of[usable] == line_of[at]]
    own = own[np.argsort(xs[own], kind="stable")]
    found = np.flatnonzero(own == at)
    place = int(found[0]) + step if len(found) else 0
    return int(own[place]) if 0 <= place < len(own) else None


def nearest_beside(
    xs: Floats, ys: Floats, line_of: Numbers, at: int, up: bool, scale: tuple[float, float]
) -> int | None:
    """The nearest mark of another line that is higher, or lower; `scale` is the part in sight."""
    others = np.flatnonzero((line_of != line_of[at]) & np.isfinite(ys))
    above = ys[others] > ys[at]
    others = others[above if up else ~above]
    if not len(others):
        return None
    across, down = (xs[others] - xs[at]) / scale[0], (ys[others] - ys[at]) / scale[1]
    return int(others[np.argmin(np.hypot(3 * across, down))])
