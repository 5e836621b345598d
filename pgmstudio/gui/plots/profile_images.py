"""Components as images, where the variables are pixels, with the edges of their trees."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen, QResizeEvent

from pgmstudio.core.pictures.image_grid import (
    CELL,
    GAP,
    HEAD,
    MARGIN,
    Images,
    edge_stroke,
    shade_step,
)
from pgmstudio.core.pictures.svg_nodes import percent
from pgmstudio.gui.plots.heat_map import STEPS
from pgmstudio.gui.plots.profile_plot import ProfilePlot
from pgmstudio.gui.style.theme import theme

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LOW = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom
# Few images grow with the page, up to so many times their size.
_MOST_ZOOM = 2.5


class ProfileImages(ProfilePlot):
    """As many images side by side as fit; below each other it scrolls."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setAccessibleName("Components as images")
        self._images: Images | None = None

    @property
    def images(self) -> Images | None:
        return self._images

    def show_images(self, images: Images) -> None:
        self._images = images
        told = [f"{n} {percent(s)} %" for n, s in zip(images.names, images.shares, strict=True)]
        self.setAccessibleName("Images: " + ", ".join(told))
        self._fit()

    def _fit(self) -> None:
        """Higher than what can be seen, when not all images fit."""
        room = self._room()
        height = self._page(*self._layout_in(room)).height()
        self.setMinimumHeight(round(height) if height > room.height() else 0)
        self.update()

    def _room(self) -> QSizeF:
        """What can be seen without scrolling."""
        seen = self.parentWidget()
        return QSizeF(self.width(), seen.height() if seen is not None else self.height())

    def _layout_in(self, room: QSizeF) -> tuple[int, float]:
        """How many images stand side by side, and how large: all in sight, if that can be."""
        images, scale = self._images, theme().scale
        if images is None:
            return 1, scale
        best = (1, 0.0)
        for across in range(1, len(images.names) + 1):
            width, height = images.size(across)
            zoom = min(room.width() / width, (room.height() - self._foot()) / height)
            if zoom > best[1]:
                best = across, zoom
        if best[1] >= scale:
            return best[0], min(best[1], _MOST_ZOOM * scale)
        each = (images.grid.columns * CELL + GAP) * scale
        fitting = int((room.width() - (2 * MARGIN - GAP) * scale) // each)
        return max(1, min(len(images.names), fitting)), scale

    def _foot(self) -> float:
        lines = 0 if self._images is None else len(self._images.legend(""))
        return lines * (QFontMetricsF(theme().font("caption")).height() + 2) + 8

    def _page(self, across: int, zoom: float) -> QSizeF:
        if self._images is None:
            return QSizeF(200, 100)
        width, height = self._images.size(across)
        return QSizeF(width * zoom, height * zoom + self._foot())

    def minimumSizeHint(self) -> QSize:
        return QSize(round(self._page(1, theme().scale).width()), 160)

    def size_of_picture(self) -> QSizeF:
        across = 1 if self._images is None else self._images.across
        return self._page(across, theme().scale)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paint_on(self, painter: QPainter, size: QSizeF) -> None:
        found = self._images
        if found is None:
            return
        look = theme()
        across, zoom = self._layout_in(self._room() if size == QSizeF(self.size()) else size)
        painter.save()
        painter.scale(zoom, zoom)
        cells = [
            (pixel, column * CELL, row * CELL) for pixel, (row, column) in found.grid.places.items()
        ]
        for number, name in enumerate(found.names):
            x, y = found.corner(number, across)
            self._paint_head(painter, number, name, QPointF(x, y), found, zoom)
            for pixel, right, down in cells:
                shade = look.sequential(shade_step(float(found.values[pixel][number]), STEPS))
                box = QRectF(x + right, y + down, CELL - 1, CELL - 1)
                painter.fillRect(box, shade)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for edge, bits in found.edges[number].items():
                start, bend, end = (QPointF(*at) for at in found.route(number, edge, across))
                line = QPainterPath(start)
                line.quadTo(bend, end)
                width = edge_stroke(bits) * look.scale / zoom  # as wide on every page
                painter.setPen(QPen(look.color("evidence"), width))
                painter.drawPath(line)
        painter.restore()
        painter.setFont(look.font("caption"))
        painter.setPen(look.color("text_secondary"))
        line_height = QFontMetricsF(painter.font()).height() + 2
        y = self._page(across, zoom).height() - self._foot()
        for place, words in enumerate(
            found.legend("Lighter" if look.shade == "dark" else "Darker")
        ):
            box = QRectF(MARGIN * zoom, y + place * line_height, size.width(), line_height)
            painter.drawText(box, _LEFT, words)

    def _paint_head(
        self,
        painter: QPainter,
        number: int,
        name: str,
        corner: QPointF,
        found: Images,
        zoom: float,
    ) -> None:
        """In letters of the usual size, however large the image is."""
        look = theme()
        font = look.font("dense", "medium")
        painter.save()
        painter.setFont(font)
        painter.translate(corner)
        painter.scale(1 / zoom, 1 / zoom)
        painter.setPen(look.color("text"))
        prior = found.shares[number]
        told = self._share_words(prior, self._posterior[number] if self._posterior else prior)
        wide = found.grid.columns * CELL * zoom
        room = QRectF(0, -HEAD * zoom, wide, (HEAD - 4) * zoom)
        metrics = QFontMetricsF(font)
        left = wide - metrics.horizontalAdvance(f"  {told}")
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, max(24.0, left))
        painter.drawText(room.adjusted(0, 0, GAP * zoom, 0), _LOW, f"{shown}  {told}")
        painter.restore()

    def words_at(self, place: QPointF) -> str:
        """The pixel under the pointer in words."""
        found = self._images
        if found is None:
            return ""
        across, zoom = self._layout_in(self._room())
        for number, name in enumerate(found.names):
            x, y = found.corner(number, across)
            column, row = (place.x() / zoom - x) // CELL, (place.y() / zoom - y) // CELL
            for pixel, at in found.grid.places.items():
                if at == (row, column):
                    value = percent(float(found.values[pixel][number]))
                    near = [
                        f"{a if b == pixel else b} ({bits:.2f} bits)"
                        for (a, b), bits in found.edges[number].items()
                        if pixel in (a, b)
                    ]
                    joined = f"\nJoined with {', '.join(near)}" if near else ""
                    return f"{name}: {pixel}, {value} % of the way to its last state{joined}"
        return ""
