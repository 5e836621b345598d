"""Splits: every row in one part, shares as asked, the same again from the same seed."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import Parts, Split, split, split_by_column
from pgmstudio.core.data.transforms import set_cell
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError
from tests.core.data.small_data import data_sets

shares_lists = st.lists(st.integers(1, 9), min_size=1, max_size=4).map(
    lambda parts: [part / sum(parts) for part in parts]
)


def cases_of(data: DataSet, made: Split) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Rows × parts: how many cases of the row the part has."""
    result = np.zeros((data.row_count, len(made.names)), dtype=np.int64)
    for part, rows in enumerate(made.indices):
        result[rows, part] = 1 if made.copies is None else made.copies[part]
    return result


def units(data: DataSet) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """How many rows each row stands for; one where its weight is not whole."""
    weights = np.ones(data.row_count) if data.weights is None else data.weights
    is_whole = bool((weights == np.floor(weights)).all())
    return (weights if is_whole else np.ones(data.row_count)).astype(np.int64)


@given(data_sets(max_rows=40), shares_lists, st.integers(0, 9))
def test_every_case_belongs_to_one_part_of_nearly_the_share_asked(
    data: DataSet, shares: list[float], seed: int
) -> None:
    made = split(data, shares, seed)
    cases = cases_of(data, made)
    assert cases.sum(axis=1).tolist() == units(data).tolist()
    assert made.row_count == data.row_count
    assert made.sizes == tuple(cases.sum(axis=0).tolist())
    for size, share in zip(made.sizes, shares, strict=True):
        assert abs(size - share * units(data).sum()) < 1


@given(data_sets(max_rows=40), shares_lists, st.integers(0, 9))
def test_a_stratified_split_shares_out_every_state(
    data: DataSet, shares: list[float], seed: int
) -> None:
    made = split(data, shares, seed, stratify="X0")
    column, cases = data.column("X0"), cases_of(data, made)
    for state in np.unique(column):
        exact = np.array(shares) * units(data)[column == state].sum()
        assert (abs(cases[column == state].sum(axis=0) - exact) < 1 + 1e-9).all()
    assert cases.sum(axis=1).tolist() == units(data).tolist()


def test_the_same_seed_gives_the_same_split_and_another_seed_another() -> None:
    data = DataSet(Domain.of({"x": "ab"}), np.zeros((1, 200), dtype=np.uint8))
    first, again, other = (split(data, [0.5, 0.5], seed) for seed in (1, 1, 2))
    assert np.array_equal(first.indices[0], again.indices[0])
    assert not np.array_equal(first.indices[0], other.indices[0])


@given(data_sets(max_rows=20))
def test_the_parts_of_a_split_recognise_their_rows(data: DataSet) -> None:
    made = split(data, [0.7, 0.3], 5)
    assert made.is_for(data)
    prints = tuple(part.fingerprint for part in made.parts(data))
    assert prints == made.part_fingerprints


def test_an_edited_data_set_can_still_be_split_but_is_noticed() -> None:
    data = DataSet(Domain.of({"x": "ab"}), np.zeros((1, 10), dtype=np.uint8))
    made = split(data, [0.5, 0.5], 0)
    edited = set_cell(data, 3, "x", "b")
    assert not made.is_for(edited)
    assert sum(part.row_count for part in made.parts(edited)) == 10
    with pytest.raises(DataError, match="10 rows"):
        made.parts(data.take_rows(slice(0, 4)))


def test_a_split_of_counts_does_not_fit_other_counts() -> None:
    codes = np.array([[0, 1]], dtype=np.uint8)
    data = DataSet(Domain.of({"x": "ab"}), codes, np.array([6.0, 4.0]))
    made = split(data, [0.5, 0.5], 0)
    assert [part.total_weight for part in made.parts(data)] == [5, 5]
    for weights in (None, np.array([5.0, 5.0])):
        with pytest.raises(DataError, match="other weights"):
            made.parts(DataSet(data.domain, codes, weights))


def test_the_rows_of_a_split_cannot_be_changed_also_after_a_journey() -> None:
    data = DataSet(Domain.of({"x": "ab"}), np.zeros((1, 10), dtype=np.uint8))
    made = split(data, [0.5, 0.5], 0)
    for sealed in (made, pickle.loads(pickle.dumps(made))):
        with pytest.raises(ValueError, match="read-only"):
            sealed.indices[0][0] = 9


def test_a_column_can_say_which_part_a_row_belongs_to() -> None:
    domain = Domain.of({"x": "ab", "part": ("test", "train", "unused")})
    data = DataSet(domain, np.array([[0, 1, 1, 0], [1, 0, 1, 1]], dtype=np.uint8))
    rest, made = split_by_column(data, "part")
    assert rest.domain.names == ("x",)
    assert made.names == ("test", "train")
    assert [rows.tolist() for rows in made.indices] == [[1], [0, 2, 3]]


def test_splitting_by_a_column_with_missing_cells_is_refused() -> None:
    data = DataSet(Domain.of({"part": "ab"}), np.array([[0, 255]], dtype=np.uint8))
    with pytest.raises(DataError, match="row 2"):
        split_by_column(data, "part")


@pytest.mark.parametrize("shares", [[], [0.5, 0.4], [1.5, -0.5]])
def test_shares_must_add_up_to_one(shares: list[float]) -> None:
    data = DataSet(Domain.of({"x": "ab"}), np.zeros((1, 4), dtype=np.uint8))
    with pytest.raises(DataError, match="add up to 1"):
        split(data, shares, 0)


@given(data_sets(), data_sets())
def test_three_files_become_one_data_set_and_its_split(one: DataSet, other: DataSet) -> None:
    parts = Parts(one, one, one)
    data, made = parts.joined()
    assert made.names == ("train", "valid", "test")
    for part in made.parts(data):
        assert np.array_equal(part.codes, one.codes)
    if one.domain != other.domain:
        with pytest.raises(DataError, match="same columns"):
            Parts(one, other, one).joined()
