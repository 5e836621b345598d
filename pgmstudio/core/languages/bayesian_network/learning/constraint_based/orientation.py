"""Directions for a skeleton: knowledge first, then v-structures, then Meek's rules, then a DAG.

A path a – k – b whose ends were separated by a set without k is a v-structure a → k ← b. Tests err,
so v-structures may ask for both directions of one edge. They are therefore taken one by one, those
first whose ends look most independent; one that would turn an arrow, break a rule or close a cycle
is left out and reported as a conflict, never overwritten silently.

The resulting DAG has all the arrows. Where no DAG has them without a new v-structure,
which also only happens when tests err, columns are put last one after the other, each time one that
makes the fewest new v-structures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import (
    Pdag,
    bits_of,
    children_of,
    completed,
    cpdag_of,
    extension_of,
    oriented,
    rule_steps,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    LoggedTest,
    Pair,
    Skeleton,
    part,
    weakness,
)
from pgmstudio.core.learning.edge_constraints import EdgeRules

Edge = tuple[str, str]
Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A v-structure that the tests ask for and that was left out, and why."""

    collider: Triple
    test: LoggedTest
    reason: str

    def __str__(self) -> str:
        a, k, b = self.collider
        return f"{a} → {k} ← {b} is left out: {self.reason}"


@dataclass(frozen=True, slots=True)
class DirectionStep:
    """Edges that one step directs and why; a conflict names those that it does not direct.

    `rule` is "rules" (background knowledge), "v-structure", "conflict", "R1" to "R4" (Meek 1995) or
    "decision" (of a person).
    """

    rule: str
    edges: tuple[Edge, ...]
    reason: str


@dataclass(frozen=True)
class Orientation:
    """The directions of a skeleton's edges.

    `pdag` has an edge without direction where both are possible; `dag` is one of its members.
    `consistent` is False when no DAG has these arrows without a new v-structure; then `pdag`
    is the class of `dag`. `dropped` edges would have closed a cycle of directions that the rules
    leave no choice about.
    """

    pdag: Pdag
    dag: Dag
    colliders: tuple[Triple, ...]
    conflicts: tuple[Conflict, ...]
    dropped: tuple[Edge, ...]
    consistent: bool
    steps: tuple[DirectionStep, ...] = ()  # in the order the directions were found


def oriented_skeleton(skeleton: Skeleton, rules: EdgeRules) -> Orientation:
    """The skeleton with every direction that knowledge and the separating sets give."""
    names = skeleton.names
    adjacent = list(skeleton.adjacent)
    arrows = _Arrows(names, rules)
    dropped = []
    steps: list[DirectionStep] = []
    for source, target in _one_way(skeleton, rules):
        edge = (names[source], names[target])
        if arrows.close_a_cycle([(source, target)]):
            part(adjacent, (source, target))
            dropped.append(edge)
        else:
            arrows.add((source, target))
            steps.append(DirectionStep("rules", (edge,), "by the rules about edges"))
    colliders, conflicts = [], []
    for a, k, b, test in _candidates(skeleton, adjacent):
        triple = (names[a], names[k], names[b])
        edges = ((names[a], names[k]), (names[b], names[k]))
        reason = arrows.why_not([(a, k), (b, k)])
        if reason is None:
            arrows.add((a, k), (b, k))
            colliders.append(triple)
            given = f"{{{', '.join(test.given)}}}" if test.given else "∅"
            why = f"{names[k]} is not in S({names[a]}, {names[b]}) = {given}"
            steps.append(DirectionStep("v-structure", edges, why))
        else:
            conflicts.append(Conflict(triple, test, reason))
            steps.append(DirectionStep("conflict", edges, reason))
    steps += _meek_steps(names, arrows.parents, adjacent)
    # All arrows of v-structures are directed before the rules are asked, then what else is known.
    pdag = oriented(completed(names, arrows.parents, adjacent), arrows.edges)
    dag = None if pdag is None else extension_of(pdag)
    consistent = dag is not None
    if pdag is None or dag is None:
        dag = _nearest_dag(names, arrows.parents, adjacent)
        pdag = oriented(cpdag_of(dag), arrows.edges)
        assert pdag is not None, "the graph itself has these edges"
    return Orientation(
        pdag, dag, tuple(colliders), tuple(conflicts), tuple(dropped), consistent, tuple(steps)
    )


