"""The part of a chart of SL-curves that is shown: marks far below and a distant ceiling are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.experiments.curve_chart import Chart, CurveMarks

# Fewer marks than FEW are all visible. Of more, those below FLOOR_FACTOR times the way from the top
# to where but FAR_FRACTION of them lie are not, when the lowest is FAR times as far down as that.
FEW, FAR_FRACTION, FLOOR_FACTOR, FAR = 8, 0.1, 1.5, 2.0
_MIN_TALL, _NEAR = 0.05, 0.25  # bits per row
Across = Callable[[Floats], Floats]


class Bounds(NamedTuple):
    """A rectangle of the plot, from its left end and its lowest height."""

    left: float
    low: float
    width: float
    height: float


@dataclass(frozen=True)
class Extent:
    """`below` marks lie under the part in sight; `ceiling` is −H where it is near enough.

    `nowhere` counts the models that rule out rows, at which lines are broken.
    """

    below: int = 0
    ceiling: float | None = None
    bounds: Bounds | None = None
    nowhere: int = 0


def extent_of(
    chart: Chart,
    mode: str,
    across: Across,
    *,
    is_log: bool,
    shows_all: bool = False,
    ceiling: float | None = None,
    truth: tuple[float, float] | None = None,
) -> Extent:
    """Of the marks of `mode`: test, training or both."""
    lines = [(across(curve.sizes), _heights(curve, mode)) for curve in chart.curves]
    xs = np.concatenate([np.repeat(x[None], len(ys), axis=0).ravel() for x, ys in lines] or [_NONE])
    ys = np.concatenate([ys.ravel() for _, ys in lines] or [_NONE])
    known = np.isfinite(ys)
    xs, ys = xs[known], ys[known]
    nowhere = sum(int((~np.isfinite(heights)).any(axis=0).sum()) for _, heights in lines)
    if not len(ys):
        return Extent(nowhere=nowhere)
    floor = -np.inf if shows_all else _floor(ys)
    below = sum(int((ys < floor).any(axis=0).sum()) for _, ys in lines)
    seen = ys >= floor
    xs, ys = xs[seen], ys[seen]
    left, right = float(xs.min()), float(xs.max())
    low, high = float(ys.min()), float(ys.max())
    near = None if mode == "test" else _near(ceiling, low, high)
    if near is not None:
        high = max(high, near)
    if truth is not None:
        at = float(across(np.array([truth[0]]))[0])
        left, right = min(left, at), max(right, at)
        low, high = min(low, truth[1]), max(high, truth[1])
    wide = max(right - left, 0.3 if is_log else 10.0)
    tall = max(high - low, _MIN_TALL)
    bounds = Bounds(left - 0.07 * wide, low - 0.08 * tall, 1.14 * wide, 1.2 * tall)
    return Extent(below, near, bounds, nowhere)


_NONE: Floats = np.empty(0)


def _heights(curve: CurveMarks, mode: str) -> Floats:
    """A row for the test rows, one for the training rows."""
    rows = [curve.test] if mode != "training" else []
    return np.array(rows + ([curve.train] if mode != "test" else []))


def _floor(heights: Floats) -> float:
    """Lower limit of the y range: a few marks far below would compress the others."""
    if len(heights) < FEW:
        return -np.inf
    top, most = float(heights.max()), float(np.quantile(heights, FAR_FRACTION))
    height = max(FLOOR_FACTOR * (top - most), _MIN_TALL)
    return top - height if top - float(heights.min()) > FAR * height else -np.inf


def _near(ceiling: float | None, low: float, high: float) -> float | None:
    """The ceiling −H, or None when it would take more than a third of the y range."""
    if ceiling is None or ceiling - high > max((high - low) / 2, _NEAR):
        return None
    return ceiling
