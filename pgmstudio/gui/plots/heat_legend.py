"""The legend of a heat map: the ramp with its ends, the diagonal, outlined cells."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from pgmstudio.gui.plots.heat_map import STEPS
from pgmstudio.gui.style.theme import theme

_STEP = 16.0


class HeatLegend(QWidget):
    """`0 ▁▂▃▄▅▆▇█ 0.31 bits · ■ entropy · □ edge of Asia`."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("heatLegend")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._largest = 0.0
        self._model: str | None = None
        theme().changed.connect(self.update)
        self._describe()

    def show_range(self, largest: float) -> None:
        self._largest = largest
        self._describe()

    def show_edges_of(self, model: str | None) -> None:
        self._model = model
        self._describe()

    def _describe(self) -> None:
        edges = f"; outlined cells are edges of {self._model}" if self._model else ""
        self.setAccessibleName(
            f"Mutual information from 0 to {self._largest:.3f} bits, light to dark; "
            f"the diagonal is entropy{edges}"
        )
        self.setToolTip(self.accessibleName())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(420, round(QFontMetricsF(theme().font("dense")).height() + 8))

    def minimumSizeHint(self) -> QSize:
        return QSize(180, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(theme().font("dense"))
        metrics = QFontMetricsF(painter.font())
        middle = self.height() / 2
        x = 0.0

        def word(text: str) -> None:
            nonlocal x
            painter.setPen(theme().color("text_secondary"))
            room = self.width() - x
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(x, 0, room, self.height()), side, shown)
            x += metrics.horizontalAdvance(text) + 6

        word("Mutual information  0")
        for step in range(STEPS):
            painter.fillRect(QRectF(x, middle - 5, _STEP, 10), theme().sequential(step))
            x += _STEP
        x += 6
        word(f"{largest_text(self._largest)} bits")
        x += 10
        painter.fillRect(QRectF(x, middle - 5, 10, 10), theme().color("stale"))
        x += 16
        word("entropy")
        if self._model is not None:
            x += 10
            painter.setPen(QPen(theme().color("text"), 1.5))
            painter.drawRect(QRectF(x, middle - 5, 10, 10))
            x += 16
            word(f"edge of {self._model}")


def largest_text(value: float) -> str:
    """The upper end of the ramp: two digits, also of a value that is all but nothing."""
    return f"{value:.2f}" if value >= 0.095 or value <= 0 else f"{value:.2g}"
