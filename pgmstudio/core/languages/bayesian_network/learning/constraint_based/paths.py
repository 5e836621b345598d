"""The necessary path condition (Steck 2001): which separations can hold together.

If a ⊥ b | Z and no smaller set separates them, every z in Z must be on a way from a to b: there is
a path from a to z that avoids b, and one from b to z that avoids a. Otherwise nothing explains why
z was needed. So whether an edge may be missing depends on edges that must be there, and the other
way round. An edge is

- certain when no separation of its ends can have its paths, whatever the rest turns out to be,
- absent when one has its paths along certain edges,
- ambiguous otherwise; ambiguous edges that depend on each other form a region.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pgmstudio.core.graphs.pdag import bits_of
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    Pair,
    pairs_of,
    part,
)


@dataclass(frozen=True)
class Separations:
    """Per pair the sets, as bits, that separate it and have no smaller one in them."""

    joinable: tuple[int, ...]
    sets: Mapping[Pair, Sequence[int]]


@dataclass(frozen=True)
class Decision:
    """Which edges there are for certain, and which may be; as bits of the columns they join."""

    certain: tuple[int, ...]
    possible: tuple[int, ...]

    @property
    def ambiguous(self) -> tuple[Pair, ...]:
        open_ = [may & ~sure for may, sure in zip(self.possible, self.certain, strict=True)]
        return tuple(pairs_of(open_))


class Paths:
    """Columns that paths of a graph reach while they avoid one column; computed on demand."""

    def __init__(self, adjacent: Sequence[int]) -> None:
        self.adjacent = tuple(adjacent)
        self._parts: dict[int, list[int]] = {}

    def reached(self, start: int, avoided: int) -> int:
        """The columns on paths from one column that avoid another."""
        if avoided not in self._parts:
            self._parts[avoided] = self._connected(avoided)
        return self._parts[avoided][start]

    def explain(self, pair: Pair, condition: int) -> bool:
        """Whether a separating set has its necessary paths."""
        a, b = pair
        return not condition or not condition & ~(self.reached(a, b) & self.reached(b, a))

    def _connected(self, avoided: int) -> list[int]:
        part_of = [0] * len(self.adjacent)
        left = (1 << len(self.adjacent)) - 1 & ~(1 << avoided)
        while left:
            part = waiting = left & -left
            while waiting:
                low = waiting & -waiting
                onward = self.adjacent[low.bit_length() - 1] & left & ~part
                part |= onward
                waiting = (waiting ^ low) | onward
            for node in bits_of(part):
                part_of[node] = part
            left &= ~part
        return part_of


def decide(
    result: Separations, chosen: Mapping[Pair, bool], earlier: Decision | None = None
) -> Decision:
    """What follows from the separations and from pairs chosen to be joined (True) or not.

    With an earlier decision only what was ambiguous then is examined again.
    """
    if earlier is None:
        earlier = Decision((0,) * len(result.joinable), result.joinable)
    certain, possible = list(earlier.certain), list(earlier.possible)
    waiting: dict[Pair, Sequence[int]] = {}
    for pair in earlier.ambiguous:
        if chosen.get(pair, False) or (pair not in chosen and not result.sets.get(pair)):
            _join(certain, pair)
        elif pair in chosen:
            part(possible, pair)
        else:
            waiting[pair] = result.sets[pair]
    changed = True
    while changed:
        changed = False
        sure, may = Paths(certain), Paths(possible)
        for pair, sets in list(waiting.items()):
            if not any(may.explain(pair, condition) for condition in sets):
                _join(certain, pair)
            elif any(sure.explain(pair, condition) for condition in sets):
                part(possible, pair)
            else:
                continue
            del waiting[pair]
            changed = True
    return Decision(tuple(certain), tuple(possible))


def _join(adjacent: list[int], pair: Pair) -> None:
    a, b = pair
    adjacent[a] |= 1 << b
    adjacent[b] |= 1 << a


def needed(result: Separations, decision: Decision) -> dict[Pair, tuple[Pair, ...]]:
    """For each ambiguous edge the ambiguous edges on paths that its absence would need."""
    sure, may = Paths(decision.certain), Paths(decision.possible)
    ambiguous = decision.ambiguous
    blocks: dict[int, _Blocks] = {}
    needs = {}
    for a, b in ambiguous:
        on_paths: set[Pair] = set()
        for condition in result.sets[a, b]:
            if not may.explain((a, b), condition):
                continue
            for start, avoided in ((a, b), (b, a)):
                for end in bits_of(condition & ~sure.reached(start, avoided)):
                    if avoided not in blocks:
                        blocks[avoided] = _Blocks(may.adjacent, avoided)
                    on_paths |= blocks[avoided].between(start, end)
        needs[a, b] = tuple(pair for pair in ambiguous if pair in on_paths)
    return needs


class _Blocks:
    """The blocks of a graph without one column: an edge is on a path from one column to another
    exactly when it is in a block between the two."""

    def __init__(self, adjacent: Sequence[int], avoided: int) -> None:
        import networkx

        graph = networkx.Graph(pair for pair in pairs_of(adjacent) if avoided not in pair)
        self.edges: dict[str, set[Pair]] = {}
        self.tree = networkx.Graph()  # blocks and the columns in them; it has no cycle
        for number, block in enumerate(networkx.biconnected_component_edges(graph)):
            name = f"block {number}"
            self.edges[name] = {(min(edge), max(edge)) for edge in block}
            self.tree.add_edges_from((name, end) for edge in block for end in edge)

    def between(self, start: int, end: int) -> set[Pair]:
        """The edges on paths between two columns that are connected."""
        import networkx

        way = networkx.shortest_path(self.tree, start, end)
        return {edge for step in way if isinstance(step, str) for edge in self.edges[step]}


def regions(needs: Mapping[Pair, Sequence[Pair]]) -> list[tuple[Pair, ...]]:
    """The ambiguous edges in groups that depend on each other, each in the order of columns."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(needs)
    graph.add_edges_from((pair, other) for pair, others in needs.items() for other in others)
    return sorted(tuple(sorted(group)) for group in networkx.connected_components(graph))
