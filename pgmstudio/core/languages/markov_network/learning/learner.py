"""What the learners of Markov networks share: settings, models of structures, measures, notes."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    PER_ROW,
    CompletingLearner,
)
from pgmstudio.core.languages.markov_network.fitting import (
    FittedMarkovNetwork,
    fit,
    is_exact,
)
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    PseudoLikelihood,
    neighbour_masks,
)
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure, edge_of
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.learning.params import (
    bdeu_rows_param,
    knowledge_param,
    max_table_cells_param,
    missing_param,
    start_param,
)
from pgmstudio.core.learning.score_definition import ScoreKind
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.model import Model, UndirectedModel
from pgmstudio.core.number_format import count_of
from pgmstudio.core.params import param

# The parameters of models on the way need not be exact: the largest gradient per row.
INTERIM_TOLERANCE = 1e-2
LN2 = math.log(2)
COMPLETED = (
    "The network is too large to sum out the missing cells of every row, so the parameters are "
    "those of the completed rows."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkovParams:
    """The settings of every learner of Markov networks."""

    ess: float = bdeu_rows_param()
    smoothing: float = param(
        1.0,
        title="Smoothing",
        low=0,
        help="Number of rows, spread evenly over all joint states, that are added when the "
        "parameters are fitted. 0 is maximum likelihood.",
    )
    tolerance: float = param(
        1e-8,
        title="Fit tolerance",
        low=0,
        low_open=True,
        high=1e-2,
        help="The largest gradient, per row, at which the fit of the parameters ends.",
        advanced=True,
    )
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param(
        "an edge is required if one of its directions is, and forbidden if both are; tiers are "
        "refused."
    )
    max_table_cells: int = max_table_cells_param()
    start: UndirectedModel | None = start_param()


def start_edges(
    start: UndirectedModel | None, domain: Domain, rules: UndirectedRules
) -> frozenset[Edge]:
    """The edges to begin with: those required, and those of the start that are allowed."""
    edges = set(rules.required)
    for one, other in () if start is None else start.undirected_edges:
        edge = edge_of(domain.index(one), domain.index(other))
        if rules.allows(edge):
            edges.add(edge)
    return frozenset(edges)


def edge_prior_param() -> Any:
    """The prior of an edge."""
    return param(
        1.0,
        title="Edge prior ρ",
        low=0,
        low_open=True,
        high=1,
        help="Prior of a graph: a factor ρ for each edge. 1 is a uniform prior.",
        advanced=True,
    )


def max_neighbours_param() -> Any:
    """How many neighbours a variable may have."""
    return param(
        8,
        title="Maximum neighbours",
        low=1,
        help="Maximum number of neighbours of a variable, its Markov blanket.",
    )


P = TypeVar("P", bound=MarkovParams)


class MarkovLearner(CompletingLearner[P]):
    """A learner of Markov networks: the search sees complete rows, the fit the observed cells."""

    kind = "markov-network"
    uses_tiers = False
    score_kind = ScoreKind.PSEUDO

    def refuses(self, data: DataSet) -> str | None:
        if isinstance(data, ChunkedData) and data.has_missing:
            return (
                "Markov networks with missing cells need all rows in memory, and the rows of this "
                "table stay in its file. Import a part of the rows, or take missing as a state."
            )
        return super().refuses(data)

    def refit(
        self, result: Finished, data: DataSet, params: P, cancel: CancelToken
    ) -> Generator[Progress | Note, None, tuple[Model, float]]:
        assert isinstance(result.model, MarkovNetwork)
        structure = result.model.structure
        if not is_exact(structure, data):
            yield Note(COMPLETED)
            return result.model, math.nan
        fitted = yield from fitted_network(structure, data, params, cancel)
        return fitted.network, fitted.log2_likelihood


def fitted_network(
    structure: MarkovStructure,
    data: DataSet,
    params: MarkovParams,
    cancel: CancelToken,
    start: MarkovNetwork | None = None,
) -> Generator[Progress | Note, None, FittedMarkovNetwork]:
    """The structure with its final parameters, and what has to be known about them."""
    fitted = yield from fit(
        structure,
        data,
        smoothing=params.smoothing,
        tolerance=params.tolerance,
        start=start,
        cancel=cancel,
    )
    yield from map(Note, (fitted.summary, *fitted.notes))
    return fitted


def finished(
    structure: MarkovStructure,
    data: DataSet,
    params: MarkovParams,
    measures: dict[str, float],
    cancel: CancelToken,
    start: MarkovNetwork | None = None,
) -> Generator[Progress | Note, None, Finished]:
    """The last event of a run; `start` is the network as far as it was fitted before."""
    fitted = yield from fitted_network(structure, data, params, cancel, start)
    measures = structure_measures(structure) | measures
    if not data.has_missing and not math.isnan(fitted.log2_likelihood):
        measures[PER_ROW] = fitted.log2_likelihood / data.total_weight
    return Finished(fitted.network, measures)


def structure_measures(structure: MarkovStructure) -> dict[str, float]:
    """The sizes of a structure."""
    return {
        "edges": float(len(structure.edges)),
        "contexts": float(structure.element_count),
    }


def interim_network(
    structure: MarkovStructure, data: DataSet, params: MarkovParams, cancel: CancelToken
) -> Generator[Progress, None, MarkovNetwork]:
    """A model on the way, with parameters that are close enough to look at."""
    tolerance = max(INTERIM_TOLERANCE, params.tolerance)
    fitted = yield from fit(
        structure, data, smoothing=max(params.smoothing, 1.0), tolerance=tolerance, cancel=cancel
    )
    return fitted.network


def bic_of(
    structure: MarkovStructure, data: DataSet, tolerance: float, cancel: CancelToken
) -> Generator[Progress, None, FittedMarkovNetwork]:
    """The fit of largest likelihood, for BIC."""
    return (yield from fit(structure, data, tolerance=tolerance, cancel=cancel))


def table_notes(
    scores: PseudoLikelihood, structure: MarkovStructure, cancel: CancelToken
) -> Iterator[str]:
    """Notes on large blankets, and on contexts without support in the data."""
    names = structure.domain.names
    masks = neighbour_masks(len(names), structure.edges)
    sparse = []
    for node, mask in enumerate(masks):
        q = math.prod(scores.cards[v] for v in structure.neighbours[node])
        if mask and q > scores.total_weight / 5:
            sparse.append(names[node])
    if sparse:
        shown = ", ".join(sparse[:5]) + (" and others" if len(sparse) > 5 else "")
        tables = "The table" if len(sparse) == 1 else "The tables"
        yield (
            f"{tables} of {shown} given the neighbours {'is' if len(sparse) == 1 else 'are'} "
            "sparse: there are fewer than five rows per joint state of the neighbours."
        )
    unseen = 0
    for (i, j), elements in structure.contexts.items():
        members = (*structure.common_neighbours(i, j), i, j)
        seen = scores.families.counter.counts(members, cancel) > 0
        for states in elements:
            table = seen[states]
            unseen += bool((table.any(axis=1).sum() < 2) | (table.any(axis=0).sum() < 2))
    if unseen:
        contexts = "1 has" if unseen == 1 else f"{unseen} have"
        yield (
            f"Of {count_of(structure.element_count, 'context')}, {contexts} no support in the "
            "data: rows show at most one state of an end of the edge there."
        )
