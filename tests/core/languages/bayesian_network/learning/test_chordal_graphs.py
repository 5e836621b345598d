"""Augmented trees and bounded cliques of the coronary table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.languages.bayesian_network.learning.chordal_graphs import (
    AugmentedTreeLearner,
    CliqueLearner,
    entropies,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.likelihood import log2_likelihood
from pgmstudio.core.learning.base import Finished, Learner
from pgmstudio.core.params import parse_params
from tests.core.learning.lecture_data import CORONARY


def learn(learner: Learner[Any], data: DataSet, **chosen: object) -> BayesianNetwork:
    params = parse_params(learner.params_type, chosen)
    *_, last = learner.run(data, params, rng=np.random.default_rng(0), cancel=NEVER)
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    return last.model


def bits(network: BayesianNetwork) -> float:
    """The log-likelihood of maximum likelihood tables."""
    return log2_likelihood(fit_tables(CORONARY, network.dag, 0.0).network, CORONARY)


def test_cliques_of_two_are_the_tree_of_chow_and_liu() -> None:
    # §10: BC, AC, BE, DE, BF; log-likelihood −6690.650714 nats.
    for learner in (AugmentedTreeLearner(), CliqueLearner()):
        tree = learn(learner, CORONARY, max_clique_size=2)
        assert {"".join(sorted(edge)) for edge in tree.edges} == {"BC", "AC", "BE", "DE", "BF"}
        assert bits(tree) * np.log(2) == pytest.approx(-6690.650714, abs=1e-5)


def test_larger_cliques_fit_better_and_stay_within_their_size() -> None:
    tree = learn(CliqueLearner(), CORONARY, max_clique_size=2)
    augmented = learn(AugmentedTreeLearner(), CORONARY)
    cliques = learn(CliqueLearner(), CORONARY, max_clique_size=4)
    assert bits(tree) < bits(augmented) < bits(cliques)
    assert max(map(len, augmented.clique_tree.cliques)) == 3
    assert max(map(len, cliques.clique_tree.cliques)) == 4
    assert not augmented.clique_tree.fill_ins
    assert not augmented.dag.v_structures


def test_the_likelihood_is_the_sum_of_the_gains() -> None:
    network = learn(CliqueLearner(), CORONARY, iterations=200)
    entropy = entropies(CORONARY, NEVER)
    families = [tuple(sorted((v, *p))) for v, p in enumerate(network.dag.parent_indices)]
    lost = sum(entropy(f) for f in families)
    given = sum(entropy(tuple(p)) for p in network.dag.parent_indices if p)
    assert bits(network) == pytest.approx(-CORONARY.total_weight * (lost - given))
