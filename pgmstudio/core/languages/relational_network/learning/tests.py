"""An independence map by conditional tests: the Hartley gain within every slice of a condition."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

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
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.params import param
from pgmstudio.core.scores.association_measures import (
    AGGREGATIONS,
    Setting,
    Table,
    conditional_gain,
)
from pgmstudio.core.scores.independence import MAX_TEST_CELLS, IndependenceRule, Outcome

ASSUMPTIONS = (
    "The graph is right if it is a perfect map of the data (faithfulness) and every test is."
)
_ROUNDING = 1e-12


def epsilon_param() -> Any:
    """What a gain may be at most."""
    return param(
        0.0,
        title="ε (bits)",
        low=0,
        high=5,
        help="A pair counts as independent if the gain is at most this. 0 is the exact test.",
    )


def aggregation_param() -> Any:
    """How the gains of slices are aggregated."""
    return param(
        "mean",
        title="Aggregation",
        choices=AGGREGATIONS,
        help="The gain given a condition: the mean over its states that occur, the mean weighted "
        "by their tuples, or the largest.",
    )


def max_condition_param() -> Any:
    """The size of conditions."""
    return param(
        3,
        title="Maximum condition",
        low=0,
        none_label="no limit",
        help="Maximum number of variables in a condition.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationalTestParams(RelationalParams):
    """The settings of the search by tests."""

    epsilon: float = epsilon_param()
    aggregation: str = aggregation_param()
    max_condition: int | None = max_condition_param()


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


def gain_outcome(gain: float, epsilon: float) -> Outcome:
    """The result of a test of a gain in bits, which has no p-value."""
    is_independent = gain <= epsilon + _ROUNDING
    return Outcome(gain, 0, float(is_independent), gain, independent=is_independent, reliable=True)


class RelationalTestLearner(RelationalLearner[RelationalTestParams]):
    """Edges are removed where a condition makes the pair independent."""

    key = "relational.tests"
    title = "Conditional independence tests"
    params_type = RelationalTestParams
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
