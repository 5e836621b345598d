"""Background knowledge about undirected edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pgmstudio.core.errors import KnowledgeError
from pgmstudio.core.execution.events import Note
from pgmstudio.core.graphs.background_knowledge import Knowledge

Edge = tuple[int, int]  # the smaller index first

TIERS_REFUSED = (
    "Tiers order the directions of edges, and the edges of this language have none. "
    "Remove the tiers, or forbid edges in both directions."
)


@dataclass(frozen=True)
class UndirectedRules:
    """Edges that must, and that may, be present.

    An edge is required if one of its directions is, and forbidden if both are.
    """

    count: int  # of variables
    required: frozenset[Edge] = frozenset()
    forbidden: frozenset[Edge] = frozenset()

    @classmethod
    def of(cls, names: Sequence[str], knowledge: Knowledge | None) -> UndirectedRules:
        """KnowledgeError for tiers, and if the rules cannot hold together."""
        if knowledge is None or knowledge.is_empty:
            return cls(len(names))
        knowledge.check(names)
        if any(knowledge.tiers):
            raise KnowledgeError([TIERS_REFUSED])
        index = {name: i for i, name in enumerate(names)}

        def edges(rules: Iterable[tuple[str, str]]) -> frozenset[Edge]:
            pairs = [sorted((index[a], index[b])) for a, b in rules]
            return frozenset((i, j) for i, j in pairs)

        both = [(a, b) for a, b in knowledge.forbidden if (b, a) in knowledge.forbidden]
        return cls(len(names), edges(knowledge.required), edges(both))

    def allows(self, edge: Edge) -> bool:
        return edge not in self.forbidden

    def may_change(self, edge: Edge) -> bool:
        """Whether the edge may be added and removed."""
        return edge not in self.forbidden and edge not in self.required

    def pairs(self) -> Iterator[Edge]:
        """Every edge that may be added and removed."""
        for i in range(self.count):
            for j in range(i + 1, self.count):
                if self.may_change((i, j)):
                    yield i, j


def direction_note(knowledge: Knowledge | None) -> Iterator[Note]:
    """A note on rules that forbid one direction only, which have no effect."""
    if knowledge is None:
        return
    count = sum((b, a) not in knowledge.forbidden for a, b in knowledge.forbidden)
    if count:
        rules = "1 rule forbids" if count == 1 else f"{count} rules forbid"
        yield Note(
            f"{rules} one direction of an edge, which has no meaning where edges have none. "
            "Forbid both directions to exclude an edge."
        )
