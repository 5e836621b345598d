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
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.em_steps import refined
from pgmstudio.core.learning.fitting import Fitted, fit_tables
from pgmstudio.core.learning.graph_climb import GraphClimb
from pgmstudio.core.learning.missing_cells import missing_param, missing_sentence, refuse_empty
from pgmstudio.core.learning.protocols import Finished, Found, LearnEvent
from pgmstudio.core.learning.smoothing import SMOOTHING_HELP
from pgmstudio.core.models.protocols import DirectedModel
from pgmstudio.core.params import param
from pgmstudio.core.running import CancelToken, Note, Progress
from pgmstudio.core.scores.family_scores import MAX_TABLE_CELLS, FamilyScores
from pgmstudio.core.scores.local_scores import SCORE_HELP, SCORES, score_of

ON_MISSING_SCORES = (
    "Each family is scored over the rows that have all its cells, scaled to all rows; no row is "
    "dropped and it takes little longer, but the score is trustworthy only if cells are missing "
    "at random."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HillClimbParams:
    """The settings of hill climbing."""

    score: str = param("bic", title="Score", choices=SCORES, help=SCORE_HELP)
    lambda_: float | None = param(
        None,
        title="λ",
        low=0,
        high=1,
        none_label="as in BIC",
        help="Weight of the size in the lambda score; larger gives smaller networks.",
    )
    ess: float = param(
        1.0,
        title="Equivalent sample size",
        low=0,
        low_open=True,
        help="How many imagined rows the prior of BDeu is worth.",
    )
    max_parents: int | None = param(
        None, title="Most parents", low=0, none_label="no limit", help="A limit for each variable."
    )
    restarts: int = param(
        20,
        title="Restarts",
        low=0,
        help="Further climbs, each from the best graph without most of its edges.",
    )
    tabu: int = param(
        10,
        title="Steps past a peak",
        low=0,
        help="Steps without a new best before a climb ends; graphs visited lately are avoided. "
        "0 is plain hill climbing.",
    )
    smoothing: float | Literal["auto"] = param(
        "auto", title="Smoothing α", low=0, help=SMOOTHING_HELP
    )
    missing: str = missing_param()
    knowledge: Knowledge | None = param(
        None, title="Knowledge", help="Required and forbidden edges and tiers."
    )
    start: DirectedModel | None = param(
        None,
        title="Start",
        none_label="no edges",
        help="A model whose edges the search starts from.",
    )
    max_table_cells: int = param(
        MAX_TABLE_CELLS,
        title="Largest table",
        low=1,
        help="Families whose table would have more cells are not considered.",
        advanced=True,
    )


class HillClimbLearner:
    """A Bayesian network by greedy search over graphs."""

    key = "bn.hill-climb"
    title = "Hill climbing"
    kind = "bayesian-network"
    params_type = HillClimbParams

    def refuses(self, data: DataSet) -> str | None:
        return refuse_empty(data)

    def on_missing(self, data: DataSet) -> str:
        return missing_sentence(data, ON_MISSING_SCORES)

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
        start, left_out = rules.starting_graph(() if params.start is None else params.start.edges)
        if left_out:
            yield Note(left_out_sentence(left_out))
        scores = FamilyScores(
            data,
            score_of(params.score, data.total_weight, lambda_=params.lambda_, ess=params.ess),
            max_table_cells=max(params.max_table_cells, largest_table(start, data)),
        )
        search = _Search(data, params, GraphClimb(scores, rules), rng)
        yield from search.place(start, cancel)
        yield from search.climb(cancel)
        for _ in range(params.restarts):
            yield from search.restart(cancel)
        fitted = search.fit(cancel)
        if fitted.tuned is not None:
            yield Note(str(fitted.tuned))
        fitted = yield from refined(fitted, data, params.missing, rng=rng, cancel=cancel)
        yield Finished(fitted.network, search.measures(fitted))


def left_out_sentence(count: int) -> str:
    """What is said when the rules let not all edges of a start in."""
    edges = "1 edge" if count == 1 else f"{count} edges"
    return f"The rules do not allow {edges} of the start; the search begins without."


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


class _Search:
    """The climbs of one run, told as events."""

    def __init__(
        self,
        data: DataSet,
        params: HillClimbParams,
        graph: GraphClimb,
        rng: np.random.Generator,
    ) -> None:
        self.data, self.params, self.graph, self.rng = data, params, graph, rng
        self.restarts_done = 0
        self.found_score = -math.inf
        self._told = 0  # columns scored when the last Found was looked for
        self._fold_seed = int(rng.integers(2**63))
        self._fitted: Fitted | None = None
        self._fitted_edges = graph.best_edges

    def place(self, dag: Dag, cancel: CancelToken) -> Iterator[LearnEvent]:
        n = len(dag.names)
        edges = np.zeros((n, n), dtype=np.uint8)
        for child, parents in enumerate(dag.parent_indices):
            edges[list(parents), child] = 1
        for child in self.graph.place(edges, cancel):
            if child % 8 == 7:
                yield Progress(None, f"Scoring pairs of {n} columns", {"column": child + 1.0})
        yield from self._found_by_now(cancel)

    def climb(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        for _ in self.graph.steps(self.params.tabu, cancel):
            if self.graph.step % 8 == 0:
                yield self._progress()
            yield from self._found_by_now(cancel)
        yield from self._found(cancel)
        yield self._progress()

    def restart(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        self.restarts_done += 1
        self.graph.thin_out(self.rng, cancel)
        yield from self.climb(cancel)

    def _progress(self) -> Progress:
        graph = self.graph
        counters = {
            "score": graph.score,
            "best score": graph.best_score,
            "edges": float(graph.edges.sum()),
            "step": float(graph.step),
            "restart": float(self.restarts_done),
        }
        climbs = self.params.restarts + 1
        fraction = self.restarts_done / climbs if climbs > 1 else None
        steps = "step" if graph.since_best == 1 else "steps"
        past_peak = f"No better for {graph.since_best} {steps}"
        return Progress(fraction, past_peak if graph.since_best else "Climbing", counters)

    def _found_by_now(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        """Hand out the best model after every third of a second of work, or what fits its cost.

        Work is estimated from measured speeds and not read off a clock, so that the same seed
        gives the same events.
        """
        cells = self.data.row_count * len(self.data.domain)
        per_column = cells * (2e-10 if self.data.weights is None else 1.5e-9) + 1e-5
        per_fit = cells * 3e-9
        if (self.graph.columns_scored - self._told) * per_column >= max(0.3, 3 * per_fit):
            yield from self._found(cancel)

    def _found(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        self._told = self.graph.columns_scored
        if self.graph.best_score > self.found_score:
            self.found_score = self.graph.best_score
            fitted = self.fit(cancel)
            yield Found(fitted.network, self.measures(fitted))

    def fit(self, cancel: CancelToken) -> Fitted:
        """The best graph so far with its tables; every fit splits the rows alike."""
        if self._fitted is None or self._fitted_edges is not self.graph.best_edges:
            rng = np.random.default_rng(self._fold_seed)
            self._fitted = fit_tables(
                self.data,
                self.graph.best_dag(),
                self.params.smoothing,
                rng=rng,
                counter=self.graph.scores.counter,
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
        if not self.data.has_missing:
            told["log2_likelihood_per_row"] = fitted.log2_likelihood / self.data.total_weight
        return told
