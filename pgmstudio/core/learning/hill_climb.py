"""Hill climbing over directed graphs with a list of visited graphs and random restarts.

One step adds, removes or reverses the edge that gains most. At a peak the search goes on to the
best graph not visited lately, downhill if need be, and stops after `tabu` steps without a new best
(Glover 1989; Bouckaert 1995). Restarts change the best graph at random and climb again. The graph
that is handed out is one that no legal step improves. Jaeger et al. 2006, §4.2, used these moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.climb_search import ClimbSearch
from pgmstudio.core.learning.completed_rows import completed_rows
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.em_steps import refined
from pgmstudio.core.learning.fitting import Fitted, fit_tables
from pgmstudio.core.learning.graph_climb import GraphClimb
from pgmstudio.core.learning.missing_cells import (
    ON_MISSING,
    missing_param,
    missing_sentence,
    refuse_empty,
)
from pgmstudio.core.learning.network_params import (
    bdeu_rows_param,
    knowledge_param,
    lambda_param,
    max_parents_param,
    max_table_cells_param,
    restarts_param,
    smoothing_param,
    start_param,
    tabu_param,
)
from pgmstudio.core.learning.protocols import Finished, LearnEvent
from pgmstudio.core.models.protocols import DirectedModel, Model
from pgmstudio.core.params import param
from pgmstudio.core.running import CancelToken
from pgmstudio.core.scores.family_scores import FamilyScores
from pgmstudio.core.scores.local_scores import SCORE_HELP, SCORES, score_of


@dataclass(frozen=True, slots=True, kw_only=True)
class HillClimbParams:
    """The settings of hill climbing."""

    score: str = param("bic", title="Score", choices=SCORES, help=SCORE_HELP)
    lambda_: float | None = lambda_param()
    ess: float = bdeu_rows_param()
    max_parents: int | None = max_parents_param()
    restarts: int = restarts_param(20)
    tabu: int = tabu_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param()
    start: DirectedModel | None = start_param()
    max_table_cells: int = max_table_cells_param()


class HillClimbLearner:
    """A Bayesian network by greedy search over graphs."""

    key = "bn.hill-climb"
    title = "Hill climbing"
    kind = "bayesian-network"
    params_type = HillClimbParams

    def refuses(self, data: DataSet) -> str | None:
        return refuse_empty(data)

    def on_missing(self, data: DataSet) -> str:
        return missing_sentence(data, ON_MISSING)

    def run(
        self,
        data: DataSet,
        params: HillClimbParams,
        *,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        rules = EdgeRules.of(data.domain.names, params.knowledge, params.max_parents)
        start = yield from rules.start_of(params.start)
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        scores = FamilyScores(
            rows,
            score_of(params.score, data.total_weight, lambda_=params.lambda_, ess=params.ess),
            max_table_cells=max(params.max_table_cells, largest_table(start, data)),
        )
        search = _Search(rows, data, params, GraphClimb(scores, rules), rng)
        yield from search.run(start, cancel)
        fitted = search.fit(cancel)
        fitted = yield from refined(fitted, data, params.missing, cancel=cancel)
        yield Finished(fitted.network, search.measures(fitted))


def largest_table(dag: Dag, data: DataSet) -> int:
    """How many cells the largest table of a network with this graph has."""
    cards = data.domain.cardinalities
    return max(
        (
            math.prod(cards[v] for v in (*parents, c))
            for c, parents in enumerate(dag.parent_indices)
        ),
        default=1,
    )


class _Search(ClimbSearch[FamilyScores]):
    """The climbs of one run, with the tables of the best graph."""

    def __init__(
        self,
        rows: DataSet,
        observed: DataSet,
        params: HillClimbParams,
        graph: GraphClimb[FamilyScores],
        rng: np.random.Generator,
    ) -> None:
        cells = rows.row_count * len(rows.domain)
        per_column = cells * (2e-10 if rows.weights is None else 1.5e-9) + 1e-5
        super().__init__(
            graph,
            rng,
            tabu=params.tabu,
            restarts=params.restarts,
            column_seconds=per_column,
            fit_seconds=cells * 3e-9,
        )
        self.rows, self.observed, self.params = rows, observed, params
        self._fold_seed = int(rng.integers(2**63))
        self._fitted: Fitted | None = None
        self._fitted_edges = graph.best_edges

    def best(self, cancel: CancelToken) -> tuple[Model, dict[str, float]]:
        fitted = self.fit(cancel)
        return fitted.network, self.measures(fitted)

    def fit(self, cancel: CancelToken) -> Fitted:
        """The best graph so far with its tables; every fit splits the rows alike."""
        if self._fitted is None or self._fitted_edges is not self.graph.best_edges:
            rng = np.random.default_rng(self._fold_seed)
            self._fitted = fit_tables(
                self.rows,
                self.graph.best_dag(),
                self.params.smoothing,
                rng=rng,
                counter=self.graph.scores.counter,
                observed=self.observed,
                cancel=cancel,
            )
            self._fitted_edges = self.graph.best_edges
        return self._fitted

    def measures(self, fitted: Fitted) -> dict[str, float]:
        told = {
            "score": self.graph.best_score,
            "edges": float(self.graph.best_edges.sum()),
            "steps": float(self.graph.step),
            "smoothing": fitted.smoothing,
        }
        if self.params.score == "lambda":
            told["lambda"] = self.graph.scores.score.cost_per_parameter
        return told | fitted.per_row(self.observed)