# What each of Meek's rules avoids; {s} – {t} is directed to {t}, the others are {a} and {b}.
_RULE_REASONS = {
    1: "{a} → {s}, and {a} and {t} are not adjacent: {t} → {s} would be a new v-structure",
    2: "{s} → {a} → {t}: the other direction would close a cycle",
    3: "{s} – {a} → {t} and {s} – {b} → {t}: the other direction would close a cycle or make a new "
    "v-structure",
    4: "{s} – {a} → {b} → {t}: the other direction would close a cycle or make a new v-structure",
}


def _meek_steps(
    names: tuple[str, ...], parents: Sequence[int], adjacent: Sequence[int]
) -> Iterator[DirectionStep]:
    for step in rule_steps(parents, adjacent):
        source, target = names[step.source], names[step.target]
        nodes = {"s": source, "t": target}
        nodes |= {key: names[node] for key, node in zip("ab", step.others, strict=False)}
        reason = _RULE_REASONS[step.rule].format(**nodes)
        yield DirectionStep(f"R{step.rule}", ((source, target),), reason)


class _Arrows:
    """Directed edges without a cycle, as the parents of each column."""

    def __init__(self, names: tuple[str, ...], rules: EdgeRules) -> None:
        self.names = names
        self.rules = rules
        self.parents = [0] * len(names)

    def add(self, *edges: Pair) -> None:
        for source, target in edges:
            self.parents[target] |= 1 << source

    @property
    def edges(self) -> list[Pair]:
        return [(p, c) for c, parents in enumerate(self.parents) for p in bits_of(parents)]

    def why_not(self, edges: Sequence[Pair]) -> str | None:
        for source, target in edges:
            edge = f"{self.names[source]} → {self.names[target]}"
            if self.parents[source] >> target & 1:
                return f"{self.names[target]} → {self.names[source]} has stronger support."
            if not self.rules.allowed[source, target]:
                return f"{edge} is not allowed."
        if self.close_a_cycle(edges):
            return "it would close a cycle."
        return None

    def close_a_cycle(self, edges: Sequence[Pair]) -> bool:
        """Whether the edges, which all have one target, lead to one of their own ancestors."""
        target = edges[0][1]
        above = 0
        waiting = sum(1 << source for source, _ in edges)
        while waiting:
            above |= waiting
            further = 0
            for node in bits_of(waiting):
                further |= self.parents[node]
            waiting = further & ~above
        return bool(above >> target & 1)


def _one_way(skeleton: Skeleton, rules: EdgeRules) -> list[Pair]:
    """The edges whose direction the rules decide: required ones, then the strongest first."""
    required, only = [], []
    for a, b in skeleton.pairs:
        for source, target in ((a, b), (b, a)):
            if rules.required[source, target]:
                required.append((source, target))
            elif not rules.allowed[target, source]:
                only.append((source, target))
    return required + strongest_first(skeleton, only)


def strongest_first(skeleton: Skeleton, edges: Iterable[Pair]) -> list[Pair]:
    """Edges in the order of their weakest tests; those that were not tested come first."""

    def key(edge: Pair) -> tuple[float, float]:
        test = skeleton.weakest.get((min(edge), max(edge)))
        return (-1.0, 0.0) if test is None else weakness(test)

    return sorted(edges, key=key)


def _candidates(
    skeleton: Skeleton, adjacent: Sequence[int]
) -> list[tuple[int, int, int, LoggedTest]]:
    """Every (a, k, b) that should be a v-structure, the best separated ends first."""
    index = {name: i for i, name in enumerate(skeleton.names)}
    result = []
    for (a, b), test in skeleton.separated.items():
        given = sum(1 << index[name] for name in test.given)
        for k in bits_of(adjacent[a] & adjacent[b] & ~given):
            result.append((a, k, b, test))
    result.sort(key=lambda one: (*(-part for part in weakness(one[3])), one[:3]))
    return result


def _nearest_dag(names: tuple[str, ...], parents: Iterable[int], adjacent: Sequence[int]) -> Dag:
    """A DAG with these arrows and few new v-structures; later columns come last if they can."""
    above = list(parents)
    below = children_of(above)
    left = (1 << len(names)) - 1

    def new_v_structures(node: int) -> int:
        around = adjacent[node] & left
        return sum(
            not adjacent[one] >> other & 1 and not (above[node] >> one & above[node] >> other & 1)
            for one, other in combinations(bits_of(around), 2)
        )

    while left:
        sinks = [node for node in bits_of(left) if not below[node] & left]
        last = min(sinks, key=lambda node: (new_v_structures(node), -node))
        left &= ~(1 << last)
        above[last] |= adjacent[last] & left
    return Dag(names, tuple(tuple(bits_of(mask)) for mask in above))
