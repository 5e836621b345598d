"""Priors and starts of mixtures of trees as parameters of `learn` (Meilă 1999, §4.2.2)."""

from __future__ import annotations

import numpy as np
import pytest

import pgmstudio as pgm
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from tests.strategies import random_mixture


def grouped_rows(rows: int = 120) -> tuple[pgm.Data, np.ndarray]:
    """Six binary columns that repeat the group of their row, a quarter of the rows in one, with
    5 % of errors; and the groups."""
    rng = np.random.default_rng(4)
    group = rng.random(rows) < 0.25
    codes = [group ^ (rng.random(rows) < 0.05) for _ in range(6)]
    domain = Domain.of({f"v{i}": ("0", "1") for i in range(6)})
    return pgm.Data(DataSet(domain, np.array(codes, dtype=np.uint8))), group


def mixture_of(data: pgm.Data, **settings: object) -> TreeMixture:
    given = {"components": 2, "smoothing": 1.0, "criterion": "bic"} | settings
    model = pgm.learn("mixture.trees", data, **given).model  # type: ignore[arg-type]
    assert isinstance(model, TreeMixture)
    return model


def test_an_entropic_prior_makes_the_weights_more_uneven() -> None:
    data, _ = grouped_rows()
    mixtures = [mixture_of(data, weight_entropy=a, start="modes") for a in (0.0, 20.0, 60.0)]
    smaller = [float(min(mixture.weights)) for mixture in mixtures]
    assert smaller[0] == pytest.approx(0.25, abs=0.1)
    assert smaller[0] > smaller[1] > smaller[2]


def test_k_modes_are_a_start_that_separates_groups_in_one_step() -> None:
    data, group = grouped_rows()
    mixture = mixture_of(data, start="modes", max_iterations=1)
    likely = mixture.responsibilities(data.dataset).argmax(axis=1)
    assert max((likely == group).mean(), (likely != group).mean()) > 0.95
    with pytest.raises(ParameterError, match="start"):
        mixture_of(data, start="mode")


def test_tables_are_smoothed_towards_products_of_margins_or_towards_a_model() -> None:
    true = random_mixture(np.random.default_rng(3), 4, 2).trees[0]
    data = pgm.Data(true.sample(80, np.random.default_rng(0)))
    product = pgm.Fitted(mixture_of(data, components=1, smoothing=1e9, toward="product"))
    given = pgm.Fitted(true)
    learned = pgm.Fitted(mixture_of(data, smoothing=1e9, toward="model", toward_model=given))
    first, *others = given.variables
    finding = {first: given.variables[first][0]}
    for name in others:
        without = product.query(name)[name]
        assert product.query(name, given=finding)[name] == pytest.approx(without, abs=1e-6)
        expected = given.query(name, given=finding)[name]
        assert learned.query(name, given=finding)[name] == pytest.approx(expected, abs=1e-5)
    assert given.query(others, given=finding) != given.query(others)
    with pytest.raises(ParameterError, match="a model to smooth towards"):
        mixture_of(data, toward="model")


def test_em_goes_on_from_a_model_that_was_learned() -> None:
    data, _ = grouped_rows()
    classes = pgm.learn("nb.latent", data, components=3, smoothing=1.0)
    mixture = mixture_of(data, components=None, start_model=classes, max_iterations=1)
    assert len(mixture.trees) == 3
