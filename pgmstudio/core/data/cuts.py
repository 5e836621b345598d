"""Cuts: where a column of numbers was cut, kept so that new rows get the same states."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import DataError

Floats = NDArray[np.float64]

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
            raise DataError(f"The cuts of {self.column} must be finite numbers.")
        if any(low >= high for low, high in pairwise(points)):
            raise DataError(f"The cuts of {self.column} must ascend, each once.")
        object.__setattr__(self, "labels", tuple(self.labels) or labels_of(points))
        if len(self.labels) != len(points) + 1:
            raise DataError(
                f"{len(points)} cuts of {self.column} make {len(points) + 1} intervals, "
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

    def log2_widths(self, low: float, high: float) -> Floats:
        """log2 of the width of every interval when the column is bounded to low … high.

        The log2-density of a value on the original scale is the log2-probability of its interval
        minus this number, so likelihoods under different cuts can be compared.
        """
        ends = np.array([min([low, *self.points]), *self.points, max([high, *self.points])])
        widths = np.diff(ends)
        return np.log2(np.maximum(widths, np.finfo(np.float64).tiny))


def cuts_from_labels(column: str, states: Sequence[str]) -> Cuts | None:
    """The cuts that give these interval names, or None when they are not such names.

    So a model alone tells how to cut new rows: its states carry the cut points.
    """
    if tuple(states) == (UNCUT,):
        return Cuts(column, ())
    first, last = _FIRST.fullmatch(states[0]), _LAST.fullmatch(states[-1])
    middle = [_MIDDLE.fullmatch(state) for state in states[1:-1]]
    if len(states) < 2 or first is None or last is None or None in middle:
        return None
    points = [float(first[1]), *(float(found[2]) for found in middle if found)]
    if tuple(states) != labels_of(points):
        return None
    if any(low >= high for low, high in pairwise(points)):
        return None
    return Cuts(column, tuple(points))
