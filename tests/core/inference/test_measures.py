"""Entropy, shift, information and conflict, in bits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from pgmstudio.core.analysis.value_of_information import information_about
from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.base import Likelihood, Observed
from pgmstudio.core.inference.information_measures import (
    conflict_bits,
    conflict_word,
    entropies_bits,
    entropy_bits,
    mutual_information_bits,
    ranked,
    shift_bits,
    shifts_bits,
)
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.strategies import random_network, small_networks


def test_a_fair_coin_has_one_bit_and_certainty_none() -> None:
    assert entropy_bits(np.array([0.5, 0.5])) == 1
    assert entropy_bits(np.array([1.0, 0.0])) == 0


def test_the_shift_of_the_lung_example_is_that_of_the_picture() -> None:
    assert shift_bits(np.array([0.6922, 0.3078]), np.array([0.055, 0.945])) == pytest.approx(
        2.03, abs=0.005
    )
    assert shift_bits(np.array([1.0, 0.0]), np.array([0.25, 0.75])) == 2


@given(small_networks())
def test_all_at_once_equals_one_by_one(network: BayesianNetwork) -> None:
    session = JunctionTreeSession(network)
    priors = {name: belief.values for name, belief in session.beliefs().items()}
    first = network.domain.variables[0]
    state = first.states[int(priors[first.name].argmax())]
    session.set_evidence(first.name, Observed(state))
    beliefs = {name: belief.values for name, belief in session.beliefs().items()}
    shifts, entropies = shifts_bits(beliefs, priors), entropies_bits(beliefs)
    for name in network.domain.names:
        assert shifts[name] == pytest.approx(shift_bits(beliefs[name], priors[name]), abs=1e-9)
        assert entropies[name] == pytest.approx(entropy_bits(beliefs[name]), abs=1e-12)


@settings(max_examples=40)
@given(small_networks(max_variables=5))
def test_information_about_a_target_equals_that_of_the_joints(network: BayesianNetwork) -> None:
    session = JunctionTreeSession(network)
    names = network.domain.names
    if len(names) > 1:
        last = network.domain[names[-1]]
        try:
            session.set_evidence(last.name, Likelihood(tuple((s, 0.5) for s in last.states)))
        except ImpossibleEvidenceError:  # the strategy may give a state no probability
            return
    before = dict(session.evidence)
    result = information_about(session, network.domain, names[0])
    assert dict(session.evidence) == before
    for name in names[1:]:
        joint = session.joint([names[0], name])
        assert result[name] == pytest.approx(mutual_information_bits(joint), abs=1e-9)


def test_conflict_is_zero_for_independent_findings_and_for_one() -> None:
    network = random_network(np.random.default_rng(1), cardinalities=(2, 3), density=0.0)
    session = JunctionTreeSession(network)
    priors = {name: belief.values for name, belief in session.beliefs().items()}
    evidence = {"X0": Observed("s1"), "X1": Likelihood((("s0", 0.2), ("s1", 0.8), ("s2", 0.5)))}
    session.set_all(evidence)
    bits = conflict_bits(network.domain, evidence, priors, session.log2_evidence())
    assert bits == pytest.approx(0, abs=1e-12)
    assert conflict_word(bits) == "none"


def test_conflict_has_words() -> None:
    assert [conflict_word(bits) for bits in (-0.86, 0.0, 0.5, 3.0, math.inf)] == [
        "none",
        "none",
        "mild",
        "strong",
        "strong",
    ]


def test_a_ranking_begins_with_the_most_and_leaves_out_next_to_nothing() -> None:
    assert ranked({"a": 0.1, "b": 0.0001, "c": 0.7}) == [("c", 0.7), ("a", 0.1)]
