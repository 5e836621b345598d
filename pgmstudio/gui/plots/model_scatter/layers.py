"""Layers of a scatter plot, drawn in pixels and cached as pixmaps: markers, lines, rings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QLineF,
    QPoint,
    QPointF,
    QRectF,
    QSizeF,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import (
    QGraphicsObject,
    QStyleOptionGraphicsItem,
    QWidget,
)

from pgmstudio.gui.theme.language_symbols import mark_path
from pgmstudio.gui.theme.theme import theme

Floats = NDArray[np.float64]

# From so many marks on they are drawn at whole px, and one of those at the same position.
MANY = 400
_SEAM = 3.0  # px around text
_FAR = 2.0**30  # limit of the coordinates of Qt


@dataclass(frozen=True)
class Frame:
    """The visible range: `seen` in data coordinates, `area` in px of the scene."""

    seen: QRectF = field(default_factory=lambda: QRectF(0, 0, 1, 1))
    area: QRectF = field(default_factory=QRectF)

    def across(self, xs: Floats) -> Floats:
        """Px from the left of the scene."""
        scale = self.area.width() / max(self.seen.width(), 1e-12)
        return np.clip((xs - self.seen.left()) * scale + self.area.left(), -_FAR, _FAR)

    def down(self, ys: Floats) -> Floats:
        """Px from the top of the scene."""
        scale = self.area.height() / max(self.seen.height(), 1e-12)
        return np.clip(self.area.bottom() - (ys - self.seen.top()) * scale, -_FAR, _FAR)


class CachedShape(QGraphicsObject):
    """Graphics item that is cached as a pixmap on screen and drawn as shapes in files."""

    def __init__(self, z: float) -> None:
        super().__init__()
        self._pixmap: QPixmap | None = None
        self._ratio = 1.0
        self.setZValue(z)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def draw(self, painter: QPainter, on_screen: bool) -> None:
        """Draw the whole item, in px of the item."""

    def changed(self) -> None:
        """Discard the pixmap and draw again."""
        self._pixmap = None
        self.update()

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        whole = self.boundingRect()
        if widget is None:
            painter.setClipRect(whole)
            self.draw(painter, False)
            return
        ratio, area = widget.devicePixelRatioF(), whole.toAlignedRect()
        if self._pixmap is None or ratio != self._ratio:
            self._ratio = ratio
            self._pixmap = self._picture(whole, area.topLeft(), area.size() * ratio)
        painter.drawPixmap(area.topLeft(), self._pixmap)

    def _picture(self, whole: QRectF, corner: QPoint, size: Any) -> QPixmap:
        picture = QPixmap(size)
        picture.setDevicePixelRatio(self._ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.translate(-corner)
        painter.setClipRect(whole)
        self.draw(painter, True)
        painter.end()
        return picture


class Layer(CachedShape):
    """Graphics item that covers the plot inside its axes."""

    def __init__(self, z: float) -> None:
        super().__init__(z)
        self.frame = Frame()

    def set_frame(self, frame: Frame) -> None:
        """Show another visible range."""
        if frame != self.frame:
            self.prepareGeometryChange()
            self.frame = frame
            self.changed()

    def boundingRect(self) -> QRectF:
        return self.frame.area

    def at(self, x: float, y: float) -> QPointF:
        """Position of data coordinates, in px."""
        return QPointF(*(float(v[0]) for v in self._px(np.array([x]), np.array([y]))))

    def _px(self, xs: Floats, ys: Floats) -> tuple[Floats, Floats]:
        return self.frame.across(xs), self.frame.down(ys)


class DotLook(NamedTuple):
    """Style of marks of one kind; colours as integers, so that it can be a cache key."""

    symbol: str
    size: float
    line: int
    width: float
    fill: int


def dot_look(symbol: str, size: float, line: QColor, width: float, fill: QColor) -> DotLook:
    """The style of marks from Qt's colours."""
    return DotLook(symbol, size, line.rgba(), width, fill.rgba())


@dataclass(frozen=True, eq=False)
class Stroke:
    """A polyline; it is broken where a coordinate is not finite."""

    xs: Floats
    ys: Floats
    pen: QPen
    is_smooth: bool = True


@dataclass(frozen=True, eq=False)
class Dots:
    xs: Floats
    ys: Floats
    look: DotLook


