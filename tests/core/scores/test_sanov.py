"""Sanov's test: thresholds worked by hand, and how often independent pairs exceed them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.arrays import Floats
from pgmstudio.core.scores.independence import (
    CHI_SQUARE,
    SANOV,
    G,
    _pairs_of,
    attainable,
    information,
    level_of_each,
    pair_statistics,
    quantile_threshold,
    sanov_threshold,
)


def scaled_chi_square(table: Floats) -> float:
    """χ² / (2 N ln 2) in bits, with χ² = Σ (N_ij − n_ij)² / n_ij and n_ij = N_i N_j / N."""
    return float(_pairs_of(table, CHI_SQUARE)[0, 1])


def reverse_information(table: Floats) -> float:
    """KL(P̂_u P̂_v ‖ P̂_uv), which χ² / (2 N ln 2) is near to (eqs. 6.24–6.29); ∞ at empty cells."""
    total = float(table.sum())
    even = np.outer(table.sum(axis=1), table.sum(axis=0)) / total**2
    seen = even > 0
    with np.errstate(divide="ignore"):
        return float((even[seen] * np.log2(even[seen] * total / table[seen])).sum())


@pytest.mark.parametrize(
    ("rows", "one", "other", "delta", "bits"),
    [
        (1000, 2, 2, 0.05, 0.0441908),
        (1000, 3, 3, 0.05, 0.0940270),
        (2000, 3, 3, 0.05, 0.0515102),
        (100, 2, 2, 0.01, 0.3327670),
        (10_000, 2, 2, 0.05, 0.00574734),
    ],
)
def test_thresholds_are_those_of_the_source(
    rows: float, one: int, other: int, delta: float, bits: float
) -> None:
    assert float(sanov_threshold(rows, one * other, delta)) == pytest.approx(bits, rel=2e-6)


def test_within_three_groups_each_has_its_own_level_and_threshold() -> None:
    each = level_of_each(0.05, 3)
    assert each == pytest.approx(0.0169524, abs=5e-8)
    result = sanov_threshold(np.array([500.0, 300.0, 200.0]), 9.0, each)
    assert result == pytest.approx([0.1732007, 0.2666165, 0.3737091], abs=5e-8)
    assert (1 - each) ** 3 == pytest.approx(0.95)
    # Three groups of 1667 rows: what a pair must have before it is rejected.
    assert float(sanov_threshold(5000 / 3, 9, each)) == pytest.approx(0.0613, abs=5e-5)


def test_without_rows_nothing_is_rejected() -> None:
    assert math.isinf(float(sanov_threshold(0.0, 4, 0.05)))
    assert math.isinf(float(quantile_threshold(0.0, 1, 0.05)))
    assert math.isinf(float(quantile_threshold(50.0, 0, 0.05)))


def test_information_cannot_exceed_the_smaller_variable() -> None:
    table = np.array([[50.0, 0, 0], [0, 30.0, 20.0]])
    assert information(table) == pytest.approx(attainable(2, 3))
    assert information(np.outer([3.0, 1], [2.0, 6])) == pytest.approx(0, abs=1e-12)


def test_independent_pairs_exceed_the_threshold_no_oftener_than_the_level() -> None:
    rng = np.random.default_rng(5)
    single = np.array([0.5, 0.3, 0.2])
    tables = rng.multinomial(200, np.outer(single, single).ravel(), size=10_000)
    tables = tables.reshape(-1, 3, 3)

    # Σ k log2 k of cells and margins; the same as `information`, for all tables at once.
    def added(counts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        terms = counts * np.log2(np.maximum(counts, 1))
        return np.asarray(terms.reshape(len(counts), -1).sum(axis=1))

    alone = added(tables.sum(axis=1)) + added(tables.sum(axis=2))
    values = (added(tables) - alone) / 200 + np.log2(200)
    assert values[:9] == pytest.approx([information(t.astype(float)) for t in tables[:9]])
    assert (values > sanov_threshold(200, 9, 0.05)).mean() <= 0.05
    g = (values > quantile_threshold(200, 4, 0.05)).mean()
    assert g == pytest.approx(0.05, abs=0.02)


def test_chi_square_is_near_the_reverse_divergence_for_large_nearly_independent_tables() -> None:
    rng = np.random.default_rng(6)
    single = np.array([0.4, 0.35, 0.25])
    for _ in range(10):
        joint = np.outer(single, single) * (1 + 0.05 * rng.standard_normal((3, 3)))
        table = rng.multinomial(100_000, (joint / joint.sum()).ravel()).reshape(3, 3).astype(float)
        assert scaled_chi_square(table) == pytest.approx(reverse_information(table), rel=0.05)


def test_pairs_of_many_variables_are_those_of_their_tables() -> None:
    rng = np.random.default_rng(7)
    cards = (2, 3, 4)
    codes = [rng.integers(0, card, 80) for card in cards]
    cells = np.concatenate([np.eye(c)[x] for c, x in zip(cards, codes, strict=True)], axis=1)
    for test in (SANOV, CHI_SQUARE, G):
        values, rows = pair_statistics(cells.T @ cells, np.array([0, 2, 5]), test)
        assert (rows == 80).all()
        for u, v in ((0, 1), (0, 2), (1, 2)):
            table = np.zeros((cards[u], cards[v]))
            np.add.at(table, (codes[u], codes[v]), 1)
            one = scaled_chi_square(table) if test == CHI_SQUARE else information(table)
            assert values[u, v] == pytest.approx(one)
            assert values[v, u] == pytest.approx(one)
