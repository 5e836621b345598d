"""Optimum spanning trees, augmented trees and cliques of bounded size."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.errors import ParameterError, no_column
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.possibilistic_network.learning.learner import (
    PossibilisticLearner,
    PossibilisticParams,
    directed_graph,
    improved,
)
from pgmstudio.core.learning.base import LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.edge_constraints import EdgeRules, best_forest, rooted_at
from pgmstudio.core.learning.hypertrees import (
    AnnealingParams,
    CliqueSizeParams,
    Uncertainty,
    anneal_hypertree,
    augmented_tree,
)
from pgmstudio.core.learning.kruskal import (
    SpanningTreeSteps,
    measure_param,
    min_weight_param,
    pair_weights,
    tree_events,
)
from pgmstudio.core.learning.undirected_rules import Edge
from pgmstudio.core.params import param
from pgmstudio.core.scores.association_measures import Setting, nonspecificity


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibilisticTreeParams(PossibilisticParams):
    """The settings of the spanning tree."""

    measure: str = measure_param(
        Setting.POSSIBILISTIC, "spec_gain", ", to be made as large as possible."
    )
    min_weight: float = min_weight_param()
    root: str | None = param(
        None,
        title="Root",
        is_variable=True,
        none_label="the first column",
        help="Edges are directed away from this column.",
    )


class PossibilisticTreeLearner(PossibilisticLearner[PossibilisticTreeParams]):
    """The spanning tree of largest total strength."""

    key = "possibilistic.spanning-tree"
    title = "Optimum spanning tree"
    params_type = PossibilisticTreeParams
    cost = Cost(0.2, 1.0, 2.0, gaps=10.0, completes=False, compiling=0.0)
    artifacts = (SpanningTreeSteps,)

    def search(
        self,
        distribution: PossibilityDistribution,
        params: PossibilisticTreeParams,
        rules: EdgeRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Dag]:
        return (yield from tree_search(distribution, params, params.knowledge, cancel))


def tree_search(
    distribution: PossibilityDistribution,
    params: PossibilisticTreeParams,
    knowledge: Knowledge | None,
    cancel: CancelToken,
) -> Generator[LearnEvent, None, Dag]:
    """The tree as a directed graph; without background knowledge the steps are saved."""
    names = distribution.domain.names
    if params.root is not None and params.root not in names:
        raise ParameterError({"root": no_column(params.root, names)})
    yield Progress(None, "Measuring pairs…")
    weights = pair_weights(len(names), distribution.projection, params.measure, cancel)
    if knowledge is not None and not knowledge.is_empty:
        strong = np.where(weights > params.min_weight, weights, 0.0)
        parents = best_forest(strong, names, params.root, knowledge, cancel)
    else:
        edges = yield from tree_events(names, weights, params.measure, minimum=params.min_weight)
        parents = _directed(len(names), edges)
        if params.root is not None:
            parents = rooted_at(parents, names.index(params.root))
    return Dag(names, tuple(() if p is None else (p,) for p in parents))


def _directed(count: int, edges: Sequence[Edge]) -> list[int | None]:
    """Every tree directed away from its first variable."""
    import networkx as nx

    graph = nx.Graph(edges)
    parents: list[int | None] = [None] * count
    for component in nx.connected_components(graph):
        for child, parent in nx.bfs_predecessors(graph, min(component)):
            parents[child] = parent
    return parents


def uncertainty_of(distribution: PossibilityDistribution) -> Uncertainty:
    """The nonspecificity of projections."""
    return lambda scope: nonspecificity(distribution.projection(scope))


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibilisticAugmentedTreeParams(CliqueSizeParams, PossibilisticTreeParams):
    """The settings of the augmented spanning tree."""


class PossibilisticAugmentedTreeLearner(PossibilisticLearner[PossibilisticAugmentedTreeParams]):
    """The optimum spanning tree with edges that close triangles."""

    key = "possibilistic.augmented-tree"
    title = "Augmented spanning tree"
    params_type = PossibilisticAugmentedTreeParams
    cost = Cost(0.3, 1.0, 2.0, gaps=10.0, completes=False, compiling=0.0)
    artifacts = (SpanningTreeSteps,)
    obeys_knowledge = False

    def search(
        self,
        distribution: PossibilityDistribution,
        params: PossibilisticAugmentedTreeParams,
        rules: EdgeRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Dag]:
        tree = yield from tree_search(distribution, params, None, cancel)
        yield improved(tree, distribution, params)
        pairs = [(p, c) for c, above in enumerate(tree.parent_indices) for p in above]
        edges = augmented_tree(
            len(distribution.domain),
            sorted((min(pair), max(pair)) for pair in pairs),
            uncertainty_of(distribution),
            params,
            lambda edge: True,
            cancel,
        )
        return (yield from directed_graph(distribution, edges))


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibilisticCliqueParams(AnnealingParams, PossibilisticParams):
    """The settings of the search for small cliques."""


class PossibilisticCliqueLearner(PossibilisticLearner[PossibilisticCliqueParams]):
    """A chordal graph of small cliques by simulated annealing."""

    key = "possibilistic.cliques"
    title = "Cliques of bounded size"
    params_type = PossibilisticCliqueParams
    cost = Cost(0.6, 1.0, 2.0, gaps=6.0, completes=False, compiling=0.0)
    obeys_knowledge = False

    def search(
        self,
        distribution: PossibilityDistribution,
        params: PossibilisticCliqueParams,
        rules: EdgeRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Dag]:
        dag = Dag.empty(distribution.domain.names)
        for event in anneal_hypertree(
            len(distribution.domain),
            uncertainty_of(distribution),
            params,
            rng,
            cancel,
        ):
            if isinstance(event, Progress):
                yield event
            else:
                dag = yield from directed_graph(distribution, event)
                yield improved(dag, distribution, params)
        return dag
