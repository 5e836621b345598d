"""The largest degrees of a pair of variables as a grid with the maxima of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.tuple_degrees import kept_at
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.inference.belief_text import belief_text
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import named

MAX_STATES = 12  # of each variable
_GAP = 4.0
_CENTRE = Qt.AlignmentFlag.AlignCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class DegreeGrid(QWidget):
    """Cells are the darker the more possible; those below α are outlined by dashes."""

    def __init__(self, name: str) -> None:
        super().__init__()
        named(self, name, "Largest degrees of each pair of states")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._names: tuple[str, str] = ("", "")
        self._rows: Sequence[str] = ()
        self._columns: Sequence[str] = ()
        self._alpha = 0.0
        self.degrees: Floats = np.zeros((0, 0))
        theme().changed.connect(self.updateGeometry)

    def show_degrees(
        self,
        names: tuple[str, str],
        rows: Sequence[str],
        columns: Sequence[str],
        degrees: Floats,
        alpha: float,
    ) -> None:
        """The degrees of states of the first variable (rows) and the second."""
        self._names, self._rows, self._columns = names, rows, columns
        self.degrees, self._alpha = degrees, alpha
        lines = [
            f"{row}, {column} {_text(degrees[i, j])}"
            for i, row in enumerate(rows)
            for j, column in enumerate(columns)
        ]
        self.setAccessibleDescription("; ".join(lines))
        self.updateGeometry()
        self.update()

    def _height(self) -> float:
        return theme().px("row") + 1.0

    def sizeHint(self) -> QSize:
        return QSize(240, round(self._height() * (len(self._rows) + 2)) + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def _columns_at(self) -> tuple[float, float]:
        """Where cells begin, and how wide each is."""
        metrics = QFontMetrics(theme().font("dense"))
        names = max((metrics.horizontalAdvance(s) for s in (*self._rows, "max")), default=0)
        head = QFontMetrics(theme().font("dense", "semibold"))
        left = min(max(names, head.horizontalAdvance(self._names[0])) + 10.0, self.width() * 0.36)
        return left, (self.width() - left) / (len(self._columns) + 1)

    def _cell(self, i: int, j: int) -> QRectF:
        left, width = self._columns_at()
        height = self._height()
        return QRectF(left + j * width, (i + 1) * height, width, height)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.degrees.size:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, _ = self._columns_at()
        self._text(painter, QRectF(0, 0, left - 6, self._height()), self._names[0], is_head=True)
        for j, state in enumerate((*self._columns, "max")):
            self._text(painter, self._cell(-1, j), state, is_head=True, flag=_CENTRE)
        for i, state in enumerate((*self._rows, "max")):
            row = self._cell(i, 0)
            grey = "text_secondary" if i == len(self._rows) else "text"
            self._text(painter, QRectF(0, row.top(), left - 6, row.height()), state, color=grey)
        kept = kept_at(self.degrees, self._alpha)
        top = float(self.degrees.max()) or 1.0
        for i, j in np.ndindex(*self.degrees.shape):
            value, is_kept = float(self.degrees[i, j]), bool(kept[i, j])
            self._paint_cell(painter, self._cell(i, j), value, is_kept, top)
        for i, value in enumerate(self.degrees.max(axis=1)):
            self._number(painter, self._cell(i, len(self._columns)), value)
        for j, value in enumerate(self.degrees.max(axis=0)):
            self._number(painter, self._cell(len(self._rows), j), value)
        self._number(painter, self._cell(len(self._rows), len(self._columns)), top, is_strong=True)
        painter.setPen(QPen(theme().color("border"), 1))
        for i in (0, len(self._rows)):
            y = round(self._cell(i, 0).top()) + 0.5
            painter.drawLine(0, int(y), self.width(), int(y))

    def _paint_cell(
        self, painter: QPainter, cell: QRectF, value: float, is_kept: bool, top: float
    ) -> None:
        box = cell.adjusted(_GAP / 2, _GAP / 2, -_GAP / 2, -_GAP / 2)
        radius = theme().radius("bar") + 1
        if is_kept:
            fill = QColor(theme().color("belief"))
            fill.setAlphaF(0.2 + 0.45 * value / top)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
        else:
            pen = QPen(theme().color("text_tertiary" if self._alpha else "border"), 1)
            if self._alpha:
                pen.setDashPattern([3, 2])
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, radius, radius)
        self._number(painter, cell, value, is_strong=is_kept, is_grey=not is_kept)

    def _number(
        self,
        painter: QPainter,
        cell: QRectF,
        value: float,
        *,
        is_strong: bool = False,
        is_grey: bool = True,
    ) -> None:
        painter.setFont(theme().font("dense", "semibold" if is_strong else "regular"))
        grey = is_grey and not is_strong
        painter.setPen(theme().color("text_secondary" if grey else "text"))
        painter.drawText(cell, _CENTRE, _text(value))

    def _text(
        self,
        painter: QPainter,
        area: QRectF,
        text: str,
        *,
        is_head: bool = False,
        flag: Qt.AlignmentFlag = _LEFT,
        color: str = "",
    ) -> None:
        font = theme().font("dense", "semibold" if is_head else "regular")
        painter.setFont(font)
        painter.setPen(theme().color(color or ("text_secondary" if is_head else "text")))
        elide = Qt.TextElideMode.ElideMiddle
        shown = QFontMetrics(font).elidedText(text, elide, int(area.width()) - 2)
        painter.drawText(area, flag, shown)

    # -- tooltips

    def tip_at(self, position: QPoint) -> str:
        """The pair of states and its degree."""
        for i, j in np.ndindex(*self.degrees.shape):
            if self._cell(i, j).contains(position.toPointF()):
                first, second = self._names
                pair = f"{first} = {self._rows[i]}, {second} = {self._columns[j]}"
                is_out = self._alpha and not kept_at(self.degrees, self._alpha)[i, j]
                cut = ", below α" if is_out else ""
                return f"{pair}: Π {_text(float(self.degrees[i, j]))}{cut}"
        return ""

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos()), self)
            return True
        return super().event(event)


def _text(value: float) -> str:
    return belief_text(float(value), Scale.POSSIBILITY)
