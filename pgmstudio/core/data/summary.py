"""What a data set looks like: bars, entropies, all pairs, missing cells and histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.counting import (
    PairCounts,
    ReportFraction,
    ignore_progress,
    joint_counts,
    pair_counts,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import weighted_counts
from pgmstudio.core.execution.events import NEVER, CancelToken


def _x_log2_x(x: Floats) -> Floats:
    logs: Floats = np.log2(x, out=np.zeros_like(x), where=x > 0)
    return x * logs


def entropy_bits(counts: Floats) -> float:
    """H = -sum p log2 p with p = counts / total; 0 for no counts at all."""
    total = float(counts.sum())
    if total <= 0:
        return 0.0
    return max(0.0, float(np.log2(total) - _x_log2_x(counts).sum() / total))


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """One column: the weight of each state, and of the rows that miss it."""

    name: str
    counts: Floats
    missing: float

    @property
    def entropy_bits(self) -> float:
        return entropy_bits(self.counts)

    @property
    def missing_rate(self) -> float:
        total = float(self.counts.sum()) + self.missing
        return self.missing / total if total else 0.0


def summarise(data: DataSet) -> tuple[ColumnSummary, ...]:
    """Bars, entropy and missing rate of every column, by weight."""
    summaries = []
    for name, holes in zip(data.domain.names, data.missing_counts, strict=True):
        missing = float(holes)
        if isinstance(data, ChunkedData):
            counts = joint_counts(data, (data.domain.index(name),))
            summaries.append(ColumnSummary(name, counts, data.total_weight - float(counts.sum())))
            continue
        if holes and data.weights is not None:
            missing = float(data.weights[data.column(name) == data.missing_code].sum())
        summaries.append(ColumnSummary(name, weighted_counts(data, name), missing))
    return tuple(summaries)


@dataclass(frozen=True, eq=False)
class Associations:
    """All pairs of columns, each over the rows that have both.

    `information_bits` is mutual information off the diagonal and entropy on it. `p_values` are of
    the hypothesis that two columns are independent: G² = 2 N ln 2 · I against the chi-squared law
    with (r - 1)(c - 1) degrees of freedom, r and c being the states that occur; 1 where there are
    none. Both are symmetric.
    """

    names: tuple[str, ...]
    information_bits: Floats
    g2: Floats
    degrees: NDArray[np.int64]
    p_values: Floats


def associations(
    data: DataSet, cancel: CancelToken = NEVER, report: ReportFraction = ignore_progress
) -> Associations:
    """Mutual information and p-values of independence of every pair of columns."""
    from scipy.special import chdtrc  # of scipy.stats, which takes 50 MB more

    n = len(data.domain)
    bits, g2 = np.zeros((n, n)), np.zeros((n, n))
    degrees = np.zeros((n, n), dtype=np.int64)
    counts = pair_counts(data, cancel, report)
    for i, j, tables in _tables_by_shape(counts):
        cancel.raise_if_cancelled()
        total = tables.sum(axis=(1, 2))
        rows, columns = tables.sum(axis=2), tables.sum(axis=1)
        log_ratio = (
            _x_log2_x(tables).sum(axis=(1, 2))
            - _x_log2_x(rows).sum(axis=1)
            - _x_log2_x(columns).sum(axis=1)
            + _x_log2_x(total)
        )
        log_ratio = np.maximum(log_ratio, 0.0)
        bits[i, j] = log_ratio / np.where(total > 0, total, 1.0)
        g2[i, j] = 2 * np.log(2) * log_ratio
        r, c = (rows > 0).sum(axis=1), (columns > 0).sum(axis=1)
        degrees[i, j] = np.maximum(r - 1, 0) * np.maximum(c - 1, 0)
    for square in (bits, g2, degrees):
        square += square.T  # the pairs are above the diagonal
    p_values = np.where(degrees > 0, chdtrc(np.maximum(degrees, 1), g2), 1.0)
    np.fill_diagonal(p_values, 1.0)
    np.fill_diagonal(
        bits, [entropy_bits(weighted_counts(data, name)) for name in data.domain.names]
    )
    return Associations(data.domain.names, bits, g2, degrees, p_values)


# Tables put together for one stroke of arithmetic; keeps the memory of wide data bounded.
_CELLS_AT_ONCE = 4_000_000


def _tables_by_shape(
    counts: PairCounts,
) -> list[tuple[NDArray[np.intp], NDArray[np.intp], Floats]]:
    """Pairs i < j whose tables have the same shape, stacked: one stroke for many small tables."""
    cards = np.array(counts.cardinalities, dtype=np.int64)
    first, second = np.triu_indices(cards.size, 1)
    shapes = cards[first] * (cards.max(initial=0) + 1) + cards[second]
    stacks = []
    for shape in np.unique(shapes):
        members = np.flatnonzero(shapes == shape)
        r, c = int(cards[first[members[0]]]), int(cards[second[members[0]]])
        step = max(1, _CELLS_AT_ONCE // (r * c))
        for start in range(0, members.size, step):
            some = members[start : start + step]
            i, j = first[some], second[some]
            cells = counts.offsets[i, j][:, None] + np.arange(r * c)
            stacks.append((i, j, counts.flat[cells].reshape(-1, r, c)))
    return stacks


@dataclass(frozen=True, eq=False)
class MissingPatterns:
    """Which columns are missing together: `patterns[k]` marks the missing columns of pattern k.

    The heaviest pattern comes first; `weights` has the summed weight of its rows. Complete rows are
    a pattern like any other, the one that marks nothing.
    """

    names: tuple[str, ...]
    patterns: NDArray[np.bool_]
    weights: Floats


def missing_patterns(data: DataSet) -> MissingPatterns:
    """The map of missing cells, rows with the same missing columns put together."""
    if data.row_count == 0:
        return MissingPatterns(
            data.domain.names, np.zeros((0, len(data.domain)), bool), np.zeros(0)
        )
    packed = np.packbits(data.codes == data.missing_code, axis=0).T
    rows = np.ascontiguousarray(packed)
    if rows.shape[1] == 0:
        return MissingPatterns((), np.zeros((1, 0), bool), np.array([data.total_weight]))
    keys = rows.view(np.dtype((np.void, rows.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    summed = np.bincount(inverse.ravel(), weights=data.row_weights, minlength=first.size)
    weights: Floats = summed.astype(np.float64)
    patterns = (data.codes[:, first] == data.missing_code).T
    # Ties by the pattern itself, so that the order of the rows does not matter.
    ties = [tuple(pattern) for pattern in patterns.tolist()]
    order = sorted(range(first.size), key=lambda k: (-weights[k], ties[k]))
    return MissingPatterns(data.domain.names, patterns[order], weights[order])


# Histogram of a numeric column: sorted values, cumulative weights and bars of equal width.

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
