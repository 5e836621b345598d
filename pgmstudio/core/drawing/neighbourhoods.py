"""Who belongs to a node in a picture: neighbours, Markov blanket, ancestors and descendants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from pgmstudio.core.drawing.diagram import GraphPicture


class Neighbourhoods:
    """Read from the arrows of a picture; edges without arrows count in both directions."""

    def __init__(self, picture: GraphPicture) -> None:
        self._picture = picture

    @cached_property
    def parents(self) -> Mapping[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for edge in self._picture.edges:
            found[edge.target].add(edge.source)
            if not edge.style.has_arrow:
                found[edge.source].add(edge.target)
        return found

    @cached_property
    def children(self) -> Mapping[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for edge in self._picture.edges:
            found[edge.source].add(edge.target)
            if not edge.style.has_arrow:
                found[edge.target].add(edge.source)
        return found

    def near(self, node: str) -> frozenset[str]:
        """The node and its direct neighbours."""
        return frozenset({node, *self._picture.neighbours[node]})

    def blanket(self, node: str) -> frozenset[str]:
        """The node, its parents, its children and their other parents."""
        found = set(self.near(node))
        for child in self.children.get(node, ()):
            found |= self.parents[child]
        return frozenset(found)

    def line(self, node: str) -> frozenset[str]:
        """The node with all its ancestors and descendants."""
        return frozenset({node}) | _reach(node, self.parents) | _reach(node, self.children)

    def within(self, starts: Iterable[str], hops: int) -> frozenset[str]:
        """Everything at most so many edges away from the given nodes."""
        found = set(starts)
        rim = set(found)
        for _ in range(hops):
            rim = {o for node in rim for o in self._picture.neighbours[node]} - found
            found |= rim
        return frozenset(found)


def _reach(start: str, step: Mapping[str, set[str]]) -> frozenset[str]:
    found: set[str] = set()
    stack = [start]
    while stack:
        for other in step.get(stack.pop(), ()):
            if other not in found:
                found.add(other)
                stack.append(other)
    return frozenset(found)
