"""What tests leave open in a structure, and what follows when a person decides.

Two things may be open: which of some edges are there (the ambiguous regions of NPC), and which way
an edge points (both are possible in one class). Everything needed to decide them is kept with the
run, so that a choice takes no further test: the rest of the region follows from the necessary path
condition, and the rest of the directions from Meek's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pgmstudio.core.errors import ParameterError, UnknownNameError
from pgmstudio.core.graphs.cpdag import Pdag, extension_of, oriented
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.npc_paths import (
    Decision,
    Paths,
    Separations,
    decide,
    needed,
    regions,
)
from pgmstudio.core.learning.pc_choices import Choices, Edge
from pgmstudio.core.learning.pc_log import deciding, row_of_test, test_of
from pgmstudio.core.learning.pc_orientation import Orientation, oriented_skeleton
from pgmstudio.core.learning.pc_skeleton import LoggedTest, Pair, Skeleton, pairs_of, weakness
from pgmstudio.core.running import NEVER, CancelToken


@dataclass(frozen=True, slots=True)
class UncertainLink:
    """An edge that is there or not depending on others; `kept` says what was taken.

    `test` is the one that speaks most for leaving it out, `depends_on` the uncertain edges on the
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
    """Uncertain edges that bear on each other."""

    links: tuple[UncertainLink, ...]

    def __str__(self) -> str:
        def listed(kept: bool) -> str:
            return ", ".join(str(link) for link in self.links if link.kept is kept)

        gone = f"; left out {listed(False)}" if listed(False) else ""
        return f"Ambiguous region of {len(self.links)} edges: kept {listed(True)}{gone}."

    @property
    def question(self) -> str:
        """What there is to decide, with the p-value that speaks for leaving each edge out."""
        told = [f"{link} (p = {link.test.outcome.p_value:.3g})" for link in self.links]
        if len(told) == 1:
            return f"Is {told[0]} needed?"
        if len(told) == 2:
            return f"Either {told[0]} or {told[1]} is needed."
        last = told[2] if len(told) == 3 else f"{len(told) - 2} more"
        return f"Some of {told[0]}, {told[1]} and {last} are needed."


