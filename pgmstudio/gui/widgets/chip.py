"""Chip: a short text on a tinted background with an icon."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from pgmstudio.core.inference.findings import Chip
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme

ICON = 12  # px at 100 %
_CATEGORY = "category"
_CATEGORY_TINT = 0.3
# Background and text where they are not called after the tint.
_COLORS = {"neutral": ("sunken", "text_secondary"), "success": ("do_soft", "success_ink")}


def category_chip(text: str, number: int) -> Chip:
    """The chip of the n-th class, state or component, outlined in its colour."""
    return Chip(text, "", f"{_CATEGORY}{number}")


def category_tint(number: int) -> QColor:
    """The soft colour of a class; its letter identifies it as well."""
    tint = theme().category(number)
    tint.setAlphaF(_CATEGORY_TINT)
    return tint


def _icon_size() -> int:
    return round(ICON * theme().scale)


@lru_cache(maxsize=64)
def _drawn(name: str, tint: str, shade: str, size: int, ratio: float) -> QPixmap:
    """Drawing an icon afresh takes longer than the rest of a row."""
    return icon(name, f"{tint}_ink").pixmap(QSize(size, size), ratio)


def chip_size(chip: Chip, max_width: int | None = None) -> QSize:
    """Size hint of a chip; `max_width` elides its text."""
    metrics = QFontMetrics(theme().font("caption", "semibold"))
    width = metrics.horizontalAdvance(chip.text) + 14 + (_icon_size() + 3 if chip.icon else 0)
    if max_width is not None:
        width = min(width, max_width)
    return QSize(width, metrics.height() + 4)


def paint_chip(painter: QPainter, rect: QRect, chip: Chip, *, is_selected: bool = False) -> None:
    """Draw a chip into a rectangle as `chip_size` wants it; `is_selected`: in a selected row."""
    font = theme().font("caption", "semibold")
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    if chip.tint.startswith(_CATEGORY):
        number = int(chip.tint.removeprefix(_CATEGORY))
        painter.setPen(theme().category(number))
        painter.setBrush(category_tint(number))
        ink = theme().color("text")
    else:
        fallback = (f"{chip.tint}_soft", f"{chip.tint}_ink")
        soft, ink_name = _COLORS.get(chip.tint, fallback)
        painter.setBrush(theme().color("surface" if is_selected else soft))
        ink = theme().color(ink_name)
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
    text = QFontMetrics(font).elidedText(chip.text, Qt.TextElideMode.ElideMiddle, space.width() + 1)
    painter.drawText(space, int(Qt.AlignmentFlag.AlignVCenter), text)
    painter.restore()


class ChipLabel(QWidget):
    """A chip as a widget, at most `max_width` px wide at 100 %; hidden without one."""

    def __init__(self, name: str, max_width: int | None = None) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._max_width = max_width
        self._chip: Chip | None = None
        self.hide()

    @property
    def chip(self) -> Chip | None:
        return self._chip

    def show_chip(self, chip: Chip | None, tip: str = "") -> None:
        if chip != self._chip:
            self._chip = chip
            self.setAccessibleName("" if chip is None else chip.text)
            self.updateGeometry()
            self.update()
        self.setToolTip(tip or ("" if chip is None else chip.text))
        self.setVisible(chip is not None)

    def sizeHint(self) -> QSize:
        if self._chip is None:
            return QSize(0, 0)
        most = None if self._max_width is None else round(self._max_width * theme().scale)
        return chip_size(self._chip, most)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._chip is not None:
            paint_chip(QPainter(self), self.rect(), self._chip)
