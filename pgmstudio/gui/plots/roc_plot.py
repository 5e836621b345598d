"""ROC curves: each state of a target against the rest."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

from pgmstudio.core.experiments.classification_curves import RocCurve
from pgmstudio.gui.plots.curve_plot import CurvePlot
from pgmstudio.gui.style.theme import theme

MOST_CURVES = 8  # as many have colours of their own
# Told apart without colour, too.
_DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DotLine,
)


def dash(place: int) -> Qt.PenStyle:
    """The line of the curve at this place."""
    return _DASHES[place % len(_DASHES)]


class RocPlot(CurvePlot):
    """Drawn as soon as the library of plots is loaded."""

    across = True
    can_wait = True

    def __init__(self) -> None:
        super().__init__("rocPlot")
        self._curves_of: tuple[tuple[str, RocCurve], ...] = ()
        self.words = ""  # what there is to say beside the heading
        self._hint.hide()

    @property
    def is_empty(self) -> bool:
        return not self._curves_of

    def show_curves(self, states: Sequence[str], curves: Sequence[RocCurve]) -> None:
        """Those without an area have nothing to show; the first eight of the rest are drawn.

        The two curves of two states are mirrors of each other: one tells all.
        """
        known = [
            (state, curve)
            for state, curve in zip(states, curves, strict=True)
            if curve.area is not None
        ]
        drawn = known[:1] if len(states) == 2 else known[:MOST_CURVES]
        self._curves_of = tuple(drawn)
        left_out = len(known) - len(drawn) if len(states) > 2 else 0
        self.words = f"{left_out} more states in the table" if left_out else ""
        if not known:
            self.words = "needs rows of more than one state"
        if not known and self._plot is not None:
            self._plot.clear()
        self._draw()

    def _draw_curves(self) -> None:
        import pyqtgraph

        self._name_axes("False positive rate", "True positive rate")
        dim = pyqtgraph.mkPen(theme().color("edge_dim"), width=1, style=Qt.PenStyle.DashLine)
        self._plot.plot([0, 1], [0, 1], pen=dim)
        for place, (state, curve) in enumerate(self._curves_of):
            width = theme().line("plot")
            pen = pyqtgraph.mkPen(theme().category(place, "line"), width=width, style=dash(place))
            self._plot.plot(
                curve.false_rates, curve.true_rates, pen=pen, name=f"{state}, AUC {curve.area:.3f}"
            )
        self._plot.setAccessibleName(
            "ROC: " + ", ".join(f"{state} AUC {curve.area:.3f}" for state, curve in self._curves_of)
        )
