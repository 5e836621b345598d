"""Cuts: where a column of numbers was cut, stored so that new rows get the same states.

Cutting a column of numbers into intervals: where the cut points go.

All methods see a column as its distinct values, ascending, with their weights; NaN and infinities
carry no information about where to cut. Every method is deterministic. A cut point found between
two neighbouring values is rounded to the fewest digits that still separate them, so that interval
names are short and the counts stay exact.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import DataError, ParameterError

_FEW_POINTS = 24  # so many comparisons of a whole column are faster than a search for each value

UNCUT = "any"  # the only state of a column with no cut

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_FIRST = re.compile(f"<({_NUMBER})")
_MIDDLE = re.compile(f"({_NUMBER})–({_NUMBER})")
_LAST = re.compile(f"≥({_NUMBER})")


def number_text(number: float) -> str:
    """The shortest text that reads back as `number`; whole numbers have no decimal point."""
    number = float(number)
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(number)


def labels_of(points: Sequence[float]) -> tuple[str, ...]:
    """Names of the intervals: `<240`, `240–265` (with 240, without 265), `≥265`."""
    if not points:
        return (UNCUT,)
    texts = [number_text(point) for point in points]
    middle = [f"{low}–{high}" for low, high in pairwise(texts)]
    return (f"<{texts[0]}", *middle, f"≥{texts[-1]}")


@dataclass(frozen=True, slots=True)
class Cuts:
    """The cut points of one column, ascending, and the name of each interval between them.

    A value equal to a cut point belongs above it. Values outside all that was seen go to the first
    or last interval.
    """

    column: str
    points: tuple[float, ...]
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        points = tuple(float(point) + 0.0 for point in self.points)  # + 0.0 turns -0.0 into 0.0
        object.__setattr__(self, "points", points)
        if not all(np.isfinite(points)):
            raise DataError(f"The bin edges of {self.column} must be finite numbers.")
        if any(low >= high for low, high in pairwise(points)):
            raise DataError(f"The bin edges of {self.column} must ascend, each once.")
        object.__setattr__(self, "labels", tuple(self.labels) or labels_of(points))
        if len(self.labels) != len(points) + 1:
            raise DataError(
                f"{len(points)} bin edges of {self.column} make {len(points) + 1} intervals, "
                f"but there are {len(self.labels)} names."
            )
        if len(set(self.labels)) != len(self.labels):
            raise DataError(f"Two intervals of {self.column} have the same name.")

    @property
    def variable(self) -> Variable:
        return Variable(self.column, self.labels, is_ordinal=True)

    def codes(self, values: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
        """The interval of each value; NaN becomes the missing code, the largest of the dtype."""
        values = np.asarray(values, dtype=np.float64)
        dtype: type[np.unsignedinteger[Any]] = np.uint8 if len(self.labels) <= 255 else np.uint16
        if len(self.points) <= _FEW_POINTS:
            codes = np.zeros(values.shape, dtype=dtype)
            for point in self.points:
                codes += values >= point
        else:
            codes = np.searchsorted(np.array(self.points), values, side="right").astype(dtype)
        codes[np.isnan(values)] = np.iinfo(dtype).max
        return codes


def cuts_from_labels(column: str, states: Sequence[str]) -> Cuts | None:
    """The cuts that give these interval names, or None when they are not such names.

    So a model alone determines the bins of new rows: its states carry the cut points.
    """
    if tuple(states) == (UNCUT,):
        return Cuts(column, ())
    first, last = _FIRST.fullmatch(states[0]), _LAST.fullmatch(states[-1])
    middle = [_MIDDLE.fullmatch(state) for state in states[1:-1]]
    if len(states) < 2 or first is None or last is None or None in middle:
        return None
    points = [float(first[1]), *(float(result[2]) for result in middle if result)]
    if tuple(states) != labels_of(points):
        return None
    if any(low >= high for low, high in pairwise(points)):
        return None
    return Cuts(column, tuple(points))


Points = tuple[float, ...]

GIVEN = "cuts"  # the method of given cut points

# The exact k-means programme is quadratic in this many groups of neighbouring values.
_K_MEANS_GROUPS = 1024
_LLOYD_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Discretisation:
    """How to cut one column: a method with its number of bins, or given cut points.

    `target` is the column whose states the method "mdl" separates.
    """

    method: str = "frequency"
    bins: int = 5
    points: Points = ()
    target: str | None = None

    def __post_init__(self) -> None:
        problems = {}
        if self.method not in (*METHODS, GIVEN):
            problems["binning"] = f"{self.method!r} is not one of {', '.join((*METHODS, GIVEN))}"
        if not 1 <= self.bins <= 1000:
            problems["bins"] = "must be between 1 and 1000"
        if self.method == "mdl" and self.target is None:
            problems["target"] = "mdl needs a target column"
        if problems:
            raise ParameterError(problems)
        object.__setattr__(self, "points", tuple(self.points))


@dataclass(frozen=True, eq=False)
class SortedColumn:
    """Distinct finite values, ascending, their weights, and per value the weight of each class."""

    values: Floats
    weights: Floats
    classes: Floats  # values × classes; no columns when there is no target


def cuts_for(
    column: str,
    values: NDArray[Any],
    how: Discretisation,
    *,
    weights: Floats | None = None,
    target: NDArray[Any] | None = None,
    classes: int = 0,
) -> Cuts:
    """Cut `values` by the given method; `target` has a class per row, missing unless it is in 0 …
    classes-1."""
    if how.method == GIVEN:
        return Cuts(column, tuple(sorted(set(how.points))))
    if how.method == "mdl" and target is None:
        raise DataError(f"Cutting {column} by mdl needs a target column with states.")
    points = METHODS[how.method](sorted_column(values, weights, target, classes), how.bins)
    return Cuts(column, points)


def sorted_column(
    values: NDArray[Any],
    weights: Floats | None,
    target: NDArray[Any] | None = None,
    classes: int = 0,
) -> SortedColumn:
    values = np.asarray(values, dtype=np.float64)
    usable = np.isfinite(values)
    if target is not None:
        usable &= np.asarray(target) < classes
    if weights is not None:
        usable &= weights > 0
        weights = weights[usable]
    if target is None and weights is None:  # a plain sort, much the fastest
        distinct, whole = np.unique(values[usable] + 0.0, return_counts=True)
        return SortedColumn(distinct, whole.astype(np.float64), np.zeros((distinct.size, 0)))
    distinct, inverse = np.unique(values[usable] + 0.0, return_inverse=True)
    counts = np.bincount(inverse, weights=weights, minlength=distinct.size).astype(np.float64)
    if target is None:
        return SortedColumn(distinct, counts, np.zeros((distinct.size, 0)))
    cells = inverse * classes + np.asarray(target)[usable].astype(np.intp)
    table = np.bincount(cells, weights=weights, minlength=distinct.size * classes)
    return SortedColumn(distinct, counts, table.reshape(distinct.size, classes).astype(np.float64))


def _between(low: float, high: float, near: float | None = None) -> float:
    """The shortest number above `low`, not above `high`, next to `near` (else the middle)."""
    if near is None:
        near = low / 2 + high / 2
    for digits in range(1, 17):
        rounded = [float(f"{number:.{digits}g}") for number in (near, high)]
        fitting = [number for number in rounded if low < number <= high]
        if fitting:
            return next(filter(float.is_integer, fitting), fitting[0])
    return near if low < near <= high else high


def _after(data: SortedColumn, indices: Sequence[int]) -> Points:
    """Cut points just after the values at these indices."""
    return tuple(_between(float(data.values[p]), float(data.values[p + 1])) for p in indices)


def equal_width(data: SortedColumn, bins: int) -> Points:
    """low + i (high - low) / bins, rounded by less than a twentieth if no value changes sides."""
    if data.values.size < 2:
        return ()
    low, high = float(data.values[0]), float(data.values[-1])
    slack = (high / bins - low / bins) / 20
    points: list[float] = []
    for i in range(1, bins):
        exact = low * (1 - i / bins) + high * (i / bins)
        index = int(np.searchsorted(data.values, exact, side="left"))
        index = min(max(index, 1), data.values.size - 1)
        below, above = float(data.values[index - 1]), float(data.values[index])
        point = _between(max(below, exact - slack), min(above, exact + slack), exact)
        if low < point <= high and (not points or point > points[-1]):
            points.append(point)
    return tuple(points)


def equal_frequency(data: SortedColumn, bins: int) -> Points:
    """Cuts whose fractions of the weight are nearest to i / bins; equal values stay together."""
    if data.values.size < 2:
        return ()
    reached = np.cumsum(data.weights)[:-1]  # the last value has no cut after it
    wanted = data.weights.sum() * np.arange(1, bins) / bins
    right = np.clip(np.searchsorted(reached, wanted), 0, reached.size - 1)
    left = np.maximum(right - 1, 0)
    nearer_left = wanted - reached[left] < reached[right] - wanted
    indices = np.unique(np.where(nearer_left, left, right))
    return _after(data, indices.tolist())


def quantiles(data: SortedColumn, bins: int) -> Points:
    """Cuts just below the quantiles i / bins, so that a value equal to one belongs above it."""
    if data.values.size < 2:
        return ()
    reached = np.cumsum(data.weights)
    wanted = reached[-1] * np.arange(1, bins) / bins
    indices = np.unique(np.searchsorted(reached, wanted))
    return _after(data, (indices[indices > 0] - 1).tolist())


def k_means(data: SortedColumn, bins: int) -> Points:
    """Cuts between the clusters of least summed squared distance to their means.

    Exact up to 1 024 distinct values, by the dynamic programme of Wang and Song (2011, R Journal
    3/2); with more, exact on as many groups of neighbours and then improved by Lloyd's steps.
    """
    if data.values.size <= bins:
        return _after(data, range(data.values.size - 1))
    # Centred and scaled, so that prefix sums of squares lose no digits.
    middle, spread = data.values[data.values.size // 2], np.ptp(data.values / 2)
    values = (data.values / 2 - middle / 2) / (spread or 1.0)
    total, first, second = (
        np.concatenate(([0.0], np.cumsum(data.weights * values**power))) for power in (0, 1, 2)
    )
    ends = np.arange(values.size + 1)
    if values.size > _K_MEANS_GROUPS:
        steps = np.linspace(0, total[-1], _K_MEANS_GROUPS + 1)
        ends = np.unique(np.concatenate(([0], np.searchsorted(total, steps[1:]))))
        ends[-1] = values.size
    starts = _best_starts(total[ends], first[ends], second[ends], bins)
    indices = _lloyd(values, total, first, ends[starts])
    return _after(data, [int(index) - 1 for index in indices])


def _best_starts(total: Floats, first: Floats, second: Floats, bins: int) -> NDArray[np.intp]:
    """Where clusters 2, 3, … start at best, from prefix sums of weight, w·x and w·x²."""
    n = total.size - 1
    bins = min(bins, n)
    cost = np.full((n + 1, n + 1), np.inf)  # of one cluster over groups i … j-1
    for i in range(n):
        weight = total[i + 1 :] - total[i]
        cost[i, i + 1 :] = second[i + 1 :] - second[i] - (first[i + 1 :] - first[i]) ** 2 / weight
    best = cost[0].copy()
    choice = np.zeros((bins, n + 1), dtype=np.intp)
    for k in range(1, bins):
        table = best[:, None] + cost
        choice[k] = np.argmin(table, axis=0)
        best = table[choice[k], np.arange(n + 1)]
    starts, end = [], n
    for k in range(bins - 1, 0, -1):
        end = int(choice[k, end])
        starts.append(end)
    return np.array(starts[::-1], dtype=np.intp)


def _lloyd(
    values: Floats, total: Floats, first: Floats, starts: NDArray[np.intp]
) -> NDArray[np.intp]:
    for _ in range(_LLOYD_ROUNDS):
        ends = np.concatenate(([0], starts, [values.size]))
        means = np.diff(first[ends]) / np.diff(total[ends])
        moved = np.searchsorted(values, (means[1:] + means[:-1]) / 2)
        moved = np.unique(np.clip(moved, 1, values.size - 1))
        if moved.size != starts.size or np.array_equal(moved, starts):
            break
        starts = moved
    return starts


def nice(data: SortedColumn, bins: int) -> Points:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten, with a number of bins nearest to `bins`."""
    if data.values.size < 2 or bins < 2:
        return ()
    low, high = float(data.values[0]), float(data.values[-1])
    power = math.floor(math.log10(max((high / bins - low / bins), 1e-300)))
    candidates = []
    for shift in (-1, 0, 1):
        for step in (1.0, 2.0, 2.5, 5.0):
            points = _multiples(step, power + shift, low, high, most=4 * bins)
            if points:
                candidates.append((abs(len(points) + 1 - bins), -step, points))
    return min(candidates)[2] if candidates else _after(data, [data.values.size // 2 - 1])


def _multiples(step: float, power: int, low: float, high: float, most: int) -> Points:
    size = step * 10.0**power
    if size == 0 or not math.isfinite(size) or not math.isfinite(low / size):
        return ()
    start, stop = math.floor(low / size) + 1, math.floor(high / size)
    if not 0 < stop - start + 1 <= most:
        return ()
    exact = (float(f"{i * step:.12g}e{power}") for i in range(start, stop + 1))
    return tuple(sorted({point + 0.0 for point in exact if low < point <= high}))


def mdl(data: SortedColumn, bins: int) -> Points:
    """Entropy cuts against a target, accepted by minimum description length; `bins` is not used.

    Fayyad and Irani (1993): cut S of N cases and k classes in two when
    Gain > (log2(N - 1) + log2(3^k - 2) - [k Ent(S) - k1 Ent(S1) - k2 Ent(S2)]) / N.
    """
    sums = np.vstack([np.zeros(data.classes.shape[1]), np.cumsum(data.classes, axis=0)])
    indices: list[int] = []
    waiting = [(0, data.values.size)]
    while waiting:
        start, stop = waiting.pop()
        cut = _accepted_cut(sums, start, stop)
        if cut is not None:
            indices.append(cut - 1)
            waiting += [(start, cut), (cut, stop)]
    return _after(data, sorted(indices))


def _accepted_cut(sums: Floats, start: int, stop: int) -> int | None:
    if stop - start < 2:
        return None
    whole = sums[stop] - sums[start]
    n = float(whole.sum())
    if n <= 1:
        return None
    left = sums[start + 1 : stop] - sums[start]
    right = whole - left
    left_n, right_n = left.sum(axis=1), right.sum(axis=1)
    left_bits, right_bits = _entropies(left, left_n), _entropies(right, right_n)
    joined = (left_n * left_bits + right_n * right_bits) / n
    index = int(np.argmin(joined))
    bits = float(_entropies(whole[None], np.array([n]))[0])
    k, k1, k2 = (int((counts > 0).sum()) for counts in (whole, left[index], right[index]))
    delta = math.log2(3**k - 2) - (k * bits - k1 * left_bits[index] - k2 * right_bits[index])
    if bits - joined[index] <= (math.log2(n - 1) + delta) / n:
        return None
    return start + 1 + index


def _entropies(counts: Floats, totals: Floats) -> Floats:
    fractions = counts / np.maximum(totals, np.finfo(np.float64).tiny)[:, None]
    logs = np.log2(fractions, out=np.zeros_like(fractions), where=fractions > 0)
    bits: Floats = -np.sum(fractions * logs, axis=1)
    return bits


# Labels of the command line and the window.
METHODS: dict[str, Callable[[SortedColumn, int], Points]] = {
    "width": equal_width,
    "frequency": equal_frequency,
    "quantile": quantiles,
    "kmeans": k_means,
    "nice": nice,
    "mdl": mdl,
}
