"""Directed acyclic graphs as values: an edit returns a new graph or raises with the reason."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from pgmstudio.core.errors import CycleError, GraphError, UnknownNameError

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Dag:
    """Nodes in order and, per node, the sorted indices of its parents."""

    names: tuple[str, ...]
    parent_indices: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "parent_indices", tuple(tuple(sorted(set(p))) for p in self.parent_indices)
        )
        if len(self.parent_indices) != len(self.names):
            raise GraphError(
                f"{len(self.names)} nodes have {len(self.parent_indices)} lists of parents."
            )
        self.topological_order  # noqa: B018 - raises when there is a cycle

    @classmethod
    def empty(cls, names: Iterable[str]) -> Dag:
        names = tuple(names)
        return cls(names, ((),) * len(names))

    @classmethod
    def from_edges(cls, names: Iterable[str], edges: Iterable[tuple[str, str]]) -> Dag:
        names = tuple(names)
        index = {name: i for i, name in enumerate(names)}
        parents: list[list[int]] = [[] for _ in names]
        for source, target in edges:
            for end in (source, target):
                if end not in index:
                    raise UnknownNameError("variable", end, names)
            parents[index[target]].append(index[source])
        return cls(names, tuple(tuple(p) for p in parents))

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph) -> Dag:
        """The nodes, named by their text, and the edges of a networkx graph."""
        edges = ((str(source), str(target)) for source, target in graph.edges)
        return cls.from_edges(map(str, graph.nodes), edges)

    def to_networkx(self) -> nx.DiGraph:
        """The same graph of networkx."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.edges)
        return graph

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        try:
            return self._index[name]
        except KeyError:
            raise UnknownNameError("variable", name, self.names) from None

    @cached_property
    def child_indices(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in self.names]
        for child, parents in enumerate(self.parent_indices):
            for parent in parents:
                children[parent].append(child)
        return tuple(tuple(c) for c in children)

    @cached_property
    def topological_order(self) -> tuple[int, ...]:
        """Indices, parents before children; of the free ones the first comes first."""
        waiting = [len(parents) for parents in self.parent_indices]
        ready = deque(i for i, count in enumerate(waiting) if count == 0)
        order: list[int] = []
        while ready:
            node = ready.popleft()
            order.append(node)
            for child in self.child_indices[node]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    ready.append(child)
        if len(order) < len(self.names):
            source, target, path = self._some_cycle({i for i, c in enumerate(waiting) if c})
            raise CycleError(source, target, path)
        return tuple(order)

    def _some_cycle(self, stuck: set[int]) -> tuple[str, str, list[str]]:
        node = min(stuck)
        trail: dict[int, None] = {}
        while node not in trail:  # every stuck node has a stuck parent
            trail[node] = None
            node = next(p for p in self.parent_indices[node] if p in stuck)
        walked = list(trail)
        cycle = walked[walked.index(node) :][::-1]
        names = [self.names[i] for i in cycle]
        return names[-1], names[0], names

    def parents(self, name: str) -> tuple[str, ...]:
        return tuple(self.names[i] for i in self.parent_indices[self.index(name)])

    def children(self, name: str) -> tuple[str, ...]:
        return tuple(self.names[i] for i in self.child_indices[self.index(name)])

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Every (parent, child), by child and then parent."""
        return tuple(
            (self.names[parent], self.names[child])
            for child, parents in enumerate(self.parent_indices)
            for parent in parents
        )

    def has_edge(self, source: str, target: str) -> bool:
        return self.index(source) in self.parent_indices[self.index(target)]

    def _reachable(self, start: Iterable[int], step: Sequence[Sequence[int]]) -> set[int]:
        seen: set[int] = set()
        stack = [n for s in start for n in step[s]]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                stack.extend(step[node])
        return seen

    def ancestors(self, name: str) -> frozenset[str]:
        result = self._reachable([self.index(name)], self.parent_indices)
        return frozenset(self.names[i] for i in result)

    def descendants(self, name: str) -> frozenset[str]:
        result = self._reachable([self.index(name)], self.child_indices)
        return frozenset(self.names[i] for i in result)

    def ancestral_indices(self, nodes: Iterable[int]) -> frozenset[int]:
        """The nodes and all their ancestors."""
        nodes = list(nodes)
        return frozenset(nodes) | frozenset(self._reachable(nodes, self.parent_indices))

    def path(self, source: str, target: str) -> tuple[str, ...] | None:
        """A shortest directed path, both ends included; None when there is none."""
        start, goal = self.index(source), self.index(target)
        came_from = {start: start}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            if node == goal:
                steps = [node]
                while steps[-1] != start:
                    steps.append(came_from[steps[-1]])
                return tuple(self.names[i] for i in reversed(steps))
            for child in self.child_indices[node]:
                if child not in came_from:
                    came_from[child] = node
                    queue.append(child)
        return None

    def with_parents(self, name: str, parents: Iterable[str]) -> Dag:
        """This graph with exactly these parents of `name`; CycleError leaves this one as it is."""
        target = self.index(name)
        parents = tuple(parents)
        for parent in parents:
            if parent == name:
                raise GraphError(f"{name} cannot be its own parent.")
            path = self.path(name, parent)
            if path is not None:
                raise CycleError(parent, name, path)
        changed = list(self.parent_indices)
        changed[target] = tuple(self.index(parent) for parent in parents)
        return Dag(self.names, tuple(changed))

    def with_edge(self, source: str, target: str) -> Dag:
        return self.with_parents(target, {*self.parents(target), source})

    def without_edge(self, source: str, target: str) -> Dag:
        if not self.has_edge(source, target):
            raise GraphError(f"There is no edge {source} → {target}.")
        return self.with_parents(target, set(self.parents(target)) - {source})

    def with_reversed(self, source: str, target: str) -> Dag:
        return self.without_edge(source, target).with_edge(target, source)

    @cached_property
    def skeleton(self) -> frozenset[tuple[str, str]]:
        """The edges without directions, each as (earlier node, later node)."""
        return frozenset(
            (self.names[min(parent, child)], self.names[max(parent, child)])
            for child, parents in enumerate(self.parent_indices)
            for parent in parents
        )

    @cached_property
    def v_structures(self) -> frozenset[tuple[str, str, str]]:
        """Every (x, z, y) with x → z ← y, x before y, and no edge between x and y."""
        return frozenset(
            (self.names[x], self.names[z], self.names[y])
            for z, parents in enumerate(self.parent_indices)
            for x, y in combinations(parents, 2)
            if (self.names[x], self.names[y]) not in self.skeleton
        )

    def is_equivalent_to(self, other: Dag) -> bool:
        """Whether both entail the same independencies (Theorem 3.2); over the same nodes."""
        return self.skeleton == other.skeleton and self.v_structures == other.v_structures


def undirected_graph_count(n: int) -> int:
    """The number of undirected graphs on n variables."""
    return 1 << n * (n - 1) // 2


def dag_count(n: int) -> int:
    """The number of directed acyclic graphs on n variables (Robinson 1973)."""
    counts = [1]
    for size in range(1, n + 1):
        counts.append(
            sum(
                (-1) ** (i + 1) * comb(size, i) * 2 ** (i * (size - i)) * counts[size - i]
                for i in range(1, size + 1)
            )
        )
    return counts[n]
