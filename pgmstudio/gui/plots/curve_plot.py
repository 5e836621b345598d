"""Base classes of plots of curves: lines with symbols, error bars, a legend and a line of text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QRectF, Qt

from pgmstudio.core.arrays import Floats
from pgmstudio.gui.plots.chart import Chart
from pgmstudio.gui.plots.items import Frame
from pgmstudio.gui.plots.legend_spot import free_spot
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label

_LEGEND_GAP = 8.0


class CurvePlot(Chart):
    """Base of plots of curves; subclasses draw them once pyqtgraph is loaded."""

    across = False
    may_hide = ""  # a curve that only shows how it should be
    can_wait = False

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._legend: Any = None
        self._avoided: list[tuple[ArrayLike, ArrayLike]] = []  # by the legend, too
        self._hint = label("", "tertiary", size="dense", wrap=True)
        self._hint.setObjectName(f"{name}Hint")
        self._layout.addWidget(self._hint)

    @property
    def curves(self) -> dict[str, tuple[list[float], list[float]]]:
        """What is drawn, by its name in the legend."""
        if self._canvas is None:
            return {}
        curves = {}
        for item in self._canvas.listDataItems():
            if item.name():
                xs, ys = item.getData()
                curves[item.name()] = (list(map(float, xs)), list(map(float, ys)))
        return curves

    @property
    def hint(self) -> str:
        return self._hint.text()

    @property
    def legend_area(self) -> QRectF:
        """Where the legend stands, in px of the scene."""
        area: QRectF = self._legend.sceneBoundingRect()
        return area

    def _draw_curves(self) -> None:
        """Draw on the clean canvas."""

    def _build(self) -> None:
        self._legend = self._canvas.addLegend(offset=(_LEGEND_GAP, _LEGEND_GAP), verSpacing=-4)
        # Names stand in the legend as they are; the library would take them for HTML.
        add = self._legend.addItem
        self._legend.addItem = lambda item, name: add(item, escape(name))
        self._view.sigResized.connect(self._arrange_overlays)

    def _draw(self) -> None:
        self._canvas.clear()
        look = theme()
        self._legend.setLabelTextColor(look.color("text"))
        self._legend.setLabelTextSize(f"{look.font('caption').pixelSize()}px")
        self._legend.setBrush(look.color("surface", 0.85))
        self._avoided = []
        if not self.is_empty:
            self._draw_curves()
            self._canvas.autoRange()

    def _arrange_overlays(self, *_: object) -> None:
        """Put the legend where it hides least of the curves."""
        curves = [curve for name, curve in self.curves.items() if name != self.may_hide]
        if self.is_empty or not curves:
            return
        self._view.updateMatrix()  # the range of an axis is brought up to date when it is painted
        frame = Frame(self._view.viewRect(), self._view.boundingRect())
        lines = [points_along(*curve) for curve in (*curves, *self._avoided)]
        xs, ys = (np.concatenate(numbers) for numbers in zip(*lines, strict=True))
        area = frame.area.adjusted(_LEGEND_GAP, _LEGEND_GAP, -_LEGEND_GAP, -_LEGEND_GAP)
        box = self._legend.boundingRect().size()
        spot = free_spot((frame.across(xs), frame.down(ys)), box, area)
        self._legend.anchor((0, 0), (0, 0), offset=(spot.x(), spot.y()))

    def _draw_curve(
        self,
        index: int,
        name: str | None,
        xs: ArrayLike,
        ys: ArrayLike,
        symbol: str | None = None,
        *,
        is_open: bool = False,
        style: Qt.PenStyle = Qt.PenStyle.SolidLine,
        numbers: Sequence[int] | None = None,
    ) -> Any:
        """A line in the colour `index` with symbols; what was trained on stands back."""
        import pyqtgraph

        is_training, line = name == "training", theme().category(index, "line")
        style = Qt.PenStyle.DashLine if is_training else style
        width = 1.2 if is_training else theme().line("plot")
        return self._canvas.plot(
            np.asarray(xs, dtype=float),
            np.asarray(ys, dtype=float),
            name=name,
            pen=pyqtgraph.mkPen(line, width=width, style=style),
            symbol=symbol,
            symbolSize=6 if is_training else 8,
            symbolBrush=theme().color("surface") if is_training or is_open else line,
            symbolPen=pyqtgraph.mkPen(line, width=1.2),
            data=numbers,
        )

    def _draw_guide(self, xs: Sequence[float], ys: Sequence[float], name: str = "") -> None:
        """A dim dashed line to compare the curves with."""
        import pyqtgraph

        dim = pyqtgraph.mkPen(theme().color("edge_dim"), width=1, style=Qt.PenStyle.DashLine)
        self._canvas.plot(xs, ys, pen=dim, name=name or None)

    def _draw_errors(
        self, index: int, xs: ArrayLike, ys: ArrayLike, low: ArrayLike, high: ArrayLike
    ) -> None:
        """Error bars between two heights at each point of a line."""
        import pyqtgraph

        x, y, bottom, top = (np.asarray(part, dtype=float) for part in (xs, ys, low, high))
        wide = float(np.ptp(x)) if len(x) > 1 else 1.0
        pen = pyqtgraph.mkPen(theme().category(index, "line"), width=1)
        bars = pyqtgraph.ErrorBarItem(
            x=x, y=y, top=top - y, bottom=y - bottom, beam=0.012 * wide, pen=pen
        )
        self._canvas.addItem(bars)
        self._avoided += [([u, u], [a, b]) for u, a, b in zip(x, bottom, top, strict=True) if a < b]


def points_along(xs: ArrayLike, ys: ArrayLike) -> tuple[Floats, Floats]:
    """Points on and between the marks of a curve, thinned where there are very many."""
    marks = np.array([xs, ys], dtype=float)
    marks = marks[:, np.linspace(0, marks.shape[1] - 1, min(200, marks.shape[1])).astype(int)]
    parts = np.linspace(0, 1, 12, endpoint=False)
    between = marks[:, :-1, None] + np.diff(marks)[:, :, None] * parts
    every = np.hstack((between.reshape(2, -1), marks[:, -1:]))
    return every[0], every[1]
