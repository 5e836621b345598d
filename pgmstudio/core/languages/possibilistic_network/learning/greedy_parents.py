"""Greedy choice of parents by any possibilistic measure, along an order or without one."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.errors import CycleError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.score_based.k2 import (
    FamilyMeasure,
    K2Trace,
    order_of,
    parents_along,
)
from pgmstudio.core.languages.possibilistic_network.learning.learner import (
    PossibilisticLearner,
    PossibilisticParams,
    improved,
)
from pgmstudio.core.learning.base import ArtifactSaved, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.params import max_parents_param
from pgmstudio.core.params import param
from pgmstudio.core.scores.association_measures import MEASURES, Setting, measures_of
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS

ALONG, FREE = "along", "free"
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class GreedyParentsParams(PossibilisticParams):
    """The settings of the greedy choice of parents."""

    measure: str = param(
        "spec_gain",
        title="Measure",
        choices=measures_of(Setting.POSSIBILISTIC),
        help="The measure that a parent must raise; all parents together are one attribute.",
    )
    search: str = param(
        ALONG,
        title="Search",
        choices=(ALONG, FREE),
        help="along: parents come before their children in the order. free: the strongest edge "
        "that closes no cycle is added next.",
    )
    order: str | None = param(
        None,
        title="Order",
        none_label="as in the data",
        help="Columns from first to last, separated by commas; those left out follow.",
        is_order=True,
    )
    max_parents: int | None = max_parents_param(2)
    min_gain: float = param(
        0.0, title="Minimum gain", low=0, help="What a further parent has to gain."
    )


def family_measure(distribution: PossibilityDistribution, key: str) -> FamilyMeasure:
    """The measure of a child with its parents; −inf for a table of too many cells."""
    cards = distribution.domain.cardinalities
    value = MEASURES[key].value
    known: dict[tuple[int, frozenset[int]], float] = {}

    def measure(child: int, parents: Sequence[int], cancel: CancelToken) -> float:
        cancel.raise_if_cancelled()
        family = child, frozenset(parents)
        if family not in known:
            members = (*sorted(parents), child)
            is_small = math.prod(cards[m] for m in members) <= MAX_TABLE_CELLS
            known[family] = value(distribution.projection(members)) if is_small else -math.inf
        return known[family]

    return measure


class GreedyParentsLearner(PossibilisticLearner[GreedyParentsParams]):
    """Parents that raise a measure most, one after the other."""

    key = "possibilistic.greedy-parents"
    title = "Greedy choice of parents"
    params_type = GreedyParentsParams
    cost = Cost(0.4, 1.0, 2.0, gaps=10.0, completes=False, compiling=0.0)
    artifacts = (K2Trace,)

    def search(
        self,
        distribution: PossibilityDistribution,
        params: GreedyParentsParams,
        rules: EdgeRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Dag]:
        measure = family_measure(distribution, params.measure)
        min_gain = max(params.min_gain, _ROUNDING)
        names = distribution.domain.names
        if params.search == FREE:
            dag = yield from _free_search(names, measure, rules, min_gain, cancel)
        else:
            order = order_of(names, params.order, params.knowledge)
            trace = yield from parents_along(
                names, order, measure, params.measure, rules, cancel, min_gain
            )
            yield ArtifactSaved(trace)
            dag = trace.dag
        yield improved(dag, distribution, params)
        return dag


def _free_search(
    names: tuple[str, ...],
    measure: FamilyMeasure,
    rules: EdgeRules,
    min_gain: float,
    cancel: CancelToken,
) -> Generator[Progress, None, Dag]:
    """The edge of the largest gain is added next, as long as it closes no cycle."""
    dag, _ = rules.starting_graph(())
    while True:
        options = []
        for child, parents in enumerate(dag.parent_indices):
            if len(parents) >= rules.most_parents:
                continue
            now = measure(child, parents, cancel)
            for parent in range(len(names)):
                if parent not in parents and rules.allowed[parent, child]:
                    gain = measure(child, (*parents, parent), cancel) - now
                    if gain > min_gain:
                        options.append((-gain, parent, child))
        for _, parent, child in sorted(options):
            try:
                dag = dag.with_edge(names[parent], names[child])
            except CycleError:
                continue
            break
        else:
            return dag
        yield Progress(
            None,
            f"{names[parent]} → {names[child]}",
            {"edges": float(len(dag.edges))},
        )
