"""The state of a greedy search over directed graphs, and its steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import Request
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.family_cache import MAX_CACHED, mask_of

# Edges drawn for each of a graph, to walk to a random one of its class.
TURNS_PER_EDGE = 5
ADD, REMOVE, REVERSE = range(3)  # kinds of moves, as the compiled kernels number them


@dataclass(frozen=True, slots=True)
class Move:
    """One change of the edge source → target."""

    kind: int
    source: int
    target: int
    gain: float


def flags_of(dag: Dag) -> NDArray[np.uint8]:
    """[parent, child]: 1 where the graph has the edge."""
    edges = np.zeros((len(dag.names),) * 2, dtype=np.uint8)
    for child, parents in enumerate(dag.parent_indices):
        edges[list(parents), child] = 1
    return edges


def _least_gain(score: float) -> float:
    """Gains up to this are rounding, where scores are as large as this one."""
    return 1e-7 + (1e-13 * abs(score) if math.isfinite(score) else 0.0)


class ChangeScores(Protocol):
    """The scores that a climb uses: `FamilyScores`, or those of families with labels."""

    def toggled(
        self,
        child: int,
        parents: Sequence[int],
        candidates: NDArray[np.int64],
        cancel: CancelToken,
    ) -> Floats:
        """As `FamilyScores.toggled`."""

    def prefetch(self, requests: Iterable[Request], cancel: CancelToken) -> None:
        """As `FamilyScores.prefetch`."""


S = TypeVar("S", bound=ChangeScores)


class GraphClimb(Generic[S]):
    """The present graph, the score of every change of one edge, and the best graph so far."""

    def __init__(self, scores: S, rules: EdgeRules) -> None:
        n = len(rules.names)
        self.scores = scores
        self.rules = rules
        self.edges = np.zeros((n, n), dtype=np.uint8)  # [parent, child]
        # toggled[c, p]: c with p joining or leaving its parents; toggled[c, c]: c as it is.
        self.toggled = np.full((n, n), -math.inf)
        self.best_edges = self.edges
        self.best_score = -math.inf
        self.least_gain = _least_gain(0.0)
        self.step = 0
        self.since_best = 0
        self.columns_scored = 0  # rows of `toggled` computed; what a step costs
        self._masks = [0] * n  # each variable's parents, as bits
        self._rows: dict[tuple[int, int], Floats] = {}
        self._parent_counts = np.zeros(n, dtype=np.int64)
        self._ancestors = np.zeros((n, -(-n // 64)), dtype=np.uint64)
        # A graph's number is the exclusive or of its edges' hashes (Zobrist 1970).
        self._edge_hashes = np.random.default_rng(1970).integers(
            1, np.iinfo(np.uint64).max, size=(n, n), dtype=np.uint64
        )
        self._graph = np.uint64(0)

    @property
    def score(self) -> float:
        return float(np.add.reduce(self.toggled.diagonal()))

    def go_to(self, edges: NDArray[np.uint8], cancel: CancelToken) -> Iterator[int]:
        """Go to a graph; yields the number of each variable whose changes have been scored."""
        different = self.edges != edges
        changed = different.any(axis=0) | np.isneginf(self.toggled.diagonal())
        children: list[int] = changed.nonzero()[0].tolist()
        self._prefetch(children, edges, cancel)
        for parent, child in np.argwhere(different).tolist():
            self._toggle(parent, child)
        for child in children:
            self._score_changes(child, cancel)
            yield child
        self._keep_if_best()

    def _toggle(self, parent: int, child: int) -> None:
        self.edges[parent, child] ^= 1
        self._parent_counts[child] += 1 if self.edges[parent, child] else -1
        self._masks[child] ^= 1 << parent
        self._graph ^= self._edge_hashes[parent, child]

    def _prefetch(
        self, children: Sequence[int], edges: NDArray[np.uint8], cancel: CancelToken
    ) -> None:
        """Announce the tables of all changes of these variables in a graph."""

        def requests() -> Iterator[Request]:
            for child in children:
                parents = np.flatnonzero(edges[:, child]).tolist()
                if (child, mask_of(parents)) not in self._rows:
                    candidates = self._candidates(child, edges[:, child])
                    yield (*parents, child), candidates.tolist()

        self.scores.prefetch(requests(), cancel)

    def _candidates(self, child: int, parents: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The variables that may join these parents."""
        if parents.sum() >= self.rules.most_parents:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(self.rules.allowed[:, child] & (1 - parents))

    def _score_changes(self, child: int, cancel: CancelToken) -> None:
        key = (child, self._masks[child])
        row = self._rows.get(key)
        if row is None:
            parents = self.edges[:, child]
            candidates = self._candidates(child, parents)
            row = self.scores.toggled(child, np.flatnonzero(parents).tolist(), candidates, cancel)
            if len(self._rows) * len(self.edges) > MAX_CACHED:
                self._rows.clear()
            self._rows[key] = row
            self.columns_scored += 1
        self.toggled[child] = row

    def _keep_if_best(self) -> None:
        score = self.score
        if score > self.best_score + self.least_gain:
            self.best_edges = self.edges.copy()
            self.best_score = score
            self.least_gain = _least_gain(score)
            self.since_best = 0

    def best_move(self, visited: NDArray[np.uint64]) -> Move | None:
        """The legal move of largest gain that leads to no graph numbered in `visited`."""
        from pgmstudio.core.languages.bayesian_network.learning.score_based.kernels import best_move

        kind, source, target, gain = best_move(
            self.toggled,
            self.edges,
            self._ancestors,
            self.rules.allowed,
            self.rules.required,
            self._parent_counts,
            self.rules.most_parents,
            self._edge_hashes,
            self._graph,
            visited,
        )
        return Move(kind, source, target, gain) if kind >= 0 else None

    def apply(self, move: Move, cancel: CancelToken) -> None:
        """Make the move, and score what it changes."""
        self._toggle(move.source, move.target)
        if move.kind == 2:
            self._toggle(move.target, move.source)
            self._prefetch((move.source, move.target), self.edges, cancel)
            self._score_changes(move.source, cancel)
        self._score_changes(move.target, cancel)
        self.step += 1
        self.since_best += 1
        self._keep_if_best()

    def steps(self, tabu_length: int, cancel: CancelToken) -> Iterator[Move]:
        """Climb to a peak and walk on, until `tabu_length` steps have brought no new best.

        The graphs visited in that many steps are avoided. A graph that beats the best has not been
        visited, so no legal step improves the best graph when this ends.
        """
        visited = np.zeros(tabu_length, dtype=np.uint64)
        self.since_best = 0
        while True:
            cancel.raise_if_cancelled()
            move = self.best_move(visited)
            if move is None or (move.gain <= self.least_gain and self.since_best >= tabu_length):
                return
            if tabu_length:
                visited[self.step % tabu_length] = self._graph
            self.apply(move, cancel)
            yield move

    def leave_best(
        self,
        rng: np.random.Generator,
        fraction: float,
        cancel: CancelToken,
        *,
        is_turning: bool = False,
    ) -> None:
        """Go to the best graph without a random fraction of its edges; required ones stay.

        Turning: of a random graph of its equivalence class, and then to one of the class of what
        is left. All of them score the same, and have other neighbours.
        """
        edges = self._equivalent(self.best_edges, rng) if is_turning else self.best_edges
        dropped = rng.random(self.edges.shape) < fraction
        edges = (edges & (~dropped | self.rules.required.view(np.bool_))).astype(np.uint8)
        if is_turning:
            edges = self._equivalent(edges, rng)
        for _ in self.go_to(edges, cancel):
            cancel.raise_if_cancelled()

    def _equivalent(self, edges: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
        """A random graph of the same equivalence class, by reversing covered edges."""
        from pgmstudio.core.languages.bayesian_network.learning.score_based.kernels import (
            reverse_covered,
        )

        turned = edges.copy()
        draws = rng.random(TURNS_PER_EDGE * int(edges.sum()))
        reverse_covered(turned, self.rules.allowed, self.rules.required, draws)
        return turned

    def dag(self) -> Dag:
        """The present graph."""
        return self._dag_of(self.edges)

    def best_dag(self) -> Dag:
        return self._dag_of(self.best_edges)

    def _dag_of(self, edges: NDArray[np.uint8]) -> Dag:
        parents = tuple(tuple(np.flatnonzero(column).tolist()) for column in edges.T)
        return Dag(self.rules.names, parents)
