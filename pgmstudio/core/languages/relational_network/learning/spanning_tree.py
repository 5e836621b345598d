"""The optimum spanning tree by the strength of pairwise dependences, and its augmentation."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.relation import Relation
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.languages.markov_network.structure import Edge
from pgmstudio.core.languages.relational_network.learning.learner import (
    RelationalLearner,
    RelationalParams,
    improved,
)
from pgmstudio.core.learning.base import LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.hypertrees import (
    AnnealingParams,
    CliqueSizeParams,
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
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.scores.association_measures import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationalTreeParams(RelationalParams):
    """The settings of the spanning tree."""

    measure: str = measure_param(
        Setting.RELATIONAL,
        "hartley_gain",
        ". The relative number of pairs is made as small as possible, the others as large as "
        "possible.",
    )
    min_weight: float = min_weight_param(" Not used with the relative number of pairs.")


class RelationalTreeLearner(RelationalLearner[RelationalTreeParams]):
    """The spanning tree of largest total strength."""

    key = "relational.spanning-tree"
    title = "Optimum spanning tree"
    params_type = RelationalTreeParams
    cost = Cost(0.05, 1.0, 2.0, gaps=1.0, completes=False)
    artifacts = (SpanningTreeSteps,)

    def search(
        self,
        relation: Relation,
        params: RelationalTreeParams,
        rules: UndirectedRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Iterable[Edge]]:
        return (yield from tree_edges(relation, params.measure, params.min_weight, rules, cancel))


def tree_edges(
    relation: Relation,
    measure: str,
    minimum: float,
    rules: UndirectedRules,
    cancel: CancelToken,
) -> Generator[LearnEvent, None, list[Edge]]:
    """The edges of the tree; its steps are saved."""
    yield Progress(None, "Measuring pairs…")
    names = relation.domain.names
    weights = pair_weights(
        len(names), lambda pair: relation.occurs(pair).astype(np.float64), measure, cancel
    )
    return (yield from tree_events(names, weights, measure, minimum=minimum, rules=rules))


@dataclass(frozen=True, slots=True, kw_only=True)
class AugmentedTreeParams(CliqueSizeParams, RelationalTreeParams):
    """The settings of the augmented spanning tree."""


class RelationalAugmentedTreeLearner(RelationalLearner[AugmentedTreeParams]):
    """The optimum spanning tree with edges that close triangles."""

    key = "relational.augmented-tree"
    title = "Augmented spanning tree"
    params_type = AugmentedTreeParams
    cost = Cost(0.1, 1.0, 2.0, gaps=1.0, completes=False)
    artifacts = (SpanningTreeSteps,)

    def search(
        self,
        relation: Relation,
        params: AugmentedTreeParams,
        rules: UndirectedRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Iterable[Edge]]:
        tree = yield from tree_edges(relation, params.measure, params.min_weight, rules, cancel)
        yield improved(relation, tree)
        count = len(relation.domain)
        return augmented_tree(count, tree, relation.hartley_bits, params, rules.allows, cancel)


@dataclass(frozen=True, slots=True, kw_only=True)
class CliqueParams(AnnealingParams, RelationalParams):
    """The settings of the search for small cliques."""


class RelationalCliqueLearner(RelationalLearner[CliqueParams]):
    """A chordal graph of small cliques by simulated annealing."""

    key = "relational.cliques"
    title = "Cliques of bounded size"
    params_type = CliqueParams
    cost = Cost(0.4, 0.5, 2.0, gaps=1.0, completes=False)
    obeys_knowledge = False  # a model is checked after the run, also against tiers
    uses_tiers = True

    def search(
        self,
        relation: Relation,
        params: CliqueParams,
        rules: UndirectedRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Iterable[Edge]]:
        edges: Iterable[Edge] = ()
        for event in anneal_hypertree(
            len(relation.domain), relation.hartley_bits, params, rng, cancel
        ):
            if isinstance(event, Progress):
                yield event
            else:
                edges = event
                yield improved(relation, edges)
        return edges
