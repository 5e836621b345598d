"""Columns of a table that differ by at most ε fall into one class."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.languages.ldag.labels import column_classes

# P(travel | occupation, residence): two columns are near each other, the others are not.
TRAVEL = np.array([[0.48, 0.42, 0.10], [0.58, 0.24, 0.18], [0.56, 0.36, 0.08], [0.70, 0.21, 0.09]])


def test_the_least_distance_is_where_the_first_two_columns_fall_together() -> None:
    apart = column_classes(TRAVEL, 0.05)
    assert apart.classes == (0, 1, 2, 3)
    assert apart.next_epsilon == pytest.approx(0.08)
    assert apart.next_pair == ((0,), (2,))
    joined = column_classes(TRAVEL, 0.08)
    assert joined.classes == (0, 1, 0, 2)
    assert joined.members(0) == (0, 2)


def test_equal_columns_are_one_class_at_zero() -> None:
    same = column_classes(np.array([[0.2, 0.8], [0.5, 0.5], [0.2, 0.8]]), 0.0)
    assert same.classes == (0, 1, 0)


def test_one_column_is_one_class_and_nothing_comes_next() -> None:
    assert column_classes(np.array([[0.3, 0.7]]), 0.1).classes == (0,)
    assert column_classes(np.array([[0.3, 0.7], [0.4, 0.6]]), 1.0).next_epsilon is None


tables = st.integers(0, 10_000).map(
    lambda seed: np.random.default_rng(seed).dirichlet(np.ones(3), size=1 + seed % 9)
)


@given(tables, st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_any_two_columns_of_a_class_are_within_epsilon(columns: np.ndarray, epsilon: float) -> None:
    result = column_classes(columns, epsilon)
    for a, b in combinations(range(len(columns)), 2):
        if result.classes[a] == result.classes[b]:
            assert np.abs(columns[a] - columns[b]).max() <= epsilon + 1e-9


@given(tables, st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_at_the_next_epsilon_there_are_fewer_classes(columns: np.ndarray, epsilon: float) -> None:
    result = column_classes(columns, epsilon)
    if result.next_epsilon is None:
        assert result.count == 1
    else:
        assert result.next_epsilon > epsilon
        assert column_classes(columns, result.next_epsilon).count < result.count
