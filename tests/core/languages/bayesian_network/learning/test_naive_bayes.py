"""Naive Bayes as a Bayesian network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.languages.bayesian_network.learning.classifiers import (
    NaiveBayesLearner,
    NaiveBayesParams,
    TanLearner,
    TanParams,
)
from pgmstudio.core.languages.likelihood import log2_likelihood
from tests.strategies import random_network, with_missing


def data() -> DataSet:
    rng = np.random.default_rng(3)
    return random_network(rng, variables=5).sample(300, rng)


def model_of(learner: Any, rows: DataSet, params: Any) -> Any:
    *_, last = learner.run(rows, params, rng=np.random.default_rng(0), cancel=NEVER)
    return last.model


def test_the_class_is_the_only_parent_of_every_feature() -> None:
    model = model_of(NaiveBayesLearner(), data(), NaiveBayesParams(class_="X2"))
    assert set(model.edges) == {("X2", name) for name in ("X0", "X1", "X3", "X4")}


def test_it_is_the_classifier_of_tan_without_edges_between_features() -> None:
    one = model_of(NaiveBayesLearner(), data(), NaiveBayesParams(smoothing=0.5))
    other = model_of(TanLearner(), data(), TanParams(augment="none", smoothing=0.5))
    assert one.edges == other.edges
    for a, b in zip(one.tables, other.tables, strict=True):
        assert np.array_equal(a, b)


def test_an_unknown_class_is_refused() -> None:
    with pytest.raises(ParameterError, match="is not a column"):
        model_of(NaiveBayesLearner(), data(), NaiveBayesParams(class_="nobody"))


def test_em_makes_the_observed_cells_more_probable_than_available_cases() -> None:
    rows = with_missing(np.random.default_rng(5), data(), 0.4)
    plain = NaiveBayesParams(smoothing=0.0, missing="available")
    available = model_of(NaiveBayesLearner(), rows, plain)
    by_em = model_of(NaiveBayesLearner(), rows, NaiveBayesParams(smoothing=0.0))
    assert by_em.edges == available.edges
    assert log2_likelihood(by_em, rows) > log2_likelihood(available, rows)


def test_a_constant_class_and_a_single_column_are_learned() -> None:
    rows = DataSet(Domain.of({"a": "01"}), np.zeros((1, 4), dtype=np.uint8))
    assert model_of(NaiveBayesLearner(), rows, NaiveBayesParams()).edges == ()
