"""Searches for chordal graphs, with strata or without, by their marginal likelihood.

Few variables: all graphs. Otherwise a hill climb and then several chains that change one edge at a
time, as long as the graph stays chordal, and accept with probability min(1, p(G')/p(G)). The
proposal ratio is left out, so models are weighted by their score, not by visits (Corander,
Gyllenberg and Koski 2006).
"""

from __future__ import annotations

import math
import random
from collections.abc import Generator, Iterable, Iterator, Sequence

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import KnowledgeError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.graphs.triangulation import eliminate, strip
from pgmstudio.core.languages.markov_network.learning.blankets import MIN_GAIN
from pgmstudio.core.languages.markov_network.log_linear import normalised
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    Merge,
    PseudoLikelihood,
    bits_of,
    edges_of,
    neighbour_masks,
)
from pgmstudio.core.languages.markov_network.strata import (
    chordal_total,
    free_edges,
    is_complete,
    maximal_cliques,
)
from pgmstudio.core.languages.markov_network.structure import (
    Configuration,
    Edge,
    MarkovStructure,
    edge_of,
)
from pgmstudio.core.learning.undirected_rules import UndirectedRules

Key = tuple[int, ...]  # a graph: the neighbours of every variable as bits

MAX_STORED_MODELS = 200_000
MAX_STRATA_CELLS = 256  # a clique with more joint states has no strata
# Up to this many strata of a variable are tried in pairs.
MAX_PAIRED_STRATA = 24
# With more columns the climb tries only edges that pay by themselves.
MAX_DENSE_COLUMNS = 40

Strata = dict[Edge, frozenset[Configuration]]


class ChordalScores:
    """Scores of chordal graphs with their priors, in bits; with κ, those of their best strata."""

    def __init__(
        self,
        scores: PseudoLikelihood,
        *,
        kappa: float | None = None,
        log2_edge_prior: float = 0.0,
    ) -> None:
        self.scores = scores
        self.cards = scores.cards
        self.log2_edge_prior = log2_edge_prior
        self.log2_kappa = math.log2(kappa) if kappa else -math.inf
        self._strata: dict[tuple[int, frozenset[Edge]], tuple[Strata, float]] = {}

    @property
    def has_strata(self) -> bool:
        return self.log2_kappa > -math.inf

    def total(self, masks: Sequence[int], cancel: CancelToken) -> float:
        """The score of a graph; −inf if it is not chordal."""
        plain = chordal_total(self.scores, masks, cancel)
        if plain == -math.inf:
            return plain
        edges = sum(mask.bit_count() for mask in masks) / 2
        return plain + self.log2_edge_prior * edges + self.strata_gain(masks, cancel)

    def strata_gain(self, masks: Sequence[int], cancel: CancelToken) -> float:
        """What the strata of a chordal graph add to its score."""
        if not self.has_strata:
            return 0.0
        return math.fsum(
            self._clique_strata(clique, free_edges(masks, clique), cancel)[1]
            for clique in maximal_cliques(masks)
            if clique.bit_count() > 2
        )

    def strata(self, masks: Sequence[int], cancel: CancelToken) -> Strata:
        """The strata that were found for a chordal graph."""
        result: Strata = {}
        if self.has_strata:
            for clique in maximal_cliques(masks):
                if clique.bit_count() > 2:
                    edges = free_edges(masks, clique)
                    result.update(self._clique_strata(clique, edges, cancel)[0])
        return result

    def _clique_strata(
        self, clique: int, edges: frozenset[Edge], cancel: CancelToken
    ) -> tuple[Strata, float]:
        """The best strata of a clique, and what they add: of every variable that could be last,
        those found one by one."""
        key = (clique, edges)
        known = self._strata.get(key)
        if known is None:
            best: tuple[Strata, float] = ({}, 0.0)
            if math.prod(self.cards[v] for v in bits_of(clique)) <= MAX_STRATA_CELLS:
                for last in bits_of(clique):
                    candidate = self._strata_of(clique, last, edges, cancel)
                    if candidate[1] > best[1] + MIN_GAIN:
                        best = candidate
            known = self._strata[key] = best
        return known

    def _strata_of(
        self, clique: int, last: int, edges: frozenset[Edge], cancel: CancelToken
    ) -> tuple[Strata, float]:
        """Strata on the edges of one variable of a clique, the best first, while they pay; two at
        once where one does not."""
        blanket = clique ^ 1 << last
        others = [edge[0] + edge[1] - last for edge in sorted(edges) if last in edge]
        merges: frozenset[Merge] = frozenset()
        total = 0.0
        while True:
            cancel.raise_if_cancelled()
            options = self._options(last, blanket, merges, others, cancel)
            gain, chosen = max(options, default=(0.0, None))
            if gain <= MIN_GAIN and len(options) <= MAX_PAIRED_STRATA:
                for first, one in options:
                    second = self._options(last, blanket, merges | {one}, others, cancel)
                    more, other = max(second, default=(0.0, None))
                    if other is not None and first + more > max(gain, MIN_GAIN):
                        gain, chosen = first + more, one
            if chosen is None or gain <= MIN_GAIN:
                break
            total += next(value for value, merge in options if merge == chosen)
            merges |= {chosen}
        strata: Strata = {}
        for neighbour, _, states in sorted(merges):
            edge = edge_of(last, neighbour)
            strata[edge] = strata.get(edge, frozenset()) | {states}
        return strata, total

    def _options(
        self,
        last: int,
        blanket: int,
        merges: frozenset[Merge],
        others: Sequence[int],
        cancel: CancelToken,
    ) -> list[tuple[float, Merge]]:
        """Every further stratum of a variable's edges, and what it adds to the score."""
        classes = self.scores.classes(last, blanket, merges)
        options = []
        for other in others:
            common = bits_of(blanket ^ 1 << other)
            shape = [self.cards[v] for v in common]
            if sum(merge[0] == other for merge in merges) + 1 >= math.prod(shape):
                continue  # the edge would have no effect
            gains = self.scores.merge_gains(last, blanket, merges, other, common, cancel)
            rows = np.moveaxis(classes, bits_of(blanket).index(other), -1)
            for gain, states in zip(gains.tolist(), np.ndindex(*shape), strict=True):
                saved = (self.cards[last] - 1) * (len(set(rows[states].tolist())) - 1)
                if saved:
                    options.append((gain + saved * self.log2_kappa, (other, common, states)))
        return options

    def structure(
        self, domain: Domain, masks: Sequence[int], rules: UndirectedRules, cancel: CancelToken
    ) -> MarkovStructure:
        """A graph with its strata in maximal and regular form."""
        plain = MarkovStructure(domain, frozenset(edges_of(masks)))
        strata = self.strata(masks, cancel)
        if not strata:
            return plain
        full = normalised(MarkovStructure(domain, plain.edges, strata))
        return full if full.edges >= rules.required else plain


