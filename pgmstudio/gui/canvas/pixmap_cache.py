"""Pixels of a part of a picture that stays as it is while the pointer wanders over it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap, QTransform

from pgmstudio.gui.theme.theme import theme

_Key = tuple[QTransform, QRect, str, float]


class PixmapCache:
    """Painted once for each place and zoom on the screen, then only copied."""

    def __init__(self) -> None:
        self._key: _Key | None = None
        self._pixels: QPixmap | None = None

    def forget(self) -> None:
        """What they show has changed."""
        self._key = self._pixels = None

    def paint(
        self, painter: QPainter, bounds: QRectF, draw: Callable[[QPainter, QRectF], None]
    ) -> None:
        """Show what `draw` paints of the part of `bounds` that is on the screen."""
        world, device = painter.worldTransform(), painter.device()
        ratio = device.devicePixelRatio()
        screen = QRect(0, 0, device.width(), device.height())
        position = world.mapRect(bounds).toAlignedRect() & screen
        if position.isEmpty():
            return
        key = (world, position, theme().shade, ratio)
        if key != self._key or self._pixels is None:
            pixels = QPixmap(position.size() * ratio)
            pixels.setDevicePixelRatio(ratio)
            pixels.fill(Qt.GlobalColor.transparent)
            inner = QPainter(pixels)
            inner.setRenderHints(painter.renderHints())
            inner.translate(-position.topLeft())
            inner.setWorldTransform(world, True)
            back, _ = world.inverted()
            draw(inner, back.mapRect(QRectF(position)))
            inner.end()
            self._key, self._pixels = key, pixels
        painter.save()
        painter.resetTransform()
        painter.drawPixmap(position.topLeft(), self._pixels)
        painter.restore()
