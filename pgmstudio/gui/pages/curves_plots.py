"""The plots of a page of SL-curves: one or two of them side by side, or what queries say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget

from pgmstudio.core.experiments.curve_points import CurvePoint
from pgmstudio.gui.pages.curves_bar import CURVES
from pgmstudio.gui.plots.mark_card import CardFacts
from pgmstudio.gui.plots.mark_plot import MarkPlot
from pgmstudio.gui.plots.query_plot import QueryPlot
from pgmstudio.gui.plots.sl_marks import Behind, Chart
from pgmstudio.gui.plots.sl_plot import SlPlot


class CurvesPlots(QStackedWidget):
    """All show the same points; wishes of any of them are told here."""

    chosen = Signal(object)  # CurvePoint
    pinned = Signal(object)
    lambda_moved = Signal(float)

    def __init__(self, tell: Callable[[Behind], CardFacts]) -> None:
        super().__init__()
        self.plot, self.beside, self.queries = SlPlot(), SlPlot("slPlotBeside"), QueryPlot()
        self.beside.has_legend = False
        self.beside.hide()
        self._chart = Chart()
        self._view = CURVES
        curves = QSplitter(Qt.Orientation.Horizontal)
        curves.setChildrenCollapsible(False)
        curves.addWidget(self.plot)
        curves.addWidget(self.beside)
        self.addWidget(curves)
        self.addWidget(self.queries)
        for plot in (self.plot, self.beside, self.queries):
            plot.tell = tell
            plot.chosen.connect(self.chosen)
            plot.pinned.connect(self.pinned)
        for each in self._curves:
            each.lambda_moved.connect(self.lambda_moved)
            each.moved.connect(self._on_moved)

    @property
    def _curves(self) -> tuple[SlPlot, SlPlot]:
        return self.plot, self.beside

    @property
    def in_front(self) -> list[MarkPlot]:
        """The plots that are written to a file, from left to right."""
        if self._view != CURVES:
            return [self.queries]
        return [plot for plot in self._curves if not plot.isHidden()]

    def show_chart(self, chart: Chart) -> None:
        self._chart = chart
        self.plot.show_chart(chart)
        if not self.beside.isHidden():
            self.beside.show_chart(chart)
            self.beside.follow(self.plot)
        if self._view != CURVES:
            self.queries.show_points(chart.points, self._view)

    def set_view(self, view: str, part: str, is_log: bool) -> None:
        """What is plotted; of the curves test rows, training rows, both, or each in a plot."""
        self._view = view
        self.setCurrentIndex(0 if view == CURVES else 1)
        is_apart = part == "side"
        self.beside.setVisible(is_apart)
        for plot in self._curves:
            plot.is_apart = is_apart
        self.plot.set_view(mode="training" if is_apart else part, is_log=is_log)
        if is_apart:
            self.beside.set_view(mode="test", is_log=is_log)
            self.beside.follow(self.plot)

    def _on_moved(self) -> None:
        """Side by side both show the same part: heights are to be compared across them."""
        moved = self.sender()
        for plot in self._curves:
            if plot is not moved and not plot.isHidden() and isinstance(moved, SlPlot):
                plot.follow(moved)

    def fit(self) -> None:
        """All that is in sight of them."""
        self.in_front[0].fit()  # the one beside follows

    def set_lambda(self, lambda_: float) -> None:
        for plot in self._curves:
            plot.set_lambda(lambda_)

    def set_truth(self, ceiling: float | None, truth: tuple[float, float] | None) -> None:
        for plot in self._curves:
            plot.set_truth(ceiling, truth)

    def set_pins(self, keys: Collection[str]) -> None:
        for plot in self._curves:
            plot.set_pins(keys)

    def mark_new(self, points: Iterable[CurvePoint]) -> None:
        """These have just been found."""
        keys = [point.key for point in points]
        for plot in self._curves:
            plot.mark_new(keys)
