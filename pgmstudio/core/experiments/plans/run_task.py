"""One run of a plan as a task: learn, then measure every model; each model becomes a point.

A learner that goes from model to model (latent classes, decision graphs of many λ, labelled graphs
of many κ) saves them as it goes; of other learners the last model is measured. Interim models are
measured during the run, as often as that costs little time.

A run that is stopped by its own time limit gives the models it had by then, and so does one that
is cancelled on its way through many models, unless it had got further in an earlier attempt.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.analysis.query_benchmark import (
    QueryPlan,
    inference_seconds,
    query_distance,
    query_log2,
    random_queries,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled, PgmStudioError
from pgmstudio.core.execution.events import CLOCK, CancelToken, Note, Progress
from pgmstudio.core.experiments.plans.expansion import PlannedRun, PlanRows, point_key
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.graphs.pdag import member_of
from pgmstudio.core.languages.base import ClassSizesModel, NodeModel
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_observed
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.artifacts import CollectedModels, ModelSequence
from pgmstudio.core.learning.base import ArtifactSaved, Finished, ImprovedModel, RunArtifact
from pgmstudio.core.model import Model
from pgmstudio.core.scores.row_means import mean_of


class ModelCollector:
    """Takes what a run keeps, and gives its models in an order that is the same every time."""

    def __init__(self, data: DataSet, params: Any, seed: int, optima: int) -> None:
        self._data, self._params, self._seed, self._optima = data, params, seed, optima
        self._kept: dict[str, RunArtifact] = {}
        self._collected: list[Model] = []

    def keep(self, artifact: RunArtifact) -> Iterator[CollectedModels]:
        """Save the model; returns the models that can be reported at once."""
        self._kept[artifact.kind] = artifact
        if isinstance(artifact, ModelSequence) and artifact.is_growing:
            result = artifact.collected()[len(self._collected) :]
            self._collected += [one.model for one in result]
            yield from result

    @property
    def has_curve(self) -> bool:
        """Whether it has models of many λ or κ by now, each of them a result."""
        return any(True for _ in self._finished_sequences())

    def so_far(self, last: Model) -> list[CollectedModels]:
        """What `rest` would begin with if the run ended now with that model."""
        for sequence in self._finished_sequences():
            if result := sequence.collected():
                return result
        # The last model may be the best of those that were collected.
        is_collected = any(model is last for model in self._collected)
        return [] if is_collected else [CollectedModels(last)]

    def _finished_sequences(self) -> Iterator[ModelSequence]:
        for artifact in self._kept.values():
            if isinstance(artifact, ModelSequence) and not artifact.is_growing:
                yield artifact

    def rest(self, last: Model) -> Iterator[CollectedModels]:
        """The models that were not reported on the way, including `last`."""
        result = self.so_far(last)
        yield from result
        optima = self._kept.get(KesOptima.kind)
        if result and self._optima > 1 and isinstance(optima, KesOptima):
            yield from self._others(optima)

    def _others(self, optima: KesOptima) -> Iterator[CollectedModels]:
        """Local optima other than the best, with tables as the learner fills them."""
        for index, optimum in enumerate(optima.optima[1 : self._optima], start=2):
            fitted = fit_observed(
                self._data,
                member_of(optimum.cpdag),
                self._params.smoothing,
                self._params.missing,
                rng=np.random.default_rng(self._seed),
            )
            yield CollectedModels(fitted.network, setting=(("optimum", index),))


# Of the seconds of learning, for measuring and sending what may be replaced soon.
MAX_INTERIM_FRACTION = 0.05
# What the first one is taken to cost before that is known; so none comes earlier than 0.4 s.
FIRST_SECONDS = 0.02


@dataclass(frozen=True, eq=False, slots=True)
class InterimModel:
    """Numbers of the models that stand, and those among them that are new."""

    new: tuple[tuple[int, CollectedModels], ...]
    standing: tuple[int, ...]


class InterimModels:
    """Schedules interim results within their time budget and numbers the models."""

    def __init__(self) -> None:
        self._spent, self._next = 0.0, FIRST_SECONDS
        self._numbers: dict[
            int, tuple[int, CollectedModels]
        ] = {}  # by the identity of their models
        self._count = 0

    def are_due(self, learned_seconds: float) -> bool:
        """Whether the next would stay within its fraction of the run's time."""
        return self._spent + self._next <= MAX_INTERIM_FRACTION * learned_seconds

    def of(self, models: Sequence[CollectedModels]) -> Iterator[InterimModel]:
        """One if any model is new; until the next step is asked for, its time is counted."""
        before, self._numbers, new = self._numbers, {}, list[tuple[int, CollectedModels]]()
        for one in models:
            known = before.get(id(one.model))
            if known is None:
                known = self._count, one
                self._count += 1
                new.append(known)
            self._numbers[id(one.model)] = known
        if not new:
            return
        began = time.perf_counter()
        yield InterimModel(tuple(new), tuple(number for number, _ in self._numbers.values()))
        self._next = time.perf_counter() - began
        self._spent += self._next


