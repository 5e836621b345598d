"""Partially directed graphs, and the one that stands for a whole equivalence class.

Two DAGs entail the same independencies exactly when they have the same skeleton and the same
v-structures (Verma and Pearl 1990; Nielsen 2007, Theorem 3.2). The *pattern* of a class directs the
edges of its v-structures, the *CPDAG* every edge that has one direction in all its members
(compelled edges); the others are reversible and stay without direction.

Sets of nodes are the bits of whole numbers: node i is in `mask` when `mask >> i & 1`.

The neighbours of an equivalence class: one edge more, less or turned in one of its members.

In the members of a class a variable Y has the parents Pa ∪ C, where Pa are its parents in the CPDAG
and C is any clique of its neighbours. So a move is a pair (Y, C), a *choice of parents*, and a
variable X that joins or leaves them. Chickering's operators (2002) are those moves with a name:
Insert(X, Y, T) with C = NA ∪ T and Delete(X, Y, H) with C = NA \\ H, together with X where the
edge X – Y has no direction; NA are the neighbours of Y adjacent to X.

- X may leave whenever it is in Pa ∪ C.
- X, not adjacent to Y, may join when NA ⊆ C and C cuts every semi-directed path from Y to X.

Two moves lead to the same class only when they are on the same pair and either both remove its
undirected edge with the same H, or both add the edge without a new v-structure. The new class
follows from its skeleton and v-structures; no directed graph is needed on the way.

An edge X → Y of a member that is turned makes Y a parent of X (Hauser and Bühlmann 2012,
Propositions 31 and 34). With X's parents Pa ∪ C, the other end of the turn is determined:

- X → Y in the CPDAG: none of Y's neighbours is its parent, since each has X as a parent too. C and
  those neighbours have to cut every other semi-directed path from X to Y.
- X – Y in the CPDAG: Y has the parents C ∩ N and X, where N are their common neighbours. C ∩ N has
  to part the rest of C from the rest of N among the neighbours of X, and C may not be within N: the
  edge would be covered, and the class the same.

Moving about in an equivalence class, listing it, and how far two graphs are apart.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.dag import Dag

if TYPE_CHECKING:
    import networkx as nx

Edge = tuple[str, str]


def bits_of(mask: int) -> Iterator[int]:
    """The nodes of a set, in order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(frozen=True)
