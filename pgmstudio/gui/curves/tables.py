"""Tables of SL-curves, with the marker of the language in each row."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pgmstudio.core.experiments.curve_chart import Chart, marker_family_of, series_title
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.io.curve_setup import Loaded
from pgmstudio.core.number_format import duration, grouped
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.plots.model_scatter.hover_card import bits
from pgmstudio.gui.theme.language_symbols import mark_icon
from pgmstudio.gui.widgets.table import Column


def _bits(value: float) -> str:
    return "–" if math.isnan(value) or value == -math.inf else bits(value) or "–"


def _whole(value: int) -> str:
    return grouped(value) if value else "–"


def _spent(seconds: float) -> str:
    return duration(seconds) if seconds else "–"


def _lambda(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3g}"


def _milliseconds(value: float) -> str:
    return "–" if math.isnan(value) else f"{1000 * value:.2f}"


def _curve(tip: str) -> Column:
    """The first column: the curve, with the marker of its language, which a row ends with."""
    return Column(
        "Curve", series_title, stretches=True, tip=tip, icon=lambda row: mark_icon(str(row[-1]))
    )


FRONT_COLUMNS = (
    _curve("The curve that the model is on."),
    Column(
        "Size",
        _whole,
        True,
        tip="In the measure of the plot; smaller is better.",
        explains="Size (curve)",
    ),
    Column("Test ↑", _bits, True, tip="Bits per test row; higher is better."),
)
CURVE_COLUMNS = (
    _curve("A language, as one learner finds it."),
    Column("State", str, tip="Whether its runs are done."),
    Column("Runs", str, True, tip="Runs that are done, of those in the plan."),
    Column("Points", _whole, True, tip="Models found so far."),
    Column("Best test ↑", _bits, True, tip="Bits per row of its best model; higher is better."),
    Column("At size", _whole, True, tip="The effective size of that model."),
    Column("Learned in", _spent, True, tip="Over all its models."),
)
POINT_COLUMNS = (
    _curve("A language, as one learner finds it."),
    Column("λ", _lambda, True, tip="The penalty for size it was learned with."),
    Column("Seed", str, True, tip="Of the learner."),
    Column("Effective size", _whole, True, tip="The cost of updating beliefs."),
    Column("Parameters", _whole, True, tip="Free parameters."),
    Column("Training ↑", _bits, True, tip="Bits per training row; higher is better."),
    Column("Test ↑", _bits, True, tip="Bits per test row; higher is better."),
    Column("±", _bits, True, tip="Standard error of the bits on test rows."),
    Column("Learned in", duration, True, tip="Seconds of learning."),
    Column("Update, ms ↓", _milliseconds, True, tip="Of all beliefs, with evidence."),
    Column("Queries ↑", _bits, True, tip="Mean log2 P(Q | E) of random queries."),
    Column("", str, tip="Best on test rows, on the front, pinned."),
)


def front_models(chart: Chart) -> list[CurvePoint]:
    """The front from small to large; of equal models of a curve the first."""
    models: dict[tuple[object, ...], CurvePoint] = {}
    for point in chart.front:
        models.setdefault(_front_row(point, chart), point)
    return list(models.values())


def _front_row(point: CurvePoint, chart: Chart) -> tuple[object, ...]:
    size = int(getattr(point, chart.size))
    return point.series, size, point.test_log2_likelihood_per_row, marker_family_of(point)


def front_rows(chart: Chart) -> list[tuple[object, ...]]:
    """A row for each of `front_models`."""
    return [_front_row(point, chart) for point in front_models(chart)]


def point_rows(
    points: Sequence[CurvePoint], chart: Chart, pinned: frozenset[str]
) -> list[tuple[object, ...]]:
    """All points in the order they came."""
    front = {id(point) for point in chart.front}

    def known(value: float | None) -> float:
        return math.nan if value is None else value

    rows: list[tuple[object, ...]] = []
    for point in points:
        marks = ["best"] if point is chart.best else ["front"] if id(point) in front else []
        marks += ["pinned"] if point.key in pinned else []
        rows.append(
            (
                point.series,
                known(point.lambda_),
                point.seed,
                point.effective_size,
                point.representation_size,
                point.train_log2_likelihood_per_row,
                point.test_log2_likelihood_per_row,
                known(point.test_standard_error),
                point.seconds,
                known(point.inference_seconds),
                known(point.query_log2),
                ", ".join(marks),
                marker_family_of(point),
            )
        )
    return rows


def curve_rows(
    points: Sequence[CurvePoint],
    known: Loaded,
    done: frozenset[str],
    started: frozenset[str],
    state: JobState | None,
) -> list[tuple[object, ...]]:
    """A row for each curve, also for those that have no point yet."""
    own: dict[str, list[CurvePoint]] = {}
    for point in points:
        own.setdefault(point.series, []).append(point)
    planned = known.planned
    rows: list[tuple[object, ...]] = []
    for series in dict.fromkeys([*planned, *own]):
        points_of_curve = own.get(series, [])
        keys = planned.get(series, [])
        ended = sum(key in done for key in keys)
        best = max(points_of_curve, key=lambda p: p.test_log2_likelihood_per_row, default=None)
        rows.append(
            (
                series,
                _state_text(ended, len(keys), state, not started.isdisjoint(set(keys) - done)),
                f"{ended} of {len(keys)}" if keys else "–",
                len(points_of_curve),
                -math.inf if best is None else best.test_log2_likelihood_per_row,
                0 if best is None else best.effective_size,
                sum(point.seconds for point in points_of_curve),
                marker_family_of(points_of_curve[0]) if points_of_curve else known.families[series],
            )
        )
    return rows


def _state_text(ended: int, planned: int, state: JobState | None, is_at_it: bool) -> str:
    if planned and ended >= planned:
        return "finished"
    if state is None or state.is_end:
        return "stopped" if planned else "–"
    if state is JobState.RUNNING:
        return "running" if is_at_it else "waiting"
    return "stopping"
