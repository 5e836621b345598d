"""Where cut points go: laws of each method, and worked examples."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.data.discretization import METHODS, Discretisation, cuts_for
from pgmstudio.core.errors import ParameterError

numbers = st.floats(allow_nan=False, allow_infinity=False)
columns = st.lists(numbers | st.integers(-20, 20).map(float), max_size=40)
unsupervised = st.sampled_from([name for name in METHODS if name != "mdl"])


def points_of(values: list[float], method: str, bins: int = 5, **more: object) -> tuple[float, ...]:
    how = Discretisation(method, bins)
    return cuts_for("x", np.array(values, dtype=float), how, **more).points  # type: ignore[arg-type]


def counts_of(values: list[float], method: str, bins: int) -> list[int]:
    cuts = cuts_for("x", np.array(values, dtype=float), Discretisation(method, bins))
    return np.bincount(cuts.codes(np.array(values)), minlength=len(cuts.labels)).tolist()


@given(columns, unsupervised, st.integers(1, 8))
def test_cuts_lie_within_the_values_and_ascend(values: list[float], method: str, bins: int) -> None:
    points = points_of(values, method, bins)
    assert all(a < b for a, b in itertools.pairwise(points))
    if points:
        assert min(values) < points[0]
        assert points[-1] <= max(values)


@given(columns, st.sampled_from(["width", "frequency", "quantile", "kmeans"]), st.integers(1, 8))
def test_there_are_never_more_bins_than_asked_for(
    values: list[float], method: str, bins: int
) -> None:
    assert len(points_of(values, method, bins)) < bins


@given(columns, st.sampled_from(["frequency", "quantile", "kmeans"]), st.integers(1, 8))
def test_data_driven_cuts_leave_no_bin_empty(values: list[float], method: str, bins: int) -> None:
    if values:
        assert all(counts_of(values, method, bins))


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 4)), min_size=1, max_size=12),
    unsupervised,
)
def test_weights_count_as_repeated_rows(rows: list[tuple[int, int]], method: str) -> None:
    values = np.array([value for value, _ in rows], dtype=float)
    weights = np.array([weight for _, weight in rows], dtype=float)
    how = Discretisation(method, 3)
    weighted = cuts_for("x", values, how, weights=weights)
    repeated = cuts_for("x", np.repeat(values, weights.astype(int)), how)
    assert weighted == repeated


@given(columns, unsupervised)
def test_the_order_of_rows_and_missing_cells_do_not_matter(
    values: list[float], method: str
) -> None:
    shuffled = [*reversed(values), float("nan"), float("inf")]
    assert points_of(values, method) == points_of(shuffled, method)


def test_equal_width_cuts_the_range_into_equal_parts() -> None:
    assert points_of([0, 1, 2, 3, 10], "width", 5) == (2, 4, 6, 8)


def test_equal_width_cuts_are_rounded_only_where_no_value_changes_sides() -> None:
    values = np.random.default_rng(1).normal(size=5000).tolist()
    low, high = min(values), max(values)
    exact = [low + i * (high - low) / 7 for i in range(1, 7)]
    rounded = points_of(values, "width", 7)
    assert rounded == pytest.approx(exact, abs=(high - low) / 7 / 20)
    array = np.array(values)
    assert np.array_equal(
        np.searchsorted(exact, array, "right"), np.searchsorted(rounded, array, "right")
    )


def test_equal_frequency_gives_equal_counts_when_values_differ() -> None:
    values = np.random.default_rng(2).permutation(100).tolist()
    assert counts_of(values, "frequency", 5) == [20] * 5


def test_equal_frequency_keeps_equal_values_together() -> None:
    assert points_of([1] * 50 + [2, 3], "frequency", 5) == (2,)


@given(columns, st.integers(2, 8))
def test_quantiles_are_those_of_the_inverse_distribution(values: list[float], bins: int) -> None:
    shares = np.arange(1, bins) / bins
    array = np.array(values)
    exact = np.quantile(array, shares, method="inverted_cdf") if values else array
    expected = np.searchsorted(np.unique(exact[exact > array.min(initial=np.inf)]), array, "right")
    points = points_of(values, "quantile", bins)
    assert np.array_equal(np.searchsorted(points, array, "right"), expected)


def test_a_value_at_a_quantile_belongs_above_it() -> None:
    assert points_of([1] * 50 + [2, 3], "quantile", 5) == ()
    assert counts_of([1, 2, 2, 2, 3, 4], "quantile", 2) == [1, 5]
    assert counts_of([1, 2, 2, 2, 3, 4], "frequency", 2) == [4, 2]


def test_k_means_finds_the_groups_a_person_sees() -> None:
    points = points_of([1, 2, 3, 20, 21, 22, 50, 51], "kmeans", 3)
    assert len(points) == 2
    assert 3 < points[0] <= 20
    assert 22 < points[1] <= 50


@given(
    st.lists(st.integers(0, 30).map(float), min_size=4, max_size=9, unique=True), st.integers(2, 3)
)
def test_no_other_cuts_have_smaller_squared_distances_than_k_means(
    values: list[float], bins: int
) -> None:
    ordered = np.sort(values)

    def cost(starts: tuple[int, ...]) -> float:
        groups = np.split(ordered, list(starts))
        return float(sum(((group - group.mean()) ** 2).sum() for group in groups))

    best = min(cost(s) for s in itertools.combinations(range(1, len(values)), bins - 1))
    result = np.searchsorted(ordered, points_of(values, "kmeans", bins))
    assert cost(tuple(result.tolist())) == pytest.approx(best)


def test_k_means_of_many_values_is_no_worse_than_equal_frequency() -> None:
    values = np.random.default_rng(3).gamma(1.0, size=20_000)

    def cost(method: str) -> float:
        codes = np.searchsorted(points_of(values.tolist(), method, 6), values, "right")
        return float(
            sum(((values[codes == k] - values[codes == k].mean()) ** 2).sum() for k in range(6))
        )

    assert cost("kmeans") < cost("frequency")


def test_nice_cuts_are_round() -> None:
    values = np.random.default_rng(4).uniform(126.0, 564.0, 303).tolist()
    assert points_of(values, "nice", 5) == (200, 300, 400, 500)


def fayyad_irani(values: list[float], classes: list[int]) -> tuple[float, ...]:
    return cuts_for(
        "x",
        np.array(values, dtype=float),
        Discretisation("mdl", target="y"),
        target=np.array(classes),
        classes=max(classes) + 1,
    ).points


def test_mdl_cuts_where_the_class_changes_and_nowhere_else() -> None:
    values = [float(v) for v in range(40)]
    assert fayyad_irani(values, [0] * 20 + [1] * 20) == (20,)
    points = fayyad_irani(values, [0] * 13 + [1] * 14 + [0] * 13)
    assert points == (13, 27)


def test_mdl_makes_no_cut_when_the_class_is_chance() -> None:
    rng = np.random.default_rng(5)
    assert fayyad_irani(rng.normal(size=200).tolist(), rng.integers(0, 2, 200).tolist()) == ()


def test_mdl_accepts_a_cut_exactly_when_the_gain_pays_for_it() -> None:
    # Pure halves of N = 2: gain 1 bit, price (log2 1 + log2 7 - 2) / 2 = 0.404, so it pays.
    assert fayyad_irani([0, 1], [0, 1]) == (1,)
    # One other value among 8, at the far end: gain 0.544; the price is
    # (log2 7 + log2 7 - 2 · 0.544) / 8 = 0.566, so it does not.
    assert fayyad_irani([0, 1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 0, 0, 0, 0, 1]) == ()
    # Among 16 the gain is 0.337 and the price (log2 15 + log2 7 - 2 · 0.337) / 16 = 0.377: no.
    assert fayyad_irani([float(v) for v in range(16)], [0] * 15 + [1]) == ()
    # Two strangers among 16: gain 0.544, price (log2 15 + log2 7 - 2 · 0.544) / 16 = 0.352: yes.
    assert fayyad_irani([float(v) for v in range(16)], [0] * 14 + [1] * 2) == (14,)


def test_given_cuts_are_taken_as_they_are() -> None:
    how = Discretisation("cuts", points=(5, 3, 5))
    assert cuts_for("x", np.array([1.0]), how).points == (3, 5)


@pytest.mark.parametrize(
    "wrong", [{"method": "magic"}, {"bins": 0}, {"method": "mdl"}, {"bins": 5000}]
)
def test_a_request_that_cannot_be_fulfilled_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        Discretisation(**wrong)  # type: ignore[arg-type]
