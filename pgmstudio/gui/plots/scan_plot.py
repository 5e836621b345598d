"""The scan of class numbers: criteria by number of classes, the best of each ringed."""

from __future__ import annotations

from collections.abc import Callable

from pgmstudio.core.learning.class_scan import ClassScan, ScanPoint
from pgmstudio.gui.plots.curve_plot import HOW_TO_MOVE
from pgmstudio.gui.plots.point_plot import PointPlot
from pgmstudio.gui.style.theme import theme

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


class ScanPlot(PointPlot):
    """A click on a point tells its number in the scan."""

    def __init__(self) -> None:
        super().__init__("scanPlot")
        self._scan: ClassScan | None = None

    @property
    def is_empty(self) -> bool:
        return self._scan is None or not self._scan.points

    @property
    def flags(self) -> dict[int, str]:
        """What is said at points with classes of no use, by their number of classes."""
        points = () if self._scan is None else self._scan.points
        return {point.classes: flag_of(point) for point in points if flag_of(point)}

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

    def _draw_curves(self) -> None:
        scan = self._scan
        assert scan is not None
        self._dress_axes(scan)
        order = sorted(range(len(scan.points)), key=lambda i: (scan.points[i].classes, i))
        said = []
        for place, (name, value, symbol) in enumerate(LINES):
            numbers = [i for i in order if value(scan.points[i]) is not None]
            if not numbers:
                continue
            xs = [scan.points[i].classes for i in numbers]
            ys = [value(scan.points[i]) for i in numbers]
            self._draw_points(place, name, symbol, numbers, xs, ys)
            best = self.best_of(name)
            if best is not None and name in _CRITERIA:
                self._ring(place, best.classes, value(best) or 0.0)
                said.append(f"{name} {best.classes}")
        self._draw_flags(scan)
        self._hint.setText(
            f"Best number of classes: {', '.join(said)} (ringed). Higher is better; a click on a "
            "point opens its model."
        )

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

    def _dress_axes(self, scan: ClassScan) -> None:
        self._name_axes("Classes", "Bits per row ↑")
        counts = sorted({point.classes for point in scan.points})
        if len(counts) <= 24:
            ticks = [(count, str(count)) for count in counts]
            self._plot.getAxis("bottom").setTicks([ticks])
        self._plot.setAccessibleName("Criteria by number of classes")
        self._plot.setToolTip(f"{HOW_TO_MOVE}; a point opens its model.")
