"""Bayesian networks: they are distributions, and edits keep them so."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import CycleError, DataError, GraphError, UnknownNameError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.model import DirectedModel, ProbabilisticModel
from tests.oracles.brute_force import joint_table
from tests.strategies import all_cases, random_network, small_networks


def two_coins() -> BayesianNetwork:
    domain = Domain.of({"a": ("0", "1"), "b": ("0", "1")})
    dag = Dag.from_edges(domain.names, [("a", "b")])
    return BayesianNetwork(domain, dag, (np.array([0.3, 0.7]), np.array([[0.9, 0.1], [0.2, 0.8]])))


@given(small_networks())
def test_probabilities_of_all_cases_sum_to_one(network: BayesianNetwork) -> None:
    logs = network.log2_probabilities(all_cases(network.domain))
    assert np.exp2(logs).sum() == pytest.approx(1)


def test_a_row_has_the_product_of_its_table_cells() -> None:
    network = two_coins()
    rows = DataSet.from_rows(network.domain, [("0", "1"), ("1", "1")])
    assert np.exp2(network.log2_probabilities(rows)) == pytest.approx([0.03, 0.56])


def test_impossible_rows_are_minus_infinity() -> None:
    network = two_coins().with_table("a", np.array([0.0, 1.0]))
    rows = DataSet.from_rows(network.domain, [("0", "0")])
    assert network.log2_probabilities(rows).tolist() == [-np.inf]


def test_columns_are_found_by_name() -> None:
    network = two_coins()
    rows = DataSet.from_rows(network.domain, [("0", "1"), ("1", "0")])
    turned = rows.select_columns(["b", "a"])
    assert np.array_equal(network.log2_probabilities(turned), network.log2_probabilities(rows))


def test_missing_cells_and_other_states_are_refused() -> None:
    network = two_coins()
    with pytest.raises(DataError, match="missing"):
        network.log2_probabilities(DataSet.from_rows(network.domain, [("0", None)]))
    other = Domain.of({"a": ("no", "yes"), "b": ("0", "1")})
    with pytest.raises(DataError, match="other states"):
        network.log2_probabilities(DataSet.from_rows(other, [("no", "1")]))


def test_samples_follow_the_distribution() -> None:
    rng = np.random.default_rng(1)
    network = random_network(rng, 4, cardinalities=(2, 3, 2, 3), zeros=0.2)
    data = network.sample(40_000, rng)
    joint = joint_table(network)
    counts = np.zeros(joint.shape)
    np.add.at(counts, tuple(data.codes.astype(int)), 1)
    assert counts[joint == 0].sum() == 0
    spread = np.sqrt(joint * (1 - joint) / 40_000)
    assert (np.abs(counts / 40_000 - joint) <= 5 * spread + 1e-12).all()


def test_the_same_seed_gives_the_same_rows() -> None:
    network = two_coins()
    one = network.sample(50, np.random.default_rng(9))
    assert one.fingerprint == network.sample(50, np.random.default_rng(9)).fingerprint


def test_tables_of_the_wrong_shape_or_that_are_no_probabilities_are_refused() -> None:
    network = two_coins()
    for table, text in (
        (np.ones((2, 3)) / 3, "shape"),
        (np.array([[1.2, -0.2], [0.5, 0.5]]), "no probability"),
        (np.array([[np.nan, 1.0], [0.5, 0.5]]), "no probability"),
        (np.array([[0.5, 0.4], [0.5, 0.5]]), "sum to 1"),
    ):
        with pytest.raises(GraphError, match=text):
            network.with_table("b", table)
    with pytest.raises(UnknownNameError):
        network.with_table("c", np.ones(2) / 2)


def test_tables_cannot_be_written_to_not_even_after_a_journey() -> None:
    network = pickle.loads(pickle.dumps(two_coins()))
    for table in network.tables:
        with pytest.raises(ValueError, match="read-only"):
            table[...] = 0.5


def test_the_callers_array_stays_its_own() -> None:
    mine = np.array([0.5, 0.5])
    network = two_coins().with_table("a", mine)
    mine[:] = [1.0, 0.0]
    assert network.table("a").tolist() == [0.5, 0.5]


@settings(max_examples=40)
@given(small_networks(min_cardinality=2), st.data())
def test_an_added_edge_changes_no_probability_and_can_be_taken_away_again(
    network: BayesianNetwork, data: st.DataObject
) -> None:
    names = network.domain.names
    source, target = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
    if source == target or network.dag.has_edge(source, target):
        return
    try:
        wider = network.with_edge(source, target)
    except CycleError:
        return
    assert joint_table(wider) == pytest.approx(joint_table(network), abs=1e-14)
    back = wider.without_edge(source, target)
    assert back.dag == network.dag
    assert joint_table(back) == pytest.approx(joint_table(network), abs=1e-14)


@settings(max_examples=40)
@given(small_networks(), st.data())
def test_every_edit_leaves_a_distribution(network: BayesianNetwork, data: st.DataObject) -> None:
    edited = network.with_variable(Variable("new", ("x", "y", "z")))
    assert joint_table(edited).sum() == pytest.approx(1)
    if network.edges:
        source, target = data.draw(st.sampled_from(network.edges))
        assert joint_table(network.without_edge(source, target)).sum() == pytest.approx(1)
    gone = data.draw(st.sampled_from(network.domain.names))
    if len(network.domain) > 1:
        smaller = network.without_variable(gone)
        assert gone not in smaller.domain
        assert joint_table(smaller).sum() == pytest.approx(1)


def test_leaving_out_a_leaf_leaves_the_others_as_they_were() -> None:
    rng = np.random.default_rng(6)
    network = random_network(rng, 5)
    leaf = next(n for n in network.domain.names if not network.dag.children(n))
    position = network.domain.index(leaf)
    expected = joint_table(network).sum(axis=position)
    assert joint_table(network.without_variable(leaf)) == pytest.approx(expected)


def test_reversing_an_edge_turns_it() -> None:
    turned = two_coins().with_reversed_edge("a", "b")
    assert turned.edges == (("b", "a"),)
    assert turned.table("b") == pytest.approx(np.array([0.41, 0.59]))
    assert turned.table("a") == pytest.approx(
        np.array([[0.27, 0.14], [0.03, 0.56]]) / [[0.41], [0.59]]
    )


def test_renaming_keeps_every_number() -> None:
    network = two_coins()
    renamed = network.with_domain(Domain.of({"left": ("no", "yes"), "right": ("no", "yes")}))
    assert renamed.edges == (("left", "right"),)
    assert np.array_equal(joint_table(renamed), joint_table(network))
    with pytest.raises(GraphError, match="how many states"):
        network.with_domain(Domain.of({"left": ("no", "yes"), "right": ("a", "b", "c")}))


def test_a_uniform_network_makes_every_case_equally_probable() -> None:
    domain = Domain.of({"a": "xy", "b": "uvw"})
    network = BayesianNetwork.uniform(domain, Dag.from_edges("ab", [("a", "b")]))
    assert joint_table(network) == pytest.approx(np.full((2, 3), 1 / 6))


def test_sizes_count_free_parameters_and_clique_cells() -> None:
    # Acceptance check 10 of the Bayesian-network specification.
    domain = Domain.of({"a": "xy", "b": "uvw", "c": "pqrs"})
    apart = BayesianNetwork.uniform(domain)
    assert apart.effective_size() == 2 + 3 + 4
    assert apart.representation_size() == 1 + 2 + 3
    complete = BayesianNetwork.uniform(
        domain, Dag.from_edges("abc", [("a", "b"), ("a", "c"), ("b", "c")])
    )
    assert complete.effective_size() == 24
    assert complete.representation_size() == 23


def test_it_offers_what_a_directed_distribution_has() -> None:
    network = two_coins()
    assert isinstance(network, ProbabilisticModel)
    assert isinstance(network, DirectedModel)
