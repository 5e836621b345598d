"""Interventions in a Bayesian network (Pearl 2000, §3.2).

do(X = x) removes the edges into X, so the joint distribution is the truncated factorisation
P(v | do(x)) = Π P(vᵢ | paᵢ) over the variables that were not set, where v agrees with x, and 0
elsewhere. Observations are conditioned on in that distribution, and P(e) is theirs alone.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Finding, as_seen, done_states
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork


def mutilated(network: BayesianNetwork, done: Mapping[str, str]) -> BayesianNetwork:
    """The network without the edges into these variables, each of which has its state surely."""
    if not done:
        return network
    parents = list(network.dag.parent_indices)
    tables = list(network.tables)
    for name, state in done.items():
        index = network.domain.index(name)
        tables[index] = np.zeros(network.domain.cardinalities[index])
        tables[index][network.domain[name].code(state)] = 1.0
        parents[index] = ()
    dag = Dag(network.domain.names, tuple(parents))
    return BayesianNetwork(network.domain, dag, tuple(tables))


def carried_out(
    network: BayesianNetwork, evidence: Mapping[str, Finding]
) -> tuple[BayesianNetwork, Mapping[str, Finding]]:
    """The network after its interventions, and evidence that is all observation there."""
    done = done_states(evidence)
    if not done:
        return network, evidence
    return mutilated(network, done), {name: as_seen(f) for name, f in evidence.items()}
