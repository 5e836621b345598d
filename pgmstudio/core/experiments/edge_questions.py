"""Why is there this edge, or why not: scores, cycles, tests, rules, replicates and searches.

Everything is computed now from the graph and the rows; the records of a search or a bootstrap are
added where there are any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.experiments.search_records import OptimaShare
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequency
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.hill_climb import largest_table
from pgmstudio.core.learning.pc_log import TestLog
from pgmstudio.core.running import NEVER, CancelToken
from pgmstudio.core.scores.edge_gains import EdgeMove, moves_between
from pgmstudio.core.scores.family_scores import MAX_TABLE_CELLS, FamilyScores
from pgmstudio.core.scores.independence_tests import DataTests, IndependenceRule, Outcome
from pgmstudio.core.scores.local_scores import Score, score_of

# Scores closer than this say the same: sums of logarithms of large counts are not exact.
SAME_BITS = 1e-6
_TITLES = {
    "bic": "BIC",
    "aic": "AIC",
    "aic-thesis": "AIC (thesis)",
    "bdeu": "BDeu",
    "k2": "K2",
    "lambda": "λ-score",
}


@dataclass(frozen=True, slots=True)
class PairTest:
    """A ⊥ B given some variables, by G²; no outcome when the table would be too large."""

    given: tuple[str, ...]
    outcome: Outcome | None


@dataclass(frozen=True)
class EdgeWhy:
    """All there is to say about one pair; when `is_edge`, the graph has source → target."""

    source: str
    target: str
    is_edge: bool
    moves: Mapping[str, tuple[EdgeMove, ...]]  # by the title of the score
    tests: tuple[PairTest, ...]
    rules: tuple[str, ...] = ()
    frequency: EdgeFrequency | None = None
    replicates: int = 0
    pc: str | None = None  # a sentence of the search that made the model
    pc_tests: tuple[str, ...] = ()
    optima: OptimaShare | None = None

    def with_records(
        self, *, tests: TestLog | None = None, optima: OptimaShare | None = None
    ) -> EdgeWhy:
        """With what a search saw of the pair."""
        told = self
        if tests is not None:
            made = tuple(map(str, tests.about(self.source, self.target)))
            told = replace(told, pc=tests.why(self.source, self.target), pc_tests=made)
        return told if optima is None else replace(told, optima=optima)

    def with_frequency(self, frequency: EdgeFrequency, replicates: int) -> EdgeWhy:
        """With what a bootstrap found, told in the direction of this pair."""
        if frequency.source != self.source:
            frequency = frequency.turned()
        return replace(self, frequency=frequency, replicates=replicates)


def why_edge(
    dag: Dag,
    scores: Mapping[str, FamilyScores],
    tests: DataTests,
    one: str,
    other: str,
    *,
    knowledge: Knowledge | None = None,
    cancel: CancelToken = NEVER,
) -> EdgeWhy:
    """What speaks for and against an edge between two variables of a graph, now."""
    if dag.has_edge(other, one):
        one, other = other, one
    is_edge = dag.has_edge(one, other)
    moves = {
        title: moves_between(dag, one, other, family_scores, cancel)
        for title, family_scores in scores.items()
    }
    given = [(), tuple(p for p in dag.parents(other) if p != one)]
    if not is_edge:
        given.append(tuple(p for p in dag.parents(one) if p != other))
    a, b = dag.index(one), dag.index(other)
    made = tuple(
        PairTest(names, tests.test(a, b, [dag.index(name) for name in names], cancel))
        for names in dict.fromkeys(given)
    )
    return EdgeWhy(one, other, is_edge, moves, made, rules_about(knowledge, one, other))


def scores_for(data: DataSet, dag: Dag, params: Any = None) -> dict[str, FamilyScores]:
    """BIC and, where a run's parameters name another score, that one; by their titles.

    Rows are counted once for both.
    """
    cells = max(MAX_TABLE_CELLS, largest_table(dag, data))
    bic = FamilyScores(data, score_of("bic", data.total_weight), max_table_cells=cells)
    scores = {_TITLES["bic"]: bic}
    named = score_of_run(params, data.total_weight)
    if named is not None and named[0] not in scores:
        scores[named[0]] = bic.rescored(named[1])
    return scores


def score_of_run(params: Any, total_weight: float) -> tuple[str, Score] | None:
    """The title of the score that these parameters of a learner ask for, and the score."""
    name = getattr(params, "score", None)
    if name not in _TITLES:
        return None
    lambda_, ess = getattr(params, "lambda_", None), getattr(params, "ess", 1.0)
    score = score_of(name, total_weight, lambda_=lambda_, ess=ess)
    if name == "lambda":
        return f"{_TITLES[name]} ({score.cost_per_parameter:.3g})", score
    return _TITLES[name], score


def data_tests(data: DataSet) -> DataTests:
    """The G² tests that questions about edges are answered with."""
    return DataTests(data, IndependenceRule(test="g2"))


def warm_up() -> None:
    """Load what answers about edges need, for a thread beside the window: the first one asked of
    real rows is then as quick as the rest."""
    domain = Domain.of(dict.fromkeys(("A", "B", "C"), ("no", "yes")))
    codes = np.array([[0, 1, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]])
    data, dag = DataSet(domain, codes), Dag.from_edges(domain.names, [("A", "B"), ("C", "B")])
    why_edge(dag, scores_for(data, dag), data_tests(data), "A", "B")


def rules_about(knowledge: Knowledge | None, one: str, other: str) -> tuple[str, ...]:
    """A sentence for each rule that speaks of this pair."""
    if knowledge is None:
        return ()
    told = []
    for source, target in ((one, other), (other, one)):
        if (source, target) in knowledge.required:
            told.append(f"{source} → {target} is required.")
        why = knowledge.why_forbidden(source, target)
        if why is not None:
            told.append(why)
    return tuple(dict.fromkeys(told))
