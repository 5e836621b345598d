"""d-separation: which variables become irrelevant once others are known (Nielsen 2007, §3.2.1)."""

from __future__ import annotations

from collections.abc import Iterable

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.moral import families_of, joined_graph


def dsep_set(dag: Dag, sources: Iterable[int], given: Iterable[int]) -> frozenset[int]:
    """Every node d-separated from all `sources` given `given` (Algorithms 3.1 and 3.2).

    A breadth-first search over legal pairs of edges; since legality depends only on the node in
    the middle and on how it was entered, it runs over (node, entered through a child or not).
    """
    start, known = set(sources), set(given)
    opens = dag.ancestral_indices(known)  # known, or with a known descendant
    seen: set[tuple[int, bool]] = set()
    stack = [(node, True) for node in start]  # as if each had been entered from a child
    while stack:
        node, from_child = stack.pop()
        if (node, from_child) in seen:
            continue
        seen.add((node, from_child))
        is_start = node in start
        if from_child and (node not in known or is_start):
            stack += [(parent, True) for parent in dag.parent_indices[node]]
        if not from_child and node in opens:  # head-to-head
            stack += [(parent, True) for parent in dag.parent_indices[node]]
        if node not in known or is_start:
            stack += [(child, False) for child in dag.child_indices[node]]
    reached = {node for node, _ in seen}
    return frozenset(range(len(dag.names))) - reached - start - known


def separated_in_moral_graph(
    dag: Dag, sources: Iterable[int], targets: Iterable[int], given: Iterable[int]
) -> bool:
    """Whether `given` separates the two in the moral graph of their ancestors (Theorem 3.1)."""
    sources, targets, known = set(sources), set(targets), set(given)
    kept = dag.ancestral_indices(sources | targets | known)
    families = families_of(dag.parent_indices)
    neighbours = joined_graph((families[node] for node in kept), len(dag.names))
    stack, seen = list(sources - known), set(sources - known)
    while stack:
        for node in neighbours[stack.pop()] - seen - known:
            seen.add(node)
            stack.append(node)
    return not seen & (targets - known)
