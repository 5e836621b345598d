"""The scan of class numbers: criteria by number of classes, the best of each ringed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.learning.class_scan import ClassScan, ScanPoint
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import label

Value = Callable[[ScanPoint], float | None]
# Name, value, marker; each has its own sign as well as its colour.
LINES: tuple[tuple[str, Value, str], ...] = (
    ("training", lambda p: p.train_bits, "o"),
    ("BIC", lambda p: p.bic_bits, "s"),
    ("AIC", lambda p: p.aic_bits, "t1"),
    ("held-out", lambda p: p.held_bits, "d"),
)
_CRITERIA = {"BIC", "AIC", "held-out"}


def flag_of(point: ScanPoint) -> str:
    """“2 empty, 1 double”; empty when all classes are of use."""
    parts = [f"{point.empty} empty"] if point.empty else []
    parts += [f"{point.duplicates} double"] if point.duplicates else []
    return ", ".join(parts)


class ScanPlot(QWidget):
    """A click on a point tells its number in the scan; pyqtgraph is loaded with the first."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("scanPlot")
        self._scan: ClassScan | None = None
        self._plot: Any = None
        self._legend: Any = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._hint = label("", "tertiary", size="dense", wrap=True)
        self._hint.setObjectName("scanHint")
        self._layout.addWidget(self._hint)
        theme().changed.connect(self._draw)

    @property
    def curves(self) -> dict[str, tuple[list[float], list[float]]]:
        """What is drawn, by its name in the legend."""
        if self._plot is None:
            return {}
        told = {}
        for item in self._plot.listDataItems():
            if item.name():
                xs, ys = item.getData()
                told[item.name()] = (list(map(float, xs)), list(map(float, ys)))
        return told

    @property
    def flags(self) -> dict[int, str]:
        """What is said at points with classes of no use, by their number of classes."""
        points = () if self._scan is None else self._scan.points
        return {point.classes: flag_of(point) for point in points if flag_of(point)}

    @property
    def hint(self) -> str:
        return self._hint.text()

    def show_scan(self, scan: ClassScan) -> None:
        self._scan = scan
        self._draw()

    def best_of(self, name: str) -> ScanPoint | None:
        """The point that a line is largest at; None when it has none."""
        value = next(value for line, value, _ in LINES if line == name)
        if self._scan is None:
            return None
        known = [point for point in self._scan.points if value(point) is not None]
        return max(known, key=lambda p: value(p) or 0.0, default=None)

    def _draw(self) -> None:
        scan = self._scan
        if scan is None or not scan.points:
            return
        self._make()
        self._plot.clear()
        self._restyle()
        order = sorted(range(len(scan.points)), key=lambda i: (scan.points[i].classes, i))
        said = []
        for place, (name, value, symbol) in enumerate(LINES):
            numbers = [i for i in order if value(scan.points[i]) is not None]
            if not numbers:
                continue
            self._draw_line(place, name, symbol, numbers, [value(scan.points[i]) for i in numbers])
            best = self.best_of(name)
            if best is not None and name in _CRITERIA:
                self._ring(place, best.classes, value(best) or 0.0)
                said.append(f"{name} {best.classes}")
        self._draw_flags(scan)
        self._plot.autoRange()
        self._hint.setText(
            f"Best number of classes: {', '.join(said)} (ringed). Higher is better; a click on a "
            "point opens its model."
        )

    def _draw_line(
        self, place: int, name: str, symbol: str, numbers: list[int], ys: list[Any]
    ) -> None:
        import pyqtgraph
        from PySide6.QtCore import Qt

        assert self._scan is not None
        line = theme().category(place, "line")
        style = Qt.PenStyle.DashLine if name == "training" else Qt.PenStyle.SolidLine
        item = self._plot.plot(
            [self._scan.points[i].classes for i in numbers],
            ys,
            name=name,
            pen=pyqtgraph.mkPen(line, width=1.2 if name == "training" else 2, style=style),
            symbol=symbol,
            symbolSize=6 if name == "training" else 9,
            symbolBrush=theme().color("surface") if name == "training" else line,
            symbolPen=pyqtgraph.mkPen(line, width=1.2),
            data=numbers,
        )
        item.scatter.opts["tip"] = None
        item.sigPointsClicked.connect(self._on_clicked)

    def _ring(self, place: int, x: float, y: float) -> None:
        import pyqtgraph

        ring = pyqtgraph.ScatterPlotItem(
            [x],
            [y],
            symbol="o",
            size=20,
            brush=None,
            pen=pyqtgraph.mkPen(theme().category(place, "ink"), width=1.6),
        )
        ring.setZValue(20)
        self._plot.addItem(ring)

    def _draw_flags(self, scan: ClassScan) -> None:
        """Words at the points whose classes are empty or repeat each other."""
        import pyqtgraph

        for point in scan.points:
            words = flag_of(point)
            if words:
                text = pyqtgraph.TextItem(
                    f"⚠ {words}", theme().color("warning_ink"), anchor=(0.5, 0)
                )
                text.setFont(theme().font("caption"))
                text.setPos(point.classes, min(point.bic_bits, point.aic_bits))
                self._plot.addItem(text)

    def _on_clicked(self, _item: Any, points: Any, *_: object) -> None:
        for point in points:
            if point.data() is not None:
                self.chosen.emit(int(point.data()))
                return

    def _make(self) -> None:
        if self._plot is not None:
            return
        import pyqtgraph

        pyqtgraph.setConfigOptions(antialias=True)
        self._plot = pyqtgraph.PlotWidget()
        self._plot.setObjectName("scanCanvas")
        self._plot.setMenuEnabled(False)
        self._plot.hideButtons()
        self._plot.showGrid(x=True, y=True, alpha=0.15)
        self._legend = self._plot.addLegend(offset=(-8, -8), verSpacing=-4)
        self._layout.insertWidget(0, self._plot, 1)

    def _restyle(self) -> None:
        look = theme()
        self._plot.setBackground(look.color("surface"))
        ink, size = look.color("text_secondary").name(), look.font("caption").pixelSize()
        for side, words in (("left", "Bits per row ↑"), ("bottom", "Classes")):
            axis = self._plot.getAxis(side)
            axis.enableAutoSIPrefix(False)
            axis.setPen(look.color("border_control"))
            axis.setTextPen(look.color("text_secondary"))
            axis.setTickFont(look.font("caption"))
            self._plot.setLabel(side, words, color=ink, **{"font-size": f"{size}px"})
        assert self._scan is not None
        counts = sorted({point.classes for point in self._scan.points})
        if len(counts) <= 24:
            ticks = [(count, str(count)) for count in counts]
            self._plot.getAxis("bottom").setTicks([ticks])
        self._legend.setLabelTextColor(look.color("text"))
        self._legend.setLabelTextSize(f"{size}px")
        self._legend.setBrush(look.color("surface", 0.85))
        self._plot.setAccessibleName("Criteria by number of classes")
        self._plot.setToolTip("Wheel zooms, drag pans, double-click fits; a point opens its model.")
