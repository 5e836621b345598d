"""The neighbours of an equivalence class: one edge more or one edge less in one of its members.

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
"""

from __future__ import annotations

from collections.abc import Iterator

from pgmstudio.core.graphs.cpdag import Pdag, bits_of, completed


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


def with_joined(cpdag: Pdag, joining: int, node: int, clique: int) -> Pdag:
    """The class after `joining` → `node` is added where the parents of `node` are Pa ∪ clique."""
    parents, adjacent = list(cpdag.parent_masks), list(cpdag.adjacent_masks)
    adjacent[node] |= 1 << joining
    adjacent[joining] |= 1 << node
    parents[node] |= clique | 1 << joining
    return completed(cpdag.names, parents, adjacent)


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
