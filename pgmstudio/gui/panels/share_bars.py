"""Bars cut into shares: one row for each state of a column, one part for each component."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent

from pgmstudio.core.pictures.svg_nodes import percent
from pgmstudio.gui.panels.bar_rows import BarRows
from pgmstudio.gui.style.theme import theme

ShareRow = tuple[str, tuple[float, ...]]  # a state, and the shares of the components
_NAME_SHARE = 0.34
_LEAST_NUMBERED = 12  # px of a part that holds its number


class ShareBars(BarRows):
    """Parts are told apart by number as well as by colour."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "Shares of components", "Shares of the components.")
        self._rows: tuple[ShareRow, ...] = ()
        self._names: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[ShareRow, ...]:
        return self._rows

    def show_rows(self, rows: Sequence[ShareRow], names: Sequence[str]) -> None:
        self._rows, self._names = tuple(rows), tuple(names)
        told = [f"{state}: {self._told(shares)}" for state, shares in rows]
        self.setAccessibleName("; ".join(told) or "Shares of components")
        self.updateGeometry()
        self.update()

    def _told(self, shares: Sequence[float]) -> str:
        parts = zip(self._names, shares, strict=True)
        return ", ".join(f"{name} {percent(share)} %" for name, share in parts)

    def _row_count(self) -> int:
        return len(self._rows)

    def tip_at(self, place: QPoint) -> str | None:
        row = place.y() // self._row_height()
        if not 0 <= row < len(self._rows):
            return None
        state, shares = self._rows[row]
        return f"{state}: {self._told(shares)}"

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look = QPainter(self), theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, height = self.width() * _NAME_SHARE, self._row_height()
        for row, (state, shares) in enumerate(self._rows):
            place = QRectF(0, row * height, self.width(), height)
            painter.setFont(look.font("dense"))
            painter.setPen(look.color("text"))
            self._paint_name(painter, place, state, left)
            x, room = left, self.width() - left
            painter.setFont(look.font("micro", "semibold"))
            for number, share in enumerate(shares):
                part = QRectF(x, place.center().y() - 7, room * share, 14)
                x += part.width()
                painter.setPen(Qt.PenStyle.NoPen)
                fill = look.category(number, "line")
                painter.setBrush(fill)
                painter.drawRoundedRect(part.adjusted(0.5, 0, -0.5, 0), 2, 2)
                if part.width() >= _LEAST_NUMBERED:
                    painter.setPen(_ink_on(fill))
                    painter.drawText(part, Qt.AlignmentFlag.AlignCenter, str(number + 1))


def _ink_on(ground: QColor) -> QColor:
    """Dark on light, light on dark."""
    surface, text = theme().color("surface"), theme().color("text")
    light, dark = (surface, text) if surface.lightnessF() > text.lightnessF() else (text, surface)
    bright = 0.299 * ground.redF() + 0.587 * ground.greenF() + 0.114 * ground.blueF()
    return dark if bright > 0.6 else light
