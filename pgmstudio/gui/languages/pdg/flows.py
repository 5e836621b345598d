"""How evidence flows through the nodes of a decision graph, asked of the live beliefs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pgmstudio.core.analysis.belief_query import become
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import Finding, InferenceSession
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.session import DecisionGraphSession, NodeFlows
from pgmstudio.gui.beliefs.belief_service import BeliefService

# Flows of larger graphs are computed in the background.
MAX_AT_ONCE = 20_000


def ask_flows(live: BeliefService, topic: str, on_answer: Callable[[NodeFlows], None]) -> None:
    """Compute the flows at once where beliefs are computed so, else in the background.

    Nothing comes while the beliefs are stale: they will change, and be asked about again.
    """
    graph = live.model
    if not isinstance(graph, DecisionGraph) or live.is_stale or live.error is not None:
        return
    session = live.session
    if isinstance(session, DecisionGraphSession) and sum(graph.node_counts) <= MAX_AT_ONCE:
        on_answer(session.node_flows())
        return
    live.side.ask(topic, partial(_flows, dict(live.evidence)), partial(_deliver, on_answer))


def _deliver(on_answer: Callable[[NodeFlows], None], flows: NodeFlows | None) -> None:
    if flows is not None:
        on_answer(flows)


def _flows(
    evidence: dict[str, Finding], session: InferenceSession, cancel: CancelToken
) -> NodeFlows | None:
    if not isinstance(session, DecisionGraphSession):
        return None
    try:
        become(session, evidence)
    except PgmStudioError:
        return None  # impossible evidence; the beliefs report it
    cancel.raise_if_cancelled()
    return session.node_flows()
