"""Moral graphs: the undirected graph in which every family of a DAG is complete (Lemma 3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def families_of(parents: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Every variable with its parents, sorted: the scopes of the tables of a Bayesian network."""
    return tuple(tuple(sorted({child, *of})) for child, of in enumerate(parents))


def joined_graph(scopes: Iterable[Iterable[int]], node_count: int) -> list[set[int]]:
    """The neighbours of every node in the smallest graph where every scope is complete."""
    neighbours: list[set[int]] = [set() for _ in range(node_count)]
    for scope in scopes:
        together = set(scope)
        for node in together:
            neighbours[node] |= together
    for node, near in enumerate(neighbours):
        near.discard(node)
    return neighbours


def moral_graph(parents: Sequence[Sequence[int]]) -> list[set[int]]:
    """Neighbours per node after marrying the parents of every child and dropping directions."""
    return joined_graph(families_of(parents), len(parents))


def moral_edges(parents: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """The edges that only marrying adds, each as (smaller, larger)."""
    present = {(min(p, c), max(p, c)) for c, of in enumerate(parents) for p in of}
    return tuple(
        (a, b)
        for a, near in enumerate(moral_graph(parents))
        for b in sorted(near)
        if a < b and (a, b) not in present
    )