@dataclass(frozen=True)
class Resolved:
    """The structure after some choices; `choices` has those that could be kept to."""

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
    """What a search by tests found before anybody chose.

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
        """What a search found, from all its tests."""
        possible = base.possible
        place = {name: i for i, name in enumerate(names)}
        return cls(
            tuple(names),
            base,
            {pair: dict(found) for pair, found in sets.items()},
            {pair: gain.get(pair, 0.0) for pair in base.ambiguous},
            tuple(t for t in deciding(tests) if possible[place[t.a]] >> place[t.b] & 1),
        )

    def trimmed(self) -> OpenStructure:
        """The same without the pairs on which no edge and no direction can depend.

        An absent edge bears on directions only where its ends meet in a third.
        """
        possible = self.base.possible
        sets = {
            (a, b): found
            for (a, b), found in self.sets.items()
            if possible[a] >> b & 1 or possible[a] & possible[b]
        }
        return replace(self, sets=sets)

    @classmethod
    def of_skeleton(cls, skeleton: Skeleton) -> OpenStructure:
        """A skeleton in which only directions are open."""
        place = {name: i for i, name in enumerate(skeleton.names)}
        sets = {
            pair: {sum(1 << place[name] for name in test.given): test}
            for pair, test in skeleton.separated.items()
        }
        base = Decision(skeleton.adjacent, skeleton.adjacent)
        return cls.of(skeleton.names, base, sets, {}, skeleton.tests)

    @cached_property
    def _separations(self) -> Separations:
        sets = {pair: tuple(found) for pair, found in self.sets.items()}
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
        """The structure that the choices give; what nobody chose is decided by strength.

        A choice that cannot be kept to is a ParameterError, or is passed over when `lenient`.
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
        skeleton, found = self._skeleton(chosen, tests, left_out, cancel)
        orientation, directions, refused = _directed(
            oriented_skeleton(skeleton, rules), choices.directions, self._pair
        )
        problems += refused
        if problems and not lenient:
            raise ParameterError({"choose": " ".join(problems)})
        return Resolved(skeleton, orientation, found, Choices(edges, directions))

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
            return f"{a} – {b} is there in any case."
        return f"{a} – {b} is not uncertain: the tests leave it out in any case."

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
        """The test that speaks most for separating a pair; one that has its paths, if any has."""
        found = self.sets[pair]
        if paths is not None:
            explained = {mask: t for mask, t in found.items() if paths.explain(pair, mask)}
            found = explained or found
        return max(found.values(), key=weakness)

    def _regions(self, chosen: Mapping[Pair, bool], after: Decision) -> tuple[AmbiguousRegion, ...]:
        def named(pair: Pair) -> Edge:
            return self.names[pair[0]], self.names[pair[1]]

        found = self._separations
        needs = needed(found, decide(found, chosen, self.base))
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

    # -- as a keepsake

    def plain(self) -> dict[str, Any]:
        place = {name: i for i, name in enumerate(self.names)}
        return {
            "names": list(self.names),
            "certain": [list(pair) for pair in pairs_of(self.base.certain)],
            "ambiguous": [[a, b, bits] for (a, b), bits in self.gain.items()],
            "sets": [
                [a, b, [row_of_test(test, place) for test in found.values()]]
                for (a, b), found in self.sets.items()
            ],
            "nearest": [row_of_test(test, place) for test in self.nearest],
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> OpenStructure:
        """What `plain` made, as a value again."""
        names = tuple(plain["names"])
        place = {name: i for i, name in enumerate(names)}
        gain = {(int(a), int(b)): float(bits) for a, b, bits in plain["ambiguous"]}
        sure = [(int(a), int(b)) for a, b in plain["certain"]]
        certain = _masks(len(names), sure)
        sets: dict[Pair, dict[int, LoggedTest]] = {}
        for a, b, rows in plain["sets"]:
            tests = [test_of(row, names) for row in rows]
            sets[a, b] = {sum(1 << place[name] for name in test.given): test for test in tests}
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
    found: Separations,
    gain: Mapping[Pair, float],
    chosen: Mapping[Pair, bool],
    cancel: CancelToken,
    base: Decision | None = None,
) -> Decision:
    """Nothing is ambiguous any more: the edge that tells most stays, time and again."""
    kept = dict(chosen)
    decision = decide(found, kept, base)
    while decision.ambiguous:
        cancel.raise_if_cancelled()
        kept[max(decision.ambiguous, key=lambda pair: gain.get(pair, 0.0))] = True
        decision = decide(found, kept, decision)
    return decision


def _directed(
    orientation: Orientation, directions: Sequence[Edge], pair_of: Callable[[Edge], Pair]
) -> tuple[Orientation, tuple[Edge, ...], list[str]]:
    """The directions that can be added, with all that follows from them, and why others cannot."""
    pdag: Pdag = orientation.pdag
    taken, refused = [], []
    for source, target in directions:
        pair = pair_of((source, target))
        tail, head = pair if pdag.names[pair[0]] == source else pair[::-1]
        if not pdag.adjacent_masks[tail] >> head & 1:
            refused.append(f"There is no edge {source} – {target} to direct.")
            continue
        further = oriented(pdag, [(tail, head)])
        if further is None:
            refused.append(
                f"{source} → {target} cannot be: {target} → {source} follows from the rest."
            )
            continue
        pdag = further
        taken.append((source, target))
    if taken:
        dag = extension_of(pdag)
        assert dag is not None, "every direction taken occurs in a member"
        orientation = replace(orientation, pdag=pdag, dag=dag)
    return orientation, tuple(taken), refused


def _masks(count: int, pairs: Sequence[Pair]) -> tuple[int, ...]:
    masks = [0] * count
    for a, b in pairs:
        masks[a] |= 1 << b
        masks[b] |= 1 << a
    return tuple(masks)
