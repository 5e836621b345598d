"""I(A;B|Z) in bits: zero exactly where the numbers are independent."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from pgmstudio.core.graphs.separation import separation_of
from pgmstudio.core.inference.information_measures import (
    conditional_information_bits,
    entropy_bits,
    mutual_information_bits,
)
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.strategies import small_networks


def test_the_exclusive_or_of_two_coins_is_determined_by_the_third_alone() -> None:
    joint = np.zeros((2, 2, 2))
    for a in range(2):
        for b in range(2):
            joint[a, b, a ^ b] = 0.25
    assert mutual_information_bits(joint.sum(axis=2)) == pytest.approx(0.0)
    assert conditional_information_bits(joint) == pytest.approx(1.0)


@given(small_networks(max_variables=5, max_cardinality=3))
@settings(max_examples=40, deadline=None)
def test_separated_variables_have_no_information_about_each_other(
    network: BayesianNetwork,
) -> None:
    session = JunctionTreeSession(network)
    names = network.domain.names
    for one, other in combinations(names, 2):
        rest = [name for name in names if name not in (one, other)]
        for given_names in ((), tuple(rest[:1]), tuple(rest)):
            bits = conditional_information_bits(session.joint([one, other, *given_names]))
            if separation_of(network.dag, one, other, given_names).is_separated:
                assert bits == pytest.approx(0.0, abs=1e-9)
            # I(A;B|Z) = H(A,Z) + H(B,Z) − H(A,B,Z) − H(Z)
            whole = session.joint([one, other, *given_names])
            by_entropies = (
                entropy_bits(whole.sum(axis=1).ravel())
                + entropy_bits(whole.sum(axis=0).ravel())
                - entropy_bits(whole.ravel())
                - entropy_bits(whole.sum(axis=(0, 1)).ravel())
            )
            assert bits == pytest.approx(by_entropies, abs=1e-9)
