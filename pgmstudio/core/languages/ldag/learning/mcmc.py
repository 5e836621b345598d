"""Labelled DAGs by non-reversible MCMC: the best one, and probabilities of edges and labels.

A step proposes one of all legal changes of one edge, each with the same probability, and accepts it
with probability min(1, p(x|G')p(G') / p(x|G)p(G)). The proposal ratio is omitted (Corander,
Gyllenberg and Koski 2006), so visit frequencies are not the posterior; models are weighted by
score.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import bits_of
from pgmstudio.core.languages.ldag.learning.label_learner import (
    GivenKappaParams,
    LabelLearner,
    kappa_of,
    label_scores,
)
from pgmstudio.core.languages.ldag.learning.label_search import NATS_PER_BIT, LabelScores
from pgmstudio.core.languages.ldag.learning.learner import label_notes, model_and_measures
from pgmstudio.core.languages.ldag.partitions import label_of
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    Finished,
    ImprovedModel,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.params import (
    knowledge_param,
    max_parents_param,
    max_table_cells_param,
    start_param,
)
from pgmstudio.core.learning.structure_posterior import (
    MIN_LISTED,
    ContextProbability,
    EdgeProbability,
    StructurePosterior,
    likely_graphs,
    weights_of,
)
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.number_format import count_of
from pgmstudio.core.params import param
from pgmstudio.core.scores.family_cache import mask_of

# Visited graphs cached with their proposals, and models stored for the posterior.
MAX_VISITED = 20_000
MAX_STORED_MODELS = 400_000
# A model this many nats below the best has negligible weight.
FAR_BELOW = 50.0

Key = tuple[int, ...]  # a graph: each variable's parents as bits
Proposal = tuple[Key, float]


class VisitedGraph:
    """A graph that a chain visited, with the results of its changes cached."""

    __slots__ = ("above", "key", "known", "score")

    def __init__(self, key: Key, score: float) -> None:
        self.key, self.score = key, score
        self.above = _ancestors(key)
        self.known: dict[int, Proposal | None] = {}  # by the number of the change


class Chains:
    """Several chains that occasionally jump to one another, and the models they scored."""

    def __init__(
        self,
        scores: LabelScores,
        rules: EdgeRules,
        start: Dag,
        *,
        chains: int,
        jump_rate: float,
        count_evaluated: bool,
        seed: int,
        cancel: CancelToken,
    ) -> None:
        self._scores, self._cancel = scores, cancel
        self._names, self._most_parents = rules.names, rules.most_parents
        columns = range(len(rules.names))
        self._allowed = [mask_of(np.flatnonzero(rules.allowed[:, c]).tolist()) for c in columns]
        self._required = [mask_of(np.flatnonzero(rules.required[:, c]).tolist()) for c in columns]
        self._jump_rate, self._counts_all = jump_rate, count_evaluated
        self._random = random.Random(seed)
        key = tuple(mask_of(parents) for parents in start.parent_indices)
        score = math.fsum(self._local(c, mask) for c, mask in enumerate(key))
        self._visited = {key: VisitedGraph(key, score)}
        self.at = [self._visited[key]] * chains
        self.models: dict[Key, float] = {key: score}
        self.best = key
        self.best_score = score
        self.steps, self.accepted = 0, 0

    def _local(self, child: int, mask: int) -> float:
        parents = [p for p in range(len(self._names)) if mask >> p & 1]
        return self._scores.local(child, parents, self._cancel) * NATS_PER_BIT

    def step(self) -> bool:
        """One step of every chain; False when no graph has a legal change."""
        self.steps += 1
        jump = self._jump_rate / math.sqrt(self.steps)
        draw = self._random.random
        for chain, graph in enumerate(self.at):
            if len(self.at) > 1 and draw() < jump:
                self.at[chain] = self._other(chain)
                continue
            proposal = self._proposal(graph)
            if proposal is None:
                return False
            key, score = proposal
            if score >= graph.score or draw() < math.exp(score - graph.score):
                self.at[chain] = self._visit(key)
                self.accepted += 1
        return True

    def _other(self, chain: int) -> VisitedGraph:
        """The graph of another chain, drawn by probability."""
        others = [graph for number, graph in enumerate(self.at) if number != chain]
        best = max(graph.score for graph in others)
        weights = [math.exp(graph.score - best) for graph in others]
        return self._random.choices(others, weights)[0]

    def _proposal(self, graph: VisitedGraph) -> Proposal | None:
        """A legal change, drawn uniformly; None if there is none."""
        n = len(self._names)
        changes = 2 * n * (n - 1)
        known = graph.known
        while changes:
            number = int(self._random.random() * changes)
            if number not in known:
                known[number] = self._changed(graph, number)
                if len(known) == changes and not any(known.values()):
                    return None
            if (result := known[number]) is not None:
                return result
        return None

    def _changed(self, graph: VisitedGraph, number: int) -> Proposal | None:
        """The result of a change: an edge added or removed, or, for odd numbers, reversed."""
        n, key = len(self._names), graph.key
        pair, is_reversal = divmod(number, 2)
        p, c = divmod(pair, n - 1)
        c += c >= p
        source, target = 1 << p, 1 << c
        parents = list(key)
        if key[c] & source:
            if self._required[c] & source:
                return None
            parents[c] ^= source
            if is_reversal:
                others = key[c] ^ source
                is_cycle = any(
                    others >> other & 1 and graph.above[other] & source for other in range(n)
                )
                full = key[p].bit_count() >= self._most_parents
                if is_cycle or full or not self._allowed[p] & target:
                    return None
                parents[p] |= target
        else:
            full = key[c].bit_count() >= self._most_parents
            is_barred = full or not self._allowed[c] & source or key[p] & target
            if is_reversal or is_barred or graph.above[p] & target:
                return None
            parents[c] |= source
        score = graph.score
        for child in (p, c):
            if parents[child] != key[child]:
                score += self._local(child, parents[child]) - self._local(child, key[child])
        if score == -math.inf:
            return None  # a table too large
        result = tuple(parents)
        if self._counts_all:
            self._add_model(result, score)
        return result, score

    def _visit(self, key: Key) -> VisitedGraph:
        graph = self._visited.get(key)
        if graph is None:
            if len(self._visited) >= MAX_VISITED:
                self._visited = {here.key: here for here in self.at}
            # Summed again, so that a score does not depend on the path of the chain.
            exact = math.fsum(self._local(c, mask) for c, mask in enumerate(key))
            graph = self._visited[key] = VisitedGraph(key, exact)
            self._add_model(key, exact)
        return graph

    def _add_model(self, key: Key, score: float) -> None:
        self.models[key] = score
        if score > self.best_score + 1e-9:
            self.best, self.best_score = key, score
        if len(self.models) > MAX_STORED_MODELS:
            least = sorted(self.models.values())[MAX_STORED_MODELS // 2]
            least = max(least, self.best_score - FAR_BELOW)
            self.models = {k: s for k, s in self.models.items() if s >= least}

    def best_dag(self) -> Dag:
        """The best model's graph."""
        n = len(self._names)
        return Dag(
            self._names, tuple(tuple(p for p in range(n) if mask >> p & 1) for mask in self.best)
        )


