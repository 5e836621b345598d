"""Moving about in an equivalence class, listing it, and how far two graphs are apart."""

from __future__ import annotations

from collections.abc import Iterator

from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.cpdag import Pdag, bits_of, oriented
from pgmstudio.core.graphs.dag import Dag


def is_covered(dag: Dag, source: str, target: str) -> bool:
    """Whether the parents of `target` are `source` and the parents of `source`."""
    parents = dag.parent_indices[dag.index(source)]
    return {*parents, dag.index(source)} == {*dag.parent_indices[dag.index(target)]}


def covered_edges(dag: Dag) -> tuple[tuple[str, str], ...]:
    """The edges whose reversal stays in the class (Nielsen 2007, Lemma 3.3)."""
    return tuple(edge for edge in dag.edges if is_covered(dag, *edge))


def with_covered_reversed(dag: Dag, source: str, target: str) -> Dag:
    """The equivalent DAG with target → source; GraphError when that would leave the class."""
    if not dag.has_edge(source, target) or not is_covered(dag, source, target):
        raise GraphError(
            f"{source} → {target} cannot be reversed without changing what the graph says: "
            "the two do not have the same other parents."
        )
    return dag.with_reversed(source, target)


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
