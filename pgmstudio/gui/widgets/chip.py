"""Chip: a short text on a tinted background with an icon."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from pgmstudio.core.inference.finding_text import Chip
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme

ICON = 12  # px at 100 %


def _icon_size() -> int:
    return round(ICON * theme().scale)


@lru_cache(maxsize=64)
def _drawn(name: str, tint: str, shade: str, size: int, ratio: float) -> QPixmap:
    """Drawing an icon afresh takes longer than the rest of a row."""
    return icon(name, f"{tint}_ink").pixmap(QSize(size, size), ratio)


def chip_size(chip: Chip, most_width: int | None = None) -> QSize:
    """Size hint of a chip; `most_width` elides its text."""
    metrics = QFontMetrics(theme().font("caption", "semibold"))
    width = metrics.horizontalAdvance(chip.words) + 14 + (_icon_size() + 3 if chip.icon else 0)
    if most_width is not None:
        width = min(width, most_width)
    return QSize(width, metrics.height() + 4)


def paint_chip(painter: QPainter, rect: QRect, chip: Chip) -> None:
    """Draw a chip into a rectangle as `chip_size` wants it."""
    font = theme().font("caption", "semibold")
    ink = theme().color(f"{chip.tint}_ink")
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color(f"{chip.tint}_soft"))
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    left = rect.left() + 7
    if chip.icon:
        size = _icon_size()
        at = QRect(left, rect.center().y() - size // 2 + 1, size, size)
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(at, _drawn(chip.icon, chip.tint, theme().shade, size, ratio))
        left += size + 3
    painter.setFont(font)
    painter.setPen(ink)
    space = QRect(left, rect.top(), rect.right() - 6 - left, rect.height())
    text = QFontMetrics(font).elidedText(
        chip.words, Qt.TextElideMode.ElideMiddle, space.width() + 1
    )
    painter.drawText(space, int(Qt.AlignmentFlag.AlignVCenter), text)
    painter.restore()


class ChipLabel(QWidget):
    """A chip as a widget; hidden without one."""

    def __init__(self, name: str, most_width: int | None = None) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._most_width = most_width
        self._chip: Chip | None = None
        self.hide()

    @property
    def chip(self) -> Chip | None:
        return self._chip

    def show_chip(self, chip: Chip | None, tip: str = "") -> None:
        if chip != self._chip:
            self._chip = chip
            self.setAccessibleName("" if chip is None else chip.words)
            self.updateGeometry()
            self.update()
        self.setToolTip(tip or ("" if chip is None else chip.words))
        self.setVisible(chip is not None)

    def sizeHint(self) -> QSize:
        return QSize(0, 0) if self._chip is None else chip_size(self._chip, self._most_width)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._chip is not None:
            paint_chip(QPainter(self), self.rect(), self._chip)
