"""Which session answers for which model: one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.inference.clique_tree_session import CliqueTreeSession
from pgmstudio.core.inference.decision_graph_session import DecisionGraphSession
from pgmstudio.core.inference.labelled_dag_session import LabelledDagSession
from pgmstudio.core.inference.mixture_session import MixtureSession
from pgmstudio.core.inference.protocols import Finding, InferenceSession
from pgmstudio.core.inference.queries import Answer, ask_network
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.core.models.kinds import a_kind
from pgmstudio.core.models.labelled_dag import LabelledDag
from pgmstudio.core.models.latent_classes import LatentClasses
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.models.tree import Tree
from pgmstudio.core.models.tree_mixture import TreeMixture


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
