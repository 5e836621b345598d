"""Which session answers for which model: one table.

Loading the compiled loops ahead of the moment when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.graphs.junction_tree import clique_tree_of_scopes
from pgmstudio.core.inference.base import Finding, InferenceSession
from pgmstudio.core.inference.junction_tree.propagation import Propagation, compiled_passes
from pgmstudio.core.inference.junction_tree.schedule import Factor, plan_of
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.bayesian_network.pruned_query import Answer, ask_network
from pgmstudio.core.languages.bayesian_network.session import CliqueTreeSession
from pgmstudio.core.languages.kinds import a_kind
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.session import LabelledDagSession
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.session import DecisionGraphSession
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.languages.tree_mixture.session import MixtureSession
from pgmstudio.core.model import Model


class TreeSession(CliqueTreeSession):
    """A tree is its own clique tree; do() follows its edges as they are stored."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree.as_bayesian_network)


SESSIONS: dict[type, Callable[[Any], InferenceSession]] = {
    BayesianNetwork: CliqueTreeSession,
    Tree: TreeSession,
    TreeMixture: MixtureSession,
    LatentClasses: MixtureSession,
    DecisionGraph: DecisionGraphSession,
    LabelledDag: LabelledDagSession,
}


def open_session(model: Model) -> InferenceSession:
    """A session without evidence; a model without one is refused in a sentence."""
    opener = SESSIONS.get(type(model))
    if opener is None:
        raise PgmStudioError(
            f"There is no inference for {a_kind(model.kind)} yet, so it cannot answer questions."
        )
    return opener(model)


def ask(model: Model, targets: Sequence[str], evidence: Mapping[str, Finding]) -> Answer:
    """One question about a few variables; networks are pruned first, so huge ones can answer."""
    if isinstance(model, Tree):
        model = model.as_bayesian_network
    if isinstance(model, BayesianNetwork):
        return ask_network(model, targets, evidence)
    session = open_session(model)
    for name, finding in evidence.items():
        session.set_evidence(name, finding)
    return Answer({name: session.belief(name) for name in targets}, session.log2_evidence())


def warm_up() -> None:
    """Load, and at the very first time compile, the loops; for a thread beside the window.

    Until it is done the plain loops go on answering, so nobody else waits for the compiler.
    """
    from pgmstudio.core.inference.junction_tree import kernels as passes_kernels

    small = Factor((0, 1), np.full((2, 2), 0.25))
    plan = plan_of(clique_tree_of_scopes([small.scope], [2, 2]), [small])
    compiled = Propagation(plan, passes_kernels)
    compiled.set_weights(0, np.array([1.0, 0.5]))
    compiled.beliefs()
    compiled.most_probable()
    compiled_passes()
