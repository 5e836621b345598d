"""Comparison of models without probabilities on rows."""

from __future__ import annotations

import pytest

from pgmstudio.core.analysis.fit_comparison import compare_fit
from pgmstudio.core.analysis.model_comparison import model_scores
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.errors import DataError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from tests.core.learning.lecture_data import GEOMETRIC, GEOMETRIC_9, objects_network

CHAIN, FORK = ((0, 1), (1, 2)), ((0, 1), (0, 2))
COMPLETE = (*CHAIN, (0, 2))


def degrees(*edges: tuple[str, str]) -> PossibilisticNetwork:
    dag = Dag.from_edges(GEOMETRIC.domain.names, edges)
    return PossibilisticNetwork.of_distribution(dag, PossibilityDistribution.of(GEOMETRIC))


def test_the_graph_that_adds_least_and_stores_least_is_best() -> None:
    models = {"chain": objects_network(CHAIN), "fork": objects_network(FORK)}
    models["complete"] = objects_network(COMPLETE)
    result = compare_fit(models, GEOMETRIC)
    added = {one.name: one.measures["additional_tuples"] for one in result.models}
    assert added == {"chain": 0, "fork": 3, "complete": 0}
    assert [one.name for one in result.models if one.is_best] == ["complete"]  # 10 tuples, not 11
    assert "impossible_tuples" in result.measure_names
    # A graph that excludes a row is worse than one that adds a tuple.
    nine = compare_fit({"chain": models["chain"], "complete": models["complete"]}, GEOMETRIC_9)
    assert [one.measures["additional_tuples"] for one in nine.models] == [1, 1]


def test_degrees_are_compared_by_what_they_add() -> None:
    models = {"chain": degrees(("shape", "color"), ("shape", "size")), "empty": degrees()}
    chain, empty = compare_fit(models, GEOMETRIC).models
    assert chain.measures["additional_degrees"] == pytest.approx(0, abs=1e-12)
    assert empty.measures["additional_degrees"] == pytest.approx(2.6)  # 26 tuples of degree 0.1
    assert (chain.is_best, empty.is_best) == (True, False)


def test_models_of_different_scales_or_variables_are_refused() -> None:
    chain = objects_network()
    network = BayesianNetwork.uniform(GEOMETRIC.domain)
    for other in (degrees(), network):
        with pytest.raises(DataError, match=r"relational network.*cannot be compared"):
            compare_fit({"chain": chain, "other": other}, GEOMETRIC)
    smaller = chain.without_variable("size")
    with pytest.raises(DataError, match=r"differ in size.*same variables"):
        compare_fit({"chain": chain, "smaller": smaller}, GEOMETRIC)
    with pytest.raises(DataError, match="needs size, which the data do not have"):
        compare_fit({"chain": chain}, GEOMETRIC.select_columns(["color", "shape"]))


def test_scores_have_the_measures_of_the_language() -> None:
    scores = model_scores(objects_network(FORK), GEOMETRIC)
    assert scores.measures["additional_tuples"] == 3
    assert scores.problem == ""
