"""Plots of a classification: reliability diagram, confusion matrix and ROC curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pgmstudio.core.analysis.classification import Calibration, RocCurve
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.plots.curve_plot import CurvePlot
from pgmstudio.gui.plots.matrix_plot import LIGHT_STEPS, STEPS, HeatMap, step_of
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
        self._avoided = [([x, x], [0.0, high]) for x, high in middles if high > 0.05]
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


Floats = NDArray[np.float64]

_MIN_CELL, _MAX_CELL, _MAX_WIDTH = 8, 84, 110
_COUNTS_FROM, _PERCENT_FROM = 16, 32  # px of a cell
_TITLE = 20  # px for the name of an axis


def weight_text(weight: float) -> str:
    """A count of rows; weights may make it a broken one."""
    return grouped(int(weight)) if float(weight).is_integer() else f"{weight:.1f}"


class ConfusionMap(HeatMap):
    """Confusion matrix; colour and percentage are the fraction of the true state's rows."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setAccessibleName("Confusion matrix: true states down, most probable states across")
        self.setToolTip("Click a cell to list its rows.")
        self._counts: Floats = np.zeros((0, 0))
        self.describe = self.describe_cell

    def show_counts(self, states: Sequence[str], counts: Floats) -> None:
        """`counts` has a row for each true state."""
        totals = counts.sum(axis=1, keepdims=True)
        self._counts = counts
        values = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        self.show_values(states, values, range(len(states)))

    def describe_cell(self, true: int, chosen: int) -> str:
        """Tooltip of a cell."""
        rows = weight_text(self._counts[true, chosen])
        state = self._names[true]
        percentage = 100 * self._values[true, chosen]
        predicted = self._names[chosen]
        return f"True {state}, predicted {predicted}: {rows} rows, {percentage:.1f} % of them"

    @property
    def largest(self) -> float:
        return 1.0

    # -- geometry

    def sizeHint(self) -> QSize:
        return QSize(320, 220)

    def minimumSizeHint(self) -> QSize:
        side = 2 * _TITLE + _MIN_CELL * self._count
        return QSize(max(160, side), max(130, side))

    @property
    def cell(self) -> float:
        _, top = self._margins(_MAX_CELL)
        available = (self.height() - top - 4) // self._count
        return float(min(_MAX_CELL * theme().scale, max(_MIN_CELL, available)))

    @property
    def cell_width(self) -> float:
        left, _ = self._margins(_MAX_CELL)
        available = (self.width() - left - 4) // self._count
        return float(min(2 * self.cell, _MAX_WIDTH * theme().scale, max(_MIN_CELL, available)))

    @property
    def _count(self) -> int:
        return max(1, len(self._names))

    def _margins(self, cell: float) -> tuple[float, float]:
        title = _TITLE * theme().scale
        metrics = QFontMetricsF(theme().font("caption"))
        longest = max((metrics.horizontalAdvance(name) for name in self._names), default=0.0)
        side = min(longest + 10, 0.3 * self.width())
        # Names lie flat over columns that are wide enough, else they stand.
        high = (self.height() - title - metrics.height() - 10) / self._count
        wide = (self.width() - side - title - 4) / self._count
        available = min(wide, 2 * high, _MAX_WIDTH * theme().scale)
        is_flat = longest + 4 <= available
        up = metrics.height() + 6 if is_flat else min(longest + 10, 0.3 * self.height())
        return side + title, up + title

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._names:
            return
        painter = QPainter(self)
        painter.setFont(theme().font("caption", "semibold"))
        painter.setPen(theme().color("text_secondary"))
        left, top = self._origin()
        wide, high = self.cell_width * self._count, self.cell * self._count
        title = _TITLE * theme().scale
        center = Qt.AlignmentFlag.AlignCenter
        painter.drawText(QRectF(left, 0, max(wide, 80.0), title), center, "Predicted")
        painter.translate(0, top + high)
        painter.rotate(-90)
        painter.drawText(QRectF(0, 0, max(high, 60.0), title), center, "True")

    def _pixels(self) -> QImage:
        if self._image is None:
            steps = np.clip(self._values * STEPS, 0, STEPS - 1).astype(np.uint8)
            whole = np.ascontiguousarray(steps)
            count = self._count
            kind = QImage.Format.Format_Indexed8
            image = QImage(whole.tobytes(), count, count, count, kind).copy()
            image.setColorTable([theme().sequential(step).rgb() for step in range(STEPS)])
            self._image = image
        return self._image

    def _paint_names(self, painter: QPainter, left: float, top: float, cell: float) -> None:
        painter.setFont(theme().font("caption"))
        metrics, title = QFontMetricsF(painter.font()), _TITLE * theme().scale
        painter.setPen(theme().color("text"))
        elide, width = Qt.TextElideMode.ElideMiddle, self.cell_width
        is_flat = top - title <= metrics.height() + 7
        for index, name in enumerate(self._names):
            text = metrics.elidedText(name, elide, left - title - 6)
            box = QRectF(title, top + index * cell, left - title - 6, cell)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            if is_flat:
                box = QRectF(left + index * width, title, width, top - title - 2)
                text = metrics.elidedText(name, elide, width - 2)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
                continue
            painter.save()
            painter.translate(left + index * width + width / 2, top - 4)
            painter.rotate(-90)
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            text = metrics.elidedText(name, elide, top - title - 6)
            painter.drawText(QRectF(0, -width / 2, top - title - 4, width), side, text)
            painter.restore()

    def _paint_values(self, painter: QPainter, left: float, top: float, cell: float) -> None:
        width = self.cell_width
        if min(cell, width) < _COUNTS_FROM * theme().scale:
            return
        with_percent = min(cell, width) >= _PERCENT_FROM * theme().scale
        for true in range(self._count):
            for chosen in range(self._count):
                is_dark = step_of(self._values[true, chosen], 1.0) >= LIGHT_STEPS
                painter.setPen(theme().color("surface" if is_dark else "text"))
                box = QRectF(left + chosen * width, top + true * cell, width, cell)
                self._paint_cell(painter, box, true, chosen, with_percent)

    def _paint_cell(
        self, painter: QPainter, box: QRectF, true: int, chosen: int, with_percent: bool
    ) -> None:
        size = "dense" if box.height() >= 40 * theme().scale else "caption"
        painter.setFont(theme().font(size, "medium"))
        text = weight_text(self._counts[true, chosen])
        if QFontMetricsF(painter.font()).horizontalAdvance(text) > box.width() - 4:
            painter.setFont(theme().font("micro"))
        if not with_percent:
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
            return
        middle = box.center().y()
        upper = QRectF(box.left(), box.top(), box.width(), middle - box.top() + 1)
        lower = QRectF(box.left(), middle + 1, box.width(), box.bottom() - middle - 1)
        below = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
        above = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        painter.drawText(upper, below, text)
        painter.setFont(theme().font("micro"))
        painter.drawText(lower, above, f"{100 * self._values[true, chosen]:.1f} %")


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
