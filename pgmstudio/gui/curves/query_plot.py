"""Plots of random queries: accuracy against time, time against size, size against parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPen

from pgmstudio.core.analysis.query_benchmark import LineFit
from pgmstudio.core.arrays import Floats
from pgmstudio.core.experiments.curve_chart import (
    Behind,
    mark_indices,
    marker_family_of,
    series_title,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint, curves_of
from pgmstudio.core.experiments.sl_curves.selection import timing_fits
from pgmstudio.core.languages.markers import language_marker
from pgmstudio.gui.plots.items import MANY
from pgmstudio.gui.plots.model_scatter.overlays import LegendEntry
from pgmstudio.gui.plots.model_scatter.scatter import ModelScatter
from pgmstudio.gui.theme.language_symbols import mark_colors

Value = Callable[[CurvePoint], float | None]


def _milliseconds(point: CurvePoint) -> float | None:
    return None if point.inference_seconds is None else 1000 * point.inference_seconds


@dataclass(frozen=True)
class QueryView:
    """One scatter plot: its two measures, and which of them are logarithmic."""

    key: str
    title: str
    across: Value
    up: Value
    across_title: str
    up_title: str
    is_log: tuple[bool, bool]
    with_fits: bool = False


VIEWS: dict[str, QueryView] = {
    view.key: view
    for view in (
        QueryView(
            "accuracy",
            "Accuracy of queries",
            _milliseconds,
            lambda point: point.query_log2,
            "Update of all beliefs, ms (log scale)",
            "Mean log2 P(Q | E), bits",
            (True, False),
        ),
        QueryView(
            "distance",
            "Beliefs against the best",
            _milliseconds,
            lambda point: point.query_distance,
            "Update of all beliefs, ms (log scale)",
            "Distance of beliefs, bits (lower is better)",
            (True, False),
        ),
        QueryView(
            "times",
            "Times by size",
            lambda point: float(point.effective_size),
            _milliseconds,
            "Effective size (log scale)",
            "Update of all beliefs, ms (log scale)",
            (True, True),
            with_fits=True,
        ),
        QueryView(
            "sizes",
            "Both sizes",
            lambda point: float(point.representation_size),
            lambda point: float(point.effective_size),
            "Free parameters (log scale)",
            "Effective size (log scale)",
            (True, True),
        ),
    )
}


UNASKED = "No point has been measured. Plan a sweep with “Ask random queries”."
UNCOMPARED = "No beliefs have been compared with those of the best model yet."


class QueryPlot(ModelScatter):
    """A cloud for each curve; a fitted line where times are shown by size."""

    def __init__(self) -> None:
        super().__init__("queryPlot", UNASKED)
        self.view = VIEWS["accuracy"]
        self.points: Sequence[CurvePoint] = ()

    def show_points(self, points: Sequence[CurvePoint], view: str) -> None:
        if view != self.view.key:
            self._is_fitted = True
        self.view, self.points = VIEWS[view], points
        is_requested = any(point.query_log2 is not None for point in points)
        self._empty_text = UNCOMPARED if view == "distance" and is_requested else UNASKED
        self.refresh()

    @property
    def fits(self) -> dict[str, LineFit]:
        """The lines of time by size, by language, where times grow by more than their noise."""
        all_fits = timing_fits(self.points) if self.view.with_fits else {}
        return {family: fit for family, fit in all_fits.items() if fit.is_clear}

    def _draw(self) -> None:
        view = self.view
        self._set_logs(*view.is_log)
        self._name_axes(view.across_title, view.up_title, f"{view.up_title} by {view.across_title}")
        parts: list[tuple[int, Floats, Floats, list[Behind]]] = []
        entries = []
        for name, own in curves_of(self.points).items():
            values = [(view.across(point), view.up(point), point) for point in own]
            known = [(x, y, p) for x, y, p in values if x and y is not None and np.isfinite(y)]
            if not known:
                continue
            xs = self._transformed([x for x, _, _ in known], view.is_log[0])
            ys = self._transformed([y for _, y, _ in known], view.is_log[1])
            family = marker_family_of(own[0])
            fill, ink = mark_colors(family)
            self.curves.marks(
                name,
                xs,
                ys,
                1,
                symbol=language_marker(family).symbol,
                size=5 if len(self.points) > MANY else 9,
                ink=ink,
                width=1,
                fill=fill,
            )
            parts.append((len(parts), xs, ys, [(point,) for _, _, point in known]))
            entries.append(LegendEntry(family, series_title(name)))
        self._take_marks(parts, mark_indices([behind for _, _, _, behind in parts]))
        if parts and self._show_fits():
            entries.append(LegendEntry("fit", "fitted line"))
        self.curves.remove_unused()
        self.legend.set_entries(entries)
        self._fit()

    def _show_fits(self) -> bool:
        """Draw the fitted lines under the marks; False when there are none."""
        fits = self.fits
        for family, fit in fits.items():
            own = [float(p.effective_size) for p in self.points if p.family == family]
            sizes = np.geomspace(max(1.0, min(own)), max(own), 64)
            heights = 1000 * (fit.slope * sizes + fit.intercept)
            known = heights > 0
            xs, ys = np.log10(sizes[known]), np.log10(heights[known])
            self.curves.line(f"fit {family}", xs, ys, QPen(mark_colors(family)[1], 1.4), 0)
        return bool(fits)

    def _transformed(self, values: Sequence[float | None], is_log: bool) -> Floats:
        numbers = np.array(values, dtype=float)
        return np.log10(np.maximum(numbers, 1e-9)) if is_log else numbers

    def _bounds(self) -> QRectF | None:
        if self.is_empty:
            return None
        left, right = float(self._xs.min()), float(self._xs.max())
        low, high = float(self._ys.min()), float(self._ys.max())
        wide, tall = max(right - left, 0.3), max(high - low, 0.05)
        return QRectF(left - 0.07 * wide, low - 0.08 * tall, 1.14 * wide, 1.24 * tall)
