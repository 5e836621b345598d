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
from pgmstudio.core.learning.artifacts import PlainFields
from pgmstudio.core.learning.base import ArtifactSaved, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.number_format import whole
from pgmstudio.core.params import param

# The best graphs that a ranking lists.
MAX_LISTED = 1_000
GRAPHS_PER_EVENT = 500


@dataclass(frozen=True, slots=True)
class RankedGraph:
    """A graph with the tuples that it represents and those that the data have not."""

    edges: tuple[tuple[str, str], ...]
    tuples: int
    additional: int


@dataclass(frozen=True)
class GraphRanking(PlainFields):
    """The best of `graphs` graphs over a relation of `tuples` tuples, the best first."""

    tuples: int
    graphs: int
    ranking: tuple[RankedGraph, ...]

    kind = "graph-ranking"

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """One row for each graph."""
        rows: list[tuple[object, ...]] = [
            ("; ".join(" – ".join(edge) for edge in one.edges), one.tuples, one.additional)
            for one in self.ranking
        ]
        return ("edges", "tuples", "additional"), rows


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
    cost = Cost(500.0, 0.1, 4.0, gaps=1.0, completes=False)
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
                tuple((names[a], names[b]) for a, b in one.edges), one.tuples, one.additional
            )
            for one in _first(evaluated)
        )
        yield ArtifactSaved(GraphRanking(len(relation), total, ranking))
        return best.edges


def _first(evaluated: list[Decomposition]) -> list[Decomposition]:
    return heapq.nsmallest(MAX_LISTED, evaluated, key=lambda one: one.rank)
