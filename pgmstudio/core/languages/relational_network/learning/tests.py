"""An independence map by conditional tests: the Hartley gain within every slice of a condition."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.relation import Relation, tuple_ids
from pgmstudio.core.execution.events import NEVER, CancelToken, Note
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    TestLog,
    skeleton_search,
)
from pgmstudio.core.languages.markov_network.structure import Edge
from pgmstudio.core.languages.relational_network.learning.learner import (
    RelationalLearner,
    RelationalParams,
)
from pgmstudio.core.learning.base import ArtifactSaved, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.gain_tests import ASSUMPTIONS, GainTestParams, gain_outcome
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.scores.association_measures import (
    Setting,
    Table,
    conditional_gain,
)
from pgmstudio.core.scores.independence import MAX_TEST_CELLS, IndependenceRule, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationalTestParams(GainTestParams, RelationalParams):
    """The settings of the search by tests."""


class RelationTester:
    """A ⊥ B | Z in a relation: the Hartley gain within the slices of Z, aggregated."""

    def __init__(self, relation: Relation, epsilon: float, aggregation: str = "mean") -> None:
        self.relation = relation
        self.names = relation.domain.names
        self._epsilon = epsilon
        self._aggregation = aggregation

    def slices(self, a: int, b: int, given: Sequence[int]) -> Table | None:
        """1 for every joint state that occurs, condition × a × b; None if there are too many."""
        cards = self.relation.domain.cardinalities
        tuples = self.relation.tuples
        first, z = tuple_ids(tuples[list(given)], [cards[v] for v in given])
        shape = (first.size, cards[a], cards[b])
        if math.prod(shape) > MAX_TEST_CELLS:
            return None
        table = np.zeros(shape)
        table[z, tuples[a], tuples[b]] = 1.0
        return table

    def gain(self, a: int, b: int, given: Sequence[int] = ()) -> float | None:
        """The aggregated gain in bits."""
        table = self.slices(a, b, given)
        return (
            None
            if table is None
            else conditional_gain(table, Setting.RELATIONAL, self._aggregation)
        )

    def test(
        self, a: int, b: int, given: Sequence[int], cancel: CancelToken = NEVER
    ) -> Outcome | None:
        cancel.raise_if_cancelled()
        gain = self.gain(a, b, given)
        return None if gain is None else gain_outcome(gain, self._epsilon)


class RelationalTestLearner(RelationalLearner[RelationalTestParams]):
    """Edges are removed where a condition makes the pair independent."""

    key = "relational.tests"
    title = "Conditional independence tests"
    params_type = RelationalTestParams
    cost = Cost(5.0, 1.0, 2.5, states=3.0, gaps=1.0, completes=False)
    artifacts = (TestLog,)

    def search(
        self,
        relation: Relation,
        params: RelationalTestParams,
        rules: UndirectedRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Iterable[Edge]]:
        yield Note(ASSUMPTIONS)
        tester = RelationTester(relation, params.epsilon, params.aggregation)
        skeleton = yield from skeleton_search(
            tester,
            EdgeRules.of(relation.domain.names, params.knowledge, None),
            cancel,
            max_condition=params.max_condition,
        )
        rule = IndependenceRule(test="info_gain", epsilon=params.epsilon)
        yield ArtifactSaved(TestLog.of(skeleton, rule))
        return skeleton.pairs
