"""Texts of SL-curves: table rows, overfitting, progress."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pgmstudio.core.experiments.curve_chart import (
    CurveMarks,
    marker_family_of,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.io.curve_setup import Loaded
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.plots.model_scatter.hover_card import seconds_text

# Test rows fall by so many bits per row before it is called overfitting.
CLEAR_FALL = 0.02
# Up to this fraction of the runs, the time left is estimated from those that are done.
FORESEEN = 0.9


def overfitting(curve: CurveMarks) -> str | None:
    """Warning that training rises while test falls behind the best of a curve (Def. 4.1)."""
    known = np.isfinite(curve.test) & np.isfinite(curve.train)
    if known.sum() < 3:
        return None
    sizes, test, train = curve.sizes[known], curve.test[known], curve.train[known]
    top = int(np.argmax(test))
    later = (train[top + 1 :] > train[top]) & (test[top + 1 :] < test[top] - CLEAR_FALL)
    if not later.any():
        return None
    at = grouped(round(float(sizes[top])))
    return f"{curve.title} overfits: from size {at} on, training rises while test falls."


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


def progress_text(
    state: JobState,
    message: str,
    run: int,
    of: int,
    new: int,
    seconds: float,
    fraction: float,
    fraction_before: float = 0.0,
) -> str:
    """Progress of a sweep that started when `fraction_before` of all runs was done.

    The time left is shown while many runs are left: the last may take longer than all before.
    """
    points = counted(new, "new point")
    if state is JobState.CANCELLING:
        return "Stopping…"
    if state is JobState.FINISHED:
        if new == 0:
            return "All points were there already."
        return f"Finished after {seconds_text(seconds)} with {points}."
    if state is JobState.CANCELLED:
        return f"Stopped after {seconds_text(seconds)} with {points}. Resume continues from here."
    if state is JobState.FAILED:
        return f"Failed after {seconds_text(seconds)}; the points so far are preserved."
    left = ""
    made = fraction - fraction_before
    if seconds > 3 and made > 0.03 and fraction < FORESEEN:
        rest = seconds * (1 - fraction) / made
        left = f" · {f'{rest:.0f} s' if rest < 120 else seconds_text(rest)} left"
    runs = f"{run} of {of} runs · " if of else ""
    return f"{runs}{points}{left}" + (f" · {message}" if message else "")


def rows_text(known: Loaded) -> str:
    """“2 000 training rows, 500 test rows”; empty when that is not known."""
    if known.train_rows is None or known.test_rows is None:
        return ""
    return f"{grouped(known.train_rows)} training rows, {grouped(known.test_rows)} test rows"
