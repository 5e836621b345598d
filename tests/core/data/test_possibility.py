"""Possibility distributions of imprecise rows: projections by closure against all joint states."""

from __future__ import annotations

import itertools
import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.imprecise import (
    ImpreciseData,
    allowed_states,
    as_imprecise,
    as_precise,
    cell_text,
    states_of_text,
    with_cells,
)
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.data.transforms import (
    impute_mode,
    merge_states,
    rename_states,
    reorder_states,
    rows_over,
    set_cell,
    stacked,
)
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError, PgmStudioError

AB = Domain.of({"A": ("a1", "a2"), "B": ("b1", "b2")})


def random_imprecise(rng: np.random.Generator, variables: int, rows: int) -> ImpreciseData:
    """Rows with about a third of the cells as sets; weighted."""
    cards = rng.integers(1, 5, variables)
    domain = Domain.of({f"v{i}": map(str, range(card)) for i, card in enumerate(cards)})
    cells = [
        [
            v.states[int(rng.integers(v.cardinality))]
            if rng.random() < 0.6
            else [s for s in v.states if rng.random() < 0.6] or [v.states[0]]
            for v in domain
        ]
        for _ in range(rows)
    ]
    data = ImpreciseData.from_cells(domain, cells)
    return ImpreciseData(domain, data.codes, rng.integers(1, 4, rows).astype(float), data.sets)


def listed_degrees(data: DataSet) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """π of every joint state, by looking at every row."""
    allowed = allowed_states(data)
    result = np.zeros(data.domain.cardinalities)
    for cell in itertools.product(*map(range, data.domain.cardinalities)):
        holds = np.ones(data.row_count, dtype=bool)
        for table, state in zip(allowed, cell, strict=True):
            holds &= table[:, state]
        result[cell] = data.row_weights[holds].sum()
    return result / data.total_weight


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_projections_by_closure_are_the_largest_degrees(seed: int) -> None:
    # relational-and-possibilistic.md, §13, 22, as the next
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 5))
    data = random_imprecise(rng, count, int(rng.integers(1, 12)))
    expected = listed_degrees(data)
    distribution = PossibilityDistribution.of(data)
    assert distribution.is_exact
    assert distribution.top == pytest.approx(expected.max())
    for size in range(1, count + 1):
        for scope in combinations(range(count), size):
            others = tuple(v for v in range(count) if v not in scope)
            assert distribution.projection(scope) == pytest.approx(expected.max(axis=others))
    cells = np.indices(expected.shape).reshape(count, -1)
    assert distribution.degrees_of(cells) == pytest.approx(expected.ravel())


def test_weights_are_not_summed() -> None:
    # §13, 22: summation would give 2/3 for a1.
    rows = DataSet.from_rows(AB, [("a1", "b1"), ("a1", "b2"), ("a2", "b1")])
    projection = PossibilityDistribution.of(rows).projection([0])
    assert projection == pytest.approx([1 / 3, 1 / 3])
    imprecise = ImpreciseData.from_cells(AB, [("a1", ["b1", "b2"]), ("a1", "b2"), ("a2", "b1")])
    assert PossibilityDistribution.of(imprecise).projection([0]) == pytest.approx([2 / 3, 1 / 3])


def test_degrees_can_be_rescaled_to_a_largest_of_1() -> None:
    rows = DataSet.from_rows(AB, [("a1", "b1"), ("a1", "b1"), ("a2", "b1")])
    assert PossibilityDistribution.of(rows, rescaled=True).projection([0]).tolist() == [1.0, 0.5]


def test_beyond_the_limit_degrees_are_drawn_and_never_too_large() -> None:
    rng = np.random.default_rng(1)
    data = random_imprecise(rng, 4, 14)
    exact = PossibilityDistribution.of(data)
    drawn = PossibilityDistribution.of(data, max_closure=5)
    assert not drawn.is_exact
    for scope in combinations(range(4), 2):
        assert (drawn.projection(scope) <= exact.projection(scope) + 1e-12).all()
        assert drawn.projection(scope).any()


