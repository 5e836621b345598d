"""Plot axes; logarithmic ones have decades, with 2 and 5 where they fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

from pgmstudio.core.drawing.svg.sl_plot import even_digits
from pgmstudio.core.number_format import grouped

Ticks = list[tuple[float, list[float]]]
_PART_DECADE = 0.75
_FEW_DECADES = 1.6
_SOME_DECADES = 4.5
# Levels of ticks, given to the axis as their distance.
NAMED, BETWEEN = 1.0, 0.5


def new_axes() -> dict[str, Any]:
    """A left and a bottom axis that are drawn in a fraction of the library's time."""
    return {side: _axis_type()(side) for side in ("left", "bottom")}


@cache
def _axis_type() -> type:
    import pyqtgraph
    from PySide6.QtCore import QPointF, Qt
    from PySide6.QtGui import QPainter, QPixmap

    class PlainAxis(pyqtgraph.AxisItem):  # type: ignore[misc]
        """Worked out when it changes; on a screen it is then put there as the picture it was:
        its many thin lines took most of the time of every redraw."""

        picture: Any  # None when it is to be worked out
        is_even = True  # as many digits at every tick; not where they are powers of ten
        _cached: Any = None  # a picture in px, and what it was made for

        def paint(self, painter: Any, _option: Any, widget: Any) -> None:
            if self.picture is None:
                self._cached = None
                if self.style["tickFont"]:
                    painter.setFont(self.style["tickFont"])
                self.picture = self.generateDrawSpecs(painter) or ()
            if not self.picture:
                return
            if widget is None:
                self.drawPicture(painter, *self.picture)
                return
            # An axis may begin between two px: its picture begins at the first of them.
            at, ratio = self.scenePos(), widget.devicePixelRatioF()
            beyond = QPointF(at.x() % 1, at.y() % 1)
            area = self.boundingRect().toAlignedRect().adjusted(0, 0, 1, 1)
            if self._cached is None or self._cached[1:] != (ratio, area, beyond):
                self._cached = self._picture(area, ratio, beyond), ratio, area, beyond
            painter.drawPixmap(QPointF(area.topLeft()) - beyond, self._cached[0])

        def _picture(self, area: Any, ratio: float, beyond: Any) -> Any:
            made = QPixmap(area.size() * ratio)
            made.setDevicePixelRatio(ratio)
            made.fill(Qt.GlobalColor.transparent)
            painter = QPainter(made)
            painter.translate(beyond - QPointF(area.topLeft()))
            self.drawPicture(painter, *self.picture)
            painter.end()
            return made

        def generateDrawSpecs(self, painter: Any) -> Any:
            specs = super().generateDrawSpecs(painter)
            if not specs or not self.is_even:
                return specs
            axis, ticks, label = specs
            texts = even_digits([text for _, _, text in label])
            return axis, ticks, [(*w[:2], text) for w, text in zip(label, texts, strict=True)]

        def updateAutoSIPrefix(self) -> None:
            """Numbers stand as they are; the title need not be laid out again for that."""

    return PlainAxis


def set_log(axis: Any, is_log: bool, plain: tuple[Any, Any]) -> None:
    """Make an axis logarithmic (base ten), or linear again with its own functions `plain`."""
    if is_log:
        axis.tickValues = log_ticks
        axis.tickStrings = log_tick_labels
    else:
        axis.tickValues, axis.tickStrings = plain
    axis.is_even = not is_log
    axis.picture = None
    axis.update()


def log_ticks(low: float, high: float, _length: float) -> Ticks:
    """Labelled ticks first, then those between them, which have a line alone."""
    if high <= low:
        return []
    span = high - low
    if span < 0.25:  # inside a part of a decade numbers stand as on any axis
        return [(NAMED, [math.log10(v) for v in _even(10**low, 10**high)])]
    labelled: Sequence[int] = (1,)
    if span < _PART_DECADE:
        labelled = range(1, 10)
    elif span < _FEW_DECADES:
        labelled = (1, 2, 5)
    elif span < _SOME_DECADES / 2:
        labelled = (1, 3)
    decades = range(math.floor(low), math.ceil(high) + 1)
    named = [d + math.log10(n) for d in decades for n in labelled]
    others = [d + math.log10(n) for d in decades for n in range(2, 10) if n not in labelled]
    if span > _SOME_DECADES:
        others = []
    return [
        (NAMED, [v for v in named if low <= v <= high]),
        (BETWEEN, [v for v in others if low <= v <= high]),
    ]


def _even(low: float, high: float) -> list[float]:
    step = 10 ** math.floor(math.log10(max(high - low, 1e-12)))
    first = math.ceil(low / step)
    ticks = [multiple * step for multiple in range(first, first + 12) if multiple * step <= high]
    return [value for value in ticks if value > 0]


def log_tick_labels(values: Sequence[float], _scale: float, spacing: float) -> list[str]:
    """What stands at the ticks; those of the second level are lines alone."""
    if spacing == BETWEEN:
        return [""] * len(values)
    return [_number(10**value) for value in values]


def _number(value: float) -> str:
    return grouped(round(value)) if value >= 10 or value == round(value) else f"{value:.3g}"


def plain_functions(axis: Any) -> tuple[Any, Any]:
    """The functions an axis has from the beginning."""
    return axis.tickValues, axis.tickStrings
