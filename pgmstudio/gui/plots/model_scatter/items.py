"""Items of a scatter plot of models: pyqtgraph's lines and marks, and the visible range."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QTransform

from pgmstudio.core.arrays import Floats
from pgmstudio.gui.theme.language_symbols import mark_path

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


class PlotItems:
    """Lines and marks of a plot by name: made when first drawn, then given new data."""

    def __init__(self, view: Any) -> None:
        self._view = view
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

    def remove(self, name: str) -> None:
        """Draw the item of that name no more."""
        if name in self._items:
            self._view.removeItem(self._items.pop(name))
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

    def _is_new(self, name: str, xs: Floats, ys: Floats, *look: object) -> bool:
        """Whether something else is to be drawn than now: while points arrive most curves stay."""
        self._names.add(name)
        before = self._drawn.get(name)
        self._drawn[name] = (look, xs, ys)
        return before is None or not (
            before[0] == look
            and np.array_equal(before[1], xs, equal_nan=True)
            and np.array_equal(before[2], ys, equal_nan=True)
        )

    def _item(self, name: str, kind: int, z: float) -> Any:
        if name not in self._items:
            item = self._items[name] = _item_types()[kind]()
            item.setZValue(z)
            self._view.addItem(item, ignoreBounds=True)
        return self._items[name]


@cache
def _item_types() -> tuple[type, type]:
    """Lines and marks; pyqtgraph is loaded late."""
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

    return Line, Marks


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
