"""Axes of plots: from numbers to places on a plane, and where the ticks are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Axis:
    """Numbers from `low` to `high` laid onto `start` to `end`, straight or by their logarithm."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    @classmethod
    def around(
        cls, values: Iterable[float], start: float, end: float, *, is_log: bool = False
    ) -> Axis:
        """An axis that shows all these numbers with a little room around them."""
        usable = [v for v in values if math.isfinite(v) and (v > 0 or not is_log)]
        low, high = (min(usable), max(usable)) if usable else (1.0, 10.0)
        if is_log:
            room = max(0.04 * math.log10(high / low), 0.05)
            return cls(low / 10**room, high * 10**room, start, end, True)
        room = max(0.05 * (high - low), 1e-3 * max(abs(low), abs(high)), 1e-9)
        return cls(low - room, high + room, start, end)

    def place(self, value: float) -> float:
        """Where the number lies on the plane."""
        if self.is_log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int = 7) -> tuple[float, ...]:
        """Round numbers along the axis: 1, 2 and 5 times powers of ten."""
        return _log_ticks(self.low, self.high, most) if self.is_log else self._even_ticks(most)

    def _even_ticks(self, most: int) -> tuple[float, ...]:
        rough = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        first = math.ceil(self.low / step)
        last = math.floor(self.high / step)
        digits = max(0, -math.floor(math.log10(step)))
        return tuple(round(number * step, digits) for number in range(first, last + 1))


def _log_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        found = [f * 10.0**p for p in powers for f in factors if low <= f * 10.0**p <= high]
        if len(found) <= most:
            break
    return tuple(found)


def even_digits(texts: Sequence[str]) -> list[str]:
    """`−16`, `−16.5` become `−16.0`, `−16.5`; numbers with an exponent stay."""
    if any("e" in text for text in texts):
        return list(texts)
    most = max((len(text.partition(".")[2]) for text in texts), default=0)
    return [_with_digits(text, most) for text in texts]


def _with_digits(text: str, digits: int) -> str:
    whole, _, rest = text.partition(".")
    return f"{whole}.{rest:0<{digits}}" if digits else text
