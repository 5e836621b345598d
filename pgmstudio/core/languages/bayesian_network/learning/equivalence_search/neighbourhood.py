"""Better neighbours of an equivalence class, by the exact operators or by sampling.

The sampled neighbourhood is that of the thesis (Nielsen 2007, §4.3.3). A neighbour is drawn by
reversing random covered edges of a DAG of the class and then adding or removing one edge
(Algorithm 4.4); turning one is drawn likewise. Every neighbour can be drawn, near ones more often.
Drawing and looking at scores are swapped for speed: R(k, N) neighbours are drawn and the best of
them is taken if it is better, else more are drawn, until R(1, N) draws in all have brought nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.background_knowledge import Edge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import (
    Pdag,
    bits_of,
    cpdag_of,
    extension_of,
    oriented,
    parent_choices,
    with_joined,
    with_left,
    with_turned,
)
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.family_cache import MAX_CACHED, FamilyScores

# Constraints on edges for whole equivalence classes: whether some member satisfies them.


class ClassRules:
    """Which pairs may be joined, and which members of a class may be returned.

    How many parents its variables have at most is the same for all members of a class, since they
    have the same largest families; so a limit needs no choice between members.
    """

    def __init__(self, rules: EdgeRules, start: Iterable[Edge] = ()) -> None:
        self.names = rules.names
        self.most_parents = rules.most_parents
        allowed, required = rules.allowed.astype(bool), rules.required.astype(bool)
        self.joinable = _masks(allowed | allowed.T)
        self._must_join = _masks(required | required.T)
        # If p and c are joined, the edge has to be p → c.
        one_way = allowed & ~allowed.T | required
        self._forced = _masks(one_way)
        self.are_none = not one_way.any() and bool(
            (allowed | np.eye(len(allowed)).astype(bool)).all()
        )
        self.start, self.left_out = rules.starting_graph(start)

    def narrowed(self, cpdag: Pdag) -> Pdag | None:
        """The class with the edges directed that the rules direct; None when no member obeys."""
        if self.are_none:
            return cpdag
        for node, near in enumerate(cpdag.adjacent_masks):
            if near & ~self.joinable[node] or self._must_join[node] & ~near:
                return None
        return oriented(
            cpdag,
            (
                (parent, child)
                for child, near in enumerate(cpdag.adjacent_masks)
                for parent in bits_of(near & self._forced[child])
            ),
        )

    def member(self, cpdag: Pdag) -> Dag:
        """A DAG of the class that obeys the rules; only for classes that have one."""
        narrowed = self.narrowed(cpdag)
        dag = None if narrowed is None else extension_of(narrowed)
        if dag is None:
            raise ValueError("no member of this class obeys the rules")
        return dag


def _masks(flags: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> list[int]:
    """Per column, the rows that are set, as bits."""
    return [sum(1 << int(row) for row in np.flatnonzero(column)) for column in flags.T]


def bitsets_of(masks: Sequence[int], nodes: int) -> NDArray[np.uint64]:
    """Sets of nodes as rows of 64-bit words, the form the compiled kernels read."""
    if nodes <= 64:
        return np.array(masks, dtype=np.uint64).reshape(-1, 1)
    words = -(-nodes // 64)
    packed = b"".join(mask.to_bytes(words * 8, "little") for mask in masks)
    return np.frombuffer(packed, dtype="<u8").astype(np.uint64).reshape(-1, words)


FIRST_ROOM = 256


class GainRows:
    """A cache of gains by (child, parents), as the rows of one array that kernels can read."""

    def __init__(self, scores: FamilyScores, rules: ClassRules) -> None:
        self.scores = scores
        self.rules = rules
        self.values = np.empty((FIRST_ROOM, len(rules.names)))
        self._index: dict[tuple[int, int], int] = {}

    def row(self, child: int, parents: int, cancel: CancelToken) -> int:
        """The row of `values` for a child and the set of its parents; `values` may be a new one."""
        index = self._index.get((child, parents))
        if index is None:
            index = len(self._index)
            if index == len(self.values):
                self.values = np.concatenate([self.values, np.empty_like(self.values)])
            self.values[index] = self._gains(child, parents, cancel)
            self._index[child, parents] = index
        return index

    def prefetch(self, wanted: Iterable[tuple[int, int]], cancel: CancelToken) -> None:
        """Announce the rows that will be asked for next, of a child and its parents each."""
        self.scores.prefetch(
            (
                ((*bits_of(parents), child), self._candidates(child, parents).tolist())
                for child, parents in dict.fromkeys(wanted)
                if (child, parents) not in self._index
            ),
            cancel,
        )

    def take(self, rows: Mapping[tuple[int, int], Floats]) -> None:
        """Add rows that another process has scored."""
        for key, row in rows.items():
            if len(self._index) == len(self.values):
                self.values = np.concatenate([self.values, np.empty_like(self.values)])
            self.values[len(self._index)] = row
            self._index[key] = len(self._index)

    def _candidates(self, child: int, parents: int) -> NDArray[np.int64]:
        """The variables that may join these parents."""
        joining = 0
        if parents.bit_count() < self.rules.most_parents:
            joining = self.rules.joinable[child] & ~parents
        return np.array([*bits_of(joining)], dtype=np.int64)

    def _gains(self, child: int, parents: int, cancel: CancelToken) -> Floats:
        candidates = self._candidates(child, parents)
        scores = self.scores.toggled(child, [*bits_of(parents)], candidates, cancel)
        gains: Floats = scores - scores[child]
        return gains

    def forget_if_many(self) -> bool:
        """Clear the cache when it is too large; indices returned before are invalid then."""
        is_full = len(self._index) * self.values.shape[1] > MAX_CACHED
        if is_full:
            self._index.clear()
        return is_full


# Choices of parents looked at per variable. Hardly ever are there more: every subset of a clique
# of undirected edges is one, so it takes a clique of a dozen variables.
MAX_CHOICES = 1 << 10

ADDITIONS, REMOVALS = 1, 2  # as the compiled kernels know them
TURNS = 4  # asked for alone
ClassAction = Literal["added", "removed", "turned"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A neighbouring class, its gain in score, and the action on a pair that leads to it.

    `better` is how many better neighbours were seen with it, where all were counted.
    """

    cpdag: Pdag
    gain: float
    pair: tuple[int, int]
    action: ClassAction
    better: int | None = None

    def __str__(self) -> str:
        one, other = (self.cpdag.names[end] for end in self.pair)
        return f"{self.action} {one} – {other}"


