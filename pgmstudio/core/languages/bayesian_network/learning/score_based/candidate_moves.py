"""The best next moves of a greedy search from a graph, to be examined one by one.

The moves are those of hill climbing: one edge is added, removed or reversed. A vetoed move is
treated as a constraint, and the list goes on without it. Counts are cached from one graph to the
next, so that after a move only the columns it touched are scored again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.score_based.climb import (
    GraphClimb,
    Move,
    flags_of,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.edge_moves import (
    SAME_BITS,
    SMOOTHING,
    TOP,
    MoveKey,
    MoveList,
    MoveParams,
    NextMove,
)
from pgmstudio.core.learning.smoothing import smoothed
from pgmstudio.core.scores.edge_gains import EdgeAction
from pgmstudio.core.scores.family_cache import FamilyScores, largest_table

ACTIONS: tuple[EdgeAction, ...] = ("add", "remove", "reverse")
Indices = NDArray[np.intp]


def rules_for(
    names: Sequence[str],
    knowledge: Knowledge | None,
    max_parents: int | None,
    vetoes: Iterable[MoveKey] = (),
) -> EdgeRules:
    """The constraints of a search with its vetoes as forbidden and required edges."""
    known = None if knowledge is None else knowledge.among(names)
    rules = EdgeRules.of(names, known, max_parents)
    allowed, required = rules.allowed.copy(), rules.required.copy()
    index = {name: i for i, name in enumerate(names)}
    for veto in vetoes:
        if veto.source not in index or veto.target not in index:
            continue
        brought = veto.brought
        if brought is None:
            required[index[veto.source], index[veto.target]] = 1
        else:
            allowed[index[brought[0]], index[brought[1]]] = 0
    return replace(rules, allowed=allowed, required=required)


class NextMoves:
    """Moves on one data set under one score, with cached counts."""

    def __init__(self, data: DataSet, params: MoveParams, dag: Dag) -> None:
        """For the moves from a graph and its neighbours."""
        self._data, self._params = data, params
        self._renew(dag)

    def _renew(self, dag: Dag) -> None:
        """Start counting; the graph's own tables are never too large."""
        cells = max(self._params.max_table_cells, largest_table(dag, self._data))
        score = self._params.measure(self._data.total_weight)
        scores = FamilyScores(self._data, score, max_table_cells=cells)
        # Every pair is scored, whatever the rules: they may change while the counts stay.
        self._climb = GraphClimb(scores, EdgeRules.of(self._data.domain.names, None, None))
        self._cards = scores.cards

    def list_moves(
        self, graph: Dag, rules: EdgeRules, top: int = TOP, cancel: CancelToken = NEVER
    ) -> Iterator[Progress | MoveList]:
        """Score the moves of a graph; the best come last."""
        if largest_table(graph, self._data) > self._climb.scores.max_table_cells:
            self._renew(graph)
        yield from self._score_graph(graph, cancel)
        yield self._best_moves(rules, top)

    def moved(self, graph: Dag, key: MoveKey) -> Dag:
        return moved(graph, key)

    def _score_graph(self, dag: Dag, cancel: CancelToken) -> Iterator[Progress]:
        """Go to a graph and score its moves; yields the progress."""
        # Stopped between two columns and never within one, whose scores would be of two graphs.
        for done, _ in enumerate(self._climb.go_to(flags_of(dag), NEVER), start=1):
            cancel.raise_if_cancelled()
            if done % 4 == 0:
                message = f"Scoring {done} of {len(dag.names)} columns"
                yield Progress(done / len(dag.names), message)

    def _best_moves(self, rules: EdgeRules, top: int) -> MoveList:
        """The best moves from the graph that was scored last."""
        kinds, sources, targets, gains = self._legal(rules)
        score = self._climb.score
        least = 1e-7 + 1e-13 * abs(score)
        better = int((gains > least).sum())
        indices = _best(gains, top)
        result = [
            Move(int(kinds[i]), int(sources[i]), int(targets[i]), float(gains[i])) for i in indices
        ]
        result.sort(key=lambda m: (-round(m.gain / SAME_BITS), m.kind, m.target, m.source))
        moves = tuple(self._next_move(move, least) for move in result[:top])
        return MoveList(score, moves, better, len(gains), least)

    def _legal(self, rules: EdgeRules) -> tuple[Indices, Indices, Indices, Floats]:
        """Every move that closes no cycle, makes no table too large and breaks no rule: kinds,
        sources, targets and gains."""
        climb = self._climb
        edges = climb.edges.astype(np.bool_)
        counts = climb.edges.sum(axis=0)
        above = _ancestors(climb.edges)
        gain = (climb.toggled - climb.toggled.diagonal()[:, None]).T  # [parent, child]
        allowed, required = rules.allowed.astype(np.bool_), rules.required.astype(np.bool_)
        may_gain_parent = counts < rules.most_parents
        finite = np.isfinite(gain)
        can_add = ~edges & allowed & may_gain_parent[None, :] & ~above & finite
        can_go = edges & ~required
        can_turn = can_go & allowed.T & may_gain_parent[:, None] & finite.T
        for p, c in np.argwhere(can_turn).tolist():
            others = edges[:, c].copy()
            others[p] = False
            can_turn[p, c] = not above[others, p].any()  # another path would close a cycle
        kinds, sources, targets = [], [], []
        for kind, flags in enumerate((can_add, can_go, can_turn)):
            from_, to = np.nonzero(flags)
            kinds.append(np.full(len(to), kind))
            sources.append(from_)
            targets.append(to)
        turned = gain + gain.T
        gains = np.concatenate([gain[can_add], gain[can_go], turned[can_turn]])
        return np.concatenate(kinds), np.concatenate(sources), np.concatenate(targets), gains

    def _next_move(self, move: Move, least: float) -> NextMove:
        names = self._climb.rules.names
        key = MoveKey(ACTIONS[move.kind], names[move.source], names[move.target])
        source, target = move.source, move.target
        parameters = self._grown(target, source)
        if move.kind == 2:
            parameters += self._grown(source, target)
        gain = move.gain if abs(move.gain) > least else 0.0
        return NextMove(key, gain, parameters)

    def _grown(self, child: int, parent: int) -> int:
        """How many free parameters more a child has when a parent joins, or fewer when it goes."""
        parents = np.flatnonzero(self._climb.edges[:, child])
        q = math.prod(self._cards[p] for p in parents)
        width = self._cards[parent]
        after = q // width if self._climb.edges[parent, child] else q * width
        return (after - q) * (self._cards[child] - 1)


