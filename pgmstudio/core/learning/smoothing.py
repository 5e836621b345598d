"""Smoothing of tables, tuned by cross-validation (Nielsen 2007, §4.2, Algorithms 4.1 and 4.2).

    P(y|u) = (N_yu + α) / (N_u + α |R(Y)|)                                          (eq. 4.15)

α = 0 is maximum likelihood; a row of a table that was never seen is uniform. Algorithm 4.2 moves
the ends of a bracket by a fixed step; here a golden-section search on log(α + 0.001) closes it,
which finds the same peak of the (assumed unimodal) score in far fewer evaluations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import deal_folds
from pgmstudio.core.running import NEVER, CancelToken

FOLDS = 10
LARGEST_SMOOTHING = 10.0

_SHIFT = 1e-3
_TOLERANCE = 1e-3

Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TunedSmoothing:
    """The α found, the bracket it was looked for in, and its cross-validated bits per fold."""

    smoothing: float
    low: float
    high: float
    cv_score: float

    def __str__(self) -> str:
        at_end = " It is at the end of that range." if self.smoothing == self.high else ""
        return (
            f"Smoothing {self.smoothing:.4g} was found by {FOLDS}-fold cross-validation "
            f"between {self.low:g} and {self.high:g}.{at_end}"
        )


def smoothed(counts: Counts, smoothing: float) -> Counts:
    """Rows (N_yu + α) / (N_u + α |R(Y)|) over the last axis; uniform where that is 0/0."""
    states = counts.shape[-1]
    totals = counts.sum(axis=-1, keepdims=True) + smoothing * states
    uniform = np.full_like(counts, 1 / states)
    rows: Counts = np.divide(counts + smoothing, totals, out=uniform, where=totals > 0)
    return rows


def tune_smoothing(
    data: DataSet,
    families: Sequence[tuple[int, ...]],
    rng: np.random.Generator,
    cancel: CancelToken = NEVER,
) -> TunedSmoothing:
    """The α between 0 and 10 that predicts held-out rows best; one random split for all α.

    A family is (parents…, child). A row whose whole weight is n counts as n equal rows, so that
    grouped rows are tuned as the rows they stand for.
    """
    tables = _fold_counts(data, families, rng, cancel)

    def cv_score(smoothing: float) -> float:
        cancel.raise_if_cancelled()
        return sum(_cv_score(table, smoothing) for table in tables) / FOLDS

    inside = _golden_section_maximum(
        lambda log: cv_score(math.exp(log) - _SHIFT),
        math.log(_SHIFT),
        math.log(LARGEST_SMOOTHING + _SHIFT),
    )
    ends = (0.0, max(0.0, math.exp(inside) - _SHIFT), LARGEST_SMOOTHING)
    score, smoothing = max((cv_score(end), end) for end in ends)
    return TunedSmoothing(smoothing, 0.0, LARGEST_SMOOTHING, score)


def _golden_section_maximum(score: Callable[[float], float], low: float, high: float) -> float:
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = score(left), score(right)
    while high - low > _TOLERANCE:
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = score(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = score(left)
    return (low + high) / 2


def _cv_score(fold_counts: Counts, smoothing: float) -> float:
    """Σ over folds of the fold's log2-likelihood under the tables of the other folds."""
    from pgmstudio.core.learning.smoothing_kernels import held_out_log2_likelihood

    value: float = held_out_log2_likelihood(fold_counts, smoothing)
    return value


def _fold_counts(
    data: DataSet,
    families: Sequence[tuple[int, ...]],
    rng: np.random.Generator,
    cancel: CancelToken,
) -> list[Counts]:
    """Per family, counts of (fold, parents' state, child's state)."""
    from pgmstudio.core.data.counting_kernels import count_joint_by_fold

    dealt = deal_folds(data, FOLDS, rng)
    if dealt.copies is None:
        folds, copies = np.asarray(dealt.labels, dtype=np.uint8), np.empty(0, dtype=np.int64)
        weights = np.empty(0) if data.weights is None else data.weights
    else:  # an entry for each fold of each row
        copies = np.full(data.row_count, FOLDS, dtype=np.int64)
        folds = np.tile(np.arange(FOLDS, dtype=np.uint8), data.row_count)
        weights = dealt.copies.ravel().astype(np.float64)
    weights.flags.writeable = False  # as a data set's are: one compiled version serves both
    cards = np.array(data.domain.cardinalities, dtype=np.int64)
    tables = []
    for family in families:
        cancel.raise_if_cancelled()
        cells = math.prod(int(cards[v]) for v in family)
        counts = np.zeros((FOLDS, cells))
        variables = np.array(family, dtype=np.int64)
        count_joint_by_fold(
            data.codes, weights, copies, folds, variables, cards, data.missing_code, counts
        )
        tables.append(counts.reshape(FOLDS, -1, int(cards[family[-1]])))
    return tables
