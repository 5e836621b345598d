"""All directed graphs: the one whose degrees are nearest to those of the data."""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.graphs.dag import Dag, dag_count
from pgmstudio.core.graphs.pdag import bits_of
from pgmstudio.core.inference.join_tree import combine
from pgmstudio.core.languages.possibilistic_network.fit import MAX_LISTED
from pgmstudio.core.languages.possibilistic_network.learning.learner import (
    PossibilisticLearner,
    PossibilisticParams,
    improved,
)
from pgmstudio.core.languages.possibilistic_network.model import conditional_degrees
from pgmstudio.core.learning.base import ArtifactSaved, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.graph_ranking import DEGREES, GraphRanking, RankedGraph
from pgmstudio.core.learning.graph_ranking import MAX_LISTED as MAX_RANKED
from pgmstudio.core.learning.params import max_parents_param
from pgmstudio.core.number_format import whole
from pgmstudio.core.params import param

GRAPHS_PER_EVENT = 500
_ROUNDING = 1e-9
# Difference of degrees, edges, cells of the tables, and the parents of each variable as bits.
Rank = tuple[float, int, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibilisticExhaustiveParams(PossibilisticParams):
    """The settings of the search over all directed graphs."""

    max_variables: int = param(
        4,
        title="Maximum variables",
        low=2,
        high=5,
        help="Data with more columns are refused: 4 columns have 543 directed graphs, 5 have "
        "29 281.",
    )
    max_parents: int | None = max_parents_param(None)


def all_dags(rules: EdgeRules) -> Iterator[tuple[int, ...]]:
    """Every directed acyclic graph that keeps the rules, as the parents of each variable in bits,
    few edges first among those of a pair."""
    count = len(rules.names)
    pairs = list(combinations(range(count), 2))
    for kinds in product(range(3), repeat=len(pairs)):
        parents = [0] * count
        for (a, b), kind in zip(pairs, kinds, strict=True):
            if kind == 1:
                parents[b] |= 1 << a
            elif kind == 2:
                parents[a] |= 1 << b
        if _keeps(parents, rules) and _is_acyclic(parents):
            yield tuple(parents)


def _keeps(parents: list[int], rules: EdgeRules) -> bool:
    for c, above in enumerate(parents):
        if above.bit_count() > rules.most_parents:
            return False
        for p in range(len(parents)):
            has = above >> p & 1
            if (has and not rules.allowed[p, c]) or (rules.required[p, c] and not has):
                return False
    return True


def _is_acyclic(parents: list[int]) -> bool:
    left = (1 << len(parents)) - 1
    while left:
        free = [v for v in bits_of(left) if not parents[v] & left]
        if not free:
            return False
        for v in free:
            left &= ~(1 << v)
    return True


class PossibilisticExhaustiveLearner(PossibilisticLearner[PossibilisticExhaustiveParams]):
    """The directed graph with the smallest sum of differences of degrees."""

    key = "possibilistic.exhaustive"
    title = "All directed graphs"
    params_type = PossibilisticExhaustiveParams
    cost = Cost(500.0, 0.1, 4.0, gaps=2.0, completes=False)
    artifacts = (GraphRanking,)

    def search(
        self,
        distribution: PossibilityDistribution,
        params: PossibilisticExhaustiveParams,
        rules: EdgeRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Dag]:
        domain = distribution.domain
        count = len(domain)
        if count > params.max_variables:
            raise ParameterError(
                {
                    "max-variables": f"is {params.max_variables}, but there are {count} columns "
                    f"with {whole(dag_count(count))} directed graphs. Leave columns out or use "
                    "another learner"
                }
            )
        if domain.joint_states() > MAX_LISTED:
            raise ParameterError(
                {"max-variables": "the columns have too many joint states; use another learner"}
            )
        whole_table = distribution.projection(range(count))

        @cache
        def factor(child: int, parents: int) -> tuple[Floats, int]:
            """The degrees of a family over all joint states, and the cells of its table."""
            scope = (*bits_of(parents), child)
            degrees = conditional_degrees(distribution.projection(scope), params.convention)
            order = sorted(range(len(scope)), key=scope.__getitem__)
            shape = [card if v in scope else 1 for v, card in enumerate(domain.cardinalities)]
            return degrees.transpose(order).reshape(shape), degrees.size

        best: Rank | None = None
        dag = Dag.empty(domain.names)
        evaluated: list[tuple[Rank, float]] = []
        number = 0
        for number, parents in enumerate(all_dags(rules), start=1):
            cancel.raise_if_cancelled()
            factors = [factor(child, above) for child, above in enumerate(parents)]
            joint: Floats = np.ones(1)
            for degrees, _ in factors:
                joint = combine(params.norm, joint, degrees)
            difference = float(np.abs(joint - whole_table).sum())
            edges = sum(above.bit_count() for above in parents)
            rank = (
                round(difference / _ROUNDING) * _ROUNDING,
                edges,
                sum(cells for _, cells in factors),
                parents,
            )
            evaluated.append((rank, float(joint.sum())))
            if len(evaluated) > 10 * MAX_RANKED:
                evaluated = heapq.nsmallest(MAX_RANKED, evaluated)
            if best is None or rank < best:
                best = rank
                dag = _dag(domain.names, parents)
                yield improved(dag, distribution, params)
            if number % GRAPHS_PER_EVENT == 0:
                yield Progress(None, f"{whole(number)} graphs", {"difference": best[0]})
        ranking = tuple(
            RankedGraph(_dag(domain.names, parents).edges, total, difference, cells)
            for (difference, _, cells, parents), total in heapq.nsmallest(MAX_RANKED, evaluated)
        )
        whole_sum = float(whole_table.sum())
        yield ArtifactSaved(GraphRanking(domain.names, True, DEGREES, whole_sum, number, ranking))
        return dag


def _dag(names: tuple[str, ...], parents: tuple[int, ...]) -> Dag:
    return Dag(names, tuple(tuple(bits_of(above)) for above in parents))
