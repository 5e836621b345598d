"""Ambiguous edges and undirected edges that independence tests leave open, and choices about them.

Two things may be open: which of some edges are there (the ambiguous regions of NPC), and which way
an edge points (both are possible in one class). Everything needed to decide them is saved with the
run, so that a choice takes no further test: the rest of the region follows from the necessary path
condition, and the rest of the directions from Meek's rules.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pgmstudio.core.errors import ParameterError, UnknownNameError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.pdag import Pdag, bits_of, extension_of, oriented
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.orientation import (
    DirectionStep,
    Orientation,
    oriented_skeleton,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    LoggedTest,
    Pair,
    Skeleton,
    deciding,
    pairs_of,
    part,
    row_of_test,
    test_of,
    weakness,
)
from pgmstudio.core.learning.edge_constraints import EdgeRules

# The necessary path condition (Steck 2001): which separations can hold together.
# If a ⊥ b | Z and no smaller set separates them, every z in Z must be on a way from a to b: there
# is a path from a to z that avoids b, and one from b to z that avoids a. Otherwise nothing
# explains why z was needed. So whether an edge may be missing depends on edges that must be
# there, and the other way round. An edge is
# - certain when no separation of its ends can have its paths, whatever the rest turns out to be,
# - absent when one has its paths along certain edges, - ambiguous otherwise; ambiguous edges that
# depend on each other form a region.


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


Edge = tuple[str, str]

_ARROWS = ("->", "→")
_LINES = ("--", "–", "-")
_NOT = "not "


@dataclass(frozen=True)
class Choices:
    """Uncertain edges that are to be there or not, and the directions of others.

    Written as `A - B` (stays), `not A - B` (goes) and `A -> B` (this direction), with commas
    between; a name with a comma in it stands in quotes.
    """

    edges: Mapping[Edge, bool] = field(default_factory=dict)
    directions: tuple[Edge, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.edges and not self.directions

    def __str__(self) -> str:
        parts = [f"{'' if stays else _NOT}{a} - {b}" for (a, b), stays in self.edges.items()]
        parts += [f"{a} -> {b}" for a, b in self.directions]
        return ", ".join(map(_quoted, parts))

    def with_edge(self, edge: Edge, stays: bool) -> Choices:
        """The same and one edge that stays or goes; an earlier choice about it is replaced."""
        kept = {e: s for e, s in self.edges.items() if set(e) != set(edge)}
        return Choices({**kept, edge: stays}, self.directions)

    def with_direction(self, edge: Edge) -> Choices:
        """The same and one direction; an earlier one of the same edge is replaced."""
        kept = tuple(e for e in self.directions if set(e) != set(edge))
        return Choices(self.edges, (*kept, edge))


def _quoted(word: str) -> str:
    if "," not in word and '"' not in word:
        return word
    return '"' + word.replace('"', '""') + '"'


def read_choices(text: str | None, names: Iterable[str]) -> Choices:
    """Choices as they are typed; ParameterError names everything that is wrong."""
    if text is None or not text.strip():
        return Choices()
    known = set(names)
    edges: dict[Edge, bool] = {}
    directions: list[Edge] = []
    problems = []
    (items,) = csv.reader([text.replace("\n", ",")], skipinitialspace=True)
    for item in filter(None, map(str.strip, items)):
        arrow = next(_splits(item, _ARROWS, known), None)
        line = next(_splits(item, _LINES, known), None)
        gone = None
        if item.startswith(_NOT):
            gone = next(_splits(item.removeprefix(_NOT), _LINES, known), None)
        if arrow is not None:
            directions.append(arrow)
        elif line is not None:
            edges[line] = True
        elif gone is not None:
            edges[gone] = False
        else:
            problems.append(f"“{item}” names no two columns; write A - B, not A - B or A -> B.")
    if problems:
        raise ParameterError({"choose": " ".join(problems)})
    return Choices(edges, tuple(directions))


def _splits(item: str, marks: Iterable[str], known: set[str]) -> Iterator[Edge]:
    """Every way to read an item as two known names with a mark between; names may contain marks."""
    for mark in marks:
        index = item.find(mark)
        while index >= 0:
            one = item[:index].strip()
            other = item[index + len(mark) :].strip()
            if one in known and other in known and one != other:
                yield one, other
            index = item.find(mark, index + 1)


@dataclass(frozen=True, slots=True)
class UncertainLink:
    """An edge whose presence depends on other edges; `kept` is the decision taken.

    `test` is the strongest evidence for leaving it out, `depends_on` the uncertain edges on the
    paths that it needs.
    """

    edge: Edge
    test: LoggedTest
    depends_on: tuple[Edge, ...]
    kept: bool

    def __str__(self) -> str:
        return " – ".join(self.edge)


@dataclass(frozen=True, slots=True)
class AmbiguousRegion:
    """Uncertain edges that depend on each other."""

    links: tuple[UncertainLink, ...]

    def __str__(self) -> str:
        def listed(kept: bool) -> str:
            return ", ".join(str(link) for link in self.links if link.kept is kept)

        gone = f"; left out {listed(False)}" if listed(False) else ""
        return f"Ambiguous region of {len(self.links)} edges: kept {listed(True)}{gone}."

    @property
    def question(self) -> str:
        """The question to the user, with the p-value of each edge."""
        choices = [f"{link} (p = {link.test.outcome.p_value:.3g})" for link in self.links]
        if len(choices) == 1:
            return f"Is {choices[0]} needed?"
        if len(choices) == 2:
            return f"Either {choices[0]} or {choices[1]} is needed."
        last = choices[2] if len(choices) == 3 else f"{len(choices) - 2} more"
        return f"Some of {choices[0]}, {choices[1]} and {last} are needed."


@dataclass(frozen=True)
class Resolved:
    """The structure after some choices; `choices` has those that were possible."""

    skeleton: Skeleton
    orientation: Orientation
    regions: tuple[AmbiguousRegion, ...]
    choices: Choices

    @property
    def free_edges(self) -> tuple[Edge, ...]:
        """The edges that may still point either way."""
        return self.orientation.pdag.undirected

    @property
    def is_open(self) -> bool:
        return bool(self.regions or self.free_edges)


@dataclass(frozen=True)
class OpenStructure:
    """The result of a search by tests before any choice.

    `base` has the edges that are certain and possible; `sets` the separating sets of the pairs that
    may be apart, as bits, with their tests; `gain` the information of ambiguous pairs, in bits;
    `nearest` of each pair that may be joined the test nearest to separating it.
    """

    names: tuple[str, ...]
    base: Decision
    sets: Mapping[Pair, Mapping[int, LoggedTest]]
    gain: Mapping[Pair, float]
    nearest: tuple[LoggedTest, ...]

    kind = "open"

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        base: Decision,
        sets: Mapping[Pair, Mapping[int, LoggedTest]],
        gain: Mapping[Pair, float],
        tests: Sequence[LoggedTest],
    ) -> OpenStructure:
        """The result of a search, from all its tests."""
        possible = base.possible
        index = {name: i for i, name in enumerate(names)}
        return cls(
            tuple(names),
            base,
            {pair: dict(result) for pair, result in sets.items()},
            {pair: gain.get(pair, 0.0) for pair in base.ambiguous},
            tuple(t for t in deciding(tests) if possible[index[t.a]] >> index[t.b] & 1),
        )

    def trimmed(self) -> OpenStructure:
        """The same without the pairs on which no edge and no direction can depend.

        An absent edge affects directions only if its ends have a common neighbour.
        """
        possible = self.base.possible
        sets = {
            (a, b): result
            for (a, b), result in self.sets.items()
            if possible[a] >> b & 1 or possible[a] & possible[b]
        }
        return replace(self, sets=sets)

    @classmethod
    def of_skeleton(cls, skeleton: Skeleton) -> OpenStructure:
        """A skeleton in which only directions are open."""
        index = {name: i for i, name in enumerate(skeleton.names)}
        sets = {
            pair: {sum(1 << index[name] for name in test.given): test}
            for pair, test in skeleton.separated.items()
        }
        base = Decision(skeleton.adjacent, skeleton.adjacent)
        return cls.of(skeleton.names, base, sets, {}, skeleton.tests)

    @cached_property
    def _separations(self) -> Separations:
        sets = {pair: tuple(result) for pair, result in self.sets.items()}
        return Separations(self.base.possible, sets)

    # -- choosing

    def resolved(
        self,
        choices: Choices,
        rules: EdgeRules,
        *,
        tests: Sequence[LoggedTest] | None = None,
        left_out: int = 0,
        lenient: bool = False,
        cancel: CancelToken = NEVER,
    ) -> Resolved:
        """The structure that the choices give; the rest is decided by the strength of the edges.

        An impossible choice is a ParameterError, or is ignored if `lenient`.
        """
        problems: list[str] = []
        edges: dict[Edge, bool] = {}
        chosen: dict[Pair, bool] = {}
        for edge, stays in choices.edges.items():
            pair = self._pair(edge)
            why_not = self._why_certain(pair)
            if why_not:
                problems.append(why_not)
            else:
                edges[edge] = chosen[pair] = stays
        skeleton, result = self._skeleton(chosen, tests, left_out, cancel)
        orientation, directions, refused = _directed(
            oriented_skeleton(skeleton, rules), choices.directions, self._pair
        )
        problems += refused
        if problems and not lenient:
            raise ParameterError({"choose": " ".join(problems)})
        return Resolved(skeleton, orientation, result, Choices(edges, directions))

    def _pair(self, edge: Edge) -> Pair:
        for name in edge:
            if name not in self.names:
                raise UnknownNameError("variable", name, self.names)
        one, other = sorted(map(self.names.index, edge))
        return one, other

    def _why_certain(self, pair: Pair) -> str:
        if pair in self.gain:
            return ""
        a, b = (self.names[end] for end in pair)
        if self.base.certain[pair[0]] >> pair[1] & 1:
            return f"{a} – {b} is certain: no choice can remove it."
        return f"{a} – {b} is certainly absent: no choice can add it."

    def _skeleton(
        self,
        chosen: Mapping[Pair, bool],
        tests: Sequence[LoggedTest] | None,
        left_out: int,
        cancel: CancelToken,
    ) -> tuple[Skeleton, tuple[AmbiguousRegion, ...]]:
        decision = settled(self._separations, self.gain, chosen, cancel, self.base)
        paths = Paths(decision.certain)
        separated = {
            pair: self._best(pair, paths)
            for pair in self.sets
            if not decision.certain[pair[0]] >> pair[1] & 1
        }
        made = tuple(self.nearest if tests is None else tests)
        skeleton = Skeleton(self.names, decision.certain, separated, made, left_out)
        return skeleton, self._regions(chosen, decision)

    def _best(self, pair: Pair, paths: Paths | None = None) -> LoggedTest:
        """The strongest test for separating a pair; one that has its paths, if any has."""
        result = self.sets[pair]
        if paths is not None:
            explained = {mask: t for mask, t in result.items() if paths.explain(pair, mask)}
            result = explained or result
        return max(result.values(), key=weakness)

    def _regions(self, chosen: Mapping[Pair, bool], after: Decision) -> tuple[AmbiguousRegion, ...]:
        def named(pair: Pair) -> Edge:
            return self.names[pair[0]], self.names[pair[1]]

        result = self._separations
        needs = needed(result, decide(result, chosen, self.base))
        kept = set(pairs_of(after.certain))
        return tuple(
            AmbiguousRegion(
                tuple(
                    UncertainLink(
                        named(pair), self._best(pair), tuple(map(named, needs[pair])), pair in kept
                    )
                    for pair in group
                )
            )
            for group in regions(needs)
        )

    # -- as an artifact

    def plain(self) -> dict[str, Any]:
        index = {name: i for i, name in enumerate(self.names)}
        return {
            "names": list(self.names),
            "certain": [list(pair) for pair in pairs_of(self.base.certain)],
            "ambiguous": [[a, b, bits] for (a, b), bits in self.gain.items()],
            "sets": [
                [a, b, [row_of_test(test, index) for test in result.values()]]
                for (a, b), result in self.sets.items()
            ],
            "nearest": [row_of_test(test, index) for test in self.nearest],
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> OpenStructure:
        """The inverse of `plain`."""
        names = tuple(plain["names"])
        index = {name: i for i, name in enumerate(names)}
        gain = {(int(a), int(b)): float(bits) for a, b, bits in plain["ambiguous"]}
        sure = [(int(a), int(b)) for a, b in plain["certain"]]
        certain = _masks(len(names), sure)
        sets: dict[Pair, dict[int, LoggedTest]] = {}
        for a, b, rows in plain["sets"]:
            tests = [test_of(row, names) for row in rows]
            sets[a, b] = {sum(1 << index[name] for name in test.given): test for test in tests}
        return cls(
            names,
            Decision(certain, _masks(len(names), [*sure, *gain])),
            sets,
            gain,
            tuple(test_of(row, names) for row in plain["nearest"]),
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """One row for each uncertain edge."""
        head = ("a", "b", "information_bits", "p_value")
        rows: list[tuple[object, ...]] = [
            (self.names[a], self.names[b], bits, self._best((a, b)).outcome.p_value)
            for (a, b), bits in self.gain.items()
        ]
        return head, rows


def settled(
    result: Separations,
    gain: Mapping[Pair, float],
    chosen: Mapping[Pair, bool],
    cancel: CancelToken,
    base: Decision | None = None,
) -> Decision:
    """The decision without ambiguous edges: the edge of largest gain stays, again and again."""
    kept = dict(chosen)
    decision = decide(result, kept, base)
    while decision.ambiguous:
        cancel.raise_if_cancelled()
        kept[max(decision.ambiguous, key=lambda pair: gain.get(pair, 0.0))] = True
        decision = decide(result, kept, decision)
    return decision


def _directed(
    orientation: Orientation, directions: Sequence[Edge], pair_of: Callable[[Edge], Pair]
) -> tuple[Orientation, tuple[Edge, ...], list[str]]:
    """The directions that can be added, with all that follows from them, and why others cannot."""
    pdag: Pdag = orientation.pdag
    taken, refused, steps = [], [], list(orientation.steps)
    for source, target in directions:
        pair = pair_of((source, target))
        tail, head = pair if pdag.names[pair[0]] == source else pair[::-1]
        if not pdag.adjacent_masks[tail] >> head & 1:
            refused.append(f"There is no edge {source} – {target} to direct.")
            continue
        further = oriented(pdag, [(tail, head)])
        if further is None:
            refused.append(
                f"{source} → {target} is impossible: the other edges imply {target} → {source}."
            )
            continue
        known = {(source, target), *pdag.directed}
        follows = [edge for edge in further.directed if edge not in known]
        edges = ((source, target), *follows)
        steps.append(DirectionStep("decision", edges, "decided by hand, and what follows"))
        pdag = further
        taken.append((source, target))
    if taken:
        dag = extension_of(pdag)
        assert dag is not None, "every direction taken occurs in a member"
        orientation = replace(orientation, pdag=pdag, dag=dag, steps=tuple(steps))
    return orientation, tuple(taken), refused


def _masks(count: int, pairs: Sequence[Pair]) -> tuple[int, ...]:
    masks = [0] * count
    for a, b in pairs:
        masks[a] |= 1 << b
        masks[b] |= 1 << a
    return tuple(masks)
