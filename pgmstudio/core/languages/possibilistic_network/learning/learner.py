"""What the learners of possibilistic networks share: settings, degrees of the data, measures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.possibility import MAX_CLOSURE, PossibilityDistribution
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken, Note
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.junction_tree import clique_tree_of_scopes, directed_along
from pgmstudio.core.inference.join_tree import MINIMUM, NORMS
from pgmstudio.core.languages.possibilistic_network.fit import (
    degree_measures,
    distribution_measures,
)
from pgmstudio.core.languages.possibilistic_network.model import (
    CONVENTIONS,
    JOINT,
    PossibilisticNetwork,
)
from pgmstudio.core.learning.base import BaseLearner, Finished, ImprovedModel, LearnEvent
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.params import knowledge_param
from pgmstudio.core.learning.undirected_rules import Edge
from pgmstudio.core.number_format import count_of
from pgmstudio.core.params import param

APPROXIMATE = (
    "Degrees are approximate: the imprecise rows have too many intersections, so some were drawn "
    "at random. No degree is too large, but some may be too small."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibilisticParams:
    """The settings of every learner of possibilistic networks."""

    norm: str = param(
        MINIMUM,
        title="Norm",
        choices=NORMS,
        help="How degrees are combined: by their minimum or by their product.",
    )
    convention: str = param(
        JOINT,
        title="Conditional degrees",
        choices=CONVENTIONS,
        help="joint: π(a|b) is π(a,b). hisdal: π(a,b) if it is less than π(b), else 1. product: "
        "π(a,b) / π(b), which goes with the product as norm.",
    )
    rescaled: bool = param(
        False, title="Rescale", help="Divide all degrees by the largest, so that it is 1."
    )
    max_closure: int = param(
        MAX_CLOSURE,
        title="Maximum intersections",
        low=1,
        help="Intersections of imprecise rows; with more, degrees are approximate.",
        advanced=True,
    )
    knowledge: Knowledge | None = knowledge_param()


P = TypeVar("P", bound=PossibilisticParams)


class PossibilisticLearner(BaseLearner[P]):
    """A learner of possibilistic networks."""

    kind = "possibilistic-network"
    obeys_knowledge = True
    missing_treatment = (
        "They are unknown: every state is possible there. The largest degrees are found among the "
        "intersections of rows; if there are too many, some are drawn."
    )

    @abstractmethod
    def search(
        self,
        distribution: PossibilityDistribution,
        params: P,
        rules: EdgeRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Dag]:
        """The events of a search; its value is the graph."""

    def fit_graph(
        self, data: DataSet, params: P, edges: Sequence[tuple[str, str]]
    ) -> PossibilisticNetwork:
        """A directed graph with the degrees of the data."""
        distribution = distribution_of(data, params, np.random.default_rng(0), NEVER)
        return network_of(Dag.from_edges(data.domain.names, edges), distribution, params)

    def events(
        self, data: DataSet, params: P, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        knowledge = params.knowledge if self.obeys_knowledge else None
        rules = EdgeRules.of(data.domain.names, knowledge, getattr(params, "max_parents", None))
        distribution = distribution_of(data, params, rng, cancel)
        start, _ = rules.starting_graph(())
        yield improved(start, distribution, params, is_start=True)
        if not distribution.is_exact:
            yield Note(APPROXIMATE)
        elif not distribution.is_precise:
            sets = count_of(distribution.set_degrees.size, "intersection")
            yield Note(f"Imprecise rows have {sets}; their degrees are exact.")
        dag = yield from self.search(distribution, params, rules, rng, cancel)
        cancel.raise_if_cancelled()
        network = network_of(dag, distribution, params)
        measures = {"edges": float(len(network.edges))} | distribution_measures(distribution)
        try:
            measures |= degree_measures(network, distribution)
        except TooLargeError as problem:
            yield Note(f"The additional degrees were not summed. {problem}")
        yield Finished(network, measures)


def distribution_of(
    data: DataSet, params: PossibilisticParams, rng: np.random.Generator, cancel: CancelToken
) -> PossibilityDistribution:
    """The degrees of the data with these settings."""
    return PossibilityDistribution.of(
        data, rescaled=params.rescaled, max_closure=params.max_closure, rng=rng, cancel=cancel
    )


def network_of(
    dag: Dag, distribution: PossibilityDistribution, params: PossibilisticParams
) -> PossibilisticNetwork:
    """The graph with the degrees of the data."""
    return PossibilisticNetwork.of_distribution(dag, distribution, params.norm, params.convention)


def improved(
    dag: Dag,
    distribution: PossibilityDistribution,
    params: PossibilisticParams,
    *,
    is_start: bool = False,
) -> ImprovedModel:
    """A model on the way."""
    network = network_of(dag, distribution, params)
    return ImprovedModel(network, {"edges": float(len(dag.edges))}, is_start=is_start)


def directed_graph(
    distribution: PossibilityDistribution, edges: Iterable[Edge]
) -> Generator[Note, None, Dag]:
    """An undirected graph as a directed one without v-structures; notes the edges that
    triangulating adds."""
    domain = distribution.domain
    scopes = [*edges, *((v,) for v in range(len(domain)))]
    tree = clique_tree_of_scopes(scopes, domain.cardinalities)
    if tree.fill_ins:
        added = ", ".join(f"{domain.names[a]} – {domain.names[b]}" for a, b in tree.fill_ins)
        yield Note(f"Added so that the graph is chordal and can be directed: {added}.")
    return directed_along(tree, domain.names)
