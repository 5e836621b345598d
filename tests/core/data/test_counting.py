"""Counts against a plain loop over rows."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pgmstudio.core.data.counting import (
    FamilyCounter,
    grouped_rows,
    joint_counts,
    pair_counts,
    plain_counts,
)
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import Cancelled, TooLargeError
from pgmstudio.core.execution.events import StopSwitch


def domain_of(cards: Sequence[int]) -> Domain:
    return Domain(
        tuple(
            Variable(f"v{i}", tuple(f"s{state}" for state in range(card)))
            for i, card in enumerate(cards)
        )
    )


def random_data(
    cards: Sequence[int], rows: int, seed: int, missing: float = 0.0, weighted: bool = False
) -> DataSet:
    rng = np.random.default_rng(seed)
    domain = domain_of(cards)
    dtype = code_dtype(domain)
    # Squared draws, so that some states are rare.
    codes = np.array([(rng.random(rows) ** 2 * card).astype(dtype) for card in cards])
    codes[rng.random(codes.shape) < missing] = np.iinfo(dtype).max
    weights = rng.integers(0, 4, rows).astype(np.float64) if weighted else None
    return DataSet(domain, codes, weights)


def counted_row_by_row(data: DataSet, variables: Sequence[int]) -> NDArray[np.float64]:
    counts = np.zeros([data.domain.cardinalities[v] for v in variables])
    for row in range(data.row_count):
        state = tuple(int(data.codes[v, row]) for v in variables)
        if data.missing_code not in state:
            counts[state] += 1 if data.weights is None else data.weights[row]
    return counts


CARDS = st.lists(st.sampled_from([1, 2, 3, 5, 20, 40]), min_size=2, max_size=4)
SEEDS = st.integers(0, 2**32)
ROWS = st.sampled_from([0, 1, 63, 64, 65, 300])
MISSING = st.sampled_from([0.0, 0.3])


@settings(max_examples=60)
@given(CARDS, ROWS, SEEDS, MISSING, st.booleans())
def test_every_pair_is_counted_as_row_by_row(
    cards: list[int], rows: int, seed: int, missing: float, weighted: bool
) -> None:
    data = random_data(cards, rows, seed, missing, weighted)
    pairs = pair_counts(data)
    for i, j in itertools.permutations(range(len(cards)), 2):
        assert np.array_equal(pairs.table(i, j), counted_row_by_row(data, (i, j)))


@settings(max_examples=60)
@given(CARDS, ROWS, SEEDS, MISSING, st.booleans())
def test_joint_counts_are_those_of_a_loop_over_rows(
    cards: list[int], rows: int, seed: int, missing: float, weighted: bool
) -> None:
    data = random_data(cards, rows, seed, missing, weighted)
    for size in range(len(cards) + 1):
        variables = list(range(len(cards)))[::-1][:size]
        assert np.array_equal(joint_counts(data, variables), counted_row_by_row(data, variables))
        assert np.array_equal(plain_counts(data, variables), counted_row_by_row(data, variables))


@settings(max_examples=60)
@given(CARDS, ROWS, SEEDS, MISSING, st.booleans())
def test_joining_one_more_column_counts_the_larger_table(
    cards: list[int], rows: int, seed: int, missing: float, weighted: bool
) -> None:
    data = random_data([*cards, 2], rows, seed, missing, weighted)
    counter = FamilyCounter(data)
    members, others = [1, 0], np.array(range(2, len(cards) + 1), dtype=np.int64)
    (joined,) = counter.joined(members, others)
    for other, offset in zip(others, joined.offsets, strict=True):
        expected = counted_row_by_row(data, (*members, other))
        result = joined.flat[offset : offset + expected.size].reshape(expected.shape)
        assert np.array_equal(result, expected)
    assert np.array_equal(counter.counts(members), counted_row_by_row(data, members))


def test_chunks_of_rows_add_up() -> None:
    data = random_data([2, 3, 40, 4, 6], 100_003, seed=5, missing=0.01)
    everything = joint_counts(data, range(5))
    pairs, counter = pair_counts(data), FamilyCounter(data)
    complete = random_data([2, 3, 40, 4, 6], 100_003, seed=5)
    marginal = joint_counts(complete, range(5)).sum(axis=(1, 3, 4))
    assert np.array_equal(pair_counts(complete).table(0, 2), marginal)
    assert np.array_equal(pairs.table(0, 2), counter.counts([0, 2]))
    assert np.array_equal(everything, counter.counts(range(5)))


def test_many_valued_columns_need_wide_codes_and_are_counted_equally() -> None:
    data = random_data([300, 2, 700], 5_000, seed=1)
    assert data.codes.dtype == np.uint16
    assert np.array_equal(pair_counts(data).table(0, 2), counted_row_by_row(data, (0, 2)))
    assert np.array_equal(FamilyCounter(data).counts([0, 1]), counted_row_by_row(data, (0, 1)))


def test_a_table_that_cannot_fit_is_refused_with_its_size() -> None:
    data = random_data([300, 300, 300, 300], 10, seed=1)
    with pytest.raises(TooLargeError, match="8,100,000,000"):
        joint_counts(data, range(4))


@settings(max_examples=30)
@given(SEEDS, st.booleans())
def test_grouping_rows_changes_no_count(seed: int, weighted: bool) -> None:
    data = random_data([2, 3, 2], 200, seed, weighted=weighted)
    grouped = grouped_rows(data)
    assert grouped.row_count <= 12
    assert np.array_equal(joint_counts(grouped, (2, 0, 1)), joint_counts(data, (2, 0, 1)))


def test_rows_are_not_grouped_where_that_loses_missing_cells_or_does_not_pay() -> None:
    missing = random_data([2, 2], 200, seed=2, missing=0.2)
    sparse = random_data([9, 9, 9], 200, seed=2)
    assert grouped_rows(missing) is missing
    assert grouped_rows(sparse) is sparse


def test_counting_stops_when_asked() -> None:
    data = random_data([2, 3, 4], 100, seed=3)
    pressed = StopSwitch()
    pressed.cancel()
    with pytest.raises(Cancelled):
        pair_counts(data, pressed)
    with pytest.raises(Cancelled):
        joint_counts(data, (0, 1), pressed)
    with pytest.raises(Cancelled):
        list(FamilyCounter(data).joined((0,), np.array([1, 2]), pressed))


def test_rows_that_are_all_different_are_counted_equally() -> None:
    # The most joint states a few hundred rows can have, at every length of the last chunk.
    states = np.arange(640)
    for count in range(60, 641, 29):
        codes = np.array([states[:count] // 32, states[:count] % 32, states[:count] % 2])
        data = DataSet(domain_of([20, 32, 2]), codes.astype(np.uint8))
        (joined,) = FamilyCounter(data).joined([0, 1], np.array([2]))
        expected = counted_row_by_row(data, (0, 1, 2))
        assert np.array_equal(joined.flat, expected.ravel())
