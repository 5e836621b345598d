"""Which columns are missing together: a band per pattern, dark where missing, rows beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from pgmstudio.gui.style.numbers import counted, grouped
from pgmstudio.gui.style.theme import theme

MOST_PATTERNS = 400
_MOST_CELL = 56.0
_LEAST_CELL = 5.0
_NAMES_FROM = 13.0
_BAR = 70.0


class PatternMap(QWidget):
    """Patterns × columns, the most frequent pattern first."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._names: tuple[str, ...] = ()
        self._patterns: NDArray[np.bool_] = np.zeros((0, 0), bool)
        self._weights: NDArray[np.float64] = np.zeros(0)
        theme().changed.connect(self._on_theme_changed)

    def show_patterns(
        self, names: Sequence[str], patterns: NDArray[np.bool_], weights: NDArray[np.float64]
    ) -> None:
        self._names = tuple(names)
        self._patterns, self._weights = patterns[:MOST_PATTERNS], weights[:MOST_PATTERNS]
        said = [self._words(place) for place in range(min(5, len(self._weights)))]
        self.setAccessibleName("Missing map. " + " ".join(said))
        self.setMinimumSize(self.minimumSizeHint())
        self.updateGeometry()
        self.update()

    @property
    def pattern_count(self) -> int:
        return len(self._weights)

    def _words(self, place: int) -> str:
        gone = [n for n, m in zip(self._names, self._patterns[place], strict=True) if m]
        rows = counted(round(float(self._weights[place])), "row")
        if not gone:
            return f"{rows} complete."
        listed = ", ".join(gone[:6]) + (" …" if len(gone) > 6 else "")
        return f"{rows} without {listed}."

    # -- geometry

    def _row_height(self) -> float:
        return QFontMetricsF(theme().font("dense")).height() + 6

    def _side(self) -> float:
        return QFontMetricsF(theme().font("dense")).horizontalAdvance("000 000 rows") + _BAR + 16

    def _cell(self) -> float:
        room = self.width() - self._side() - 8
        return min(_MOST_CELL, max(_LEAST_CELL, room / max(1, len(self._names))))

    def _head(self) -> float:
        if self._cell() < _NAMES_FROM:
            return 8.0
        metrics = QFontMetricsF(theme().font("caption"))
        longest = max((metrics.horizontalAdvance(name) for name in self._names), default=0.0)
        return min(120.0 * theme().scale, longest) + 12

    def minimumSizeHint(self) -> QSize:
        wide = self._side() + 8 + _LEAST_CELL * len(self._names)
        high = 140 * theme().scale + self._row_height() * (self.pattern_count + 1)
        return QSize(round(max(280.0, wide)), round(high))

    # -- Qt

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.pattern_count:
            return
        painter = QPainter(self)
        cell, head, height = self._cell(), self._head(), self._row_height()
        if cell >= _NAMES_FROM:
            self._paint_names(painter, cell, head)
        right = 4 + cell * len(self._names)
        heaviest = float(self._weights.max(initial=1.0))
        dark, light = theme().color("text"), theme().color("belief_track")
        painter.setFont(theme().font("dense"))
        for place in range(self.pattern_count):
            top = head + place * height
            for column in range(len(self._names)):
                box = QRectF(4 + column * cell, top + 1, max(1.0, cell - 1), height - 2)
                painter.fillRect(box, dark if self._patterns[place, column] else light)
            share = float(self._weights[place]) / heaviest
            bar = QRectF(right + 8, top + height / 2 - 4, max(1.0, _BAR * share), 8)
            painter.fillRect(bar, theme().color("belief"))
            painter.setPen(theme().color("text"))
            text = QRectF(right + 16 + _BAR, top, self._side() - _BAR, height)
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(text, side, counted(round(float(self._weights[place])), "row"))
        self._paint_totals(painter, cell, head + self.pattern_count * height)

    def _paint_names(self, painter: QPainter, cell: float, head: float) -> None:
        painter.setFont(theme().font("caption"))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(theme().color("text_secondary"))
        for column, name in enumerate(self._names):
            painter.save()
            painter.translate(4 + column * cell + cell / 2, head - 6)
            painter.rotate(-90)
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, head - 8)
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, -cell / 2, head - 8, cell), side, text)
            painter.restore()

    def _paint_totals(self, painter: QPainter, cell: float, top: float) -> None:
        """How many cells of each column are missing, where there is room for the number."""
        totals = self._weights @ self._patterns
        painter.setFont(theme().font("caption"))
        metrics = QFontMetricsF(painter.font())
        for column, total in enumerate(totals):
            text = grouped(round(float(total)))
            if metrics.horizontalAdvance(text) + 2 > cell:
                continue
            painter.setPen(theme().color("warning_ink" if total else "text_tertiary"))
            box = QRectF(4 + column * cell, top, cell, self._row_height())
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            place = int((event.pos().y() - self._head()) // self._row_height())
            if 0 <= place < self.pattern_count:
                QToolTip.showText(event.globalPos(), self._words(place), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _on_theme_changed(self) -> None:
        self.setMinimumSize(self.minimumSizeHint())
        self.update()
