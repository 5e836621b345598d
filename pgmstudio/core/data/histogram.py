"""Histogram of a numeric column: sorted values, cumulative weights and bars of equal width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.arrays import Floats

BARS = 45


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """Finite values of a column in ascending order, with cumulative weights and a histogram."""

    name: str
    values: Floats
    cumulative: Floats  # cumulative[i] is the weight of the first i values
    bars: Floats
    edges: Floats

    @classmethod
    def of(cls, name: str, values: Floats, weights: Floats | None = None) -> ColumnValues:
        usable = np.isfinite(values)
        finite = np.asarray(values, dtype=np.float64)[usable]
        masses = np.ones(finite.size) if weights is None else np.asarray(weights)[usable]
        order = np.argsort(finite, kind="stable")
        finite, masses = finite[order], masses[order]
        cumulative = np.concatenate(([0.0], np.cumsum(masses)))
        if not finite.size:
            return cls(name, finite, cumulative, np.zeros(BARS), np.linspace(0, 1, BARS + 1))
        edges = bar_edges(finite)
        bars, _ = np.histogram(finite, bins=edges, weights=masses)
        return cls(name, finite, cumulative, bars.astype(np.float64), edges)

    @property
    def low(self) -> float:
        return float(self.values[0]) if self.values.size else 0.0

    @property
    def high(self) -> float:
        return float(self.values[-1]) if self.values.size else 1.0

    @property
    def total(self) -> float:
        return float(self.cumulative[-1])

    def counts(self, points: Sequence[float]) -> Floats:
        """The weight in each bin; a value equal to an edge belongs to the bin above it."""
        below = self.cumulative[np.searchsorted(self.values, np.array(points), side="left")]
        return np.diff(np.concatenate(([0.0], below, [self.total])))


def bar_edges(values: Floats) -> Floats:
    """Edges of 45 bars of equal width over ascending values.

    Values written with at most two decimals get bars that are whole multiples of their unit (and
    so a few bars fewer): otherwise some bars would cover one value more than their neighbours.
    """
    low, high = float(values[0]), float(values[-1])
    if high <= low:
        return np.linspace(low - 0.5, low + 0.5, 2)
    for decimals in range(3):
        scaled = values * 10.0**decimals
        if np.abs(scaled).max() < 1e12 and np.array_equal(np.round(scaled), np.round(scaled, 6)):
            unit = int(np.ceil(round((high - low) * 10**decimals) / BARS)) or 1
            first = int(np.floor(round(low * 10**decimals) / unit))
            last = int(np.floor(round(high * 10**decimals) / unit)) + 1
            return np.arange(first, last + 1) * unit / 10.0**decimals
    return np.linspace(low, high, BARS + 1)
