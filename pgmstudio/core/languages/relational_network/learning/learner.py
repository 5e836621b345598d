"""What the learners of relational networks share: settings, interim models, measures and notes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.relation import Relation
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.execution.events import CancelToken, Note
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure, edge_of
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.core.learning.base import BaseLearner, Finished, ImprovedModel, LearnEvent
from pgmstudio.core.learning.params import knowledge_param
from pgmstudio.core.learning.undirected_rules import UndirectedRules, direction_note
from pgmstudio.core.number_format import count_of, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationalParams:
    """The settings of every learner of relational networks."""

    knowledge: Knowledge | None = knowledge_param(
        "an edge is required if one of its directions is, and forbidden if both are; tiers are "
        "refused."
    )


P = TypeVar("P", bound=RelationalParams)


class RelationalLearner(BaseLearner[P]):
    """A learner of relational networks: it sees which rows occur, not how often."""

    kind = "relational-network"
    uses_tiers = False
    obeys_knowledge = True
    missing_treatment = "Rows with missing cells are left out: they are no tuples."

    def refuses(self, data: DataSet) -> str | None:
        reason = super().refuses(data)
        if reason is None and data.incomplete_row_count == data.row_count:
            reason = "Every row has a missing cell, so there are no tuples."
        return reason

    @abstractmethod
    def search(
        self,
        relation: Relation,
        params: P,
        rules: UndirectedRules,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Generator[LearnEvent, None, Iterable[Edge]]:
        """The events of a search; its value are the edges of the graph."""

    def fit_graph(
        self, data: DataSet, params: P, edges: Sequence[tuple[str, str]]
    ) -> RelationalNetwork:
        """A graph with the projections of the data."""
        index = data.domain.index
        return network_of(Relation.of(data), [edge_of(index(a), index(b)) for a, b in edges])

    def events(
        self, data: DataSet, params: P, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        knowledge = params.knowledge if self.obeys_knowledge else None
        rules = UndirectedRules.of(data.domain.names, knowledge)
        relation = Relation.of(data)
        yield improved(relation, rules.required, is_start=True)
        yield from direction_note(knowledge)
        if data.incomplete_row_count:
            yield Note(f"{count_of(data.incomplete_row_count, 'row')} with missing cells left out.")
        used = zip(data.domain.names, relation.used_states, strict=True)
        constant = [name for name, states in used if states < 2]
        if constant:
            yield Note(f"Only one state occurs in {', '.join(constant)}; nothing depends on it.")
        edges = yield from self.search(relation, params, rules, rng, cancel)
        cancel.raise_if_cancelled()
        network = network_of(relation, edges)
        measures = structure_measures(network)
        try:
            measures |= tuple_measures(network, relation)
        except TooLargeError as problem:
            yield Note(f"The additional tuples were not counted. {problem}")
        else:
            yield Note(additional_text(network, relation))
        yield Finished(network, measures)


def network_of(relation: Relation, edges: Iterable[Edge]) -> RelationalNetwork:
    """The graph with the projections of the relation."""
    return RelationalNetwork.of_relation(
        MarkovStructure(relation.domain, frozenset(edges)), relation
    )


def improved(relation: Relation, edges: Iterable[Edge], *, is_start: bool = False) -> ImprovedModel:
    """A model on the way."""
    network = network_of(relation, edges)
    return ImprovedModel(network, structure_measures(network), is_start=is_start)


def structure_measures(network: RelationalNetwork) -> dict[str, float]:
    return {"edges": float(len(network.structure.edges))}


def tuple_measures(network: RelationalNetwork, relation: Relation) -> dict[str, float]:
    """|R_G|, the additional tuples, and the Hartley divergence in bits."""
    count = network.tuple_count
    return {
        "tuples": float(count),
        "additional_tuples": float(count - len(relation)),
        "hartley_divergence": network.hartley_bits() - float(np.log2(len(relation))),
    }


def additional_text(network: RelationalNetwork, relation: Relation) -> str:
    """How well the graph represents the relation, as a message."""
    extra = network.tuple_count - len(relation)
    held = count_of(len(relation), "tuple")
    if extra == 0:
        return f"The graph represents the {held} of the data exactly."
    return (
        f"The graph represents {whole(network.tuple_count)} tuples: the {held} of the data and "
        f"{whole(extra)} more."
    )
