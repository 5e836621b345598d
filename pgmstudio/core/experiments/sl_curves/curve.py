"""SL-curves: size against log2-likelihood per row, for many learners and penalties λ.

Nielsen (2007), §4.1 and ch. 5. A point is one learned model; the points of a curve maximise
S_λ = (1−λ)·L − λ·size for a list of λ. The plot shows them with the front, labels, bars over seeds
and lines of equal score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import split
from pgmstudio.core.drawing.svg.sl_plot import CurvePlot, PlotMark, PlotSeries
from pgmstudio.core.errors import DataError, ParameterError
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.experiments.plans.expansion import PlanRows, runs_of
from pgmstudio.core.experiments.plans.plan import LearnerGrid, plan_problems
from pgmstudio.core.experiments.plans.run_task import PointWork
from pgmstudio.core.experiments.sl_curves.points import CurvePoint, SizeName, curves_of
from pgmstudio.core.experiments.sl_curves.selection import (
    LAMBDA_AIC,
    Chosen,
    best_on_test,
    chosen_of,
    equi_score_line,
    pareto_front,
    seed_bars,
)
from pgmstudio.core.languages.learners import alias_settings, learner_of
from pgmstudio.core.languages.markers import language_marker, marker_family
from pgmstudio.core.scores.local import lambda_bic, spaced_lambdas

SIZE_TITLES: dict[SizeName, str] = {
    "effective_size": "Effective size",
    "size_as_printed": "Effective size, classes as printed",
    "size_by_definition": "Effective size, classes by eq. 3.59",
    "representation_size": "Free parameters",
}

SIZE_HELP = (
    "Effective size: table cells that an update of all beliefs visits. Of latent classes also as "
    "the tables of Nielsen (2007) print it, |C| (1 + Σ (|R(X)| − 1)), or by its eq. 3.59, "
    "|C| Σ (|R(X)| − 1); the cells of the junction tree are |C| Σ |R(X)|."
)


def curve_plot(
    points: Iterable[CurvePoint],
    *,
    title: str = "",
    size: SizeName = "effective_size",
    ceiling: float | None = None,
    lambda_: float | None = None,
    truth: tuple[float, float] | None = None,
    is_log: bool = True,
) -> CurvePlot:
    """The plot of these points; with `lambda_` the line of equal score that touches them.

    Points of several seeds with equal settings are one mark with a bar of a standard deviation.
    """
    every = list(points)
    best = best_on_test(every)
    line = None if lambda_ is None else equi_score_line(every, lambda_, size)
    ends = None
    if line is not None:
        reach = max(float(getattr(point, size)) for point in every)
        ends = ((0.0, line.bits_at(0.0)), (reach, line.bits_at(reach)))
    front = pareto_front(every, size)
    return CurvePlot(
        tuple(_series(name, own, best, size) for name, own in curves_of(every).items()),
        title,
        SIZE_TITLES[size],
        ceiling,
        tuple((float(getattr(p, size)), p.test_log2_likelihood_per_row) for p in front),
        ends,
        "" if line is None else f"λ = {line.lambda_:.2f}",
        truth,
        is_log,
    )


def _series(
    name: str, points: Sequence[CurvePoint], best: CurvePoint | None, size: SizeName
) -> PlotSeries:
    bars = [bar for bar in seed_bars(points, size) if math.isfinite(bar.test_bits)]
    barred = {id(point) for bar in bars for point in bar.points}
    chosen = chosen_of(points)
    test, train = [], []
    for bar in bars:
        is_best = any(point is best for point in bar.points)
        labels = _labels({m for p in bar.points for m in _marks(chosen, p)})
        test.append(PlotMark(bar.size, bar.test_bits, bar.test_spread, labels, is_best))
        train.append(PlotMark(bar.size, bar.train_bits))
    for point in points:
        if id(point) not in barred:
            at, labels = float(getattr(point, size)), _labels(_marks(chosen, point))
            bits, is_best = point.test_log2_likelihood_per_row, point is best
            test.append(PlotMark(at, bits, None, labels, is_best))
            train.append(PlotMark(at, point.train_log2_likelihood_per_row))
    marker = language_marker(marker_family(points[0].family, points[0].learner))
    by_size = [sorted(marks, key=lambda mark: (mark.size, mark.bits)) for marks in (test, train)]
    return PlotSeries(name, marker, tuple(by_size[0]), tuple(by_size[1]))


def _marks(chosen: Chosen | None, point: CurvePoint) -> set[str]:
    return set() if chosen is None else set(chosen.labels(point))


def _labels(marks: set[str]) -> str:
    return " ".join(sorted(marks, reverse=True))


@dataclass(frozen=True)
class CurvePlan:
    """Which learners, which λ (none given: `default_lambdas`), which seeds, how many test rows."""

    learners: tuple[LearnerGrid, ...]
    lambdas: tuple[float, ...] = ()
    seeds: tuple[int, ...] = (0,)
    test_share: float = 0.1

    def __post_init__(self) -> None:
        problems = plan_problems(self.learners, self.lambdas, self.seeds)
        if not 0 < self.test_share < 1:
            problems["test-share"] = "must lie between 0 and 1"
        if problems:
            raise ParameterError(problems)

    @classmethod
    def of(cls, keys: Iterable[str], **options: Any) -> CurvePlan:
        """A plan for these learners with their default parameters, or those of an alias."""
        return cls(tuple(map(_named_grid, keys)), **options)


def _named_grid(name: str) -> LearnerGrid:
    """The learner of this key or alias; a curve with settings of an alias has its name."""
    values = {param: (value,) for param, value in alias_settings(name).items()}
    return LearnerGrid(learner_of(name).key, values, name if values else "")


def default_lambdas(rows: float) -> tuple[float, ...]:
    """18 values with λ/(1−λ) evenly spaced in its logarithm from 0.1 to 10·log2 N, λ_AIC and λ_BIC:
    from nearly no penalty to one that leaves few edges."""
    values = spaced_lambdas(0.1, 10 * math.log2(max(rows, 2)), 18)
    return tuple(sorted({*values} | {LAMBDA_AIC, lambda_bic(max(rows, 2))}))


def curve_rows(
    plan: CurvePlan, data: DataSet, test: DataSet | None, rng: np.random.Generator
) -> PlanRows:
    """The rows to learn from and to test on; without `test` some are held out at random."""
    if test is None:
        seed = int(rng.integers(2**32))
        data, test = split(data, (1 - plan.test_share, plan.test_share), seed).parts(data)
    if data.row_count == 0 or test.row_count == 0:
        raise DataError("A curve needs rows to learn from and rows to test on.")
    return PlanRows(data, test)


def sl_curve(
    plan: CurvePlan,
    data: DataSet,
    test: DataSet | None = None,
    *,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Iterator[Progress | Note | CurvePoint]:
    """A point for every learner, λ, combination of values and seed, in that order.

    Without `test`, rows are held out at random (the only use of `rng`); every run learns with the
    seed of its point, so `learn` with the same parameters and seed finds the same model. A learner
    that goes from model to model by itself is run once and gives all its points. A run that
    cannot be done becomes a note. Everything but `seconds` is the same every time.
    """
    rows = curve_rows(plan, data, test, rng)
    lambdas = plan.lambdas or default_lambdas(rows.train.total_weight)
    runs = runs_of(plan.learners, lambdas, plan.seeds)
    for index, run in enumerate(runs):
        cancel.raise_if_cancelled()
        yield Progress(index / len(runs), run.title, {"model": index + 1})
        for event in PointWork(run)(rows, cancel):
            match event:
                case Progress(fraction, message, counters):
                    yield Progress((index + (fraction or 0.0)) / len(runs), message, counters)
                case Note() | CurvePoint():
                    yield event
    yield Progress(1.0, counters={"model": len(runs)})


def likelihood_ceiling(data: DataSet) -> float:
    """−H(P^D): no model gives these rows more log2-likelihood per row (eq. 4.7)."""
    merged = data.complete_rows().merged()
    if merged.weights is None or merged.total_weight == 0:
        raise DataError("The ceiling needs rows without missing cells.")
    fractions = merged.weights[merged.weights > 0] / merged.total_weight
    return float(fractions @ np.log2(fractions))
