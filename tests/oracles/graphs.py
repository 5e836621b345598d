"""Statements about graphs that the program's algorithms are compared with."""

from __future__ import annotations

from collections.abc import Iterable

from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag, bits_of, is_covered
from pgmstudio.core.graphs.triangulation import families_of, joined_graph


def separated_in_moral_graph(
    dag: Dag, sources: Iterable[int], targets: Iterable[int], given: Iterable[int]
) -> bool:
    """Whether `given` separates the two in the moral graph of their ancestors (Theorem 3.1)."""
    sources, targets, known = set(sources), set(targets), set(given)
    ancestral = dag.ancestral_indices(sources | targets | known)
    families = families_of(dag.parent_indices)
    neighbours = joined_graph((families[node] for node in ancestral), len(dag.names))
    stack, seen = list(sources - known), set(sources - known)
    while stack:
        for node in neighbours[stack.pop()] - seen - known:
            seen.add(node)
            stack.append(node)
    return not seen & (targets - known)


def reachable(cpdag: Pdag, start: int, avoided: int) -> int:
    """The nodes at the end of semi-directed paths from `start` that enter none of `avoided`."""
    seen = waiting = 1 << start
    while waiting:
        low = waiting & -waiting
        node = low.bit_length() - 1
        onward = cpdag.child_masks[node] | cpdag.neighbour_masks[node]
        onward &= ~seen & ~avoided
        seen |= onward
        waiting = (waiting ^ low) | onward
    return seen


def can_join(cpdag: Pdag, joining: int, node: int, clique: int) -> bool:
    """Whether some member of the class, with these parents of `node`, can have one more."""
    near = cpdag.neighbour_masks[node] & cpdag.adjacent_masks[joining]
    return (
        joining != node
        and not cpdag.adjacent_masks[node] >> joining & 1
        and not near & ~clique
        and not reachable(cpdag, node, clique) >> joining & 1
    )


def turning_parents(cpdag: Pdag, node: int, other: int, clique: int) -> int | None:
    """The clique of neighbours that are parents of `other` when `node` → `other` can be turned.

    The parents of `node` are Pa ∪ clique. None when no member has such an edge that can be turned
    without a cycle, or the class would stay.
    """
    here, there = 1 << node, 1 << other
    if clique & there:
        return None
    near = cpdag.neighbour_masks
    if cpdag.parent_masks[other] & here:
        others = cpdag.parent_masks[other] & ~here
        return None if reachable(cpdag, node, clique | near[other] | there) & others else 0
    if not near[other] & here:
        return None
    common = near[node] & near[other]
    apart, shared = clique & ~common, clique & common
    outside = ~near[node] | shared
    cut = any(reachable(cpdag, start, outside) & apart for start in bits_of(common & ~clique))
    return None if cut or not apart else shared | here


def covered_edges(dag: Dag) -> tuple[tuple[str, str], ...]:
    """The edges whose reversal stays in the class (Nielsen 2007, Lemma 3.3)."""
    return tuple(edge for edge in dag.edges if is_covered(dag, *edge))


def with_covered_reversed(dag: Dag, source: str, target: str) -> Dag:
    """The equivalent DAG with target → source; GraphError when that would leave the class."""
    if not dag.has_edge(source, target) or not is_covered(dag, source, target):
        raise GraphError(
            f"{source} → {target} cannot be reversed without changing the equivalence class: "
            "the two do not have the same other parents."
        )
    return dag.with_reversed(source, target)
