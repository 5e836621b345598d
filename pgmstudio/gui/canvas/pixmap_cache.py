"""A pixel cache for a part of a picture that does not change while the pointer moves."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap, QTransform

from pgmstudio.gui.theme.theme import theme

_Key = tuple[QTransform, QRect, str, float]


class PixmapCache:
    """Pixels painted once for each position and zoom, then copied."""

    def __init__(self) -> None:
        self._key: _Key | None = None
        self._pixels: QPixmap | None = None

    def forget(self) -> None:
        """Drop the pixels after a change of the picture."""
        self._key = self._pixels = None

    def paint(
        self, painter: QPainter, bounds: QRectF, draw: Callable[[QPainter, QRectF], None]
    ) -> None:
        """Paint, through the cache, what `draw` paints in the visible part of `bounds`."""
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