class Pdag:
    """Per node its parents, and its neighbours: the other ends of its edges without direction."""

    names: tuple[str, ...]
    parent_masks: tuple[int, ...]
    neighbour_masks: tuple[int, ...]

    @classmethod
    def of_dag(cls, dag: Dag) -> Pdag:
        return cls(dag.names, _parent_masks(dag), (0,) * len(dag.names))

    @classmethod
    def from_edges(
        cls, names: Iterable[str], directed: Iterable[Edge], undirected: Iterable[Edge] = ()
    ) -> Pdag:
        names = tuple(names)
        index = {name: i for i, name in enumerate(names)}
        parents, neighbours = [0] * len(names), [0] * len(names)
        for source, target in directed:
            parents[index[target]] |= 1 << index[source]
        for one, other in undirected:
            neighbours[index[one]] |= 1 << index[other]
            neighbours[index[other]] |= 1 << index[one]
        return cls(names, tuple(parents), tuple(neighbours))

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph) -> Pdag:
        """The nodes and edges of a networkx graph; edges in both directions have none."""
        edges = [(str(source), str(target)) for source, target in graph.edges]
        both = set(edges)
        directed = [edge for edge in edges if edge[::-1] not in both]
        undirected = [edge for edge in edges if edge[::-1] in both]
        return cls.from_edges(map(str, graph.nodes), directed, undirected)

    def to_networkx(self) -> nx.DiGraph:
        """The same graph of networkx, with an edge in both directions where it has none."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.directed)
        graph.add_edges_from(edge for pair in self.undirected for edge in (pair, pair[::-1]))
        return graph

    @cached_property
    def child_masks(self) -> tuple[int, ...]:
        return tuple(children_of(self.parent_masks))

    @cached_property
    def adjacent_masks(self) -> tuple[int, ...]:
        """Per node everything an edge joins it to."""
        joined = zip(self.parent_masks, self.child_masks, self.neighbour_masks, strict=True)
        return tuple(parents | children | near for parents, children, near in joined)

    @cached_property
    def directed(self) -> tuple[Edge, ...]:
        """Every (parent, child), by child and then parent."""
        return tuple(
            (self.names[parent], self.names[child])
            for child, parents in enumerate(self.parent_masks)
            for parent in bits_of(parents)
        )

    @cached_property
    def undirected(self) -> tuple[Edge, ...]:
        """Every edge without direction, once, as (earlier node, later node)."""
        return tuple(
            (self.names[one], self.names[other])
            for one, near in enumerate(self.neighbour_masks)
            for other in bits_of(near >> one << one)
        )

    @property
    def edge_count(self) -> int:
        return len(self.directed) + len(self.undirected)


def _parent_masks(dag: Dag) -> tuple[int, ...]:
    return tuple(sum(1 << parent for parent in parents) for parents in dag.parent_indices)


def children_of(parents: Sequence[int]) -> list[int]:
    """The children of every node, from the parents of every node."""
    children = [0] * len(parents)
    for child, mask in enumerate(parents):
        for parent in bits_of(mask):
            children[parent] |= 1 << child
    return children


def unmarried(parents: Sequence[int], adjacent: Sequence[int]) -> list[int]:
    """Per node the parents that are not adjacent to another parent of it: its v-structures."""
    return [
        # One parent alone, or none, has no other; that is most nodes.
        sum(1 << one for one in bits_of(mask) if mask & ~adjacent[one] & ~(1 << one))
        if mask & (mask - 1)
        else 0
        for mask in parents
    ]


def pattern_of(dag: Dag) -> Pdag:
    """The skeleton with the edges of v-structures directed (Nielsen 2007, Algorithm 3.3)."""
    whole = Pdag.of_dag(dag)
    parents = unmarried(whole.parent_masks, whole.adjacent_masks)
    return _with_parents(dag.names, parents, children_of(parents), whole.adjacent_masks)


def cpdag_of(dag: Dag) -> Pdag:
    """The CPDAG of a DAG's class: equal for two DAGs exactly when they are equivalent."""
    whole = Pdag.of_dag(dag)
    return completed(dag.names, whole.parent_masks, whole.adjacent_masks)


def completed(names: tuple[str, ...], some_parents: Sequence[int], adjacent: Sequence[int]) -> Pdag:
    """The CPDAG of a skeleton and v-structures.

    The v-structures are those pairs in `some_parents` of a node that are not adjacent; every
    v-structure of the class has to be among them, further parents do no harm.
    """
    parents = unmarried(some_parents, adjacent)
    children = children_of(parents)
    _close(parents, children, adjacent)
    return _with_parents(names, parents, children, adjacent)


def oriented(pdag: Pdag, edges: Iterable[tuple[int, int]]) -> Pdag | None:
    """What a CPDAG becomes when some (parent, child) are known; None when no member has them all.

    Every edge that has one direction in all members with these edges is directed (Meek 1995,
    Theorem 4). `pdag` may be the answer of an earlier call.
    """
    parents, children = list(pdag.parent_masks), list(pdag.child_masks)
    for source, target in edges:
        if not pdag.adjacent_masks[target] >> source & 1 or parents[source] >> target & 1:
            return None
        if not parents[target] >> source & 1:
            # Closed after each: then either direction of an undirected edge occurs in a member.
            parents[target] |= 1 << source
            children[source] |= 1 << target
            _close(parents, children, pdag.adjacent_masks)
    return _with_parents(pdag.names, parents, children, pdag.adjacent_masks)


def _with_parents(
    names: tuple[str, ...],
    parents: Sequence[int],
    children: Sequence[int],
    adjacent: Sequence[int],
) -> Pdag:
    joined = zip(adjacent, parents, children, strict=True)
    graph = Pdag(names, tuple(parents), tuple(near & ~up & ~down for near, up, down in joined))
    # Known already; a search makes thousands of these graphs.
    vars(graph).update(child_masks=tuple(children), adjacent_masks=tuple(adjacent))
    return graph


