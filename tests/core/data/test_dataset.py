"""Data sets: codes, missing cells, weights, and that nobody can change them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError
from tests.core.data.small_data import data_sets

SKY = Domain.of({"sky": ("clear", "grey"), "rain": ("no", "yes", "hail")})


def test_rows_of_state_names_become_columns_of_codes() -> None:
    data = DataSet.from_rows(SKY, [("clear", "no"), ("grey", None), ("grey", "hail")])
    assert data.codes.tolist() == [[0, 1, 1], [0, 255, 2]]
    assert data.missing_counts == (0, 1)
    assert data.incomplete_row_count == 1
    assert data.complete_rows().row_count == 2


def test_a_data_set_cannot_be_changed_also_after_it_was_sent_to_another_process() -> None:
    data = DataSet(SKY, np.zeros((2, 3), dtype=np.uint8), np.ones(3))
    for sealed in (data, pickle.loads(pickle.dumps(data))):
        with pytest.raises(ValueError, match="read-only"):
            sealed.codes[0, 0] = 1
        with pytest.raises(ValueError, match="read-only"):
            sealed.weights[0] = 2


def test_a_code_without_a_state_is_refused_with_its_row() -> None:
    with pytest.raises(DataError, match="Row 2 of sky"):
        DataSet(SKY, np.array([[0, 2], [0, 0]], dtype=np.uint8))


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [1.0, float("nan")]])
def test_weights_are_one_per_row_finite_and_not_negative(weights: list[float]) -> None:
    with pytest.raises(DataError, match="weights"):
        DataSet(SKY, np.zeros((2, 2), dtype=np.uint8), np.array(weights))


def test_wide_variables_need_wide_codes_and_the_missing_code_follows() -> None:
    wide = Domain((Variable("w", tuple(map(str, range(300)))), Variable("n", ("a", "b"))))
    assert code_dtype(wide) == np.uint16
    data = DataSet.from_rows(wide, [("299", None)])
    assert data.missing_code == 65535
    narrow = data.select_columns(["n"])
    assert narrow.codes.dtype == np.uint8
    assert narrow.missing_counts == (1,)


@given(data_sets())
def test_merging_equal_rows_keeps_every_weight(data: DataSet) -> None:
    merged = data.merged()
    assert merged.total_weight == pytest.approx(data.total_weight)
    rows = {tuple(row) for row in data.codes.T.tolist()}
    assert {tuple(row) for row in merged.codes.T.tolist()} == rows
    assert merged.row_count == len(rows)


@given(data_sets())
def test_the_fingerprint_knows_codes_weights_and_names(data: DataSet) -> None:
    same = DataSet(data.domain, data.codes.copy(), data.weights)
    assert same.fingerprint == data.fingerprint
    renamed = Domain(tuple(Variable(v.name + "'", v.states) for v in data.domain))
    assert DataSet(renamed, data.codes, data.weights).fingerprint != data.fingerprint
    if data.row_count:
        heavier = np.full(data.row_count, 7.0)
        assert DataSet(data.domain, data.codes, heavier).fingerprint != data.fingerprint
