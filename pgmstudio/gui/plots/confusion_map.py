"""The confusion matrix as a heat map: true states down, most probable ones across."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pgmstudio.gui.plots.heat_map import LIGHT_STEPS, STEPS, HeatMap, step_of
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.theme import theme

Floats = NDArray[np.float64]

_LEAST_CELL, _MOST_CELL, _MOST_WIDTH = 8, 84, 110
_COUNTS_FROM, _SHARES_FROM = 16, 32  # px of a cell
_TITLE = 20  # px for the name of an axis


def weight_text(weight: float) -> str:
    """A count of rows; weights may make it a broken one."""
    return grouped(int(weight)) if float(weight).is_integer() else f"{weight:.1f}"


class ConfusionMap(HeatMap):
    """Colour is the share of the true state's rows; a cell holds its rows and that share."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setAccessibleName("Confusion matrix: true states down, most probable states across")
        self.setToolTip("A click on a cell lists its rows.")
        self._counts: Floats = np.zeros((0, 0))
        self.describe = self.words_of

    def show_counts(self, states: Sequence[str], counts: Floats) -> None:
        """`counts` has a row for each true state."""
        totals = counts.sum(axis=1, keepdims=True)
        self._counts = counts
        values = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        self.show_values(states, values, range(len(states)))

    def words_of(self, true: int, chosen: int) -> str:
        """A cell in words."""
        rows, share = weight_text(self._counts[true, chosen]), 100 * self._values[true, chosen]
        state = self._names[true]
        return f"True {state}, predicted {self._names[chosen]}: {rows} rows, {share:.1f} % of them"

    @property
    def largest(self) -> float:
        return 1.0

    # -- geometry

    def sizeHint(self) -> QSize:
        return QSize(320, 220)

    def minimumSizeHint(self) -> QSize:
        side = 2 * _TITLE + _LEAST_CELL * self._count
        return QSize(max(160, side), max(130, side))

    @property
    def cell(self) -> float:
        _, top = self._margins(_MOST_CELL)
        room = (self.height() - top - 4) // self._count
        return float(min(_MOST_CELL * theme().scale, max(_LEAST_CELL, room)))

    @property
    def cell_width(self) -> float:
        left, _ = self._margins(_MOST_CELL)
        room = (self.width() - left - 4) // self._count
        return float(min(2 * self.cell, _MOST_WIDTH * theme().scale, max(_LEAST_CELL, room)))

    @property
    def _count(self) -> int:
        return max(1, len(self._names))

    def _margins(self, cell: float) -> tuple[float, float]:
        title = _TITLE * theme().scale
        metrics = QFontMetricsF(theme().font("caption"))
        longest = max((metrics.horizontalAdvance(name) for name in self._names), default=0.0)
        side = min(longest + 10, 0.3 * self.width())
        # Names lie flat over columns that are wide enough, else they stand.
        high = (self.height() - title - metrics.height() - 10) / self._count
        wide = (self.width() - side - title - 4) / self._count
        room = min(wide, 2 * high, _MOST_WIDTH * theme().scale)
        is_flat = longest + 4 <= room
        up = metrics.height() + 6 if is_flat else min(longest + 10, 0.3 * self.height())
        return side + title, up + title

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._names:
            return
        painter = QPainter(self)
        painter.setFont(theme().font("caption", "semibold"))
        painter.setPen(theme().color("text_secondary"))
        left, top = self._origin()
        wide, high = self.cell_width * self._count, self.cell * self._count
        title = _TITLE * theme().scale
        center = Qt.AlignmentFlag.AlignCenter
        painter.drawText(QRectF(left, 0, max(wide, 80.0), title), center, "Predicted")
        painter.translate(0, top + high)
        painter.rotate(-90)
        painter.drawText(QRectF(0, 0, max(high, 60.0), title), center, "True")

    def _pixels(self) -> QImage:
        if self._image is None:
            steps = np.clip(self._values * STEPS, 0, STEPS - 1).astype(np.uint8)
            whole = np.ascontiguousarray(steps)
            count = self._count
            kind = QImage.Format.Format_Indexed8
            image = QImage(whole.tobytes(), count, count, count, kind).copy()
            image.setColorTable([theme().sequential(step).rgb() for step in range(STEPS)])
            self._image = image
        return self._image

    def _paint_names(self, painter: QPainter, left: float, top: float, cell: float) -> None:
        painter.setFont(theme().font("caption"))
        metrics, title = QFontMetricsF(painter.font()), _TITLE * theme().scale
        painter.setPen(theme().color("text"))
        elide, width = Qt.TextElideMode.ElideMiddle, self.cell_width
        is_flat = top - title <= metrics.height() + 7
        for place, name in enumerate(self._names):
            text = metrics.elidedText(name, elide, left - title - 6)
            box = QRectF(title, top + place * cell, left - title - 6, cell)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            if is_flat:
                box = QRectF(left + place * width, title, width, top - title - 2)
                text = metrics.elidedText(name, elide, width - 2)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
                continue
            painter.save()
            painter.translate(left + place * width + width / 2, top - 4)
            painter.rotate(-90)
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            text = metrics.elidedText(name, elide, top - title - 6)
            painter.drawText(QRectF(0, -width / 2, top - title - 4, width), side, text)
            painter.restore()

    def _paint_values(self, painter: QPainter, left: float, top: float, cell: float) -> None:
        width = self.cell_width
        if min(cell, width) < _COUNTS_FROM * theme().scale:
            return
        with_share = min(cell, width) >= _SHARES_FROM * theme().scale
        for true in range(self._count):
            for chosen in range(self._count):
                is_dark = step_of(self._values[true, chosen], 1.0) >= LIGHT_STEPS
                painter.setPen(theme().color("surface" if is_dark else "text"))
                box = QRectF(left + chosen * width, top + true * cell, width, cell)
                self._paint_cell(painter, box, true, chosen, with_share)

    def _paint_cell(
        self, painter: QPainter, box: QRectF, true: int, chosen: int, with_share: bool
    ) -> None:
        size = "dense" if box.height() >= 40 * theme().scale else "caption"
        painter.setFont(theme().font(size, "medium"))
        text = weight_text(self._counts[true, chosen])
        if QFontMetricsF(painter.font()).horizontalAdvance(text) > box.width() - 4:
            painter.setFont(theme().font("micro"))
        if not with_share:
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
            return
        middle = box.center().y()
        upper = QRectF(box.left(), box.top(), box.width(), middle - box.top() + 1)
        lower = QRectF(box.left(), middle + 1, box.width(), box.bottom() - middle - 1)
        below = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
        above = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        painter.drawText(upper, below, text)
        painter.setFont(theme().font("micro"))
        painter.drawText(lower, above, f"{100 * self._values[true, chosen]:.1f} %")
