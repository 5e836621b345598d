"""A graph by conditional tests: the specificity gain within every slice of a condition."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.execution.events import NEVER, CancelToken, Note
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.junction_tree import clique_tree_of_scopes
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    Skeleton,
    TestLog,
    skeleton_search,
)
from pgmstudio.core.languages.possibilistic_network.fit import MAX_LISTED
from pgmstudio.core.languages.possibilistic_network.learning.learner import (
    PossibilisticLearner,
    PossibilisticParams,
    directed_graph,
)
from pgmstudio.core.learning.base import ArtifactSaved, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.gain_tests import ASSUMPTIONS, GainTestParams, gain_outcome
from pgmstudio.core.learning.undirected_rules import Edge
from pgmstudio.core.number_format import count_of, whole
from pgmstudio.core.scores.association_measures import aggregated
from pgmstudio.core.scores.independence import MAX_TEST_CELLS, IndependenceRule, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibilisticTestParams(GainTestParams, PossibilisticParams):
    """The settings of the search by tests."""


class PossibilityTester:
    """A ⊥ B | Z by the specificity gain within the slices of Z, aggregated."""

    def __init__(
        self, distribution: PossibilityDistribution, epsilon: float, aggregation: str = "mean"
    ) -> None:
        self.names = distribution.domain.names
        self._cards = np.array(distribution.domain.cardinalities)
        self._codes = np.ascontiguousarray(distribution.tuples, dtype=np.int32)
        self._degrees = distribution.tuple_degrees
        self._offsets = np.cumsum(self._cards) - self._cards
        self._allowed = np.concatenate(distribution.allowed, axis=1)
        self._set_degrees = distribution.set_degrees
        self._epsilon = epsilon
        self._aggregation = aggregation
        # Conditions that follow each other often differ in the last variable only.
        self._part: tuple[int, ...] = ()
        self._part_cells = np.zeros(self._degrees.size, dtype=np.int32)

    def gain(self, a: int, b: int, given: Sequence[int] = ()) -> float | None:
        """The aggregated gain in bits; None if the table would be too large."""
        cards = self._cards
        if math.prod(map(int, cards[[*given, a, b]])) > MAX_TEST_CELLS:
            return None
        from pgmstudio.core.languages.possibilistic_network.learning.gain_kernels import slice_gains

        cells = self._projection((*given[-1:], *given[:-1], a, b))
        rows, columns = int(cards[a]), int(cards[b])
        gains = np.empty(cells.size // (rows * columns))
        totals = np.empty(gains.size)
        slice_gains(cells, gains.size, rows, columns, gains, totals)
        return aggregated(gains, totals, self._aggregation)

    def _projection(self, scope: tuple[int, ...]) -> Floats:
        """The cells of the projection, the last variable varying fastest."""
        from pgmstudio.core.languages.possibilistic_network.learning.gain_kernels import (
            raise_sets,
            raise_tuples,
        )

        cards = self._cards[list(scope)]
        ends = np.cumprod(cards[::-1])[::-1]
        strides = ends // cards
        if scope[1:] != self._part:
            self._part = scope[1:]
            self._part_cells = strides[1:].astype(np.int32) @ self._codes[list(scope[1:])]
        cells = np.zeros(ends[0])
        codes = self._codes[scope[0]]
        raise_tuples(self._part_cells, codes, int(strides[0]), self._degrees, cells)
        if self._set_degrees.size:
            offsets = self._offsets[list(scope)]
            raise_sets(self._allowed, offsets, cards, strides, self._set_degrees, cells)
        return cells

    def test(
        self, a: int, b: int, given: Sequence[int], cancel: CancelToken = NEVER
    ) -> Outcome | None:
        cancel.raise_if_cancelled()
        gain = self.gain(a, b, given)
        return None if gain is None else gain_outcome(gain, self._epsilon)


class PossibilisticTestLearner(PossibilisticLearner[PossibilisticTestParams]):
    """Edges are removed where a condition makes the pair independent; the rest is directed."""

    key = "possibilistic.tests"
    title = "Conditional independence tests"
    params_type = PossibilisticTestParams
    cost = Cost(25.0, 0.3, 6.0, gaps=2.0, completes=False)
    artifacts = (TestLog,)
    obeys_knowledge = False

    def search(
        self,
        distribution: PossibilityDistribution,
        params: PossibilisticTestParams,
        rules: EdgeRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Dag]:
        yield Note(ASSUMPTIONS)
        tester = PossibilityTester(distribution, params.epsilon, params.aggregation)
        skeleton = yield from skeleton_search(
            tester, rules, cancel, max_condition=params.max_condition
        )
        rule = IndependenceRule(test="info_gain", epsilon=params.epsilon)
        yield ArtifactSaved(TestLog.of(skeleton, rule))
        edges = yield from representable_edges(distribution, skeleton)
        return (yield from directed_graph(distribution, edges))


def representable_edges(
    distribution: PossibilityDistribution, skeleton: Skeleton
) -> Generator[Note, None, tuple[Edge, ...]]:
    """The edges of the skeleton, the weakest left out where its tables would be too large."""

    def strength(edge: Edge) -> float:
        test = skeleton.weakest.get(edge)
        return math.inf if test is None else test.outcome.bits  # not tested: required

    strongest_first = sorted(skeleton.pairs, key=strength, reverse=True)

    def has_large_tables(count: int) -> bool:
        edges = strongest_first[:count]
        tree = clique_tree_of_scopes(edges, distribution.domain.cardinalities)
        return tree.table_cells > MAX_LISTED

    total = len(strongest_first)
    if not has_large_tables(total):
        return skeleton.pairs
    kept = bisect_left(range(1, total), True, key=has_large_tables)
    yield Note(
        f"The {count_of(total - kept, 'weakest edge')} of {whole(total)} were left out: the tables "
        f"of the graph would have more than {whole(MAX_LISTED)} degrees. A larger ε removes more."
    )
    return tuple(sorted(strongest_first[:kept]))
