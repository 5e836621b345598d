"""Structural EM: graph and tables together from data with missing cells (Friedman 1998).

Each round fills the missing cells by the current network (imputation.py), searches for a better
graph on these rows, and fits its tables by EM. A round counts only if it raises

    weight · log2 P(observed cells | tables by EM) − cost per parameter · size

the score of what was truly observed (BIC, AIC or λ), so this never falls from round to round,
whatever the completions missed. When the search finds no better graph, edges in doubt are removed
one by one; it ends when that does not help either.

Completions by a network with an edge show the edge, even if no observed cell supports it. Of the
likelihood that an edge gains on completed rows, the fraction from rows that lack a cell of its
family is no evidence. If the rest does not pay for the edge's parameters, the edge is in doubt, and
only the score of the observed cells decides whether it should stay.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.search import (
    KesLearner,
    KesParams,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.expected_counts import (
    Expectation,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.imputation import completed
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    EmState,
    em_states,
    first_tables,
    fit_tables,
)
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbLearner,
    HillClimbParams,
)
from pgmstudio.core.languages.bayesian_network.missing_cells import Table
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.base import (
    AVAILABLE,
    EM,
    BaseLearner,
    Finished,
    ImprovedModel,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.params import (
    knowledge_param,
    lambda_param,
    max_parents_param,
    smoothing_param,
)
from pgmstudio.core.learning.smoothing import TunedSmoothing, tune_smoothing
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.params import AUTO, param
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import Score, score_of


def doubtful_edges(
    dag: Dag, data: DataSet, completed: DataSet, score: Score, cancel: CancelToken = NEVER
) -> list[tuple[str, str]]:
    """The edges in doubt, the one that gains least on the completed rows first."""
    scores = FamilyScores(completed, score)
    is_missing = data.codes == data.missing_code
    weights = data.row_weights
    cards = data.domain.cardinalities
    result = []
    for child, parents in enumerate(dag.parent_indices):
        lacking = is_missing[[*parents, child]].any(axis=0)
        hearsay = float(weights[lacking].sum()) / data.total_weight
        rows = int(np.prod([cards[p] for p in parents]))
        for parent in parents:
            rest = [p for p in parents if p != parent]
            gain = scores.local(child, parents, cancel) - scores.local(child, rest, cancel)
            price = score.cost_per_parameter * (cards[child] - 1) * (rows - rows // cards[parent])
            if gain < hearsay * (gain + price):
                result.append((gain, (dag.names[parent], dag.names[child])))
    return [edge for _, edge in sorted(result)]


HILL_CLIMB, KES = "hill-climb", "kes"
# Scores of tables averaged over have no exact value when cells are missing.
OBSERVED_SCORES = ("bic", "aic", "aic-thesis", "lambda")
# Pseudo-count of the first tables of a new graph, so that no row is impossible in them.
MIN_INITIAL = 0.01
# A graph is judged by tables that gain no more than this many bits per row in an iteration.
ROUND_TOLERANCE = 1e-4
MAX_DOUBTS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuralEmParams:
    """The settings of structural EM."""

    search: str = param(
        HILL_CLIMB,
        title="Search",
        choices=(HILL_CLIMB, KES),
        help="Search method of each round: hill-climb over graphs, or kes over equivalence "
        "classes.",
    )
    score: str = param(
        "bic",
        title="Score",
        choices=OBSERVED_SCORES,
        help="Score to maximize, in bits: bic and aic penalize parameters (aic-thesis: one bit "
        "each instead of one nat), lambda uses the given weight.",
    )
    lambda_: float | None = lambda_param()
    max_parents: int | None = max_parents_param()
    rounds: int = param(
        20, title="Maximum rounds", low=1, help="Maximum number of rounds (completion and search)."
    )
    restarts: int = param(
        5, title="Restarts", low=0, help="Additional searches in each round of hill-climb."
    )
    smoothing: float | Literal["auto"] = smoothing_param()
    knowledge: Knowledge | None = knowledge_param()
    start: DirectedModel | None = param(
        None,
        title="Start",
        none_label="search",
        help="A model with the initial edges; variables that are not columns are hidden. Without "
        "it, the first step is a search on completed rows.",
    )
    completions: int | None = param(
        None,
        title="Completions",
        low=1,
        none_label="as fits",
        help="Number of random completions of a row with more possible ones.",
        advanced=True,
    )


class StructuralEmLearner(BaseLearner[StructuralEmParams]):
    """Graph and CPTs of incomplete data."""

    key = "bn.structural-em"
    title = "Structural EM"
    kind = "bayesian-network"
    params_type = StructuralEmParams
    missing_treatment = (
        "In every round they are filled by the current network, with the probabilities of their "
        "states; no row is dropped, it takes several searches instead of one, and the result is "
        "right if cells are missing at random."
    )
    cost = Cost(0.1, 1.0, 2.0, gaps=30.0, compiling=2.5)

    def events(
        self,
        data: DataSet,
        params: StructuralEmParams,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[LearnEvent]:
        search = _Rounds(with_hidden(data, params.start), params, rng, cancel)
        yield from search.begin()
        for number in range(1, params.rounds + 1):
            if not search.data.has_missing:
                break
            if not (yield from search.round(number)):
                break
        network, smoothing = yield from search.final()
        yield Finished(network, search.measures(smoothing))


def with_hidden(data: DataSet, start: DirectedModel | None) -> DataSet:
    """The data with a column of missing cells for each variable of `start` that is no column."""
    if start is None:
        return data
    more = tuple(v for v in start.domain if v.name not in data.domain)
    return rows_over(data, Domain((*data.domain.variables, *more))) if more else data


@dataclass(frozen=True, eq=False)
class _Fit:
    """A graph, its tables of largest likelihood, and the score of the observed cells."""

    expectation: Expectation
    dag: Dag
    state: EmState
    score: float

    def network(self, domain: Domain) -> BayesianNetwork:
        return BayesianNetwork(domain, self.dag, self.state.tables)


def _graph_of(
    events: Iterator[LearnEvent], domain: Domain, label: str
) -> Generator[LearnEvent, None, Dag]:
    """The final graph of a search; its progress has no scores, as they are not those of the
    observed cells."""
    dag = Dag.empty(domain.names)
    for event in events:
        if isinstance(event, Progress):
            edges = {name: value for name, value in event.counters.items() if name == "edges"}
            yield Progress(None, f"{label}: {event.message}", edges)
        elif isinstance(event, Finished):
            assert isinstance(event.model, DirectedModel)
            dag = Dag.from_edges(domain.names, event.model.edges)
    return dag


class _Rounds:
    """The state of one run."""

    def __init__(
        self,
        data: DataSet,
        params: StructuralEmParams,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> None:
        self.data = data
        self.params = params
        self._rng = rng
        self._cancel = cancel
        self._rules = EdgeRules.of(data.domain.names, params.knowledge, params.max_parents)
        self._score: Score = score_of(params.score, data.total_weight, lambda_=params.lambda_)
        self._fold_seed = int(rng.integers(2**63))
        self._best: _Fit
        self._best_score = -math.inf
        self._rounds = self._iterations = 0

    def begin(self) -> Iterator[LearnEvent]:
        """The first graph: given, or searched for over the rows that have the cells of a family."""
        if not self.data.has_missing:
            dag = yield from self._search(self.data, self.params.start, "Search")
        elif self.params.start is None:
            dag = yield from self._first_search()
        else:
            dag = yield from self._rules.start_of(self.params.start)
        self._take((yield from self._fit(dag, None, "First tables")))
        yield from self._report()

    def round(self, number: int) -> Generator[LearnEvent, None, bool]:
        """Complete, search, fit, doubt; whether that raised the score."""
        self._rounds = number
        label = f"Round {number}"
        yield Progress(None, f"{label}: filling the missing cells")
        now = self._best.network(self.data.domain)
        rows = completed(
            now, self.data, copies=self.params.completions, rng=self._rng, cancel=self._cancel
        )
        # Greedy search over classes finds the right one from no edges, not from any class.
        start = now if self.params.search == HILL_CLIMB else None
        dag = yield from self._search(rows, start, label)
        is_better = dag != self._best.dag and (yield from self._try(dag, rows, label))
        if not is_better:
            is_better = yield from self._doubt(rows, label)
        if is_better:
            yield from self._report()
        else:
            yield Note(f"No graph scored higher in round {number}, so the search ended.")
        return is_better

    def _try(self, dag: Dag, rows: DataSet, label: str) -> Generator[LearnEvent, None, bool]:
        """Fit the graph, and keep it if the observed cells score higher."""
        tables = fit_tables(rows, dag, MIN_INITIAL, cancel=self._cancel).network.tables
        fit = yield from self._fit(dag, tables, label)
        if fit.score <= self._best.score + 1e-9 * abs(self._best.score):
            return False
        self._take(fit)
        return True

    def _take(self, fit: _Fit) -> None:
        self._best = fit
        self._best_score = fit.score

    def _doubt(self, rows: DataSet, label: str) -> Generator[LearnEvent, None, bool]:
        """Remove edges that only the completions support; whether one was removed."""
        is_better = False
        required = () if self.params.knowledge is None else self.params.knowledge.required
        edges = doubtful_edges(self._best.dag, self.data, rows, self._score, self._cancel)
        for source, target in [edge for edge in edges if edge not in required][:MAX_DOUBTS]:
            dag = self._best.dag.without_edge(source, target)
            doubt = f"{label}: testing the removal of {source} → {target}"
            is_better = (yield from self._try(dag, rows, doubt)) or is_better
        return is_better

    def _first_search(self) -> Generator[LearnEvent, None, Dag]:
        """The search on rows completed as for every other learner."""
        rows = yield from completed_rows(self.data, EM, rng=self._rng, cancel=self._cancel)
        return (yield from self._search(rows, None, "First search"))

    def _search(
        self, rows: DataSet, start: DirectedModel | None, label: str
    ) -> Generator[LearnEvent, None, Dag]:
        """The graph that the chosen search finds on these rows."""
        params = self.params
        shared: dict[str, Any] = {
            "score": params.score,
            "lambda_": params.lambda_,
            "max_parents": params.max_parents,
            "knowledge": params.knowledge,
            "start": start,
            "smoothing": 1.0,
            "missing": AVAILABLE,
        }
        events: Iterator[LearnEvent]
        if params.search == HILL_CLIMB:
            climb = HillClimbParams(restarts=params.restarts, **shared)
            events = HillClimbLearner().run(rows, climb, rng=self._rng, cancel=self._cancel)
        else:
            greedy = KesParams(greediness=(1.0,), restarts=1, processes=1, **shared)
            events = KesLearner().run(rows, greedy, rng=self._rng, cancel=self._cancel)
        return (yield from _graph_of(events, rows.domain, label))

    def _fit(
        self, dag: Dag, tables: tuple[Table, ...] | None, label: str
    ) -> Generator[LearnEvent, None, _Fit]:
        expectation = Expectation(dag, self.data, self._cancel)
        begin = first_tables(expectation, self._rng) if tables is None else tables
        nothing = [0.0] * len(begin)
        steps = em_states(
            expectation, begin, nothing, tolerance=ROUND_TOLERANCE, cancel=self._cancel
        )
        size = sum((t.shape[-1] - 1) * (t.size // t.shape[-1]) for t in begin)
        score = self._score
        for state in steps:
            self._iterations += 1
            value = score.weight * state.log2_likelihood - score.cost_per_parameter * size
            text = f"{label}: tables by EM, iteration {state.iteration}"
            yield Progress(None, text, self._counters(max(value, self._best_score), dag))
        return _Fit(expectation, dag, state, value)

    def _counters(self, score: float, dag: Dag) -> dict[str, float]:
        """The curve of a run: the best score of the observed cells by iterations of EM."""
        return {"score": score, "step": float(self._iterations), "edges": float(len(dag.edges))}

    def _report(self) -> Iterator[LearnEvent]:
        counters = self._counters(self._best.score, self._best.dag)
        smoothing = self._smoothing()[0]
        yield ImprovedModel(self._smoothed(smoothing), self.measures(smoothing))
        yield Progress(None, f"Round {self._rounds} done", counters)

    def final(self) -> Generator[LearnEvent, None, tuple[BayesianNetwork, float]]:
        """The best graph with smoothed tables."""
        smoothing, tuned = self._smoothing()
        if tuned is not None:
            yield Note(str(tuned))
        return self._smoothed(smoothing), smoothing

    def _smoothing(self) -> tuple[float, TunedSmoothing | None]:
        """α, tuned over the cells that there are; every graph splits the rows in the same way."""
        if self.params.smoothing != AUTO:
            return float(self.params.smoothing), None
        families = [(*parents, c) for c, parents in enumerate(self._best.dag.parent_indices)]
        rng = np.random.default_rng(self._fold_seed)
        tuned = tune_smoothing(self.data, families, rng, self._cancel)
        return tuned.smoothing, tuned

    def _smoothed(self, smoothing: float) -> BayesianNetwork:
        fit = self._best
        pseudo = [smoothing] * len(self.data.domain)
        *_, last = em_states(fit.expectation, fit.state.tables, pseudo, cancel=self._cancel)
        return BayesianNetwork(self.data.domain, fit.dag, last.tables)

    def measures(self, smoothing: float) -> dict[str, float]:
        fit = self._best
        return {
            "score": fit.score,
            "edges": float(len(fit.dag.edges)),
            "rounds": float(self._rounds),
            "smoothing": smoothing,
        }
