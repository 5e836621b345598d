"""Independence tests against scipy, the specification's table, and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.scores.independence import (
    DataTests,
    IndependenceRule,
    sums_of,
    tail_probability,
)
from tests.core.learning.lecture_data import CORONARY

# relational-and-possibilistic.md, §10: pair, bits, χ², p and G².
CORONARY_PAIRS = """
BC 0.268780 636.0162 2.5e-140 685.9717
AC 0.010768 27.4134 1.6e-07 27.4810
BE 0.007025 17.9519 2.3e-05 17.9293
AE 0.006818 17.3855 3.1e-05 17.4003
CE 0.006533 16.6425 4.5e-05 16.6724
DE 0.005019 12.8241 0.00034 12.8092
AD 0.004323 11.0129 0.00090 11.0323
AB 0.003786 9.6479 0.0019 9.6637
BF 0.001854 4.7724 0.029 4.7316
EF 0.001177 3.0251 0.082 3.0037
DF 0.000440 1.1288 0.288 1.1238
AF 0.000419 1.0697 0.301 1.0687
BD 0.000196 0.5003 0.479 0.5001
CF 0.000067 0.1702 0.680 0.1702
CD 0.000037 0.0954 0.757 0.0954
"""


def coronary(test: str, names: str, **settings_: float) -> tuple[DataTests, list[int]]:
    tests = DataTests(CORONARY, IndependenceRule(test=test, **settings_))  # type: ignore[arg-type]
    return tests, ["ABCDEF".index(name) for name in names]


@pytest.mark.parametrize("row", CORONARY_PAIRS.strip().splitlines())
def test_the_pairs_of_the_coronary_table_have_their_statistics(row: str) -> None:
    pair, bits, chi2, p_value, g2 = row.split()
    tests, (a, b) = coronary("chi2", pair)
    outcome = tests.test(a, b, ())
    assert outcome is not None
    assert outcome.statistic == pytest.approx(float(chi2), abs=1e-4)
    assert outcome.p_value == pytest.approx(float(p_value), rel=0.03)
    assert outcome.bits == pytest.approx(float(bits), abs=1e-6)
    assert outcome.freedom == 1
    tests, (a, b) = coronary("g2", pair)
    outcome = tests.test(a, b, ())
    assert outcome is not None
    assert outcome.statistic == pytest.approx(float(g2), abs=1e-4)


@pytest.mark.parametrize(
    ("pair", "given_", "bits"),
    [("BE", "C", 0.002519), ("AB", "C", 0.002346), ("CE", "A", 0.008493), ("CE", "AB", 0.002945)],
)
def test_conditional_information_of_the_coronary_table(pair: str, given_: str, bits: float) -> None:
    tests, (a, b, *z) = coronary("info_gain", pair + given_)
    outcome = tests.test(a, b, z)
    assert outcome is not None
    assert outcome.statistic == pytest.approx(bits, abs=1e-6)
    assert outcome.independent is (bits <= 0.01)


tables = st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**32))


@given(tables)
def test_the_sums_are_those_of_scipy_slice_by_slice(shape: tuple[int, int, int, int]) -> None:
    *sizes, seed = shape
    counts = np.random.default_rng(seed).integers(0, 12, sizes).astype(float)
    chi2 = g2 = freedom = 0.0
    for slice_ in counts:
        seen = slice_[slice_.sum(axis=1) > 0][:, slice_.sum(axis=0) > 0]
        if seen.size:
            for name in ("pearson", "log-likelihood"):
                message = stats.chi2_contingency(seen, correction=False, lambda_=name)
                if name == "pearson":
                    chi2, freedom = chi2 + message.statistic, freedom + message.dof
                else:
                    g2 += message.statistic
    sums = sums_of(counts)
    assert sums.chi2 == pytest.approx(chi2, abs=1e-9)
    assert sums.g2 == pytest.approx(g2, abs=1e-9)
    assert sums.occurring_freedom == freedom
    assert sums.full_freedom == (sizes[1] - 1) * (sizes[2] - 1) * sizes[0]
    assert sums.g2 == pytest.approx(2 * sums.total * math.log(2) * sums.bits)


@given(tables)
def test_exchanging_the_two_columns_changes_nothing(shape: tuple[int, int, int, int]) -> None:
    *sizes, seed = shape
    counts = np.random.default_rng(seed).integers(0, 12, sizes).astype(float)
    one, other = sums_of(counts), sums_of(counts.transpose(0, 2, 1))
    assert one.chi2 == pytest.approx(other.chi2, abs=1e-9)
    assert one.g2 == pytest.approx(other.g2, abs=1e-9)
    assert one.occurring_freedom == other.occurring_freedom


def test_states_with_a_small_chance_in_a_slice_hardly_add_degrees_of_freedom() -> None:
    counts = np.full((2, 4, 3), 0.01)
    counts[:, :2, :2] = [[30.0, 5.0], [5.0, 30.0]]
    whole = np.where(counts < 1, 0.0, counts)
    assert sums_of(counts).occurring_freedom == sums_of(whole).occurring_freedom == 2
    rule = IndependenceRule()
    assert rule.decide(counts).p_value == pytest.approx(rule.decide(whole).p_value, rel=0.2)


@given(st.integers(1, 60), st.floats(0, 300))
def test_the_tail_is_that_of_the_chi_square_distribution(freedom: int, statistic: float) -> None:
    assert tail_probability(statistic, freedom) == pytest.approx(stats.chi2.sf(statistic, freedom))


def test_without_degrees_of_freedom_nothing_speaks_against_independence() -> None:
    for counts in (np.zeros((2, 2)), np.array([[3.0, 4.0]]), np.array([[3.0, 0], [4, 0]])):
        for test in ("g2", "chi2", "info_gain", "bic"):
            outcome = IndependenceRule(test=test).decide(counts)
            assert outcome.independent
            assert outcome.p_value == 1


def test_states_that_never_occur_give_degrees_of_freedom_only_when_asked() -> None:
    counts = np.array([[[5.0, 7, 0], [6, 2, 0]], [[0, 0, 0], [0, 0, 0]]])
    assert IndependenceRule().decide(counts).freedom == 1
    assert IndependenceRule(adjusted=False).decide(counts).freedom == 4


def test_each_rule_decides_at_its_own_threshold() -> None:
    # χ² of [[60, 40], [45, 55]] is 4.511, p = 0.0337; G² = 4.522; the gain is 0.0163 bits.
    counts = np.array([[60.0, 40], [45, 55]])
    assert not IndependenceRule(test="chi2", alpha=0.034).decide(counts).independent
    assert IndependenceRule(test="chi2", alpha=0.033).decide(counts).independent
    assert not IndependenceRule(test="g2", alpha=0.034).decide(counts).independent
    bits = sums_of(counts).bits
    assert IndependenceRule(test="info_gain", epsilon=bits).decide(counts).independent
    assert not IndependenceRule(test="info_gain", epsilon=bits * 0.999).decide(counts).independent
    assert IndependenceRule(test="bic").decide(counts).independent  # 4.522 < ln 200 = 5.298
    assert not IndependenceRule(test="bic").decide(2 * counts).independent


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_the_bic_test_agrees_with_the_score_of_the_edge(seed: int) -> None:
    from pgmstudio.core.scores.local import score_of

    counts = np.random.default_rng(seed).integers(1, 20, (2, 3, 4)).astype(float)
    score = score_of("bic", float(counts.sum()))
    gain = score.local(counts) - score.local(counts.sum(axis=1))
    rule = IndependenceRule(test="bic", adjusted=False)
    assert rule.decide(counts).independent is (gain <= 0)


def test_few_rows_for_the_degrees_of_freedom_are_not_reliable() -> None:
    assert not IndependenceRule().decide(np.ones((2, 2))).reliable
    assert IndependenceRule().decide(2 * np.ones((2, 2))).reliable


def test_rows_that_miss_a_cell_are_left_out_of_that_test_only() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (3, 200)).astype(np.uint8)
    codes[1, :50] = 255
    data = DataSet(Domain.of(dict.fromkeys("abc", ("0", "1"))), codes)
    tests, complete = DataTests(data, IndependenceRule()), data.take_rows(slice(50, None))
    assert tests.test(0, 1, ()) == DataTests(complete, IndependenceRule()).test(0, 1, ())
    assert tests.test(0, 2, [1]) == DataTests(complete, IndependenceRule()).test(0, 2, [1])
    assert tests.test(0, 2, ()) != DataTests(complete, IndependenceRule()).test(0, 2, ())


def test_a_table_of_too_many_cells_is_not_tested() -> None:
    tests = DataTests(CORONARY, IndependenceRule(), most_cells=7)
    assert tests.test(0, 1, ()) is not None
    assert tests.test(0, 1, [2]) is None


def test_an_unknown_test_is_refused() -> None:
    with pytest.raises(ParameterError, match="'t' is not one of g2"):
        IndependenceRule(test="t")
