"""The consensus of classes, against the joint distribution listed in full."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.analysis.consensus import ANY, consensus_of
from pgmstudio.core.analysis.feature_selection import features_of
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.model import ProbabilisticModel
from tests.core.learning.lecture_data import objects_network
from tests.strategies import all_cases, random_classes, random_mixture, random_network


@pytest.mark.parametrize("make", [random_network, random_mixture, random_classes])
def test_every_number_is_that_of_the_joint_distribution(make: object) -> None:
    assert callable(make)
    model = make(np.random.default_rng(8), 4)
    assert isinstance(model, ProbabilisticModel)
    cases = all_cases(model.domain)
    joint = np.exp2(model.log2_probabilities(cases))
    target = model.domain.names[1]
    consensus = consensus_of(model, target)
    bits = {one.name: one.bits for one in features_of(model, target)}
    for code, state in enumerate(consensus.states):
        own = cases.column(target) == code
        assert consensus.weights[code] == pytest.approx(joint[own].sum())
        for one in consensus.of_class(state):
            column, card = cases.column(one.variable.name), one.variable.cardinality
            given = np.bincount(column[own], joint[own], card) / joint[own].sum()
            margin = np.bincount(column, joint, card)
            assert one.probabilities == pytest.approx(given, abs=1e-12)
            assert one.probability == pytest.approx(given.max())
            seen = given[given > 0]
            assert one.information_bits == pytest.approx(np.log2(card) + seen @ np.log2(seen))
            part = given > 0
            divergence = given[part] @ np.log2(given[part] / margin[part])
            assert one.divergence_bits == pytest.approx(divergence, abs=1e-12)
    for name in consensus.variables:  # the mean divergence is the information about the class
        assert consensus.information_bits(name) == pytest.approx(bits[name], abs=1e-10)


def test_components_of_a_mixture_are_classes_too() -> None:
    model = random_classes(np.random.default_rng(2), 4, 3)
    consensus = consensus_of(model)
    assert consensus.states == model.component_names
    network = consensus_of(model.as_bayesian_network, model.hidden)
    for key, one in consensus.cells.items():
        assert one.probabilities == pytest.approx(network.cells[key].probabilities)
        assert one.divergence_bits == pytest.approx(network.cells[key].divergence_bits)
    with pytest.raises(DataError, match="has no components"):
        consensus_of(model.as_bayesian_network)
    with pytest.raises(DataError, match="no probabilities of classes"):
        consensus_of(objects_network(((0, 1),)), "color")


def test_groups_of_bases_are_read_as_in_the_source() -> None:
    """Meilă (1999, Fig. 7-10): A, AG, CT and –, bold where a base is almost certain."""
    site = tuple("ACGT")
    rows = [[0.995, 0.002, 0.002, 0.001], [0.5, 0.05, 0.4, 0.05], [0.1, 0.45, 0.02, 0.43]]
    rows += [[0.25, 0.25, 0.25, 0.25], [0.0, 0.0, 1.0, 0.0]]
    domain = Domain(tuple(Variable(f"s{k}", site) for k in range(5)))
    model = LatentClasses(domain, np.array([1.0]), tuple(np.array([row]) for row in rows))
    cells = consensus_of(model).of_class(model.component_names[0])
    assert [one.text for one in cells] == ["A", "A/G", "C/T", ANY, "G"]
    assert [one.is_certain for one in cells] == [True, False, False, False, True]
    assert cells[3].information_bits == 0
    assert cells[4].information_bits == 2
    # A class of probability 0 has the margins: nothing is known of it.
    pair = Domain((Variable("t", ("a", "b")), Variable("x", ("0", "1"))))
    tables = (np.array([1.0, 0.0]), np.array([[0.9, 0.1], [0.2, 0.8]]))
    network = BayesianNetwork(pair, Dag(pair.names, ((), (0,))), tables)
    never = consensus_of(network, "t").cells["b", "x"]
    assert never.probabilities == pytest.approx([0.9, 0.1])
    assert never.divergence_bits == 0
