"""d-separation: which variables become irrelevant once others are known (Nielsen 2007, §3.2.1).

Trails between two variables: the active ones, and what blocks the others (Nielsen 2007, §3.2.1).

A trail is a way along edges, whatever their direction, that meets no node twice. At an inner node
two edges of the trail meet: it is a collider when both point at it, else a chain or a fork. A chain
or fork blocks the trail when it is known; a collider blocks it unless it or one of its descendants
is known. Two variables are d-separated when every trail between them is blocked.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import count, islice, pairwise
from typing import TypeVar

from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.dag import Dag


def dsep_set(dag: Dag, sources: Iterable[int], given: Iterable[int]) -> frozenset[int]:
    """Every node d-separated from all `sources` given `given` (Algorithms 3.1 and 3.2).

    A breadth-first search over legal pairs of edges; since legality depends only on the node in
    the middle and on how it was entered, it runs over (node, entered through a child or not).
    """
    start, known = set(sources), set(given)
    opens = dag.ancestral_indices(known)  # known, or with a known descendant
    seen: set[tuple[int, bool]] = set()
    stack = [(node, True) for node in start]  # as if each had been entered from a child
    while stack:
        node, from_child = stack.pop()
        if (node, from_child) in seen:
            continue
        seen.add((node, from_child))
        is_start = node in start
        if from_child and (node not in known or is_start):
            stack += [(parent, True) for parent in dag.parent_indices[node]]
        if not from_child and node in opens:  # head-to-head
            stack += [(parent, True) for parent in dag.parent_indices[node]]
        if node not in known or is_start:
            stack += [(child, False) for child in dag.child_indices[node]]
    reached = {node for node, _ in seen}
    return frozenset(range(len(dag.names))) - reached - start - known


Node = TypeVar("Node", bound=Hashable)

# Where two variables have more trails than this, more lines would only be a tangle.
MAX_TRAILS = 60
# The number of beginnings of trails that are looked at: a fraction of a second.
MAX_STEPS = 20_000


class _TrailBudget:
    """How many beginnings may still be looked at."""

    def __init__(self) -> None:
        self.left = MAX_STEPS


class Meeting(Enum):
    """How two edges of a trail meet in a node."""

    CHAIN = "chain"  # → m →
    FORK = "fork"  # ← m →
    COLLIDER = "collider"  # → m ←


@dataclass(frozen=True, slots=True)
class Block:
    """A node that blocks a trail, and how the trail meets it."""

    node: str
    meeting: Meeting

    def __str__(self) -> str:
        if self.meeting is Meeting.COLLIDER:
            return f"{self.node} is a collider; neither it nor a descendant of it is known"
        return f"{self.node} is known"


@dataclass(frozen=True, slots=True)
class Trail:
    """The nodes in order and what blocks the way; active when nothing does."""

    nodes: tuple[str, ...]
    arrows: tuple[str, ...]  # "→" or "←" between them
    blocks: tuple[Block, ...] = ()

    @property
    def is_active(self) -> bool:
        return not self.blocks

    def __str__(self) -> str:
        parts = [self.nodes[0]]
        for arrow, node in zip(self.arrows, self.nodes[1:], strict=True):
            parts += [arrow, node]
        return " ".join(parts)


@dataclass(frozen=True)
class Separation:
    """Separation of two variables in a graph when others are known.

    `irrelevant` are all nodes d-separated from `one`; `active` and `blocked` are trails, the
    shortest first, and `has_more`: there are others than those listed.
    """

    one: str
    other: str
    given: tuple[str, ...]
    irrelevant: frozenset[str]
    active: tuple[Trail, ...]
    blocked: tuple[Trail, ...]
    has_more: bool = False

    @property
    def is_separated(self) -> bool:
        return not self.active

    @property
    def sentence(self) -> str:
        """“A ⟂ B given C, D”, or that they are connected."""
        known = f" given {', '.join(self.given)}" if self.given else ""
        if self.is_separated:
            return f"{self.one} ⟂ {self.other}{known}"
        return f"{self.one} and {self.other} are connected{known}"


def separation_of(dag: Dag, one: str, other: str, given: Iterable[str] = ()) -> Separation:
    """Whether the graph separates `one` and `other` when `given` is known, and by which trails."""
    known = tuple(dict.fromkeys(given))
    start, end = dag.index(one), dag.index(other)
    indices = frozenset(dag.index(name) for name in known)
    if start == end:
        raise GraphError(f"{one} cannot be separated from itself; choose two variables.")
    if start in indices or end in indices:
        both = one if start in indices else other
        raise GraphError(f"{both} is both queried and known; remove it from one of them.")
    one_by_one, at_all = _TrailBudget(), _TrailBudget()
    active = list(islice(_active_trails(dag, start, end, indices, one_by_one), MAX_TRAILS + 1))
    every = list(islice(_all_trails(dag, start, end, at_all), MAX_TRAILS + 1))
    blocked = [trail for nodes in every if (trail := trail_of(dag, nodes, indices)).blocks]
    return Separation(
        one,
        other,
        known,
        irrelevant_to(dag, one, known),
        tuple(trail_of(dag, nodes, indices) for nodes in active[:MAX_TRAILS]),
        tuple(blocked[:MAX_TRAILS]),
        len(active) > MAX_TRAILS
        or len(every) > MAX_TRAILS
        or not (one_by_one.left and at_all.left),
    )


def irrelevant_to(dag: Dag, name: str, given: Iterable[str] = ()) -> frozenset[str]:
    """Every variable that is separated from `name` by `given` (Algorithm 3.1)."""
    apart = dsep_set(dag, [dag.index(name)], [dag.index(known) for known in given])
    return frozenset(dag.names[node] for node in apart)


def trail_of(dag: Dag, nodes: tuple[int, ...], known: frozenset[int]) -> Trail:
    """The trail along these nodes with everything that blocks it."""
    opens = dag.ancestral_indices(known)
    blocks = []
    for before, node, after in zip(nodes, nodes[1:], nodes[2:], strict=False):
        meeting = _meeting(dag, before, node, after)
        if not _passes(meeting, node, known, opens):
            blocks.append(Block(dag.names[node], meeting))
    arrows = ("→" if a in dag.parent_indices[b] else "←" for a, b in pairwise(nodes))
    return Trail(tuple(dag.names[node] for node in nodes), tuple(arrows), tuple(blocks))


def _meeting(dag: Dag, before: int, node: int, after: int) -> Meeting:
    parents = dag.parent_indices[node]
    if before in parents:
        return Meeting.COLLIDER if after in parents else Meeting.CHAIN
    return Meeting.CHAIN if after in parents else Meeting.FORK


def _passes(meeting: Meeting, node: int, known: frozenset[int], opens: frozenset[int]) -> bool:
    return node in opens if meeting is Meeting.COLLIDER else node not in known


# -- finding them, the shortest first


def _all_trails(dag: Dag, start: int, end: int, budget: _TrailBudget) -> Iterator[tuple[int, ...]]:
    """Every trail, as long as the search may last."""
    near = [(*dag.parent_indices[n], *dag.child_indices[n]) for n in range(len(dag.names))]
    left = _distances({n: near[n] for n in range(len(near))}, [end])
    yield from _search(
        start, end, lambda trail: near[trail[-1]], lambda _, node: left.get(node), budget
    )


def _active_trails(
    dag: Dag, start: int, end: int, known: frozenset[int], budget: _TrailBudget
) -> Iterator[tuple[int, ...]]:
    """Active ones only. The shortest legal way of Algorithm 3.2 meets no node twice: what it does
    in between could be left out, since a collider above an open one is open too. So the first is
    found whenever there is one."""
    opens = dag.ancestral_indices(known)

    def steps(node: int, came_down: bool, is_start: bool) -> Iterator[tuple[int, bool]]:
        """Where a legal way goes on, and whether it goes down there."""
        if is_start or (node in opens if came_down else node not in known):
            yield from ((parent, False) for parent in dag.parent_indices[node])
        if is_start or node not in known:
            yield from ((child, True) for child in dag.child_indices[node])

    # How far the end is from (node, came down), by walking the legal steps backwards.
    back: dict[tuple[int, bool], list[tuple[int, bool]]] = {}
    for node in range(len(dag.names)):
        for came_down in (False, True):
            for after in steps(node, came_down, False):
                back.setdefault(after, []).append((node, came_down))
    left = _distances(back, [(end, False), (end, True)])

    def onward(trail: tuple[int, ...]) -> Iterable[int]:
        came_down = len(trail) > 1 and trail[-2] in dag.parent_indices[trail[-1]]
        return [node for node, _ in steps(trail[-1], came_down, len(trail) == 1)]

    def far(before: int, node: int) -> int | None:
        return left.get((node, before in dag.parent_indices[node]))

    yield from _search(start, end, onward, far, budget)


def _search(
    start: int,
    end: int,
    onward: Callable[[tuple[int, ...]], Iterable[int]],
    far: Callable[[int, int], int | None],
    budget: _TrailBudget,
) -> Iterator[tuple[int, ...]]:
    """Trails by length: the beginning that can become the shortest is continued first."""
    order = count()
    heap: list[tuple[int, int, tuple[int, ...]]] = [(0, next(order), (start,))]
    while heap and budget.left:
        _, _, trail = heapq.heappop(heap)
        budget.left -= 1
        if trail[-1] == end:
            yield trail
            continue
        for node in onward(trail):
            if node in trail:
                continue
            rest = far(trail[-1], node)
            if rest is not None:
                heapq.heappush(heap, (len(trail) + rest, next(order), (*trail, node)))


def _distances(near: Mapping[Node, Iterable[Node]], starts: Iterable[Node]) -> dict[Node, int]:
    """Steps from the nearest start, for what can be reached."""
    result = dict.fromkeys(starts, 0)
    waiting = deque(result)
    while waiting:
        node = waiting.popleft()
        for other in near.get(node, ()):
            if other not in result:
                result[other] = result[node] + 1
                waiting.append(other)
    return result
