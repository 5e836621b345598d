"""Probabilities of rows, complete or not, equal sums over all completions."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network import missing_cells, missing_cells_loops
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.likelihood import log2_likelihood, log2_probabilities
from tests.oracles.brute_force import joint_table
from tests.strategies import random_network, random_tree, small_networks, with_missing


def summed(network: BayesianNetwork, data: DataSet) -> NDArray[np.float64]:
    """P(observed cells) per row, from the joint table."""
    joint = joint_table(network)
    missing = data.missing_code
    return np.array(
        [
            joint[tuple(slice(None) if c == missing else int(c) for c in row)].sum()
            for row in data.codes.T
        ]
    )


def incomplete(network: BayesianNetwork, seed: int, fraction: float) -> DataSet:
    """Rows without regard to the model, so that some are impossible."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, card, size=25) for card in network.domain.cardinalities]
    return with_missing(rng, DataSet(network.domain, np.array(codes)), fraction)


@settings(max_examples=80)
@given(
    small_networks(max_variables=8, max_cardinality=3),
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.2, 0.6, 1.0]),
    st.sampled_from(
        [
            "listing",
            "listing without the compiler",
            "queries about large parts",
            "the whole clique tree",
        ]
    ),
)
def test_missing_cells_are_summed_out(
    network: BayesianNetwork, seed: int, fraction: float, way: str
) -> None:
    data = incomplete(network, seed, fraction)
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("error")
        if way == "listing without the compiler":
            patch.setattr(missing_cells, "loops_for", lambda _: missing_cells_loops)
        if way in ("queries about large parts", "the whole clique tree"):
            patch.setattr(missing_cells, "SECONDS_PER_ROW", 0.0)
            patch.setattr(missing_cells, "SECONDS_PER_CELL", 0.0)
        if way == "queries about large parts":
            patch.setattr(missing_cells, "SECONDS_PER_QUERY", -1.0)
        logs = log2_probabilities(network, data)
    expected = summed(network, data)
    assert np.exp2(logs) == pytest.approx(expected, abs=1e-12)
    assert np.array_equal(logs == -math.inf, expected == 0)


def test_a_row_of_missing_cells_only_is_certain() -> None:
    network = random_network(np.random.default_rng(0), 6)
    data = DataSet(network.domain, np.full((6, 2), 255, dtype=np.uint8))
    assert log2_probabilities(network, data).tolist() == [0.0, 0.0]


def test_trees_answer_like_their_networks() -> None:
    rng = np.random.default_rng(8)
    tree = random_tree(rng, 7)
    data = with_missing(rng, tree.sample(40, rng), 0.3)
    assert np.exp2(log2_probabilities(tree, data)) == pytest.approx(
        summed(tree.as_bayesian_network, data)
    )


def test_the_likelihood_weighs_the_rows() -> None:
    rng = np.random.default_rng(5)
    network = random_network(rng, 5)
    data = with_missing(rng, network.sample(30, rng), 0.2)
    weights = rng.random(30) + 0.5
    weighted = DataSet(data.domain, data.codes, weights)
    logs = log2_probabilities(network, data)
    assert log2_likelihood(network, data) == pytest.approx(logs.sum())
    assert log2_likelihood(network, weighted) == pytest.approx(logs @ weights)


def test_impossible_rows_are_minus_infinity_unless_they_weigh_nothing() -> None:
    domain = Domain.of({"a": "xy", "b": "uv"})
    network = BayesianNetwork(
        domain, Dag.empty(domain.names), (np.array([1.0, 0.0]), np.array([0.5, 0.5]))
    )
    rows = DataSet.from_rows(domain, [("y", None), ("x", None)])
    assert log2_probabilities(network, rows).tolist() == [-math.inf, 0.0]
    assert log2_likelihood(network, rows) == -math.inf
    weighed = DataSet(domain, rows.codes, np.array([0.0, 2.0]))
    assert log2_likelihood(network, weighed) == 0.0


def test_columns_are_found_by_name_and_other_states_are_refused() -> None:
    rng = np.random.default_rng(1)
    network = random_network(rng, 4)
    data = with_missing(rng, network.sample(20, rng), 0.3)
    turned = data.select_columns(reversed(data.domain.names))
    assert np.array_equal(log2_probabilities(network, turned), log2_probabilities(network, data))
    other = Domain.of({v.name: [f"other {s}" for s in v.states] for v in network.domain})
    with pytest.raises(DataError, match="other states"):
        log2_probabilities(network, DataSet(other, data.codes))


def test_many_tables_of_small_numbers_do_not_underflow() -> None:
    names = ("h", *(f"x{i}" for i in range(400)))
    domain = Domain.of(dict.fromkeys(names, ("0", "1")))
    dag = Dag.from_edges(names, [("h", name) for name in names[1:]])
    row = np.array([[0.001, 0.999], [0.002, 0.998]])
    network = BayesianNetwork(domain, dag, (np.array([0.5, 0.5]), *([row] * 400)))
    data = DataSet(domain, np.array([[255], *([[0]] * 400)], dtype=np.uint8))
    expected = np.logaddexp2(400 * np.log2(0.001) - 1, 400 * np.log2(0.002) - 1)
    assert log2_probabilities(network, data)[0] == pytest.approx(expected)