def chordal_start(rules: UndirectedRules, start: Iterable[Edge] = ()) -> Key:
    """The smallest chordal graph that was found around the required edges and those of a start;
    KnowledgeError if it needs a forbidden edge."""
    masks = neighbour_masks(rules.count, {*start, *rules.required})
    reduced = strip([set(bits_of(mask)) for mask in masks])
    result = eliminate(reduced, [2] * rules.count)
    assert result is not None
    for i, j in result.fill_ins:
        if not rules.allows(edge_of(i, j)):
            if any(edge not in rules.required for edge in start):
                return chordal_start(rules)
            raise KnowledgeError(
                [
                    "The required edges form a cycle without a chord, and an edge that would be "
                    "one is forbidden, so no chordal graph obeys the rules. Allow that edge, or "
                    "use mn.mpl."
                ]
            )
        masks[i] |= 1 << j
        masks[j] |= 1 << i
    return tuple(masks)


def changed_graph(masks: Key, edge: Edge, rules: UndirectedRules) -> Key | None:
    """The graph with the edge added or removed; None if it is not chordal or not allowed."""
    i, j = edge
    if not rules.may_change(edge):
        return None
    common = masks[i] & masks[j]
    if masks[i] >> j & 1:
        if not is_complete(masks, common):
            return None  # the edge is the chord of a cycle
    elif _is_connected(masks, i, j, common):
        return None  # the edge would close a cycle without a chord
    result = list(masks)
    result[i] ^= 1 << j
    result[j] ^= 1 << i
    return tuple(result)


def _is_connected(masks: Key, i: int, j: int, blocked: int) -> bool:
    """Whether a path leads from i to j that meets no blocked variable."""
    seen = 1 << i | blocked
    border = masks[i] & ~seen
    while border:
        if border >> j & 1:
            return True
        seen |= border
        reached = 0
        for node in bits_of(border):
            reached |= masks[node]
        border = reached & ~seen
    return False


