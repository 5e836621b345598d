"""The curve of a belief as a function of one number between 0 and 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetricsF, QPen

from pgmstudio.gui.plots.chart import StillChart
from pgmstudio.gui.plots.items import Frame
from pgmstudio.gui.theme.theme import theme

_POINTS = 121


@dataclass(frozen=True)
class Curve:
    """A function on 0…1, where it stands now, and the span that is looked at."""

    function: Callable[[float], float]
    now: float
    low: float
    high: float
    description: str


class FunctionCurve(StillChart):
    """θ to the right, the belief upwards, both from 0 to 1; the span is shaded."""

    scales = ("left", "bottom")

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setAccessibleName("Curve of the belief")
        self.setToolTip("The belief as a function of the parameter; the dot is its current value.")
        self._curve: Curve | None = None

    @property
    def curve(self) -> Curve | None:
        return self._curve

    @property
    def is_empty(self) -> bool:
        return self._curve is None

    def show_curve(self, curve: Curve | None) -> None:
        self._curve = curve
        self.setAccessibleName("Curve of the belief" if curve is None else curve.description)
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(round(220 * theme().scale), round(120 * theme().scale))

    def minimumSizeHint(self) -> QSize:
        return QSize(round(150 * theme().scale), round(96 * theme().scale))

    def _margins(self) -> tuple[float, float, float, float]:
        metrics = QFontMetricsF(theme().font("caption"))
        line = metrics.height()
        return metrics.horizontalAdvance("100 %") + 8, line / 2, 10.0, line + 6

    def _build(self) -> None:
        super()._build()
        ticks = {"left": ("0 %", "", "100 %"), "bottom": ("0", "Parameter θ", "1")}
        for side, texts in ticks.items():
            self._canvas.getAxis(side).setTicks([list(zip((0, 0.5, 1), texts, strict=True))])

    def _draw_items(self, frame: Frame) -> None:
        look, curve = theme(), self._curve
        assert curve is not None
        span = look.color("accent_soft")
        self.items.boxes("span", (curve.low, curve.high), (0, 1), 0, fill=span, least=2)
        xs = np.linspace(0, 1, _POINTS)
        ys = np.array([curve.function(x) for x in xs.tolist()])
        self.items.line("curve", xs, ys, QPen(look.category(0, "line"), look.line("plot")), 1)
        at = np.array([curve.now]), np.array([curve.function(curve.now)])
        ink, fill = look.color("text"), look.color("surface")
        self.items.marks("now", *at, 2, size=7, ink=ink, width=1.5, fill=fill)