class Boundary(Protocol):
    """A search for better neighbours."""

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

        Nothing comes when there is none. `kinds` is ADDITIONS, REMOVALS, both, or TURNS.
        """


@dataclass(frozen=True, eq=False)
class _Moves:
    """`other` joins or leaves the parents of `node` in its choice number `choice`.

    Or it leaves the children and joins the parents, where edges are turned.
    """

    node: NDArray[np.int64]
    choice: NDArray[np.int64]
    other: NDArray[np.int64]
    gain: Floats

    def only(self, wanted: list[int]) -> _Moves:
        return _Moves(self.node[wanted], self.choice[wanted], self.other[wanted], self.gain[wanted])

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
        # Per variable its choices, as cliques of neighbours, and the indices of their gains.
        self._cliques: list[list[int]] = [[]] * n
        self._clique_bits: list[NDArray[np.uint64]] = [bitsets_of([], n)] * n
        self._rows: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)] * n
        self._parents, self._neighbours, self._onward, self._adjacent = (
            bitsets_of([0] * n, n) for _ in range(4)
        )
        self._capacity = 1 << 12

    def proposals(
        self,
        cpdag: Pdag,
        least_gain: float,
        greediness: float,
        kinds: int,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[Proposal]:
        """The best of a random fraction of the better neighbours first, then the others.

        The fraction is one of all of them, whether they satisfy the constraints or not, so that few
        have to be checked.
        """
        self._look_at(cpdag, cancel)
        if kinds == TURNS:
            moves = self._distinct(cpdag, self._moves(kinds, least_gain))
        elif greediness == 1:
            best = self._moves(kinds, least_gain, margin=least_gain)
            yield from self._classes(cpdag, best, best.by_gain(best.all, least_gain)[:1], cancel)
            every = self._moves(kinds, least_gain)
            yield from self._classes(cpdag, every, every.by_gain(every.all, least_gain)[1:], cancel)
            return
        else:
            moves = self._moves(kinds, least_gain)
        order = rng.permutation(moves.all)
        fraction = max(1, math.floor(greediness * order.size + 1e-9))
        order = np.concatenate([moves.by_gain(order[:fraction], least_gain), order[fraction:]])
        yield from self._classes(cpdag, moves, order, cancel, moves.gain.size)

    def _look_at(self, cpdag: Pdag, cancel: CancelToken) -> None:
        """List the choices of the variables around which something is new, and their gains."""
        before, self._cpdag = self._cpdag, None  # none, should it be stopped half way
        if self.gains.forget_if_many():
            before = None
        n = len(cpdag.names)
        redrawn, changed = (range(n),) * 2 if before is None else _differences(before, cpdag)
        above, near = cpdag.parent_masks, cpdag.neighbour_masks
        after = [near[i] | cpdag.child_masks[i] for i in redrawn]
        self._parents[redrawn] = bitsets_of([above[i] for i in redrawn], n)
        self._neighbours[redrawn] = bitsets_of([near[i] for i in redrawn], n)
        self._onward[redrawn] = bitsets_of(after, n)
        self._adjacent[redrawn] = bitsets_of([cpdag.adjacent_masks[i] for i in redrawn], n)
        choices: dict[int, list[int]] = {}
        for node in changed:
            cliques = [*islice(parent_choices(cpdag, node), MAX_CHOICES + 1)]
            if len(cliques) > MAX_CHOICES:
                self.is_cut = True
                cliques.pop()
            choices[node] = cliques
        wanted = ((node, above[node] | clique) for node in choices for clique in choices[node])
        self.gains.prefetch(wanted, cancel)
        for node, cliques in choices.items():
            rows = [self.gains.row(node, above[node] | clique, cancel) for clique in cliques]
            self._cliques[node], self._clique_bits[node] = cliques, bitsets_of(cliques, n)
            self._rows[node] = np.array(rows, dtype=np.int64)
        self._cpdag = cpdag

    def _moves(self, kinds: int, least_gain: float, margin: float = math.inf) -> _Moves:
        """All moves that gain more than `least_gain`; with a margin those near the best."""
        from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.kernels import (
            improving_moves,
            improving_turns,
        )

        counts = np.array([len(cliques) for cliques in self._cliques])
        nodes = np.repeat(np.arange(counts.size, dtype=np.int64), counts)
        first = np.cumsum(counts) - counts
        rows, cliques = np.concatenate(self._rows), np.concatenate(self._clique_bits)
        while True:
            choice, other = np.empty((2, self._capacity), dtype=np.int64)
            gain = np.empty(self._capacity)
            known = (
                self.gains.values,
                rows,
                nodes,
                cliques,
                self._parents,
                self._neighbours,
                self._onward,
                self._adjacent,
            )
            result = choice, other, gain
            if kinds == TURNS:
                count = improving_turns(*known, least_gain, *result)
            else:
                is_added = np.zeros(self._adjacent.shape[:1] * 2, dtype=np.uint8)
                count = improving_moves(*known, kinds, least_gain, margin, *result, is_added)
            if count <= self._capacity:
                node = nodes[choice[:count]]
                return _Moves(node, choice[:count] - first[node], other[:count], gain[:count])
            self._capacity = 2 * count

    def _distinct(self, cpdag: Pdag, moves: _Moves) -> _Moves:
        """One turn to each class; there are few of them."""
        reached: dict[Pdag, int] = {}
        for move in range(moves.gain.size):
            reached.setdefault(self._changed(cpdag, moves, move)[0], move)
        return moves.only(list(reached.values()))

    def _changed(self, cpdag: Pdag, moves: _Moves, move: int) -> tuple[Pdag, ClassAction]:
        """The class that a move leads to, and what it does."""
        node, other = int(moves.node[move]), int(moves.other[move])
        clique = self._cliques[node][moves.choice[move]]
        if (cpdag.parent_masks[node] | clique) >> other & 1:
            return with_left(cpdag, other, node, clique), "removed"
        if cpdag.adjacent_masks[node] >> other & 1:
            return with_turned(cpdag, node, other, clique), "turned"
        return with_joined(cpdag, other, node, clique), "added"

    def _classes(
        self,
        cpdag: Pdag,
        moves: _Moves,
        order: Iterable[int],
        cancel: CancelToken,
        better: int | None = None,
    ) -> Iterator[Proposal]:
        """The classes of moves that have a member that obeys the rules, in this order."""
        for move in order:
            cancel.raise_if_cancelled()
            changed, action = self._changed(cpdag, moves, move)
            if self.gains.rules.narrowed(changed) is not None:
                pair = int(moves.other[move]), int(moves.node[move])
                yield Proposal(changed, float(moves.gain[move]), pair, action, better)


def _differences(before: Pdag, after: Pdag) -> tuple[list[int], list[int]]:
    """The nodes with other edges than before, and those with other choices of parents."""
    redrawn, changed = [], []
    rejoined = 0
    masks = zip(
        before.parent_masks,
        after.parent_masks,
        before.neighbour_masks,
        after.neighbour_masks,
        before.adjacent_masks,
        after.adjacent_masks,
        strict=True,
    )
    for node, (above, new_above, near, new_near, joined, new_joined) in enumerate(masks):
        if above != new_above or near != new_near:
            changed.append(node)
        if joined != new_joined:
            rejoined |= 1 << node
        # Parents and neighbours being the same, children differ where the adjacent do.
        if above != new_above or near != new_near or joined != new_joined:
            redrawn.append(node)
    # Two neighbours that were joined or parted make other cliques.
    changed += [
        node
        for node, near in enumerate(after.neighbour_masks)
        if (near & rejoined).bit_count() > 1 and node not in changed
    ]
    return redrawn, changed


# Drawn by one compiled call.
_CHUNK = 256


def draws_needed(
    greediness: float, neighbours: int, epsilon: float = 0.001, *, as_printed: bool = False
) -> int:
    """Draws that are expected to meet a fraction of equally likely neighbours.

    R(k, N) = max(1, ⌈ln(1 − min(k, 1 − ε)) / ln(1 − 1/N)⌉), from N (1 − (1 − 1/N)^R) distinct
    ones in R draws (Nielsen 2007, eq. B.3). Eq. 4.30, `as_printed`, ends its sum one term earlier,
    so that it asks for one draw more.
    """
    fraction = min(greediness, 1 - epsilon)
    if neighbours <= 1:
        return 1
    draws = math.ceil(math.log1p(-fraction) / math.log1p(-1 / neighbours))
    return 1 + max(0, draws) if as_printed else max(1, draws)


class SampledBoundary:
    """Better neighbours by sampling; some may be missed."""

    def __init__(
        self, gains: GainRows, epsilon: float = 0.001, *, as_printed: bool = False
    ) -> None:
        n = len(gains.rules.names)
        self.gains = gains
        self.neighbours = n * n - n  # the thesis's estimate: ordered pairs
        self._draws = partial(
            draws_needed, neighbours=self.neighbours, epsilon=epsilon, as_printed=as_printed
        )

    def proposals(
        self,
        cpdag: Pdag,
        least_gain: float,
        greediness: float,
        kinds: int,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[Proposal]:
        """The best of each R(k, N) draws, where it is better."""
        if self.neighbours == 0:
            return
        self.gains.forget_if_many()
        dag = self.gains.rules.member(cpdag)
        parents = bitsets_of(Pdag.of_dag(dag).parent_masks, len(dag.names))
        at_once = self._draws(greediness)
        left = self._draws(1.0)
        while left > 0:
            seeds = rng.integers(
                2**63, size=max(1, min(_CHUNK, left) // at_once) * at_once, dtype=np.uint64
            )
            gains = self._gains_of(parents, seeds, kinds, cancel)
            for first in range(0, len(seeds), at_once):
                group = gains[first : first + at_once]
                for drawn in np.argsort(-group, kind="stable"):
                    if group[drawn] <= least_gain:
                        break
                    proposal = _drawn_class(
                        dag, parents, seeds[first + drawn], kinds == TURNS, float(group[drawn])
                    )
                    if self.gains.rules.narrowed(proposal.cpdag) is not None:
                        yield proposal
                        break
            left -= len(seeds)

    def _gains_of(
        self,
        parents: NDArray[np.uint64],
        seeds: NDArray[np.uint64],
        kinds: int,
        cancel: CancelToken,
    ) -> Floats:
        """The gain of the neighbour drawn by each seed; −inf where it is not of a wanted kind."""
        from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.kernels import (
            draw_neighbours,
        )

        drawn = np.empty((len(seeds), 2, parents.shape[1]), dtype=np.uint64)
        others, nodes = np.empty((2, len(seeds)), dtype=np.int64)
        gains = np.full(len(seeds), -math.inf)
        draw_neighbours(parents, seeds, kinds == TURNS, drawn, others, nodes)
        self.gains.prefetch(_drawn_rows(drawn, others, nodes, kinds), cancel)
        for k, (other, node) in enumerate(zip(others.tolist(), nodes.tolist(), strict=True)):
            if node < 0:
                continue
            above, above_other = map(_mask, drawn[k])
            if kinds == TURNS:
                gains[k] = self._gain(node, above, other, cancel)
                gains[k] += self._gain(other, above_other, node, cancel)
            elif kinds & (REMOVALS if above >> other & 1 else ADDITIONS):
                gains[k] = self._gain(node, above, other, cancel)
        return gains

    def _gain(self, node: int, above: int, other: int, cancel: CancelToken) -> float:
        row = self.gains.row(node, above, cancel)  # first, as it may replace `values`
        return float(self.gains.values[row, other])


def _drawn_rows(
    drawn: NDArray[np.uint64], others: NDArray[np.int64], nodes: NDArray[np.int64], kinds: int
) -> Iterator[tuple[int, int]]:
    """The rows of gains that neighbours drawn at random need."""
    for k, (other, node) in enumerate(zip(others.tolist(), nodes.tolist(), strict=True)):
        if node < 0:
            continue
        above, above_other = map(_mask, drawn[k])
        if kinds == TURNS:
            yield from ((node, above), (other, above_other))
        elif kinds & (REMOVALS if above >> other & 1 else ADDITIONS):
            yield node, above


def _mask(words: NDArray[np.uint64]) -> int:
    return int.from_bytes(words.astype("<u8").tobytes(), "little")


def _drawn_class(
    dag: Dag, parents: NDArray[np.uint64], seed: np.uint64, is_turn: bool, gain: float
) -> Proposal:
    """The neighbour that a seed draws."""
    from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.kernels import (
        draw_neighbour,
    )

    walked = parents.copy()
    other, node = draw_neighbour(walked, seed, is_turn)
    masks = [*map(_mask, walked)]
    masks[node] ^= 1 << other
    if is_turn:
        masks[other] ^= 1 << node
    drawn = Dag(dag.names, tuple(tuple(bits_of(mask)) for mask in masks))
    action: ClassAction = (
        "turned" if is_turn else "added" if masks[node] >> other & 1 else "removed"
    )
    return Proposal(cpdag_of(drawn), gain, (other, node), action)
