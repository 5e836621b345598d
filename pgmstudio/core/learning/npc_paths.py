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

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def reached(adjacent: Sequence[int], start: int, avoided: int) -> int:
    """The columns on paths from one column that avoid another."""
    seen = waiting = 1 << start
    while waiting:
        low = waiting & -waiting
        onward = adjacent[low.bit_length() - 1] & ~seen & ~(1 << avoided)
        seen |= onward
        waiting = (waiting ^ low) | onward
    return seen


def has_paths(adjacent: Sequence[int], pair: Pair, condition: int) -> bool:
    """Whether a separating set has its necessary paths in a graph."""
    a, b = pair
    return not condition & ~(reached(adjacent, a, b) & reached(adjacent, b, a))


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
        sure, may = tuple(certain), tuple(possible)
        for pair, sets in list(waiting.items()):
            if not any(has_paths(may, pair, condition) for condition in sets):
                _join(certain, pair)
            elif any(has_paths(sure, pair, condition) for condition in sets):
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
    ambiguous = decision.ambiguous
    return {pair: tuple(_on_paths(found, decision, pair, ambiguous)) for pair in ambiguous}


def _on_paths(
    found: Separations, decision: Decision, pair: Pair, ambiguous: Iterable[Pair]
) -> Iterator[Pair]:
    import networkx

    a, b = pair
    on_paths: set[Pair] = set()
    for condition in found.sets[pair]:
        if not has_paths(decision.possible, pair, condition):
            continue
        for start, avoided in ((a, b), (b, a)):
            missing = condition & ~reached(decision.certain, start, avoided)
            graph = networkx.Graph(p for p in pairs_of(decision.possible) if avoided not in p)
            for end in bits_of(missing):
                # An edge is on a path from start to end if a cycle through it closes there.
                graph_with = graph.copy()
                graph_with.add_edge(start, end)
                for block in networkx.biconnected_component_edges(graph_with):
                    edges = {(min(edge), max(edge)) for edge in block}
                    if (min(start, end), max(start, end)) in edges:
                        on_paths |= edges
    return (other for other in ambiguous if other in on_paths)


def regions(needs: Mapping[Pair, Sequence[Pair]]) -> list[tuple[Pair, ...]]:
    """The ambiguous edges in groups that bear on each other, each in the order of columns."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(needs)
    graph.add_edges_from((pair, other) for pair, others in needs.items() for other in others)
    return sorted(tuple(sorted(group)) for group in networkx.connected_components(graph))
