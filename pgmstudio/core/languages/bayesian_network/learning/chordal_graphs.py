"""Augmented spanning trees and cliques of bounded size as Bayesian networks.

Both find a chordal graph; directed without v-structures it has the same distributions (Borgelt,
Steinbrecher and Kruse 2009, §7.3).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from pgmstudio.core.data.counting import family_counter
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.junction_tree import clique_tree_of_scopes, directed_along
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    fit_tables,
    network_events,
)
from pgmstudio.core.learning.base import BaseLearner, ImprovedModel, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost, Passes
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
    pair_weights,
    tree_events,
)
from pgmstudio.core.learning.params import knowledge_param, missing_param, smoothing_param
from pgmstudio.core.learning.undirected_rules import Edge
from pgmstudio.core.scores.association_measures import (
    Setting,
    entropy,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChordalParams(CliqueSizeParams):
    """The settings of both learners."""

    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param("the model is only checked against them.")


P = TypeVar("P", bound=ChordalParams)


def entropies(rows: DataSet, cancel: CancelToken) -> Uncertainty:
    """H of a few columns in bits."""
    counter = family_counter(rows)
    return lambda scope: entropy(counter.counts(scope, cancel))


def directed(rows: DataSet, edges: Iterable[Edge]) -> Dag:
    """A chordal graph without v-structures."""
    scopes = [*edges, *((v,) for v in range(len(rows.domain)))]
    return directed_along(
        clique_tree_of_scopes(scopes, rows.domain.cardinalities), rows.domain.names
    )


class ChordalGraphLearner(BaseLearner[P]):
    """A learner of chordal graphs by entropies."""

    kind = "bayesian-network"
    obeys_knowledge = False

    @abstractmethod
    def search(
        self, rows: DataSet, params: P, rng: np.random.Generator, cancel: CancelToken
    ) -> Generator[LearnEvent, None, Iterable[Edge]]:
        """The events of a search; its value are the edges of a chordal graph."""

    def events(
        self, data: DataSet, params: P, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        edges = yield from self.search(rows, params, rng, cancel)
        dag = directed(rows, edges)
        yield from network_events(dag, rows, data, params, {}, rng=rng, cancel=cancel)


@dataclass(frozen=True, slots=True, kw_only=True)
class AugmentedTreeParams(ChordalParams):
    """The settings of the augmented spanning tree."""

    measure: str = measure_param(Setting.PROBABILISTIC, "info_gain", ", for the spanning tree.")


class AugmentedTreeLearner(ChordalGraphLearner[AugmentedTreeParams]):
    """The optimum spanning tree with edges that close triangles."""

    key = "bn.augmented-tree"
    passes = Passes(columns=2.0)
    title = "Augmented spanning tree"
    params_type = AugmentedTreeParams
    cost = Cost(0.1, 0.5, 2.0)
    artifacts = (SpanningTreeSteps,)

    def search(
        self,
        rows: DataSet,
        params: AugmentedTreeParams,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Iterable[Edge]]:
        yield Progress(None, "Measuring pairs…")
        counter = family_counter(rows)
        weights = pair_weights(
            len(rows.domain), lambda pair: counter.counts(pair, cancel), params.measure, cancel
        )
        edges = yield from tree_events(rows.domain.names, weights, params.measure)
        yield interim(rows, edges, cancel)
        count, bits = len(rows.domain), entropies(rows, cancel)
        return augmented_tree(count, edges, bits, params, lambda edge: True, cancel)


def interim(rows: DataSet, edges: Iterable[Edge], cancel: CancelToken) -> ImprovedModel:
    """A model on the way."""
    network = fit_tables(rows, directed(rows, edges), 1.0, cancel=cancel).network
    return ImprovedModel(network, {"edges": float(len(network.edges))})


@dataclass(frozen=True, slots=True, kw_only=True)
class CliqueParams(AnnealingParams, ChordalParams):
    """The settings of the search for small cliques."""


class CliqueLearner(ChordalGraphLearner[CliqueParams]):
    """A chordal graph of small cliques by simulated annealing."""

    key = "bn.cliques"
    passes = Passes(columns=2.0)
    title = "Cliques of bounded size"
    params_type = CliqueParams
    cost = Cost(0.3, 0.3, 1.0)

    def search(
        self, rows: DataSet, params: CliqueParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Generator[LearnEvent, None, Iterable[Edge]]:
        edges: Iterable[Edge] = ()
        bits = entropies(rows, cancel)
        for event in anneal_hypertree(len(rows.domain), bits, params, rng, cancel):
            if isinstance(event, Progress):
                yield event
            else:
                edges = event
                yield interim(rows, edges, cancel)
        return edges