def _best(gains: Floats, top: int) -> Indices:
    """Where the largest are, and those as good as the last of them."""
    if len(gains) > top:
        last = np.partition(gains, len(gains) - top)[len(gains) - top]
        return np.flatnonzero(gains >= last - 2 * SAME_BITS)
    return np.arange(len(gains))


def _ancestors(edges: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """[node, other]: whether the other is an ancestor of the node."""
    from pgmstudio.core.languages.bayesian_network.learning.score_based.kernels import (
        fill_ancestors,
    )

    n = len(edges)
    bits_of_node = np.zeros((n, -(-n // 64)), dtype=np.uint64)
    fill_ancestors(edges, bits_of_node)
    bits = np.unpackbits(bits_of_node.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    above: NDArray[np.bool_] = bits[:, :n].astype(np.bool_)
    return above


def moved(dag: Dag, move: MoveKey) -> Dag:
    """The graph after a move."""
    if move.action == "add":
        return dag.with_edge(move.source, move.target)
    if move.action == "remove":
        return dag.without_edge(move.source, move.target)
    return dag.with_reversed(move.source, move.target)


def refitted(
    network: BayesianNetwork,
    dag: Dag,
    data: DataSet,
    smoothing: float = SMOOTHING,
    cancel: CancelToken = NEVER,
) -> BayesianNetwork:
    """The network with another graph: tables whose parents changed are fitted to the rows, the
    others stay as they are."""
    tables = list(network.tables)
    for child, parents in enumerate(dag.parent_indices):
        if parents != network.dag.parent_indices[child]:
            tables[child] = smoothed(joint_counts(data, (*parents, child), cancel), smoothing)
    return BayesianNetwork(network.domain, dag, tuple(tables))
