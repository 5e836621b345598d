"""Plots of a classification: reliability diagram, confusion matrix and ROC curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF

from pgmstudio.core.analysis.classification import Calibration, RocCurve
from pgmstudio.core.arrays import Floats
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.plots.curve_plot import CurvePlot
from pgmstudio.gui.plots.items import Text
from pgmstudio.gui.plots.matrix_plot import STEPS, TEXT_Z, HeatMap, ink_on, longest_name
from pgmstudio.gui.plots.plot_widget import HOW_TO_MOVE
from pgmstudio.gui.theme.theme import theme


class CalibrationPlot(CurvePlot):
    """Calibration curve with 95 % intervals, and a histogram of the rows under it."""

    across = True
    can_wait = True
    may_hide = "as it should be"

    def __init__(self) -> None:
        super().__init__("calibrationPlot")
        self._shown: Calibration | None = None
        self._what = ""
        self._hint.hide()

    @property
    def is_empty(self) -> bool:
        return self._shown is None or not self._shown.bins

    def show_calibration(self, calibration: Calibration, what: str) -> None:
        """`what` is the event whose probability was given: a state, or the best one is right."""
        self._shown, self._what = calibration, what
        self.refresh()

    def _draw_curves(self) -> None:
        import pyqtgraph

        assert self._shown is not None
        look, bins = theme(), self._shown.bins
        self._name_axes("Mean probability given", "How often it was so")
        self._draw_guide([0, 1], [0, 1], self.may_hide)
        total = sum(one.weight for one in bins)
        self._canvas.addItem(
            pyqtgraph.BarGraphItem(
                x=[(one.low + one.high) / 2 for one in bins],
                width=0.09,
                y0=0,
                height=[0.25 * one.weight / total for one in bins],
                pen=None,
                brush=look.color("stale", 0.5),
            )
        )
        middles = [((one.low + one.high) / 2, 0.25 * one.weight / total) for one in bins]
        self._avoided += [([x, x], [0.0, high]) for x, high in middles if high > 0.05]
        xs = [one.probability for one in bins]
        ys = [one.frequency for one in bins]
        lows, highs = zip(*(one.interval for one in bins), strict=True)
        self._draw_errors(0, xs, ys, lows, highs)
        name = f"{self._what}, error {self._shown.error or 0.0:.3f}"
        self._draw_curve(0, name, xs, ys, "o", is_open=True)
        self._canvas.setAccessibleName(f"Calibration of {self._what}")
        self._canvas.setToolTip(
            f"Grey bars are where the rows are, whiskers 95 % intervals. {HOW_TO_MOVE}."
        )


_MIN_CELL, _MAX_CELL, _MAX_WIDTH = 18, 84, 110  # px; smaller cells have no space for a count
_MIN_NAMES = 84  # px for the names of the states; longer ones get a third of the matrix
_COUNTS_FROM, _PERCENT_FROM = 16, 32  # px of a cell
_TITLE = 20  # px for the name of an axis


def weight_text(weight: float) -> str:
    """A count of rows; weights may make it a broken one."""
    return grouped(int(weight)) if float(weight).is_integer() else f"{weight:.1f}"


class ConfusionMap(HeatMap):
    """Confusion matrix; colour and percentage are the fraction of the true state's rows."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setAccessibleName("Confusion matrix: true states down, most probable states across")
        self.setToolTip("Click a cell to list its rows.")
        self._counts: Floats = np.zeros((0, 0))
        self.describe = self.describe_cell

    def show_counts(self, states: Sequence[str], counts: Floats) -> None:
        """`counts` has a row for each true state."""
        totals = counts.sum(axis=1, keepdims=True)
        self._counts = counts
        self.updateGeometry()
        values = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        self.show_values(states, values, range(len(states)))

    def describe_cell(self, true: int, chosen: int) -> str:
        """Tooltip of a cell."""
        rows = weight_text(self._counts[true, chosen])
        state = self._names[true]
        percentage = 100 * self._values[true, chosen]
        predicted = self._names[chosen]
        return f"True {state}, predicted {predicted}: {rows} rows, {percentage:.1f} % of them"

    # -- geometry

    def sizeHint(self) -> QSize:
        return QSize(320, 220)

    def minimumSizeHint(self) -> QSize:
        """Large enough for the counts; it scrolls where there are many states."""
        left, top, _, _ = self._margins()
        cell = self._least_cell()
        wide, high = left + cell.width() * self._count, top + cell.height() * self._count
        return QSize(max(160, round(wide) + 5), max(130, round(high) + 5))

    def _least_cell(self) -> QSizeF:
        counts = longest_name(map(weight_text, self._counts.flat), "micro")
        least = _MIN_CELL * theme().scale
        return QSizeF(max(least, counts + 5), least)

    def _cell(self) -> QSizeF:
        left, top, _, _ = self._margins()
        least = self._least_cell()
        high = max(least.height(), (self._size.height() - top - 4) // self._count)
        high = min(_MAX_CELL * theme().scale, high)
        wide = max(least.width(), (self._size.width() - left - 4) // self._count)
        widest = max(least.width(), min(2 * high, _MAX_WIDTH * theme().scale))
        return QSizeF(min(widest, wide), high)

    @property
    def _count(self) -> int:
        return max(1, len(self._names))

    def _margins(self) -> tuple[float, float, float, float]:
        title, line = _TITLE * theme().scale, QFontMetricsF(theme().font("caption")).height()
        longest, size = longest_name(self._names), self._size
        least = _MIN_NAMES * theme().scale
        side = min(longest + 10, max(least, 0.3 * size.width()))
        # Names lie flat over columns that are wide enough, else they stand.
        high = (size.height() - title - line - 10) / self._count
        wide = (size.width() - side - title - 4) / self._count
        is_flat = longest + 4 <= min(wide, 2 * high, _MAX_WIDTH * theme().scale)
        up = line + 6 if is_flat else min(longest + 10, max(least, 0.3 * size.height()))
        return side + title, up + title, 0.0, 0.0

    # -- drawing

    def _steps(self) -> NDArray[np.uint8]:
        return np.clip(self._values * STEPS, 0, STEPS - 1).astype(np.uint8)

    def _draw_names(self) -> None:
        left, top, _, _ = self._margins()
        title, count, cut = _TITLE * theme().scale, self._count, Qt.TextElideMode.ElideMiddle
        is_flat = top - title <= QFontMetricsF(theme().font("caption")).height() + 7
        texts = []
        for index, name in enumerate(self._names):
            cell = self.cell_box(index, 0)
            box = QRectF(title, cell.top(), left - title - 6, cell.height())
            texts.append(Text(box, name, side=Qt.AlignmentFlag.AlignRight, cut=cut))
            cell = self.cell_box(0, index)
            box = QRectF(cell.left(), title, cell.width(), top - title - (2 if is_flat else 4))
            side = Qt.AlignmentFlag.AlignHCenter if is_flat else Qt.AlignmentFlag.AlignLeft
            texts.append(Text(box, name, side=side, cut=cut, is_turned=not is_flat))
        font, whole = theme().font("caption", "semibold"), self.cell_box(0, 0, count, count)
        ink, wide, high = "text_secondary", max(whole.width(), 80.0), max(whole.height(), 60.0)
        across, down = QRectF(left, 0, wide, title), QRectF(0, whole.bottom() - high, title, high)
        texts += [
            Text(across, "Predicted", font=font, ink=ink),
            Text(down, "True", font=font, ink=ink, is_turned=True),
        ]
        self.items.texts("names", texts, TEXT_Z)

    def _value_texts(self, cell: QSizeF) -> Iterator[Text]:
        scale, smaller = theme().scale, min(cell.width(), cell.height())
        if smaller < _COUNTS_FROM * scale:
            return
        font = theme().font("dense" if cell.height() >= 40 * scale else "caption", "medium")
        metrics, micro, steps = QFontMetricsF(font), theme().font("micro"), self._steps()
        for true, chosen in np.ndindex(self._counts.shape):
            box, ink = self.cell_box(true, chosen), ink_on(steps.item(true, chosen))
            text = weight_text(self._counts.item(true, chosen))
            is_long = metrics.horizontalAdvance(text) > box.width() - 4
            if smaller >= _PERCENT_FROM * scale:
                half = metrics.height() / 2
                percentage = f"{100 * self._values[true, chosen]:.1f} %"
                yield Text(box.translated(0, half), percentage, ink=ink, font=micro)
                box = box.translated(0, -half)
            yield Text(box, text, ink=ink, font=micro if is_long else font)


MAX_CURVES = 8  # as many have colours of their own
# Distinguishable without colour, too.
_DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DotLine,
)


def dash(index: int) -> Qt.PenStyle:
    """The line style of the curve with this index."""
    return _DASHES[index % len(_DASHES)]


class RocPlot(CurvePlot):
    """Drawn as soon as the library of plots is loaded."""

    across = True
    can_wait = True

    def __init__(self) -> None:
        super().__init__("rocPlot")
        self._curves_of: tuple[tuple[str, RocCurve], ...] = ()
        self.note = ""  # shown next to the heading
        self._hint.hide()

    @property
    def is_empty(self) -> bool:
        return not self._curves_of

    def show_curves(self, states: Sequence[str], curves: Sequence[RocCurve]) -> None:
        """Those without an area have nothing to show; the first eight of the rest are drawn.

        The two curves of two states mirror each other: one is enough.
        """
        known = [
            (state, curve)
            for state, curve in zip(states, curves, strict=True)
            if curve.area is not None
        ]
        drawn = known[:1] if len(states) == 2 else known[:MAX_CURVES]
        self._curves_of = tuple(drawn)
        left_out = len(known) - len(drawn) if len(states) > 2 else 0
        self.note = f"{left_out} more states in the table" if left_out else ""
        if not known:
            self.note = "needs rows of more than one state"
        self.refresh()

    def _draw_curves(self) -> None:
        self._name_axes("False positive rate", "True positive rate")
        self._draw_guide([0, 1], [0, 1])
        for index, (state, curve) in enumerate(self._curves_of):
            name = f"{state}, AUC {curve.area:.3f}"
            self._draw_curve(index, name, curve.false_rates, curve.true_rates, style=dash(index))
        self._canvas.setAccessibleName(
            "ROC: " + ", ".join(f"{state} AUC {curve.area:.3f}" for state, curve in self._curves_of)
        )
