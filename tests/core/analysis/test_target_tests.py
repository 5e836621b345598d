"""Which columns tell something about a target: p-values, corrections, and who is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.analysis.feature_selection import (
    corrected,
    p_value_text,
    significant_columns,
    target_tests,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.summary import associations
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError, UnknownNameError

P_VALUES = st.lists(st.floats(0, 1), max_size=12)


def some_rows() -> DataSet:
    """b copies t most of the time, c now and then, d never; a has one state only."""
    rng = np.random.default_rng(3)
    t = rng.integers(0, 2, 2000)
    b = np.where(rng.random(2000) < 0.9, t, 1 - t)
    c = np.where(rng.random(2000) < 0.2, t, rng.integers(0, 2, 2000))
    d = np.tile([0, 1], 1000)
    codes = np.array([np.zeros(2000), b, c, d, t], dtype=np.uint8)
    states = {name: ["no", "yes"] for name in "abcdt"}
    return DataSet(Domain.of(states), codes)


def test_p_values_and_bits_are_those_of_all_pairs_and_the_surest_come_first() -> None:
    data = some_rows()
    result, pairs = target_tests(data, "t"), associations(data)
    position = data.domain.index("t")
    for row in result:
        other = data.domain.index(row.column)
        assert row.p_value == pytest.approx(float(pairs.p_values[other, position]), rel=1e-9)
        assert row.bits == pytest.approx(float(pairs.information_bits[other, position]), abs=1e-12)
    assert [row.p_value for row in result] == sorted(row.p_value for row in result)
    assert {row.column for row in result} == set("abcd")


def test_columns_below_the_threshold_are_kept_and_a_column_of_one_state_never_is() -> None:
    result = target_tests(some_rows(), "t")
    assert set(significant_columns(result)) == {"b", "c"}
    assert next(row for row in result if row.column == "a").p_value == 1


def test_an_unknown_target_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError):
        target_tests(some_rows(), "tt")


def test_too_many_states_are_reported_and_not_tested() -> None:
    rows = np.arange(1200, dtype=np.uint16)
    names = [str(k) for k in range(1200)]
    data = DataSet(Domain.of({"a": names, "b": names}), np.array([rows, rows]))
    (row,) = target_tests(data, "b")
    assert row.outcome is None
    assert significant_columns([row]) == ()


def test_holm_and_bonferroni_of_a_worked_example() -> None:
    p_values = [0.01, 0.04, 0.03, 0.005]
    assert corrected(p_values, "bonferroni") == pytest.approx([0.04, 0.16, 0.12, 0.02])
    assert corrected(p_values, "holm") == pytest.approx([0.03, 0.06, 0.06, 0.02])
    with pytest.raises(ParameterError):
        corrected(p_values, "fdr")


@given(P_VALUES)
def test_holm_lies_between_the_p_values_and_bonferroni_and_keeps_their_order(
    p_values: list[float],
) -> None:
    holm, most = corrected(p_values, "holm"), corrected(p_values, "bonferroni")
    assert corrected(p_values, "none") == p_values
    for p, middle, high in zip(p_values, holm, most, strict=True):
        assert p <= middle <= high <= 1
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    assert [holm[k] for k in order] == sorted(holm)


def test_tiny_p_values_are_reported_by_their_size() -> None:
    assert [p_value_text(p) for p in (0.5896, 3e-68, 0.0)] == ["0.5896", "3e−68", "< 1e−300"]
