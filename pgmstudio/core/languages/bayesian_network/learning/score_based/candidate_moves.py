"""The best next moves of a greedy search from a graph, to be examined one by one.

The moves are those of hill climbing: one edge is added, removed or reversed. A vetoed move is
treated as a constraint, and the list goes on without it. Counts are cached from one graph to the
next, so that after a move only the columns it touched are scored again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.graphs.background_knowledge import Edge, Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.score_based.climb import (
    GraphClimb,
    Move,
    flags_of,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.params import (
    bdeu_rows_param,
    lambda_param,
    max_parents_param,
    max_table_cells_param,
)
from pgmstudio.core.learning.smoothing import smoothed
from pgmstudio.core.params import param
from pgmstudio.core.scores.edge_gains import EdgeAction
from pgmstudio.core.scores.family_cache import FamilyScores, largest_table
from pgmstudio.core.scores.local import SCORE_HELP, SCORES, Score, score_of

ACTIONS: tuple[EdgeAction, ...] = ("add", "remove", "reverse")
TOP = 10
SMOOTHING = 1.0
Indices = NDArray[np.intp]
# Gains nearer than this are the same: of equal ones the first by name stands first, always.
SAME_BITS = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveParams:
    """The score of the moves, and limits on them."""

    score: str = param("bic", title="Score", choices=SCORES, help=SCORE_HELP)
    lambda_: float | None = lambda_param()
    ess: float = bdeu_rows_param()
    max_parents: int | None = max_parents_param()
    max_table_cells: int = max_table_cells_param()

    def measure(self, total_weight: float) -> Score:
        return score_of(self.score, total_weight, lambda_=self.lambda_, ess=self.ess)


@dataclass(frozen=True, slots=True)
class MoveKey:
    """The identity of a move: the edge source → target is added, removed or reversed.

    In an undirected graph the edge has no direction, and the move may be of one context in which
    it vanishes.
    """

    action: EdgeAction
    source: str
    target: str
    is_directed: bool = True
    context: str = ""  # states of common neighbours; empty: the edge itself

    @property
    def edge_text(self) -> str:
        return f"{self.source} {'→' if self.is_directed else '–'} {self.target}"

    def __str__(self) -> str:
        context = f"the context {self.context} of " if self.context else ""
        return f"{self.action.capitalize()} {context}{self.edge_text}"

    @property
    def brought(self) -> Edge | None:
        """The edge that is there afterwards and was not before."""
        if self.action == "remove":
            return None
        return (self.source, self.target) if self.action == "add" else (self.target, self.source)


@dataclass(frozen=True, slots=True)
class NextMove:
    """A move and its effect on the score in bits (above 0 is better) and on the free parameters."""

    key: MoveKey
    gain: float
    parameters: int

    def __str__(self) -> str:
        return str(self.key)


@dataclass(frozen=True)
class MoveList:
    """The moves from one graph, best first."""

    score: float  # of the graph, in bits
    moves: tuple[NextMove, ...]
    better: int  # how many legal moves raise the score, listed or not
    legal: int  # how many moves there are at all
    least_gain: float  # gains up to this are rounding

    @property
    def is_optimum(self) -> bool:
        """No legal move raises the score: where hill climbing would stop."""
        return self.better == 0

    def raises(self, move: NextMove) -> bool:
        return move.gain > self.least_gain


@dataclass(frozen=True)
class ClimbResult:
    """A graph after some moves, each the best there was."""

    dag: Dag
    moves: tuple[NextMove, ...]


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

    @classmethod
    def over(cls, data: DataSet, params: MoveParams, dag: Dag) -> NextMoves:
        """For the moves from a graph; its own tables are never too large."""
        cells = max(params.max_table_cells, largest_table(dag, data))
        score = params.measure(data.total_weight)
        return cls(FamilyScores(data, score, max_table_cells=cells), data.domain.names)

    def __init__(self, scores: FamilyScores, names: Sequence[str]) -> None:
        # Every pair is scored, whatever the rules: they may change while the counts stay.
        self._climb = GraphClimb(scores, EdgeRules.of(names, None, None))
        self._cards = scores.cards

    def fits_memory(self, dag: Dag, data: DataSet) -> bool:
        """Whether the tables of a graph are within the limit these scores were made with."""
        return largest_table(dag, data) <= self._climb.scores.max_table_cells

    def score_graph(self, dag: Dag, cancel: CancelToken = NEVER) -> Iterator[Progress]:
        """Go to a graph and score its moves; yields the progress."""
        # Stopped between two columns and never within one, whose scores would be of two graphs.
        for done, _ in enumerate(self._climb.go_to(flags_of(dag), NEVER), start=1):
            cancel.raise_if_cancelled()
            if done % 4 == 0:
                message = f"Scoring {done} of {len(dag.names)} columns"
                yield Progress(done / len(dag.names), message)

    def list_moves(self, rules: EdgeRules, top: int = TOP) -> MoveList:
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

    def climb(
        self, dag: Dag, rules: EdgeRules, steps: int | None = None, cancel: CancelToken = NEVER
    ) -> Iterator[Progress | ClimbResult]:
        """Take the best move a number of times, or until none raises the score; the graph comes
        last.

        Ends at the optimum of hill climbing without a tabu list.
        """
        yield from self.score_graph(dag, cancel)
        taken: list[NextMove] = []
        while steps is None or len(taken) < steps:
            cancel.raise_if_cancelled()
            best = self.list_moves(rules, top=1)
            if best.is_optimum:
                break
            move = best.moves[0]
            taken.append(move)
            dag = moved(dag, move.key)
            yield from self.score_graph(dag, cancel)
            message = f"{len(taken)} moves taken, score {best.score + move.gain:,.1f} bits"
            yield Progress(None if steps is None else len(taken) / steps, message)
        yield ClimbResult(dag, tuple(taken))

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
