"""The curve of a belief as a function of one number between 0 and 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from pgmstudio.core.number_format import percent
from pgmstudio.gui.theme.theme import theme

_POINTS = 120


@dataclass(frozen=True)
class Curve:
    """A function on 0…1, where it stands now, and the span that is looked at."""

    function: Callable[[float], float]
    now: float
    low: float
    high: float
    description: str


class FunctionCurve(QWidget):
    """θ to the right, the belief upwards, both from 0 to 1; the span is shaded."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName("Curve of the belief")
        self.setToolTip("The belief as a function of the parameter; the dot is its current value.")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._curve: Curve | None = None
        theme().changed.connect(self.update)

    @property
    def curve(self) -> Curve | None:
        return self._curve

    def show_curve(self, curve: Curve | None) -> None:
        self._curve = curve
        self.setAccessibleName("Curve of the belief" if curve is None else curve.description)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(220 * theme().scale), round(120 * theme().scale))

    def minimumSizeHint(self) -> QSize:
        return QSize(round(150 * theme().scale), round(96 * theme().scale))

    def paintEvent(self, event: QPaintEvent) -> None:
        curve = self._curve
        if curve is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = theme().font("caption")
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        left = metrics.horizontalAdvance("100 %") + 6
        area = QRectF(left, 6, self.width() - left - 10, self.height() - metrics.height() - 12)

        def at(theta: float, belief: float) -> QPointF:
            return QPointF(
                area.left() + theta * area.width(), area.bottom() - belief * area.height()
            )

        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("accent_soft"))
        a, b = at(curve.low, 1).x(), at(curve.high, 0).x()
        painter.drawRect(QRectF(a, area.top(), max(2.0, b - a), area.height()))
        painter.setPen(QPen(theme().color("border"), 1))
        for fraction in (0.0, 0.5, 1.0):
            painter.drawLine(QLineF(at(0, fraction), at(1, fraction)))
            painter.drawLine(QLineF(at(fraction, 0), at(fraction, 1)))
        points = [k / _POINTS for k in range(_POINTS + 1)]
        line = QPolygonF([at(theta, curve.function(theta)) for theta in points])
        painter.setPen(QPen(theme().category(0, "line"), theme().line("plot")))
        painter.drawPolyline(line)
        painter.setPen(QPen(theme().color("text"), 1.5))
        painter.setBrush(theme().color("surface"))
        painter.drawEllipse(at(curve.now, curve.function(curve.now)), 3.5, 3.5)
        painter.setPen(theme().color("text_secondary"))
        for fraction in (0.0, 1.0):
            y = at(0, fraction).y()
            rect = QRectF(0, y - 8, left - 4, 16)
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(rect, side, f"{percent(fraction)} %")
        below = QRectF(area.left(), area.bottom() + 2, area.width(), metrics.height())
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, "0")
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, "1")
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, "Parameter θ")
