"""K-greedy equivalence search: its settings, one climb (Nielsen 2007, Algorithm 4.3), and all
climbs of a run on one data set, in this process or in several.

Every climb has its own random numbers and computes whole scores afresh, so its events do not depend
on the climbs that run at the same time. In the order of the plan, the events are therefore the same
to the last bit in any number of processes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.child_process import in_processes
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices, price_matrix
from pgmstudio.core.graphs.pdag import Pdag, cpdag_of
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
    KesRun,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.neighbourhood import (
    ADDITIONS,
    MAX_CHOICES,
    REMOVALS,
    TURNS,
    Boundary,
    ClassRules,
    ExactBoundary,
    GainRows,
    Proposal,
    SampledBoundary,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    Fitted,
    fit_tables,
    refined,
)
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    BaseLearner,
    Finished,
    ImprovedModel,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules, left_out_note
from pgmstudio.core.learning.params import (
    bdeu_rows_param,
    edge_prices_param,
    knowledge_param,
    lambda_param,
    max_parents_param,
    max_table_cells_param,
    missing_param,
    smoothing_param,
)
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.params import Preset, param
from pgmstudio.core.scores.family_cache import FamilyScores, largest_table, mask_of
from pgmstudio.core.scores.local import score_of

# Phase by phase the kinds of moves, a later one where an earlier has nothing better.
PHASES = {
    "turning": ((TURNS, ADDITIONS | REMOVALS),),
    "full": ((ADDITIONS | REMOVALS,),),
    "two-phase": ((ADDITIONS,), (REMOVALS,)),
}

# K2 is not among them: it scores the members of one class differently.
EQUIVALENT_SCORES = ("bic", "aic", "aic-thesis", "bdeu", "lambda")


@dataclass(frozen=True, slots=True, kw_only=True)
class KesParams:
    """The settings of the k-greedy equivalence search."""

    greediness: tuple[float, ...] = param(
        (1.0, 0.9, 0.7, 0.5, 0.3),
        title="Greediness k",
        low=0,
        high=1,
        help="Fraction of the better neighbours from which the best is taken; every value of the "
        "list is run. 1 without the turning phase is greedy equivalence search (GES).",
    )
    restarts: int = param(
        10,
        title="Runs per k",
        low=1,
        help="Searches for each greediness; with 1 and exact neighbours all are identical, so "
        "there is one.",
    )
    score: str = param(
        "bic",
        title="Score",
        choices=EQUIVALENT_SCORES,
        help="Score to maximize, in bits: bic and aic penalize parameters (aic-thesis: one bit "
        "each instead of one nat), bdeu is a marginal likelihood, lambda uses the given weight.",
    )
    lambda_: float | None = lambda_param()
    ess: float = bdeu_rows_param()
    phases: str = param(
        "turning",
        title="Phases",
        choices=tuple(PHASES),
        help="turning: reverse an edge if that helps, otherwise add or remove one. full: add or "
        "remove edges. two-phase: first add edges, then remove edges.",
    )
    neighbourhood: str = param(
        "exact",
        title="Neighbours",
        choices=("exact", "sampled"),
        help="exact: evaluate every neighbouring class. sampled: evaluate as many random ones as "
        "are expected to cover the fraction.",
    )
    max_parents: int | None = max_parents_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param(
        "the search visits only classes with a graph that satisfies them."
    )
    edge_prices: EdgePrices | None = edge_prices_param()
    start: DirectedModel | None = param(
        None,
        title="Start",
        none_label="no edges",
        help="A model with the initial edges of every run.",
    )
    processes: int | None = param(
        None,
        title="Processes",
        low=1,
        none_label="as fits",
        help="Number of parallel processes; the result is the same for any number.",
        advanced=True,
    )
    epsilon: float = param(
        0.001,
        title="ε of sampling",
        low=0,
        low_open=True,
        high=0.1,
        help="Sampling stops when all but this fraction of the neighbours are expected to be "
        "covered.",
        advanced=True,
    )
    draws: str = param(
        "expected",
        title="Draws of sampling",
        choices=("expected", "printed"),
        help="expected: as many as are expected to cover the fraction. printed: by eq. 4.30 of "
        "Nielsen (2007) as it is printed, one draw more.",
        advanced=True,
    )
    max_table_cells: int = max_table_cells_param()


# The settings of the comparative study (Nielsen 2007, §4.3 and §5.1.2).
THESIS = Preset(
    "thesis",
    "Thesis (Nielsen 2007)",
    "11 values of k, 100 runs for each; in every step edges are added and removed, in neighbours "
    "sampled by Algorithm 4.4, as many as eq. 4.30 asks for as it is printed.",
    {
        "greediness": "0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1",
        "restarts": "100",
        "phases": "full",
        "neighbourhood": "sampled",
        "draws": "printed",
    },
)
GES = Preset(
    "ges",
    "Greedy equivalence search (GES)",
    "k = 1: first the best edge is added in every step, then the best is removed "
    "(Chickering 2002).",
    {"greediness": "1", "phases": "two-phase"},
)


def least_gain(score: float) -> float:
    """Gains up to this are rounding."""
    return 1e-7 + 1e-13 * abs(score)


class ClassClimb:
    """The present class, its score, and steps to better ones."""

    def __init__(self, gains: GainRows, boundary: Boundary, *, has_missing: bool) -> None:
        self._gains = gains
        self._boundary = boundary
        self._has_missing = has_missing
        self._start = cpdag_of(gains.rules.start)
        # Whole scores must not depend on what other climbs have asked before.
        self._scores = gains.scores.afresh()
        self.step = 0
        self.last: Proposal | None = None  # the step taken last
        self.cpdag = self._start
        self.score = self._total(self._start, NEVER)

    def _total(self, cpdag: Pdag, cancel: CancelToken) -> float:
        return self._scores.total(self._gains.rules.member(cpdag).parent_indices, cancel)

    def climb(
        self, greediness: float, phases: str, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[float]:
        """From the start to a class none of whose neighbours is better; yields each new score."""
        self.score = self._total(self._start, cancel)
        self.cpdag = self._start
        self.step = 0
        self.last = None
        for phase in PHASES[phases]:
            while any(self._improve(greediness, kinds, rng, cancel) for kinds in phase):
                self.step += 1
                yield self.score
        self.score = self._total(self.cpdag, cancel)

    def _improve(
        self, greediness: float, kinds: int, rng: np.random.Generator, cancel: CancelToken
    ) -> bool:
        cancel.raise_if_cancelled()
        least = least_gain(self.score)
        for proposal in self._boundary.proposals(self.cpdag, least, greediness, kinds, rng, cancel):
            score = self.score + proposal.gain
            if self._has_missing:
                # Families counted over different rows: the members of a class need not score
                # the same, so the member that would be returned decides.
                score = self._total(proposal.cpdag, cancel)
                if score <= self.score + least:
                    continue
            self.cpdag = proposal.cpdag
            self.score = score
            self.last = proposal
            return True
        return False


FirstRows = Mapping[tuple[int, int], Floats]

# A process of its own takes a second or two to begin and scores much again that others have.
WORK_FOR_PROCESSES = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class Planned:
    """A planned climb: its position in the plan, its greediness, its random numbers."""

    number: int
    greediness: float
    rng: np.random.Generator


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """Progress of a climb; now and then with the class, for an interim model."""

    step: int
    score: float
    edges: int
    move: str
    better: int | None  # better neighbours of the class before, where all were counted
    cpdag: Pdag | None


@dataclass(frozen=True, slots=True)
class ClimbResult:
    """A climb that has ended; `is_cut` when not every set of parents was looked at."""

    step: int
    score: float
    cpdag: Pdag
    is_cut: bool
    seconds: float = field(compare=False)


ClimbEvent = SearchProgress | ClimbResult


class EquivalenceSearchWorker:
    """Constraints, scores and gains of one data set, cached for all climbs."""

    def __init__(self, data: DataSet, params: KesParams) -> None:
        names = data.domain.names
        self.rules = ClassRules(
            EdgeRules.of(names, params.knowledge, params.max_parents),
            () if params.start is None else params.start.edges,
        )
        self.scores = FamilyScores(
            data,
            score_of(params.score, data.total_weight, lambda_=params.lambda_, ess=params.ess),
            max_table_cells=max(params.max_table_cells, largest_table(self.rules.start, data)),
            prices=price_matrix(params.edge_prices, names),
        )
        self.gains = GainRows(self.scores, self.rules)
        self._exact = ExactBoundary(self.gains)
        boundary: Boundary = self._exact
        if params.neighbourhood != "exact":
            boundary = SampledBoundary(
                self.gains, params.epsilon, as_printed=params.draws == "printed"
            )
        self.climb = ClassClimb(self.gains, boundary, has_missing=data.has_missing)
        self._phases = params.phases
        # Steps are slow where there are many columns, and classes are large to send.
        self._report_every = 8 if len(names) < 200 else 1
        self._show_every = max(8, len(names) // 8)

    def first_rows(self, cancel: CancelToken) -> Iterator[tuple[tuple[int, int], int]]:
        """Score what the first step of every climb asks for; yields each key and its row."""
        for child, parents in enumerate(self.rules.start.parent_indices):
            mask = mask_of(parents)
            yield (child, mask), self.gains.row(child, mask, cancel)

    def events(self, planned: Planned, cancel: CancelToken) -> Iterator[ClimbEvent]:
        """The events of one climb, step by step."""
        climb = self.climb
        begin = time.perf_counter()
        for score in climb.climb(planned.greediness, self._phases, planned.rng, cancel):
            step = climb.step
            shown = climb.step % self._show_every == 0
            if (shown or step % self._report_every == 0) and climb.last is not None:
                yield SearchProgress(
                    step,
                    score,
                    climb.cpdag.edge_count,
                    str(climb.last),
                    climb.last.better,
                    climb.cpdag if shown else None,
                )
        seconds = time.perf_counter() - begin
        yield ClimbResult(climb.step, climb.score, climb.cpdag, self._exact.is_cut, seconds)


@dataclass(frozen=True, eq=False)
class SearchTask:
    """Some climbs of a plan as a value that can be sent to a process."""

    data: DataSet
    params: KesParams
    plan: tuple[Planned, ...]
    first_rows: FirstRows

    def __call__(self, cancel: CancelToken) -> Iterator[tuple[int, ClimbEvent]]:
        climber = EquivalenceSearchWorker(self.data, self.params)
        climber.gains.take(self.first_rows)
        for planned in self.plan:
            for event in climber.events(planned, cancel):
                yield planned.number, event


def process_count(data: DataSet, params: KesParams, climbs: int) -> int:
    """As many processes as were asked for, or as pay for the work that is to be expected.

    Work is estimated from measured speeds; it decides how long a search takes and nothing else.
    """
    if isinstance(data, ChunkedData):  # each would make passes of its own
        return 1
    if params.processes is not None:
        return max(1, min(params.processes, climbs))
    n = len(data.domain)
    seconds = climbs * n * 3 * (data.row_count * n * 2e-10 + 1e-4)
    return max(1, min(core_count(), climbs)) if seconds > WORK_FOR_PROCESSES else 1


def spread(
    data: DataSet,
    params: KesParams,
    plan: Sequence[Planned],
    processes: int,
    first_rows: FirstRows,
    cancel: CancelToken,
) -> Iterator[tuple[int, ClimbEvent]]:
    """The events of climbs in several processes, in the order of the plan."""
    tasks = [
        SearchTask(data, params, tuple(plan[part::processes]), first_rows)
        for part in range(processes)
    ]
    unordered = (event for _, event in in_processes(tasks, cancel))
    return in_plan_order(unordered)


def in_plan_order(
    events: Iterable[tuple[int, ClimbEvent]],
) -> Iterator[tuple[int, ClimbEvent]]:
    """Events of parallel climbs, held back until every climb before them has ended."""
    now = 0
    waiting: dict[int, list[ClimbEvent]] = {}
    for number, event in events:
        if number != now:
            waiting.setdefault(number, []).append(event)
            continue
        yield number, event
        while isinstance(event, ClimbResult):
            now += 1
            held = waiting.pop(now, [])
            yield from ((now, waiting) for waiting in held)
            if not held:
                break
            event = held[-1]


def kes_optima(
    data: DataSet, params: KesParams, *, rng: np.random.Generator, cancel: CancelToken = NEVER
) -> KesOptima:
    """The local optima of a search, without fitting any table."""
    search = KesSearch(data, params, rng)
    for _ in search.runs(cancel):
        cancel.raise_if_cancelled()
    return search.optima()


class KesSearch:
    """The runs for every greediness; gains once computed serve all of them."""

    def __init__(self, data: DataSet, params: KesParams, rng: np.random.Generator) -> None:
        self._data = data
        self._params = params
        self.climber = EquivalenceSearchWorker(data, params)
        self.rules = self.climber.rules
        self.scores = self.climber.scores
        is_exact = params.neighbourhood == "exact"
        self._runs_of = {
            greediness: 1 if greediness == 1 and is_exact else params.restarts
            for greediness in params.greediness
        }
        wanted = [g for g in params.greediness for _ in range(self._runs_of[g])]
        # A generator for each, so that no run depends on those before it.
        self._plan = [
            Planned(number, greediness, own)
            for number, (greediness, own) in enumerate(
                zip(wanted, rng.spawn(len(wanted)), strict=True)
            )
        ]
        self._runs: list[KesRun] = []
        self._classes: set[Pdag] = set()
        self._steps = 0  # of all finished runs
        self._is_cut = False
        self.best_score = -math.inf  # of the finished runs

    @property
    def climb(self) -> ClassClimb:
        """The climb that is made in this process."""
        return self.climber.climb

    def optima(self) -> KesOptima:
        """The final classes of the runs so far."""
        return KesOptima(tuple(self._runs))

    @property
    def run_count(self) -> int:
        return len(self._runs)

    @property
    def is_done(self) -> bool:
        return len(self._runs) == len(self._plan)

    def runs(self, cancel: CancelToken) -> Iterator[tuple[ClimbEvent | None, Progress]]:
        """Make all runs: their events in the order of the plan, and the overall progress."""
        first_rows: dict[tuple[int, int], Floats] = {}
        n = len(self.rules.names)
        for key, index in self.climber.first_rows(cancel):
            first_rows[key] = self.climber.gains.values[index]
            if key[0] % 8 == 7:
                message = f"Scoring pairs of {n} columns"
                yield None, Progress(None, message, {"column": key[0] + 1.0})
        for number, event in self._events(first_rows, cancel):
            greediness = self._plan[number].greediness
            if isinstance(event, ClimbResult):
                run = KesRun(greediness, event.score, event.step, event.cpdag, event.seconds)
                self._runs.append(run)
                self._classes.add(run.cpdag)
                self._is_cut |= event.is_cut
                self.best_score = max(self.best_score, run.score)
            yield event, self._progress(self._plan[number], event)
            if isinstance(event, ClimbResult):
                self._steps += event.step

    def _events(
        self, first_rows: dict[tuple[int, int], Floats], cancel: CancelToken
    ) -> Iterator[tuple[int, ClimbEvent]]:
        processes = process_count(self._data, self._params, len(self._plan))
        if processes > 1:
            yield from spread(self._data, self._params, self._plan, processes, first_rows, cancel)
            return
        for planned in self._plan:
            for event in self.climber.events(planned, cancel):
                yield planned.number, event

    def _progress(self, planned: Planned, event: ClimbEvent) -> Progress:
        k = planned.greediness
        done = len(self._runs)
        total = len(self._plan)
        before = next(p.number for p in self._plan if p.greediness == k)
        edges = event.cpdag.edge_count if isinstance(event, ClimbResult) else event.edges
        counters = {
            "score": event.score,
            "best score": max(self.best_score, event.score),
            "edges": float(edges),
            "distinct optima": float(len(self._classes)),
            "runs": float(done),
            "greediness": k,
            "restart": planned.number + 1.0,
            "restarts": float(total),
            "step": float(self._steps + event.step),
        }
        if isinstance(event, SearchProgress) and event.better is not None:
            counters["better neighbours"] = float(event.better)
        message = f"k = {k:g}"
        if self._runs_of[k] > 1:
            message += f", restart {planned.number - before + 1} of {self._runs_of[k]}"
        last = event.move if isinstance(event, SearchProgress) else "at a local optimum"
        return Progress(done / total if total > 1 else None, f"{message}: {last}", counters)

    def notes(self, best: Pdag) -> Iterator[str]:
        """Notes on the runs that led to `best`."""
        optima = self.optima()
        runs = len(optima.runs)
        compelled = len(best.directed)
        edges = best.edge_count
        if edges:
            yield (
                f"{compelled} of {edges} edges have the same direction in every graph that "
                "entails the same independences; the others could be reversed."
            )
        if runs > 1:
            yield (
                f"{runs} runs ended in {len(optima.optima)} different classes of graphs; "
                f"{sum(run.cpdag == best for run in optima.runs)} of them in the best."
            )
            best_few = ", ".join(f"{_signed(o.score)} ({o.runs})" for o in optima.optima[:5])
            yield f"The best scores, and how many runs ended there: {best_few}."
            for greediness in optima.greedinesses:
                scores = optima.sorted_scores(greediness)
                yield (
                    f"Greediness {greediness:g}: best score {_signed(scores[-1])}, "
                    f"median of {len(scores)} {_signed(scores[len(scores) // 2])}."
                )
        if self._is_cut:
            yield (
                f"Some variables had more than {MAX_CHOICES} possible sets of parents; the "
                "larger ones were not examined. Limit the number of parents for a complete search."
            )


def _signed(score: float) -> str:
    return f"{score:.1f}".replace("-", "−")


# KES, the k-greedy equivalence search (Nielsen 2007, §4.3; Nielsen, Kočka and Peña 2003).
# The search moves from one equivalence class of graphs to the next. Its neighbours are the
# classes with one edge more or less in any of their members (the inclusion boundary); one step
# takes the best of a random fraction k of the neighbours that score higher. k = 1 is greedy
# equivalence search (GES, Chickering 2002) and always the same; smaller k differ from run to run
# and meet other optima. For data that have the independencies of some graph, every k finds it as
# the number of rows grows (Theorem 4.2).
# Before an edge is added or removed, edges are turned as long as that helps (the third kind of
# move of Hauser and Bühlmann 2012, who make it last): an early edge in a wrong direction
# otherwise draws in others that make up for it. A class at which a run ends has no better
# neighbour of any kind, so what is proved of the inclusion boundary holds. The phases `full` and
# `two-phase` turn nothing.


class KesLearner(BaseLearner[KesParams]):
    """k-greedy search over equivalence classes."""

    key = "bn.kes"
    passes = Passes(columns=2.0, repeats="restarts")
    title = "Equivalence search (KES)"
    kind = "bayesian-network"
    params_type = KesParams
    cost = Cost(0.7, 0.5, 2.2, repeats="restarts", each=0.002, compiling=2.5)
    artifacts = (KesOptima,)
    presets = (THESIS, GES)

    def events(
        self, data: DataSet, params: KesParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        search = KesSearch(rows, params, rng)
        if search.rules.left_out:
            yield Note(left_out_note(search.rules.left_out))
        best = _BestModel(rows, data, params, search, int(rng.integers(2**63)))
        saved_runs = 0
        try:
            for event, progress in search.runs(cancel):
                if event is not None:
                    yield from best.improved(event, cancel)
                yield progress
                # Less and less often, since each artifact has all runs so far.
                if search.run_count > 1.3 * saved_runs or search.is_done:
                    saved_runs = search.run_count
                    yield ArtifactSaved(search.optima())
        except Cancelled:
            if search.run_count > saved_runs:
                yield ArtifactSaved(search.optima())
            raise
        yield from map(Note, search.notes(best.cpdag))
        best.fitted = yield from refined(best.fitted, data, params.missing, cancel=cancel)
        yield Finished(best.fitted.network, best.measures())


class _BestModel:
    """The best class so far, as a network with tables."""

    def __init__(
        self,
        rows: DataSet,
        observed: DataSet,
        params: KesParams,
        search: KesSearch,
        fold_seed: int,
    ) -> None:
        self.rows = rows
        self.observed = observed
        self.params = params
        self.search = search
        self._fold_seed = fold_seed
        self.cpdag = search.climb.cpdag
        self._score = -math.inf
        self._reported_at = 0
        self.fitted: Fitted

    def improved(self, event: ClimbEvent, cancel: CancelToken) -> Iterator[ImprovedModel]:
        """A better model than any before, at the end of a run or after enough work for one.

        Work is estimated and not read off a clock, so that the same seed gives the same events.
        """
        is_end = isinstance(event, ClimbResult)
        is_better = event.score > self._score + least_gain(event.score)
        if event.cpdag is not None and is_better and (is_end or self._is_time(event.step)):
            self.cpdag = event.cpdag
            self._score = event.score
            self._reported_at = event.step
            self.fitted = self._fit(cancel)
            yield ImprovedModel(self.fitted.network, self.measures())
        if is_end:
            self._reported_at = 0

    def _is_time(self, step: int) -> bool:
        cells = self.rows.row_count * len(self.rows.domain)
        seconds_per_row = cells * (1.5e-9 if self.rows.is_weighted else 2e-10) + 1e-5
        # About three variables get other parents in a step.
        work = 3 * (step - self._reported_at) * seconds_per_row
        return work >= max(0.3, cells * 1e-8)

    def _fit(self, cancel: CancelToken) -> Fitted:
        """Tables for a member of the class that obeys the rules; every fit splits the rows in the
        same way."""
        return fit_tables(
            self.rows,
            self.search.rules.member(self.cpdag),
            self.params.smoothing,
            rng=np.random.default_rng(self._fold_seed),
            counter=self.search.scores.counter,
            observed=self.observed,
            cancel=cancel,
        )

    def measures(self) -> dict[str, float]:
        runs = self.search.optima()
        result = {
            "score": self._score,
            "edges": float(self.cpdag.edge_count),
            "compelled_edges": float(len(self.cpdag.directed)),
            "runs": float(len(runs.runs)),
            "distinct_optima": float(len(runs.optima)),
            "runs_to_best": float(sum(run.cpdag == self.cpdag for run in runs.runs)),
            "smoothing": self.fitted.smoothing,
        }
        if self.params.score == "lambda":
            result["lambda"] = self.search.scores.score.cost_per_parameter
        return result | self.fitted.per_row(self.observed)
