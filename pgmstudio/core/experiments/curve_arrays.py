"""Points of SL-curves as arrays, for lines of equal score that follow a hand on the plot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.experiments.curve_points import CurvePoint, SizeName

Floats = NDArray[np.float64]

# λ/(1−λ) from nearly no penalty to one that leaves nothing.
_RATIOS = np.geomspace(1e-4, 1e5, 1200)


@dataclass(frozen=True, eq=False)
class CurveArrays:
    """Sizes and bits per training row of many points, in their order."""

    sizes: Floats
    bits: Floats
    rows: Floats

    @classmethod
    def of(cls, points: Iterable[CurvePoint], size: SizeName = "effective_size") -> CurveArrays:
        """Those of these points."""
        told = [(getattr(p, size), p.train_log2_likelihood_per_row, p.train_rows) for p in points]
        columns = np.array(told, dtype=float).reshape(-1, 3)
        return cls(columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy())

    def best_at(self, lambda_: float) -> int | None:
        """The number of the point with the largest S_λ, the first of equals; None without any."""
        usable = np.isfinite(self.bits)
        if not usable.any():
            return None
        scores = (1 - lambda_) * self.bits * self.rows - lambda_ * self.sizes
        return int(np.argmax(np.where(usable, scores, -np.inf)))

    def line_at(self, lambda_: float) -> tuple[float, float] | None:
        """Slope and intercept of the line of equal S_λ that touches the points from above."""
        touched = self.best_at(lambda_)
        if touched is None:
            return None
        slope = lambda_ / ((1 - lambda_) * self.rows[touched])
        return float(slope), float(self.bits[touched] - slope * self.sizes[touched])

    @cached_property
    def _hull(self) -> tuple[Floats, Floats, float]:
        """Sizes and bits of those that some λ selects, and the rows they were learned from."""
        found = sorted({i for r in _RATIOS[::8] if (i := self.best_at(r / (1 + r))) is not None})
        rows = float(self.rows[found[0]]) if found else 1.0
        return self.sizes[found], self.bits[found], rows

    def lambda_through(self, size: float, bits: float) -> float:
        """The λ whose line goes through a place of the plot; where none does, the nearest.

        The height of the line at one size is convex in λ/(1−λ); a larger λ is meant where two fit.
        """
        sizes, own, rows = self._hull
        if not len(sizes):
            return 0.5
        slopes = _RATIOS[:, None] / rows
        heights = (own[None, :] + slopes * (size - sizes[None, :])).max(axis=1)
        low = int(np.argmin(heights))
        place = low + int(np.searchsorted(heights[low:], bits))
        if place <= low:
            ratio = _RATIOS[low]
        elif place >= len(_RATIOS):
            ratio = _RATIOS[-1]
        else:
            before, after = heights[place - 1], heights[place]
            share = 0.0 if after <= before else (bits - before) / (after - before)
            ratio = _RATIOS[place - 1] + share * (_RATIOS[place] - _RATIOS[place - 1])
        return float(ratio / (1 + ratio))
