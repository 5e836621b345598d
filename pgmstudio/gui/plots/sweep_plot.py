"""The models of a λ sweep: bits per row against size, the best of the run ringed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
        curves = []
        for place, (name, symbol) in enumerate(lines):
            known = [i for i, point in enumerate(scan.points) if _bits(point, name) is not None]
            known.sort(key=lambda i: scan.points[i].effective_size)
            if not known:
                continue
            xs = [float(scan.points[i].effective_size) for i in known]
            ys = [bits for i in known if (bits := _bits(scan.points[i], name)) is not None]
            self._draw_points(place, name, symbol, known, xs, ys)
            curves.append((xs, ys))
        free = free_place(curves)
        self._legend.anchor(free, free, offset=tuple(_EDGE * (1 - 2 * share) for share in free))
        place = 0 if best.held_bits is None else 1
        told = best.train_bits if best.held_bits is None else best.held_bits
        self._ring(place, float(best.effective_size), told)
        self._plot.setToolTip(f"{HOW_TO_MOVE}; a point opens its model.")
        self._hint.setText(
            f"Best by {scan.criterion}: λ {best.lambda_:.3g} (ringed). Higher and further left is "
            "better; a click on a point opens its model."
        )


# Where a legend may stand, across and down; the first is taken when all are alike. About so large
# a part of the plot does it cover.
_PLACES = ((1.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.0, 0.5))
_COVERED = (0.3, 0.25)
_EDGE = 8.0


def free_place(
    curves: Sequence[tuple[Sequence[float], Sequence[float]]],
) -> tuple[float, float]:
    """The corner or side that curves pass least."""
    across = np.concatenate([_along(xs) for xs, _ in curves] or [np.zeros(0)])
    up = np.concatenate([_along(ys) for _, ys in curves] or [np.zeros(0)])
    if not across.size:
        return _PLACES[0]
    x = (across - across.min()) / (np.ptp(across) or 1.0)
    down = 1 - (up - up.min()) / (np.ptp(up) or 1.0)

    def met(place: tuple[float, float]) -> int:
        left, top = (share * (1 - part) for share, part in zip(place, _COVERED, strict=True))
        aside = (x >= left) & (x <= left + _COVERED[0])
        return int((aside & (down >= top) & (down <= top + _COVERED[1])).sum())

    return min(_PLACES, key=met)


def _along(values: Sequence[float]) -> NDArray[np.float64]:
    """The points of a curve and those between them."""
    places = np.linspace(0, len(values) - 1, 8 * (len(values) - 1) + 1)
    return np.interp(places, np.arange(len(values)), values)


def _bits(point: PdgPoint, name: str) -> float | None:
    return point.train_bits if name == "training" else point.held_bits
