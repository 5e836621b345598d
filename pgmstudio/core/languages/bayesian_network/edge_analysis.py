"""Strength and explanation of directed edges.

From the model: the *divergence of removal* measures the edge U → X itself: with P' the network
whose table of X has lost the parent U, P'(x | pa∖u) = P(x | pa∖u),

    KL(P ‖ P') = Σ P(pa, x) log2 P(x | pa) / P(x | pa∖u) = I(X; U | pa∖U)

because all other tables cancel.

From data, for U → X with the other parents Z = pa(X) ∖ U, three measures of the same counts:

    I(U; X)         mutual information of the two ends, by any path,
    I(U; X | Z)     conditional mutual information, with the p-value of G² for U ⊥ X | Z,
    Δ BIC           score(X, pa) − score(X, Z) in bits; below 0 BIC prefers to remove the edge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import JointSession
from pgmstudio.core.languages.bayesian_network.conversions import through_network
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_observed
from pgmstudio.core.languages.bayesian_network.learning.score_based.candidate_moves import (
    NextMoves,
    refitted,
    rules_for,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.conversions import dag_of
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.edge_moves import MoveKey, MoveParams
from pgmstudio.core.model import Model, edges_of
from pgmstudio.core.scores.edge_gains import Edge, edge_gains, moves_between
from pgmstudio.core.scores.edge_reports import EdgeWhy, LinkStrength, PairTest, rules_about
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS, FamilyScores, largest_table
from pgmstudio.core.scores.independence import DataTests, IndependenceRule
from pgmstudio.core.scores.local import SCORES, Score, score_of

_TITLES = {
    "bic": "BIC",
    "aic": "AIC",
    "aic-thesis": "AIC (thesis)",
    "bdeu": "BDeu",
    "k2": "K2",
    "lambda": "λ-score",
}


def removal_divergences(
    session: JointSession, edges: Iterable[Edge]
) -> Iterator[tuple[Edge, float]]:
    """KL(P ‖ P') in bits for each edge, P' being the network whose child has lost that parent."""
    parents: dict[str, list[str]] = {}
    for source, target in edges:
        parents.setdefault(target, []).append(source)
    for child, sources in parents.items():
        family = session.joint([*sources, child])
        for axis, source in enumerate(sources):
            yield (source, child), removal_bits(family, axis)


def removal_bits(family: Floats, axis: int) -> float:
    """I(X; U | rest) from the joint of a family, X on the last axis and U on `axis`."""
    p = family / family.sum()
    without = p.sum(axis=axis, keepdims=True)
    given_rest = np.broadcast_to(_rows(without), p.shape)
    seen = p > 0
    return max(0.0, float(np.sum(p[seen] * np.log2(_rows(p)[seen] / given_rest[seen]))))


def _rows(joint: Floats) -> Floats:
    """P(last axis | others); rows of probability 0 stay 0."""
    sums = joint.sum(axis=-1, keepdims=True)
    rows: Floats = joint / np.where(sums > 0, sums, 1.0)
    return rows


def link_strengths(
    dag: Dag, data: DataSet, cancel: CancelToken = NEVER
) -> tuple[LinkStrength, ...]:
    """All edges of a graph over the columns of the data, what BIC would lose least first."""
    bic = score_of("bic", data.total_weight)
    cells = max(MAX_TABLE_CELLS, largest_table(dag, data))
    scores = FamilyScores(data, bic, max_table_cells=cells)
    tests = DataTests(data, IndependenceRule(test="g2"))
    result = []
    for (source, target), gain in edge_gains(dag, scores, cancel):
        a, b = dag.index(source), dag.index(target)
        others = [p for p in dag.parent_indices[b] if p != a]
        alone = tests.test(a, b, (), cancel)
        given = tests.test(a, b, others, cancel) if others else alone
        result.append(LinkStrength(source, target, alone, given, gain))
    return tuple(sorted(result, key=lambda link: (link.bic_gain, link.edge)))


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
    """The reasons for and against an edge between two variables of a graph, now."""
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


class DirectedExplainer:
    """Explains directed edges by one data set."""

    def __init__(self, data: DataSet, params: Any) -> None:
        self._data, self._params = data, params
        self._tests = data_tests(data)
        self._scores: Mapping[str, FamilyScores] = {}

    def explain(
        self,
        model: Model,
        one: str,
        other: str,
        *,
        knowledge: Knowledge | None = None,
        cancel: CancelToken = NEVER,
    ) -> EdgeWhy:
        dag = dag_of(model)
        self._scores = self._scores or scores_for(self._data, dag, self._params)
        return why_edge(
            dag, self._scores, self._tests, one, other, knowledge=knowledge, cancel=cancel
        )


class DirectedEdges:
    """The `EdgeAnalysis` of models with directed edges."""

    is_directed = True
    move_scores: Mapping[str, str] = {name: name for name in SCORES}
    score_title = "BIC"

    def graph_of(self, model: Model) -> Dag:
        return dag_of(model)

    def rules(
        self,
        names: Sequence[str],
        knowledge: Knowledge | None,
        max_parents: int | None,
        vetoes: Collection[MoveKey] = (),
    ) -> EdgeRules:
        return rules_for(names, knowledge, max_parents, vetoes)

    def search(self, data: DataSet, params: MoveParams, graph: Dag) -> NextMoves:
        return NextMoves(data, params, graph)

    def fitted(
        self, model: Model, graph: Dag, data: DataSet, smoothing: float, cancel: CancelToken = NEVER
    ) -> BayesianNetwork:
        return refitted(through_network(model), graph, data, smoothing, cancel)

    def model_of_edges(
        self, edges: Iterable[Edge], data: DataSet, smoothing: Any, rng: np.random.Generator
    ) -> BayesianNetwork:
        dag = Dag.from_edges(data.domain.names, edges)
        return fit_observed(data, dag, smoothing, rng=rng).network

    def explainer(self, data: DataSet, params: Any = None) -> DirectedExplainer:
        return DirectedExplainer(data, params)

    def strengths(
        self, model: Model, data: DataSet, cancel: CancelToken = NEVER
    ) -> tuple[LinkStrength, ...]:
        return link_strengths(dag_of(model), data, cancel)

    def gains(
        self, model: Model, data: DataSet, score: str, cancel: CancelToken = NEVER
    ) -> Iterator[tuple[Edge, float]]:
        dag = dag_of(model)
        scores = scores_for(data, dag)["BIC"].rescored(score_of(score, data.total_weight))
        return edge_gains(dag, scores, cancel)

    def removal_divergences(
        self, model: Model, session: JointSession
    ) -> Iterator[tuple[Edge, float]]:
        return removal_divergences(session, edges_of(model))


EDGES = DirectedEdges()
