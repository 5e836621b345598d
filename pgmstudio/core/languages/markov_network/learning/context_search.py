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
from itertools import combinations, product
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
from pgmstudio.core.languages.markov_network.strata import is_complete
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


class _Basis:
    """An orthonormal basis of the rows so far."""

    def __init__(self, size: int) -> None:
        self._vectors = np.empty((size, size))
        self.rank = 0

    def _rest(self, row: Floats) -> Floats:
        known = self._vectors[: self.rank]
        rest = row - known.T @ (known @ row)
        return np.asarray(rest - known.T @ (known @ rest))

    def is_new(self, row: Floats) -> bool:
        """Whether the row is no combination of the others."""
        return float(np.abs(self._rest(row)).max()) > 1e-7

    def add(self, row: Floats) -> None:
        rest = self._rest(row)
        if np.abs(rest).max() > 1e-7:
            self._vectors[self.rank] = rest / np.linalg.norm(rest)
            self.rank += 1


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
        self._rows: dict[tuple[tuple[int, ...], tuple[int, ...]], Floats] = {}
        self.masks: list[int] = []
        self.contexts: EdgeContexts = {}

    # -- contexts of one graph

    def find_contexts(self, masks: Sequence[int], cancel: CancelToken) -> EdgeContexts:
        """The contexts of a graph, found from scratch, in maximal and regular form."""
        result: EdgeContexts = {}
        for group in self._groups_at(masks, range(len(masks))):
            settled = self._settled(masks, self._inner(group, cancel)[0])
            if settled and self._score(masks, settled, cancel) > self._score(masks, {}, cancel):
                result.update(settled)
        return result

    def _settled(self, masks: Sequence[int], contexts: EdgeContexts) -> EdgeContexts | None:
        """The contexts with all that they imply; None if they leave an edge without effect."""
        if sum(map(len, contexts.values())) < 2:
            return contexts
        edges = frozenset(edge for edge in edges_of(masks) if masks[edge[0]] & masks[edge[1]])
        full = normalised(MarkovStructure(self.domain, edges, contexts))
        return dict(full.contexts) if full.edges == edges else None

    def total(self, cancel: CancelToken) -> float:
        """The score of the graph that was reached, with its contexts and their priors."""
        return self._score(self.masks, self.contexts, cancel)

    def _score(self, masks: Sequence[int], contexts: EdgeContexts, cancel: CancelToken) -> float:
        edges = sum(mask.bit_count() for mask in masks) // 2
        prior = self.plain.log2_edge_prior * edges + self._prior(contexts)
        return self.scores.total(masks, contexts, cancel) + prior

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
            best, chosen = self._best_elements(gains)
            if not chosen:
                break
            before = contexts.get(best, frozenset())
            taken = [int(np.ravel_multi_index(states, shapes[best])) for states in before]
            full = self._closed(masks, common[best], taken, chosen)
            rows = np.transpose(np.unravel_index(full, shapes[best])).tolist()
            contexts[best] = frozenset(tuple(row) for row in rows)
            gain = (len(full) - len(taken)) * self._price(best)
            for node in best:
                after = merges_of(node, masks, contexts)
                gain += self.scores.local(node, masks[node], after, cancel)
                gain -= self.scores.local(node, masks[node], merges[node], cancel)
            if gain > MIN_GAIN:
                added += gain
                changed = set(best)
            else:  # the edge would have no effect, or what the contexts imply costs too much
                contexts[best] = before
                gains[best][chosen] = -math.inf
                changed = set()
        return {edge: elements for edge, elements in contexts.items() if elements}, added

    def _best_elements(self, gains: Mapping[Edge, Floats]) -> tuple[Edge, list[int]]:
        """The next contexts to add and their edge: the best one, or in the incremental search all
        that improve the score, which do not change each other's gain much."""
        best, chosen, value = (0, 0), list[int](), 0.0
        for edge, each in gains.items():
            order = np.argsort(-each, kind="stable")[: None if self.is_incremental else 1]
            order = order[each[order] > MIN_GAIN]
            if order.size and each[order].sum() > value:
                best, chosen, value = edge, order.tolist(), float(each[order].sum())
        return best, chosen

    def _closed(
        self, masks: Sequence[int], common: tuple[int, ...], taken: list[int], chosen: list[int]
    ) -> list[int]:
        """The contexts of one edge with as many more as leave it an effect, and with those that
        they imply."""
        rows = self._restrictions(masks, common)
        kept, basis = list(taken), _Basis(rows.shape[1])
        for element in taken:
            basis.add(rows[element])
        for element in chosen:
            if basis.rank + 1 < rows.shape[1] or not basis.is_new(rows[element]):
                basis.add(rows[element])
                kept.append(element)
        if is_complete(masks, sum(1 << v for v in common)):
            return kept  # all restrictions are independent
        implied = (n for n, row in enumerate(rows) if n not in kept and not basis.is_new(row))
        return [*kept, *implied]

    def _restrictions(self, masks: Sequence[int], common: tuple[int, ...]) -> Floats:
        """One row per context of an edge: which interactions of the edge with complete sets of
        common neighbours, in other states than their first, it makes add up to 0."""
        key = (common, tuple(masks[v] & sum(1 << w for w in common) for v in common))
        rows = self._rows.get(key)
        if rows is None:
            shape = [self.cards[v] for v in common]
            states = np.indices(shape).reshape(len(shape), -1).T
            terms = [
                (chosen, x)
                for size in range(len(common) + 1)
                for chosen in combinations(range(len(common)), size)
                if is_complete(masks, sum(1 << common[k] for k in chosen))
                for x in product(*(range(1, shape[k]) for k in chosen))
            ]
            rows = np.array(
                [
                    [float(all(s[k] == x for k, x in zip(*t, strict=True))) for t in terms]
                    for s in states
                ]
            )
            self._rows[key] = rows
        return rows

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
        return MarkovStructure(self.domain, frozenset(edges_of(self.masks)), self.contexts)

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
        score = self.total(cancel)
        while True:
            for edge in free:
                if edge not in changes:
                    cancel.raise_if_cancelled()
                    changes[edge] = self._change(edge, cancel)
            best = max(changes, key=lambda edge: changes[edge].gain, default=None)
            if best is None or changes[best].gain <= MIN_GAIN:
                return score
            i, j = best
            masks = list(self.masks)
            masks[i] ^= 1 << j
            masks[j] ^= 1 << i
            contexts = {**self.contexts, **changes[best].contexts}
            settled = self._settled(masks, {e: c for e, c in contexts.items() if c})
            value = -math.inf if settled is None else self._score(masks, settled, cancel)
            if settled is None or value <= score + MIN_GAIN:
                changes[best] = changes[best]._replace(gain=-math.inf)
                continue
            changed = 1 << i | 1 << j | masks[i] & masks[j]
            for edge in {*settled, *self.contexts}:
                if settled.get(edge) != self.contexts.get(edge):
                    changed |= 1 << edge[0] | 1 << edge[1]
            self.masks, self.contexts = masks, settled
            yield EdgeStep(best, bool(masks[i] >> j & 1), value - score)
            score = value
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
