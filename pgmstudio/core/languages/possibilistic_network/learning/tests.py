"""A graph by conditional tests: the specificity gain within every slice of a condition."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.execution.events import NEVER, CancelToken, Note
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    TestLog,
    skeleton_search,
)
from pgmstudio.core.languages.possibilistic_network.learning.learner import (
    PossibilisticLearner,
    PossibilisticParams,
    directed_graph,
)
from pgmstudio.core.learning.base import ArtifactSaved, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.gain_tests import (
    ASSUMPTIONS,
    aggregation_param,
    epsilon_param,
    gain_outcome,
    max_condition_param,
)
from pgmstudio.core.scores.association_measures import Setting, conditional_gain
from pgmstudio.core.scores.independence import MAX_TEST_CELLS, IndependenceRule, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibilisticTestParams(PossibilisticParams):
    """The settings of the search by tests."""

    epsilon: float = epsilon_param()
    aggregation: str = aggregation_param()
    max_condition: int | None = max_condition_param()


class PossibilityTester:
    """A ⊥ B | Z by the specificity gain within the slices of Z, aggregated."""

    def __init__(
        self, distribution: PossibilityDistribution, epsilon: float, aggregation: str = "mean"
    ) -> None:
        self.names = distribution.domain.names
        self._distribution = distribution
        self._epsilon = epsilon
        self._aggregation = aggregation

    def gain(self, a: int, b: int, given: Sequence[int] = ()) -> float | None:
        """The aggregated gain in bits; None if the table would be too large."""
        cards = self._distribution.domain.cardinalities
        if math.prod(cards[v] for v in (*given, a, b)) > MAX_TEST_CELLS:
            return None
        table = self._distribution.projection((*given, a, b))
        slices = table.reshape(-1, cards[a], cards[b])
        return conditional_gain(slices, Setting.POSSIBILISTIC, self._aggregation)

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
    cost = Cost(100.0, 0.3, 6.0, gaps=2.0, completes=False)
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
        return (yield from directed_graph(distribution, skeleton.pairs))
