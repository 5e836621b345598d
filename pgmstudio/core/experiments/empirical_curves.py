"""What random queries say of whole curves: time against size, beliefs against the best model's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from pgmstudio.core.experiments.curve_points import CurvePoint
from pgmstudio.core.experiments.empirical import LineFit, Queries, line_fit, query_distance
from pgmstudio.core.models.protocols import Model


def timing_fits(points: Iterable[CurvePoint]) -> dict[str, LineFit]:
    """time = α·size_eff + β for every language with times of different sizes (Table 5.8)."""
    times: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        if point.inference_seconds is not None:
            pair = (float(point.effective_size), point.inference_seconds)
            times.setdefault(point.family, []).append(pair)
    found = {
        family: line_fit([size for size, _ in pairs], [seconds for _, seconds in pairs])
        for family, pairs in times.items()
    }
    return {family: fit for family, fit in found.items() if fit is not None}


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
