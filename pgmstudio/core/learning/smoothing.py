"""Smoothing of tables, tuned by cross-validation (Nielsen 2007, §4.2, Algorithms 4.1 and 4.2).

    P(y|u) = (N_yu + α) / (N_u + α |R(Y)|)                                          (eq. 4.15)

α = 0 is maximum likelihood; a row of a table that was never seen is uniform. Algorithm 4.2 moves
the ends of a bracket by a fixed step; here a golden-section search on log α closes it, which finds
the same peak of the (assumed unimodal) score in far fewer evaluations.

Held-out rows alone can make α = 0 best: when each of their cells occurs in other folds too. But the
next rows may hold a cell that no row has held, and must not be impossible for it. So one imagined
row is held out as well, spread evenly over the cells that no row has in table rows that some have:

    Σ_folds log2 P(fold | others) + (1/M) Σ_unseen log2 α / (N_u + α |R(Y)|),

M of them. Where nothing else asks for smoothing this gives all M cells together the weight of about
one row, α ≈ 1/M, as one expects of something that has not happened in so many rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.chunked import Arrays, ChunkedData
from pgmstudio.core.data.counting import family_counter, is_small, plain_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import MAX_CASES, Deal, RowKeys, case_total, deal_folds
from pgmstudio.core.execution.events import NEVER, CancelToken

FOLDS = 10
SMALLEST_SMOOTHING, LARGEST_SMOOTHING = 1e-6, 10.0

_TOLERANCE = 1e-3
# Tables of so many cells, of all folds, are scored by numpy in less time than it takes to load
# compiled code.
PLAIN_CELLS = 4000

Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TunedSmoothing:
    """The chosen α, the bracket that was searched, and its cross-validated bits per fold."""

    smoothing: float
    low: float
    high: float
    cv_score: float

    def __str__(self) -> str:
        at_end = " It is at the end of that range." if self.smoothing == self.high else ""
        return (
            f"Smoothing {self.smoothing:.4g} was chosen by {FOLDS}-fold cross-validation "
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
    """The α above 0 that predicts held-out rows and unseen cells best; one random split for all α.

    A family is (parents…, child). A row whose whole weight is n counts as n equal rows, so that
    grouped rows are tuned as the rows they stand for. Of very many rows the folds are not dealt row
    by row: how many rows of a cell each fold has is drawn from the counts of the family.
    """
    tables = _joined(_fold_counts(data, families, rng, cancel))
    unseen = UnseenCells.of(tables)
    one_row = data.total_weight / max(case_total(data), 1)

    def cv_score(smoothing: float) -> float:
        cancel.raise_if_cancelled()
        return sum(_cv_score(table, smoothing) for table in tables)

    def score(smoothing: float) -> float:
        return cv_score(smoothing) + one_row * unseen.mean_log2(smoothing)

    low, high = SMALLEST_SMOOTHING, LARGEST_SMOOTHING
    inside = math.exp(
        _golden_section_maximum(lambda log: score(math.exp(log)), math.log(low), math.log(high))
    )
    _, smoothing = max((score(value), value) for value in (low, inside, high))
    return TunedSmoothing(smoothing, low, high, cv_score(smoothing) / FOLDS)


@dataclass(frozen=True, eq=False)
class UnseenCells:
    """Cells of tables that no row has, in table rows that some have: per such table row how many
    of them, how many states there are, and how many rows it has."""

    cells: Counts
    states: Counts
    rows: Counts

    @classmethod
    def of(cls, fold_counts: Sequence[Counts]) -> UnseenCells:
        parts: list[Counts] = [np.zeros((3, 0))]
        for by_fold in fold_counts:
            counts = by_fold.sum(axis=0)
            totals, cells = counts.sum(axis=1), (counts == 0).sum(axis=1)
            chosen = (totals > 0) & (cells > 0)
            states = np.full(int(chosen.sum()), counts.shape[1])
            parts.append(np.stack([cells[chosen], states, totals[chosen]]).astype(np.float64))
        return cls(*np.concatenate(parts, axis=1))

    def mean_log2(self, smoothing: float) -> float:
        """The mean of log2 P(cell) of all these cells; 0 without any."""
        if not self.cells.size:
            return 0.0
        logs = np.log2(smoothing / (self.rows + smoothing * self.states))
        return float(self.cells @ logs / self.cells.sum())


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


def _joined(tables: Sequence[Counts]) -> list[Counts]:
    """Small tables with as many states each as one table: every row counts by itself, and a call
    for many of them takes hardly longer than for one."""
    joined: list[Counts] = []
    by_states: dict[int, list[Counts]] = {}
    for table in tables:
        same = by_states.setdefault(table.shape[-1], [])
        if sum(other.size for other in same) + table.size > PLAIN_CELLS and same:
            joined.append(np.concatenate(same, axis=1))
            same.clear()
        same.append(table)
    return joined + [np.concatenate(same, axis=1) for same in by_states.values()]


def _cv_score(fold_counts: Counts, smoothing: float) -> float:
    """Σ over folds of the fold's log2-likelihood under the tables of the other folds."""
    if fold_counts.size <= PLAIN_CELLS:
        return _plain_cv_score(fold_counts, smoothing)
    from pgmstudio.core.learning.smoothing_kernels import held_out_log2_likelihood

    value: float = held_out_log2_likelihood(fold_counts, smoothing)
    return value