@dataclass(frozen=True, slots=True)
class RuleStep:
    """source → target directed by one of Meek's rules, 1 to 4; `others` are its other nodes."""

    source: int
    target: int
    rule: int
    others: tuple[int, ...]


def rule_steps(some_parents: Sequence[int], adjacent: Sequence[int]) -> list[RuleStep]:
    """What Meek's rules direct one after the other where some directions are known."""
    parents = list(some_parents)
    steps: list[RuleStep] = []
    _close(parents, children_of(parents), adjacent, steps)
    return steps


def _close(
    parents: list[int],
    children: list[int],
    adjacent: Sequence[int],
    steps: list[RuleStep] | None = None,
) -> None:
    """Direct in place all that Meek's rules R1 to R4 do (Meek 1995), and list it in `steps`.

    R4 can only apply after edges were directed by knowledge.
    """
    free = [near & ~parents[i] & ~children[i] for i, near in enumerate(adjacent)]
    waiting = {node for node, near in enumerate(free) if near}
    while waiting:
        target = waiting.pop()
        for source in bits_of(free[target]):
            result = _compelling_rule(source, target, parents, children, free, adjacent)
            if result is not None:
                if steps is not None:
                    steps.append(RuleStep(source, target, result[0], result[1:]))
                parents[target] |= 1 << source
                children[source] |= 1 << target
                free[target] &= ~(1 << source)
                free[source] &= ~(1 << target)
                # Whatever a rule may conclude from source → target ends next to one of the two.
                waiting.update(bits_of(adjacent[target] | adjacent[source]))


def _compelling_rule(
    source: int,
    target: int,
    parents: Sequence[int],
    children: Sequence[int],
    free: Sequence[int],
    adjacent: Sequence[int],
) -> tuple[int, ...] | None:
    """The rule that directs the free edge source – target towards target, and its other nodes."""
    outside = parents[source] & ~adjacent[target]
    if outside:  # R1: a → source, else a new v-structure
        return 1, next(bits_of(outside))
    between = children[source] & parents[target]
    if between:  # R2: source → b → target, else a cycle
        return 2, next(bits_of(between))
    above = parents[target] & adjacent[source]
    near = above & free[source]
    if near:  # R3: source – b → target ← c – source
        for b in bits_of(near):
            apart = near & ~adjacent[b] & ~(1 << b)
            if apart:
                return 3, b, next(bits_of(apart))
    # R4: source – a → b → target, with source and b adjacent and a and target not.
    apart = free[source] & ~adjacent[target]
    if apart:
        for b in bits_of(above):
            if parents[b] & apart:
                return 4, next(bits_of(parents[b] & apart)), b
    return None


def extension_of(pdag: Pdag) -> Dag | None:
    """A DAG with these edges, directed ones as they are, and no further v-structure.

    None when there is none (Dor and Tarsi 1992). Of the nodes that may come last in an order the
    last column does, so that free edges tend to lead from earlier to later columns.
    """
    parents = list(pdag.parent_masks)
    left = (1 << len(parents)) - 1
    waiting = [-node for node in range(len(parents))]
    heapq.heapify(waiting)
    queued = left
    while waiting:
        node = -heapq.heappop(waiting)
        queued &= ~(1 << node)
        if not left >> node & 1 or not _can_come_last(pdag, node, left):
            continue
        left &= ~(1 << node)
        parents[node] |= pdag.neighbour_masks[node] & left
        for other in bits_of(pdag.adjacent_masks[node] & left & ~queued):
            heapq.heappush(waiting, -other)
            queued |= 1 << other
    if left:
        return None
    return Dag(pdag.names, tuple(tuple(bits_of(mask)) for mask in parents))


def _can_come_last(pdag: Pdag, node: int, left: int) -> bool:
    if pdag.child_masks[node] & left:
        return False
    around = pdag.adjacent_masks[node] & left
    return not any(
        around & ~pdag.adjacent_masks[near] & ~(1 << near)
        for near in bits_of(pdag.neighbour_masks[node] & left)
    )