def _ancestors(key: Key) -> list[int]:
    """Each variable's ancestors as bits."""
    above = list(key)
    is_settled = False
    while not is_settled:
        is_settled = True
        for child, mask in enumerate(above):
            more, rest = mask, mask
            while rest:
                low = rest & -rest
                more |= above[low.bit_length() - 1]
                rest ^= low
            if more != mask:
                above[child], is_settled = more, False
    return above


PROGRESS_REPORTS = 50  # progress reports of a run


class LdagPosterior(StructurePosterior):
    """The probabilities of labelled DAGs; the contexts of an edge are those of its label."""

    kind = "ldag-posterior"


@dataclass(frozen=True, slots=True, kw_only=True)
class McmcParams(GivenKappaParams):
    """The settings of the chains."""

    iterations: int = param(
        10_000, title="Steps", low=100, high=10_000_000, help="Number of steps of every chain."
    )
    chains: int = param(4, title="Chains", low=1, high=32, help="Number of parallel chains.")
    jump_rate: float = param(
        0.1,
        title="Jump rate",
        low=0,
        high=1,
        help="Probability that a chain jumps to the graph of another, better ones more often; it "
        "decreases as 1/√t.",
    )
    count_evaluated: bool = param(
        False,
        title="Count every model scored",
        help="Include models that were proposed but not accepted in the probabilities.",
        advanced=True,
    )
    max_parents: int | None = max_parents_param(4)
    knowledge: Knowledge | None = knowledge_param()
    start: DirectedModel | None = start_param()
    max_table_cells: int = max_table_cells_param()


