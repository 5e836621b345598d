"""Hill climbing over directed graphs with a list of visited graphs and random restarts.

One step adds, removes or reverses the edge that gains most. At a peak the search goes on to the
best graph not visited lately, downhill if need be, and stops after `tabu` steps without a new best
(Glover 1989; Bouckaert 1995). Restarts change the best graph at random and climb again: they
reverse covered edges, which leads to another graph of the same equivalence class with other
neighbours (Castelo and Kočka 2003), and remove a random fraction of the edges. No legal step
improves the resulting graph. Jaeger et al. 2006, §4.2, used these moves.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.edge_prices import EdgePrices, price_matrix
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    Fitted,
    fit_tables,
    refined,
)
from pgmstudio.core.languages.bayesian_network.learning.score_based.climb import (
    GraphClimb,
    S,
    flags_of,
)
from pgmstudio.core.learning.base import (
    BaseLearner,
    Finished,
    ImprovedModel,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.params import (
    bdeu_rows_param,
    edge_prices_param,
    knowledge_param,
    lambda_param,
    max_parents_param,
    max_table_cells_param,
    missing_param,
    smoothing_param,
    start_param,
    tabu_param,
)
from pgmstudio.core.model import DirectedModel, Model
from pgmstudio.core.params import param
from pgmstudio.core.scores.family_cache import FamilyScores, largest_table
from pgmstudio.core.scores.local import SCORE_HELP, SCORES, score_of

# Restarts in a row that find nothing better before a search without a given number of them ends:
# more for more columns, whose graphs have more peaks. Chosen on samples of networks
# (benchmarks/bench_search.py --set development).
PATIENCE, PATIENCE_PER_COLUMN = 10, 1.5
# About how many that makes.
USUAL_RESTARTS = 60

# This fraction of the best graph's edges is removed before a restart where graphs of one class
# score differently: measured on ALARM and Insurance, fewer often climb back to the same peak and
# more forget what was good.
REMOVED_FRACTION = 0.6


class ClimbSearch(ABC, Generic[S]):
    """A climb from a start and further ones from the best graph without some of its edges.

    Without a number of `restarts` there are as many as it takes until none has found a better graph
    for a while. `column_seconds` and `fit_seconds` are about how long it takes to score the changes
    of one variable and to make a model.
    """

    def __init__(
        self,
        graph: GraphClimb[S],
        rng: np.random.Generator,
        *,
        tabu: int,
        restarts: int | None,
        column_seconds: float,
        fit_seconds: float,
    ) -> None:
        self.graph = graph
        self.rng = rng
        self.tabu = tabu
        self.restarts = restarts
        self.restarts_done = 0
        self._patience = math.ceil(PATIENCE + PATIENCE_PER_COLUMN * len(graph.edges))
        self._better_at = 0  # the last restart that found a better graph
        self.reported_score = -math.inf
        self._reported_at = 0  # columns scored at the last report of a model
        self._column_seconds = column_seconds
        self._fit_seconds = fit_seconds

    @abstractmethod
    def best(self, cancel: CancelToken) -> tuple[Model, dict[str, float]]:
        """The model of the best graph so far, and its measures."""

    def run(self, start: Dag, cancel: CancelToken) -> Iterator[LearnEvent]:
        """All climbs."""
        yield from self.begin(start, cancel)
        yield from self.again(cancel)

    def begin(self, start: Dag, cancel: CancelToken) -> Iterator[LearnEvent]:
        """The climb from a graph that is given."""
        yield from self.go_to(start, cancel)
        yield from self.climb(cancel)

    def again(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        """The climbs from the best graph without some of its edges."""
        while self._restarts_left():
            self.restarts_done += 1
            self.leave_best(cancel)
            before = self.graph.best_edges
            yield from self.climb(cancel)
            if self.graph.best_edges is not before:
                self._better_at = self.restarts_done

    def _restarts_left(self) -> int:
        """How many there are, or are until there is a better graph."""
        if self.restarts is None:
            return self._better_at + self._patience - self.restarts_done
        return self.restarts - self.restarts_done

    def leave_best(self, cancel: CancelToken) -> None:
        """Go to where the next climb begins."""
        self.graph.leave_best(self.rng, REMOVED_FRACTION, cancel)

    def go_to(self, dag: Dag, cancel: CancelToken) -> Iterator[LearnEvent]:
        n = len(dag.names)
        for child in self.graph.go_to(flags_of(dag), cancel):
            if child % 8 == 7:
                yield Progress(None, f"Scoring pairs of {n} columns", {"column": child + 1.0})
        if self._is_due():
            yield from self._improved(cancel)

    def climb(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        for _ in self.graph.steps(self.tabu, cancel):
            if self.graph.step % 8 == 0:
                yield self._progress()
            if self._is_due():
                yield from self._improved(cancel)
        yield from self._improved(cancel)
        yield self._progress()

    def counters(self) -> dict[str, float]:
        """The counters of the progress."""
        graph = self.graph
        return {
            "score": graph.score,
            "best score": graph.best_score,
            "edges": float(graph.edges.sum()),
            "step": float(graph.step),
            "restart": float(self.restarts_done),
        }

    def _progress(self) -> Progress:
        climbs = self.restarts_done + self._restarts_left() + 1
        fraction = self.restarts_done / climbs if climbs > 1 else None
        since = self.graph.since_best
        past_peak = f"No better for {since} {'step' if since == 1 else 'steps'}"
        return Progress(fraction, past_peak if since else "Climbing", self.counters())

    def _is_due(self) -> bool:
        """Whether to report the best model: after every third of a second of work, or less often if
        it is costly.

        Work is estimated from measured speeds and not read off a clock, so that the same seed
        gives the same events.
        """
        done = (self.graph.columns_scored - self._reported_at) * self._column_seconds
        return done >= max(0.3, 3 * self._fit_seconds)

    def _improved(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        self._reported_at = self.graph.columns_scored
        if self.graph.best_score > self.reported_score:
            self.reported_score = self.graph.best_score
            yield ImprovedModel(*self.best(cancel))


@dataclass(frozen=True, slots=True, kw_only=True)
class HillClimbParams:
    """The settings of hill climbing."""

    score: str = param("bic", title="Score", choices=SCORES, help=SCORE_HELP)
    lambda_: float | None = lambda_param()
    ess: float = bdeu_rows_param()
    max_parents: int | None = max_parents_param()
    restarts: int | None = param(
        None,
        title="Restarts",
        low=0,
        none_label="automatic",
        help="Additional searches, each from the best graph with some of its edges removed. "
        f"automatic: until {PATIENCE} and {PATIENCE_PER_COLUMN:g} for each variable in a row have "
        "found nothing better.",
    )
    tabu: int = tabu_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param()
    edge_prices: EdgePrices | None = edge_prices_param()
    start: DirectedModel | None = start_param()
    max_table_cells: int = max_table_cells_param()


class HillClimbLearner(BaseLearner[HillClimbParams]):
    """Greedy search over graphs."""

    key = "bn.hill-climb"
    passes = Passes(columns=1.0, repeats="restarts", automatic=USUAL_RESTARTS)
    title = "Hill climbing"
    kind = "bayesian-network"
    params_type = HillClimbParams
    cost = Cost(0.05, 0.5, 1.5, repeats="restarts", each=0.001, automatic=USUAL_RESTARTS)

    def events(
        self, data: DataSet, params: HillClimbParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rules = EdgeRules.of(data.domain.names, params.knowledge, params.max_parents)
        start = yield from rules.start_of(params.start)
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        scores = FamilyScores(
            rows,
            score_of(params.score, data.total_weight, lambda_=params.lambda_, ess=params.ess),
            max_table_cells=max(params.max_table_cells, largest_table(start, data)),
            prices=price_matrix(params.edge_prices, data.domain.names),
        )
        search = _Search(rows, data, params, GraphClimb(scores, rules), rng)
        yield from search.run(start, cancel)
        fitted = search.fit(cancel)
        fitted = yield from refined(fitted, data, params.missing, cancel=cancel)
        yield Finished(fitted.network, search.measures(fitted))


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
        per_column = cells * (1.5e-9 if rows.is_weighted else 2e-10) + 1e-5
        super().__init__(
            graph,
            rng,
            tabu=params.tabu,
            restarts=params.restarts,
            column_seconds=per_column,
            fit_seconds=cells * 3e-9,
        )
        self.rows = rows
        self.observed = observed
        self.params = params
        self._fold_seed = int(rng.integers(2**63))
        self._fitted: Fitted | None = None
        self._fitted_edges = graph.best_edges

    def leave_best(self, cancel: CancelToken) -> None:
        # Any fraction: some peaks are left by small changes only, and others by large ones.
        self.graph.leave_best(self.rng, self.rng.random(), cancel, is_turning=True)

    def best(self, cancel: CancelToken) -> tuple[Model, dict[str, float]]:
        fitted = self.fit(cancel)
        return fitted.network, self.measures(fitted)

    def fit(self, cancel: CancelToken) -> Fitted:
        """The best graph so far with its tables; every fit splits the rows in the same way."""
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
        result = {
            "score": self.graph.best_score,
            "edges": float(self.graph.best_edges.sum()),
            "steps": float(self.graph.step),
            "smoothing": fitted.smoothing,
        }
        if self.params.score == "lambda":
            result["lambda"] = self.graph.scores.score.cost_per_parameter
        return result | fitted.per_row(self.observed)
