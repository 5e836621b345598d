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
class EdgeDifferences:
    """Every pair that is joined in one of two graphs, in the order of the first."""

    names: tuple[str, ...]  # of the first graph
    other_names: tuple[str, ...]
    edges: tuple[EdgeDifference, ...]

    @cached_property
    def only_first(self) -> tuple[str, ...]:
        """The nodes that the second graph lacks."""
        return tuple(name for name in self.names if name not in set(self.other_names))

    @cached_property
    def only_second(self) -> tuple[str, ...]:
        return tuple(name for name in self.other_names if name not in set(self.names))

    def of(self, change: EdgeChange) -> tuple[EdgeDifference, ...]:
        return tuple(edge for edge in self.edges if edge.change is change)

    @cached_property
    def counts(self) -> Mapping[EdgeChange, int]:
        """How many edges there are of each kind."""
        return {change: len(self.of(change)) for change in EdgeChange}

    @cached_property
    def distance(self) -> int:
        """Hamming distance: edges that are not the same in both graphs."""
        return sum(edge.change is not EdgeChange.COMMON for edge in self.edges)

    @property
    def is_empty(self) -> bool:
        """The same nodes and the same edges."""
        return self.distance == 0 and not self.only_first and not self.only_second


@dataclass(frozen=True)
class GraphDifference(EdgeDifferences):
    """The differences of two directed graphs."""

    first: Dag
    second: Dag

    @property
    def shd(self) -> int:
        """Structural Hamming distance of the graphs: edges added, missing or reversed."""
        return self.distance

    @cached_property
    def shd_of_classes(self) -> int:
        """Structural Hamming distance of the CPDAGs; 0 exactly when the graphs are equivalent
        (Tsamardinos, Brown and Aliferis 2006)."""
        return hamming_distance(cpdag_of(self.first), cpdag_of(self.second))


@dataclass(frozen=True)
class UndirectedDifference(EdgeDifferences):
    """The differences of two graphs without directions; the first is the truth, so that edges
    only of the second are false positives."""

    @property
    def true_positives(self) -> int:
        return self.counts[EdgeChange.COMMON]

    @property
    def false_positives(self) -> int:
        return self.counts[EdgeChange.ADDED]

    @property
    def false_negatives(self) -> int:
        return self.counts[EdgeChange.MISSING]

    @property
    def f1(self) -> float:
        """F1 of the second graph's edges; 1 if neither graph has any."""
        total = 2 * self.true_positives + self.distance
        return 2 * self.true_positives / total if total else 1.0


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
    return GraphDifference(first.names, second.names, tuple(result), first, second)


def undirected_difference(
    names: Sequence[str],
    edges: Iterable[Edge],
    other_names: Sequence[str],
    other_edges: Iterable[Edge],
) -> UndirectedDifference:
    """What became of every edge, whatever its direction, from the first graph to the second."""
    order = {name: n for n, name in enumerate(dict.fromkeys((*names, *other_names)))}

    def sorted_pairs(pairs: Iterable[Edge]) -> set[Edge]:
        return {(a, b) if order[a] <= order[b] else (b, a) for a, b in pairs}

    before, after = sorted_pairs(edges), sorted_pairs(other_edges)

    def change(edge: Edge) -> EdgeChange:
        if edge not in after:
            return EdgeChange.MISSING
        return EdgeChange.COMMON if edge in before else EdgeChange.ADDED

    result = tuple(
        EdgeDifference(*edge, change(edge), change(edge) is not EdgeChange.COMMON)
        for edge in sorted(before | after, key=lambda edge: (order[edge[0]], order[edge[1]]))
    )
    return UndirectedDifference(tuple(names), tuple(other_names), result)
