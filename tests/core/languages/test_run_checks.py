"""Warnings about a learned model."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.run_checks import model_warnings


def certain(states: str) -> BayesianNetwork:
    """A coin that always shows the first of these states."""
    domain = Domain.of({"coin": states})
    return BayesianNetwork(domain, Dag.empty(["coin"]), (np.array([1.0, 0.0]),))


def test_rows_of_probability_0_are_counted_by_weight_and_by_the_names_of_states() -> None:
    data = DataSet(
        Domain.of({"coin": "ht"}), np.array([[0, 1, 1]], dtype=np.uint8), np.array([5.0, 2.0, 1.0])
    )
    (reported,) = model_warnings(certain("ht"), data)
    assert "3 rows of the data" in reported
    (reported,) = model_warnings(certain("th"), data)  # the states stand in another order there
    assert "5 rows of the data" in reported
