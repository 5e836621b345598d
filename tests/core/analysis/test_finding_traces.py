"""What each finding does, and what asking would tell, against listing every joint state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pgmstudio.core.analysis.evidence_impact import conflicting_set, trace_findings
from pgmstudio.core.analysis.value_of_information import value_of_evidence
from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.base import Done, Finding, Observed, weights_of
from pgmstudio.core.inference.information_measures import conflict_bits, entropy_bits
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.oracles.brute_force import BruteForceSession
from tests.strategies import evidence, random_network, small_networks


def asked(network: BayesianNetwork, data: st.DataObject, most: int = 4) -> JunctionTreeSession:
    session = JunctionTreeSession(network)
    try:
        session.set_all(data.draw(evidence(network.domain, max_findings=most)))
    except ImpossibleEvidenceError:
        assume(False)
    return session


@settings(max_examples=60)
@given(small_networks(max_variables=6), st.data())
def test_a_finding_left_out_is_as_if_it_had_never_been_given(
    network: BayesianNetwork, data: st.DataObject
) -> None:
    session = asked(network, data)
    target = network.domain.names[0]
    before = dict(session.evidence)
    traces = trace_findings(session, network.domain, target)
    assert dict(session.evidence) == before
    assert set(traces) == set(before)
    truth = BruteForceSession(network)
    for name, trace in traces.items():
        truth.set_all({n: f for n, f in before.items() if n != name})
        weights = weights_of(network.domain[name], before[name])
        assert trace.own_belief == pytest.approx(truth.belief(name).values, abs=1e-9)
        assert trace.given_rest == pytest.approx(float(truth.belief(name).values @ weights))
        assert trace.target_belief == pytest.approx(truth.belief(target).values, abs=1e-9)
        truth.retract_all()
        assert trace.alone == pytest.approx(float(truth.belief(name).values @ weights))
        assert trace.normalised_likelihood == pytest.approx(2**-trace.conflict_bits)


@settings(max_examples=60)
@given(small_networks(max_variables=6), st.data())
def test_the_conflicting_set_conflicts_at_least_as_much_as_all(
    network: BayesianNetwork, data: st.DataObject
) -> None:
    session = asked(network, data)
    before = dict(session.evidence)
    priors = {
        name: belief.values for name, belief in JunctionTreeSession(network).beliefs().items()
    }
    total = conflict_bits(network.domain, before, priors, session.log2_evidence())
    chosen = conflicting_set(session, network.domain)
    assert dict(session.evidence) == before
    assert total <= 1e-9 or len(chosen) >= 2
    if chosen:
        assert all(bits > 0 for bits in chosen.values())
        kept = {name: before[name] for name in chosen}
        session.set_all(kept)
        left = conflict_bits(network.domain, kept, priors, session.log2_evidence())
        assert left >= total - 1e-9
        traces = trace_findings(session, network.domain)
        assert {n: t.conflict_bits for n, t in traces.items()} == pytest.approx(chosen)


def test_an_intervention_is_not_traced_and_stays() -> None:
    network = random_network(np.random.default_rng(8), cardinalities=(2, 2, 2), density=1.0)
    first, middle, last = (network.domain.names[i] for i in network.dag.topological_order)
    session = JunctionTreeSession(network)
    given_ = {middle: Done("s1"), first: Observed("s0"), last: Observed("s1")}
    session.set_all(given_)
    traces = trace_findings(session, network.domain)
    assert set(traces) == {first, last}
    assert dict(session.evidence) == given_
    session.retract(first)
    assert traces[first].own_belief == pytest.approx(session.belief(first).values)


@settings(max_examples=60)
@given(small_networks(max_variables=6), st.data())
def test_asking_gives_what_listing_gives(network: BayesianNetwork, data: st.DataObject) -> None:
    session = asked(network, data, most=2)
    domain = network.domain
    target = data.draw(st.sampled_from(domain.names))
    before = dict(session.evidence)
    result = value_of_evidence(session, domain, target)
    assert dict(session.evidence) == before
    assert result.entropy == pytest.approx(entropy_bits(result.belief))
    bits = [worth.bits for worth in result.worths]
    assert bits == sorted(bits, reverse=True)
    for worth in result.worths:
        assert 0 <= worth.bits <= result.entropy + 1e-9
        assert 0 <= result.entropy_fraction(worth) <= 1
        expected, chance = 0.0, 0.0
        options = {state: (p, belief) for state, p, belief in worth.outcomes(0)}
        for state, (p, belief) in options.items():
            true, session_then = chance_and_session(network, before, worth.variable, state)
            assert p == pytest.approx(true, abs=1e-9)
            after = session_then.belief(target).values
            assert belief == pytest.approx(float(after[0]), abs=1e-9)
            expected += p * entropy_bits(after)
            chance += p
        assert chance == pytest.approx(1)
        # The expected entropy afterwards is what is left of it.
        assert result.entropy - expected == pytest.approx(worth.bits, abs=1e-9)
        (_, least), (_, most) = worth.extremes(0)
        assert least <= result.belief[0] + 1e-9 <= most + 2e-9


def chance_and_session(
    network: BayesianNetwork, before: Mapping[str, Finding], variable: str, state: str
) -> tuple[float, BruteForceSession]:
    """P(variable = state | e), and the session with both."""
    truth = BruteForceSession(network)
    truth.set_all(before)
    chance = float(truth.belief(variable).values[network.domain[variable].code(state)])
    truth.set_evidence(variable, Observed(state))
    return chance, truth


def test_an_independent_variable_is_worth_nothing_and_a_copy_everything() -> None:
    network = random_network(np.random.default_rng(1), cardinalities=(3, 3), density=0.0)
    result = value_of_evidence(JunctionTreeSession(network), network.domain, "X0")
    assert result.worths[0].bits == pytest.approx(0, abs=1e-12)
    copies = random_network(np.random.default_rng(1), cardinalities=(3, 3), density=1.0)
    child = copies.dag.topological_order[1]
    tables = [np.eye(3) if v == child else t for v, t in enumerate(copies.tables)]
    copies = BayesianNetwork(copies.domain, copies.dag, tuple(tables))
    result = value_of_evidence(JunctionTreeSession(copies), copies.domain, "X0")
    assert result.entropy_fraction(result.worths[0]) == pytest.approx(1)
