"""The structure of a Markov network: an undirected graph with contexts on its edges.

A context of an edge is a configuration of the common neighbours of its ends in which their direct
dependence vanishes: X_i ⊥ X_j | x_cn(i,j), X_rest (Pensar, Nyman and Corander 2017, Definition 2).
Variables are indices of the domain, states are codes; names are used in texts and messages only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice, product
from typing import TYPE_CHECKING

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError, TooLargeError
from pgmstudio.core.graphs.junction_tree import CliqueTree, clique_tree_of_scopes
from pgmstudio.core.graphs.triangulation import strip
from pgmstudio.core.model import SealedFields

if TYPE_CHECKING:
    import networkx as nx

Edge = tuple[int, int]  # the smaller index first
Configuration = tuple[int, ...]  # states of the common neighbours, which are in ascending order
Contexts = Mapping[Edge, frozenset[Configuration]]

# There can be exponentially many; a table for each of so many is no model for a person.
MAX_CLIQUES = 1 << 16


def edge_of(one: int, other: int) -> Edge:
    """The edge between two variables."""
    return (one, other) if one < other else (other, one)


@dataclass(frozen=True)
class MarkovStructure:
    """An undirected graph over a domain, with the contexts in which edges vanish.

    Contexts are regular: those of an edge never cover all states of its common neighbours, since
    then the edge would have no effect.
    """

    domain: Domain
    edges: frozenset[Edge] = frozenset()
    contexts: Contexts = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        count = len(self.domain)
        edges = frozenset(edge_of(*edge) for edge in self.edges)
        for one, other in edges:
            if one == other:
                raise GraphError(f"{self.domain.names[one]} cannot be joined with itself.")
            if not (0 <= one < count and 0 <= other < count):
                raise GraphError(f"An edge names variable {other}; there are {count}.")
        object.__setattr__(self, "edges", edges)
        contexts = {
            edge_of(*edge): frozenset(tuple(one) for one in elements)
            for edge, elements in sorted(self.contexts.items())
            if elements
        }
        object.__setattr__(self, "contexts", contexts)
        for edge, elements in contexts.items():
            self.check_contexts(edge, elements)

    def check_contexts(self, edge: Edge, elements: frozenset[Configuration]) -> None:
        """GraphError unless the edge may have these contexts."""
        text = self.edge_text(edge)
        if edge not in self.edges:
            raise GraphError(f"There is no edge {text}; a context belongs to an edge.")
        common = self.common_neighbours(*edge)
        names = [self.domain.names[v] for v in common]
        if not common:
            one, other = (self.domain.names[v] for v in edge)
            raise GraphError(
                f"{text} can have no context: {one} and {other} have no common neighbour. "
                "Join both with a third variable first."
            )
        cards = [self.domain.cardinalities[v] for v in common]
        for element in elements:
            if len(element) != len(common) or not all(
                0 <= state < card for state, card in zip(element, cards, strict=True)
            ):
                raise GraphError(
                    f"A context of {text} needs one state of each common neighbour, "
                    f"{', '.join(names)}; {element} is none."
                )
        if len(elements) == self.configuration_count(edge):
            raise GraphError(
                f"The contexts of {text} cover all states of {', '.join(names)}, so the edge has "
                "no effect. Remove the edge instead."
            )

    @classmethod
    def of_names(
        cls,
        domain: Domain,
        edges: Iterable[tuple[str, str]],
        contexts: Mapping[tuple[str, str], Iterable[Mapping[str, str]]] | None = None,
    ) -> MarkovStructure:
        """A structure by names: edges, and contexts as states of the common neighbours.

        A common neighbour that a context leaves out may be in any state.
        """
        plain = cls(domain, frozenset(edge_of(*map(domain.index, edge)) for edge in edges))
        elements: dict[Edge, set[Configuration]] = {}
        for names, given in (contexts or {}).items():
            edge = edge_of(*map(domain.index, names))
            for context in given:
                elements.setdefault(edge, set()).update(plain.completions(edge, context))
        return cls(domain, plain.edges, {edge: frozenset(all_) for edge, all_ in elements.items()})

    def completions(self, edge: Edge, context: Mapping[str, str]) -> Iterator[Configuration]:
        """The configurations of the common neighbours of an edge that agree with named states."""
        common = self.common_neighbours(*edge)
        fixed = {self.domain.index(n): self.domain[n].code(s) for n, s in context.items()}
        for variable in fixed:
            if variable not in common:
                raise GraphError(
                    f"{self.domain.names[variable]} is no common neighbour of the ends of "
                    f"{self.edge_text(edge)}, so no context can name it."
                )
        return self._completions(common, fixed)

    def _completions(
        self, variables: Iterable[int], fixed: Mapping[int, int]
    ) -> Iterator[Configuration]:
        cards = self.domain.cardinalities
        return product(*([fixed[v]] if v in fixed else range(cards[v]) for v in variables))

    def edge_text(self, edge: Edge) -> str:
        """The edge by the names of its ends: `Rain – Road`."""
        return " – ".join(self.domain.names[v] for v in edge)

    # -- the graph

    @cached_property
    def neighbours(self) -> tuple[frozenset[int], ...]:
        """The Markov blanket of every variable."""
        near: list[set[int]] = [set() for _ in self.domain]
        for one, other in self.edges:
            near[one].add(other)
            near[other].add(one)
        return tuple(map(frozenset, near))

    def common_neighbours(self, one: int, other: int) -> tuple[int, ...]:
        """cn(i,j): the variables adjacent to both, in ascending order."""
        return tuple(sorted(self.neighbours[one] & self.neighbours[other]))

    def configuration_count(self, edge: Edge) -> int:
        """How many joint states the common neighbours of an edge have."""
        count = 1
        for variable in self.common_neighbours(*edge):
            count *= self.domain.cardinalities[variable]
        return count

    def is_complete(self, variables: Iterable[int]) -> bool:
        """Whether every two of the variables are adjacent."""
        return all(b in self.neighbours[a] for a, b in combinations(variables, 2))

    @cached_property
    def is_chordal(self) -> bool:
        """Whether every cycle of four or more variables has a chord."""
        return len(strip([set(near) for near in self.neighbours]).order) == len(self.domain)

    @cached_property
    def chordless_cycle(self) -> tuple[int, ...] | None:
        """A cycle of at least four variables without a chord; None in a chordal graph."""
        if self.is_chordal:
            return None
        for node, near in enumerate(self.neighbours):
            for start, end in combinations(sorted(near), 2):
                if end not in self.neighbours[start]:
                    around = (near | {node}) - {start, end}
                    if way := shortest_path(self.neighbours, start, end, around):
                        return (node, *way)
        raise AssertionError("a graph that is not chordal has a chordless cycle")

    @cached_property
    def graph(self) -> nx.Graph:
        """The graph as networkx has it; nodes are indices."""
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from(range(len(self.domain)))
        graph.add_edges_from(sorted(self.edges))
        return graph

    @cached_property
    def maximal_cliques(self) -> tuple[tuple[int, ...], ...]:
        """Every largest complete set of variables, in ascending order."""
        import networkx as nx

        cliques = [tuple(sorted(c)) for c in islice(nx.find_cliques(self.graph), MAX_CLIQUES + 1)]
        if len(cliques) > MAX_CLIQUES:
            raise TooLargeError(
                f"The graph has more than {MAX_CLIQUES} maximal cliques. Remove edges."
            )
        return tuple(sorted(cliques))

    @cached_property
    def junction_tree(self) -> CliqueTree:
        """The cliques in a tree; of a triangulated graph where this one is not chordal."""
        return clique_tree_of_scopes(self.maximal_cliques, self.domain.cardinalities)

    @property
    def separators(self) -> tuple[tuple[int, ...], ...]:
        """What neighbours in the junction tree share, once for every edge of it."""
        tree = self.junction_tree
        return tuple(
            separator
            for separator, parent in zip(tree.separators, tree.parents, strict=True)
            if parent is not None and separator
        )

    # -- contexts

    @property
    def element_count(self) -> int:
        """How many contexts all edges have together."""
        return sum(map(len, self.contexts.values()))

    def vanished_edges(self, context: Mapping[int, int]) -> frozenset[Edge]:
        """The edges whose contexts hold for all completions of the given states."""
        return frozenset(
            edge
            for edge, elements in self.contexts.items()
            if elements.issuperset(self._completions(self.common_neighbours(*edge), context))
        )

    def context_neighbours(self, context: Mapping[int, int]) -> tuple[frozenset[int], ...]:
        """The neighbours of every variable in the graph of a context."""
        return MarkovStructure(self.domain, self.edges - self.vanished_edges(context)).neighbours

    # -- edits; independences of other edges are kept where they can still be stated

    def with_edge(self, one: int, other: int) -> MarkovStructure:
        """One more edge; contexts of edges that gain a common neighbour hold in all its states."""
        edge = edge_of(one, other)
        if edge in self.edges:
            raise GraphError(f"{self.edge_text(edge)} is an edge already.")
        return self._with_edges(self.edges | {edge})

    def without_edge(self, one: int, other: int) -> MarkovStructure:
        """One edge less; a context of an edge that loses a common neighbour stays if it held in
        all states of it."""
        edge = edge_of(one, other)
        if edge not in self.edges:
            raise GraphError(f"There is no edge {self.edge_text(edge)}.")
        return self._with_edges(self.edges - {edge})

    def induced(self, variables: Iterable[int]) -> MarkovStructure:
        """The structure of some of the variables alone, with the edges between them; a context
        stays if it held in all states of the common neighbours that are left out."""
        inside = sorted(variables)
        position = {v: n for n, v in enumerate(inside)}
        between = self._with_edges(frozenset(e for e in self.edges if position.keys() >= set(e)))
        return MarkovStructure(
            Domain(tuple(self.domain.variables[v] for v in inside)),
            frozenset((position[i], position[j]) for i, j in between.edges),
            {(position[i], position[j]): each for (i, j), each in between.contexts.items()},
        )

    def _with_edges(self, edges: frozenset[Edge]) -> MarkovStructure:
        plain = MarkovStructure(self.domain, edges)
        contexts = {}
        for edge, elements in self.contexts.items():
            if edge not in edges:
                continue
            before, after = self.common_neighbours(*edge), plain.common_neighbours(*edge)
            kept = set()
            for element in plain._completions(after, {}):
                states = dict(zip(after, element, strict=True))
                shared = {v: s for v, s in states.items() if v in before}
                if elements.issuperset(self._completions(before, shared)):
                    kept.add(element)
            if kept and after:
                contexts[edge] = frozenset(kept)
        return MarkovStructure(self.domain, edges, contexts)

    def with_context(self, edge: Edge, element: Configuration) -> MarkovStructure:
        """The edge vanishes in one more context."""
        edge = edge_of(*edge)
        elements = self.contexts.get(edge, frozenset()) | {tuple(element)}
        return MarkovStructure(self.domain, self.edges, {**self.contexts, edge: elements})

    def without_context(self, edge: Edge, element: Configuration) -> MarkovStructure:
        """The edge vanishes in one context less."""
        edge = edge_of(*edge)
        elements = self.contexts.get(edge, frozenset()) - {tuple(element)}
        return MarkovStructure(self.domain, self.edges, {**self.contexts, edge: elements})

    def without_contexts(self) -> MarkovStructure:
        """The graph alone."""
        return MarkovStructure(self.domain, self.edges)


class GraphModel(SealedFields):
    """A model over such a graph, and what the graph alone answers about it."""

    structure: MarkovStructure

    @property
    def domain(self) -> Domain:
        return self.structure.domain

    @property
    def undirected_edges(self) -> tuple[tuple[str, str], ...]:
        names = self.domain.names
        return tuple((names[i], names[j]) for i, j in sorted(self.structure.edges))

    def effective_size(self) -> int:
        """Σ over cliques of Π|R(X)|, for the junction tree of the triangulated graph."""
        return self.clique_tree.table_cells

    @property
    def clique_tree(self) -> CliqueTree:
        """The junction tree of the graph, triangulated where it is not chordal."""
        return self.structure.junction_tree

    def edge_between(self, source: str, target: str) -> Edge:
        """The edge by the names of its ends; GraphError if they are the same."""
        if source == target:
            raise GraphError(f"An edge joins two variables; both are {source}.")
        return edge_of(self.domain.index(source), self.domain.index(target))


def shortest_path(
    neighbours: tuple[frozenset[int], ...], start: int, end: int, blocked: Iterable[int] = ()
) -> tuple[int, ...] | None:
    """The variables of a shortest path that meets none of the blocked ones; None without one."""
    came_from: dict[int, int | None] = {start: None}
    closed = set(blocked) - {start, end}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        if node == end:
            way = [node]
            while (before := came_from[way[-1]]) is not None:
                way.append(before)
            return tuple(reversed(way))
        for near in sorted(neighbours[node]):
            if near not in came_from and near not in closed:
                came_from[near] = node
                waiting.append(near)
    return None
