"""Probabilistic decision graphs from data: forests by tests, graphs by split, merge and redirect.

Nielsen (2007), §4.5; Jaeger, Nielsen and Silander (2006). One run gives a model for every λ of a
list, from the largest to the smallest.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

import numpy as np

from pgmstudio.core.data.dataset import MAX_STATES, DataSet
from pgmstudio.core.data.resampling import canonical, hold_out
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.execution.thread_pool import map_events
from pgmstudio.core.languages.pdg.learning.em import GraphLearner
from pgmstudio.core.languages.pdg.learning.forest import parse_forest
from pgmstudio.core.languages.pdg.learning.params import PdgParams
from pgmstudio.core.languages.pdg.learning.population import (
    ForestProgress,
    ForestResult,
    Population,
    SweepProgress,
)
from pgmstudio.core.languages.pdg.learning.search import PdgStep, SweepResult
from pgmstudio.core.languages.pdg.learning.state import PdgRows
from pgmstudio.core.languages.pdg.learning.trace import PdgPoint, PdgScan, bits_per_row
from pgmstudio.core.languages.pdg.measures import refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.learning.artifacts import MIN_HELD_ROWS
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    Finished,
    ImprovedModel,
    LearnEvent,
    SearchStep,
)
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.score_definition import ScoreKind
from pgmstudio.core.learning.smoothing import tune_smoothing
from pgmstudio.core.params import AUTO


class PdgLearner(GraphLearner[PdgParams]):
    """Decision graphs for a list of λ; the best by the criterion comes last."""

    key = "pdg.learn"
    title = "Decision graph"
    params_type = PdgParams
    cost = Cost(100.0, 0.5, 2.0, gaps=1.5, compiling=5.0)
    score_kind = ScoreKind.CRITERION
    artifacts = (PdgScan,)
    obeys_knowledge = False
    reports_steps = True  # every split, merge and redirection, for stepping through a run

    def search(
        self, data: DataSet, params: PdgParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        search = _Run(data, params, rng, cancel)
        yield from search.notes()
        yield from search.forests()
        yield from search.sweep()
        yield from search.finish()


class _Run:
    """One run: rows to learn from, rows held out, and the models so far."""

    def __init__(
        self, data: DataSet, params: PdgParams, rng: np.random.Generator, cancel: CancelToken
    ) -> None:
        self._all, self._params, self._rng, self._cancel = canonical(data), params, rng, cancel
        self._train, self._held, criterion = self._all, None, params.criterion
        self._held_note = ""
        if criterion == "held-out":
            train, held = hold_out(self._all, params.held_out, rng)
            if held.total_weight < MIN_HELD_ROWS:
                criterion = "bic"
                self._held_note = (
                    f"{held.total_weight:g} held-out rows are too few to compare models, "
                    "so BIC chooses."
                )
            else:
                self._train, self._held = train, held
        self._scan = PdgScan(criterion)
        self._best: PdgPoint | None = None
        self._fraction: float | None = 0.1
        self._population = Population(PdgRows(self._train), params, cancel)

    def notes(self) -> Iterator[LearnEvent]:
        if self._held_note:
            yield Note(self._held_note)

    def forests(self) -> Iterator[LearnEvent]:
        """Phase I: the forests, given or learned."""
        given = self._params.forest
        if given is not None:
            forest = parse_forest(self._all.domain, given)
            self._population.plant_only(forest, self._rng)
            return
        for progress in self._population.grow(self._rng):
            yield _growing(progress, len(self._all.domain))
        count = len(self._population.forests)
        yield Note(
            f"{count} different {'forest' if count == 1 else 'forests'} "
            f"came from {self._params.population} tries."
        )

    def sweep(self) -> Iterator[LearnEvent]:
        """Phase II: a model for every λ, the largest first; then upwards with merged ones."""
        lambdas = self._population.lambdas
        learned: list[ForestResult] = []
        for index in range(len(lambdas)):
            result = yield from self._as_events(self._population.learn(index))
            learned.append(result)
            yield from self._add_result(result)
        if not (self._params.reuse and self._params.merge):
            return
        current = learned[-1]
        for own in reversed(learned[:-1]):
            current = yield from self._as_events(
                self._population.reused(current, own), is_upward=True
            )
            if current is not own:
                yield from self._add_result(current)

    def _as_events(
        self, search: Generator[SweepProgress, None, ForestResult], *, is_upward: bool = False
    ) -> Generator[LearnEvent, None, ForestResult]:
        """A search of the population with its progress as events."""
        count, rows = len(self._population.lambdas), self._train.total_weight

        def event(progress: SweepProgress) -> LearnEvent:
            position = _position_text(progress, count, is_upward=is_upward)
            if isinstance(progress.event, PdgStep):
                return _stepped(progress.event, position)
            report = _sweeping(progress, progress.event, position, count, rows, is_upward=is_upward)
            self._fraction = report.fraction
            return report

        return (yield from map_events(search, event))

    def finish(self) -> Iterator[LearnEvent]:
        """The chosen model with its parameters fitted to all rows."""
        if self._held is not None:
            self._scan = self._scan.with_choice(self._train, self._held)
            yield ArtifactSaved(self._scan)
        best = self._scan.best()
        count = len(self._scan.points)
        yield Note(f"{count} λ gave {count} models; the one of λ {best.lambda_:.4g} was selected.")
        yield from finished(
            best,
            self._measures(best),
            self._all,
            None if self._held is None else self._fitted,
            is_tuned=self._params.smoothing == AUTO,
        )

    # -- parts ------------------------------------------------------------------------------------

    def _fitted(self, graph: DecisionGraph, data: DataSet) -> tuple[DecisionGraph, float]:
        smoothing = self._params.smoothing
        if smoothing == AUTO:
            rng = np.random.default_rng(0)  # the same folds for every model
            smoothing = tuned_smoothing(graph, data, rng, self._cancel)
        return refitted(graph, data, float(smoothing)), float(smoothing)

    def _add_result(self, learned: ForestResult) -> Iterator[LearnEvent]:
        """Fit and evaluate the model of a λ; yields it as an improved model if it is the best so
        far."""
        model, smoothing = self._fitted(learned.graph, self._train)
        point = PdgPoint.of(
            model,
            self._train,
            self._held,
            lambda_=learned.lambda_,
            score=learned.score,
            smoothing=smoothing,
            forest=learned.planted.number,
            is_reused=learned.is_reused,
        )
        self._scan = self._scan.with_point(point)
        yield ArtifactSaved(self._scan)
        criterion = self._scan.criterion
        # Scores of different λ are not comparable; the criterion is, so it is plotted.
        counters = {"score": point.value(criterion), "nodes": float(point.nodes)}
        yield Progress(self._fraction, f"λ {point.lambda_:.4g} gave {point.nodes} nodes", counters)
        if self._best is None or point.value(criterion) > self._best.value(criterion):
            self._best = point
            yield ImprovedModel(model, self._measures(point))

    def _measures(self, point: PdgPoint) -> dict[str, float]:
        measures = {
            "score": point.value(self._scan.criterion),
            "lambda": point.lambda_,
            "nodes": float(point.nodes),
            "log2_likelihood_per_row": point.train_bits,
            "smoothing": point.smoothing,
        }
        if point.held_bits is not None:
            measures["held_out_log2_likelihood_per_row"] = point.held_bits
        return measures


def finished(
    best: PdgPoint,
    measures: dict[str, float],
    data: DataSet,
    refit: Callable[[DecisionGraph, DataSet], tuple[DecisionGraph, float]] | None,
    *,
    is_tuned: bool,
) -> Iterator[LearnEvent]:
    """The end of a run: the chosen model, fitted to all rows where some were held out."""
    assert best.model is not None
    model, smoothing = best.model, best.smoothing
    if refit is not None:
        model, smoothing = refit(model, data)
    if is_tuned:
        yield Note(f"Smoothing {smoothing:.4g} was chosen by cross-validation.")
    measures["log2_likelihood_per_row"] = bits_per_row(model, data)
    yield Progress(1.0, f"{sum(model.node_counts)} nodes", {"score": measures["score"]})
    yield Finished(model, measures)


def tuned_smoothing(
    graph: DecisionGraph, data: DataSet, rng: np.random.Generator, cancel: CancelToken
) -> float:
    """The α that predicts held-out rows best; each node is a row of its variable's table.

    Nodes become states of an auxiliary variable; 1 if there are more than a variable can have.
    """
    if max(graph.node_counts) > MAX_STATES:
        return 1.0
    names = [f"node {i}" for i in range(len(graph.domain))]
    nodes = tuple(
        Variable(name, tuple(map(str, range(count))))
        for name, count in zip(names, graph.node_counts, strict=True)
    )
    cells = tuple(
        Variable(f"state {i}", variable.states) for i, variable in enumerate(graph.domain)
    )
    codes = np.concatenate([graph.reached_nodes(data), data.codes.astype(np.int32)])
    both = DataSet(Domain((*nodes, *cells)), codes.astype(np.uint16), data.weights)
    size = len(names)
    families = [(i, size + i) for i in range(size)]
    return tune_smoothing(both, families, rng, cancel).smoothing


def _growing(progress: ForestProgress, variables: int) -> Progress:
    growth = progress.growth
    done = (progress.forest - 1 + growth.placed / variables) / progress.forests
    return Progress(
        0.1 * done,
        f"forest {progress.forest} of {progress.forests}, {growth.placed} of {variables} placed",
        {
            "forest": float(progress.forest),
            "tests": float(growth.tests),
            "level": float(growth.depth),
        },
    )


def _position_text(progress: SweepProgress, lambdas: int, *, is_upward: bool) -> str:
    way = "merged upwards to " if is_upward else ""
    return f"{way}λ {progress.lambdas_done + 1} of {lambdas}, forest {progress.forest}"


def _stepped(step: PdgStep, position: str) -> SearchStep:
    gains = {"score": step.score, "bits": step.bits, "size": float(step.size)}
    return SearchStep(step.text, position, step.graph, step.touched, gains)


def _sweeping(
    progress: SweepProgress,
    swept: SweepResult,
    position: str,
    lambdas: int,
    rows: float,
    *,
    is_upward: bool,
) -> Progress:
    done = (progress.lambdas_done + progress.searches_done / progress.searches) / lambdas
    fraction = 0.95 - 0.05 * done if is_upward else 0.1 + 0.75 * done
    return Progress(
        fraction,
        f"{position}, sweep {swept.sweep}",
        {
            "score at this λ": swept.score,
            "λ": progress.lambda_,
            "forest": float(progress.forest),
            "sweep": float(swept.sweep),
            "nodes": float(swept.nodes),
            "bits per row": swept.log2_likelihood / rows,
            "size": float(swept.size),
            "splits": float(swept.splits),
            "merges": float(swept.merges),
            "redirects": float(swept.redirects),
            "forests left out": float(progress.pruned),
        },
    )
