"""NPC: PC with the necessary path condition (Steck and Tresp 1999; Steck 2001).

PC removes an edge as soon as one test finds its ends independent, and with few rows tests
contradict each other. Here all smallest separating sets of a pair are collected, and an edge is
removed only if the paths that explain one of them are there (`npc_paths`). Where that depends on
edges that depend on each other, the search hands out ambiguous regions: a person may choose, and
by default the edge with the largest information gain stays, what follows is decided, and so on.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.missing_cells import missing_sentence, refuse_empty
from pgmstudio.core.learning.npc_paths import (
    Decision,
    Paths,
    Separations,
    decide,
    needed,
    regions,
)
from pgmstudio.core.learning.pc import PcResult
from pgmstudio.core.learning.pc_network import MOST_TOLD, ON_MISSING_TESTS, network_events
from pgmstudio.core.learning.pc_orientation import oriented_skeleton
from pgmstudio.core.learning.pc_params import SearchParams
from pgmstudio.core.learning.pc_skeleton import (
    TESTS_PER_EVENT,
    AskedTests,
    LoggedTest,
    Pair,
    PairRules,
    Skeleton,
    conditions,
    pairs_of,
    part,
    weakness,
)
from pgmstudio.core.learning.protocols import LearnEvent
from pgmstudio.core.learning.search_value import value_of
from pgmstudio.core.running import NEVER, CancelToken, Note, Progress
from pgmstudio.core.scores.independence_tests import DataTests, IndependenceTester

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NpcParams(SearchParams):
    """The settings of NPC."""


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


@dataclass(frozen=True, slots=True)
class AmbiguousRegion:
    """Uncertain edges that bear on each other."""

    links: tuple[UncertainLink, ...]

    def __str__(self) -> str:
        def listed(kept: bool) -> str:
            return ", ".join(" – ".join(link.edge) for link in self.links if link.kept is kept)

        gone = f"; left out {listed(False)}" if listed(False) else ""
        return f"Ambiguous region of {len(self.links)} edges: kept {listed(True)}{gone}."


@dataclass(frozen=True)
class NpcResult(PcResult):
    """What PC tells, and the regions in which the tests leave a choice."""

    regions: tuple[AmbiguousRegion, ...]


def npc_search(
    tester: IndependenceTester,
    knowledge: Knowledge | None = None,
    *,
    max_condition: int | None = None,
    chosen: Mapping[Edge, bool] | None = None,
    cancel: CancelToken = NEVER,
) -> Generator[Progress, None, NpcResult]:
    """Skeleton, regions and directions; the generator's value is the result.

    `chosen` says of uncertain edges whether they are to be there, as a person decides.
    """
    rules = EdgeRules.of(tester.names, knowledge, None)
    search = _Search(tester, PairRules.of(rules), max_condition)
    yield from search.levels(cancel)
    yield from search.reopened(cancel)
    told = {}
    for edge, stays in (chosen or {}).items():
        one, other = sorted(_place(tester.names, end) for end in edge)
        told[one, other] = stays
    skeleton, found = search.resolved(told, cancel)
    return NpcResult(skeleton, oriented_skeleton(skeleton, rules), found)


def _place(names: tuple[str, ...], name: str) -> int:
    if name not in names:
        raise UnknownNameError("variable", name, names)
    return names.index(name)


class _Search:
    """All smallest separating sets of every pair, and what follows from them."""

    def __init__(
        self, tester: IndependenceTester, rules: PairRules, max_condition: int | None
    ) -> None:
        self.names, self.rules = tester.names, rules
        self.most = len(tester.names) if max_condition is None else max_condition
        self.tests = AskedTests(tester)
        self.sets: dict[Pair, dict[int, LoggedTest]] = {}
        self.gain: dict[Pair, float] = {}  # information gain given nothing, in bits
        self._asked: set[tuple[Pair, int]] = set()

    def levels(self, cancel: CancelToken) -> Iterator[Progress]:
        """As in PC, but with every set of the level at which a pair is first separated."""
        adjacent = list(self.rules.joinable)
        for level in range(self.most + 1):
            at_start = tuple(adjacent)
            deeper = False
            for pair in self.rules.testable(at_start):
                candidates = self.rules.candidates(at_start, pair)
                deeper |= max(side.bit_count() for side in candidates) > level
                yield from self._ask_all(pair, at_start, level, cancel)
                if pair in self.sets:
                    part(adjacent, pair)
            yield self.tests.progress(f"Level {level} is done", level, adjacent)
            if not deeper:
                break

    def reopened(self, cancel: CancelToken) -> Iterator[Progress]:
        """Test the pairs that stay joined further, until none is separated by its neighbours."""
        known = -1
        while known < (known := sum(map(len, self.sets.values()))):
            adjacent = self._settled({}, cancel).certain
            for pair in self.rules.testable(adjacent):
                most = max(side.bit_count() for side in self.rules.candidates(adjacent, pair))
                for size in range(1, min(most, self.most) + 1):
                    yield from self._ask_all(pair, adjacent, size, cancel)

    def _ask_all(
        self, pair: Pair, adjacent: tuple[int, ...], size: int, cancel: CancelToken
    ) -> Iterator[Progress]:
        for condition in conditions(self.rules.candidates(adjacent, pair), size):
            mask = sum(1 << z for z in condition)
            smaller = self.sets.get(pair, {})
            if (pair, mask) in self._asked or any(known & mask == known for known in smaller):
                continue
            if len(self.tests.made) % TESTS_PER_EVENT == 0:
                a, b = pair
                message = f"Level {size}: {self.names[a]} and {self.names[b]}"
                yield self.tests.progress(message, size, adjacent)
            self._asked.add((pair, mask))
            test = self.tests.ask(pair, condition, cancel)
            if test is not None and size == 0:
                self.gain[pair] = test.outcome.bits
            if test is not None and test.outcome.independent:
                self.sets.setdefault(pair, {})[mask] = test

    def _separations(self) -> Separations:
        sets = {pair: tuple(found) for pair, found in self.sets.items()}
        return Separations(self.rules.joinable, sets)

    def resolved(
        self, chosen: Mapping[Pair, bool], cancel: CancelToken
    ) -> tuple[Skeleton, tuple[AmbiguousRegion, ...]]:
        """The skeleton after every choice, and the regions that had to be chosen in."""
        decision = self._settled(chosen, cancel)
        paths = Paths(decision.certain)
        separated = {
            pair: self._best(pair, paths)
            for pair in self.sets
            if not decision.certain[pair[0]] >> pair[1] & 1
        }
        skeleton = Skeleton(
            self.names,
            decision.certain,
            separated,
            tuple(self.tests.made),
            self.tests.left_out,
        )
        return skeleton, self._regions(chosen, decision)

    def _settled(self, chosen: Mapping[Pair, bool], cancel: CancelToken) -> Decision:
        """Nothing is ambiguous any more: the edge that tells most stays, time and again."""
        found, kept = self._separations(), dict(chosen)
        decision = decide(found, kept)
        while decision.ambiguous:
            cancel.raise_if_cancelled()
            kept[max(decision.ambiguous, key=lambda pair: self.gain.get(pair, 0.0))] = True
            decision = decide(found, kept, decision)
        return decision

    def _best(self, pair: Pair, paths: Paths | None = None) -> LoggedTest:
        """The test that speaks most for separating a pair; one that has its paths, if any has."""
        found = self.sets[pair]
        if paths is not None:
            explained = {mask: t for mask, t in found.items() if paths.explain(pair, mask)}
            found = explained or found
        return max(found.values(), key=weakness)

    def _regions(
        self, chosen: Mapping[Pair, bool], settled: Decision
    ) -> tuple[AmbiguousRegion, ...]:
        def named(pair: Pair) -> Edge:
            return self.names[pair[0]], self.names[pair[1]]

        found = self._separations()
        needs = needed(found, decide(found, chosen))
        kept = set(pairs_of(settled.certain))
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


def npc_result(
    data: DataSet,
    params: NpcParams,
    chosen: Mapping[Edge, bool] | None = None,
    cancel: CancelToken = NEVER,
) -> NpcResult:
    """What NPC finds in the data with these settings and choices, with the log of every test."""
    return value_of(_search(data, params, cancel, chosen))


def _search(
    data: DataSet,
    params: NpcParams,
    cancel: CancelToken,
    chosen: Mapping[Edge, bool] | None = None,
) -> Generator[Progress, None, NpcResult]:
    return npc_search(
        DataTests(data, params.rule()),
        params.knowledge,
        max_condition=params.max_condition,
        chosen=chosen,
        cancel=cancel,
    )


class NpcLearner:
    """A Bayesian network by independence tests that explain each other."""

    key = "bn.npc"
    title = "Necessary paths (NPC)"
    kind = "bayesian-network"
    params_type = NpcParams

    def refuses(self, data: DataSet) -> str | None:
        return refuse_empty(data)

    def on_missing(self, data: DataSet) -> str:
        return missing_sentence(data, ON_MISSING_TESTS)

    def run(
        self, data: DataSet, params: NpcParams, *, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        rules = EdgeRules.of(data.domain.names, params.knowledge, None)
        result = yield from _search(data, params, cancel)
        for region in result.regions[:MOST_TOLD]:
            yield Note(str(region))
        if len(result.regions) > MOST_TOLD:
            yield Note(f"{len(result.regions) - MOST_TOLD} more ambiguous regions.")
        yield from network_events(
            data,
            result.skeleton,
            result.orientation,
            rules,
            params.smoothing,
            rng=rng,
            cancel=cancel,
        )