def member_of(cpdag: Pdag) -> Dag:
    """One DAG of a class; GraphError when the graph stands for none."""
    dag = extension_of(cpdag)
    if dag is None:
        raise GraphError("No directed graph has these edges and only these v-structures.")
    return dag


def parent_choices(cpdag: Pdag, node: int) -> Iterator[int]:
    """The cliques of a node's neighbours, the empty one first and smaller before larger."""
    adjacent = cpdag.adjacent_masks
    # Per clique the neighbours that may still join: adjacent to all of it and after its last.
    level = [(0, cpdag.neighbour_masks[node])]
    while level:
        larger = []
        for clique, joining in level:
            yield clique
            for near in bits_of(joining):
                after = joining >> (near + 1) << (near + 1)
                larger.append((clique | 1 << near, after & adjacent[near]))
        level = larger


def with_joined(cpdag: Pdag, joining: int, node: int, clique: int) -> Pdag:
    """The class after `joining` → `node` is added where the parents of `node` are Pa ∪ clique."""
    parents, adjacent = list(cpdag.parent_masks), list(cpdag.adjacent_masks)
    adjacent[node] |= 1 << joining
    adjacent[joining] |= 1 << node
    parents[node] |= clique | 1 << joining
    return completed(cpdag.names, parents, adjacent)


def with_turned(cpdag: Pdag, node: int, other: int, clique: int) -> Pdag:
    """The class after `node` → `other` is turned where the parents of `node` are Pa ∪ clique."""
    parents = list(cpdag.parent_masks)
    parents[other] &= ~(1 << node)
    parents[node] |= clique | 1 << other
    return completed(cpdag.names, parents, cpdag.adjacent_masks)


def with_left(cpdag: Pdag, leaving: int, node: int, clique: int) -> Pdag:
    """The class after `leaving` → `node` is removed where the parents of `node` are Pa ∪ clique."""
    parents, adjacent = list(cpdag.parent_masks), list(cpdag.adjacent_masks)
    common = adjacent[leaving] & adjacent[node]
    adjacent[node] &= ~(1 << leaving)
    adjacent[leaving] &= ~(1 << node)
    parents[node] = (parents[node] | clique) & ~(1 << leaving)
    # Common children become v-structures: those of all members, and the neighbours left out of C.
    for child in bits_of(
        common & (cpdag.child_masks[node] | cpdag.neighbour_masks[node] & ~clique)
    ):
        parents[child] |= 1 << leaving | 1 << node
    return completed(cpdag.names, parents, adjacent)


def is_covered(dag: Dag, source: str, target: str) -> bool:
    """Whether the parents of `target` are `source` and the parents of `source`."""
    parents = dag.parent_indices[dag.index(source)]
    return {*parents, dag.index(source)} == {*dag.parent_indices[dag.index(target)]}


def members_of(cpdag: Pdag) -> Iterator[Dag]:
    """Every DAG of the class once; take as many as wanted, each comes without dead ends.

    `cpdag` may have further edges directed by `oriented`; then the members that have them.
    """
    one = next((i for i, near in enumerate(cpdag.neighbour_masks) if near), None)
    if one is None:
        yield Dag(cpdag.names, tuple(tuple(bits_of(mask)) for mask in cpdag.parent_masks))
        return
    other = next(bits_of(cpdag.neighbour_masks[one]))
    for edge in ((one, other), (other, one)):
        narrower = oriented(cpdag, [edge])
        if narrower is not None:
            yield from members_of(narrower)


def hamming_distance(one: Pdag | Dag, other: Pdag | Dag) -> int:
    """How many pairs of nodes are joined differently: not at all, →, ← or without direction."""
    marks, others = edge_marks(one), edge_marks(other)
    return sum(marks.get(pair) != others.get(pair) for pair in marks.keys() | others.keys())


def edge_marks(graph: Pdag | Dag) -> dict[frozenset[str], str]:
    """Per joined pair the node its edge points at, or nothing where it has no direction."""
    pdag = Pdag.of_dag(graph) if isinstance(graph, Dag) else graph
    marks = {frozenset(edge): edge[1] for edge in pdag.directed}
    return marks | {frozenset(edge): "" for edge in pdag.undirected}
