"""What a tornado chart shows: rows with two ends, and the axis they lie on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pgmstudio.core.pictures.svg_nodes import percent

_LEAST_SPAN = 0.02  # of the axis; a smaller one would show rounding


@dataclass(frozen=True, slots=True)
class TornadoRow:
    """One cause: the belief at its two ends, each with a word; either end may be the larger."""

    key: str
    title: str
    fact: str  # a number beside the title
    hatched: float
    solid: float
    hatched_words: str = ""
    solid_words: str = ""

    @property
    def description(self) -> str:
        ends = f"from {percent(self.hatched)} to {percent(self.solid)} percent"
        return f"{self.title}, {self.fact}, {ends}"


@dataclass(frozen=True, slots=True)
class Tornado:
    """All of a chart; `hatched` and `solid` say in words what the two kinds of end mean."""

    belief: float = 0.0
    rows: tuple[TornadoRow, ...] = ()
    fact_head: str = ""
    hatched: str = ""
    solid: str = ""
    belief_words: str = ""

    @property
    def axis(self) -> tuple[float, float]:
        """The least and the largest belief shown."""
        ends = [self.belief, *(end for row in self.rows for end in (row.hatched, row.solid))]
        low, high = min(ends), max(ends)
        lack = max(0.0, _LEAST_SPAN - (high - low)) / 2
        return max(0.0, low - lack), min(1.0, high + lack)


def ticks_of(low: float, high: float, most: int) -> list[float]:
    """Round numbers between the two, at most so many."""
    span = max(high - low, 1e-9)
    step = 10.0 ** math.floor(math.log10(span / max(1, most)))
    for factor in (1, 2, 2.5, 5, 10, 20):
        if span / (step * factor) <= most:
            step *= factor
            break
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]
