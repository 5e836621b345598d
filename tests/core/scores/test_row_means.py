"""Means over weighted rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pgmstudio.core.scores.row_means import mean_of

rows = st.lists(st.tuples(st.floats(-50, 0), st.integers(0, 4)), min_size=2, max_size=20).filter(
    lambda pairs: sum(count for _, count in pairs) >= 2
)


@given(rows)
def test_a_weight_counts_as_that_many_equal_rows(pairs: list[tuple[float, int]]) -> None:
    values, counts = np.array([v for v, _ in pairs]), np.array([c for _, c in pairs])
    weighted = mean_of(values, counts.astype(float))
    expanded = mean_of(np.repeat(values, counts))
    assert weighted.value == pytest.approx(expanded.value)
    assert weighted.standard_error == pytest.approx(expanded.standard_error, abs=1e-12)
    assert weighted.rows == expanded.rows


def test_the_interval_is_students() -> None:
    values = np.random.default_rng(0).normal(size=12)
    mean = mean_of(values)
    expected = stats.t.interval(0.95, 11, loc=values.mean(), scale=stats.sem(values))
    assert mean.interval() == pytest.approx(expected)


def test_an_impossible_row_makes_the_mean_minus_infinity_and_leaves_the_error_open() -> None:
    mean = mean_of(np.array([-1.0, -np.inf]))
    assert mean.value == -math.inf
    assert mean.standard_error is None
    assert mean.interval() is None


def test_an_impossible_row_of_weight_zero_does_not_matter() -> None:
    assert mean_of(np.array([-1.0, -np.inf]), np.array([2.0, 0.0])).value == -1.0


def test_one_row_has_a_mean_but_no_error() -> None:
    assert mean_of(np.array([-3.0])).standard_error is None
    assert math.isnan(mean_of(np.array([])).value)
