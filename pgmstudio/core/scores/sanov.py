"""Sanov's test of independence, also within the groups of a third variable (Meilă 1999, §6.7).

The mutual information Î of N rows of two independent variables is at least M with probability at
most (N+1)^(r s) 2^(−N M), whatever their distributions (eq. 6.21). It is very cautious; χ² and G
with their asymptotic quantiles are offered beside it. All in bits.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SANOV, CHI_SQUARE, G = "sanov", "chi2", "g"
TESTS = (SANOV, CHI_SQUARE, G)


def sanov_threshold(rows: Floats | float, cells: Floats | float, delta: float) -> Floats:
    """M(δ) = (1/N) [log2(1/δ) + r s log2(N+1)] (eq. 6.22); `cells` is r s. ∞ without rows."""
    n = np.asarray(rows, dtype=np.float64)
    with np.errstate(divide="ignore"):
        found = (math.log2(1 / delta) + cells * np.log2(n + 1)) / n
    return np.asarray(found, dtype=np.float64)


def quantile_threshold(rows: Floats | float, freedom: Floats | float, delta: float) -> Floats:
    """χ²_{1−δ}(freedom) / (2 N ln 2): where χ² and G reject, in bits; ∞ without rows."""
    from scipy.special import chdtri

    safe = np.maximum(freedom, 1)
    with np.errstate(divide="ignore"):
        found = chdtri(safe, delta) / (2 * math.log(2) * np.asarray(rows, dtype=np.float64))
    return np.where(np.asarray(freedom) > 0, found, np.inf)


def level_of_each(delta: float, groups: int) -> float:
    """δ̃ = 1 − (1−δ)^(1/m): m tests at this level together have level δ (eq. 6.38)."""
    return -math.expm1(math.log1p(-delta) / groups)


def attainable(one: int, other: int) -> float:
    """The most information two variables of so many states can have: the smaller log2."""
    return math.log2(min(one, other))


def information(table: Floats) -> float:
    """Î = KL(P̂_uv ‖ P̂_u P̂_v) of a table of counts, in bits."""
    return float(_pairs_of(table, SANOV)[0, 1])


def reverse_information(table: Floats) -> float:
    """KL(P̂_u P̂_v ‖ P̂_uv), which χ² / (2 N ln 2) is near to (eqs. 6.24–6.29); ∞ at empty cells."""
    total = float(table.sum())
    even = np.outer(table.sum(axis=1), table.sum(axis=0)) / total**2
    seen = even > 0
    with np.errstate(divide="ignore"):
        return float((even[seen] * np.log2(even[seen] * total / table[seen])).sum())


def scaled_chi_square(table: Floats) -> float:
    """χ² / (2 N ln 2) in bits, with χ² = Σ (N_ij − n_ij)² / n_ij and n_ij = N_i N_j / N."""
    return float(_pairs_of(table, CHI_SQUARE)[0, 1])


def _pairs_of(table: Floats, test: str) -> Floats:
    """One table as the counts of two variables among each other."""
    r, s = table.shape
    whole = np.zeros((r + s, r + s))
    whole[:r, r:], whole[r:, :r] = table, table.T
    return pair_statistics(whole, np.array([0, r]), test)[0]


def pair_statistics(counts: Floats, begins: NDArray[np.int64], test: str) -> tuple[Floats, Floats]:
    """The statistic of every pair of variables in bits, and the rows that have both.

    `counts[i, j]` are the rows with the cells i and j; those of variable v begin at `begins[v]`.
    Î for Sanov and G, χ² / (2 N ln 2) for χ²; a pair of a variable with itself means nothing.
    """

    def added(values: Floats) -> Floats:
        rows = np.add.reduceat(values, begins, axis=0)
        return np.asarray(np.add.reduceat(rows, begins, axis=1))

    per_cell = np.add.reduceat(counts, begins, axis=1)
    totals = np.add.reduceat(per_cell, begins, axis=0)
    safe = np.where(totals > 0, totals, 1.0)
    if test == CHI_SQUARE:
        variable_of = np.zeros(len(counts), dtype=np.intp)
        variable_of[begins[1:]] = 1
        variable_of = np.cumsum(variable_of)
        margins = per_cell[:, variable_of]
        both = margins * margins.T
        ratios = np.where(both > 0, counts**2 / np.where(both > 0, both, 1.0), 0.0)
        return np.maximum(added(ratios) - 1, 0) / (2 * math.log(2)), totals
    alone = np.add.reduceat(_k_log2_k(per_cell), begins, axis=0)
    found = added(_k_log2_k(counts)) - alone - alone.T + _k_log2_k(totals)
    return np.maximum(found / safe, 0), totals


def _k_log2_k(values: Floats) -> Floats:
    return np.asarray(values * np.log2(np.where(values > 0, values, 1.0)))
