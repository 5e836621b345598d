"""Single questions about the part of a network that matters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ImpossibleEvidenceError, TooLargeError, UnknownNameError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.junction_tree.cost import (
    check_budget,
    forecast,
)
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.sessions import ask
from pgmstudio.core.large_counts import in_units
from tests.oracles.brute_force import BruteForceSession
from tests.strategies import evidence, random_tree, small_networks


def grid(side: int) -> BayesianNetwork:
    """Every node has its left and its upper neighbour as parents: cliques grow with the side."""
    names = [f"{row}.{column}" for row in range(side) for column in range(side)]
    edges = [(f"{r}.{c - 1}", f"{r}.{c}") for r in range(side) for c in range(1, side)]
    edges += [(f"{r - 1}.{c}", f"{r}.{c}") for r in range(1, side) for c in range(side)]
    domain = Domain.of(dict.fromkeys(names, ("0", "1", "2", "3")))
    return BayesianNetwork.uniform(domain, Dag.from_edges(names, edges))


@settings(max_examples=80)
@given(small_networks(), st.data())
def test_a_question_equals_listing_every_joint_state(
    network: BayesianNetwork, data: st.DataObject
) -> None:
    findings = data.draw(evidence(network.domain))
    targets = data.draw(st.lists(st.sampled_from(network.domain.names), unique=True, max_size=3))
    listing = BruteForceSession(network)
    try:
        listing.set_all(findings)
    except ImpossibleEvidenceError as expected:
        conflict = expected.conflict
        with pytest.raises(ImpossibleEvidenceError) as raised:
            ask(network, targets, findings)
        assert len(raised.value.conflict) == len(conflict)
        return
    answer = ask(network, targets, findings)
    assert answer.log2_evidence == pytest.approx(listing.log2_evidence(), abs=1e-11)
    assert list(answer.beliefs) == targets
    for name in targets:
        assert answer.beliefs[name].values == pytest.approx(listing.belief(name).values, abs=1e-12)


def test_a_network_too_large_is_refused_with_its_numbers_before_any_table_is_made() -> None:
    large = grid(24)
    expected = forecast(large.clique_tree)
    assert expected.table_cells > expected.largest_clique > 4**20
    with pytest.raises(TooLargeError) as refused:
        JunctionTreeSession(large)
    assert f"{expected.table_cells:,} table cells" in str(refused.value)


def test_a_network_too_large_still_answers_a_small_question() -> None:
    large = grid(24)
    answer = ask(large, ["1.1"], {"0.1": Observed("2"), "2.2": Observed("0")})
    assert answer.log2_evidence == pytest.approx(-4)
    assert answer.beliefs["1.1"].values == pytest.approx([0.25] * 4)


def test_the_budget_is_the_callers_when_one_is_given() -> None:
    network = grid(3)
    with pytest.raises(TooLargeError, match="100 bytes may be used"):
        JunctionTreeSession(network, most_bytes=100)
    check_budget(forecast(network.clique_tree), most_bytes=10**6)


def test_the_forecast_of_a_tree_is_its_effective_size() -> None:
    tree = random_tree(np.random.default_rng(3), 8)
    assert forecast(tree.as_bayesian_network.clique_tree).table_cells == tree.effective_size()


def test_questions_about_unknown_variables_are_refused() -> None:
    with pytest.raises(UnknownNameError):
        ask(grid(2), ["9.9"], {})
    with pytest.raises(UnknownNameError):
        ask(grid(2), ["0.0"], {"0.0": Observed("7")})


def test_bytes_are_reported_in_units_people_use() -> None:
    assert in_units(512) == "512 bytes"
    assert in_units(2_500_000) == "2.5 MB"
    assert in_units(10**30).endswith(" PB")
