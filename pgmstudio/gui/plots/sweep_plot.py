"""The models of a λ sweep: bits per row against size, the best of the run ringed."""

from __future__ import annotations

from pgmstudio.core.learning.pdg_scan import PdgPoint, PdgScan
from pgmstudio.gui.plots.curve_plot import HOW_TO_MOVE
from pgmstudio.gui.plots.point_plot import PointPlot


class SweepPlot(PointPlot):
    """An SL-curve: every point is a model."""

    def __init__(self) -> None:
        super().__init__("sweepPlot")
        self._scan: PdgScan | None = None

    @property
    def is_empty(self) -> bool:
        return self._scan is None or not self._scan.points

    def show_scan(self, scan: PdgScan) -> None:
        self._scan = scan
        self._draw()

    def _draw_curves(self) -> None:
        scan = self._scan
        assert scan is not None
        self._name_axes("Effective size", "Bits per row ↑")
        best = scan.best()
        lines: tuple[tuple[str, str], ...] = (("training", "o"), ("held-out", "d"))
        for place, (name, symbol) in enumerate(lines):
            known = [i for i, point in enumerate(scan.points) if _bits(point, name) is not None]
            known.sort(key=lambda i: scan.points[i].effective_size)
            if not known:
                continue
            xs = [float(scan.points[i].effective_size) for i in known]
            ys = [_bits(scan.points[i], name) for i in known]
            self._draw_points(place, name, symbol, known, xs, ys)
        place = 0 if best.held_bits is None else 1
        told = best.train_bits if best.held_bits is None else best.held_bits
        self._ring(place, float(best.effective_size), told)
        self._plot.setToolTip(f"{HOW_TO_MOVE}; a point opens its model.")
        self._hint.setText(
            f"Best by {scan.criterion}: λ {best.lambda_:.3g} (ringed). Higher and further left is "
            "better; a click on a point opens its model."
        )


def _bits(point: PdgPoint, name: str) -> float | None:
    return point.train_bits if name == "training" else point.held_bits