def test_many_states_fit_into_several_words() -> None:
    domain = Domain.of({"a": map(str, range(100)), "b": map(str, range(40)), "c": "01"})
    rows = [("7", None, "1"), (["7", "99"], "3", None), ("99", ["3", "39"], "0")]
    data = ImpreciseData.from_cells(domain, rows)
    distribution = PossibilityDistribution.of(data)
    assert distribution.projection([0])[[7, 99, 5]] == pytest.approx([2 / 3, 2 / 3, 0])


def test_imprecise_cells_stay_with_their_rows_and_columns() -> None:
    data = ImpreciseData.from_cells(
        Domain.of({"c": ("red", "green", "blue"), "s": ("x", "y")}),
        [(["green", "red"], "x"), ("blue", None), (["blue"], ["x", "y"])],
    )
    texts = [[cell_text(data, v, row) for v in range(2)] for row in range(3)]
    assert texts == [["{red,green}", "x"], ["blue", "*"], ["blue", "*"]]
    turned = data.take_rows(np.array([1, 0, 0])).select_columns(["s", "c"])
    assert isinstance(turned, ImpreciseData)
    assert cell_text(turned, 1, 2) == "{red,green}"
    again = pickle.loads(pickle.dumps(turned))
    assert cell_text(again, 1, 1) == "{red,green}"
    with pytest.raises(DataError, match="does not exist"):
        ImpreciseData(data.domain, data.codes, None, {(0, 0): frozenset({7})})


def objects() -> ImpreciseData:
    domain = Domain.of({"c": ("red", "green", "blue"), "s": ("x", "y")})
    return ImpreciseData.from_cells(domain, [(["red", "green"], "x"), ("blue", None), (None, "y")])


def texts_of(data: DataSet) -> list[list[str]]:
    return [[cell_text(data, v, row) for v in range(2)] for row in range(data.row_count)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{green, blue}", "{green,blue}"),
        ("{blue;red}", "{red,blue}"),
        ("{red}", "red"),
        (" blue ", "blue"),
        ("{red,green,blue}", "*"),
        ("*", "*"),
        ("", "*"),
    ],
)
def test_a_typed_cell_is_a_state_a_set_or_unknown(text: str, shown: str) -> None:
    data = objects()
    states = states_of_text(data.domain["c"], text)
    assert cell_text(with_cells(data, {(0, 0): states}), 0, 0) == shown


@pytest.mark.parametrize(
    ("text", "message"),
    [("{red,", "not a set"), ("{}", "not a set"), ("{red,purple}", "purple"), ("x", "“x”")],
)
def test_wrong_text_of_a_cell_is_refused(text: str, message: str) -> None:
    with pytest.raises(PgmStudioError, match=message):
        states_of_text(objects().domain["c"], text)


def test_precise_rows_take_no_set_until_they_are_made_imprecise() -> None:
    precise = as_precise(objects())
    assert texts_of(precise)[0] == ["*", "x"]
    both = {(0, 1): frozenset({0, 2})}
    with pytest.raises(DataError, match="Row 2 of c can have one state"):
        with_cells(precise, both)
    assert texts_of(with_cells(as_imprecise(precise), both))[1] == ["{red,blue}", "*"]


def test_edits_of_states_rows_and_cells_keep_the_sets() -> None:
    data = objects()
    renamed = rename_states(data, "c", {"red": "R"})
    assert texts_of(renamed)[0] == ["{R,green}", "x"]
    assert texts_of(merge_states(data, "c", ["red", "green"], "warm"))[0] == ["warm", "x"]
    assert texts_of(reorder_states(data, "c", ["blue", "green", "red"]))[0] == ["{green,red}", "x"]
    assert texts_of(stacked([data, data]))[3] == ["{red,green}", "x"]
    wider = Domain((Variable("new", ("0", "1")), *data.domain.variables))
    assert cell_text(rows_over(data, wider), 1, 0) == "{red,green}"
    # A set that is filled is forgotten.
    assert texts_of(set_cell(data, 0, "c", "blue"))[0] == ["blue", "x"]
    assert texts_of(impute_mode(data))[0] == ["blue", "x"]
    assert texts_of(set_cell(data, 0, "c", None))[0] == ["*", "x"]
