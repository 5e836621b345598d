"""The measures of the lecture: worked numbers and identities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.scores.association_measures import (
    MEASURES,
    Setting,
    Table,
    conditional_gain,
    entropy,
    measures_of,
    nonspecificity,
    slice_gains,
)
from pgmstudio.core.scores.local import score_of
from tests.core.learning.lecture_data import GEOMETRIC

# relational-and-possibilistic.md, §5.2 and §13, 8: H(A), H(B), H(AB), gain, gain/H(B), gain/H(A),
# the two symmetric ratios and χ² on the ten objects.
GEOMETRIC_PAIRS = [
    ("color shape", "1.846439 1.521928 2.521928 0.846439 0.556163 0.458417 0.335632 0.251291 10"),
    (
        "color size",
        "1.846439 1.370951 2.921928 0.295462 0.215516 0.160017 0.101119 0.091833 3.0556",
    ),
    (
        "shape size",
        "1.521928 1.370951 2.321928 0.570951 0.416463 0.375150 0.245895 0.197364 6.6667",
    ),
]


SCORES = ("k2", "bdeu", "bic", "aic", "aic_half", "loglik")
PAIR_MEASURES = [measure for measure in MEASURES.values() if not measure.is_conditional]
# Those that are 0 where there is no dependence.
DEPENDENCES = [m for m in PAIR_MEASURES if m.key not in (*SCORES, "rel_relative")]


def value(key: str, counts: Table) -> float:
    return MEASURES[key].value(counts)


@pytest.mark.parametrize(("pair", "numbers"), GEOMETRIC_PAIRS)
def test_the_ten_objects_have_their_values(pair: str, numbers: str) -> None:
    table = joint_counts(GEOMETRIC, [GEOMETRIC.domain.index(name) for name in pair.split()])
    result = [
        entropy(table.sum(axis=1)),
        entropy(table.sum(axis=0)),
        entropy(table),
        value("info_gain", table),
        value("gain_ratio", table.T),
        value("gain_ratio", table),
        value("sym_gain_ratio1", table),
        value("sym_gain_ratio2", table),
    ]
    *expected, chi2 = map(float, numbers.split())
    assert result == pytest.approx(expected, abs=1e-6)
    assert value("chi2", table) == pytest.approx(chi2, abs=1e-4)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Counts of up to 5 × 4 states, some of them 0."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 4)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return rng.integers(0, 9, shape).astype(float)


@given(tables())
def test_symmetric_measures_do_not_see_which_is_the_parent(counts: Table) -> None:
    # §13, 10
    for measure in PAIR_MEASURES:
        if measure.symmetric:
            assert measure.value(counts) == pytest.approx(measure.value(counts.T), abs=1e-12)


def test_the_other_measures_do() -> None:
    counts = np.array([[7.0, 1, 2], [0, 3, 3]])
    for measure in PAIR_MEASURES:
        if not measure.symmetric:
            assert measure.value(counts) != pytest.approx(measure.value(counts.T), abs=1e-3)


@given(tables())
def test_information_gain_is_a_divergence_and_g2_a_multiple_of_it(counts: Table) -> None:
    # §13, 11, as the next
    total = counts.sum()
    if not total:
        return
    joint = counts / total
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    seen = joint > 0
    divergence = float((joint[seen] * np.log2(joint[seen] / apart[seen])).sum())
    assert value("info_gain", counts) == pytest.approx(divergence, abs=1e-12)
    assert value("g2", counts) == pytest.approx(2 * total * math.log(2) * divergence, abs=1e-9)


@given(tables())
def test_absolute_description_length_is_the_ratio_of_k2(counts: Table) -> None:
    k2 = score_of("k2", counts.sum())
    expected = k2.local(counts) - k2.local(counts.sum(axis=0, keepdims=True))
    assert value("mdl_abs", counts) * counts.sum() == pytest.approx(expected, abs=1e-8)


@given(tables())
def test_without_a_parent_and_without_rows_every_measure_is_0(counts: Table) -> None:
    for measure in DEPENDENCES:
        assert measure.value(counts.sum(axis=0, keepdims=True)) == pytest.approx(0, abs=1e-12)
        assert measure.value(np.zeros_like(counts)) == 0


@given(tables())
def test_parent_states_that_never_occur_change_nothing(counts: Table) -> None:
    wider = np.vstack([counts, np.zeros((2, counts.shape[1]))])
    for measure in DEPENDENCES:
        assert measure.value(wider) == pytest.approx(measure.value(counts), abs=1e-12)


@pytest.mark.parametrize("key", ["gain_ratio", "gini_sym", "cramers_v"])
def test_ratios_of_a_copy_are_1(key: str) -> None:
    assert value(key, np.diag([3.0, 4.0, 5.0])) == pytest.approx(1)


def test_gini_and_relief_by_hand() -> None:
    # p = [[.3, .1], [.2, .4]]: Σ p_j Σ p_i|j² = .25 + .2/.6; Σ p_i² = .5; Σ p_j² = .52.
    counts = np.array([[3.0, 1.0], [2.0, 4.0]])
    assert value("gini", counts) == pytest.approx(0.25 + 1 / 3 - 0.5)
    given_child = 0.13 / 0.5 + 0.17 / 0.5
    expected = (0.25 + 1 / 3 + given_child - 0.5 - 0.52) / (2 - 0.5 - 0.52)
    assert value("gini_sym", counts) == pytest.approx(expected)
    assert value("relief", counts) == pytest.approx((0.3 - 0.52 * 0.5) / 0.25)


def test_description_lengths_by_hand() -> None:
    # 4 rows, 2 states: C(5, 1) and C(3, 1) compositions; entropies 1 bit before, 0 after.
    counts = np.array([[2.0, 0.0], [0.0, 2.0]])
    saved = math.log2(5) + 4 - 2 * math.log2(3)
    assert value("mdl_rel", counts) == pytest.approx(saved / 4)
    saved = math.log2(5) + math.log2(6) - 2 * math.log2(3)
    assert value("mdl_abs", counts) == pytest.approx(saved / 4)
    volume = math.log2(math.pi)  # π^{r/2} / Γ(r/2) with r = 2
    saved = (4 + math.log2(2) / 2 + volume) - 2 * (0 + 0 + volume)
    assert value("stoch_complexity", counts) == pytest.approx(saved / 4)


# §5.1 and §13, 8: gain, gain/H(A), gain/H(B) and the two symmetric ratios on the ten objects; §4.1.
HARTLEY_PAIRS = [
    ("color shape", 6 / 12, "1.000000 0.500000 0.630930 0.386853 0.278943"),
    ("color size", 8 / 12, "0.584963 0.292481 0.369070 0.194988 0.163171"),
    ("shape size", 5 / 9, "0.847997 0.535026 0.535026 0.365212 0.267513"),
]


@pytest.mark.parametrize(("pair", "relative", "numbers"), HARTLEY_PAIRS)
def test_the_ten_objects_as_a_relation_have_their_values(
    pair: str, relative: float, numbers: str
) -> None:
    table = joint_counts(GEOMETRIC, [GEOMETRIC.domain.index(name) for name in pair.split()])
    result = [
        value("hartley_gain", table),
        value("hartley_gain_ratio", table),
        value("hartley_gain_ratio", table.T),
        value("hartley_sym1", table),
        value("hartley_sym2", table),
    ]
    assert result == pytest.approx([float(number) for number in numbers.split()], abs=1e-6)
    assert value("rel_relative", table) == pytest.approx(relative)
    as_degrees = (table > 0).astype(float)
    assert value("spec_gain", as_degrees) == pytest.approx(result[0], abs=1e-12)
    absent = {"color shape": 6, "color size": 4, "shape size": 4}[pair]
    for key in ("poss_chi2", "poss_diff", "poss_sq"):
        assert value(key, as_degrees) == pytest.approx(absent)


def test_the_small_possibility_distribution_has_its_values() -> None:
    # §5.3 and §13, 9: Π23.
    table = np.array([[1.0, 0.4, 0.1], [0.3, 0.8, 0.6]])
    expected = {
        "spec_gain": 0.511103,
        "spec_gain_ratio": 0.638879,
        "spec_sym1": 0.354964,
        "spec_sym2": 0.261973,
        "poss_mi": 1.083007,
        "poss_chi2": 0.929167,
        "poss_diff": 1.4,
        "poss_sq": 0.66,
    }
    assert {key: value(key, table) for key in expected} == pytest.approx(expected, abs=1e-6)
    assert value("spec_gain_ratio", table.T) == pytest.approx(0.444060, abs=1e-6)
    parts = (table.max(axis=1), table.max(axis=0), table)
    assert list(map(nonspecificity, parts)) == pytest.approx([0.8, 1.150978, 1.439874], abs=1e-6)


@given(tables())
def test_on_zeros_and_ones_specificity_is_hartley(counts: Table) -> None:
    # §13, 9
    ones = (counts > 4).astype(float)
    assert value("spec_gain", ones) == pytest.approx(value("hartley_gain", ones), abs=1e-12)


def test_scores_of_k2_as_the_specification_has_them() -> None:
    # §13, 19: no data, and one binary variable with counts (2, 1).
    assert value("k2", np.zeros((1, 2))) == 0
    assert value("k2", np.array([[2.0, 1.0]])) * math.log(2) == pytest.approx(-2.484907, abs=1e-6)


def test_every_measure_is_listed_with_its_formula_and_reference() -> None:
    listed = [
        key for one in Setting for key in (*measures_of(one), *measures_of(one, conditional=True))
    ]
    assert sorted(listed) == sorted(MEASURES)
    for measure in MEASURES.values():
        assert measure.title
        assert measure.formula
        assert measure.reference
    weak = [m.key for m in MEASURES.values() if not m.larger_is_stronger]
    assert weak == ["rel_relative"]


@given(st.integers(0, 2**32))
def test_gains_within_slices_are_those_of_each_slice(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = np.round(rng.random((3, 4, 2)), 1) * (rng.random((3, 4, 2)) < 0.7)
    table[1] = 0.0
    for setting, key in (
        (Setting.RELATIONAL, "hartley_gain"),
        (Setting.PROBABILISTIC, "info_gain"),
        (Setting.POSSIBILISTIC, "spec_gain"),
    ):
        each = [value(key, one) for one in table]
        assert slice_gains(table, setting) == pytest.approx(each, abs=1e-12)
    weights = table.sum(axis=(1, 2))
    if weights.any():
        mean = float(np.average([value("info_gain", one) for one in table], weights=weights))
        assert value("cond_info_gain", table) == pytest.approx(mean, abs=1e-9)
        assert conditional_gain(table, Setting.PROBABILISTIC, "weighted") == pytest.approx(mean)
