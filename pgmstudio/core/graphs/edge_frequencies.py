"""How often edges occur in many graphs over the same variables, and the graph they agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pgmstudio.core.csv_text import csv_text
from pgmstudio.core.errors import CycleError, DataError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag, extension_of

Edge = tuple[str, str]
HEAD = ("from", "to", "from_to", "to_from", "undirected", "any")


@dataclass(frozen=True, slots=True)
class EdgeFrequency:
    """Fractions of the graphs; `forward + backward + undirected` is the fraction that joins the
    pair."""

    source: str
    target: str
    forward: float  # source → target
    backward: float  # target → source
    undirected: float = 0.0  # joined, and either direction is equivalent

    @property
    def joined(self) -> float:
        return self.forward + self.backward + self.undirected

    @property
    def direction(self) -> float:
        """The fraction of source → target among the graphs that join them; a free edge counts
        half."""
        return (self.forward + self.undirected / 2) / self.joined if self.joined else 0.5

    def turned(self) -> EdgeFrequency:
        """The same pair, seen from the other end."""
        return EdgeFrequency(self.target, self.source, self.backward, self.forward, self.undirected)

    def as_dict(self) -> dict[str, Any]:
        fractions = (self.forward, self.backward, self.undirected, self.joined)
        return dict(zip(HEAD, (self.source, self.target, *fractions), strict=True))


@dataclass(frozen=True, slots=True)
class Averaged:
    """The graph of the frequent edges, and those that would have closed a cycle.

    `pdag` leaves edges without direction where most graphs do. `is_exact` is False when no graph
    has exactly its v-structures, and `dag` has one more. Where edges have no directions at all,
    those of `dag` have no meaning.
    """

    dag: Dag
    pdag: Pdag
    left_out: tuple[EdgeFrequency, ...]
    is_exact: bool


@dataclass(frozen=True)
class EdgeFrequencies:
    """Counts of → and of free edges in `graphs` graphs; whole numbers, so any order of adding
    gives the same fractions. `settings` are plain values that describe the source of the graphs."""

    names: tuple[str, ...]
    graphs: int = 0
    directed: Mapping[Edge, int] = field(default_factory=dict)
    undirected: Mapping[Edge, int] = field(default_factory=dict)  # the earlier variable first
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, graphs: Iterable[Pdag | Dag], names: Sequence[str]) -> EdgeFrequencies:
        """Count the edges of some graphs."""
        directed: Counter[Edge] = Counter()
        undirected: Counter[Edge] = Counter()
        count = 0
        for graph in graphs:
            pdag = Pdag.of_dag(graph) if isinstance(graph, Dag) else graph
            directed.update(pdag.directed)
            undirected.update(pdag.undirected)
            count += 1
        return cls(tuple(names), count, dict(directed), dict(undirected))

    def joined_by(self, graph: Pdag | Dag) -> EdgeFrequencies:
        """With one more graph."""
        one = EdgeFrequencies.of([graph], self.names)
        directed, undirected = Counter(self.directed), Counter(self.undirected)
        directed.update(one.directed)
        undirected.update(one.undirected)
        return replace(
            self, graphs=self.graphs + 1, directed=dict(directed), undirected=dict(undirected)
        )

    @property
    def has_directions(self) -> bool:
        """False for graphs of a language whose edges have no directions."""
        return bool(self.settings.get("has_directions", True))

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def of_pair(self, source: str, target: str) -> EdgeFrequency:
        """The fractions of one pair, seen from `source`; all 0 when no graph joins it."""
        free = (source, target)
        if self._index.get(source, 0) > self._index.get(target, 0):
            free = (target, source)
        count = max(1, self.graphs)
        return EdgeFrequency(
            source,
            target,
            self.directed.get((source, target), 0) / count,
            self.directed.get((target, source), 0) / count,
            self.undirected.get(free, 0) / count,
        )

    @cached_property
    def edges(self) -> tuple[EdgeFrequency, ...]:
        """Every pair that some graph joins, the most frequent first.

        Each has its own orientation: the more frequent direction; of a tie, the earlier variable
        first.
        """
        index = self._index
        pairs = {frozenset(edge) for edge in (*self.directed, *self.undirected)}
        result = []
        for pair in pairs:
            one, other = sorted(pair, key=index.__getitem__)
            payload = self.of_pair(one, other)
            result.append(payload.turned() if payload.backward > payload.forward else payload)
        return tuple(
            sorted(result, key=lambda e: (-e.joined, -e.forward, index[e.source], index[e.target]))
        )

    def averaged(self, threshold: float) -> Averaged:
        """The edges joined in at least that fraction of the graphs, most frequent first.

        An edge gets the more frequent direction, and is left out when that would close a cycle with
        those before it; edges that most graphs leave free are directed last, so that they make no
        v-structure where one can be avoided (Dor and Tarsi 1992): the most frequent of them make
        none, and only those that cannot be without one follow the order of the others.
        """
        if not 0 < threshold <= 1:
            raise DataError("The threshold is a fraction of the graphs, above 0 and at most 1.")
        directed, free, left_out = Dag.empty(self.names), [], []
        for edge in self.edges:
            # Counts are compared, so that 3 of 10 graphs reach a threshold of 0.3.
            if edge.joined * self.graphs < threshold * self.graphs - 1e-9:
                break
            if edge.undirected >= edge.forward:
                free.append((edge.source, edge.target))
                continue
            try:
                directed = directed.with_edge(edge.source, edge.target)
            except CycleError:
                left_out.append(edge)
        pdag = Pdag.from_edges(self.names, directed.edges, free)
        if not self.has_directions:
            dag = _with_edges_along(directed, free)
            return Averaged(dag, pdag, tuple(left_out), True)
        dag, rest = _with_free_edges(directed, free)
        return Averaged(_with_edges_along(dag, rest), pdag, tuple(left_out), not rest)

    # -- as an artifact

    kind = "edge-frequencies"

    def plain(self) -> dict[str, Any]:
        """Whole counts, so that nothing is lost; every edge in its own orientation."""
        edges = [
            [edge.source, edge.target, *(round(fraction * self.graphs) for fraction in fractions)]
            for edge in self.edges
            for fractions in [(edge.forward, edge.backward, edge.undirected)]
        ]
        return {
            "variables": list(self.names),
            "graphs": self.graphs,
            "edges": edges,
            "settings": dict(self.settings),
        }

    @classmethod
    def restored(cls, payload: Mapping[str, Any]) -> EdgeFrequencies:
        """What `plain` made."""
        names = tuple(map(str, payload["variables"]))
        index = {name: i for i, name in enumerate(names)}
        directed: dict[Edge, int] = {}
        undirected: dict[Edge, int] = {}
        for source, target, forward, backward, free in payload["edges"]:
            for edge, count in (((source, target), forward), ((target, source), backward)):
                if count:
                    directed[edge] = int(count)
            if free:
                first, last = sorted((source, target), key=index.__getitem__)
                undirected[first, last] = int(free)
        return cls(names, int(payload["graphs"]), directed, undirected, dict(payload["settings"]))

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows: the most frequent edge first, in its own orientation."""
        if not self.has_directions:
            return ("one", "other", "any"), [(e.source, e.target, e.joined) for e in self.edges]
        return HEAD, [tuple(edge.as_dict().values()) for edge in self.edges]

    def as_csv(self) -> str:
        """The table as a file."""
        head, rows = self.table()
        return csv_text([head, *rows])


def _with_free_edges(dag: Dag, free: Sequence[Edge]) -> tuple[Dag, list[Edge]]:
    """The graph with those free edges, the first ones preferred, that make no v-structure; and the
    others. Edges are tried in blocks, halved where a block does not go."""
    kept: list[Edge] = []
    rest: list[Edge] = []
    result = dag
    blocks = [list(free)] if free else []
    while blocks:
        block = blocks.pop()
        extension = extension_of(Pdag.from_edges(dag.names, dag.edges, [*kept, *block]))
        if extension is not None:
            kept, result = [*kept, *block], extension
        elif len(block) == 1:
            rest.extend(block)
        else:
            half = len(block) // 2
            blocks += [block[half:], block[:half]]
    return result, rest


def _with_edges_along(dag: Dag, edges: Sequence[Edge]) -> Dag:
    """The graph with more edges, directed along its order."""
    rank = {dag.names[node]: i for i, node in enumerate(dag.topological_order)}
    along = [edge if rank[edge[0]] < rank[edge[1]] else edge[::-1] for edge in edges]
    return Dag.from_edges(dag.names, (*dag.edges, *along))
