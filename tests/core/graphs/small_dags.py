"""All small DAGs and their equivalence classes, by listing; for tests of anything faster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations, product

from pgmstudio.core.errors import CycleError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag

# Theorem 3.2, straight: skeleton and v-structures.
ClassKey = tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str, str]]]


@cache
def all_dags(count: int) -> tuple[Dag, ...]:
    """Every DAG on that many nodes."""
    names = tuple("ABCDE"[:count])
    pairs = list(combinations(names, 2))
    result = []
    for kinds in product(range(3), repeat=len(pairs)):
        chosen = zip(pairs, kinds, strict=True)
        edges = [(a, b) if kind == 1 else (b, a) for (a, b), kind in chosen if kind]
        try:
            result.append(Dag.from_edges(names, edges))
        except CycleError:
            continue
    return tuple(result)


def key_of(dag: Dag) -> ClassKey:
    return dag.skeleton, dag.v_structures


@cache
def all_classes(count: int) -> dict[ClassKey, tuple[Dag, ...]]:
    """The members of every equivalence class."""
    classes: dict[ClassKey, list[Dag]] = defaultdict(list)
    for dag in all_dags(count):
        classes[key_of(dag)].append(dag)
    return {key: tuple(members) for key, members in classes.items()}


def essential_graph(members: tuple[Dag, ...]) -> Pdag:
    """The CPDAG by its definition: an edge is directed when all members direct it so."""
    common = set.intersection(*(set(dag.edges) for dag in members))
    other = [edge for edge in members[0].edges if edge not in common]
    return Pdag.from_edges(members[0].names, common, other)


def one_edge_more(dag: Dag) -> Iterator[Dag]:
    for source, target in permutations(dag.names, 2):
        if not dag.has_edge(source, target) and not dag.has_edge(target, source):
            try:
                yield dag.with_edge(source, target)
            except CycleError:
                continue


def one_edge_less(dag: Dag) -> Iterator[Dag]:
    for edge in dag.edges:
        yield dag.without_edge(*edge)


def upper_boundary(members: tuple[Dag, ...]) -> set[ClassKey]:
    """The classes with one edge more in any member (Nielsen 2007, eq. 3.11)."""
    return {key_of(more) for dag in members for more in one_edge_more(dag)}


def lower_boundary(members: tuple[Dag, ...]) -> set[ClassKey]:
    return {key_of(less) for dag in members for less in one_edge_less(dag)}


def one_edge_turned(dag: Dag) -> Iterator[Dag]:
    for source, target in dag.edges:
        try:
            yield dag.without_edge(source, target).with_edge(target, source)
        except CycleError:
            continue


def turned_boundary(members: tuple[Dag, ...]) -> set[ClassKey]:
    """The other classes with one edge turned in any member."""
    own = key_of(members[0])
    return {key_of(turned) for dag in members for turned in one_edge_turned(dag)} - {own}
