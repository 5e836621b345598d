"""Bits of rows and of their cells, against listing every joint state."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.analysis.anomaly import parent_bits, row_bits, row_surprises
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import Cancelled, ImpossibleEvidenceError
from pgmstudio.core.execution.events import StopSwitch
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.oracles.brute_force import BruteForceSession
from tests.strategies import all_cases, random_network, random_tree, small_networks, with_missing


@settings(max_examples=40)
@given(small_networks(max_variables=4, max_cardinality=3), st.booleans(), st.integers(0, 99))
def test_every_cell_given_the_rest_is_that_of_listing(
    network: BayesianNetwork, has_missing: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    cases = all_cases(network.domain)
    rows = cases.take_rows(rng.integers(0, cases.row_count, 6))
    if has_missing:
        rows = with_missing(rng, rows, 0.3)
    result = row_surprises(network, rows)
    truth = BruteForceSession(network)
    for row in range(rows.row_count):
        states = {
            v.name: Observed(v.states[int(code)])
            for v, code in zip(rows.domain, rows.codes[:, row], strict=True)
            if code != rows.missing_code
        }
        for index, variable in enumerate(rows.domain):
            bits = result.cell_bits[index, row]
            if variable.name not in states:
                assert math.isnan(bits)
                continue
            try:
                truth.set_all({n: f for n, f in states.items() if n != variable.name})
            except ImpossibleEvidenceError:
                assert math.isnan(bits)
                continue
            chance = truth.belief(variable.name).values[int(rows.codes[index, row])]
            assert 2.0**-bits == pytest.approx(float(chance), abs=1e-9)


@settings(max_examples=40)
@given(small_networks(max_variables=5), st.integers(0, 99))
def test_bits_given_the_parents_add_up_to_those_of_the_row(
    network: BayesianNetwork, seed: int
) -> None:
    rows = network.sample(20, np.random.default_rng(seed))
    local = parent_bits(network, rows)
    assert local.sum(axis=0) == pytest.approx(row_bits(network, rows))
    holes = with_missing(np.random.default_rng(seed), rows, 0.4)
    message = parent_bits(network, holes)
    there = ~np.isnan(message)
    assert message[there] == pytest.approx(local[there])


def test_the_flipped_cell_of_a_sure_row_is_the_surprising_one() -> None:
    domain = Domain(tuple(Variable(n, ("no", "yes")) for n in "abc"))
    from pgmstudio.core.graphs.dag import Dag

    sure = np.array([[0.99, 0.01], [0.01, 0.99]])
    dag = Dag(domain.names, ((), (0,), (0,)))
    network = BayesianNetwork(domain, dag, (np.array([0.5, 0.5]), sure, sure))
    rows = DataSet.from_rows(domain, [("yes", "yes", "yes"), ("yes", "no", "yes")])
    result = row_surprises(network, rows)
    assert result.row_bits[1] > result.row_bits[0]
    name, bits = result.most_surprising(1) or ("", 0.0)
    assert name == "b"
    assert bits == pytest.approx(-math.log2(0.01))


def test_other_families_answer_too() -> None:
    tree = random_tree(np.random.default_rng(1), 5)
    network = tree.as_bayesian_network
    rows = with_missing(np.random.default_rng(2), network.sample(30, np.random.default_rng(3)), 0.1)
    assert row_surprises(tree, rows).cell_bits == pytest.approx(
        row_surprises(network, rows).cell_bits, nan_ok=True
    )


def test_what_a_model_does_not_know_is_missing_to_it() -> None:
    network = random_network(np.random.default_rng(1), cardinalities=(2, 2), density=1.0)
    domain = Domain((Variable("X1", ("odd", "s1")), Variable("other", ("a",))))
    rows = rows_over(
        DataSet.from_rows(domain, [("s1", "a"), ("odd", "a")]), network.domain, is_lenient=True
    )
    assert rows.domain == network.domain
    assert rows.codes.tolist() == [[255, 255], [1, 255]]
    assert row_bits(network, rows)[1] == 0
    assert row_surprises(network, rows).most_surprising(1) is None


def test_a_cancelled_ranking_ends() -> None:
    network = random_network(np.random.default_rng(1), 3)
    cancel = StopSwitch()
    cancel.cancel()
    with pytest.raises(Cancelled):
        row_bits(network, network.sample(5, np.random.default_rng(1)), cancel)
