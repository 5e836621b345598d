"""Items of charts: pyqtgraph's lines, marks, boxes and images, texts, and the visible range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QTransform,
)
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsPathItem,
    QStyleOptionGraphicsItem,
    QWidget,
)

from pgmstudio.core.arrays import Floats
from pgmstudio.gui.theme.language_symbols import mark_path
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import paint_hatched

MANY = 400  # from so many marks on they are small
_FAR = 2.0**30  # limit of the coordinates of Qt
_ROOM = 1.3  # pyqtgraph draws a symbol in a square of its size; the corners of some are outside


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

    def point(self, x: float, y: float) -> QPointF:
        """Px of the scene of a position in data coordinates."""
        right = (x - self.seen.left()) * self.area.width() / max(self.seen.width(), 1e-12)
        up = (y - self.seen.top()) * self.area.height() / max(self.seen.height(), 1e-12)
        return QPointF(self.area.left() + right, self.area.bottom() - up)

    def rect(self, x: float, y: float, width: float, height: float) -> QRectF:
        """Px of the scene of a rectangle in data coordinates, from its lower left corner."""
        return QRectF(self.point(x, y), self.point(x + width, y + height)).normalized()

    def value(self, position: QPointF) -> tuple[float, float]:
        """Data coordinates of a position on the scene."""
        across = (position.x() - self.area.left()) / max(self.area.width(), 1e-12)
        up = (self.area.bottom() - position.y()) / max(self.area.height(), 1e-12)
        return (
            self.seen.left() + across * self.seen.width(),
            self.seen.top() + up * self.seen.height(),
        )


class Text:
    """Text in a box of px, cut where it is too long; turned, it reads from below."""

    __slots__ = ("box", "font", "ink", "is_turned", "shown", "side")

    def __init__(
        self,
        box: QRectF,
        text: str,
        *,
        ink: str | QColor = "text",
        font: QFont | None = None,
        side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignHCenter,
        cut: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        is_turned: bool = False,
    ) -> None:
        self.box, self.is_turned = box, is_turned
        self.ink = theme().color(ink) if isinstance(ink, str) else ink
        self.font = font or theme().font("caption")
        self.side = side | Qt.AlignmentFlag.AlignVCenter
        room = box.height() if is_turned else box.width()
        self.shown = QFontMetricsF(self.font).elidedText(text, cut, room + 0.5)


class PlotItems:
    """Items of a plot by name: made when first drawn, then given new data.

    Lines, marks, boxes and images are in data coordinates; frames and texts in px of the scene.
    """

    def __init__(self, view: Any, *, has_bounds: bool = False) -> None:
        self._view = view
        self._has_bounds = has_bounds  # whether the view is fitted to the items
        self._items: dict[str, Any] = {}
        self._drawn: dict[str, tuple[Any, ...]] = {}
        self._names: set[str] = set()

    def line(
        self,
        name: str,
        xs: Floats,
        ys: Floats,
        pen: QPen,
        z: float,
        *,
        is_smooth: bool = True,
        connect: str = "finite",
    ) -> None:
        """Draw a polyline, broken where a coordinate is not finite; `pairs`: every second part."""
        if self._is_new(name, xs, ys, pen, is_smooth):
            bounded = QPen(pen)
            bounded.setCosmetic(True)  # its width counts in px, not in units of the axes
            item = self._item(name, 0, z)
            item.setData(xs, ys, pen=bounded, antialias=is_smooth, connect=connect)

    def marks(
        self,
        name: str,
        xs: Floats,
        ys: Floats,
        z: float,
        *,
        symbol: str = "o",
        size: float,
        ink: QColor,
        width: float,
        fill: QColor | None = None,
    ) -> None:
        """Draw marks, `size` px wide; without a colour to fill them they are rings."""
        pen = _mark_pen(ink.rgba(), width / (size * _ROOM))
        brush = _mark_brush(0 if fill is None else fill.rgba())
        look = _symbol(symbol), size * _ROOM, pen, brush
        if self._is_new(name, xs, ys, *look):
            known = np.isfinite(xs) & np.isfinite(ys)
            style = dict(zip(("symbol", "size", "pen", "brush"), look, strict=True))
            self._item(name, 1, z).setData(xs[known], ys[known], **style)

    def boxes(
        self,
        name: str,
        xs: tuple[ArrayLike, ArrayLike],
        ys: tuple[ArrayLike, ArrayLike],
        z: float,
        *,
        fill: QColor | None = None,
        ink: QColor | None = None,
        width: float = 1.0,
        is_hatched: bool = False,
        least: float = 0.0,
        inset: float = 0.0,
        in_px: bool = False,
    ) -> None:
        """Draw boxes from their two ends; each side at least `least` px, then `inset` at all.

        With `in_px` the ends are px of the scene.
        """
        (x0, x1), (y0, y1) = (
            tuple(np.atleast_1d(np.asarray(end, dtype=float)) for end in ends) for ends in (xs, ys)
        )
        pen = QPen(Qt.PenStyle.NoPen) if ink is None else QPen(ink, width)
        brush = QBrush(Qt.BrushStyle.NoBrush) if fill is None else QBrush(fill)
        look = pen, brush, is_hatched, least, inset
        if self._is_new(name, np.concatenate((x0, x1)), np.concatenate((y0, y1)), *look):
            item = self._item(name, 6 if in_px else 2, z)
            item.is_hatched, item.least, item.inset = is_hatched, least, inset
            item.setOpts(x0=x0, x1=x1, y0=y0, y1=y1, pen=pen, brush=brush)

    def cells(
        self,
        name: str,
        steps: NDArray[np.uint8],
        colors: Sequence[QColor],
        z: float,
        *,
        at: QRectF | None = None,
        gap: float = 1.0,
    ) -> None:
        """Draw a matrix, a cell 1 × 1 from 0 on to the right and down; `steps` index `colors`.

        With `at` it fills that rectangle; `gap` are px between the cells.
        """
        rows, columns = steps.shape
        rect = QRectF(0, -rows, columns, rows) if at is None else at
        if gap:
            (left, right), (low, high) = (rect.left(), rect.right()), (rect.top(), rect.bottom())
            across = np.repeat(np.linspace(left, right, columns + 1), 2)
            up = np.repeat(np.linspace(low, high, rows + 1), 2)
            xs = np.concatenate((across, np.tile((left, right), rows + 1)))
            ys = np.concatenate((np.tile((low, high), columns + 1), up))
            pen = QPen(theme().color("surface"), gap)
            self.line(f"{name} gaps", xs, ys, pen, z + 0.5, is_smooth=False, connect="pairs")
        table = np.array([color.getRgb() for color in colors], dtype=np.uint8)
        if self._is_new(name, steps, table, rect):
            # Of a view the y axis goes up, of an image down.
            self._item(name, 3, z).setImage(table[steps[::-1]], levels=None, rect=rect)

    def shape(
        self,
        name: str,
        path: QPainterPath,
        z: float,
        *,
        ink: QPen | None = None,
        fill: QColor | None = None,
    ) -> None:
        """Draw an outline in px of the scene, also beyond the axes."""
        pen = ink or QPen(Qt.PenStyle.NoPen)
        if self._is_new(name, _NONE, _NONE, path, pen, fill):
            item = self._item(name, 4, z)
            item.setPath(path)
            item.setPen(pen)
            item.setBrush(QBrush(Qt.BrushStyle.NoBrush) if fill is None else QBrush(fill))

    def frame(
        self,
        name: str,
        rect: QRectF,
        z: float,
        *,
        ink: QPen | None = None,
        fill: QColor | None = None,
        radius: float = 0.0,
    ) -> None:
        """Draw a box in px of the scene, also beyond the axes."""
        path = QPainterPath()
        path.addRoundedRect(rect, radius, radius)
        self.shape(name, path, z, ink=ink, fill=fill)

    def texts(self, name: str, texts: Sequence[Text], z: float, clip: QRectF | None = None) -> None:
        """Draw texts in px of the scene, only where they are in `clip`."""
        self._names.add(name)
        self._drawn[name] = ()
        self._item(name, 5, z).set_texts(texts, clip)

    def shown_texts(self, name: str) -> list[str]:
        """The texts of that name as they are drawn, perhaps cut."""
        return [text.shown for text in self._items[name].texts] if name in self._items else []

    def remove(self, name: str) -> None:
        """Draw the item of that name no more."""
        if name in self._items:
            item = self._items.pop(name)
            if item.parentItem() is None:
                item.scene().removeItem(item)
            else:
                self._view.removeItem(item)
            del self._drawn[name]

    def remove_unused(self) -> None:
        """Remove the items that have not been drawn since the last call."""
        for name in set(self._items) - self._names:
            self.remove(name)
        self._names = set()

    def positions(self, name: str) -> list[tuple[float, float]]:
        """Data coordinates of the marks or line of that name."""
        if name not in self._items:
            return []
        xs, ys = self._items[name].getData()
        return list(zip(xs.tolist(), ys.tolist(), strict=True))

    def _is_new(self, name: str, xs: NDArray[Any], ys: NDArray[Any], *look: object) -> bool:
        """Whether something else is to be drawn than now: while points arrive most curves stay."""
        self._names.add(name)
        before = self._drawn.get(name)
        self._drawn[name] = (look, xs, ys)
        return not before or not (
            before[0] == look
            and np.array_equal(before[1], xs, equal_nan=True)
            and np.array_equal(before[2], ys, equal_nan=True)
        )

    def _item(self, name: str, kind: int, z: float) -> Any:
        if name not in self._items:
            item = self._items[name] = _item_types()[kind]()
            item.setZValue(z)
            if kind in _IN_PX:
                self._view.scene().addItem(item)
            else:
                self._view.addItem(item, ignoreBounds=not self._has_bounds)
        return self._items[name]


_IN_PX = (4, 5, 6)
_NONE: Floats = np.zeros(0)


class TextItem(QGraphicsItem):
    """All texts of one kind. Not an item each: a matrix has hundreds."""

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.texts: tuple[Text, ...] = ()
        self._area = QRectF()
        self._clip: QRectF | None = None

    def set_texts(self, texts: Sequence[Text], clip: QRectF | None) -> None:
        self.prepareGeometryChange()
        self._clip = clip
        self.texts = tuple(text for text in texts if text.shown)
        self._area = QRectF()
        for text in self.texts:
            self._area |= text.box.adjusted(-40, -8, 40, 8)
        self.update()

    def boundingRect(self) -> QRectF:
        return self._area

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        overflow = Qt.TextFlag.TextDontClip
        if self._clip is not None:
            painter.setClipRect(self._clip)
        for text in self.texts:
            painter.setFont(text.font)
            painter.setPen(text.ink)
            box = text.box
            if text.is_turned:
                painter.save()
                painter.translate(box.bottomLeft())
                painter.rotate(-90)
                box = QRectF(QPointF(), QSizeF(box.height(), box.width()))
            painter.drawText(box, text.side | overflow, text.shown)
            if text.is_turned:
                painter.restore()


@cache
def _item_types() -> tuple[type, ...]:
    """Lines, marks, boxes, images, frames and texts; pyqtgraph is loaded late."""
    import pyqtgraph

    # A cosmetic pen, as pyqtgraph uses, is as many px of the device wide: half of that on a screen
    # with two px for one, and a hair in a large picture. So lines are drawn in px of the scene,
    # where a plain pen will do, and so are marks in files; on screen pyqtgraph stamps them.

    class Line(pyqtgraph.PlotCurveItem):  # type: ignore[misc]
        def paint(self, painter: QPainter, *_: object) -> None:
            if self.xData is not None and len(self.xData):
                to_px = _draw_in_px(self, painter, self.opts["antialias"], 1.0)
                painter.drawPath(to_px.map(self.getPath()))

    class Marks(pyqtgraph.ScatterPlotItem):  # type: ignore[misc]
        def paint(self, painter: QPainter, option: Any, widget: Any) -> None:
            if self._exportOpts is False:
                super().paint(painter, option, widget)
                return
            size = self.opts["size"]
            to_px = _draw_in_px(self, painter, True, size)
            painter.setBrush(self.opts["brush"])
            outline = QTransform.fromScale(size, size).map(self.opts["symbol"])
            for x, y in zip(*self.getData(), strict=True):
                at = to_px.map(QPointF(float(x), float(y)))
                painter.drawPath(outline.translated(at))

        def mouseClickEvent(self, event: Any) -> None:
            event.ignore()  # the plot finds the nearest mark

    class Boxes(pyqtgraph.BarGraphItem):  # type: ignore[misc]
        is_hatched = False
        least = inset = 0.0

        def __init__(self) -> None:
            super().__init__(x0=_NONE, x1=_NONE, y0=_NONE, y1=_NONE)

        def paint(self, painter: QPainter, *_: object) -> None:
            has_line = self.opts["pen"].style() != Qt.PenStyle.NoPen
            to_px = _draw_in_px(self, painter, has_line, 1.0)
            for box in self._rectarray.instances():
                rect = _at_least(to_px.mapRect(box), self.least)
                rect.adjust(self.inset, self.inset, -self.inset, -self.inset)
                if not has_line:
                    painter.fillRect(rect, self.opts["brush"])
                    continue
                painter.setBrush(self.opts["brush"])
                if self.is_hatched:
                    paint_hatched(painter, rect, self.opts["brush"].color())
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.setPen(self.opts["pen"])
                painter.drawRect(rect)

        def boundingRect(self) -> QRectF:
            room = (self.least + 2) * self.pixelWidth(), (self.least + 2) * self.pixelHeight()
            rect: QRectF = super().boundingRect()
            return rect.adjusted(-room[0], -room[1], *room)

    class Cells(pyqtgraph.ImageItem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(axisOrder="row-major")

        def paint(self, painter: QPainter, *args: object) -> None:
            if self._exportOpts is False:
                super().paint(painter, *args)
                return
            # Programs that show an SVG file smooth an image that is enlarged.
            for row, line in enumerate(self.image):
                for column, color in enumerate(line.tolist()):
                    painter.fillRect(QRectF(column, row, 1, 1), QColor(*color))

    return Line, Marks, Boxes, Cells, QGraphicsPathItem, TextItem, Boxes


def _at_least(rect: QRectF, least: float) -> QRectF:
    """The rectangle with sides of so many px; it grows to the right and up."""
    width, height = max(rect.width(), least), max(rect.height(), least)
    return QRectF(rect.left(), rect.bottom() - height, width, height)


def _draw_in_px(item: Any, painter: QPainter, is_smooth: bool, unit: float) -> QTransform:
    """Let an item draw in px of the scene, with its pen in units of so many px; the result maps
    data coordinates to them."""
    to_px: QTransform = item.sceneTransform()
    painter.setTransform(to_px.inverted()[0], True)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, is_smooth)
    pen = QPen(item.opts["pen"])
    pen.setCosmetic(False)
    pen.setWidthF(unit * pen.widthF())
    painter.setPen(pen)
    return to_px


# pyqtgraph keeps a picture for each symbol, pen and brush it is given, keyed by identity.


@lru_cache(maxsize=64)
def _mark_pen(ink: int, width: float) -> QPen:
    """A pen for symbols, which are drawn 1 wide and then scaled to their size."""
    return QPen(QColor.fromRgba(ink), width)


@lru_cache(maxsize=64)
def _mark_brush(fill: int) -> QBrush:
    return QBrush(QColor.fromRgba(fill)) if fill else QBrush(Qt.BrushStyle.NoBrush)


@lru_cache(maxsize=16)
def _symbol(marker: str) -> QPainterPath:
    return QTransform.fromScale(1 / _ROOM, 1 / _ROOM).map(mark_path(marker))
