"""Live plot of SL-curves: all languages on one pair of axes, the Pareto front, a line for λ."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPen

from pgmstudio.core.arrays import Floats
from pgmstudio.core.experiments.curve_chart import Across, Chart, CurveMarks, Extent, extent_of
from pgmstudio.core.experiments.sl_curves.curve import SIZE_TITLES
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.languages.markers import language_marker
from pgmstudio.core.number_format import counted
from pgmstudio.gui.plots.items import MANY, PlotItems
from pgmstudio.gui.plots.model_scatter.labels import LabelLayer, MarkLabel
from pgmstudio.gui.plots.model_scatter.overlays import LegendEntry, Pill
from pgmstudio.gui.plots.model_scatter.scatter import ModelScatter
from pgmstudio.gui.theme.language_symbols import mark_colors
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.debounce import one_shot

# From so many marks on lines are plain.
VERY_MANY = 1500
_STEPS_BETWEEN = 10
# What lies over what: test rows over training rows, marks over lines, rings over marks.
FRONT_Z, TRAINING_Z, TEST_Z, SPREAD_Z, TRAINING_MARKS_Z, TEST_MARKS_Z, RING_Z = range(7)


def show_curves(items: PlotItems, chart: Chart, mode: str, across: Across) -> None:
    """The curves and their front in the present colours; `mode`: test, training or both."""
    if mode != "training":
        _show_front(items, chart, across)
    is_plain, is_small = chart.marks > VERY_MANY, chart.marks > MANY
    dashes = Qt.PenStyle.SolidLine if is_plain else Qt.PenStyle.DashLine
    background = theme().color("surface")
    for curve in chart.curves:
        name, xs, (fill, ink) = curve.series, across(curve.sizes), mark_colors(curve.family)
        symbol = language_marker(curve.family).symbol
        if mode != "test":
            faint = QColor(ink)
            faint.setAlphaF(0.75)
            pen = QPen(faint, 1 if is_plain else 1.2, dashes)
            items.line(f"training {name}", xs, curve.train, pen, TRAINING_Z, is_smooth=not is_plain)
            items.marks(
                f"training marks {name}",
                xs,
                curve.train,
                TRAINING_MARKS_Z,
                symbol=symbol,
                size=4 if is_small else 6,
                ink=faint,
                width=1.2,
                fill=background,
            )
        if mode != "training":
            pen = QPen(ink, 1 if is_plain else 2)
            items.line(f"test {name}", xs, curve.test, pen, TEST_Z, is_smooth=not is_plain)
            _show_spread(items, curve, xs, ink)
            items.marks(
                f"test marks {name}",
                xs,
                curve.test,
                TEST_MARKS_Z,
                symbol=symbol,
                size=5 if is_small else 9,
                ink=ink,
                width=1,
                fill=fill,
            )
    items.remove_unused()


def _show_front(items: PlotItems, chart: Chart, across: Across) -> None:
    """Steps, to the right end of all points."""
    if not chart.front:
        return
    xs = across(np.array([float(getattr(point, chart.size)) for point in chart.front]))
    ys = np.array([point.test_log2_likelihood_per_row for point in chart.front])
    far = max(float(across(chart.arrays.sizes.max())), xs[-1])
    pen = QPen(theme().color("accent", 0.16), 8)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    steps = np.append(np.repeat(xs, 2)[1:], far)
    items.line("front", steps, np.repeat(ys, 2), pen, FRONT_Z, is_smooth=False)


def _show_spread(items: PlotItems, curve: CurveMarks, xs: Floats, ink: QColor) -> None:
    """Error bars of a standard deviation, where several seeds were run."""
    known = np.isfinite(curve.spread) & np.isfinite(curve.test)
    if known.any():
        middle, half = curve.test[known], curve.spread[known]
        ends = np.stack((middle - half, middle + half), axis=1).ravel()
        items.line(
            f"spread {curve.series}",
            np.repeat(xs[known], 2),
            ends,
            QPen(ink, 1),
            SPREAD_Z,
            is_smooth=False,
            connect="pairs",
        )


def curve_labels(chart: Chart, mode: str, across: Across) -> list[MarkLabel]:
    """Names at the ends of curves that share a symbol; then the choices of BIC and AIC."""
    names: list[MarkLabel] = []
    criteria: list[MarkLabel] = []
    for curve in chart.curves:
        xs, ink = across(curve.sizes), mark_colors(curve.family)[1]
        heights = curve.train if mode == "training" else curve.test
        known = np.flatnonzero(np.isfinite(heights))
        own = {index: text for index, text in curve.labels.items() if index in known}
        if len(known) and sum(other.family == curve.family for other in chart.curves) > 1:
            last = known[-1]
            end = float(xs[last]), float(heights[last])
            names.append(MarkLabel(*end, curve.title, ink, "right"))
        criteria += [
            MarkLabel(float(xs[index]), float(heights[index]), text, ink)
            for index, text in own.items()
        ]
    return names + criteria


def along(xs: Floats, ys: Floats) -> tuple[Floats, Floats]:
    """Points all along a line, so close to each other that no label fits between."""
    if len(xs) < 2:
        return xs, ys
    indices = np.arange(len(xs))
    steps = np.linspace(0, len(xs) - 1, _STEPS_BETWEEN * (len(xs) - 1) + 1)
    return np.interp(steps, indices, xs), np.interp(steps, indices, ys)


NEW_MS = 2000
_STEPS = 129
LEGEND_MOST = 10


class SlPlot(ModelScatter):
    """SL plot: log-likelihood by size; `lambda_moved` when the user drags the line of λ."""

    lambda_moved = Signal(float)

    def __init__(self, name: str = "slPlot") -> None:
        super().__init__(name, "Points are shown as models are learned.")
        self.chart = Chart()
        self.mode = "both"  # test, training, both
        self.is_log = True
        self.lambda_: float | None = None
        self.ceiling: float | None = None
        self.truth: tuple[float, float] | None = None
        self._pins: frozenset[str] = frozenset()
        self._new: frozenset[str] = frozenset()
        self.has_legend = True
        self.is_apart = False  # another plot shows the other rows on the same y range
        self._shows_all = False
        self._extent = Extent()
        self._old = one_shot(self, self._on_old, NEW_MS)

    # -- what is shown

    def show_chart(self, chart: Chart) -> None:
        self.chart = chart
        self.refresh()

    def set_view(self, *, mode: str | None = None, is_log: bool | None = None) -> None:
        """Test rows, training rows or both; sizes by their logarithm or evenly."""
        self.mode = self.mode if mode is None else mode
        if is_log is not None and is_log != self.is_log:
            self.is_log, self._is_fitted = is_log, True
        self.refresh()

    def set_lambda(self, lambda_: float | None) -> None:
        self.lambda_ = lambda_
        self._show_line()

    def set_truth(self, ceiling: float | None, truth: tuple[float, float] | None) -> None:
        """−H of the training rows, and size and bits of the model that the rows come from."""
        self.ceiling, self.truth = ceiling, truth
        self.refresh()

    def set_pins(self, keys: Collection[str]) -> None:
        if frozenset(keys) != self._pins:
            self._pins = frozenset(keys)
            self._show_pins()
            if not self.card.isHidden():
                self._show_card()

    def mark_new(self, keys: Iterable[str]) -> None:
        """Show a thin ring around new points for two seconds."""
        self._new = frozenset(keys)
        self._old.start()

    def _on_old(self) -> None:
        self._new = frozenset()
        self._show_new()

    # -- drawing

    def draw_on(self, background: str | None) -> None:
        super().draw_on(background)
        if self.canvas is not None:
            self._labels.arrange_now()  # a file does not wait for them

    def _build(self) -> None:
        super()._build()
        self._labels = LabelLayer()
        self._labels.arranged.connect(self._show_line)
        self._canvas.scene().addItem(self._labels)
        self.pill = Pill()
        self.pill.dragged.connect(self._on_dragged)
        self._canvas.scene().addItem(self.pill)

    def _across(self, sizes: Any) -> Floats:
        numbers = np.asarray(sizes, dtype=float)
        return np.log10(np.maximum(numbers, 1.0)) if self.is_log else numbers

    def _draw(self) -> None:
        chart = self.chart
        self._set_logs(self.is_log, False)
        self._extent = extent_of(
            chart,
            "both" if self.is_apart else self.mode,
            self._across,
            is_log=self.is_log,
            shows_all=self._shows_all,
            ceiling=self.ceiling,
            truth=self.truth,
        )
        self._name_axes(
            self._across_titles(),
            ("Log-likelihood, bits per row", "Bits per row", "Bits"),
            f"Bits per row against size, {len(chart.curves)} curves, {chart.marks} marks",
        )
        show_curves(self.curves, chart, self.mode, self._across)
        parts = []
        for number, curve in enumerate(chart.curves):
            xs = self._across(curve.sizes)
            heights = [curve.test] if self.mode != "training" else []
            heights += [curve.train] if self.mode != "test" else []
            parts += [(number, xs, ys, curve.behind) for ys in heights]
        self._take_marks(parts, chart.index_by_key)
        self._draw_truth()
        self._draw_best()
        self._show_pins()
        self._show_new()
        self.legend.set_entries(self._entries() if self.has_legend else [])
        self._fit()  # the line of λ is drawn with what stands over the marks

    def _entries(self) -> list[LegendEntry]:
        chart = self.chart
        entries = [LegendEntry(c.family, c.title) for c in chart.curves[:LEGEND_MOST]]
        if not entries:
            return []
        if len(chart.curves) > LEGEND_MOST:
            more = len(chart.curves) - LEGEND_MOST
            entries.append(LegendEntry(chart.curves[-1].family, f"{more} more"))
        if self.mode != "training":
            entries += [LegendEntry("front", "Pareto front"), LegendEntry("test", "test rows")]
        if self.mode != "test":
            entries.append(LegendEntry("training", "training rows"))
        if self.truth is not None:
            entries.append(LegendEntry("truth", "true model"))
        return entries

    def _across_titles(self) -> tuple[str, ...]:
        """Titles of the x axis with notes on marks outside the range, the shortest last."""
        size, extent = SIZE_TITLES[self.chart.size], self._extent
        below, nowhere = extent.below, extent.nowhere
        plain = f"{size} (log scale)" if self.is_log else size
        notes = []
        if nowhere:  # a line is broken there
            verb = "rules" if nowhere == 1 else "rule"
            notes.append(f"{counted(nowhere, 'model')} at −∞ {verb} out rows")
        if below:
            how = " left out" if self._is_for_file else "; 0 shows all"
            notes.append(f"{counted(below, 'mark')} far below{how}")
        if not notes:
            return plain, size
        text = " · ".join(notes)
        return f"{plain} · {text}", f"{size} · {text}", text

    def _draw_truth(self) -> None:
        truths = [] if self.truth is None else [self.truth]
        xs = self._across([size for size, _ in truths])
        ys = np.array([height for _, height in truths], dtype=float)
        self._ring_at("truth", xs, ys, 15.5, "text", 1.5, symbol="s")

    def _draw_best(self) -> None:
        best = self.chart.best
        keys = [] if best is None or self.mode == "training" else [best.key]
        self._ring_models("best", keys, 19, "accent", 1.8)

    def _ring_models(
        self, name: str, keys: Iterable[str], size: float, ink: str, width: float
    ) -> list[int]:
        indices = self._shown_indices(keys)
        self._ring_at(name, self._xs[indices], self._ys[indices], size, ink, width)
        return indices

    def _ring_at(
        self,
        name: str,
        xs: Floats,
        ys: Floats,
        size: float,
        ink: str,
        width: float,
        *,
        symbol: str = "o",
    ) -> None:
        color = theme().color(ink)
        self.rings.marks(name, xs, ys, RING_Z, symbol=symbol, size=size, ink=color, width=width)

    def _shown_indices(self, keys: Iterable[str]) -> list[int]:
        """Where these models stand; one that rules out rows stands nowhere."""
        indices = (self._index_of(key) for key in keys)
        return [p for p in indices if p is not None and np.isfinite(self._ys[p])]

    def _show_new(self) -> None:
        if self._canvas is not None:
            self._ring_models("new", self._new, 14, "accent", 1)

    def _show_pins(self) -> None:
        if self._canvas is None:
            return
        indices = self._ring_models("pins", sorted(self._pins), 15, "text", 1.4)
        labels = []
        if (ceiling := self._shown_ceiling) is not None:
            ink = theme().color("text_tertiary")
            labels.append(MarkLabel(0.0, ceiling, "−H of the training rows", ink, "line"))
        labels += [
            MarkLabel(float(self._xs[p]), float(self._ys[p]), "pinned", theme().color("text"))
            for p in indices
        ]
        labels += curve_labels(self.chart, self.mode, self._across)
        parts = [(xs, ys) for _, xs, ys, _ in self._parts]
        if len(self._xs) <= MANY:  # of more marks the lines lie under them
            parts = [along(xs, ys) for xs, ys in parts]
        covered = (np.concatenate(some) for some in zip(*parts, strict=True))
        self._labels.show_labels(labels, *(covered if parts else (self._xs, self._ys)))

    # -- the visible range

    def fit(self) -> None:
        """Show all marks, also those far below; called again, without them."""
        self._shows_all = not (self._shows_all and self._is_fitted)
        self.refresh()
        super().fit()

    def follow(self, other: ModelScatter) -> None:
        if isinstance(other, SlPlot) and other._shows_all != self._shows_all:
            self._shows_all = other._shows_all
            self.refresh()
        super().follow(other)

    def _bounds(self) -> QRectF | None:
        bounds = self._extent.bounds
        return None if bounds is None else QRectF(*bounds)

    def _arrange_overlays(self) -> None:
        super()._arrange_overlays()
        if self._canvas is not None:
            self._labels.keep_clear(self._legend_area())
            self._labels.set_frame(self._frame)
            self._show_line()  # its handle avoids the legend

    def _legend_area(self) -> list[QRectF]:
        return [self.legend.sceneBoundingRect()] if self.legend.isVisible() else []

    # -- the line of equal score

    def _height(self, at: float) -> float | None:
        """Height of the line at a position on the x axis."""
        line = None if self.lambda_ is None else self.chart.arrays.line_at(self.lambda_)
        if line is None:
            return None
        return line[1] + line[0] * (10.0**at if self.is_log else at)

    def _show_line(self) -> None:
        if self._canvas is None:
            return
        rect = self._view.viewRect()
        self._show_ceiling(rect)
        line = None if self.lambda_ is None else self.chart.arrays.line_at(self.lambda_)
        shown = line is not None and self.mode != "test" and not self.is_empty
        self.pill.setVisible(shown)
        if line is None or not shown or self.lambda_ is None:
            self.rings.remove("λ")
            self.rings.remove("touched")
            return
        xs = np.linspace(rect.left(), rect.right(), _STEPS)
        ys = line[1] + line[0] * (10.0**xs if self.is_log else xs)
        inside = ys <= rect.bottom()  # of a view rectangle the bottom is the largest number
        pen = QPen(theme().color("text"), 1.3, Qt.PenStyle.DotLine)
        self.rings.line("λ", xs[inside], ys[inside], pen, RING_Z)
        touched = self.chart.arrays.best_at(self.lambda_)
        key = "" if touched is None else self.chart.points[touched].key
        index = self._index_of(key, last=True)
        at = [] if index is None or not np.isfinite(self._ys[index]) else [index]
        self._ring_at("touched", self._xs[at], self._ys[at], 12, "text", 1.2)
        self.pill.set_text(f"λ = {self.lambda_:.3g}" if self.lambda_ < 0.995 else "λ → 1")
        self._place_pill(xs, ys, rect)

    def _place_pill(self, xs: Floats, ys: Floats, rect: QRectF) -> None:
        """Put the handle at four fifths of the width, or before the line leaves at the top, away
        from the legend and labels; at the edge where the line is outside the range."""
        top = rect.bottom() - 0.08 * rect.height()
        heights = np.clip(ys, rect.top(), top)
        inside, free = heights == ys, ~self._is_taken(xs, heights)
        clear = inside & free & ~self._is_over_marks(xs, heights)
        wanted = (clear, inside & free, inside, free, np.ones(len(xs), dtype=bool))
        usable = next(indices for mask in wanted if len(indices := np.flatnonzero(mask)))
        before = usable[usable <= int(0.8 * _STEPS)]
        at = int(before[-1]) if len(before) else int(usable[0])
        area, own = self._view.sceneBoundingRect(), self.pill.boundingRect()
        position: QPointF = self._view.mapViewToScene(QPointF(float(xs[at]), float(heights[at])))
        least, most = area.left() - own.left(), area.right() - own.right()
        self.pill.setPos(QPointF(max(least, min(position.x(), most)), position.y()))

    def _is_taken(self, xs: Floats, ys: Floats) -> NDArray[np.bool_]:
        """Mask of the points where the handle would be under the legend or over labels."""
        across, down = self._frame.across(xs), self._frame.down(ys)
        own, is_taken = self.pill.boundingRect(), np.zeros(len(xs), dtype=bool)
        for area in self._legend_area() + self._labels.label_rects:
            wide = area.adjusted(-own.right(), -own.bottom(), -own.left(), -own.top())
            is_in = (across > wide.left()) & (across < wide.right())
            is_taken |= is_in & (down > wide.top()) & (down < wide.bottom())
        return is_taken

    def _is_over_marks(self, xs: Floats, ys: Floats) -> NDArray[np.bool_]:
        """Mask of the points where the handle would cover marks; False if there are many marks."""
        if len(self._xs) > MANY:
            return np.zeros(len(xs), dtype=bool)
        own, (marks_across, marks_down) = self.pill.boundingRect(), self._on_scene()
        apart = np.abs(self._frame.across(xs)[:, None] - marks_across)
        below = np.abs(self._frame.down(ys)[:, None] - marks_down)
        is_over = (apart < own.width() / 2) & (below < own.height() / 2)
        return np.asarray(is_over.any(axis=1), dtype=bool)

    @property
    def _shown_ceiling(self) -> float | None:
        return None if self.mode == "test" else self._extent.ceiling

    def _show_ceiling(self, rect: QRectF) -> None:
        ceiling = self._shown_ceiling
        if ceiling is None:
            self.rings.remove("ceiling")
            return
        pen = QPen(theme().color("text_tertiary"), 1.2, Qt.PenStyle.DashDotLine)
        xs, ys = np.array([rect.left(), rect.right()]), np.array([ceiling] * 2)
        self.rings.line("ceiling", xs, ys, pen, RING_Z)

    def _on_dragged(self, position: QPointF) -> None:
        at = self._view.mapSceneToView(position)
        size = 10.0 ** at.x() if self.is_log else at.x()
        lambda_ = min(0.9999, max(0.0001, self.chart.arrays.lambda_through(size, at.y())))
        self.set_lambda(lambda_)
        self.lambda_moved.emit(lambda_)

    def selected(self) -> CurvePoint | None:
        """The model that the present λ takes."""
        if self.lambda_ is None:
            return None
        index = self.chart.arrays.best_at(self.lambda_)
        return None if index is None else self.chart.points[index]