def _plain_cv_score(fold_counts: Counts, smoothing: float) -> float:
    """The same as the compiled one, by numpy."""
    together = fold_counts.sum(axis=0)
    others = together.sum(axis=-1) - fold_counts.sum(axis=-1)
    denominators = (others + smoothing * together.shape[-1])[:, :, np.newaxis]
    uniform = np.full(fold_counts.shape, 1 / together.shape[-1])  # never seen and no smoothing
    fractions = np.divide(
        together - fold_counts + smoothing, denominators, out=uniform, where=denominators > 0
    )
    seen = fold_counts > 0
    if (fractions[seen] <= 0).any():
        return -math.inf
    return float(fold_counts[seen] @ np.log2(fractions[seen]))


def _plain_fold_counts(
    data: DataSet, families: Sequence[tuple[int, ...]], folds: NDArray[np.integer[Any]]
) -> list[Counts]:
    """The same as `_fold_counts`, without compiled code."""
    parts = [data.take_rows(folds == fold) for fold in range(FOLDS)]
    cards = data.domain.cardinalities
    return [
        np.stack([plain_counts(part, family) for part in parts]).reshape(
            FOLDS, -1, cards[family[-1]]
        )
        for family in families
    ]


def _fold_counts(
    data: DataSet,
    families: Sequence[tuple[int, ...]],
    rng: np.random.Generator,
    cancel: CancelToken,
) -> list[Counts]:
    """Per family, counts of (fold, parents' state, child's state)."""
    if case_total(data) > MAX_CASES:
        return _drawn_fold_counts(data, families, rng, cancel)
    if isinstance(data, ChunkedData):
        dealt = deal_folds(_row_keys(data, cancel), FOLDS, rng)
        if dealt.labels is not None:
            dealt = Deal(dealt.labels.astype(np.uint8))
        return list(data.sums(_CountFolds(tuple(families), dealt), cancel))
    return _dealt_fold_counts(data, families, deal_folds(data, FOLDS, rng), cancel)


def _drawn_fold_counts(
    data: DataSet,
    families: Sequence[tuple[int, ...]],
    rng: np.random.Generator,
    cancel: CancelToken,
) -> list[Counts]:
    """Counts of every fold drawn from the counts of all rows; folds are as large on average."""
    counter = family_counter(data)
    counter.prefetch([(family[:-1], family[-1:]) for family in families], cancel)
    one_row = data.total_weight / max(case_total(data), 1)
    tables = []
    for family in families:
        counts = counter.counts(family, cancel)
        cases = np.rint(counts / one_row).astype(np.int64)
        drawn = np.moveaxis(rng.multinomial(cases, np.full(FOLDS, 1 / FOLDS)), -1, 0)
        per_case = counts / np.maximum(cases, 1)
        of_folds = np.multiply(drawn, per_case, dtype=np.float64)
        tables.append(of_folds.reshape(FOLDS, -1, counts.shape[-1]))
    return tables


def _row_keys(data: ChunkedData, cancel: CancelToken) -> RowKeys:
    """The hashes of all rows, and their weights."""
    keys, weights = data.values(_keys_of_chunk, cancel)
    return RowKeys(keys, weights if data.facts.is_weighted else None)


def _keys_of_chunk(chunk: DataSet, _first_row: int) -> Arrays:
    weights = np.empty(0) if chunk.weights is None else np.asarray(chunk.weights)
    return chunk.content_keys, weights


@dataclass(frozen=True)
class _CountFolds:
    """Counts the rows of a chunk in the folds they were dealt to."""

    families: tuple[tuple[int, ...], ...]
    dealt: Deal

    def __call__(self, chunk: DataSet, first_row: int) -> Arrays:
        rows = slice(first_row, first_row + chunk.row_count)
        labels = None if self.dealt.labels is None else self.dealt.labels[rows]
        copies = None if self.dealt.copies is None else self.dealt.copies[rows]
        return tuple(_dealt_fold_counts(chunk, self.families, Deal(labels, copies), NEVER))


def _dealt_fold_counts(
    data: DataSet, families: Sequence[tuple[int, ...]], dealt: Deal, cancel: CancelToken
) -> list[Counts]:
    if dealt.labels is not None and is_small(data, sum(map(len, families))):
        return _plain_fold_counts(data, families, dealt.labels)
    from pgmstudio.core.data.counting_kernels import count_joint_by_fold

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