class ChordalSearch:
    """One search: the graphs that it scored, and the best of them."""

    def __init__(self, scores: ChordalScores, rules: UndirectedRules, cancel: CancelToken) -> None:
        self._scores, self._rules, self._cancel = scores, rules, cancel
        self.models: dict[Key, float] = {}
        self.best: Key = ()
        self.best_score = -math.inf
        self.steps = self.accepted = 0

    def add(self, key: Key, score: float) -> None:
        """Take note of a graph that was visited."""
        self.models[key] = score
        if score > self.best_score + MIN_GAIN:
            self.best, self.best_score = key, score
        if len(self.models) > MAX_STORED_MODELS:
            least = sorted(self.models.values())[MAX_STORED_MODELS // 2]
            self.models = {k: s for k, s in self.models.items() if s >= least}

    def enumerate_all(self) -> Iterator[Progress]:
        """Score every chordal graph that the rules allow."""
        edges = list(self._rules.pairs())
        fixed = neighbour_masks(self._rules.count, self._rules.required)
        for number in range(1 << len(edges)):
            masks = list(fixed)
            for k in bits_of(number):
                i, j = edges[k]
                masks[i] |= 1 << j
                masks[j] |= 1 << i
            score = self._scores.total(masks, self._cancel)
            if score > -math.inf:
                self.add(tuple(masks), score)
            if number % 512 == 0:
                self._cancel.raise_if_cancelled()
                yield Progress(
                    number / (1 << len(edges)),
                    "Scoring all chordal graphs",
                    {"graphs": float(len(self.models))},
                )

    def climb(self, start: Key) -> Generator[Progress, None, Key]:
        """Change the edge that gains most, one after the other."""
        key, score = start, self._scores.total(start, self._cancel)
        self.add(key, score)
        candidates = list(self._rules.pairs())
        if self._rules.count > MAX_DENSE_COLUMNS:
            gains = yield from self._pair_gains()
            candidates = [(i, j) for i, j in candidates if key[i] >> j & 1 or gains[i, j] > 0]
        step = 0
        while True:
            best, best_score = None, score + MIN_GAIN
            for edge in candidates:
                self._cancel.raise_if_cancelled()
                change = self._scored_change(key, score, edge)
                if change is not None and change[1] > best_score:
                    best, best_score = change
            if best is None:
                return key
            step += 1
            key, score = best, best_score
            self.add(key, score)
            yield Progress(None, "Climbing", {"step": float(step), "score": score})

    def _pair_gains(self) -> Generator[Progress, None, Floats]:
        """What an edge alone gains, for every pair of variables."""
        count = self._rules.count
        gains = np.zeros((count, count))
        for j in range(count):
            yield Progress(j / count, f"Pairs of variable {j + 1} of {count}")
            others = np.delete(np.arange(count), j)
            scores = self._scores.scores.families.toggled(j, (), others, self._cancel)
            gains[:, j] = scores - scores[j]
        return gains

    def _scored_change(self, key: Key, score: float, edge: Edge) -> tuple[Key, float] | None:
        result = changed_graph(key, edge, self._rules)
        if result is None:
            return None
        i, j = edge
        common = key[i] & key[j]
        # P(S ∪ ij) P(S) / P(S ∪ i) P(S ∪ j) for the common neighbours S.
        scores = self._scores.scores
        gain = scores.local(j, common | 1 << i, cancel=self._cancel)
        gain += self._scores.log2_edge_prior - scores.local(j, common, cancel=self._cancel)
        value = score + (gain if result[i] >> j & 1 else -gain)
        if self._scores.has_strata and value > -math.inf:
            value += self._scores.strata_gain(result, self._cancel)
            value -= self._scores.strata_gain(key, self._cancel)
        return (result, value) if value > -math.inf else None

    def run_chains(
        self, start: Key, *, chains: int, iterations: int, seed: int, reports: int = 50
    ) -> Iterator[Progress]:
        """Chains from a graph."""
        draw = random.Random(seed)
        edges = list(self._rules.pairs())
        score = self._scores.total(start, self._cancel)
        self.add(start, score)
        at = [(start, score)] * chains
        known: dict[tuple[Key, int], tuple[Key, float] | None] = {}
        every = max(1, iterations // reports)
        while edges and self.steps < iterations:
            self.steps += 1
            self._cancel.raise_if_cancelled()
            for chain, (key, score) in enumerate(at):
                number = draw.randrange(len(edges))
                if (key, number) not in known:
                    if len(known) >= MAX_STORED_MODELS:
                        known.clear()
                    known[key, number] = self._scored_change(key, score, edges[number])
                proposal = known[key, number]
                if proposal is None:
                    continue
                ratio = proposal[1] - score
                if ratio >= 0 or draw.random() < 2.0**ratio:
                    at[chain] = proposal
                    self.accepted += 1
                    if proposal[0] not in self.models:
                        # Summed anew, so that a score does not depend on the path of a chain.
                        exact = self._scores.total(proposal[0], self._cancel)
                        at[chain] = (proposal[0], exact)
                        self.add(proposal[0], exact)
            if self.steps % every == 0:
                yield Progress(
                    self.steps / iterations,
                    "Running chains",
                    {
                        "best score": self.best_score,
                        "accepted": float(self.accepted),
                        "graphs": float(len(self.models)),
                        "step": float(self.steps),
                    },
                )
