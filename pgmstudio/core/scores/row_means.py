"""Means over rows with their standard errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.arrays import Floats


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean and its standard error, None where rows or numbers do not allow one."""

    value: float
    standard_error: float | None
    rows: float  # total weight

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """The confidence interval by Student's t with rows − 1 degrees of freedom."""
        if self.standard_error is None:
            return None
        from scipy.special import stdtrit

        reach = float(stdtrit(self.rows - 1, 0.5 + confidence / 2)) * self.standard_error
        return self.value - reach, self.value + reach


def mean_of(values: Floats, weights: Floats | None = None) -> Mean:
    """Σwx / W and √(Σw(x−mean)² / (W−1) / W), as if each row stood there w times.

    A row of −∞ makes the mean −∞ and leaves the error open; no rows give NaN.
    """
    if weights is None:
        weights = np.ones(len(values))
    counted = weights > 0  # 0 · −∞ is not a number
    values, weights = values[counted], weights[counted]
    total = float(weights.sum())
    if total == 0:
        return Mean(math.nan, None, 0.0)
    mean = float(weights @ values) / total
    if not math.isfinite(mean) or total <= 1:
        return Mean(mean, None, total)
    spread = float(weights @ (values - mean) ** 2)
    return Mean(mean, math.sqrt(spread / (total - 1) / total), total)
