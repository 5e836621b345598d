"""From points to the plot of their curves: front, letters, bars over seeds, line of equal score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pgmstudio.core.experiments.curve_choices import (
    Chosen,
    best_on_test,
    chosen_of,
    equi_score_line,
    pareto_front,
    seed_bars,
)
from pgmstudio.core.experiments.curve_points import CurvePoint, SizeName, curves_of
from pgmstudio.core.pictures.curve_signs import sign_family
from pgmstudio.core.pictures.curve_svg import CurvePlot, PlotMark, PlotSeries

SIZE_TITLES: dict[SizeName, str] = {
    "effective_size": "Effective size",
    "representation_size": "Free parameters",
}


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

    Points that several seeds learned alike are one mark with a bar of a standard deviation.
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
        letters = _letters({m for p in bar.points for m in _marks(chosen, p)})
        test.append(PlotMark(bar.size, bar.test_bits, bar.test_spread, letters, is_best))
        train.append(PlotMark(bar.size, bar.train_bits))
    for point in points:
        if id(point) not in barred:
            at, letters = float(getattr(point, size)), _letters(_marks(chosen, point))
            bits, is_best = point.test_log2_likelihood_per_row, point is best
            test.append(PlotMark(at, bits, None, letters, is_best))
            train.append(PlotMark(at, point.train_log2_likelihood_per_row))
    family = sign_family(points[0].family, points[0].learner)
    by_size = [sorted(marks, key=lambda mark: (mark.size, mark.bits)) for marks in (test, train)]
    return PlotSeries(name, family, tuple(by_size[0]), tuple(by_size[1]))


def _marks(chosen: Chosen | None, point: CurvePoint) -> set[str]:
    return set() if chosen is None else set(chosen.letters(point))


def _letters(marks: set[str]) -> str:
    return " ".join(sorted(marks, reverse=True))
