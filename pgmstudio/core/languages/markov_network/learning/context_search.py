"""Search for contextual Markov networks by marginal pseudo-likelihood.

The outer level adds or removes one edge, the inner level finds contexts for the graph anew, one
element after the other as long as the score improves, and every change is judged with its contexts
(Pensar, Nyman and Corander 2017). A context changes the scores of the two ends of its edge only, so
the contexts of triangles that share no variable are independent: each connected group of triangles
is searched once and its contexts are cached. The incremental search is for many variables: it finds
contexts only for the edges whose common neighbours change, all of an edge at once, and keeps the
others.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.markov_network.learning.blankets import (
    MIN_GAIN,
    BlanketSearch,
    EdgeStep,
)
from pgmstudio.core.languages.markov_network.log_linear import normalised
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    Merges,
    bits_of,
    edges_of,
    merges_of,
    neighbour_masks,
)
from pgmstudio.core.languages.markov_network.structure import (
    Configuration,
    Contexts,
    Edge,
    MarkovStructure,
    edge_of,
)

# An edge whose common neighbours have more joint states carries no context.
MAX_CONFIGURATIONS = 256

Group = tuple[tuple[int, int], ...]  # variables of connected triangles, each with its neighbours
EdgeContexts = dict[Edge, frozenset[Configuration]]


class Change(NamedTuple):
    """What changing an edge adds to the score, the contexts that differ after it, and the
    variables, as bits, on whose neighbours and contexts both depend."""

    gain: float
    contexts: EdgeContexts  # of an edge that loses them: empty
    support: int


class ContextSearch:
    """The best contexts of graphs, and a hill climb over graphs with them, for one κ.

    `masks` and `contexts` are those of the graph that the climb has reached.
    """

    def __init__(
        self,
        plain: BlanketSearch,
        domain: Domain,
        *,
        kappa: float,
        max_common: int,
        is_incremental: bool = False,
    ) -> None:
        self.plain = plain
        self.scores = plain.scores
        self.domain = domain
        self.cards = domain.cardinalities
        self.log2_kappa = math.log2(kappa) if kappa > 0 else -math.inf
        self.max_common = max_common
        self.is_incremental = is_incremental
        self._groups: dict[Group, tuple[EdgeContexts, float]] = {}
        self.masks: list[int] = []
        self.contexts: EdgeContexts = {}

    # -- contexts of one graph

    def find_contexts(self, masks: Sequence[int], cancel: CancelToken) -> EdgeContexts:
        """The contexts of a graph, found from scratch."""
        found: EdgeContexts = {}
        for group in self._groups_at(masks, range(len(masks))):
            found.update(self._inner(group, cancel)[0])
        return found

    def total(self, cancel: CancelToken) -> float:
        """The score of the graph that was reached, with its contexts and their priors."""
        edges = sum(mask.bit_count() for mask in self.masks) // 2
        prior = self.plain.log2_edge_prior * edges + self._prior(self.contexts)
        return self.scores.total(self.masks, self.contexts, cancel) + prior

    def log2_prior(self, structure: MarkovStructure) -> float:
        """The prior of the edges and contexts of a structure."""
        edges = self.plain.log2_edge_prior * len(structure.edges)
        return edges + self._prior(structure.contexts)

    def _groups_at(self, masks: Sequence[int], nodes: Iterable[int]) -> list[Group]:
        """The groups of connected triangles that hold one of the variables."""
        groups, seen = [], 0
        for node in nodes:
            if seen >> node & 1:
                continue
            members, waiting = 1 << node, [node]
            while waiting:
                here = waiting.pop()
                for other in bits_of(masks[here] & ~members):
                    if masks[here] & masks[other]:
                        members |= 1 << other
                        waiting.append(other)
            seen |= members
            if members != 1 << node:
                groups.append(tuple((v, masks[v]) for v in bits_of(members)))
        return groups

    def _inner(self, group: Group, cancel: CancelToken) -> tuple[EdgeContexts, float]:
        """The contexts of a group of triangles, and what they add to the score."""
        known = self._groups.get(group)
        if known is None:
            masks = [0] * len(self.cards)
            for node, mask in group:
                masks[node] = mask
            edges = [edge for edge in edges_of(masks) if masks[edge[0]] & masks[edge[1]]]
            known = self._groups[group] = self._extended(masks, {}, edges, cancel)
        return known

    def _extended(
        self,
        masks: Sequence[int],
        contexts: EdgeContexts,
        edges: Iterable[Edge],
        cancel: CancelToken,
    ) -> tuple[EdgeContexts, float]:
        """The contexts with more of them on these edges, one after the other, the best first, and
        what they add to the score."""
        common = {edge: bits_of(masks[edge[0]] & masks[edge[1]]) for edge in edges}
        common = {
            edge: near for edge, near in common.items() if self._may_have_contexts(edge, near)
        }
        shapes = {edge: tuple(self.cards[v] for v in near) for edge, near in common.items()}
        contexts, added = dict(contexts), 0.0
        gains: dict[Edge, Floats] = {}
        merges: dict[int, Merges] = {}
        changed = {node for edge in common for node in edge}
        while common:
            cancel.raise_if_cancelled()
            merges |= {node: merges_of(node, masks, contexts) for node in changed}
            for edge, near in common.items():
                if changed.isdisjoint(edge):
                    continue
                (i, j), elements = edge, contexts.get(edge, frozenset())
                gains[edge] = self._price(edge) + (
                    self.scores.merge_gains(i, masks[i], merges[i], j, near, cancel)
                    + self.scores.merge_gains(j, masks[j], merges[j], i, near, cancel)
                )
                for states in elements:
                    gains[edge][np.ravel_multi_index(states, shapes[edge])] = -math.inf
            best, chosen = self._best_elements(gains, contexts)
            if not chosen:
                break
            added += float(gains[best][chosen].sum())
            rows = np.transpose(np.unravel_index(chosen, shapes[best])).tolist()
            contexts[best] = contexts.get(best, frozenset()) | {tuple(row) for row in rows}
            changed = set(best)
        return contexts, added

    def _best_elements(
        self, gains: Mapping[Edge, Floats], contexts: EdgeContexts
    ) -> tuple[Edge, list[int]]:
        """The next contexts to add and their edge: the best one, or in the incremental search all
        that improve the score, which do not change each other's gain much. Some context is left in
        which the edge has an effect."""
        best, chosen, value = (0, 0), list[int](), 0.0
        for edge, each in gains.items():
            room = each.size - 1 - len(contexts.get(edge, ()))
            order = np.argsort(-each, kind="stable")[
                : room if self.is_incremental else min(room, 1)
            ]
            order = order[each[order] > MIN_GAIN]
            if order.size and each[order].sum() > value:
                best, chosen, value = edge, order.tolist(), float(each[order].sum())
        return best, chosen

    def _price(self, edge: Edge) -> float:
        """The prior of one context of an edge: κ for each parameter of it."""
        i, j = edge
        return self.log2_kappa * (self.cards[i] - 1) * (self.cards[j] - 1)

    def _prior(self, contexts: Contexts) -> float:
        return math.fsum(len(elements) * self._price(e) for e, elements in contexts.items())

    def _may_have_contexts(self, edge: Edge, common: Sequence[int]) -> bool:
        i, j = edge
        return (
            0 < len(common) <= self.max_common
            and self.log2_kappa > -math.inf
            and math.prod(self.cards[v] for v in common) <= MAX_CONFIGURATIONS
            and min(self.cards[i], self.cards[j]) > 1
        )

    def structure(self) -> MarkovStructure:
        """The graph that was reached, with its contexts in maximal and regular form."""
        plain = MarkovStructure(self.domain, frozenset(edges_of(self.masks)))
        full = normalised(MarkovStructure(self.domain, plain.edges, self.contexts))
        return full if full.edges >= self.plain.rules.required else plain

    # -- the outer level

    def climb(
        self, start: Iterable[Edge], candidates: Iterable[Edge], cancel: CancelToken
    ) -> Generator[EdgeStep, None, float]:
        """Change one edge after the other, the best first; returns the score."""
        start = {*start, *self.plain.rules.required}
        self.masks = neighbour_masks(len(self.cards), start)
        self.contexts = self.find_contexts(self.masks, cancel)
        free = sorted(e for e in {*candidates, *start} if self.plain.rules.may_change(e))
        changes: dict[Edge, Change] = {}
        while True:
            for edge in free:
                if edge not in changes:
                    cancel.raise_if_cancelled()
                    changes[edge] = self._change(edge, cancel)
            best = max(changes, key=lambda edge: changes[edge].gain, default=None)
            if best is None or changes[best].gain <= MIN_GAIN:
                return self.total(cancel)
            i, j = best
            self.masks[i] ^= 1 << j
            self.masks[j] ^= 1 << i
            changed = 1 << i | 1 << j | self.masks[i] & self.masks[j]
            for edge, elements in changes[best].contexts.items():
                changed |= 1 << edge[0] | 1 << edge[1]
                self.contexts.pop(edge, None)
                if elements:
                    self.contexts[edge] = elements
            yield EdgeStep(best, bool(self.masks[i] >> j & 1), changes[best].gain)
            changes = {
                edge: change for edge, change in changes.items() if not change.support & changed
            }

    def _change(self, edge: Edge, cancel: CancelToken) -> Change:
        """What adding or removing the edge does, with the contexts found anew."""
        i, j = edge
        gain = self.plain.gain(self.masks, edge, cancel)
        support = 1 << i | 1 << j | self.masks[i] & self.masks[j]
        if gain == -math.inf:
            return Change(gain, {}, support)
        after = list(self.masks)
        after[i] ^= 1 << j
        after[j] ^= 1 << i
        if self.is_incremental:
            return self._change_nearby(edge, after, support, cancel)
        near = bits_of(support)
        old, new = self._groups_at(self.masks, near), self._groups_at(after, near)
        gain += math.fsum(self._inner(group, cancel)[1] for group in new)
        gain -= math.fsum(self._inner(group, cancel)[1] for group in old)
        for node, _ in (pair for group in (*old, *new) for pair in group):
            support |= 1 << node
        contexts = {e: c for e, c in self.contexts.items() if not support >> e[0] & 1}
        for group in new:
            contexts.update(self._inner(group, cancel)[0])
        return Change(gain, self._differing(contexts), support)

    def _differing(self, contexts: EdgeContexts) -> EdgeContexts:
        """The entries that differ from the contexts of the graph that was reached."""
        return {
            edge: contexts.get(edge, frozenset())
            for edge in {*self.contexts, *contexts}
            if self.contexts.get(edge) != contexts.get(edge)
        }

    def _change_nearby(
        self, edge: Edge, after: Sequence[int], support: int, cancel: CancelToken
    ) -> Change:
        """The same with new contexts only for the edges whose common neighbours change."""
        i, j = edge
        common = bits_of(self.masks[i] & self.masks[j])
        touched = [edge, *(edge_of(end, k) for k in common for end in edge)]
        kept = {e: c for e, c in self.contexts.items() if e not in touched}
        present = [e for e in touched if after[e[0]] >> e[1] & 1]
        contexts, _ = self._extended(after, kept, present, cancel)
        gain = self._prior(contexts) - self._prior(self.contexts)
        gain += self.plain.log2_edge_prior * (1 if after[i] >> j & 1 else -1)
        for node in bits_of(support):
            gain += self.scores.local(node, after[node], merges_of(node, after, contexts), cancel)
            gain -= self.scores.local(
                node, self.masks[node], merges_of(node, self.masks, self.contexts), cancel
            )
        return Change(gain, self._differing(contexts), support)
