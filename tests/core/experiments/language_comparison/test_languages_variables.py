"""Bits by variable of the models of a race."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.language_comparison.per_variable import (
    VariableBits,
    VariableBitsTask,
    variable_bits,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.model import LabelledDag
from tests.oracles.brute_force import joint_table
from tests.strategies import random_network


def test_bits_of_the_variables_add_up_to_those_of_the_row_in_every_language() -> None:
    rng = np.random.default_rng(2)
    network = random_network(rng, cardinalities=[2, 3, 2, 2])
    data = network.sample(25, rng)
    codes = data.codes.copy()
    codes[1, :5] = data.missing_code
    data = DataSet(data.domain, codes)
    joint = joint_table(network)
    for model in (network, LabelledDag.of_network(network), BayesianNetwork.uniform(data.domain)):
        bits = variable_bits(model, data)
        assert bits.sum(axis=0) == pytest.approx(row_log2(model, data))
    bits = variable_bits(network, data)
    assert (bits[1, :5] == 0).all()
    row = data.codes[:, 10]
    before = joint[row[0]].sum()
    assert bits[0, 10] == pytest.approx(math.log2(before))
    assert bits[1, 10] == pytest.approx(math.log2(joint[row[0], row[1]].sum() / before))


def test_means_by_variable_are_over_the_same_rows_for_all_models() -> None:
    rng = np.random.default_rng(3)
    network = random_network(rng, cardinalities=[2, 2, 3])
    data = network.sample(40, rng)
    models = {"true": network, "uniform": BayesianNetwork.uniform(data.domain)}
    result = [e for e in VariableBitsTask([(models, data)])(NEVER) if isinstance(e, VariableBits)]
    assert [one.name for one in result] == ["true", "uniform"]
    assert sum(result[0].bits.values()) == pytest.approx(row_log2(network, data).mean())
    assert result[1].bits[data.domain.names[2]] == pytest.approx(-math.log2(3))
    few = [e for e in VariableBitsTask([(models, data)], 7)(NEVER) if isinstance(e, VariableBits)]
    assert {one.rows for one in few} == {7}
