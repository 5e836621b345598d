"""The better neighbours of an equivalence class, by the exact operators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.graphs.cpdag import Pdag
from pgmstudio.core.graphs.cpdag_moves import parent_choices, with_joined, with_left
from pgmstudio.core.learning.kes_gains import GainRows, words_of
from pgmstudio.core.running import CancelToken

# Choices of parents looked at per variable. A variable has more of them only when it sits in a
# clique of more than ten undirected edges, whose subsets are all choices.
MOST_CHOICES = 1 << 10

ADDITIONS, REMOVALS = 1, 2  # as the compiled kernels know them


@dataclass(frozen=True, slots=True)
class Proposal:
    """A neighbouring class and how much higher it scores."""

    cpdag: Pdag
    gain: float


class Boundary(Protocol):
    """A way to look for better neighbours."""

    def proposals(
        self,
        cpdag: Pdag,
        least_gain: float,
        greediness: float,
        kinds: int,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[Proposal]:
        """Neighbours that gain more than `least_gain` and obey the rules, in the order to try.

        Nothing comes when there is none. `kinds` is ADDITIONS, REMOVALS or both.
        """


@dataclass(frozen=True, eq=False)
class _Moves:
    """`other` joins or leaves the parents of `node`, who are those of all members and `clique`."""

    node: NDArray[np.int64]
    clique: list[int]
    other: NDArray[np.int64]
    gain: NDArray[np.float64]

    @property
    def all(self) -> NDArray[np.int64]:
        return np.arange(self.gain.size)

    def by_gain(self, among: NDArray[np.int64], tie: float) -> NDArray[np.int64]:
        """The largest gain first; of those within `tie` of it, the first in order of columns."""
        among = np.sort(among)
        gains = self.gain[among]
        if among.size == 0:
            return among
        first = int(np.argmax(gains >= gains.max() - tie))
        rest = np.argsort(-gains, kind="stable")
        order: NDArray[np.int64] = among[np.concatenate([[first], rest[rest != first]])]
        return order


class ExactBoundary:
    """Every better neighbour, from the gains of every choice of parents of every variable."""

    def __init__(self, gains: GainRows) -> None:
        n = len(gains.rules.names)
        self.gains = gains
        self.is_cut = False  # whether a variable had more choices than are looked at
        self._cpdag: Pdag | None = None  # the class last looked at
        self._cliques: list[list[int]] = [[] for _ in range(n)]  # per variable its choices
        self._rows: list[list[int]] = [[] for _ in range(n)]  # … and the places of their gains
        self._room = 1 << 12

    def proposals(
        self,
        cpdag: Pdag,
        least_gain: float,
        greediness: float,
        kinds: int,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[Proposal]:
        """The best of a random share of the better neighbours first, the others in case of need."""
        self._look_at(cpdag, cancel)
        if greediness == 1:
            best = self._moves(cpdag, kinds, least_gain, margin=least_gain)
            yield from self._classes(cpdag, best, best.by_gain(best.all, least_gain)[:1], cancel)
            every = self._moves(cpdag, kinds, least_gain)
            yield from self._classes(cpdag, every, every.by_gain(every.all, least_gain)[1:], cancel)
            return
        moves = self._moves(cpdag, kinds, least_gain)
        order = rng.permutation(moves.all)
        if greediness > 0 and not self.gains.rules.are_none:
            # The share is one of the neighbours that obey the rules, so all have to be asked.
            obeying = [move for move in order if any(self._classes(cpdag, moves, [move], cancel))]
            order = np.array(obeying, dtype=np.int64)
        share = max(1, math.floor(greediness * order.size + 1e-9))
        order = np.concatenate([moves.by_gain(order[:share], least_gain), order[share:]])
        yield from self._classes(cpdag, moves, order, cancel)

    def _look_at(self, cpdag: Pdag, cancel: CancelToken) -> None:
        """List the choices of the variables around which something is new, and their gains."""
        if self.gains.forget_if_many():
            self._cpdag = None
        changed = range(len(cpdag.names)) if self._cpdag is None else _changed(self._cpdag, cpdag)
        self._cpdag = cpdag
        for node in changed:
            cliques = [*islice(parent_choices(cpdag, node), MOST_CHOICES + 1)]
            if len(cliques) > MOST_CHOICES:
                self.is_cut = True
                cliques.pop()
            parents = cpdag.parent_masks[node]
            self._cliques[node] = cliques
            self._rows[node] = [self.gains.row(node, parents | c, cancel) for c in cliques]

    def _moves(
        self, cpdag: Pdag, kinds: int, least_gain: float, margin: float = math.inf
    ) -> _Moves:
        """All moves that gain more than `least_gain`; with a margin those near the best."""
        from pgmstudio.core.learning.kes_kernels import improving_moves

        n = len(cpdag.names)
        counts = [len(rows) for rows in self._rows]
        nodes = np.repeat(np.arange(n, dtype=np.int64), counts)
        cliques = [clique for of_node in self._cliques for clique in of_node]
        rows = np.array([row for of_node in self._rows for row in of_node], dtype=np.int64)
        onward = [
            near | c for near, c in zip(cpdag.neighbour_masks, cpdag.child_masks, strict=True)
        ]
        masks = (cpdag.parent_masks, cpdag.neighbour_masks, onward, cpdag.adjacent_masks)
        parents, neighbours, after, adjacent = (words_of(of_nodes, n) for of_nodes in masks)
        while True:
            choice, other = np.empty((2, self._room), dtype=np.int64)
            gain = np.empty(self._room)
            count = improving_moves(
                self.gains.values,
                rows,
                nodes,
                words_of(cliques, n),
                parents,
                neighbours,
                after,
                adjacent,
                kinds,
                least_gain,
                margin,
                choice,
                other,
                gain,
            )
            if count <= self._room:
                chosen = [cliques[c] for c in choice[:count]]
                return _Moves(nodes[choice[:count]], chosen, other[:count], gain[:count])
            self._room = 2 * count

    def _classes(
        self, cpdag: Pdag, moves: _Moves, order: Iterable[int], cancel: CancelToken
    ) -> Iterator[Proposal]:
        """The classes of moves that have a member that obeys the rules, in this order."""
        for move in order:
            cancel.raise_if_cancelled()
            node, other, clique = int(moves.node[move]), int(moves.other[move]), moves.clique[move]
            is_joined = cpdag.adjacent_masks[node] >> other & 1
            changed = (with_left if is_joined else with_joined)(cpdag, other, node, clique)
            if self.gains.rules.narrowed(changed) is not None:
                yield Proposal(changed, float(moves.gain[move]))


def _changed(before: Pdag, after: Pdag) -> list[int]:
    """The nodes that have other choices of parents than before."""
    rejoined = 0
    for node, adjacent in enumerate(after.adjacent_masks):
        rejoined |= (adjacent != before.adjacent_masks[node]) << node
    return [
        node
        for node, near in enumerate(after.neighbour_masks)
        if near != before.neighbour_masks[node]
        or after.parent_masks[node] != before.parent_masks[node]
        or (near & rejoined).bit_count() > 1  # the cliques among its neighbours may be others
    ]
