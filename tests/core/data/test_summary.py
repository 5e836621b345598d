"""Bars, entropies, all pairs and missing patterns: laws and worked numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import chi2_contingency

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.summary import (
    associations,
    entropy_bits,
    missing_patterns,
    summarise,
)
from pgmstudio.core.data.variables import Domain
from tests.core.data.small_data import data_sets


def expanded(data: DataSet) -> DataSet:
    assert data.weights is not None
    rows = np.repeat(np.arange(data.row_count), data.weights.astype(int))
    return DataSet(data.domain, data.codes[:, rows])


@given(data_sets(weighted=True))
def test_bars_of_weighted_rows_are_those_of_repeated_rows(data: DataSet) -> None:
    for weighted, repeated in zip(summarise(data), summarise(expanded(data)), strict=True):
        assert weighted.counts == pytest.approx(repeated.counts)
        assert weighted.missing == pytest.approx(repeated.missing)
        assert weighted.entropy_bits == pytest.approx(repeated.entropy_bits)
        assert weighted.missing_rate == pytest.approx(repeated.missing_rate)


@settings(max_examples=60)
@given(data_sets(weighted=True))
def test_pairs_of_weighted_rows_are_those_of_repeated_rows(data: DataSet) -> None:
    weighted, repeated = associations(data), associations(expanded(data))
    assert weighted.information_bits == pytest.approx(repeated.information_bits, abs=1e-9)
    assert weighted.g2 == pytest.approx(repeated.g2, abs=1e-9)
    assert np.array_equal(weighted.degrees, repeated.degrees)
    assert weighted.p_values == pytest.approx(repeated.p_values, abs=1e-9)


@given(data_sets(weighted=True))
def test_missing_patterns_of_weighted_rows_are_those_of_repeated_rows(data: DataSet) -> None:
    def by_pattern(of: DataSet) -> dict[tuple[bool, ...], float]:
        result = missing_patterns(of)
        pairs = zip(result.patterns.tolist(), result.weights.tolist(), strict=True)
        return {tuple(pattern): weight for pattern, weight in pairs if weight}

    assert by_pattern(data) == by_pattern(expanded(data))


@given(data_sets(weighted=False))
def test_every_row_and_missing_cell_is_in_one_pattern(data: DataSet) -> None:
    result = missing_patterns(data)
    assert result.weights.sum() == data.row_count
    assert (result.patterns * result.weights[:, None]).sum(axis=0).tolist() == list(
        data.missing_counts
    )
    assert (np.diff(result.weights) <= 0).all()


def test_a_fair_coin_has_one_bit_and_a_certain_one_none() -> None:
    assert entropy_bits(np.array([5.0, 5.0])) == pytest.approx(1)
    assert entropy_bits(np.array([5.0, 0.0])) == 0
    assert entropy_bits(np.zeros(2)) == 0


def test_a_copied_coin_shares_one_bit_with_its_copy() -> None:
    coin = np.array([0, 1] * 50, dtype=np.uint8)
    data = DataSet(Domain.of({"x": "ab", "copy": "ab"}), np.vstack([coin, coin]))
    result = associations(data)
    assert result.information_bits == pytest.approx(np.ones((2, 2)))
    assert result.p_values[0, 1] < 1e-20


def test_p_values_are_those_of_the_g_test() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 400).astype(np.uint8)
    y = np.where(rng.random(400) < 0.2, x % 2, rng.integers(0, 2, 400)).astype(np.uint8)
    data = DataSet(Domain.of({"x": "abcd", "y": "pq"}), np.vstack([x, y]))
    table = np.zeros((3, 2))
    np.add.at(table, (x, y), 1)
    g2, p, degrees, _ = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    result = associations(data)
    assert result.g2[0, 1] == pytest.approx(g2)
    assert result.degrees[0, 1] == degrees == 2  # the state “d” of x never occurs
    assert result.p_values[0, 1] == pytest.approx(p)


def test_independent_columns_of_a_full_table_share_nothing() -> None:
    x, y = np.divmod(np.arange(12), 3)
    data = DataSet(Domain.of({"x": "abcd", "y": "pqr"}), np.vstack([x, y]).astype(np.uint8))
    result = associations(data)
    assert result.information_bits[0, 1] == pytest.approx(0, abs=1e-12)
    assert result.p_values[0, 1] == pytest.approx(1)


def test_a_pair_is_judged_by_the_rows_that_have_both() -> None:
    x = np.array([0, 1, 0, 1, 255, 255, 0], dtype=np.uint8)
    y = np.array([0, 1, 0, 1, 0, 1, 255], dtype=np.uint8)
    data = DataSet(Domain.of({"x": "ab", "y": "ab"}), np.vstack([x, y]))
    assert associations(data).information_bits[0, 1] == pytest.approx(1)


@settings(max_examples=40)
@given(data_sets())
def test_no_pair_shares_more_than_a_column_has(data: DataSet) -> None:
    result = associations(data.complete_rows())
    entropies = np.diag(result.information_bits)
    assert (result.information_bits <= np.minimum.outer(entropies, entropies) + 1e-9).all()
    assert np.array_equal(result.information_bits, result.information_bits.T)
    assert ((result.p_values >= 0) & (result.p_values <= 1)).all()
