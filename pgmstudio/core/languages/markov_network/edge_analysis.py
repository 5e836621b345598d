"""Moves, strength and explanation of the edges of Markov networks.

A move adds or removes one edge, or one context of an edge. The scores are those of
`pseudo_likelihood`: a move alters only the local scores of variables whose neighbours or contexts
it touches.

The *divergence of removal* is that to the nearest distribution of the graph without the edge. In
data, an edge U – X is tested given the other neighbours of one end, which separate the two without
the edge (the blanket with fewer joint states), and its score is PIC, the BIC of the
pseudo-likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.inference.base import JointSession
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.languages.bayesian_network.edge_analysis import data_tests
from pgmstudio.core.languages.markov_network.fitting import MAX_PROJECTED_CELLS, fit
from pgmstudio.core.languages.markov_network.log_linear import free_parameters, normalised
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    LAMBDA,
    MPL,
    PIC,
    PseudoLikelihood,
    merges_of,
    neighbour_masks,
    pseudo_score,
)
from pgmstudio.core.languages.markov_network.structure import (
    Configuration,
    MarkovStructure,
    edge_of,
)
from pgmstudio.core.languages.markov_network.structure import Edge as IndexEdge
from pgmstudio.core.learning.edge_moves import (
    SAME_BITS,
    TOP,
    MoveKey,
    MoveList,
    MoveParams,
    NextMove,
)
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.scores.edge_gains import Edge, EdgeAction, EdgeMove
from pgmstudio.core.scores.edge_reports import EdgeWhy, LinkStrength, PairTest, rules_about
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS
from pgmstudio.core.scores.independence import DataTests

MAX_CONFIGURATIONS = 64  # of common neighbours, up to which contexts are tried one by one
# The pseudo-likelihood scores, by the local score that each is a sum of.
MARKOV_SCORES = {"bic": PIC, "bdeu": MPL, "lambda": LAMBDA}
MAX_CONTEXTS = 8  # of an edge that are explained


class EdgeScores:
    """Scores of structures over one data set; each local score is computed once."""

    def __init__(
        self,
        data: DataSet,
        score: str,
        *,
        ess: float = 1.0,
        lambda_: float | None = None,
        max_table_cells: int = MAX_TABLE_CELLS,
    ) -> None:
        measure = pseudo_score(score, data.total_weight, ess=ess, lambda_=lambda_)
        self._scores = PseudoLikelihood(data, measure, max_table_cells=max_table_cells)

    def total(self, structure: MarkovStructure, cancel: CancelToken = NEVER) -> float:
        """The score of a structure, in bits."""
        masks = neighbour_masks(len(structure.domain), structure.edges)
        return self._scores.total(masks, structure.contexts, cancel)

    def gain(
        self, before: MarkovStructure, after: MarkovStructure, cancel: CancelToken = NEVER
    ) -> float:
        """The change of the score; −inf if a table would be too large."""
        masks = [neighbour_masks(len(each.domain), each.edges) for each in (before, after)]
        parts = []
        for node in range(len(before.domain)):
            merges = [
                merges_of(node, masks[0], before.contexts),
                merges_of(node, masks[1], after.contexts),
            ]
            if masks[0][node] != masks[1][node] or merges[0] != merges[1]:
                parts.append(self._scores.local(node, masks[1][node], merges[1], cancel))
                parts.append(-self._scores.local(node, masks[0][node], merges[0], cancel))
        return math.fsum(parts) if math.inf not in map(abs, parts) else -math.inf

    def edge_gain(self, structure: MarkovStructure, edge: IndexEdge, cancel: CancelToken) -> float:
        """The change of the score when the edge is removed, or added if it is absent."""
        return self.gain(structure, toggled(structure, edge), cancel)

    def moves(
        self,
        structure: MarkovStructure,
        rules: UndirectedRules,
        top: int = TOP,
        vetoes: Collection[MoveKey] = (),
        cancel: CancelToken = NEVER,
    ) -> MoveList:
        """The best single changes."""
        total = self.total(structure, cancel)
        least = 1e-7 + 1e-13 * abs(total)
        candidates: list[tuple[float, MoveKey, MarkovStructure]] = []
        for key, after in _changes(structure, rules):
            cancel.raise_if_cancelled()
            gain = self.gain(structure, after, cancel)
            if gain > -math.inf and key not in vetoes:
                candidates.append((gain if abs(gain) > least else 0.0, key, after))
        candidates.sort(key=lambda one: -round(one[0] / SAME_BITS))
        size = free_parameters(structure)
        moves = tuple(
            NextMove(key, gain, free_parameters(after) - size)
            for gain, key, after in candidates[:top]
        )
        better = sum(gain > least for gain, _, _ in candidates)
        return MoveList(total, moves, better, len(candidates), least)


def moved(structure: MarkovStructure, key: MoveKey) -> MarkovStructure:
    """The structure after a move."""
    edge = edge_of(structure.domain.index(key.source), structure.domain.index(key.target))
    if not key.context:
        return toggled(structure, edge)
    element = next(
        each
        for each in structure.completions(edge, {})
        if context_text(structure, edge, each) == key.context
    )
    if key.action == "remove":
        return structure.without_context(edge, element)
    return normalised(structure.with_context(edge, element))


def toggled(structure: MarkovStructure, edge: IndexEdge) -> MarkovStructure:
    """The structure without the edge, or with it if it is absent."""
    edge = edge_of(*edge)
    is_there = edge in structure.edges
    return structure.without_edge(*edge) if is_there else structure.with_edge(*edge)


def _changes(
    structure: MarkovStructure, rules: UndirectedRules
) -> Iterator[tuple[MoveKey, MarkovStructure]]:
    names = structure.domain.names
    for edge in rules.pairs():
        action: EdgeAction = "remove" if edge in structure.edges else "add"
        key = MoveKey(action, names[edge[0]], names[edge[1]], is_directed=False)
        yield key, toggled(structure, edge)
    for edge in sorted(structure.edges):
        elements = structure.contexts.get(edge, frozenset())
        if not 1 < structure.configuration_count(edge) <= MAX_CONFIGURATIONS:
            continue
        for element in structure.completions(edge, {}):
            is_there = element in elements
            if not is_there and len(elements) + 1 == structure.configuration_count(edge):
                continue  # it would cover all states
            key = MoveKey(
                "remove" if is_there else "add",
                names[edge[0]],
                names[edge[1]],
                is_directed=False,
                context=context_text(structure, edge, element),
            )
            yield key, moved(structure, key)


def context_text(structure: MarkovStructure, edge: IndexEdge, element: Configuration) -> str:
    """One context of an edge: `C = yes, D = no`."""
    variables = [structure.domain.variables[v] for v in structure.common_neighbours(*edge)]
    return ", ".join(
        f"{variable.name} = {variable.states[state]}"
        for variable, state in zip(variables, element, strict=True)
    )


def undirected_divergences(
    model: MarkovNetwork, edges: Iterable[Edge]
) -> Iterator[tuple[Edge, float]]:
    """KL(P ‖ P') in bits for each edge, P' being the nearest distribution of the graph without it.

    TooLargeError where the nearest distribution would take too long.
    """
    if model.effective_size() > MAX_PROJECTED_CELLS:
        raise TooLargeError(
            f"The junction tree has more than {MAX_PROJECTED_CELLS} cells, too many to compute the "
            "KL of removal of every edge. Choose another measure."
        )
    flow = model.propagation()
    own = _expected_log2(model, model, flow)
    for edge in edges:
        yield edge, max(0.0, own - _expected_log2(model, model.without_edge(*edge), flow))


def _expected_log2(model: MarkovNetwork, other: MarkovNetwork, flow: Propagation) -> float:
    """E log2 P'(x) under P; the cliques of P' are complete in the graph of P."""
    total = -other.log2_partition
    for factor in other.factors:
        p = joint_of(model, factor.scope, {}, flow)
        seen = p > 0
        total += float(np.sum(p[seen] * np.log2(factor.values[seen])))
    return total


def undirected_strengths(
    model: MarkovNetwork, data: DataSet, cancel: CancelToken = NEVER
) -> tuple[LinkStrength, ...]:
    """All edges of a Markov network, what PIC would lose least first."""
    structure, domain = model.structure, model.domain
    tests = data_tests(data)
    result = []
    for edge, gain in undirected_gains(structure, EdgeScores(data, PIC), cancel):
        a, b = (domain.index(name) for name in edge)
        blankets = [sorted(structure.neighbours[v] - {a, b}) for v in (a, b)]
        given = min(
            blankets,
            key=lambda members: domain.restricted_to(
                domain.names[v] for v in members
            ).joint_states(),
        )
        alone = tests.test(a, b, (), cancel)
        separated = tests.test(a, b, given, cancel) if given else alone
        result.append(LinkStrength(*edge, alone, separated, gain))
    return tuple(sorted(result, key=lambda link: (link.bic_gain, link.edge)))


def undirected_gains(
    structure: MarkovStructure, scores: EdgeScores, cancel: CancelToken = NEVER
) -> Iterator[tuple[Edge, float]]:
    """For each edge what the score would lose without it, in bits."""
    names = structure.domain.names
    for a, b in sorted(structure.edges):
        yield (names[a], names[b]), -scores.edge_gain(structure, (a, b), cancel)


def why_undirected_edge(
    model: MarkovNetwork,
    scores: Mapping[str, EdgeScores],
    tests: DataTests,
    one: str,
    other: str,
    *,
    knowledge: Knowledge | None = None,
    cancel: CancelToken = NEVER,
) -> EdgeWhy:
    """The reasons for and against an edge without direction, and for its contexts."""
    structure, names = model.structure, model.domain.names
    edge = edge_of(model.domain.index(one), model.domain.index(other))
    one, other = names[edge[0]], names[edge[1]]
    is_edge = edge in structure.edges
    moves, contexts = {}, {}
    for title, each in scores.items():
        gain = each.edge_gain(structure, edge, cancel)
        action: EdgeAction = "remove" if is_edge else "add"
        is_large = gain == -math.inf
        moves[title] = (
            EdgeMove(action, one, other, None if is_large else gain, is_too_large=is_large),
        )
        contexts[title] = {
            context_text(structure, edge, element): each.gain(
                structure, structure.without_context(edge, element), cancel
            )
            for element in sorted(structure.contexts.get(edge, ()))[:MAX_CONTEXTS]
        }
    given = [(), *(tuple(sorted(structure.neighbours[v] - set(edge))) for v in edge)]
    made = tuple(
        PairTest(tuple(names[v] for v in members), tests.test(*edge, members, cancel))
        for members in dict.fromkeys(given)
    )
    rules = rules_about(knowledge, one, other)
    return EdgeWhy(one, other, is_edge, moves, made, rules, is_directed=False, contexts=contexts)


def undirected_scores(data: DataSet, params: Any = None) -> dict[str, EdgeScores]:
    """PIC, the BIC of pseudo-likelihood, and the marginal pseudo-likelihood, by their titles."""
    ess = getattr(params, "ess", 1.0)
    return {"PIC": EdgeScores(data, PIC), "log2 MPL": EdgeScores(data, MPL, ess=ess)}


@dataclass(frozen=True)
class MoveRules:
    """The constraints of a search, with the moves that are not to be made."""

    rules: UndirectedRules
    vetoes: Collection[MoveKey]


class MarkovMoves:
    """Moves on one data set under one score, with cached local scores."""

    def __init__(self, scores: EdgeScores) -> None:
        self._scores = scores

    def list_moves(
        self,
        graph: MarkovStructure,
        rules: MoveRules,
        top: int = TOP,
        cancel: CancelToken = NEVER,
    ) -> Iterator[MoveList]:
        yield self._scores.moves(graph, rules.rules, top, rules.vetoes, cancel)

    def moved(self, graph: MarkovStructure, key: MoveKey) -> MarkovStructure:
        return moved(graph, key)


class MarkovExplainer:
    """Explains edges of Markov networks by one data set."""

    def __init__(self, data: DataSet, params: Any) -> None:
        self._tests = data_tests(data)
        self._scores = undirected_scores(data, params)

    def explain(
        self,
        model: MarkovNetwork,
        one: str,
        other: str,
        *,
        knowledge: Knowledge | None = None,
        cancel: CancelToken = NEVER,
    ) -> EdgeWhy:
        return why_undirected_edge(
            model, self._scores, self._tests, one, other, knowledge=knowledge, cancel=cancel
        )


class MarkovEdges:
    """The `EdgeAnalysis` of Markov networks."""

    is_directed = False
    move_scores: Mapping[str, str] = MARKOV_SCORES
    score_title = "PIC"

    def graph_of(self, model: MarkovNetwork) -> MarkovStructure:
        return model.structure

    def rules(
        self,
        names: Sequence[str],
        knowledge: Knowledge | None,
        max_parents: int | None,
        vetoes: Collection[MoveKey] = (),
    ) -> MoveRules:
        return MoveRules(UndirectedRules.of(names, knowledge), vetoes)

    def search(self, data: DataSet, params: MoveParams, graph: MarkovStructure) -> MarkovMoves:
        scores = EdgeScores(
            data,
            MARKOV_SCORES[params.score],
            ess=params.ess,
            lambda_=params.lambda_,
            max_table_cells=params.max_table_cells,
        )
        return MarkovMoves(scores)

    def fitted(
        self,
        model: MarkovNetwork,
        graph: MarkovStructure,
        data: DataSet,
        smoothing: float,
        cancel: CancelToken = NEVER,
    ) -> MarkovNetwork:
        return run_to_end(fit(graph, data, smoothing=smoothing, cancel=cancel)).network

    def model_of_edges(
        self, edges: Iterable[Edge], data: DataSet, smoothing: Any, rng: np.random.Generator
    ) -> MarkovNetwork:
        structure = MarkovStructure.of_names(data.domain, edges)
        return run_to_end(fit(structure, data, smoothing=smoothing)).network

    def explainer(self, data: DataSet, params: Any = None) -> MarkovExplainer:
        return MarkovExplainer(data, params)

    def strengths(
        self, model: MarkovNetwork, data: DataSet, cancel: CancelToken = NEVER
    ) -> tuple[LinkStrength, ...]:
        return undirected_strengths(model, data, cancel)

    def gains(
        self, model: MarkovNetwork, data: DataSet, score: str, cancel: CancelToken = NEVER
    ) -> Iterator[tuple[Edge, float]]:
        return undirected_gains(model.structure, EdgeScores(data, score), cancel)

    def removal_divergences(
        self, model: MarkovNetwork, session: JointSession
    ) -> Iterator[tuple[Edge, float]]:
        return undirected_divergences(model, model.undirected_edges)


EDGES = MarkovEdges()
