"""Cases drawn at random: a table of counts is drawn from as the rows it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.data import resampling
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import bootstrap_rows, canonical, folds, hold_out, split
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError
from tests.core.data.small_data import data_sets

Drawn = Sequence[DataSet]
DRAWS: dict[str, Callable[[DataSet, int], Drawn]] = {
    "split": lambda data, seed: split(data, (0.6, 0.1, 0.3), seed).parts(data),
    "stratified split": lambda data, seed: split(data, (0.5, 0.5), seed, stratify="X0").parts(data),
    "held-out rows": lambda data, seed: hold_out(data, 0.3, np.random.default_rng(seed)),
    "folds": lambda data, seed: [
        part for fold in folds(data, 3, np.random.default_rng(seed)) for part in fold
    ],
    "bootstrap": lambda data, seed: [bootstrap_rows(data, np.random.default_rng(seed))],
}
every_draw = pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)


def cases(data: DataSet) -> Counter[frozenset[tuple[str, str | None]]]:
    """How often each row occurs, by names of columns and states."""
    result: Counter[frozenset[tuple[str, str | None]]] = Counter()
    weights = np.ones(data.row_count) if data.weights is None else data.weights
    for row, weight in zip(data.codes.T.tolist(), weights.tolist(), strict=True):
        cells = zip(data.domain, row, strict=True)
        messages = frozenset(
            (v.name, None if c == data.missing_code else v.states[c]) for v, c in cells
        )
        result[messages] += weight
    return +result


def expanded(data: DataSet) -> DataSet:
    assert data.weights is not None
    times = data.weights.astype(np.int64)
    rows = data.take_rows(np.repeat(np.arange(data.row_count), times))
    return DataSet(data.domain, rows.codes)


def rearranged(data: DataSet, rng: np.random.Generator) -> DataSet:
    """Rows, columns and states in another order."""
    columns = rng.permutation(len(data.domain))
    rows = rng.permutation(data.row_count)
    variables, codes = [], []
    for v in columns.tolist():
        variable = data.domain.variables[v]
        order = rng.permutation(variable.cardinality)
        variables.append(Variable(variable.name, tuple(variable.states[k] for k in order)))
        new = np.full(256, 255, dtype=np.uint8)
        new[order] = np.arange(order.size)
        codes.append(new[data.codes[v, rows]])
    weights = None if data.weights is None else data.weights[rows]
    return DataSet(Domain(tuple(variables)), np.array(codes), weights)


@every_draw
@given(data=data_sets(max_rows=30, weighted=True), seed=st.integers(0, 99))
def test_counts_are_drawn_from_as_the_rows_they_count(
    draw: Callable[[DataSet, int], Drawn], data: DataSet, seed: int
) -> None:
    rows = expanded(data)
    if rows.row_count == 0:
        return
    assert list(map(cases, draw(data, seed))) == list(map(cases, draw(rows, seed)))


@every_draw
@given(data=data_sets(max_rows=30), seed=st.integers(0, 99))
def test_the_order_of_rows_columns_and_states_does_not_matter(
    draw: Callable[[DataSet, int], Drawn], data: DataSet, seed: int
) -> None:
    if data.total_weight == 0:
        return
    other = rearranged(data, np.random.default_rng(seed))
    assert list(map(cases, draw(data, seed))) == list(map(cases, draw(other, seed)))


@given(data=data_sets(max_rows=30), seed=st.integers(0, 99), count=st.integers(1, 5))
def test_the_folds_of_a_table_are_its_cases(data: DataSet, seed: int, count: int) -> None:
    total = cases(data)
    held: Counter[frozenset[tuple[str, str | None]]] = Counter()
    sizes = []
    for train, fold in folds(data, count, np.random.default_rng(seed)):
        assert cases(train) + cases(fold) == total
        held += cases(fold)
        sizes.append(fold.total_weight)
    assert held == total
    assert max(sizes) - min(sizes) <= 1


def test_rows_are_held_out_as_often_as_their_share_of_the_cases() -> None:
    # 2 000 draws of 25 of 100 cases: the mean of a row with w cases is w/4, and its standard
    # deviation that of the hypergeometric distribution.
    weights = np.array([50.0, 30.0, 15.0, 5.0])
    data = DataSet(Domain.of({"x": "abcd"}), np.arange(4, dtype=np.uint8)[None, :], weights)
    rng = np.random.default_rng(0)
    means = np.zeros(4)
    for _ in range(2000):
        _, held = hold_out(data, 0.25, rng)
        assert held.weights is not None
        np.add.at(means, held.codes[0], held.weights / 2000)
    share = weights / 100
    error = np.sqrt(25 * share * (1 - share) * (75 / 99) / 2000)
    assert (abs(means - 25 * share) < 5 * error).all()


def test_a_row_of_a_weight_that_is_not_whole_stays_whole() -> None:
    weights = np.array([0.5, 2.25, 1.5, 0.25])
    data = DataSet(Domain.of({"x": "abcd"}), np.arange(4, dtype=np.uint8)[None, :], weights)
    train, held = hold_out(data, 0.5, np.random.default_rng(1))
    assert (train.row_count, held.row_count) == (2, 2)
    assert cases(train) + cases(held) == cases(data)
    drawn = bootstrap_rows(data, np.random.default_rng(1))
    assert drawn.total_weight == pytest.approx(data.total_weight)


def test_more_cases_than_can_be_dealt_one_by_one_are_dealt_row_by_row() -> None:
    weights = np.array([4e9, 1e9, 5e9])
    data = DataSet(Domain.of({"x": "abc"}), np.arange(3, dtype=np.uint8)[None, :], weights)
    with mock.patch.object(resampling, "MAX_CASES", 1000):
        train, held = hold_out(data, 0.2, np.random.default_rng(0))
    assert cases(train) + cases(held) == cases(data)
    assert held.total_weight == pytest.approx(2e9, rel=1e-3)


@given(data=data_sets(max_rows=20), seed=st.integers(0, 9))
def test_the_canonical_form_of_a_table_has_each_row_once_in_one_order(
    data: DataSet, seed: int
) -> None:
    one, other = canonical(data), canonical(rearranged(data, np.random.default_rng(seed)))
    assert cases(one) == cases(data)
    again = other.select_columns(one.domain.names)
    names = [
        [[v.states[c] if c != d.missing_code else None for c in column] for v, column in pairs]
        for d in (one, again)
        for pairs in [list(zip(d.domain, d.codes.tolist(), strict=True))]
    ]
    assert names[0] == names[1]


def test_rows_without_weight_leave_nothing_to_draw_from() -> None:
    data = DataSet(Domain.of({"x": "ab"}), np.zeros((1, 2), dtype=np.uint8), np.zeros(2))
    with pytest.raises(DataError, match="nothing to draw"):
        bootstrap_rows(data, np.random.default_rng(0))
