"""NPC: PC with the necessary path condition (Steck and Tresp 1999; Steck 2001).

PC removes an edge as soon as one test finds its ends independent, and with few rows tests
contradict each other. Here all smallest separating sets of a pair are collected, and an edge is
removed only if the paths that explain one of them are there (`ambiguity.py`). Where that depends on
edges that depend on each other, the search returns ambiguous regions: the user may choose, and
by default the edge with the largest information gain stays, what follows is decided, and so on.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.ambiguity import (
    AmbiguousRegion,
    Choices,
    OpenStructure,
    Separations,
    decide,
    read_choices,
    settled,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import (
    MAX_REPORTED,
    PcResult,
    SearchParams,
    skeleton_events,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    TESTS_PER_EVENT,
    AskedTests,
    LoggedTest,
    Pair,
    PairRules,
    TestLog,
    conditions,
    part,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.learning.base import (
    BaseLearner,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.independence import DataTests, IndependenceTester

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NpcParams(SearchParams):
    """The settings of NPC."""


@dataclass(frozen=True)
class NpcResult(PcResult):
    """The result of PC, and the regions in which the tests leave a choice."""

    regions: tuple[AmbiguousRegion, ...]
    open: OpenStructure  # for choosing otherwise


def npc_search(
    tester: IndependenceTester,
    knowledge: Knowledge | None = None,
    *,
    max_condition: int | None = None,
    chosen: Mapping[Edge, bool] | None = None,
    directions: Sequence[Edge] = (),
    cancel: CancelToken = NEVER,
) -> Generator[Progress, None, NpcResult]:
    """Skeleton, regions and directions; the generator's value is the result.

    `chosen` states which uncertain edges are to be there, and `directions` how undirected edges are
    to point.
    """
    rules = EdgeRules.of(tester.names, knowledge, None)
    search = _Search(tester, PairRules.of(rules), max_condition)
    yield from search.levels(cancel)
    yield from search.reopened(cancel)
    result = search.open_structure()
    resolved = result.resolved(
        Choices(chosen or {}, tuple(directions)),
        rules,
        tests=search.tests.made,
        left_out=search.tests.left_out,
        cancel=cancel,
    )
    return NpcResult(resolved.skeleton, resolved.orientation, resolved.regions, result)


class _Search:
    """All smallest separating sets of every pair, and what follows from them."""

    def __init__(
        self, tester: IndependenceTester, rules: PairRules, max_condition: int | None
    ) -> None:
        self.names = tester.names
        self.rules = rules
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
            adjacent = settled(self._separations(), self.gain, {}, cancel).certain
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
        sets = {pair: tuple(result) for pair, result in self.sets.items()}
        return Separations(self.rules.joinable, sets)

    def open_structure(self) -> OpenStructure:
        """Certain and ambiguous edges with the data needed to decide them."""
        base = decide(self._separations(), {})
        return OpenStructure.of(self.names, base, self.sets, self.gain, self.tests.made)


def _search(
    data: DataSet,
    params: NpcParams,
    cancel: CancelToken,
    chosen: Mapping[Edge, bool] | None = None,
) -> Generator[Progress, None, NpcResult]:
    choices = read_choices(params.choose, data.domain.names)
    return npc_search(
        DataTests(data, params.rule()),
        params.knowledge,
        max_condition=params.max_condition,
        chosen={**choices.edges, **(chosen or {})},
        directions=choices.directions,
        cancel=cancel,
    )


class NpcLearner(BaseLearner[NpcParams]):
    """Tests that explain each other."""

    key = "bn.npc"
    passes = Passes(columns=1.0)
    title = "Necessary paths (NPC)"
    kind = "bayesian-network"
    params_type = NpcParams
    cost = Cost(2.0, 0.5, 2.5)
    artifacts = (TestLog, OpenStructure)

    def events(
        self, data: DataSet, params: NpcParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rules = EdgeRules.of(data.domain.names, params.knowledge, None)
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        result = yield from _search(rows, params, cancel)
        for region in result.regions[:MAX_REPORTED]:
            yield Note(str(region))
        if len(result.regions) > MAX_REPORTED:
            yield Note(f"{len(result.regions) - MAX_REPORTED} more ambiguous regions.")
        yield from skeleton_events(
            data,
            result.skeleton,
            result.orientation,
            rules,
            params,
            rows=rows,
            open_=result.open,
            rng=rng,
            cancel=cancel,
        )
