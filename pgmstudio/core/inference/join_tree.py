"""Joins of tables of tuples in a junction tree: how many tuples, which, and how possible each is.

A table lists the possible tuples of a few variables, each with a degree of possibility in (0, 1]; a
relation has degree 1 everywhere. The join has the tuples whose part over every table is listed
there, and its degree is the smallest of them or their product (the norm). Only tables within one
clique are joined; the rest is done by messages, so the joint states are never enumerated:
sum–product for counting, max–min or max–product for degrees. In a graph that is not chordal the
cliques are those of a triangulation (Borgelt, Steinbrecher and Kruse 2009, ch. 4 and 5).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.relation import Indices, Tuples, tuple_ids
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.graphs.junction_tree import CliqueTree, clique_tree_of_scopes
from pgmstudio.core.large_counts import count_text

MINIMUM, PRODUCT = "minimum", "product"
NORMS = (MINIMUM, PRODUCT)

# Tuples of one clique: some hundred megabytes.
MAX_CLIQUE_TUPLES = 5_000_000


@dataclass(frozen=True, eq=False)
class TupleTable:
    """Tuples over a scope, scope × tuples, with their degrees."""

    scope: tuple[int, ...]
    tuples: Tuples
    degrees: Floats

    @classmethod
    def of_relation(cls, scope: Sequence[int], tuples: Tuples) -> TupleTable:
        return cls(tuple(scope), tuples, np.ones(tuples.shape[1]))

    @classmethod
    def of_degrees(cls, scope: Sequence[int], degrees: Floats) -> TupleTable:
        """The cells above 0 of a table with an axis for each variable."""
        cells = np.nonzero(degrees)
        tuples = np.array(cells, dtype=np.int64).reshape(len(scope), -1)
        return cls(tuple(scope), tuples, np.asarray(degrees[cells], dtype=np.float64))

    def over(self, scope: Sequence[int]) -> Tuples:
        """The columns of these variables."""
        return self.tuples[[self.scope.index(v) for v in scope]]


def combine(norm: str, one: Floats, other: Floats) -> Floats:
    """The smaller degree, or the product."""
    return np.minimum(one, other) if norm == MINIMUM else one * other


def joined(norm: str, one: TupleTable, other: TupleTable, cards: Sequence[int]) -> TupleTable:
    """The natural join of two tables; TooLargeError when it has too many tuples."""
    shared = [v for v in one.scope if v in other.scope]
    added = [v for v in other.scope if v not in one.scope]
    columns = np.concatenate((one.over(shared), other.over(shared)), axis=1)
    _, ids = tuple_ids(columns, [cards[v] for v in shared])
    left, right = ids[: one.degrees.size], ids[one.degrees.size :]
    order = np.argsort(right, kind="stable")
    begin = np.searchsorted(right[order], left, side="left")
    counts = np.searchsorted(right[order], left, side="right") - begin
    total = int(counts.sum())
    if total > MAX_CLIQUE_TUPLES:
        raise TooLargeError(
            f"A clique of {len(one.scope) + len(added)} variables has {count_text(total)} tuples; "
            f"{MAX_CLIQUE_TUPLES:,} are possible. Remove edges of the graph."
        )
    chosen = np.repeat(np.arange(left.size), counts)
    within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    matched = order[np.repeat(begin, counts) + within]
    return TupleTable(
        (*one.scope, *added),
        np.concatenate((one.tuples[:, chosen], other.over(added)[:, matched])),
        combine(norm, one.degrees[chosen], other.degrees[matched]),
    )


@dataclass(frozen=True, eq=False)
class _Link:
    """A clique and its parent: the number of each tuple's part over their separator."""

    parent: int
    own: Indices
    above: Indices
    count: int


