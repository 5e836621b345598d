"""Random queries: accuracy, distance to the truth, and the line through times."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pgmstudio.core.analysis.query_benchmark import (
    QueryPlan,
    inference_seconds,
    line_fit,
    query_distance,
    query_log2,
    random_queries,
    relative_entropy,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.oracles.brute_force import joint_table
from tests.strategies import random_network


@pytest.fixture
def network() -> BayesianNetwork:
    return random_network(np.random.default_rng(2), 6, density=0.7, max_parents=2)


@pytest.fixture
def rows(network: BayesianNetwork) -> DataSet:
    return network.sample(400, np.random.default_rng(1))


def test_queries_have_as_many_disjoint_columns_as_asked_and_cells_of_one_row(
    rows: DataSet,
) -> None:
    queries = random_queries(rows, QueryPlan(count=200, targets=3, given=2))
    asked, known = queries.asked.codes, queries.known.codes
    missing = rows.missing_code
    assert ((known != missing).sum(axis=0) == 2).all()
    assert ((asked != missing).sum(axis=0) == 5).all()
    assert ((known == asked) | (known == missing)).all()
    whole = {tuple(row) for row in rows.codes.T}
    for row in asked.T[:50]:
        assert any(all(a in (missing, b) for a, b in zip(row, full, strict=True)) for full in whole)


def test_the_same_seed_gives_the_same_queries_and_another_seed_others(rows: DataSet) -> None:
    first, again, other = (
        random_queries(rows, QueryPlan(count=50, targets=2, given=2, seed=seed)).asked.codes
        for seed in (0, 0, 1)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_the_answer_is_the_probability_of_what_is_asked_given_what_is_known(
    network: BayesianNetwork, rows: DataSet
) -> None:
    queries = random_queries(rows, QueryPlan(count=20, targets=2, given=2))
    table = joint_table(network)
    missing = rows.missing_code
    result = query_log2(network, queries)
    for number in range(20):
        both, given = (
            table[tuple(slice(None) if c == missing else int(c) for c in part.codes[:, number])]
            for part in (queries.asked, queries.known)
        )
        assert 2 ** result[number] == pytest.approx(both.sum() / given.sum())


def test_nothing_asked_is_answered_with_certainty(network: BayesianNetwork, rows: DataSet) -> None:
    result = query_log2(network, random_queries(rows, QueryPlan(count=30, targets=0, given=3)))
    np.testing.assert_allclose(result, 0, atol=1e-9)


def test_the_saturated_model_answers_queries_of_its_own_rows_best(rows: DataSet) -> None:
    names = rows.domain.names
    full = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    queries = random_queries(rows, QueryPlan(count=400, targets=2, given=2))
    means = [
        query_log2(fit_tables(rows, Dag.from_edges(names, edges), 0.0).network, queries).mean()
        for edges in (full, full[:4], ())
    ]
    assert means[0] == max(means)


def test_the_distance_is_nothing_to_itself_and_more_the_further_a_model_is(
    network: BayesianNetwork, rows: DataSet
) -> None:
    queries = random_queries(rows, QueryPlan(count=30, targets=2, given=2))
    names = rows.domain.names
    learned = fit_tables(rows, network.dag, 1.0).network
    apart = fit_tables(rows, Dag.from_edges(names, ()), 1.0).network
    assert query_distance(network, network, queries, 10) == pytest.approx(0, abs=1e-12)
    near, far = (query_distance(model, network, queries, 10) for model in (learned, apart))
    assert 0 < near < far


def test_relative_entropy_takes_zeros_as_the_specification_says() -> None:
    half, sure = np.array([0.5, 0.5]), np.array([1.0, 0.0])
    assert relative_entropy(sure, half) == pytest.approx(1)
    assert relative_entropy(half, sure) == math.inf
    assert relative_entropy(half, half) == 0


def test_updating_takes_time_and_none_is_measured_when_none_is_asked(
    network: BayesianNetwork, rows: DataSet
) -> None:
    queries = random_queries(rows, QueryPlan(count=5, targets=1, given=2))
    seconds = inference_seconds(network, queries, 3)
    assert seconds is not None
    assert seconds > 0
    assert inference_seconds(network, queries, 0) is None


def test_more_columns_than_there_are_cannot_be_asked(rows: DataSet) -> None:
    with pytest.raises(ParameterError, match="not be more than the 6"):
        random_queries(rows, QueryPlan(count=1, targets=4, given=3))


def test_the_line_through_points_on_a_line_is_that_line() -> None:
    fit = line_fit([1, 2, 5, 9], [3.0, 5.0, 11.0, 19.0])
    assert fit is not None
    assert (fit.slope, fit.intercept) == (pytest.approx(2), pytest.approx(1))
    assert (fit.slope_error, fit.r_squared) == (pytest.approx(0, abs=1e-9), pytest.approx(1))
    assert line_fit([3, 3], [1.0, 2.0]) is None


def test_the_line_and_its_error_are_those_of_least_squares() -> None:
    # x = 1…5, y = 2, 4, 5, 4, 5: slope 0.6, intercept 2.2, residuals −.8 .6 1 −.6 −.2.
    fit = line_fit([1, 2, 3, 4, 5], [2, 4, 5, 4, 5])
    assert fit is not None
    assert (fit.slope, fit.intercept) == (pytest.approx(0.6), pytest.approx(2.2))
    assert fit.slope_error == pytest.approx(math.sqrt(2.4 / 3 / 10))
    assert fit.r_squared == pytest.approx(0.6)
