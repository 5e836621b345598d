"""One run of a plan, wherever it is made: learn, then measure every model; points come out.

A run that is stopped by its own time limit gives the models it had by then, and so does one that
is stopped from outside on its way through many models, unless it had got further another time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pgmstudio.core.errors import Cancelled, PgmStudioError
from pgmstudio.core.experiments.compare import row_log2
from pgmstudio.core.experiments.curve_points import CurvePoint
from pgmstudio.core.experiments.empirical import (
    QueryPlan,
    inference_seconds,
    query_distance,
    query_log2,
    random_queries,
)
from pgmstudio.core.experiments.means import mean_of
from pgmstudio.core.experiments.plans.expansion import PlannedRun, PlanRows, point_key
from pgmstudio.core.experiments.plans.glimpses import Glimpse, Glimpses
from pgmstudio.core.experiments.plans.harvest import Harvest, Harvested
from pgmstudio.core.learning.protocols import Finished, Found, Kept
from pgmstudio.core.learning.registry import learner_of
from pgmstudio.core.learning.task import LearnTask
from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.running import CLOCK, CancelToken, Note, Progress

# After a stop, for measuring what a run had by then; whoever waits has no more patience.
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


class Aside:
    """What whoever runs a plan has to say beside its points; it is handed on as it is."""


@dataclass(frozen=True, slots=True)
class UnderWay(Aside):
    """The run with that key is being made; before that it waits for a process."""

    key: str


@dataclass(frozen=True, eq=False, slots=True)
class SoFar(Aside):
    """What the run with that key would give if it ended now: the points of `standing` keys.

    Those that were not told before come along. They are not among the points of the run.
    """

    key: str
    new: tuple[CurvePoint, ...]
    standing: tuple[str, ...]


PointEvent = Progress | Note | CurvePoint | RunDone | Aside


@dataclass(frozen=True)
class PointWork:
    """A run and what to measure of its models; the rows come from whoever runs it.

    Models whose keys are `known` are not measured again, where they are final or `is_same_run`
    says that no time limit makes them other ones than last time. Progress comes no faster than
    every `progress_s` seconds. `tells_so_far` is for those who look on: models that are not final
    come as SoFar while the run goes on. `cut_before` are the seconds after which it was cut short
    another time: stopped earlier than that it gives nothing, so that what it gave then stays.
    """

    run: PlannedRun
    key: str = ""
    queries: QueryPlan | None = None
    optima: int = 1
    known: frozenset[str] = field(default=frozenset(), repr=False)
    progress_s: float = 0.0
    is_same_run: bool = False
    tells_so_far: bool = False
    cut_before: float = 0.0

    def __call__(
        self, rows: PlanRows, cancel: CancelToken, /, ends: Callable[[bool], bool] | None = None
    ) -> Iterator[PointEvent]:
        """`ends` is told whether there is a model by now; as soon as it says so the run ends like
        one at its time limit. With it nobody makes the run another time: it tells its end also
        when it was stopped while its models were measured."""
        run, number, watch, problems = self.run, 0, _Watch(), list[str]()
        glimpses = Glimpses()
        why = learner_of(run.learner).refuses(rows.train)
        token = _Limited(cancel, run.time_limit, ends)
        if why is not None:
            problems.append(f"{run.title}: {why}")
        else:
            try:
                for event in self._learned(rows, token, watch, glimpses):
                    if isinstance(event, RunProblem):
                        problems.append(event.message)
                        if token.was_stopped:
                            # Whoever ends us before we are through must not take us for whole.
                            yield RunDone(self.key, len(self.known), watch.total, token.cut_after)
                        continue
                    if isinstance(event, Glimpse):
                        yield self._so_far(event, rows, watch.total)
                        continue
                    if not isinstance(event, Harvested):
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
        self, rows: PlanRows, token: _Limited, watch: _Watch, glimpses: Glimpses
    ) -> Iterator[Progress | Note | Harvested | Glimpse]:
        run = self.run
        harvest = Harvest(rows.train, run.params, run.seed, self.optima)
        events = LearnTask(run.learner, rows.train, run.params, run.seed)(token)
        last: Model | None = None
        told_at = -math.inf
        while True:
            try:
                # Whoever takes the events may be slow; that is not the learner's time.
                with watch:
                    event = next(events)
            except Cancelled:
                if not token.was_reached:
                    if not harvest.has_curve or token.seconds <= self.cut_before:
                        raise
                    token.stop()
                yield RunProblem(f"{run.title}: {token.words}")
                break
            match event:
                case Progress(fraction, message, counters):
                    if time.monotonic() - told_at < self.progress_s:
                        continue
                    told_at = time.monotonic()
                    words = f"{run.title}: {message}" if message else run.title
                    yield Progress(fraction, words, counters)
                case Note(message):
                    yield Note(f"{run.title}: {message}")
                case Kept(keepsake):
                    yield from harvest.keep(keepsake)
                case Found(is_start=True):
                    continue  # the point of a curve is what a search has found
                case Found(model):
                    last = model
                    token.has_model = True
                case Finished(model):
                    last = model
                    break
            if self.tells_so_far and last is not None and glimpses.are_due(watch.total):
                yield from glimpses.of(harvest.so_far(last))
        if last is None:
            yield RunProblem(f"{run.title}: no model was found in time.")
            return
        rest = list(harvest.rest(last))
        watch.divide(len(rest))
        yield from rest

    def _so_far(self, seen: Glimpse, rows: PlanRows, seconds: float) -> SoFar:
        quick = replace(self, queries=None)
        new = [quick._measured(one, rows, f"{self.key}~{n}", seconds) for n, one in seen.new]
        return SoFar(self.key, tuple(new), tuple(f"{self.key}~{n}" for n in seen.standing))

    def _measured(self, found: Harvested, rows: PlanRows, key: str, seconds: float) -> CurvePoint:
        run, model = self.run, found.model
        train = mean_of(row_log2(model, rows.train), rows.train.weights)
        test = mean_of(row_log2(model, rows.test), rows.test.weights)
        point = CurvePoint(
            run.learner,
            model.kind,
            run.lambda_ if found.lambda_ is None else found.lambda_,
            run.seed,
            model.effective_size(),
            model.representation_size(),
            train.value,
            test.value,
            test.standard_error,
            train.rows,
            seconds,
            _listed({**run.given, **dict(found.setting)}),
            model,
            key,
            run.name,
            model.parameter_size() if isinstance(model, DecisionGraph) else None,
        )
        if rows.valid is not None:
            valid = mean_of(row_log2(model, rows.valid), rows.valid.weights)
            point = replace(point, valid_log2_likelihood_per_row=valid.value)
        return point if self.queries is None else _with_queries(point, model, rows, self.queries)


def _listed(values: Mapping[str, object]) -> dict[str, object]:
    """With lists for tuples, as they come back from a file."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}


