"""Decomposition: does a graph represent a relation, and which tuples does it add?

A graph can only add tuples: R ⊆ R_G. It represents R exactly if it adds none (Borgelt, Steinbrecher
and Kruse 2009, §3.3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.relation import Relation, tuple_ids
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.pdag import bits_of
from pgmstudio.core.inference.join_tree import JoinTree, TupleTable
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure
from pgmstudio.core.languages.relational_network.model import RelationalNetwork

# Relations over so many joint states are kept as bits, one for each.
MAX_BITS = 1_000_000


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A graph, how many tuples it represents, and how many of them the relation has not."""

    edges: tuple[Edge, ...]
    tuples: int
    additional: int
    cells: int  # Σ over cliques of Π|R(X)|

    @property
    def is_perfect(self) -> bool:
        return self.additional == 0

    @property
    def divergence_bits(self) -> float:
        """log2 |R_G| − log2 |R|, the Hartley divergence."""
        return math.log2(self.tuples) - math.log2(self.tuples - self.additional)

    @property
    def rank(self) -> tuple[int, int, int, tuple[Edge, ...]]:
        """Sort key: additional tuples, edges, cells of the projections, list of edges."""
        return self.additional, len(self.edges), self.cells, self.edges


def decompose(relation: Relation, edges: Iterable[Edge]) -> Decomposition:
    """How a graph represents a relation, by counting in its junction tree."""
    structure = MarkovStructure(relation.domain, frozenset(edges))
    network = RelationalNetwork.of_relation(structure, relation)
    count = network.tuple_count
    cells = sum(_cells(relation, clique) for clique in structure.maximal_cliques)
    return Decomposition(tuple(sorted(structure.edges)), count, count - len(relation), cells)


def joined_count(relation: Relation, scopes: Sequence[Sequence[int]]) -> int:
    """How many tuples the join of these projections has; every variable is in one of them."""
    tables = [TupleTable.of_relation(scope, relation.project(scope)) for scope in scopes]
    return JoinTree(relation.domain.cardinalities, tables).count()


def spurious_tuples(
    relation: Relation, network: RelationalNetwork, limit: int = 100
) -> list[tuple[int, ...]]:
    """Tuples of a network that the relation has not, at most so many, as codes."""
    known = set(map(tuple, relation.tuples.T.tolist()))
    return sorted(islice((t for t in network.join_tree.tuples() if t not in known), limit))


def _cells(relation: Relation, clique: Iterable[int]) -> int:
    return math.prod(relation.domain.cardinalities[v] for v in clique)


class GraphEvaluator:
    """Counts the tuples of many graphs over one relation.

    Where there are few joint states, a relation is a number with a bit for each of them, and the
    join of cylindrical extensions a bitwise and.
    """

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        cards = relation.domain.cardinalities
        self._is_small = math.prod(cards) <= MAX_BITS
        self._extensions: dict[int, tuple[int, int]] = {}

    def evaluate(self, edges: Sequence[Edge]) -> Decomposition:
        if not self._is_small:
            return decompose(self.relation, edges)
        result = -1
        cells = 0
        for clique in maximal_cliques(len(self.relation.domain), edges):
            bits, size = self._extension(clique)
            result &= bits
            cells += size
        count = result.bit_count()
        return Decomposition(tuple(edges), count, count - len(self.relation), cells)

    def _extension(self, clique: int) -> tuple[int, int]:
        """The cylindrical extension of a projection as bits, and the cells of the projection."""
        if clique not in self._extensions:
            scope = list(bits_of(clique))
            shape = [
                card if v in scope else 1
                for v, card in enumerate(self.relation.domain.cardinalities)
            ]
            table = self.relation.occurs(scope).reshape(shape)
            whole = np.broadcast_to(table, self.relation.domain.cardinalities)
            packed = np.packbits(whole.ravel()).tobytes()
            self._extensions[clique] = int.from_bytes(packed, "big"), _cells(self.relation, scope)
        return self._extensions[clique]


def maximal_cliques(count: int, edges: Iterable[Edge]) -> Iterator[int]:
    """The maximal cliques of a small graph, each as bits (Bron and Kerbosch 1973)."""
    near = [0] * count
    for a, b in edges:
        near[a] |= 1 << b
        near[b] |= 1 << a

    def grow(clique: int, open_: int, done: int) -> Iterator[int]:
        if not open_ and not done:
            yield clique
            return
        pivot = max(bits_of(open_ | done), key=lambda v: (near[v] & open_).bit_count())
        for v in bits_of(open_ & ~near[pivot]):
            yield from grow(clique | 1 << v, open_ & near[v], done & near[v])
            open_ &= ~(1 << v)
            done |= 1 << v

    yield from grow(0, (1 << count) - 1, 0)


def all_graphs(
    count: int, required: Iterable[Edge] = (), forbidden: Iterable[Edge] = ()
) -> tuple[int, Iterator[tuple[Edge, ...]]]:
    """How many undirected graphs keep the rules, and each of them as its edges, few edges first."""
    fixed = tuple(sorted(required))
    free = [e for e in combinations(range(count), 2) if e not in {*fixed, *forbidden}]
    graphs = (
        tuple(sorted((*fixed, *chosen)))
        for size in range(len(free) + 1)
        for chosen in combinations(free, size)
    )
    return 1 << len(free), graphs


def all_decompositions(relation: Relation, cancel: CancelToken = NEVER) -> list[Decomposition]:
    """Every graph over the variables of a relation, few edges first."""
    evaluator = GraphEvaluator(relation)
    result = []
    for edges in all_graphs(len(relation.domain))[1]:
        cancel.raise_if_cancelled()
        result.append(evaluator.evaluate(edges))
    return result


def possible_tuples(network: RelationalNetwork, relation: Relation) -> int:
    """How many tuples of a relation are possible in a network."""
    cards = relation.domain.cardinalities
    inside = np.ones(len(relation), dtype=bool)
    for clique, listed in zip(network.structure.maximal_cliques, network.projections, strict=True):
        columns = np.concatenate((listed, relation.tuples[list(clique)]), axis=1)
        first, ids = tuple_ids(columns, [cards[v] for v in clique])
        known = np.zeros(first.size, dtype=bool)
        known[ids[: listed.shape[1]]] = True
        inside &= known[ids[listed.shape[1] :]]
    return int(inside.sum())


def fit_measures(network: RelationalNetwork, data: DataSet) -> dict[str, float]:
    """Tuples of the data and of the network, those that the network adds, those of the data that
    are impossible in it, and the Hartley divergence in bits."""
    relation = Relation.of(data)
    common = possible_tuples(network, relation)
    return {
        "tuples_of_the_data": float(len(relation)),
        "tuples": float(network.tuple_count),
        "additional_tuples": float(network.tuple_count - common),
        "impossible_tuples": float(len(relation) - common),
        "hartley_divergence": network.hartley_bits() - math.log2(len(relation)),
    }
