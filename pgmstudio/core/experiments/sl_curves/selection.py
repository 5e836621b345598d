"""Selection among points of SL-curves: the front, lines of equal S_λ, M_max, M_BIC and M_AIC.

Nielsen (2007), §4.1.2 and ch. 5. Query benchmarks of whole curves are summarised here as well: time
against size, beliefs against those of the best model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pgmstudio.core.analysis.query_benchmark import LineFit, Queries, line_fit, query_distance
from pgmstudio.core.experiments.sl_curves.points import LIKELIHOODS, CurvePoint, SizeName, curves_of
from pgmstudio.core.model import Model
from pgmstudio.core.scores.local import lambda_bic

LAMBDA_AIC = 0.5  # S_½ · 2 = L − size, AIC as the thesis has it


def pareto_front(
    points: Iterable[CurvePoint], size: SizeName = "effective_size"
) -> list[CurvePoint]:
    """The points that no other is better than, from small to large.

    One is better than another when it is no larger and no less likely, and better in one of the
    two. Models that rule out rows are not on the front. Of equal points all are.
    """
    result = [(getattr(p, size), p.test_log2_likelihood_per_row, p) for p in points]
    usable = sorted(
        (entry for entry in result if math.isfinite(entry[1])),
        key=lambda entry: (entry[0], -entry[1]),
    )
    front: list[tuple[float, float, CurvePoint]] = []
    for entry in usable:
        if not front or entry[1] > front[-1][1] or entry[:2] == front[-1][:2]:
            front.append(entry)
    return [point for _, _, point in front]


def consistently_dominates(curve: Sequence[CurvePoint], other: Sequence[CurvePoint]) -> bool:
    """Whether a whole curve is above or left of the other: every point of the other has one that
    is no larger and more likely on test rows (Table 5.6)."""
    return bool(other) and all(
        any(
            one.effective_size <= point.effective_size
            and one.test_log2_likelihood_per_row > point.test_log2_likelihood_per_row
            for one in curve
        )
        for point in other
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


@dataclass(frozen=True, slots=True)
class Chosen:
    """The three models that stand for a curve (§4.1.2)."""

    best_test: CurvePoint
    bic: CurvePoint
    aic: CurvePoint

    def labels(self, point: CurvePoint) -> tuple[str, ...]:
        """What a point is marked with: “BIC”, “AIC”, both, or nothing."""
        marks = (("BIC", self.bic), ("AIC", self.aic))
        return tuple(mark for mark, chosen in marks if chosen is point)


def chosen_of(points: Sequence[CurvePoint]) -> Chosen | None:
    """M_max, M_BIC and M_AIC of one curve; None without points."""
    best = best_on_test(points)
    if best is None:
        return None
    bic = best_at(points, lambda_bic(max(best.train_rows, 2)), "representation_size")
    aic = best_at(points, LAMBDA_AIC, "representation_size")
    assert bic is not None
    assert aic is not None
    return Chosen(best, bic, aic)


@dataclass(frozen=True, slots=True)
class EquiScoreLine:
    """All sizes and bits per row with one S_λ: bits = intercept + slope · size."""

    lambda_: float
    slope: float
    intercept: float
    touches: CurvePoint

    def bits_at(self, size: float) -> float:
        """Bits per row of the line at a size."""
        return self.intercept + self.slope * size


def equi_score_line(
    points: Iterable[CurvePoint], lambda_: float, size: SizeName = "effective_size"
) -> EquiScoreLine | None:
    """The line of slope λ/((1−λ)N) that touches the training points from above."""
    usable = [p for p in points if math.isfinite(p.train_log2_likelihood_per_row)]
    point = best_at(usable, lambda_, size)
    if point is None:
        return None
    slope = lambda_ / ((1 - lambda_) * point.train_rows)
    intercept = point.train_log2_likelihood_per_row - slope * getattr(point, size)
    return EquiScoreLine(lambda_, slope, intercept, point)


def overfits(point: CurvePoint, points: Iterable[CurvePoint]) -> bool:
    """Whether another of its language is less likely on training rows but more on test rows
    (Def. 4.1)."""
    return any(
        other.family == point.family
        and other.train_log2_likelihood_per_row < point.train_log2_likelihood_per_row
        and other.test_log2_likelihood_per_row > point.test_log2_likelihood_per_row
        for other in points
    )


def relative_improvement(before: float, after: float) -> float:
    """Δ = (BN − PDG)/BN, as in the hybrid tables: positive when size shrinks or bits rise."""
    return (before - after) / before


# -- several seeds -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SeedBar:
    """The mean over seeds of points with equal settings, and their standard deviations."""

    series: str
    family: str
    points: tuple[CurvePoint, ...]
    size: float
    size_spread: float
    train_bits: float
    train_spread: float
    test_bits: float
    test_spread: float


def seed_bars(
    points: Iterable[CurvePoint], size: SizeName = "effective_size"
) -> tuple[SeedBar, ...]:
    """One bar for each setting that several seeds were run with.

    Points of runs that give many models go together by their number in the run.
    """
    groups: dict[tuple[object, ...], list[CurvePoint]] = {}
    for point in points:
        number = point.key.rpartition("-")[2]
        setting = repr(sorted(point.parameters.items(), key=lambda item: item[0]))
        groups.setdefault((point.series, point.lambda_, setting, number), []).append(point)
    bars = []
    for group in groups.values():
        if len({point.seed for point in group}) < 2:
            continue
        numbers: list[float] = []
        for name in (size, *LIKELIHOODS):
            values = np.array([float(getattr(point, name)) for point in group])
            is_usable = bool(np.isfinite(values).all())
            numbers.append(float(values.mean()) if is_usable else -math.inf)
            numbers.append(float(values.std(ddof=1)) if is_usable else math.nan)
        bars.append(SeedBar(group[0].series, group[0].family, tuple(group), *numbers))
    return tuple(bars)


# -- whole curves --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CurveSummary:
    """One line of the table of languages (Table 5.7): its chosen models, how many, and how long."""

    series: str
    family: str
    chosen: Chosen
    models: int
    seconds: float


def summaries_of(points: Iterable[CurvePoint]) -> tuple[CurveSummary, ...]:
    """The table of curves, in the order they came."""
    result = []
    for name, own in curves_of(points).items():
        chosen = chosen_of(own)
        assert chosen is not None
        seconds = sum(point.seconds for point in own)
        result.append(CurveSummary(name, own[0].family, chosen, len(own), seconds))
    return tuple(result)


def dominance_matrix(
    curves: Mapping[str, Sequence[CurvePoint]],
) -> dict[tuple[str, str], bool]:
    """For each pair of curves whether the first consistently dominates the second (Table 5.6)."""
    return {
        (one, other): consistently_dominates(curves[one], curves[other])
        for one in curves
        for other in curves
        if one != other
    }


def timing_fits(points: Iterable[CurvePoint]) -> dict[str, LineFit]:
    """time = α·size_eff + β for every language with times of different sizes (Table 5.8)."""
    times: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        if point.inference_seconds is not None:
            pair = (float(point.effective_size), point.inference_seconds)
            times.setdefault(point.family, []).append(pair)
    result = {
        family: line_fit([size for size, _ in pairs], [seconds for _, seconds in pairs])
        for family, pairs in times.items()
    }
    return {family: fit for family, fit in result.items() if fit is not None}


def with_distances(
    points: Iterable[CurvePoint],
    model_of: Callable[[CurvePoint], Model],
    reference: Model,
    queries: Queries,
    count: int,
) -> list[CurvePoint]:
    """The points with how far their beliefs are from those of a reference, such as the best model,
    over so many of the queries."""
    return [
        replace(point, query_distance=query_distance(model_of(point), reference, queries, count))
        for point in points
    ]
