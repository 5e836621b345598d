"""The Bayesian network of highest score among all directed acyclic graphs, for few columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices, price_matrix
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import network_events
from pgmstudio.core.learning.base import BaseLearner, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.exact_search import best_graph
from pgmstudio.core.learning.params import (
    bdeu_rows_param,
    edge_prices_param,
    knowledge_param,
    max_parents_param,
    max_table_cells_param,
    missing_param,
    smoothing_param,
)
from pgmstudio.core.params import param
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of

MAX_VARIABLES = 15
SCORES = ("bic", "aic", "bdeu", "k2")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactParams:
    """The settings of the exact search."""

    score: str = param(
        "bic",
        title="Score",
        choices=SCORES,
        help="Score to maximize, in bits: bic and aic penalize parameters, bdeu and k2 are "
        "marginal likelihoods.",
    )
    ess: float = bdeu_rows_param()
    max_parents: int | None = max_parents_param(None)
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param()
    edge_prices: EdgePrices | None = edge_prices_param()
    max_table_cells: int = max_table_cells_param()


class ExactNetworkLearner(BaseLearner[ExactParams]):
    """The Bayesian network of highest score among all graphs, for few columns."""

    key = "bn.exact"
    passes = Passes(columns=4.0)
    title = "Best of all graphs (exact)"
    kind = "bayesian-network"
    params_type = ExactParams
    cost = Cost(20.0, 0.5, 5.0)

    def refuses(self, data: DataSet) -> str | None:
        columns = len(data.domain)
        if columns > MAX_VARIABLES:
            return (
                f"The exact search is for at most {MAX_VARIABLES} columns and there are "
                f"{columns}. Select fewer columns, or use hill climbing (bn.hill-climb)."
            )
        return super().refuses(data)

    def events(
        self, data: DataSet, params: ExactParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        rules = EdgeRules.of(rows.domain.names, params.knowledge, params.max_parents)
        score = score_of(params.score, rows.total_weight, ess=params.ess)
        prices = price_matrix(params.edge_prices, rows.domain.names)
        scores = FamilyScores(rows, score, max_table_cells=params.max_table_cells, prices=prices)
        dag = yield from best_graph(scores.local, rules, cancel)
        families = enumerate(dag.parent_indices)
        total = sum(scores.local(child, parents, cancel) for child, parents in families)
        measures = {"score": total}
        yield from network_events(dag, rows, data, params, measures, rng=rng, cancel=cancel)
