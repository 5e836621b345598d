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
        result: dict[str, set[str]] = defaultdict(set)
        for edge in self._picture.edges:
            result[edge.target].add(edge.source)
            if not edge.style.has_arrow:
                result[edge.source].add(edge.target)
        return result

    @cached_property
    def children(self) -> Mapping[str, set[str]]:
        result: dict[str, set[str]] = defaultdict(set)
        for edge in self._picture.edges:
            result[edge.source].add(edge.target)
            if not edge.style.has_arrow:
                result[edge.target].add(edge.source)
        return result

    def near(self, node: str) -> frozenset[str]:
        """The node and its direct neighbours."""
        return frozenset({node, *self._picture.neighbours[node]})

    def blanket(self, node: str) -> frozenset[str]:
        """The node, its parents, its children and their other parents."""
        result = set(self.near(node))
        for child in self.children.get(node, ()):
            result |= self.parents[child]
        return frozenset(result)

    def line(self, node: str) -> frozenset[str]:
        """The node with all its ancestors and descendants."""
        return frozenset({node}) | _reach(node, self.parents) | _reach(node, self.children)

    def within(self, starts: Iterable[str], hops: int) -> frozenset[str]:
        """Everything at most so many edges away from the given nodes."""
        result = set(starts)
        rim = set(result)
        for _ in range(hops):
            rim = {o for node in rim for o in self._picture.neighbours[node]} - result
            result |= rim
        return frozenset(result)


def _reach(start: str, step: Mapping[str, set[str]]) -> frozenset[str]:
    result: set[str] = set()
    stack = [start]
    while stack:
        for other in step.get(stack.pop(), ()):
            if other not in result:
                result.add(other)
                stack.append(other)
    return frozenset(result)
