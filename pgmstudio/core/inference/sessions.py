"""Which session answers for which model: one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.inference.clique_tree_session import CliqueTreeSession
from pgmstudio.core.inference.protocols import Finding, InferenceSession
from pgmstudio.core.inference.queries import Answer, ask_network
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.models.tree import Tree


def _tree_session(tree: Tree) -> CliqueTreeSession:
    """A tree is its own clique tree."""
    return CliqueTreeSession(tree.as_bayesian_network)


SESSIONS: dict[type, Callable[[Any], InferenceSession]] = {
    BayesianNetwork: CliqueTreeSession,
    Tree: _tree_session,
}


def open_session(model: Model) -> InferenceSession:
    """A session without evidence; a model without one is refused in a sentence."""
    opener = SESSIONS.get(type(model))
    if opener is None:
        raise PgmStudioError(
            f"There is no inference for a {model.kind} yet, so it cannot answer questions."
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