class McmcLearner(LabelLearner[McmcParams]):
    """The best labelled graph that chains visit, and probabilities of edges and labels."""

    key = "ldag.mcmc"
    passes = Passes(columns=4.0)
    title = "Labelled graph, chains"
    params_type = McmcParams
    cost = Cost(2.0, 0.3, 2.5, compiling=2.0)
    artifacts = (LdagPosterior,)

    def search(
        self, data: DataSet, params: McmcParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rules = EdgeRules.of(data.domain.names, params.knowledge, params.max_parents)
        start = yield from rules.start_of(params.start)
        scores = label_scores(data, params, kappa_of(params), start, params.max_table_cells)
        chains = Chains(
            scores,
            rules,
            start,
            chains=params.chains,
            jump_rate=params.jump_rate,
            count_evaluated=params.count_evaluated,
            seed=int(rng.integers(2**63)),
            cancel=cancel,
        )
        yield ImprovedModel(*model_and_measures(scores, start, cancel))
        best_score = chains.best_score
        every = max(1, params.iterations // PROGRESS_REPORTS)
        while chains.steps < params.iterations and chains.step():
            if chains.steps % 32 == 0:
                cancel.raise_if_cancelled()
            if chains.steps % every == 0:
                yield _progress(chains, params, scores.families_scored)
                if chains.best_score > best_score:
                    best_score = chains.best_score
                    yield ImprovedModel(*model_and_measures(scores, chains.best_dag(), cancel))
        cancel.raise_if_cancelled()
        yield ArtifactSaved(posterior_of(scores, chains.models, chains.steps, chains.accepted))
        considered = "scored" if params.count_evaluated else "visited"
        yield Note(
            f"Probabilities of edges and labels are over {count_of(len(chains.models), 'graph')} "
            f"that the chains {considered}, weighted by score, not by the number of visits."
        )
        dag = chains.best_dag()
        yield from map(Note, label_notes(scores, dag))
        model, measures = model_and_measures(scores, dag, cancel)
        yield Finished(
            model, measures | {"models": float(len(chains.models)), "steps": float(chains.steps)}
        )


def _progress(chains: Chains, params: McmcParams, families: int) -> Progress:
    tried = chains.steps * params.chains
    counters = {
        "score": max(graph.score for graph in chains.at) / NATS_PER_BIT,
        "best score": chains.best_score / NATS_PER_BIT,
        "accepted": float(chains.accepted),
        "not accepted": float(tried - chains.accepted),
        "graphs": float(len(chains.models)),
        "families": float(families),
        "step": float(chains.steps),
    }
    return Progress(chains.steps / params.iterations, "Running chains", counters)


def posterior_of(
    scores: LabelScores, models: Mapping[Key, float], steps: int, accepted: int
) -> LdagPosterior:
    """The probabilities of edges and labels over models with their scores in nats."""
    families: defaultdict[tuple[int, int], float] = defaultdict(float)
    for key, weight in weights_of(models, math.e).items():
        for child, mask in enumerate(key):
            families[child, mask] += weight
    edges, contexts = _of_families(scores, families)
    graphs = likely_graphs(models, _edges, scores.data.domain, math.e)
    return LdagPosterior(len(models), steps, accepted, edges, contexts, graphs)


def _edges(key: Key) -> Iterator[tuple[int, int]]:
    return ((parent, child) for child, mask in enumerate(key) for parent in bits_of(mask))


def _of_families(
    scores: LabelScores, families: Mapping[tuple[int, int], float]
) -> tuple[tuple[EdgeProbability, ...], tuple[ContextProbability, ...]]:
    domain = scores.data.domain
    plain: defaultdict[tuple[int, int], float] = defaultdict(float)
    labelled: defaultdict[tuple[int, int], float] = defaultdict(float)
    contexts = []
    for (child, mask), weight in families.items():
        parents = [*bits_of(mask)]
        classes = scores.family(child, parents).classes
        for axis, parent in enumerate(parents):
            plain[parent, child] += weight
            label = label_of(classes, axis)
            if len(parents) < 2 or not label.any():
                continue
            labelled[parent, child] += weight
            if weight < MIN_LISTED:
                continue
            others = [p for p in parents if p != parent]
            for states in np.argwhere(label).tolist():
                context = tuple(
                    (domain.names[p], domain[domain.names[p]].states[state])
                    for p, state in zip(others, states, strict=True)
                )
                contexts.append(
                    ContextProbability(domain.names[parent], domain.names[child], context, weight)
                )
    edges = [
        EdgeProbability(domain.names[p], domain.names[c], min(weight, 1.0), labelled[p, c])
        for (p, c), weight in plain.items()
    ]
    edges.sort(key=lambda e: (-e.probability, domain.index(e.source), domain.index(e.target)))
    contexts.sort(key=lambda c: (-c.probability, c.source, c.target, c.context))
    return tuple(edges), tuple(contexts)
