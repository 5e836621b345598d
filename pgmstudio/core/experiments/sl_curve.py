"""SL-curves: size against log2-likelihood per row, for many learners and penalties λ.

Nielsen (2007), §4.1 and ch. 5. A point is one learned model; the points of a curve come from making
S_λ = (1−λ)·L − λ·size large for a list of λ.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.split import split
from pgmstudio.core.errors import DataError, ParameterError, PgmStudioError
from pgmstudio.core.experiments.compare import finite, row_log2, whole
from pgmstudio.core.experiments.means import mean_of
from pgmstudio.core.experiments.sweeps import sweep_of
from pgmstudio.core.learning.protocols import Finished, Learner
from pgmstudio.core.learning.registry import learner_of
from pgmstudio.core.learning.task import LearnTask
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.params import parse_params
from pgmstudio.core.running import CancelToken, Note, Progress
from pgmstudio.core.scores.local_scores import lambda_bic

LAMBDA_AIC = 0.5  # S_½ · 2 = L − size, AIC as the thesis has it

SizeName = Literal["effective_size", "representation_size"]


@dataclass(frozen=True)
class LearnerGrid:
    """A learner and, for some of its parameters, the values to try; all combinations are run.

    A parameter with one value is simply set. Naming a parameter that the λ sweep would set keeps
    the sweep away from this learner.
    """

    key: str
    values: Mapping[str, Sequence[object]] = field(default_factory=dict)


@dataclass(frozen=True)
class CurvePlan:
    """Which learners, which λ (none given: `default_lambdas`), which seeds, how many test rows."""

    learners: tuple[LearnerGrid, ...]
    lambdas: tuple[float, ...] = ()
    seeds: tuple[int, ...] = (0,)
    test_share: float = 0.1

    def __post_init__(self) -> None:
        problems = {}
        if not self.learners:
            problems["learners"] = "needs at least one learner"
        if not all(0 < value < 1 for value in self.lambdas):
            problems["lambdas"] = "must all lie between 0 and 1"
        if not self.seeds:
            problems["seeds"] = "needs at least one number"
        if not 0 < self.test_share < 1:
            problems["test-share"] = "must lie between 0 and 1"
        if problems:
            raise ParameterError(problems)

    @classmethod
    def of(cls, keys: Iterable[str], **told: Any) -> CurvePlan:
        """A plan for these learners with their default parameters."""
        return cls(tuple(LearnerGrid(key) for key in keys), **told)


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """One learned model; `lambda_` is None when the learner has no penalty to sweep."""

    learner: str
    family: str
    lambda_: float | None
    seed: int
    effective_size: int
    representation_size: int
    train_log2_likelihood_per_row: float
    test_log2_likelihood_per_row: float
    test_standard_error: float | None
    train_rows: float
    seconds: float
    parameters: Mapping[str, object]  # those of the grid and of the sweep
    model: Model = field(repr=False)

    def score(self, lambda_: float, size: SizeName = "effective_size") -> float:
        """S_λ = (1−λ)·L·N − λ·size on the training rows."""
        bits = self.train_log2_likelihood_per_row * self.train_rows
        return (1 - lambda_) * bits - lambda_ * float(getattr(self, size))

    def as_dict(self) -> dict[str, Any]:
        """For JSON, without the model; minus infinity is None."""
        return {
            "learner": self.learner,
            "family": self.family,
            "lambda": self.lambda_,
            "seed": self.seed,
            "effective_size": self.effective_size,
            "representation_size": self.representation_size,
            "train_log2_likelihood_per_row": finite(self.train_log2_likelihood_per_row),
            "test_log2_likelihood_per_row": finite(self.test_log2_likelihood_per_row),
            "test_standard_error": self.test_standard_error,
            "train_rows": whole(self.train_rows),
            "seconds": self.seconds,
            "parameters": dict(self.parameters),
        }


def default_lambdas(rows: float) -> tuple[float, ...]:
    """18 values with λ/(1−λ) evenly spaced in its logarithm from 0.1 to 10·log2 N, λ_AIC and λ_BIC:
    from nearly no penalty to one that leaves few edges."""
    ratios = np.geomspace(0.1, 10 * math.log2(max(rows, 2)), 18)
    values = {float(ratio / (1 + ratio)) for ratio in ratios}
    return tuple(sorted(values | {LAMBDA_AIC, lambda_bic(max(rows, 2))}))


@dataclass(frozen=True)
class _Run:
    learner: Learner[Any]
    lambda_: float | None
    seed: int
    given: Mapping[str, object]
    params: Any

    @property
    def title(self) -> str:
        penalty = "" if self.lambda_ is None else f", λ = {self.lambda_:.3f}"
        return f"{self.learner.title}{penalty}"


def sl_curve(
    plan: CurvePlan,
    data: DataSet,
    test: DataSet | None = None,
    *,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Iterator[Progress | Note | CurvePoint]:
    """A point for every learner, λ, combination of values and seed, in that order.

    Without `test`, rows are put aside at random (the only use of `rng`); every run learns with the
    seed of its point, so `learn` with the same parameters and seed finds the same model. A run that
    cannot be done becomes a note. Everything but `seconds` is the same every time.
    """
    if test is None:
        seed = int(rng.integers(2**32))
        data, test = split(data, (1 - plan.test_share, plan.test_share), seed).parts(data)
    if data.row_count == 0 or test.row_count == 0:
        raise DataError("A curve needs rows to learn from and rows to test on.")
    runs = _runs(plan, plan.lambdas or default_lambdas(data.total_weight))
    for place, run in enumerate(runs):
        cancel.raise_if_cancelled()
        why = run.learner.refuses(data)
        if why is not None:
            yield Note(f"{run.title}: {why}")
            continue
        yield Progress(place / len(runs), run.title, {"model": place + 1})
        try:
            yield from _learned(run, data, test, cancel, place, len(runs))
        except PgmStudioError as problem:
            yield Note(f"{run.title}: {problem}")
    yield Progress(1.0, counters={"model": len(runs)})


@dataclass(frozen=True, eq=False)
class CurveTask:
    """A curve as a task for a child process; the same task gives the same events."""

    plan: CurvePlan
    data: DataSet
    test: DataSet | None = None
    seed: int = 0

    def __call__(self, cancel: CancelToken, /) -> Iterator[Progress | Note | CurvePoint]:
        rng = np.random.default_rng(self.seed)
        yield from sl_curve(self.plan, self.data, self.test, rng=rng, cancel=cancel)


def _runs(plan: CurvePlan, lambdas: Sequence[float]) -> list[_Run]:
    """Every run with its parameters checked; one ParameterError names all that is wrong."""
    runs: list[_Run] = []
    problems: dict[str, str] = {}
    for grid in plan.learners:
        learner = learner_of(grid.key)
        sweep = sweep_of(learner.params_type, grid.values)
        settings: list[tuple[float | None, Mapping[str, object]]] = (
            [(None, {})] if sweep is None else [(value, sweep(value)) for value in lambdas]
        )
        for lambda_, swept in settings:
            for values in product(*grid.values.values()):
                given = dict(zip(grid.values, values, strict=True)) | dict(swept)
                try:
                    params: Any = parse_params(learner.params_type, given)
                except ParameterError as wrong:
                    problems |= {f"{grid.key} {name}": m for name, m in wrong.problems.items()}
                    continue
                runs += [_Run(learner, lambda_, seed, given, params) for seed in plan.seeds]
    if problems:
        raise ParameterError(problems)
    return runs


def _learned(
    run: _Run, data: DataSet, test: DataSet, cancel: CancelToken, place: int, count: int
) -> Iterator[Progress | Note | CurvePoint]:
    events = LearnTask(run.learner.key, data, run.params, run.seed)(cancel)
    seconds = 0.0
    while True:
        start = time.perf_counter()
        event = next(events)  # whoever takes the events may be slow; that is not the learner's time
        seconds += time.perf_counter() - start
        match event:
            case Progress(fraction, message, counters):
                within = 0.0 if fraction is None else fraction
                words = f"{run.title}: {message}" if message else run.title
                yield Progress((place + within) / count, words, counters)
            case Note(message):
                yield Note(f"{run.title}: {message}")
            case Finished(model):
                break
            case _:
                pass
    train = mean_of(row_log2(model, data), data.weights)
    tested = mean_of(row_log2(model, test), test.weights)
    yield CurvePoint(
        run.learner.key,
        model.kind,
        run.lambda_,
        run.seed,
        model.effective_size(),
        model.representation_size(),
        train.value,
        tested.value,
        tested.standard_error,
        train.rows,
        seconds,
        run.given,
        model,
    )


def best_at(
    points: Iterable[CurvePoint], lambda_: float, size: SizeName = "effective_size"
) -> CurvePoint | None:
    """The point with the largest S_λ: where a line of slope λ/((1−λ)N) touches the training curve
    from above. λ_BIC with size_rep selects M_BIC, λ = ½ M_AIC. Of equals the first is taken."""
    return max(points, key=lambda point: point.score(lambda_, size), default=None)


def best_on_test(points: Iterable[CurvePoint]) -> CurvePoint | None:
    """M_max, the model with the largest likelihood on the test rows."""
    return max(points, key=lambda point: point.test_log2_likelihood_per_row, default=None)


def pareto_front(
    points: Iterable[CurvePoint], size: SizeName = "effective_size", *, on_test: bool = True
) -> list[CurvePoint]:
    """The points that no other dominates, from small to large.

    One dominates another when it is no larger and no less likely, and better in one of the two.
    Models that rule out rows are not on the front. Of equal points all are.
    """
    name = "test_log2_likelihood_per_row" if on_test else "train_log2_likelihood_per_row"
    found = [(getattr(point, size), getattr(point, name), point) for point in points]
    usable = sorted(
        (entry for entry in found if math.isfinite(entry[1])),
        key=lambda entry: (entry[0], -entry[1]),
    )
    front: list[tuple[float, float, CurvePoint]] = []
    for entry in usable:
        if not front or entry[1] > front[-1][1] or entry[:2] == front[-1][:2]:
            front.append(entry)
    return [point for _, _, point in front]


def likelihood_ceiling(data: DataSet) -> float:
    """−H(P^D): no model gives these rows more log2-likelihood per row (eq. 4.7)."""
    merged = data.complete_rows().merged()
    if merged.weights is None or merged.total_weight == 0:
        raise DataError("The ceiling needs rows without missing cells.")
    shares = merged.weights[merged.weights > 0] / merged.total_weight
    return float(shares @ np.log2(shares))
