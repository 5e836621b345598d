"""All graphs: the sparsest one that adds the fewest tuples, and the ranking of the others."""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterable
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.relation import Relation
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.graphs.dag import undirected_graph_count
from pgmstudio.core.languages.markov_network.structure import Edge
from pgmstudio.core.languages.relational_network.decomposition import (
    Decomposition,
    GraphEvaluator,
    all_graphs,
)
from pgmstudio.core.languages.relational_network.learning.learner import (
    RelationalLearner,
    RelationalParams,
    improved,
)
from pgmstudio.core.learning.base import ArtifactSaved, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.graph_ranking import MAX_LISTED, TUPLES, GraphRanking, RankedGraph
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.number_format import whole
from pgmstudio.core.params import param

GRAPHS_PER_EVENT = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ExhaustiveParams(RelationalParams):
    """The settings of the search over all graphs."""

    max_variables: int = param(
        6,
        title="Maximum variables",
        low=2,
        high=7,
        help="Data with more columns are refused: n columns have 2^(n(n−1)/2) graphs.",
    )


class RelationalExhaustiveLearner(RelationalLearner[ExhaustiveParams]):
    """The graph that adds the fewest tuples."""

    key = "relational.exhaustive"
    title = "All graphs"
    params_type = ExhaustiveParams
    cost = Cost(300.0, 0.1, 4.0, gaps=1.0, completes=False)
    artifacts = (GraphRanking,)

    def search(
        self,
        relation: Relation,
        params: ExhaustiveParams,
        rules: UndirectedRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Iterable[Edge]]:
        count = len(relation.domain)
        total, graphs = all_graphs(count, rules.required, rules.forbidden)
        if count > params.max_variables:
            raise ParameterError(
                {
                    "max-variables": f"is {params.max_variables}, but there are {count} columns "
                    f"with {whole(undirected_graph_count(count))} graphs. Leave columns out or use "
                    "another learner"
                }
            )
        evaluator = GraphEvaluator(relation)
        best: Decomposition | None = None
        evaluated: list[Decomposition] = []
        for number, edges in enumerate(graphs, start=1):
            cancel.raise_if_cancelled()
            one = evaluator.evaluate(edges)
            evaluated.append(one)
            if len(evaluated) > 10 * MAX_LISTED:
                evaluated = _first(evaluated)
            if best is None or one.rank < best.rank:
                best = one
                yield improved(relation, edges)
            if number % GRAPHS_PER_EVENT == 0:
                yield Progress(
                    number / total,
                    f"{whole(number)} of {whole(total)} graphs",
                    {"additional tuples": float(best.additional)},
                )
        assert best is not None  # the graph of the required edges alone is one
        names = relation.domain.names
        ranking = tuple(
            RankedGraph(
                tuple((names[a], names[b]) for a, b in one.edges),
                float(one.tuples),
                float(one.additional),
                one.cells,
            )
            for one in _first(evaluated)
        )
        size = float(len(relation))
        yield ArtifactSaved(GraphRanking(names, False, TUPLES, size, total, ranking))
        return best.edges


def _first(evaluated: list[Decomposition]) -> list[Decomposition]:
    return heapq.nsmallest(MAX_LISTED, evaluated, key=lambda one: one.rank)