# After a stop, for measuring the models of a run; the user is waiting.
HAND_OVER_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class RunDone:
    """The run with that key has given all its points; `cut_after` is the limit that ended it,
    `problems` are why there are not more."""

    key: str
    points: int
    seconds: float
    cut_after: float | None = None
    problems: tuple[str, ...] = ()


class RunProblem(Note):
    """Why a run gave no models, or not all that it could have."""


class RunEvent:
    """An event of an executor other than a point; it is passed on unchanged."""


@dataclass(frozen=True, slots=True)
class RunStarted(RunEvent):
    """The run with that key is being made; before that it waits for a process."""

    key: str


@dataclass(frozen=True, eq=False, slots=True)
class InterimResult(RunEvent):
    """What the run with that key would give if it ended now: the points of `standing` keys.

    Those that were not reported before are included. They are not among the points of the run.
    """

    key: str
    new: tuple[CurvePoint, ...]
    standing: tuple[str, ...]


PointEvent = Progress | Note | CurvePoint | RunDone | RunEvent


@dataclass(frozen=True)
class PointWork:
    """A run and what to measure of its models; the executor supplies the rows.

    Models whose keys are `known` are not measured again, where they are final or `is_same_run`
    means that no time limit makes them other ones than last time. Progress comes no faster than
    every `progress_s` seconds. With `reports_interim` models that are not final come as
    InterimResult while the run goes on. `cut_before` are the seconds after which it was cut short
    another time: stopped earlier than that it gives nothing, so that what it gave then stays.
    """

    run: PlannedRun
    key: str = ""
    queries: QueryPlan | None = None
    optima: int = 1
    known: frozenset[str] = field(default=frozenset(), repr=False)
    progress_s: float = 0.0
    is_same_run: bool = False
    reports_interim: bool = False
    cut_before: float = 0.0

    def __call__(
        self, rows: PlanRows, cancel: CancelToken, /, ends: Callable[[bool], bool] | None = None
    ) -> Iterator[PointEvent]:
        """Yield the points of the run.

        `ends` is called with whether there is a model by now; once it returns true, the run ends
        like one at its time limit. With it the run is not repeated: it reports its end also when it
        was stopped while its models were measured.
        """
        run, number, watch, problems = self.run, 0, _Watch(), list[str]()
        interim_models = InterimModels()
        why = learner_of(run.learner).refuses(rows.train)
        token = _Limited(cancel, run.time_limit, ends)
        if why is not None:
            problems.append(f"{run.title}: {why}")
        else:
            try:
                for event in self._learned(rows, token, watch, interim_models):
                    if isinstance(event, RunProblem):
                        problems.append(event.message)
                        if token.was_stopped:
                            # A run that is ended before this point must not count as complete.
                            yield RunDone(self.key, len(self.known), watch.total, token.cut_after)
                        continue
                    if isinstance(event, InterimModel):
                        yield self._so_far(event, rows, watch.total)
                        continue
                    if not isinstance(event, CollectedModels):
                        yield event
                        continue
                    if token.has_no_time:
                        if ends is None and not token.was_ended:
                            cancel.raise_if_cancelled()  # the rest is measured another time
                        token.end()
                        break
                    key = point_key(self.key, number) if self.key else ""
                    number += 1
                    if key not in self.known or not (event.is_final or self.is_same_run):
                        yield self._measured(event, rows, key, watch.lap())
            except PgmStudioError as problem:
                problems.append(f"{run.title}: {problem}")
        yield from map(RunProblem, problems)
        cut = token.cut_after
        yield RunDone(self.key, number, watch.total, cut, tuple(problems))
        cancel.raise_if_cancelled()

    def _learned(
        self, rows: PlanRows, token: _Limited, watch: _Watch, interim_models: InterimModels
    ) -> Iterator[Progress | Note | CollectedModels | InterimModel]:
        run = self.run
        collector = ModelCollector(rows.train, run.params, run.seed, self.optima)
        events = LearnTask(run.learner, rows.train, run.params, run.seed)(token)
        last: Model | None = None
        reported_at = -math.inf
        while True:
            try:
                # The consumer of the events may be slow; that is not the learner's time.
                with watch:
                    event = next(events)
            except Cancelled:
                if not token.was_reached:
                    if not collector.has_curve or token.seconds <= self.cut_before:
                        raise
                    token.stop()
                yield RunProblem(f"{run.title}: {token.reason}")
                break
            match event:
                case Progress(fraction, message, counters):
                    if time.monotonic() - reported_at < self.progress_s:
                        continue
                    reported_at = time.monotonic()
                    text = f"{run.title}: {message}" if message else run.title
                    yield Progress(fraction, text, counters)
                case Note(message):
                    yield Note(f"{run.title}: {message}")
                case ArtifactSaved(artifact):
                    yield from collector.keep(artifact)
                case ImprovedModel(is_start=True):
                    continue  # the point of a curve is the result of the search
                case ImprovedModel(model):
                    last = model
                    token.has_model = True
                case Finished(model):
                    last = model
                    break
            if self.reports_interim and last is not None and interim_models.are_due(watch.total):
                yield from interim_models.of(collector.so_far(last))
        if last is None:
            yield RunProblem(f"{run.title}: no model was found in time.")
            return
        rest = list(collector.rest(last))
        watch.divide(len(rest))
        yield from rest

    def _so_far(self, seen: InterimModel, rows: PlanRows, seconds: float) -> InterimResult:
        quick = replace(self, queries=None)
        new = [quick._measured(one, rows, f"{self.key}~{n}", seconds) for n, one in seen.new]
        return InterimResult(self.key, tuple(new), tuple(f"{self.key}~{n}" for n in seen.standing))

    def _measured(
        self, result: CollectedModels, rows: PlanRows, key: str, seconds: float
    ) -> CurvePoint:
        run, model = self.run, result.model
        train = mean_of(row_log2(model, rows.train), rows.train.weights)
        test = mean_of(row_log2(model, rows.test), rows.test.weights)
        point = CurvePoint(
            run.learner,
            model.kind,
            run.lambda_ if result.lambda_ is None else result.lambda_,
            run.seed,
            model.effective_size(),
            model.representation_size(),
            train.value,
            test.value,
            test.standard_error,
            train.rows,
            seconds,
            _listed({**run.given, **dict(result.setting)}),
            model,
            key,
            run.name,
            model.parameter_size() if isinstance(model, NodeModel) else None,
        )
        if isinstance(model, ClassSizesModel):
            sizes = model.printed_size(), model.definition_size()
            point = replace(point, printed_size=sizes[0], definition_size=sizes[1])
        if rows.valid is not None:
            valid = mean_of(row_log2(model, rows.valid), rows.valid.weights)
            point = replace(point, valid_log2_likelihood_per_row=valid.value)
        return point if self.queries is None else _with_queries(point, model, rows, self.queries)


