"""The parts of one SL-curve on the canvas: test filled with a line, training hollow and dashed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from pgmstudio.core.pictures.curve_svg import language_sign
from pgmstudio.gui.plots.language_marks import mark_colors, mark_path
from pgmstudio.gui.plots.sl_marks import CurveMarks
from pgmstudio.gui.style.theme import theme

Floats = NDArray[np.float64]
# From so many marks on the plot they are small, and from so many more lines are plain.
MANY, VERY_MANY = 400, 1500


class CurveItems:
    """Kept from drawing to drawing: new items cost more than new numbers."""

    def __init__(self, canvas: Any) -> None:
        import pyqtgraph

        self._canvas = canvas
        self._shown: tuple[CurveMarks, Floats, tuple[object, ...]] | None = None
        self.train_line = pyqtgraph.PlotCurveItem(connect="finite")
        self.test_line = pyqtgraph.PlotCurveItem(connect="finite")
        self.bars = pyqtgraph.ErrorBarItem(x=np.empty(0), y=np.empty(0))
        self.train_marks = pyqtgraph.ScatterPlotItem(pxMode=True)
        self.test_marks = pyqtgraph.ScatterPlotItem(pxMode=True)
        self.name = pyqtgraph.TextItem(anchor=(0, 0.5))
        for z, item in enumerate(self._items):
            item.setZValue(10 + z)
            canvas.addItem(item, ignoreBounds=True)

    @property
    def _items(self) -> list[Any]:
        lines = [self.train_line, self.test_line, self.bars]
        return [*lines, self.train_marks, self.test_marks, self.name]

    def remove(self) -> None:
        for item in self._items:
            self._canvas.removeItem(item)

    def show(self, curve: CurveMarks, xs: Floats, mode: str, marks: int, *, named: bool) -> None:
        """The curve in the present colours; `marks` are those of the whole plot."""
        import pyqtgraph

        look = (mode, marks > MANY, marks > VERY_MANY, named, theme().shade, theme().scale)
        if self._is_shown(curve, xs, look):
            return
        fill, line = mark_colors(curve.family)
        symbol = mark_path(language_sign(curve.family)[0])
        is_plain = marks > VERY_MANY
        soft = theme().color("surface")
        faint = line
        faint.setAlphaF(0.75)
        dash = Qt.PenStyle.SolidLine if is_plain else Qt.PenStyle.DashLine
        strong = mark_colors(curve.family)[1]
        has_test, has_train = mode != "training", mode != "test"
        self.train_line.setVisible(has_train)
        self.train_marks.setVisible(has_train)
        if has_train:
            pen = pyqtgraph.mkPen(faint, width=1 if is_plain else 1.2, style=dash)
            self.train_line.setData(xs, curve.train, pen=pen, antialias=not is_plain)
            known = np.isfinite(curve.train)
            small = 4 if marks > MANY else 6
            self.train_marks.setData(
                xs[known],
                curve.train[known],
                symbol=symbol,
                size=small,
                pen=pyqtgraph.mkPen(faint, width=1.2),
                brush=soft,
            )
        for item in (self.test_line, self.test_marks, self.bars):
            item.setVisible(has_test)
        if has_test:
            width = 1 if is_plain else 2
            self.test_line.setData(
                xs, curve.test, pen=pyqtgraph.mkPen(strong, width=width), antialias=not is_plain
            )
            known = np.isfinite(curve.test)
            self.test_marks.setData(
                xs[known],
                curve.test[known],
                symbol=symbol,
                size=5 if marks > MANY else 9,
                pen=pyqtgraph.mkPen(strong, width=1),
                brush=fill,
            )
            self._show_bars(curve, xs, strong)
        self._show_words(curve, xs, mode, strong, named=named)

    def _is_shown(self, curve: CurveMarks, xs: Floats, look: tuple[object, ...]) -> bool:
        """Whether the same stands there already: most curves do not change with a new point."""
        before, self._shown = self._shown, (curve, xs, look)
        if before is None or before[2] != look:
            return False
        pairs = ((before[1], xs), (before[0].test, curve.test), (before[0].train, curve.train))
        spreads = (before[0].spread, curve.spread)
        return all(np.array_equal(a, b, equal_nan=True) for a, b in (*pairs, spreads))

    def _show_bars(self, curve: CurveMarks, xs: Floats, ink: Any) -> None:
        import pyqtgraph

        known = np.isfinite(curve.spread) & np.isfinite(curve.test)
        self.bars.setVisible(bool(known.any()))
        if known.any():
            whole = 2 * curve.spread[known]
            pen = pyqtgraph.mkPen(ink, width=1)
            self.bars.setData(x=xs[known], y=curve.test[known], height=whole, beam=0, pen=pen)

    def _show_words(
        self, curve: CurveMarks, xs: Floats, mode: str, ink: Any, *, named: bool
    ) -> None:
        heights = curve.train if mode == "training" else curve.test
        known = np.flatnonzero(np.isfinite(heights))
        self.name.setVisible(named and len(known) > 0)
        if named and len(known):
            self.name.setText(f" {curve.title}")
            self.name.setColor(ink)
            self.name.setFont(theme().font("caption"))
            self.name.setPos(float(xs[known[-1]]), float(heights[known[-1]]))
