"""Places on a histogram's axis: round steps, ticks, and labels that do not run into each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

_ROUND = (1.0, 2.0, 5.0, 10.0)


def round_step(span: float, pieces: int) -> float:
    """The smallest 1, 2 or 5 times a power of ten that cuts `span` into at most `pieces`."""
    if span <= 0 or pieces < 1:
        return 1.0
    wanted = span / pieces
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in _ROUND if step * power >= wanted * (1 - 1e-9))


def ticks(low: float, high: float, pieces: int) -> tuple[float, ...]:
    """Round numbers from `low` to `high`, at most `pieces` steps apart from each other."""
    step = round_step(high - low, pieces)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple(snapped(place * step, step) for place in range(first, last + 1))


def snapped(value: float, step: float) -> float:
    """The multiple of `step` next to `value`, free of the dust of floating arithmetic."""
    digits = max(0, 12 - math.floor(math.log10(step))) if step > 0 else 0
    return round(round(value / step) * step, min(digits, 15)) + 0.0


def spread(
    centers: Sequence[float], widths: Sequence[float], low: float, high: float, gap: float
) -> list[float] | None:
    """Left ends of texts near their centres, in order and without touching; None: no room."""
    if sum(widths) + gap * max(0, len(widths) - 1) > high - low:
        return None
    lefts = []
    edge = low
    for center, width in zip(centers, widths, strict=True):
        left = max(edge, center - width / 2)
        lefts.append(left)
        edge = left + width + gap
    edge = high
    for place in range(len(lefts) - 1, -1, -1):
        lefts[place] = min(lefts[place], edge - widths[place])
        edge = lefts[place] - gap
    return lefts


def moved_between(
    points: Sequence[float], index: int, value: float, low: float, high: float, smallest: float
) -> float:
    """`value` kept between the neighbours of cut `index` and inside the range of the column."""
    below = points[index - 1] if index > 0 else low
    above = points[index + 1] if index + 1 < len(points) else high
    lowest, highest = below + smallest, above - (smallest if index + 1 < len(points) else 0)
    return min(max(value, lowest), highest) if lowest <= highest else points[index]


def one_cut_more(
    points: Sequence[float], counts: Sequence[float], low: float, high: float
) -> tuple[float, ...]:
    """A cut in the middle of the fullest bin; the same cuts when that is too narrow."""
    ends = [low, *points, high]
    fullest = max(range(len(counts)), key=lambda place: counts[place])
    left, right = ends[fullest], ends[fullest + 1]
    middle = snapped((left + right) / 2, round_step(right - left, 20)) if right > left else left
    return tuple(sorted({*points, middle})) if left < middle < right else tuple(points)


def one_cut_less(points: Sequence[float], counts: Sequence[float]) -> tuple[float, ...]:
    """Without the cut between the two neighbours that have fewest rows together."""
    together = [left + right for left, right in itertools.pairwise(counts)]
    gone = min(range(len(together)), key=lambda place: together[place])
    return (*points[:gone], *points[gone + 1 :])
