"""What κ does to a labelled graph: held-out rows, score, likelihood or size against κ."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pgmstudio.core.learning.kappa_path import KappaPath, KappaPoint
from pgmstudio.gui.plots.curve_plot import HOW_TO_MOVE
from pgmstudio.gui.plots.point_plot import PointPlot
from pgmstudio.gui.style.theme import theme

HELD, SCORE, LIKELIHOOD, PARAMETERS, EDGES = "held", "score", "likelihood", "parameters", "edges"

Lines = tuple[tuple[str, Callable[[KappaPoint], float | None]], ...]
# What stands at the left, and the lines under it.
QUANTITIES: Mapping[str, tuple[str, Lines]] = {
    HELD: ("Bits per held-out row ↑", (("held-out", lambda p: p.held_bits),)),
    SCORE: ("Score in bits ↑", (("likelihood and prior", lambda p: p.score),)),
    LIKELIHOOD: ("Bits ↑", (("marginal likelihood", lambda p: p.log2_likelihood),)),
    PARAMETERS: (
        "Free parameters",
        (("with labels", lambda p: p.parameters), ("without", lambda p: p.unlabelled_parameters)),
    ),
    EDGES: ("Edges and contexts", (("edges", lambda p: p.edges), ("contexts", lambda p: p.labels))),
}


def kappa_words(kappa: float) -> str:
    """κ as on the axis."""
    return f"{kappa:g}".replace("e-0", "e−").replace("e-", "e−") if kappa else "no labels"


class KappaPlot(PointPlot):
    """κ has steps of its own, since its numbers lie decades apart and 0 is one of them."""

    def __init__(self) -> None:
        super().__init__("kappaPlot")
        self._path: KappaPath | None = None
        self._quantity = HELD

    @property
    def is_empty(self) -> bool:
        return self._path is None or not self._path.points

    def show_path(self, path: KappaPath) -> None:
        self._path = path
        self._draw()

    def show_quantity(self, name: str) -> None:
        self._quantity = name
        self._draw()

    def _draw_curves(self) -> None:
        path = self._path
        assert path is not None
        points = path.points
        words, lines = QUANTITIES[self._quantity]
        self._name_axes("κ, the prior of labels", words)
        ticks = [(float(i), kappa_words(point.kappa)) for i, point in enumerate(points)]
        self._plot.getAxis("bottom").setTicks([ticks])
        best = path.best()
        for place, (name, value) in enumerate(lines):
            known = [(i, told) for i, p in enumerate(points) if (told := value(p)) is not None]
            if not known:
                continue
            numbers = [i for i, _ in known]
            xs, ys = [float(i) for i in numbers], [float(told) for _, told in known]
            self._draw_points(place, name, "od"[place], numbers, xs, ys)
            if best in points and points.index(best) in numbers:
                at = points.index(best)
                self._ring(place, float(at), ys[numbers.index(at)])
        if self._quantity == HELD:
            self._draw_errors(points)
        self._legend.setVisible(len(lines) > 1)
        self._plot.setToolTip(f"{HOW_TO_MOVE}; a point opens its model.")
        chosen = f"κ {kappa_words(best.kappa)}" if best.kappa else "No labels"
        by = f"{path.folds}-fold cross-validation" if best.held_bits is not None else "score so far"
        self._hint.setText(
            f"{chosen} is best by {by} (ringed). A click on a point opens its model."
        )

    def _draw_errors(self, points: tuple[KappaPoint, ...]) -> None:
        """A standard error of the mean over the folds, up and down."""
        import pyqtgraph

        told = [
            (float(i), p.held_bits, p.standard_error)
            for i, p in enumerate(points)
            if p.held_bits is not None and p.standard_error is not None
        ]
        if told:
            import numpy as np

            x, y, error = (np.array(column) for column in zip(*told, strict=True))
            pen = pyqtgraph.mkPen(theme().category(0, "line"), width=1)
            self._plot.addItem(
                pyqtgraph.ErrorBarItem(x=x, y=y, top=error, bottom=error, beam=0.12, pen=pen)
            )
