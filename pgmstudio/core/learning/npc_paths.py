"""The necessary path condition (Steck 2001): which separations can hold together.

If a ⊥ b | Z and no smaller set separates them, every z in Z must be on a way from a to b: there is
a path from a to z that avoids b, and one from b to z that avoids a. Otherwise nothing explains why
z was needed. So whether an edge may be missing depends on edges that must be there, and the other
way round. An edge is

- certain when no separation of its ends can have its paths, whatever the rest turns out to be,
- absent when one has its paths along certain edges,
- ambiguous otherwise; ambiguous edges that bear on each other form a region.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pgmstudio.core.graphs.cpdag import bits_of
from pgmstudio.core.learning.pc_skeleton import Pair, pairs_of, part


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
    """Which columns paths lead to in a graph, with one column avoided; found when asked."""

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


def decide(found: Separations, chosen: Mapping[Pair, bool]) -> Decision:
    """What follows from the separations and from pairs chosen to be joined (True) or not."""
    certain = [0] * len(found.joinable)
    possible = list(found.joinable)
    waiting: dict[Pair, Sequence[int]] = {}
    for pair in pairs_of(found.joinable):
        if chosen.get(pair, False) or (pair not in chosen and not found.sets.get(pair)):
            _join(certain, pair)
        elif pair in chosen:
            part(possible, pair)
        else:
            waiting[pair] = found.sets[pair]
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


def needed(found: Separations, decision: Decision) -> dict[Pair, tuple[Pair, ...]]:
    """For each ambiguous edge the ambiguous edges on paths that its absence would need."""
    sure, may = Paths(decision.certain), Paths(decision.possible)
    ambiguous = decision.ambiguous
    needs = {}
    for pair in ambiguous:
        on_paths = _on_paths(found.sets[pair], sure, may, pair)
        needs[pair] = tuple(other for other in ambiguous if other in on_paths)
    return needs


def _on_paths(sets: Sequence[int], sure: Paths, may: Paths, pair: Pair) -> set[Pair]:
    import networkx

    a, b = pair
    on_paths: set[Pair] = set()
    for condition in sets:
        if not may.explain(pair, condition):
            continue
        for start, avoided in ((a, b), (b, a)):
            missing = condition & ~sure.reached(start, avoided)
            graph = networkx.Graph(p for p in pairs_of(may.adjacent) if avoided not in p)
            for end in bits_of(missing):
                # An edge is on a path from start to end if a cycle through it closes there.
                graph_with = graph.copy()
                graph_with.add_edge(start, end)
                for block in networkx.biconnected_component_edges(graph_with):
                    edges = {(min(edge), max(edge)) for edge in block}
                    if (min(start, end), max(start, end)) in edges:
                        on_paths |= edges
    return on_paths


def regions(needs: Mapping[Pair, Sequence[Pair]]) -> list[tuple[Pair, ...]]:
    """The ambiguous edges in groups that bear on each other, each in the order of columns."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(needs)
    graph.add_edges_from((pair, other) for pair, others in needs.items() for other in others)
    return sorted(tuple(sorted(group)) for group in networkx.connected_components(graph))