def _with_queries(point: CurvePoint, model: Model, rows: PlanRows, plan: QueryPlan) -> CurvePoint:
    """The point with what random queries say of its model."""
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
        inference_seconds=inference_seconds(model, queries, plan.timed),
    )


class _Watch:
    """Seconds of learning: in all, and since the last point."""

    def __init__(self) -> None:
        self.total = 0.0
        self._began = self._lapped = 0.0
        self._share: float | None = None

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.total += time.perf_counter() - self._began

    def divide(self, points: int) -> None:
        """What is left is shared by so many points."""
        self._share = (self.total - self._lapped) / max(1, points)

    def lap(self) -> float:
        if self._share is not None:
            return self._share
        spent, self._lapped = self.total - self._lapped, self.total
        return spent


class _Limited:
    """The token of a run with a time limit of its own, or with somebody who may end it early."""

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
        """Its learner was stopped from outside; what it found is measured."""
        self.end()
        self.was_stopped = self.was_ended

    def end(self) -> None:
        """It gives no more than what it has by now."""
        if self._ended_after is None:
            self._ended_after = self.seconds

    @property
    def has_no_time(self) -> bool:
        """Whether it was stopped from outside, and so long ago that nobody waits any more."""
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
        """Whether somebody ended it, and neither its learner nor its own limit did."""
        limit, ended = self._limit, self._ended_after
        return ended is not None and (limit is None or ended < limit)

    @property
    def cut_after(self) -> float | None:
        """The seconds it had when it ended early; None when it did not."""
        if self._ended_after is None or self._limit is None:
            return self._ended_after
        return min(self._limit, self._ended_after)

    @property
    def words(self) -> str:
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
