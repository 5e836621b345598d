"""Undirected graphs by marginal pseudo-likelihood: blankets of all variables, then a hill climb.

First the blanket of every variable is searched on its own. An edge found from one end at least is a
candidate, from both ends an edge of the AND graph. Then the candidates are added and removed one by
one as long as the score of the graph improves (Pensar, Nyman, Niiranen and Corander 2017).
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    PseudoLikelihood,
    bits_of,
    edges_of,
    neighbour_masks,
)
from pgmstudio.core.languages.markov_network.structure import Edge, edge_of
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.scores.family_cache import mask_of

MIN_GAIN = 1e-9  # bits; smaller gains are rounding
# The exhaustive search: variables, or candidates, and local scores.
MAX_EXHAUSTIVE_VARIABLES = 6
MAX_EXHAUSTIVE_EDGES = 20
MAX_EXHAUSTIVE_SCORES = 100_000


@dataclass(frozen=True, slots=True)
class BlanketStep:
    """A variable that joined a blanket, or left it, and the score of the blanket after it."""

    variable: int
    is_added: bool
    score: float


@dataclass(frozen=True, slots=True)
class Blanket:
    """The blanket that was found for a variable, and how; scores in bits."""

    members: int
    score: float
    empty_score: float
    steps: tuple[BlanketStep, ...]


@dataclass(frozen=True, slots=True)
class EdgeStep:
    """An edge added or removed by the hill climb, and its gain in bits."""

    edge: Edge
    is_added: bool
    gain: float


@dataclass(slots=True)
class BlanketSearch:
    """The scores, rules and limits of one search, and the blankets that it found."""

    scores: PseudoLikelihood
    rules: UndirectedRules
    max_neighbours: int
    log2_edge_prior: float = 0.0
    blankets: list[Blanket] = field(default_factory=list)

    @property
    def count(self) -> int:
        return self.rules.count

    def find_blankets(self, cancel: CancelToken) -> Generator[Progress, None, None]:
        """The blanket of every variable on its own."""
        fixed = neighbour_masks(self.count, self.rules.required)
        barred = neighbour_masks(self.count, self.rules.forbidden)
        for node in range(self.count):
            cancel.raise_if_cancelled()
            self.blankets.append(self._blanket(node, fixed[node], barred[node], cancel))
            yield Progress(
                (node + 1) / self.count,
                f"Blanket of variable {node + 1} of {self.count}",
                {
                    "neighbours": float(self.blankets[-1].members.bit_count()),
                    "scores": float(self.scores.evaluations),
                },
            )

    def _blanket(self, node: int, fixed: int, barred: int, cancel: CancelToken) -> Blanket:
        everything = (1 << self.count) - 1
        candidates = np.array(bits_of(everything & ~barred & ~(1 << node)), dtype=np.int64)
        half = self.log2_edge_prior / 2  # the other half belongs to the other end

        def options(members: int) -> np.ndarray:
            """Scores with one member more or less; entry `node` has none changed."""
            scores = self.scores.families.toggled(node, bits_of(members), candidates, cancel)
            size = members.bit_count()
            inside = np.array([-1 if members >> v & 1 else 1 for v in range(self.count)])
            inside[node] = 0
            return np.asarray(scores + half * (size + inside))

        empty = float(options(0)[node])
        members, steps = fixed, list[BlanketStep]()
        score = float(options(members)[node])
        while members.bit_count() < self.max_neighbours:
            scores = options(members)
            scores[[*bits_of(members), node]] = -math.inf
            best = int(np.argmax(scores))
            if scores[best] <= score + MIN_GAIN:
                break
            members, score = members | 1 << best, float(scores[best])
            steps.append(BlanketStep(best, True, score))
            while members.bit_count() > 2:
                scores = options(members)
                free = list(bits_of(members & ~fixed))
                if not free:
                    break
                worst = free[int(np.argmax(scores[free]))]
                if scores[worst] <= score + MIN_GAIN:
                    break
                members, score = members ^ 1 << worst, float(scores[worst])
                steps.append(BlanketStep(worst, False, score))
        return Blanket(members, score, empty, tuple(steps))

    def or_edges(self) -> frozenset[Edge]:
        """The edges that were found from one of their ends at least."""
        return frozenset(
            edge_of(node, other)
            for node, blanket in enumerate(self.blankets)
            for other in bits_of(blanket.members)
        )

    def and_edges(self) -> frozenset[Edge]:
        """The edges that were found from both ends."""
        return frozenset(
            (i, j)
            for i, j in self.or_edges()
            if self.blankets[i].members >> j & 1 and self.blankets[j].members >> i & 1
        )

    def total(self, edges: Iterable[Edge], cancel: CancelToken) -> float:
        """The score of a graph with its prior, in bits."""
        masks = neighbour_masks(self.count, edges)
        prior = self.log2_edge_prior * sum(mask.bit_count() for mask in masks) / 2
        return self.scores.total(masks, cancel=cancel) + prior

    def climb(
        self, start: Iterable[Edge], candidates: Iterable[Edge], cancel: CancelToken
    ) -> Generator[EdgeStep, None, frozenset[Edge]]:
        """The graph to which the change of one candidate after the other leads, the best first."""
        masks = neighbour_masks(self.count, {*start, *self.rules.required})
        free = sorted(edge for edge in {*candidates, *start} if self.rules.may_change(edge))
        at: list[list[Edge]] = [[] for _ in range(self.count)]
        for edge in free:
            for node in edge:
                at[node].append(edge)
        gains = {edge: self.gain(masks, edge, cancel) for edge in free}
        while gains:
            cancel.raise_if_cancelled()
            edge = max(gains, key=gains.__getitem__)
            if gains[edge] <= MIN_GAIN:
                break
            i, j = edge
            masks[i] ^= 1 << j
            masks[j] ^= 1 << i
            yield EdgeStep(edge, bool(masks[i] >> j & 1), gains[edge])
            for changed in {*at[i], *at[j]}:
                gains[changed] = self.gain(masks, changed, cancel)
        return frozenset(edges_of(masks))

    def gain(self, masks: Sequence[int], edge: Edge, cancel: CancelToken) -> float:
        """What adding or removing the edge changes: two local scores."""
        i, j = edge
        is_new = not masks[i] >> j & 1
        if is_new and max(masks[i].bit_count(), masks[j].bit_count()) >= self.max_neighbours:
            return -math.inf
        after = self.scores.local(i, masks[i] ^ 1 << j, cancel=cancel)
        after += self.scores.local(j, masks[j] ^ 1 << i, cancel=cancel)
        before = self.scores.local(i, masks[i], cancel=cancel)
        before += self.scores.local(j, masks[j], cancel=cancel)
        return after - before + (self.log2_edge_prior if is_new else -self.log2_edge_prior)

    def exhaustive_candidates(self) -> tuple[Edge, ...] | None:
        """The edges of which the exhaustive search tries all subsets; None if there are too many.

        All pairs of few variables, otherwise the edges found from one end at least.
        """
        if self.count <= MAX_EXHAUSTIVE_VARIABLES:
            edges = tuple(self.rules.pairs())
        else:
            edges = tuple(sorted(filter(self.rules.may_change, self.or_edges())))
        if len(edges) > MAX_EXHAUSTIVE_EDGES:
            return None
        degrees = [mask.bit_count() for mask in neighbour_masks(self.count, edges)]
        tables = sum(
            math.comb(degree, size)
            for degree in degrees
            for size in range(min(degree, self.max_neighbours) + 1)
        )
        return edges if tables <= MAX_EXHAUSTIVE_SCORES else None

    def best_of_all(
        self, edges: Sequence[Edge], most: int, cancel: CancelToken
    ) -> Generator[Progress, None, list[tuple[frozenset[Edge], float]]]:
        """The graphs of highest score among all subsets of the edges, the best first."""
        graphs = np.arange(1 << len(edges), dtype=np.int64)
        totals = np.zeros(len(graphs))
        fixed = neighbour_masks(self.count, self.rules.required)
        for node in range(self.count):
            yield Progress(
                node / self.count,
                f"Scoring all blankets of variable {node + 1} of {self.count}",
                {"scores": float(self.scores.evaluations), "graphs": float(len(graphs))},
            )
            own = [(k, edge) for k, edge in enumerate(edges) if node in edge]
            others = [edge[0] + edge[1] - node for _, edge in own]
            table = np.full(1 << len(own), -math.inf)
            for size in range(len(own) + 1):
                for chosen in combinations(range(len(own)), size):
                    cancel.raise_if_cancelled()
                    blanket = fixed[node] | mask_of(others[k] for k in chosen)
                    if blanket.bit_count() <= max(self.max_neighbours, fixed[node].bit_count()):
                        table[mask_of(chosen)] = self.scores.local(node, blanket, cancel=cancel)
            index = np.zeros(len(graphs), dtype=np.int64)
            for position, (k, _) in enumerate(own):
                index |= (graphs >> k & 1) << position
            totals += table[index]
        for k in range(len(edges)):
            totals += self.log2_edge_prior * (graphs >> k & 1)
        totals += self.log2_edge_prior * len(self.rules.required)
        # Of equal scores the graph with fewer edges.
        order = np.argsort(-totals.round(9), kind="stable")[:most]
        return [
            (
                frozenset(edges[k] for k in bits_of(int(graphs[g]))) | self.rules.required,
                float(totals[g]),
            )
            for g in order
            if math.isfinite(totals[g])
        ]
