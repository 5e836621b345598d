"""The chart of SL-curves, computed in the background: curves, front, labels and error bars."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.experiments.sl_curves.points import CurveArrays, CurvePoint, SizeName, curves_of
from pgmstudio.core.experiments.sl_curves.selection import (
    best_on_test,
    chosen_of,
    pareto_front,
    seed_bars,
)
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.markers import marker_family
from pgmstudio.core.number_format import grouped

CLEAR_FALL = 0.02  # test rows fall by so many bits per row before it is called overfitting
MarkIndex = tuple[int, int]
Behind = tuple[CurvePoint, ...]  # the models of one mark: several where seeds were run


def series_title(series: str) -> str:
    """The name of a curve; without one, that of its learner."""
    learner = all_learners().get(series)
    return series if learner is None else learner.title


def marker_family_of(point: CurvePoint) -> str:
    """The key of the marker of its language."""
    return marker_family(point.family, point.learner)


@dataclass(frozen=True, eq=False)
class CurveMarks:
    """One curve from small to large; `spread` is NaN where one seed alone was run.

    `family` is the key of the marker.
    """

    series: str
    title: str
    family: str
    sizes: Floats
    test: Floats
    train: Floats
    spread: Floats
    behind: tuple[Behind, ...]
    labels: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Chart:
    """All that is drawn of the points; those of hidden curves are left out.

    `counts` are the family and the number of points of every curve, also of a hidden one.
    """

    curves: tuple[CurveMarks, ...] = ()
    points: tuple[CurvePoint, ...] = ()
    front: tuple[CurvePoint, ...] = ()
    best: CurvePoint | None = None
    arrays: CurveArrays = field(default_factory=lambda: CurveArrays.of(()))
    size: SizeName = "effective_size"
    index_by_key: Mapping[str, MarkIndex] = field(default_factory=dict)
    counts: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def marks(self) -> int:
        return sum(len(curve.sizes) for curve in self.curves)


def chart_of(
    points: Sequence[CurvePoint], size: SizeName = "effective_size", hidden: Collection[str] = ()
) -> Chart:
    """The chart of the points whose curves are not hidden."""
    shown = tuple(point for point in points if point.series not in hidden)
    counts = {name: (marker_family_of(own[0]), len(own)) for name, own in curves_of(points).items()}
    curves = tuple(_marks(name, own, size) for name, own in curves_of(shown).items())
    front, arrays = tuple(pareto_front(shown, size)), CurveArrays.of(shown, size)
    behind = [curve.behind for curve in curves]
    best, indices = best_on_test(shown), mark_indices(behind)
    return Chart(curves, shown, front, best, arrays, size, indices, counts)


def mark_indices(curves: Sequence[Sequence[Behind]]) -> dict[str, MarkIndex]:
    """Of every model the number of its curve and of its mark there."""
    return {
        point.key: (number, index)
        for number, marks in enumerate(curves)
        for index, group in enumerate(marks)
        for point in group
    }


def _marks(name: str, points: Sequence[CurvePoint], size: SizeName) -> CurveMarks:
    several = len({point.seed for point in points}) > 1
    bars = [b for b in seed_bars(points, size) if math.isfinite(b.test_bits)] if several else []
    barred = {id(point) for bar in bars for point in bar.points}
    rows: list[tuple[float, float, float, float, Behind]] = [
        (bar.size, bar.test_bits, bar.train_bits, bar.test_spread, bar.points) for bar in bars
    ]
    for point in points:
        if id(point) not in barred:
            bits = point.test_log2_likelihood_per_row, point.train_log2_likelihood_per_row
            rows.append((float(getattr(point, size)), *bits, math.nan, (point,)))
    rows.sort(key=lambda mark: mark[:2])
    numbers = np.array([mark[:4] for mark in rows], dtype=float).reshape(-1, 4)
    numbers[np.isinf(numbers)] = np.nan  # a model that rules out rows has no position on the plot
    behind = tuple(mark[4] for mark in rows)
    sizes, test, train, spread = (numbers[:, index].copy() for index in range(4))
    labels, family = _labels(points, behind), marker_family_of(points[0])
    title = series_title(name)
    return CurveMarks(name, title, family, sizes, test, train, spread, behind, labels)


def _labels(points: Sequence[CurvePoint], behind: Sequence[Behind]) -> dict[int, str]:
    chosen = chosen_of(points)
    if chosen is None:
        return {}
    texts: dict[int, str] = {}
    for mark, point in (("BIC", chosen.bic), ("AIC", chosen.aic)):
        for index, group in enumerate(behind):
            if any(one is point for one in group):
                texts[index] = f"{texts[index]} {mark}" if index in texts else mark
    return texts


def best_of(behind: Behind) -> CurvePoint:
    """The model that a click on a mark opens: the one with most bits on the test rows."""
    return max(behind, key=lambda point: point.test_log2_likelihood_per_row)


def point_title(point: CurvePoint) -> str:
    """`LDAG, λ = 0.12`; where nothing was swept, the first setting."""
    name = series_title(point.series)
    if point.lambda_ is not None:
        return f"{name}, λ = {point.lambda_:.3g}"
    for option in ("components", "kappa", "alpha"):
        if option in point.parameters:
            value = point.parameters[option]
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            word = {"kappa": "κ =", "alpha": "α ="}.get(option, option)
            return (
                f"{name}, {shown} {word}" if option == "components" else f"{name}, {word} {shown}"
            )
    return f"{name}, size {point.effective_size}"


def overfitting(curve: CurveMarks) -> str | None:
    """Warning that training rises while test falls behind the best of a curve (Def. 4.1)."""
    known = np.isfinite(curve.test) & np.isfinite(curve.train)
    if known.sum() < 3:
        return None
    sizes, test, train = curve.sizes[known], curve.test[known], curve.train[known]
    top = int(np.argmax(test))
    later = (train[top + 1 :] > train[top]) & (test[top + 1 :] < test[top] - CLEAR_FALL)
    if not later.any():
        return None
    at = grouped(round(float(sizes[top])))
    return f"{curve.title} overfits: from size {at} on, training rises while test falls."


# The part of a chart of SL-curves that is shown: marks far below and a distant ceiling are not.

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
