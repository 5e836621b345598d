"""Cut points, the names of intervals, and the way back from names to cut points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.data.discretization import Cuts, cuts_from_labels, number_text
from pgmstudio.core.errors import DataError

finite = st.floats(allow_nan=False, allow_infinity=False)
point_lists = st.lists(finite.map(lambda x: x + 0.0), max_size=6, unique=True).map(sorted)


def test_intervals_are_named_by_their_ends_and_hold_their_lower_one() -> None:
    cuts = Cuts("chol", (240, 265))
    assert cuts.labels == ("<240", "240–265", "≥265")
    assert cuts.codes(np.array([239.9, 240, 264, 265, 999, -5])).tolist() == [0, 1, 1, 2, 2, 0]


def test_a_missing_number_is_a_missing_code_and_infinity_an_end() -> None:
    codes = Cuts("x", (0.0,)).codes(np.array([np.nan, -np.inf, np.inf]))
    assert codes.tolist() == [np.iinfo(codes.dtype).max, 0, 1]


@given(point_lists)
def test_labels_differ_and_give_the_cuts_back(points: list[float]) -> None:
    cuts = Cuts("x", tuple(points))
    assert len(set(cuts.labels)) == len(points) + 1
    assert cuts_from_labels("x", cuts.labels) == cuts


@given(st.lists(st.text(max_size=4), min_size=1, max_size=5, unique=True))
def test_names_that_are_no_intervals_give_no_cuts(states: list[str]) -> None:
    result = cuts_from_labels("x", states)
    assert result is None or result.labels == tuple(states)


@given(finite)
def test_the_text_of_a_number_reads_back_as_the_number(number: float) -> None:
    assert float(number_text(number)) == number


@given(point_lists, st.lists(finite, min_size=1, max_size=8))
def test_codes_say_between_which_cuts_a_value_lies(
    points: list[float], values: list[float]
) -> None:
    codes = Cuts("x", tuple(points)).codes(np.array(values))
    for value, code in zip(values, codes.tolist(), strict=True):
        assert code == sum(point <= value for point in points)


@pytest.mark.parametrize(
    ("points", "labels"),
    [((2, 1), ()), ((1, 1), ()), ((float("nan"),), ()), ((1,), ("a",)), ((1,), ("a", "a"))],
)
def test_cuts_must_ascend_and_names_must_differ(
    points: tuple[float, ...], labels: tuple[str, ...]
) -> None:
    with pytest.raises(DataError):
        Cuts("x", points, labels)