class JoinTree:
    """The join of tables that together have every variable; `also` are scopes that shall lie
    within a clique too."""

    def __init__(
        self,
        cardinalities: Sequence[int],
        tables: Iterable[TupleTable],
        norm: str = MINIMUM,
        also: Iterable[Sequence[int]] = (),
    ) -> None:
        tables = list(tables)
        self.norm = norm
        self.cardinalities = tuple(cardinalities)
        scopes = [*(table.scope for table in tables), *also]
        self.tree: CliqueTree = clique_tree_of_scopes(scopes, cardinalities)
        self.cliques = self._cliques(tables)
        self._links = [None, *(self._link(c) for c in range(1, len(self.cliques)))]
        self._home = {v: c for c, clique in enumerate(self.tree.cliques) for v in clique}

    def _cliques(self, tables: Sequence[TupleTable]) -> list[TupleTable]:
        """The join of the tables within each clique, each table in one of them; the projections
        of the others only restrict the tuples."""
        inside = [set(clique) for clique in self.tree.cliques]
        homes: list[list[TupleTable]] = [[] for _ in inside]
        limits: list[list[TupleTable]] = [[] for _ in inside]
        for table in tables:
            members = set(table.scope)
            home = next(c for c, clique in enumerate(inside) if members <= clique)
            homes[home].append(table)
            for c, clique in enumerate(inside):
                if c != home and members & clique:
                    scope = [v for v in table.scope if v in clique]
                    columns = table.over(scope)
                    first, _ = tuple_ids(columns, [self.cardinalities[v] for v in scope])
                    limits[c].append(TupleTable.of_relation(scope, columns[:, first]))
        return [self._joined_all([*homes[c], *limits[c]]) for c in range(len(inside))]

    def _joined_all(self, tables: list[TupleTable]) -> TupleTable:
        tables.sort(key=lambda table: table.degrees.size)
        result = tables.pop(0)
        while tables:
            known = set(result.scope)
            nearest = max(
                range(len(tables)),
                key=lambda i: (len(known & {*tables[i].scope}), -tables[i].degrees.size),
            )
            result = joined(self.norm, result, tables.pop(nearest), self.cardinalities)
        return result

    def _link(self, c: int) -> _Link:
        # Parts of a graph that are not connected hang together by an empty separator.
        parent = self.tree.parents[c] or 0
        separator = self.tree.separators[c]
        own, above = self.cliques[c], self.cliques[parent]
        columns = np.concatenate((own.over(separator), above.over(separator)), axis=1)
        _, ids = tuple_ids(columns, [self.cardinalities[v] for v in separator])
        count = int(ids.max(initial=-1)) + 1
        return _Link(parent, ids[: own.degrees.size], ids[own.degrees.size :], count)

    def _above(self) -> Iterator[tuple[int, _Link]]:
        """Every clique but the root with its link, parents first."""
        for c, link in enumerate(self._links):
            if link is not None:
                yield c, link

    # -- counting

    def count(self, level: float = 0.0) -> int:
        """How many tuples the join has; with the minimum as norm, those of at least this degree."""
        used = [np.unique(self.cliques[c].over([v])).size for v, c in self._home.items()]
        # Exact also where the numbers do not fit into 64 bits.
        kind: Any = np.int64 if sum(map(math.log2, filter(None, used))) < 62 else object
        return int(self._sums([(table.degrees >= level).astype(kind) for table in self.cliques]))

    def degree_sum(self) -> float:
        """The sum of the degrees of all tuples."""
        if self.norm == PRODUCT:
            return float(self._sums([table.degrees.copy() for table in self.cliques]))
        levels = self.levels()
        return float(sum(step * self.count(level) for level, step in levels))

    def nonspecificity(self) -> float:
        """∫ log2 |α-cut| dα in bits, where the norm is the minimum."""
        counts = ((self.count(level), step) for level, step in self.levels())
        return sum(step * math.log2(count) for count, step in counts if count)

    def levels(self) -> list[tuple[float, float]]:
        """The degrees that occur, ascending, each with its distance from the one before."""
        degrees = np.unique(np.concatenate([table.degrees for table in self.cliques]))
        return list(zip(degrees.tolist(), np.diff(degrees, prepend=0.0).tolist(), strict=True))

    def _sums(self, values: list[Any]) -> Any:
        for c, link in reversed([*self._above()]):
            message = np.zeros(link.count, dtype=values[c].dtype)
            np.add.at(message, link.own, values[c])
            values[link.parent] = values[link.parent] * message[link.above]
        return values[0].sum()

    # -- degrees

    def propagate(self, weights: Mapping[int, Floats]) -> list[Floats]:
        """The largest degree of the join that each tuple of each clique is part of, with weights
        in [0, 1] for the states of some variables."""
        values = [table.degrees for table in self.cliques]
        for v, weight in weights.items():
            c = self._home[v]
            values[c] = combine(self.norm, values[c], weight[self.cliques[c].over([v])[0]])
        upward: dict[int, Floats] = {}
        for c, link in reversed([*self._above()]):
            message = upward[c] = _maxima(values[c], link.own, link.count)
            values[link.parent] = combine(self.norm, values[link.parent], message[link.above])
        for c, link in self._above():
            message = _maxima(values[link.parent], link.above, link.count)
            if self.norm == PRODUCT:  # without what the clique itself has sent
                message = np.divide(
                    message, upward[c], out=np.zeros(link.count), where=upward[c] > 0
                )
            values[c] = combine(self.norm, values[c], message[link.own])
        return values

    def maxima(self, values: Sequence[Floats], v: int) -> Floats:
        """The largest degree of each state of a variable, from propagated values."""
        c = self._home[v]
        return _maxima(values[c], self.cliques[c].over([v])[0], self.cardinalities[v])

    def best_tuple(self, values: Sequence[Floats]) -> Tuples:
        """A tuple of the largest degree, from propagated values."""
        chosen = [int(values[0].argmax())]
        for c, link in self._above():
            fits = link.own == link.above[chosen[link.parent]]
            chosen.append(int(np.where(fits, values[c], -1.0).argmax()))
        return self._tuple(chosen)

    def _tuple(self, chosen: Sequence[int]) -> Tuples:
        codes = np.zeros(len(self.cardinalities), dtype=np.int64)
        for table, number in zip(self.cliques, chosen, strict=True):
            codes[list(table.scope)] = table.tuples[:, number]
        return codes

    def projection(self, scope: Sequence[int]) -> TupleTable:
        """The tuples over some variables that are part of the join, in lexicographic order, with
        their largest degrees; the variables lie within a clique."""
        members = set(scope)
        home = next(c for c, clique in enumerate(self.tree.cliques) if members <= {*clique})
        degrees = self.propagate({})[home]
        possible = degrees > 0
        columns = self.cliques[home].over(scope)[:, possible]
        first, ids = tuple_ids(columns, [self.cardinalities[v] for v in scope])
        return TupleTable(
            tuple(scope), columns[:, first], _maxima(degrees[possible], ids, first.size)
        )

    # -- the tuples one by one

    def tuples(self) -> Iterator[tuple[int, ...]]:
        """Every tuple of the join once, without a search in vain."""
        values = self.propagate({})
        fitting: list[dict[int, list[int]]] = []
        for c, link in enumerate(self._links):
            numbers: dict[int, list[int]] = {}
            for i in np.flatnonzero(values[c] > 0).tolist():
                numbers.setdefault(0 if link is None else int(link.own[i]), []).append(i)
            fitting.append(numbers)
        chosen: list[int] = []
        waiting = [iter(fitting[0].get(0, ()))]
        while waiting:
            number = next(waiting[-1], None)
            if number is None:
                waiting.pop()
                if chosen:
                    chosen.pop()
                continue
            chosen.append(number)
            if len(chosen) == len(self.cliques):
                yield tuple(self._tuple(chosen).tolist())
                chosen.pop()
                continue
            link = self._links[len(chosen)]
            assert link is not None
            waiting.append(iter(fitting[len(chosen)][int(link.above[chosen[link.parent]])]))


def _maxima(values: Floats, ids: Indices | Tuples, count: int) -> Floats:
    result = np.zeros(count)
    np.maximum.at(result, ids, values)
    return result
