"""ROC curves and calibration of predicted probabilities; weights count as rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.languages.components import EQUAL_WITHIN

Truths = NDArray[np.bool_]

BINS = 10
NORMAL_95 = 1.959963984540054  # the 97.5 % point of the normal distribution


@dataclass(frozen=True, eq=False)
class RocCurve:
    """From (0, 0) to (1, 1), the threshold falling; `area` is None when all rows are of one kind.

    `area` is P(a row of the state gets a higher probability than another row), ties counting ½.
    """

    thresholds: Floats  # a row counts as the state from this probability on; first ∞
    false_rates: Floats
    true_rates: Floats
    area: float | None


def roc_curve(probabilities: Floats, is_state: Truths, weights: Floats) -> RocCurve:
    """Corners alone: points on a straight piece between two others are left out.

    Probabilities within `EQUAL_WITHIN` of the next one are ties, however they were computed.
    """
    order = np.argsort(-probabilities, kind="stable")
    ordered, hits = probabilities[order], is_state[order]
    true = np.cumsum(np.where(hits, weights[order], 0.0))
    false = np.cumsum(np.where(hits, 0.0, weights[order]))
    last = np.flatnonzero(np.diff(ordered, append=-np.inf) < -EQUAL_WITHIN)  # of equal ones
    true, false = np.append(0.0, true[last]), np.append(0.0, false[last])
    thresholds = np.append(np.inf, ordered[last])
    area = None
    if true[-1] > 0 and false[-1] > 0:
        area = float(np.sum(np.diff(false) * (true[1:] + true[:-1]) / 2) / true[-1] / false[-1])
    selected = _corners(false, true)
    with np.errstate(invalid="ignore", divide="ignore"):
        false_rates = np.where(false[-1] > 0, false[selected] / false[-1], 0.0)
        true_rates = np.where(true[-1] > 0, true[selected] / true[-1], 0.0)
    return RocCurve(thresholds[selected], false_rates, true_rates, area)


def thinned(curve: RocCurve, most: int) -> RocCurve:
    """At most so many points of a curve, both ends among them: for a picture of it."""
    count = curve.thresholds.size
    if count <= most:
        return curve
    selected = np.linspace(0, count - 1, most).round().astype(np.intp)
    return RocCurve(
        curve.thresholds[selected],
        curve.false_rates[selected],
        curve.true_rates[selected],
        curve.area,
    )


def _corners(x: Floats, y: Floats) -> NDArray[np.intp]:
    if x.size < 3:
        return np.arange(x.size)
    dx, dy = np.diff(x), np.diff(y)
    turns = dx[:-1] * dy[1:] != dy[:-1] * dx[1:]
    return np.flatnonzero(np.concatenate(([True], turns, [True])))


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Rows whose probability lies in [low, high); `interval` is Wilson's, 95 %."""

    low: float
    high: float
    weight: float
    probability: float  # the mean of those given
    frequency: float  # how often it was so
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Bins with rows in them; `error` is the expected calibration error.

    ECE = Σ_bins (weight / total) · |frequency − probability|; None without rows.
    """

    bins: tuple[CalibrationBin, ...]
    error: float | None


def calibration(
    probabilities: Floats, is_so: Truths, weights: Floats, bins: int = BINS
) -> Calibration:
    """How often things of a probability happen, in bins of equal width; 1 is in the last one."""
    total = float(weights.sum())
    if total <= 0:
        return Calibration((), None)
    # An edge belongs to the bin above it, also where rounding errors leave a little less.
    indices = np.minimum(((probabilities + EQUAL_WITHIN) * bins).astype(np.intp), bins - 1)
    mass = np.bincount(indices, weights, bins)
    given = np.bincount(indices, weights * probabilities, bins)
    so = np.bincount(indices, weights * is_so, bins)
    result = [
        CalibrationBin(
            k / bins,
            (k + 1) / bins,
            float(mass[k]),
            float(given[k] / mass[k]),
            float(so[k] / mass[k]),
            _wilson(float(so[k] / mass[k]), float(mass[k])),
        )
        for k in np.flatnonzero(mass > 0).tolist()
    ]
    error = math.fsum(b.weight * abs(b.frequency - b.probability) for b in result) / total
    return Calibration(tuple(result), error)


def _wilson(fraction: float, count: float) -> tuple[float, float]:
    """The score interval (Wilson 1927); it stays within 0 and 1 and is honest about few rows."""
    z2 = NORMAL_95**2
    middle = (fraction + z2 / (2 * count)) / (1 + z2 / count)
    root = math.sqrt(fraction * (1 - fraction) / count + z2 / (4 * count * count))
    reach = NORMAL_95 * root / (1 + z2 / count)
    return max(0.0, middle - reach), min(1.0, middle + reach)
