"""How two graphs over (mostly) the same nodes differ, edge by edge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import cpdag_of, edge_marks, hamming_distance

Edge = tuple[str, str]


class EdgeChange(Enum):
    """What became of an edge from the first graph to the second."""

    COMMON = "common"
    ADDED = "added"  # only in the second
    MISSING = "missing"  # only in the first
    REVERSED = "reversed"  # in both, with the other direction


@dataclass(frozen=True, slots=True)
class EdgeDifference:
    """One joined pair; the direction is the second graph's, a missing edge's that of the first.

    `changes_class`: the pair is joined differently in the two equivalence classes: a
    reversed edge may be equivalent to the one before, and a common one may have become compelled.
    """

    source: str
    target: str
    change: EdgeChange
    changes_class: bool

    @property
    def edge(self) -> Edge:
        return self.source, self.target


@dataclass(frozen=True)
class GraphDifference:
    """Two graphs and every pair that is joined in one of them, in the order of the first."""

    first: Dag
    second: Dag
    edges: tuple[EdgeDifference, ...]

    @cached_property
    def only_first(self) -> tuple[str, ...]:
        """The nodes that the second graph lacks."""
        return tuple(name for name in self.first.names if name not in set(self.second.names))

    @cached_property
    def only_second(self) -> tuple[str, ...]:
        return tuple(name for name in self.second.names if name not in set(self.first.names))

    def of(self, change: EdgeChange) -> tuple[EdgeDifference, ...]:
        return tuple(edge for edge in self.edges if edge.change is change)

    @cached_property
    def counts(self) -> Mapping[EdgeChange, int]:
        """How many edges there are of each kind."""
        return {change: len(self.of(change)) for change in EdgeChange}

    @cached_property
    def shd(self) -> int:
        """Structural Hamming distance of the graphs: edges added, missing or reversed."""
        return sum(edge.change is not EdgeChange.COMMON for edge in self.edges)

    @cached_property
    def shd_of_classes(self) -> int:
        """Structural Hamming distance of the CPDAGs; 0 exactly when the graphs are equivalent
        (Tsamardinos, Brown and Aliferis 2006)."""
        return hamming_distance(cpdag_of(self.first), cpdag_of(self.second))

    @property
    def is_empty(self) -> bool:
        """The same nodes and the same edges."""
        return self.shd == 0 and not self.only_first and not self.only_second


def graph_difference(first: Dag, second: Dag) -> GraphDifference:
    """What became of every edge from the first graph to the second.

    Nodes go by their names; an edge at a node that one graph lacks is added or missing.
    """
    before, after = set(first.edges), set(second.edges)
    marks, others = edge_marks(cpdag_of(first)), edge_marks(cpdag_of(second))

    def changed(source: str, target: str, change: EdgeChange) -> EdgeDifference:
        pair = frozenset((source, target))
        return EdgeDifference(source, target, change, marks.get(pair) != others.get(pair))

    result = []
    for source, target in first.edges:
        if (source, target) in after:
            result.append(changed(source, target, EdgeChange.COMMON))
        elif (target, source) in after:
            result.append(changed(target, source, EdgeChange.REVERSED))
        else:
            result.append(changed(source, target, EdgeChange.MISSING))
    for source, target in second.edges:
        if (source, target) not in before and (target, source) not in before:
            result.append(changed(source, target, EdgeChange.ADDED))
    return GraphDifference(first, second, tuple(result))


@dataclass(frozen=True)
class UndirectedDifference:
    """Edges without direction that two graphs share, and that only one of them has."""

    common: tuple[Edge, ...]
    added: tuple[Edge, ...]  # only in the second
    missing: tuple[Edge, ...]  # only in the first
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def hamming_distance(self) -> int:
        """Edges that only one of the graphs has: false positives and false negatives."""
        return len(self.added) + len(self.missing)

    @property
    def f1(self) -> float:
        """F1 of the second graph's edges, the first being the truth; 1 if neither has any."""
        total = 2 * len(self.common) + self.hamming_distance
        return 2 * len(self.common) / total if total else 1.0

    @property
    def is_empty(self) -> bool:
        return not (self.hamming_distance or self.only_first or self.only_second)


def undirected_difference(
    names: Sequence[str],
    edges: Iterable[Edge],
    other_names: Sequence[str],
    other_edges: Iterable[Edge],
) -> UndirectedDifference:
    """What became of every edge, whatever its direction, from the first graph to the second."""
    order = {name: n for n, name in enumerate((*names, *other_names))}

    def sorted_pairs(pairs: Iterable[Edge]) -> set[Edge]:
        return {(a, b) if order[a] <= order[b] else (b, a) for a, b in pairs}

    before, after = sorted_pairs(edges), sorted_pairs(other_edges)
    return UndirectedDifference(
        tuple(sorted(before & after)),
        tuple(sorted(after - before)),
        tuple(sorted(before - after)),
        tuple(name for name in names if name not in set(other_names)),
        tuple(name for name in other_names if name not in set(names)),
    )
