"""Scores of models on rows: by hand, and where they are not defined."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pgmstudio.core.analysis.model_comparison import model_scores, score_lines
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.tree.model import Tree
from tests.strategies import random_classes, random_mixture, random_network, with_missing


def test_scores_of_four_rows_by_hand() -> None:
    domain = Domain.of({"a": ["x", "y"]})
    tree = Tree(domain, (None,), (np.array([0.25, 0.75]),))
    rows = DataSet.from_rows(domain, [["x"], ["y"], ["y"], ["y"]])
    result = model_scores(tree, rows)
    mean = (math.log2(0.25) + 3 * math.log2(0.75)) / 4
    assert result.log2_per_row == pytest.approx(mean)
    assert result.bic == pytest.approx(mean - 0.5 * 2 / 4)  # k/2 · log2 4 / 4
    assert result.bic_effective == pytest.approx(mean - 0.5 * 2 * 2 / 4)  # two cells
    assert result.aic == pytest.approx(mean - 1 / 4 / math.log(2))

    # Beta(½, ½) over x, y: B(1.5, 3.5) / B(.5, .5).
    def log_beta(a: float, b: float) -> float:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    bits = (log_beta(1.5, 3.5) - log_beta(0.5, 0.5)) / math.log(2)
    assert result.bdeu == pytest.approx(bits / 4)
    assert (result.representation_size, result.effective_size) == (1, 2)


def test_languages_without_a_graph_of_families_have_no_bdeu() -> None:
    rng = np.random.default_rng(1)
    for model in (random_mixture(rng), random_classes(rng)):
        rows = with_missing(rng, model.sample(50, rng))
        result = model_scores(model, rows)
        assert result.bdeu is None
        assert result.log2_per_row is not None
        assert result.bic is not None
        assert result.bic < result.log2_per_row
    assert result.problem == ""


def test_rows_without_the_columns_are_a_problem_in_words() -> None:
    rng = np.random.default_rng(2)
    model = random_network(rng, 4)
    other = DataSet.from_rows(Domain.of({"else": ["x"]}), [["x"]])
    result = model_scores(model, other)
    assert result.log2_per_row is None
    assert "no column" in result.problem
    some = model_scores(model, model.sample(20, rng).select_columns(["X0", "X2"]))
    assert some.columns == 2
    assert some.bdeu is None
    lines = score_lines({"one": result, "two": some})
    assert len(lines) == 3
    assert all(len(line) == len(lines[0]) for line in lines)
