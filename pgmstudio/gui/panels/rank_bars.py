"""A short ranking in bits: name, bar, number; a click chooses the variable."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent

from pgmstudio.gui.panels.bar_rows import RIGHT, BarRows
from pgmstudio.gui.style.theme import theme

Rank = tuple[str, str, float]  # key, title, bits


class RankBars(BarRows):
    """Keys: ↑↓ and Enter."""

    chosen = Signal(str)  # key
    air = 7

    def __init__(
        self, name: str, *, most: int = 5, digits: int = 2, name_share: float = 0.40
    ) -> None:
        super().__init__(name, "Ranking in bits", "A ranking in bits; a click selects.")
        self._most, self._digits, self._name_share = most, digits, name_share
        self._ranks: tuple[Rank, ...] = ()

    @property
    def ranks(self) -> tuple[Rank, ...]:
        return self._ranks

    def show_ranks(self, ranks: Sequence[Rank]) -> None:
        """The most first; only the first few are shown."""
        shown = tuple(ranks[: self._most])
        if shown == self._ranks:
            return
        grew = len(shown) != len(self._ranks)
        self._ranks = shown
        self._row = min(self._row, max(0, len(shown) - 1))
        told = [f"{title} {bits:.2f} bits" for _, title, bits in shown]
        self.setAccessibleName(", ".join(told))
        if grew:
            self.updateGeometry()
        self.update()

    def _row_count(self) -> int:
        return len(self._ranks)

    def row_at(self, place: QPoint) -> int | None:
        row = place.y() // self._row_height()
        return row if 0 <= row < len(self._ranks) else None

    def row_rect(self, key: str) -> QRectF:
        row = [rank[0] for rank in self._ranks].index(key)
        return QRectF(0, row * self._row_height(), self.width(), self._row_height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = theme().font("dense")
        painter.setFont(font)
        metrics = QFontMetrics(font)
        number = metrics.horizontalAdvance("00." + "0" * self._digits) + 10
        left, right = self.width() * self._name_share, self.width() - number
        # Below the last digit shown there is nothing to compare.
        most = max((bits for *_, bits in self._ranks), default=0.0)
        most = most if most >= 0.5 * 10**-self._digits else 0.0
        height = self._row_height()
        for row, (_, title, bits) in enumerate(self._ranks):
            place = QRectF(0, row * height, self.width(), height)
            if row == self._hovered:
                self._paint_ground(painter, place)
            painter.setPen(theme().color("text"))
            self._paint_name(painter, place, title, left)
            painter.drawText(place, RIGHT, f"{bits:.{self._digits}f}")
            if most > 0:
                width = max(2.0, (right - left) * bits / most)
                self._paint_fill(painter, QRectF(left, place.center().y() - 4, width, 8), "belief")
            if self.hasFocus() and row == self._row:
                self._paint_focus(painter, place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().toPoint())
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            self._row = row
            self.chosen.emit(self._ranks[row][0])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hovered = self.row_at(event.position().toPoint())
        self._hover(hovered, can_be_used=hovered is not None)

    def tip_at(self, place: QPoint) -> str | None:
        row = self.row_at(place)
        if row is None:
            return None
        _, title, bits = self._ranks[row]
        return f"{title}: {bits:.4g} bits\nClick selects it."

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._ranks and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            self._row = min(len(self._ranks) - 1, max(0, self._row + step))
            self.update()
        elif self._ranks and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self._ranks[self._row][0])
        else:
            super().keyPressEvent(event)