def _listed(values: Mapping[str, object]) -> dict[str, object]:
    """With lists for tuples, as they come back from a file."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}


def _with_queries(point: CurvePoint, model: Model, rows: PlanRows, plan: QueryPlan) -> CurvePoint:
    """The point with the query benchmark of its model."""
    queries = random_queries(rows.test, plan)
    values = query_log2(model, queries)
    distance = None
    if rows.reference is not None:
        distance = query_distance(model, rows.reference, queries, plan.timed)
    return replace(
        point,
        query_log2=float(values.mean()),
        query_values=values,
        query_distance=distance,
        inference_seconds=inference_seconds(model, queries, plan.timed, time.thread_time),
    )


class _Watch:
    """Processor seconds of learning: in all, and since the last point."""

    def __init__(self) -> None:
        self.total = 0.0
        self._began = self._lapped = 0.0
        self._seconds_per_point: float | None = None

    def __enter__(self) -> None:
        self._began = CLOCK.processor_now()

    def __exit__(self, *_: object) -> None:
        self.total += CLOCK.processor_now() - self._began

    def divide(self, points: int) -> None:
        """What is left is shared by so many points."""
        self._seconds_per_point = (self.total - self._lapped) / max(1, points)

    def lap(self) -> float:
        if self._seconds_per_point is not None:
            return self._seconds_per_point
        spent, self._lapped = self.total - self._lapped, self.total
        return spent


class _Limited:
    """The token of a run with a time limit of its own, or with a caller that may end it early."""

    def __init__(
        self, outer: CancelToken, seconds: float | None, ends: Callable[[bool], bool] | None = None
    ) -> None:
        self._outer, self._limit, self._ends = outer, seconds, ends
        self.has_model = False
        self.was_stopped = False  # from outside, before its limit
        self._begin = CLOCK.now()
        self._ended_after: float | None = None
        self._waited_since: float | None = None

    @property
    def seconds(self) -> float:
        """Since it began."""
        return CLOCK.now() - self._begin

    def stop(self) -> None:
        """Its learner was cancelled; its models are measured."""
        self.end()
        self.was_stopped = self.was_ended

    def end(self) -> None:
        """It gives no more than what it has by now."""
        if self._ended_after is None:
            self._ended_after = self.seconds

    @property
    def has_no_time(self) -> bool:
        """Whether it was cancelled and the time for measuring is over."""
        if not self._outer.is_cancelled:
            return False
        now = time.monotonic()
        if self._waited_since is None:
            self._waited_since = now
        return now - self._waited_since > HAND_OVER_SECONDS

    @property
    def was_reached(self) -> bool:
        """Whether the run ended before its learner did, and may keep what it has."""
        return self._ended_after is not None

    @property
    def was_ended(self) -> bool:
        """Whether a caller ended it, not its learner or its own limit."""
        limit, ended = self._limit, self._ended_after
        return ended is not None and (limit is None or ended < limit)

    @property
    def cut_after(self) -> float | None:
        """The seconds it had when it ended early; None when it did not."""
        if self._ended_after is None or self._limit is None:
            return self._ended_after
        return min(self._limit, self._ended_after)

    @property
    def reason(self) -> str:
        """Why it ended early."""
        if not self.was_ended:
            return f"stopped after its {self._limit:g} s."
        return f"stopped after {self._ended_after:.1f} s."

    @property
    def is_cancelled(self) -> bool:
        if self._outer.is_cancelled:
            return True
        if self._ended_after is None:
            spent = self.seconds
            is_over = self._limit is not None and spent >= self._limit
            if is_over or (self._ends is not None and self._ends(self.has_model)):
                self._ended_after = spent
        return self.was_reached

    @property
    def is_paused(self) -> bool:
        return self._outer.is_paused

    def raise_if_cancelled(self) -> None:
        self._outer.raise_if_cancelled()
        if self.is_cancelled:
            raise Cancelled