@dataclass(frozen=True, eq=False)
class Bars:
    """Upright lines from `low` to `high`."""

    xs: Floats
    low: Floats
    high: Floats
    pen: QPen


class MarksLayer(Layer):
    """Layer of lines, error bars over them and marks on top, each in the given order."""

    def __init__(self, z: float = 10) -> None:
        super().__init__(z)
        self.strokes: Sequence[Stroke] = ()
        self.bars: Sequence[Bars] = ()
        self.dots: Sequence[Dots] = ()

    def show_marks(
        self,
        strokes: Sequence[Stroke],
        dots: Sequence[Dots],
        bars: Sequence[Bars] = (),
    ) -> None:
        self.strokes, self.dots, self.bars = strokes, dots, bars
        self.changed()

    def draw(self, painter: QPainter, on_screen: bool) -> None:
        for stroke in self.strokes:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, stroke.is_smooth)
            draw_stroke(painter, *self._px(stroke.xs, stroke.ys), stroke.pen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for bars in self.bars:
            self._draw_bars(painter, bars)
        is_many = sum(len(dots.xs) for dots in self.dots) > MANY
        for dots in self.dots:
            xs, ys = self._in_sight(dots)
            if on_screen:
                self._stamp(painter, xs, ys, dots.look, is_many)
            else:
                _draw_dots(painter, xs, ys, dots.look)

    def _in_sight(self, dots: Dots) -> tuple[Floats, Floats]:
        (xs, ys), area, far = self._px(dots.xs, dots.ys), self.frame.area, dots.look.size
        is_in = (xs > area.left() - far) & (xs < area.right() + far)
        is_in &= (ys > area.top() - far) & (ys < area.bottom() + far)  # nowhere: not in sight
        return xs[is_in], ys[is_in]

    def _draw_bars(self, painter: QPainter, bars: Bars) -> None:
        xs, low = self._px(bars.xs, bars.low)
        ends = zip(xs.tolist(), low.tolist(), self.frame.down(bars.high).tolist(), strict=True)
        painter.setPen(bars.pen)
        painter.drawLines([QLineF(x, begin, x, end) for x, begin, end in ends])

    def _stamp(
        self, painter: QPainter, xs: Floats, ys: Floats, look: DotLook, is_many: bool
    ) -> None:
        """Draw each mark as the same pixmap."""
        ratio, small = self._ratio, _small_picture(look, self._ratio)
        corner = painter.transform().map(QPointF(0, 0)) * ratio
        xs, ys = xs * ratio + corner.x(), ys * ratio + corner.y()
        if is_many:
            half = small.width() % 2 / 2  # so that its px fall on those of the screen
            xs, ys = np.floor(xs) + half, np.floor(ys) + half
            _, own = np.unique(xs * 65536 + ys, return_index=True)
            xs, ys = xs[own], ys[own]
        if len(xs):
            painter.save()
            painter.resetTransform()
            painter.scale(1 / ratio, 1 / ratio)
            _draw_fragments(painter, xs, ys, small)
            painter.restore()


def draw_stroke(painter: QPainter, xs: Floats, ys: Floats, pen: QPen) -> None:
    """Draw a polyline in px, broken where a coordinate is not finite."""
    from pyqtgraph.functions import arrayToQPolygonF

    painter.setPen(pen)
    unknown = np.flatnonzero(~(np.isfinite(xs) & np.isfinite(ys)))
    for begin, end in zip([0, *(unknown + 1)], [*unknown, len(xs)], strict=True):
        if end - begin > 1:
            painter.drawPolyline(arrayToQPolygonF(xs[begin:end], ys[begin:end]))


def _draw_fragments(painter: QPainter, xs: Floats, ys: Floats, picture: QPixmap) -> None:
    """Draw one pixmap centred at many positions."""
    from pyqtgraph.Qt import internals

    fragments = internals.PrimitiveArray(QPainter.PixmapFragment, 10)
    fragments.resize(len(xs))
    numbers = fragments.ndarray()
    numbers[:, 0], numbers[:, 1] = xs, ys
    numbers[:, 2:] = (0, 0, picture.width(), picture.height(), 1, 1, 0, 1)
    painter.drawPixmapFragments(*fragments.drawargs(), picture)  # type: ignore[call-arg]


@lru_cache(maxsize=64)
def _small_picture(look: DotLook, ratio: float) -> QPixmap:
    wide = int(np.ceil((look.size * 1.3 + look.width + 1) * ratio))
    picture = QPixmap(wide, wide)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.translate(wide / 2, wide / 2)
    painter.scale(ratio, ratio)
    _draw_dots(painter, np.zeros(1), np.zeros(1), look)
    painter.end()
    return picture


def _draw_dots(painter: QPainter, xs: Floats, ys: Floats, look: DotLook) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(QColor.fromRgba(look.line), look.width)
    painter.setPen(pen)
    painter.setBrush(QColor.fromRgba(look.fill))
    outline = _outline(look.symbol, look.size)
    for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
        painter.drawPath(outline.translated(x, y))
    painter.setBrush(Qt.BrushStyle.NoBrush)


@lru_cache(maxsize=32)
def _outline(symbol: str, size: float) -> QPainterPath:
    from PySide6.QtGui import QTransform

    return QTransform.fromScale(size, size).map(mark_path(symbol))


@dataclass(frozen=True, eq=False)
class HighlightRings:
    """Rings around positions; squares with `is_square`."""

    xs: Floats
    ys: Floats
    size: float
    pen: QPen
    is_square: bool = False


class RingsLayer(Layer):
    """Rings and lines by their names: few, and drawn each time."""

    def __init__(self, z: float) -> None:
        super().__init__(z)
        self._rings: dict[str, HighlightRings] = {}
        self._lines: dict[str, tuple[Stroke, str]] = {}
        self._clear: list[QRectF] = []

    def ring(self, name: str, rings: HighlightRings | None) -> None:
        """Draw these instead of those of the same name; None: no more."""
        _put(self._rings, name, rings)
        self.update()

    def line(self, name: str, line: Stroke | None, text: str = "") -> None:
        """The same for a line, with a text above one of its ends."""
        _put(self._lines, name, None if line is None else (line, text))
        self.update()

    def keep_clear(self, areas: list[QRectF]) -> None:
        """Draw no text in these areas: something covers them."""
        self._clear = areas
        self.update()

    def ring_positions(self, name: str) -> list[tuple[float, float]]:
        """Positions of the rings of that name, in data coordinates."""
        rings = self._rings.get(name)
        return [] if rings is None else list(zip(rings.xs, rings.ys, strict=True))

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        painter.setClipRect(self.boundingRect())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line, _text in self._lines.values():
            draw_stroke(painter, *self._px(line.xs, line.ys), line.pen)
        for line, text in self._lines.values():  # over all lines: another one may cross them
            if text:
                self._draw_line_label(painter, line, text)
        for rings in self._rings.values():
            painter.setPen(rings.pen)
            half = rings.size / 2
            draw = painter.drawRect if rings.is_square else painter.drawEllipse
            for x, y in zip(*self._px(rings.xs, rings.ys), strict=True):
                draw(QRectF(float(x) - half, float(y) - half, rings.size, rings.size))

    def _draw_line_label(self, painter: QPainter, line: Stroke, text: str) -> None:
        metrics = QFontMetricsF(font := theme().font("caption"))
        rect = self.label_rect(line, metrics.size(0, text))
        if rect is not None:
            at = rect.bottomLeft() - QPointF(0, metrics.descent())
            draw_label(painter, at, text, font, line.pen.color())

    def label_rect(self, line: Stroke, size: QSizeF) -> QRectF | None:
        """Above the right end of the line or, where something lies over that, the left one."""
        start, end = (self.at(float(line.xs[k]), float(line.ys[k])) for k in (0, -1))
        for left, y in ((end.x() - 6 - size.width(), end.y()), (start.x() + 6, start.y())):
            rect = QRectF(QPointF(left, y - 2 - size.height()), size)
            if not any(rect.intersects(other) for other in self._clear):
                return rect
        return None


def draw_label(painter: QPainter, at: QPointF, text: str, font: QFont, ink: QColor) -> None:
    """Draw a text on its base line, with an outline that separates it from lines below."""
    seam = QPen(theme().color("surface", 0.85), _SEAM)
    seam.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    path = QPainterPath()
    path.addText(at, font, text)
    painter.strokePath(path, seam)
    painter.fillPath(path, ink)


def _put(among: dict[str, Any], name: str, value: object | None) -> None:
    if value is None:
        among.pop(name, None)
    else:
        among[name] = value
