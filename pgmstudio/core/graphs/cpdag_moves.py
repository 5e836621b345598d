"""The neighbours of an equivalence class: one edge more, less or turned in one of its members.

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
