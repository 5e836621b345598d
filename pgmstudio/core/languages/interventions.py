"""Interventions: what becomes of a network when variables are set from outside (Pearl 2000, §3.2).

do(X = x) takes away what the parents of X say about it, so the joint distribution is the truncated
factorisation P(v | do(x)) = Π P(vᵢ | paᵢ) over the variables that were not set, where v agrees
with x, and 0 elsewhere. Observations are then conditioned on in that distribution, and P(e) is
theirs alone: what was done did not happen by chance.

A tree is read as the network it is stored as, with every edge away from its root. Mixtures, latent
classes and decision graphs have no edges that could be read as cause and effect.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import NO_INTERVENTION, Done, Finding, Observed
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.model import Model

Floats = NDArray[np.float64]


def done_states(evidence: Mapping[str, Finding]) -> dict[str, str]:
    """The variables that were set from outside, and to what."""
    return {name: f.state for name, f in evidence.items() if isinstance(f, Done)}


def doings_first(evidence: Mapping[str, Finding]) -> dict[str, Finding]:
    """The same evidence to be set one by one: what is seen may be possible only after what was
    done."""
    return dict(sorted(evidence.items(), key=lambda one: not isinstance(one[1], Done)))


def as_seen(finding: Finding) -> Finding:
    """The same finding where an intervention has been made already: its state is certain."""
    return Observed(finding.state) if isinstance(finding, Done) else finding


def no_intervention_reason(model: Model) -> str:
    """Why do() has no meaning in this model, in a sentence; empty when it has one."""
    return "" if isinstance(model, BayesianNetwork | LabelledDag | Tree) else NO_INTERVENTION


def direction_note(model: Model, evidence: Mapping[str, Finding]) -> str:
    """A warning that a tree's answer after do() rests on its root; empty elsewhere."""
    if not (isinstance(model, Tree) and done_states(evidence)):
        return ""
    return (
        "do() reads the edges of the tree as leading away from its root. Data alone do not "
        "determine this direction: another root gives the same beliefs without do(), and "
        "other beliefs with it."
    )


def certain_table(network: BayesianNetwork, name: str, state: str) -> Floats:
    """P(name | parents) after do(name = state), with the axes of the table it replaces."""
    index = network.domain.index(name)
    row = np.zeros(network.domain.cardinalities[index])
    row[network.domain[name].code(state)] = 1.0
    return np.broadcast_to(row, network.tables[index].shape)


def mutilated(network: BayesianNetwork, done: Mapping[str, str]) -> BayesianNetwork:
    """The network without the edges into these variables, each of which has its state surely."""
    if not done:
        return network
    parents, tables = list(network.dag.parent_indices), list(network.tables)
    for name, state in done.items():
        index = network.domain.index(name)
        tables[index] = certain_table(network, name, state)[(0,) * len(parents[index])]
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
