"""Models side by side on the same rows."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from pgmstudio.core.analysis.model_comparison import (
    RowSplits,
    Scored,
    compare,
    comparison_of,
    interval_of,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.tree.model import Tree
from tests.strategies import random_network

COIN = Domain.of({"coin": ("heads", "tails")})


def coin(heads: float) -> BayesianNetwork:
    return BayesianNetwork(COIN, Dag.empty(["coin"]), (np.array([heads, 1 - heads]),))


def flips(heads: int, tails: int) -> DataSet:
    return DataSet.from_rows(COIN, [["heads"]] * heads + [["tails"]] * tails)


def test_an_interval_over_splits_allows_for_models_that_differ_from_split_to_split() -> None:
    # Nadeau and Bengio (2003), eq. 9: the variance of the means of the splits, corrected for
    # training rows that they share.
    rng = np.random.default_rng(0)
    of_row = np.repeat(np.arange(4), 50)
    values = rng.normal(0.0, 0.1, 200) + np.array([0.1, 0.3, -0.2, 0.4])[of_row]
    means = values.reshape(4, 50).mean(axis=1)
    reach = 3.182446 * math.sqrt((1 / 4 + 0.25) * means.var(ddof=1))  # t, 3 degrees of freedom
    low, high = interval_of(values, None, RowSplits(of_row, 0.25)) or (0.0, 0.0)
    assert (low, high) == pytest.approx((values.mean() - reach, values.mean() + reach), rel=1e-6)
    # Splits that agree by chance make it no narrower than rows do.
    same = rng.normal(0.0, 1.0, 200)
    same -= np.repeat(same.reshape(4, 50).mean(axis=1), 50)
    assert interval_of(same, None, RowSplits(of_row, 0.25)) == interval_of(same, None)
    # A weight is as many rows.
    weights = rng.integers(1, 4, 200)
    weighted = interval_of(values, weights.astype(float), RowSplits(of_row, 0.25))
    many = RowSplits(np.repeat(of_row, weights), 0.25)
    assert weighted == pytest.approx(interval_of(np.repeat(values, weights), None, many))


def test_bits_per_row_of_a_fair_and_a_biased_coin() -> None:
    result = compare({"fair": coin(0.5), "biased": coin(0.75)}, flips(6, 2))
    assert result["fair"].log2_likelihood_per_row == pytest.approx(-1)
    assert result["fair"].standard_error == pytest.approx(0)
    # 6/8 · log2 0.75 + 2/8 · log2 0.25
    assert result["biased"].log2_likelihood_per_row == pytest.approx(-0.811278)
    assert result.best == "biased"
    assert result["biased"].verdict == "best"
    assert result["fair"].difference == pytest.approx(-0.188722)
    assert (result["fair"].representation_size, result["fair"].effective_size) == (1, 2)
    # L − ½ log2 N · size and L − size, in bits
    assert (result["fair"].bic, result["fair"].aic) == pytest.approx(
        (-8 - 1.5, -8 - 1 / math.log(2))
    )
    assert result["fair"].bic_effective == pytest.approx(-8 - 2 * 1.5)  # two cells


def test_the_paired_interval_is_that_of_a_paired_t_test() -> None:
    rng = np.random.default_rng(0)
    one = random_network(rng, cardinalities=[2, 3, 2, 2])
    two = BayesianNetwork.uniform(one.domain)
    data = one.sample(60, rng)
    result = compare({"true": one, "uniform": two}, data)
    differences = two.log2_probabilities(data) - one.log2_probabilities(data)
    expected = stats.t.interval(0.95, 59, loc=differences.mean(), scale=stats.sem(differences))
    assert result.best == "true"
    assert result["uniform"].interval == pytest.approx(expected)
    assert result["uniform"].verdict == "worse"


def test_few_rows_do_not_distinguish_similar_models_but_many_do() -> None:
    models = {"70": coin(0.7), "73": coin(0.73)}
    assert compare(models, flips(7, 3))["73"].verdict == "not distinguishable"
    assert compare(models, flips(70_000, 30_000))["73"].verdict == "worse"


def test_the_verdict_rests_on_differences_not_on_the_spread_of_the_rows() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(-20, 10, size=200)
    scored = {
        "a": Scored("x", 1, 1, rows),
        "b": Scored("x", 1, 1, rows - 0.1 + rng.normal(0, 0.01, size=200)),
    }
    result = comparison_of(scored, None)
    error = result["a"].standard_error
    assert error is not None
    assert error > 0.5
    assert result["b"].verdict == "worse"


def test_equal_models_are_not_distinguishable() -> None:
    result = compare({"one": coin(0.5), "two": coin(0.5)}, flips(3, 4))
    assert [model.verdict for model in result.models] == ["best", "not distinguishable"]
    assert result["two"].difference == 0


def test_weights_count_as_rows() -> None:
    rng = np.random.default_rng(2)
    network = random_network(rng, 5)
    models = {"true": network, "uniform": BayesianNetwork.uniform(network.domain)}
    rows = network.sample(300, rng)
    expanded, weighted = compare(models, rows), compare(models, rows.merged())
    for one, other in zip(expanded.models, weighted.models, strict=True):
        assert one.log2_likelihood_per_row == pytest.approx(other.log2_likelihood_per_row)
        assert one.standard_error == pytest.approx(other.standard_error)
        assert one.interval == pytest.approx(other.interval, abs=1e-12)
        assert one.verdict == other.verdict
    assert expanded.rows == weighted.rows == 300


def test_a_model_that_rules_out_rows_is_worse_than_any_that_does_not() -> None:
    result = compare({"sure": coin(1.0), "poor": coin(0.01)}, flips(99, 1))
    assert result.best == "poor"
    sure = result["sure"]
    assert sure.log2_likelihood_per_row == -math.inf
    assert (sure.zero_probability_rows, sure.standard_error) == (1, None)
    assert (sure.difference, sure.interval, sure.verdict) == (None, None, "worse")


def test_models_that_rule_out_equally_many_rows_are_compared_on_the_others() -> None:
    scored = {
        "a": Scored("x", 1, 1, np.array([-np.inf, -1.0, -1.0, -1.0])),
        "b": Scored("x", 1, 1, np.array([-np.inf, -2.0, -2.0, -2.0])),
    }
    result = comparison_of(scored, None)
    assert result.best == "a"
    assert result["b"].difference == pytest.approx(-1)


def test_missing_cells_are_summed_out() -> None:
    domain = Domain.of({"coin": ("heads", "tails"), "call": ("heads", "tails")})
    tables = (np.array([0.25, 0.75]), np.array([[0.8, 0.2], [0.4, 0.6]]))
    model = BayesianNetwork(domain, Dag.from_edges(domain.names, [("coin", "call")]), tables)
    rows = [["heads", None], [None, "heads"], [None, None], ["tails", "tails"]]
    result = compare({"model": model}, DataSet.from_rows(domain, rows))
    # P(call = heads) = 0.25 · 0.8 + 0.75 · 0.4
    expected = np.log2([0.25, 0.5, 1.0, 0.45])
    assert result.row_log2["model"] == pytest.approx(expected)


def test_languages_can_be_mixed_and_columns_may_stand_in_any_order() -> None:
    rng = np.random.default_rng(4)
    network = random_network(rng, 5, max_parents=1)
    tree = Tree.from_bayesian_network(network)
    data = network.sample(40, rng).select_columns(network.domain.names[::-1])
    result = compare({"network": network, "tree": tree}, data)
    assert [model.kind for model in result.models] == ["bayesian-network", "tree"]
    assert result["tree"].difference == pytest.approx(0)


def test_models_over_different_variables_are_refused_and_all_differences_named() -> None:
    other = BayesianNetwork.uniform(Domain.of({"die": ("1", "2")}))
    with pytest.raises(DataError, match=r"die.*which the data do not have.*differ in coin, die"):
        compare({"coin": coin(0.5), "die": other}, flips(1, 1))
    with pytest.raises(DataError, match="no model"):
        compare({}, flips(1, 1))


class Relation:
    """A model that says what is possible, not how probable."""

    kind = "relational"
    domain = COIN

    def representation_size(self) -> int:
        return 2

    def effective_size(self) -> int:
        return 2


def test_a_model_that_is_no_distribution_is_refused() -> None:
    with pytest.raises(DataError, match=r"rule \(relational\) gives rows no probability"):
        compare({"coin": coin(0.5), "rule": Relation()}, flips(1, 1))


def test_a_comparison_can_be_written_as_json() -> None:
    report = compare({"sure": coin(1.0), "fair": coin(0.5)}, flips(2, 1)).as_dict()
    read = json.loads(json.dumps(report, allow_nan=False))
    assert read["best"] == "fair"
    assert read["models"][0]["log2_likelihood_per_row"] is None
    assert read["models"][0]["zero_probability_rows"] == 1
