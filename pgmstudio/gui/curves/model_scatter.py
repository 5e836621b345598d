"""The canvas of a plot of models: its axes, the layers over it, and the part in sight.

Layers over a plot, drawn in px: on a screen they are kept as pictures until they change.

What stands over a plot of models: the pill that holds λ, and the legend.

Plots whose marks are models: pointing tells, a click opens, the right button pins, keys walk.

Which mark is next: along a line of a plot, or on the line above or below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QEvent,
    QLineF,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSizeF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QGraphicsObject,
    QGraphicsSceneMouseEvent,
    QGraphicsView,
    QStyleOptionGraphicsItem,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.drawing.svg.plot_labels import language_sign
from pgmstudio.core.experiments.curve_chart import Behind, Place, best_of
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.gui.curves.hover_card import CardFacts, MarkCard
from pgmstudio.gui.plots.log_axis import new_axes, plain_functions, set_log
from pgmstudio.gui.plots.plot_widget import dress, new_canvas, plot_library
from pgmstudio.gui.theme.language_symbols import mark_colors, mark_path
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label
from pgmstudio.gui.widgets.debounce import one_shot

Floats = NDArray[np.float64]
# From so many marks on they stand on whole px, and of those at one place one is drawn.
MANY = 400
_SEAM = 3.0  # px around words
_FAR = 2.0**30  # Qt has no place farther away


@dataclass(frozen=True)
class Frame:
    """The part in sight: `seen` in numbers of the axes, `room` in px of the scene."""

    seen: QRectF = field(default_factory=lambda: QRectF(0, 0, 1, 1))
    room: QRectF = field(default_factory=QRectF)

    def across(self, xs: Floats) -> Floats:
        """Px from the left of the scene."""
        scale = self.room.width() / max(self.seen.width(), 1e-12)
        return np.clip((xs - self.seen.left()) * scale + self.room.left(), -_FAR, _FAR)

    def down(self, ys: Floats) -> Floats:
        """Px from the top of the scene."""
        scale = self.room.height() / max(self.seen.height(), 1e-12)
        return np.clip(self.room.bottom() - (ys - self.seen.top()) * scale, -_FAR, _FAR)


class CachedShape(QGraphicsObject):
    """Drawn when it has changed, and else put there as the picture it was; in files as shapes."""

    def __init__(self, z: float) -> None:
        super().__init__()
        self._kept: QPixmap | None = None
        self._ratio = 1.0
        self.setZValue(z)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def draw(self, painter: QPainter, on_screen: bool) -> None:
        """All of it, in px of this item."""

    def changed(self) -> None:
        """It is to be drawn again."""
        self._kept = None
        self.update()

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        whole = self.boundingRect()
        if widget is None:
            painter.setClipRect(whole)
            self.draw(painter, False)
            return
        ratio, room = widget.devicePixelRatioF(), whole.toAlignedRect()
        if self._kept is None or ratio != self._ratio:
            self._ratio = ratio
            self._kept = self._picture(whole, room.topLeft(), room.size() * ratio)
        painter.drawPixmap(room.topLeft(), self._kept)

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
    """One that covers the plot inside its axes."""

    def __init__(self, z: float) -> None:
        super().__init__(z)
        self.frame = Frame()

    def place(self, frame: Frame) -> None:
        """The part in sight is another one."""
        if frame != self.frame:
            self.prepareGeometryChange()
            self.frame = frame
            self.changed()

    def boundingRect(self) -> QRectF:
        return self.frame.room

    def at(self, x: float, y: float) -> QPointF:
        """The place of these numbers, in px."""
        return QPointF(*(float(v[0]) for v in self._px(np.array([x]), np.array([y]))))

    def _px(self, xs: Floats, ys: Floats) -> tuple[Floats, Floats]:
        return self.frame.across(xs), self.frame.down(ys)


class DotLook(NamedTuple):
    """How marks of one kind look; colours as their numbers."""

    symbol: str
    size: float
    line: int
    width: float
    fill: int


def dot_look(symbol: str, size: float, line: QColor, width: float, fill: QColor) -> DotLook:
    """The look in plain numbers."""
    return DotLook(symbol, size, line.rgba(), width, fill.rgba())


@dataclass(frozen=True, eq=False)
class Stroke:
    """A line through places; it is broken where a place is not known."""

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
    """Lines, bars over them, marks over those; those told first lie below."""

    def __init__(self, z: float = 10) -> None:
        super().__init__(z)
        self.strokes: Sequence[Stroke] = ()
        self.bars: Sequence[Bars] = ()
        self.dots: Sequence[Dots] = ()

    def tell(
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
        (xs, ys), room, far = self._px(dots.xs, dots.ys), self.frame.room, dots.look.size
        is_in = (xs > room.left() - far) & (xs < room.right() + far)
        is_in &= (ys > room.top() - far) & (ys < room.bottom() + far)  # nowhere: not in sight
        return xs[is_in], ys[is_in]

    def _draw_bars(self, painter: QPainter, bars: Bars) -> None:
        xs, low = self._px(bars.xs, bars.low)
        ends = zip(xs.tolist(), low.tolist(), self.frame.down(bars.high).tolist(), strict=True)
        painter.setPen(bars.pen)
        painter.drawLines([QLineF(x, begin, x, end) for x, begin, end in ends])

    def _stamp(
        self, painter: QPainter, xs: Floats, ys: Floats, look: DotLook, is_many: bool
    ) -> None:
        """Each mark as the same small picture."""
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
    """A line through places in px, broken where one is not known."""
    from pyqtgraph.functions import arrayToQPolygonF

    painter.setPen(pen)
    unknown = np.flatnonzero(~(np.isfinite(xs) & np.isfinite(ys)))
    for begin, end in zip([0, *(unknown + 1)], [*unknown, len(xs)], strict=True):
        if end - begin > 1:
            painter.drawPolyline(arrayToQPolygonF(xs[begin:end], ys[begin:end]))


def _draw_fragments(painter: QPainter, xs: Floats, ys: Floats, picture: QPixmap) -> None:
    """One picture around many places."""
    from pyqtgraph.Qt import internals

    told = internals.PrimitiveArray(QPainter.PixmapFragment, 10)
    told.resize(len(xs))
    numbers = told.ndarray()
    numbers[:, 0], numbers[:, 1] = xs, ys
    numbers[:, 2:] = (0, 0, picture.width(), picture.height(), 1, 1, 0, 1)
    painter.drawPixmapFragments(*told.drawargs(), picture)  # type: ignore[call-arg]


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
    """Around places; `is_square`: not round."""

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

    def line(self, name: str, line: Stroke | None, words: str = "") -> None:
        """The same for a line, with words above one of its ends."""
        _put(self._lines, name, None if line is None else (line, words))
        self.update()

    def keep_clear(self, rooms: list[QRectF]) -> None:
        """No words are drawn there: something lies over it."""
        self._clear = rooms
        self.update()

    def places(self, name: str) -> list[tuple[float, float]]:
        """Where the rings of that name are, in numbers of the axes."""
        rings = self._rings.get(name)
        return [] if rings is None else list(zip(rings.xs, rings.ys, strict=True))

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        painter.setClipRect(self.boundingRect())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line, _words in self._lines.values():
            draw_stroke(painter, *self._px(line.xs, line.ys), line.pen)
        for line, words in self._lines.values():  # over all lines: another one may cross them
            if words:
                self._draw_words(painter, line, words)
        for rings in self._rings.values():
            painter.setPen(rings.pen)
            half = rings.size / 2
            draw = painter.drawRect if rings.is_square else painter.drawEllipse
            for x, y in zip(*self._px(rings.xs, rings.ys), strict=True):
                draw(QRectF(float(x) - half, float(y) - half, rings.size, rings.size))

    def _draw_words(self, painter: QPainter, line: Stroke, words: str) -> None:
        metrics = QFontMetricsF(font := theme().font("caption"))
        place = self.words_place(line, metrics.size(0, words))
        if place is not None:
            at = place.bottomLeft() - QPointF(0, metrics.descent())
            draw_word(painter, at, words, font, line.pen.color())

    def words_place(self, line: Stroke, size: QSizeF) -> QRectF | None:
        """Above the right end of the line or, where something lies over that, the left one."""
        start, end = (self.at(float(line.xs[k]), float(line.ys[k])) for k in (0, -1))
        for left, y in ((end.x() - 6 - size.width(), end.y()), (start.x() + 6, start.y())):
            place = QRectF(QPointF(left, y - 2 - size.height()), size)
            if not any(place.intersects(other) for other in self._clear):
                return place
        return None


def draw_word(painter: QPainter, at: QPointF, words: str, font: QFont, ink: QColor) -> None:
    """A word on its base line, with a seam that keeps lines below it apart."""
    seam = QPen(theme().color("surface", 0.85), _SEAM)
    seam.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    path = QPainterPath()
    path.addText(at, font, words)
    painter.strokePath(path, seam)
    painter.fillPath(path, ink)


def _put(among: dict[str, Any], name: str, value: object | None) -> None:
    if value is None:
        among.pop(name, None)
    else:
        among[name] = value


class Pill(QGraphicsObject):
    """A handle with words; `dragged` tells where on the scene the pointer is."""

    dragged = Signal(QPointF)

    def __init__(self) -> None:
        super().__init__()
        self.words = ""
        self._is_held = False
        self.setZValue(60)
        self.setCursor(Qt.CursorShape.SizeVerCursor)
        self.setToolTip("Drag to another λ: which model it selects is told at once.")

    def tell(self, words: str) -> None:
        if words != self.words:
            self.prepareGeometryChange()
            self.words = words
            self.update()

    def boundingRect(self) -> QRectF:
        metrics = QFontMetricsF(theme().font("caption", "semibold"))
        width, height = metrics.horizontalAdvance(self.words) + 18, metrics.height() + 8
        return QRectF(-width / 2 - 2, -height / 2 - 2, width + 4, height + 4)

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        look, rect = theme(), self.boundingRect().adjusted(2, 2, -2, -2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.color("accent" if self._is_held else "text"), 1.4))
        painter.setBrush(look.color("surface"))
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
        painter.setPen(look.color("text"))
        painter.setFont(look.font("caption", "semibold"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self.words)

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self._hold(True)
        event.accept()

    def mouseMoveEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        self.dragged.emit(event.scenePos())

    def mouseReleaseEvent(self, _event: QGraphicsSceneMouseEvent) -> None:
        self._hold(False)

    def _hold(self, is_held: bool) -> None:
        self._is_held = is_held
        self.update()


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """`sign` is a family for its mark, or test, training, front, truth or fit."""

    sign: str
    words: str


class LegendBox(CachedShape):
    """Signs and their words in two columns, in a corner of the plot."""

    _SAMPLE = 26.0

    def __init__(self) -> None:
        super().__init__(50)
        self._entries: tuple[LegendEntry, ...] = ()
        self._box = QRectF()
        self.hide()

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        return self._entries

    def tell(self, entries: Sequence[LegendEntry]) -> None:
        self.prepareGeometryChange()
        self._entries = tuple(entries)
        columns, widths, step = self._columns()
        wide = widths[0] + (widths[1] if columns[1] else 0.0)
        self._box = QRectF(0, 0, wide + 12, step * len(columns[0]) + 12)
        self.setVisible(bool(entries))
        self.changed()

    def _columns(self) -> tuple[list[list[LegendEntry]], list[float], float]:
        metrics = QFontMetricsF(theme().font("caption"))
        half = (len(self._entries) + 1) // 2 if len(self._entries) > 3 else len(self._entries)
        columns = [list(self._entries[:half]), list(self._entries[half:])]
        widths = [
            max((metrics.horizontalAdvance(e.words) for e in column), default=0.0)
            + self._SAMPLE
            + 12
            for column in columns
        ]
        return columns, widths, metrics.height() + 4

    def boundingRect(self) -> QRectF:
        return self._box

    def draw(self, painter: QPainter, _on_screen: bool) -> None:
        look = theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.color("border"), 1))
        painter.setBrush(look.color("surface", 0.92))
        painter.drawRoundedRect(self._box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        columns, widths, step = self._columns()
        left = 8.0
        for column, width in zip(columns, widths, strict=True):
            for number, entry in enumerate(column):
                middle = 6 + step * (number + 0.5)
                self._sample(painter, entry.sign, left, middle)
                painter.setPen(look.color("text"))
                painter.setFont(look.font("caption"))
                place = QRectF(left + self._SAMPLE, middle - step / 2, width, step)
                painter.drawText(
                    place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, entry.words
                )
            left += width

    def _sample(self, painter: QPainter, sign: str, left: float, middle: float) -> None:
        look = theme()
        lines: dict[str, tuple[QColor, float, Qt.PenStyle]] = {
            "test": (look.color("text"), 2.0, Qt.PenStyle.SolidLine),
            "training": (look.color("text_tertiary"), 1.2, Qt.PenStyle.DashLine),
            "front": (look.color("accent", 0.22), 7.0, Qt.PenStyle.SolidLine),
            "fit": (look.color("text_secondary"), 1.2, Qt.PenStyle.SolidLine),
        }
        if sign in lines:
            ink, width, style = lines[sign]
            pen = QPen(ink, width, style)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            painter.drawLine(QPointF(left, middle), QPointF(left + 20, middle))
            return
        painter.save()
        painter.translate(left + 9, middle)
        if sign == "truth":
            painter.setPen(QPen(look.color("text"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(-5, -5, 10, 10))
        else:
            fill, line = mark_colors(sign)
            painter.scale(9, 9)
            pen = QPen(line, 1.0)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.setBrush(fill)
            painter.drawPath(mark_path(language_sign(sign)[0]))
        painter.restore()


EDGE = 0.03  # how much of the free room at each side may be taken before all is fitted anew
ROOMY = 0.9  # marks that fill less than this share of the plot are brought nearer
TIP = "A click opens a model, the right button pins it.\nThe wheel zooms, drag pans, 0 fits."


class MarkCanvas(QWidget):
    """A child draws; words stand here as long as there is nothing to draw."""

    moved = Signal()  # a hand has brought another part in sight

    def __init__(self, name: str, empty_words: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._canvas: Any = None
        self._is_fitted = True
        self._plain: dict[str, tuple[Any, Any]] = {}
        self._look: object = None  # what the axes were last told to be
        self._is_for_file = False
        self._titles: tuple[Sequence[str], Sequence[str]] = ((), ())
        self._named: tuple[str, ...] | None = None
        self._logs: tuple[bool, bool] | None = None
        self._legend_told: object = None
        self._fitted_logs: object = None
        self._empty = label(empty_words, "secondary", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self._empty, 1)
        plot_library().loaded.connect(self.refresh)
        theme().changed.connect(self.refresh)

    # -- what a child says

    def _build(self) -> None:
        """Put the items on the new canvas."""

    def _draw(self) -> None:
        """Show what there is, in the present colours."""

    def _bounds(self) -> QRectF | None:
        """What must be seen, in numbers of the axes."""
        return None

    def _on_range(self, *_: object) -> None:
        """The part in sight is another one."""
        self._place_overlays()

    # -- the canvas

    @property
    def canvas(self) -> QGraphicsView | None:
        """The plot itself, when there is something in it."""
        return self._canvas if self._canvas is not None and not self._canvas.isHidden() else None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return True

    def refresh(self, *_: object) -> None:
        """Draw again; the library comes with the first plot."""
        if not plot_library().ask():
            return
        if self._canvas is None:
            self._make()
        self._is_for_file = False
        self._dress("surface")
        self._draw()
        self._canvas.setVisible(not self.is_empty)
        self._empty.setVisible(self.is_empty)
        self._place_overlays()

    def draw_on(self, background: str | None) -> None:
        """Once more in the present colours, on a ground of that name or on none: for a file."""
        if self.canvas is not None:
            self._is_for_file = True
            self._dress(background)
            self._draw()
            self._place_overlays()

    def _dress(self, ground: str | None) -> None:
        """Only where the look is another one: the axes are laid out again by it."""
        look = (theme().shade, theme().scale, ground)
        if look != self._look:
            self._look = look
            dress(self._canvas)
            if ground != "surface":
                self._canvas.setBackground(None if ground is None else theme().color(ground))
            self._named = None

    def _make(self) -> None:
        self._canvas = canvas = new_canvas(
            f"{self.objectName()}Canvas", across=True, axes=new_axes()
        )
        canvas.setToolTip(TIP)
        canvas.setFocusPolicy(Qt.FocusPolicy.WheelFocus)
        for side in ("left", "bottom"):
            self._plain[side] = plain_functions(canvas.getAxis(side))
        self._view = canvas.getViewBox()
        self._view.disableAutoRange()
        self._view.sigRangeChanged.connect(self._on_range)
        self._view.sigResized.connect(self._on_range)
        self._view.sigRangeChangedManually.connect(self._on_moved_by_hand)
        scene = canvas.scene()
        self.marks, self.rings, self._ring = MarksLayer(), RingsLayer(30), RingsLayer(40)
        self._layers: list[Layer] = [self.marks, self.rings, self._ring]
        for layer in self._layers:
            scene.addItem(layer)
        self.legend = LegendBox()
        scene.addItem(self.legend)
        self._build()
        self._layout.insertWidget(0, canvas, 1)

    def _name_axes(
        self, bottom: str | Sequence[str], left: str | Sequence[str], accessible: str
    ) -> None:
        """The titles; of several wordings of one, the first that the axis has room for."""
        self._titles = _wordings(bottom), _wordings(left)
        self._canvas.setAccessibleName(accessible)
        self._show_titles()

    def _show_titles(self) -> None:
        """Only where they are others: the axes are laid out again by it."""
        room = self._view.sceneBoundingRect()
        named = tuple(
            _fitting(words, length)
            for words, length in zip(self._titles, (room.width(), room.height()), strict=True)
        )
        if self._named == named or not any(named):
            return
        self._named = named
        ink = theme().color("text_secondary").name()
        size = f"{theme().font('caption').pixelSize()}px"
        for side, words in zip(("bottom", "left"), named, strict=True):
            axis = self._canvas.getAxis(side)
            axis.label.setFont(theme().font("caption"))
            axis.setLabel(escape(words), color=ink, **{"font-size": size})
            axis.resizeEvent()  # the axis centres its title only when it gets another size

    def _set_logs(self, bottom: bool, left: bool) -> None:
        if self._logs == (bottom, left):
            return
        self._logs = bottom, left
        for side, is_log in (("bottom", bottom), ("left", left)):
            set_log(self._canvas.getAxis(side), is_log, self._plain[side])

    def _legend_of(self, entries: Sequence[LegendEntry]) -> None:
        if (told := (tuple(entries), self._look)) != self._legend_told:
            self._legend_told = told
            self.legend.tell(entries)

    # -- the part in sight

    def fit(self) -> None:
        """All of it."""
        self._is_fitted = True
        self._fit(exactly=True)
        self.moved.emit()

    def follow(self, other: MarkCanvas) -> None:
        """Bring the same part in sight as another plot of the same axes."""
        if self._canvas is not None and other._canvas is not None:
            self._is_fitted = other._is_fitted
            self._view.setRange(other._view.viewRect(), padding=0.0)

    def _fit(self, *, exactly: bool = False) -> None:
        """While marks come, the part in sight stays until it is too small or much too large."""
        bounds = self._bounds()
        if self._canvas is None or bounds is None or not self._is_fitted:
            return
        seen, logs = self._view.viewRect(), self._logs
        wide, tall = bounds.width(), bounds.height()
        needed = bounds.adjusted(EDGE * wide, EDGE * tall, -EDGE * wide, -EDGE * tall)
        is_near = self._fitted_logs == logs and seen.contains(needed)
        is_near = is_near and wide > ROOMY * seen.width() and tall > ROOMY * seen.height()
        if exactly or not is_near:
            self._fitted_logs = logs
            self._view.setRange(bounds, padding=0.0)

    def _on_moved_by_hand(self, *_: object) -> None:
        self._is_fitted = False
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_overlays()

    def _place_overlays(self) -> None:
        if self._canvas is None:
            return
        self._show_titles()
        frame = self._frame
        for layer in self._layers:
            layer.place(frame)

    @property
    def _frame(self) -> Frame:
        return Frame(self._view.viewRect(), self._view.sceneBoundingRect())


def _wordings(title: str | Sequence[str]) -> Sequence[str]:
    return (title,) if isinstance(title, str) else title


def _fitting(words: Sequence[str], length: float) -> str:
    """The first of the wordings that is no longer than an axis; else the last, the shortest."""
    metrics = QFontMetricsF(theme().font("caption"))
    fitting = (each for each in words if metrics.horizontalAdvance(each) <= length)
    return next(fitting, words[-1] if words else "")


Numbers = NDArray[np.int64]


def next_on_line(xs: Floats, ys: Floats, line_of: Numbers, at: int | None, step: int) -> int | None:
    """The mark so many steps to the right on the same line; the first of all without `at`."""
    usable = np.flatnonzero(np.isfinite(ys))
    if not len(usable):
        return None
    if at is None:
        return int(usable[0])
    own = usable[line_of[usable] == line_of[at]]
    own = own[np.argsort(xs[own], kind="stable")]
    found = np.flatnonzero(own == at)
    place = int(found[0]) + step if len(found) else 0
    return int(own[place]) if 0 <= place < len(own) else None


def nearest_beside(
    xs: Floats, ys: Floats, line_of: Numbers, at: int, up: bool, scale: tuple[float, float]
) -> int | None:
    """The nearest mark of another line that is higher, or lower; `scale` is the part in sight."""
    others = np.flatnonzero((line_of != line_of[at]) & np.isfinite(ys))
    above = ys[others] > ys[at]
    others = others[above if up else ~above]
    if not len(others):
        return None
    across, down = (xs[others] - xs[at]) / scale[0], (ys[others] - ys[at]) / scale[1]
    return int(others[np.argmin(np.hypot(3 * across, down))])


REACH = 12.0  # px within which a mark is meant
CARD_MS = 80
_SPOTS = 5  # each way, where the legend may stand between the corners


class ModelScatter(MarkCanvas):
    """A child draws; this knows where the marks are."""

    chosen = Signal(object)  # CurvePoint: to be opened
    pinned = Signal(object)  # CurvePoint: to be pinned, or no longer
    pointed = Signal(object)  # CurvePoint or None

    def __init__(self, name: str, empty_words: str) -> None:
        super().__init__(name, empty_words)
        self._xs: Floats = np.empty(0)
        self._ys: Floats = np.empty(0)
        self._line_of: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._parts: list[tuple[int, Floats, Floats, Sequence[Behind]]] = []
        self._begins: NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self._places: Mapping[str, Place] = {}
        self._at: int | None = None
        self.tell: Callable[[Behind], CardFacts] | None = None
        self.card = MarkCard(self)
        self.card.left.connect(self._on_left)
        self._soon = one_shot(self, self._show_card, CARD_MS)

    @property
    def is_empty(self) -> bool:
        return not len(self._xs)

    def _make(self) -> None:
        super()._make()
        scene = self._canvas.scene()
        scene.sigMouseMoved.connect(self._on_pointer)
        scene.sigMouseClicked.connect(self._on_click)
        self._canvas.viewport().installEventFilter(self)
        self._canvas.installEventFilter(self)

    def _take_marks(
        self,
        parts: Sequence[tuple[int, Floats, Floats, Sequence[Behind]]],
        places: Mapping[str, Place],
    ) -> None:
        """Where the marks are: of a curve its number, across, up, and the models behind them;
        `places` are the curve and mark of every model."""
        before = self._behind(self._at) if self._at is not None else None
        self._xs = np.concatenate([xs for _, xs, _, _ in parts] or [np.empty(0)])
        self._ys = np.concatenate([ys for _, _, ys, _ in parts] or [np.empty(0)])
        numbers = [np.full(len(part[1]), number) for number, part in enumerate(parts)]
        self._line_of = np.concatenate(numbers or [np.empty(0, dtype=np.int64)])
        self._parts, self._places = list(parts), places
        self._begins = np.cumsum([0, *(len(xs) for _, xs, _, _ in parts)])
        self._at = None
        if before is not None:  # the mark that was pointed at stays so where it is still there
            self._at = self._place_of(before[0].key)
        self._show_ring()

    def _place_overlays(self) -> None:
        super()._place_overlays()
        if self._canvas is not None:
            self._place_legend()
            self._lead_to_card()

    def _place_legend(self) -> None:
        """In the corner that has the fewest marks, of equals the first; where marks are in every
        corner, anywhere with fewer."""
        inside, box = self._view.sceneBoundingRect(), self.legend.boundingRect()
        left, right = inside.left() + 12, inside.right() - box.width() - 8
        top, bottom = inside.top() + 10, inside.bottom() - box.height() - 10
        spots = [(left, top), (right, bottom), (right, top), (left, bottom)]
        places = self._on_scene()
        crowds = [_marks_in(places, _around(spot, box)) for spot in spots]
        if min(crowds) and right > left and bottom > top:
            others = [
                (float(x), float(y))
                for y in np.linspace(bottom, top, _SPOTS)
                for x in np.linspace(right, left, _SPOTS)
            ]
            spots += others
            crowds += [_marks_in(places, _around(spot, box)) for spot in others]
        self.legend.setPos(*spots[crowds.index(min(crowds))])

    def _on_scene(self) -> tuple[Floats, Floats]:
        """Where all marks are on the scene, in px."""
        frame = self._frame
        return frame.across(self._xs), frame.down(self._ys)

    def _place_of(self, key: str, *, last: bool = False) -> int | None:
        """The number of the first or last mark of a model; None when it has none."""
        found = self._places.get(key)
        if found is None:
            return None
        curve, place = found
        parts = zip(self._begins, self._parts, strict=False)
        own = [begin for begin, part in parts if part[0] == curve]
        return None if not own else int(own[-1 if last else 0]) + place

    def _behind(self, number: int) -> Behind:
        """The models of one mark."""
        part = int(np.searchsorted(self._begins, number, side="right")) - 1
        return self._parts[part][3][number - int(self._begins[part])]

    def _scene_place(self, number: int) -> QPointF:
        place = QPointF(float(self._xs[number]), float(self._ys[number]))
        found: QPointF = self._view.mapViewToScene(place)
        return found

    # -- pointing

    def mark_at(self, place: QPointF) -> int | None:
        """The number of the nearest mark within reach of a place on the scene."""
        if self._canvas is None or not len(self._xs):
            return None
        if not self._view.sceneBoundingRect().contains(place):
            return None
        across, down = self._on_scene()
        apart = np.hypot(across - place.x(), down - place.y())
        apart[np.isnan(apart)] = math.inf
        nearest = int(np.argmin(apart))
        return nearest if apart[nearest] <= REACH else None

    def point_to(self, number: int | None) -> None:
        """Mark a model as the one that is looked at."""
        if number == self._at:
            return
        self._at = number
        self._show_ring()
        self.pointed.emit(None if number is None else best_of(self._behind(number)))

    @property
    def looked_at(self) -> CurvePoint | None:
        return None if self._at is None else best_of(self._behind(self._at))

    def place_on_screen(self, point: CurvePoint) -> QPoint | None:
        """Where on the viewport the mark of a model is; None when it has none."""
        number = self._place_of(point.key)
        if number is None or self._canvas is None:
            return None
        return QPoint(self._canvas.mapFromScene(self._scene_place(number)))

    def _show_ring(self) -> None:
        at = [] if self._at is None or not np.isfinite(self._ys[self._at]) else [self._at]
        pen = QPen(theme().color("accent"), 2)
        self._ring.ring("pointed", HighlightRings(self._xs[at], self._ys[at], 16, pen))
        if not at:
            self._ring.line("to the card", None)

    def _on_pointer(self, place: QPointF) -> None:
        number = self.mark_at(place)
        if number is None:
            if not self.card.isHidden() and self.card.underMouse():
                return
            self._soon.stop()
            self.card.hide()
            self.point_to(None)
            return
        if number != self._at or self.card.isHidden():
            self.point_to(number)
            self._soon.start()

    def _on_left(self) -> None:
        self.card.hide()
        self.point_to(None)

    def _show_card(self) -> None:
        if self._at is None or self.tell is None or self._canvas is None:
            return
        shown = self._canvas.mapFromScene(self._view.sceneBoundingRect()).boundingRect()
        room = QRect(self._canvas.viewport().mapTo(self, shown.topLeft()), shown.size())
        facts = self.tell(self._behind(self._at))
        self.card.show_facts(facts, self._place_here(self._at), room, self._crowd)
        self._lead_to_card()

    def _place_here(self, number: int) -> QPoint:
        """Where a mark is on this widget."""
        seen = self._canvas.mapFromScene(self._scene_place(number))
        return QPoint(self._canvas.viewport().mapTo(self, seen))

    def _lead_to_card(self) -> None:
        """A line from the mark to a card that stands apart from it."""
        is_shown = self._at is not None and not self.card.isHidden()
        end = self.card.leads_from(self._place_here(self._at or 0)) if is_shown else None
        if end is None or self._at is None:
            self._ring.line("to the card", None)
            return
        there = self._canvas.mapToScene(self._canvas.viewport().mapFrom(self, end))
        other: QPointF = self._view.mapSceneToView(there)
        xs = np.array([float(self._xs[self._at]), other.x()])
        ys = np.array([float(self._ys[self._at]), other.y()])
        self._ring.line("to the card", Stroke(xs, ys, QPen(theme().color("text_tertiary"), 1)))

    def _crowd(self, place: QRect) -> int:
        """How many marks lie under a part of this widget."""
        corner = self._canvas.viewport().mapFrom(self, place.topLeft())
        room = QRectF(self._canvas.mapToScene(corner), QSizeF(place.size()))
        return _marks_in(self._on_scene(), room)

    def _on_click(self, event: Any) -> None:
        number = self.mark_at(event.scenePos())
        if number is None:
            if event.double():
                self.fit()
            return
        event.accept()
        if event.button() == Qt.MouseButton.LeftButton and not event.double():
            self.chosen.emit(best_of(self._behind(number)))
        elif event.button() == Qt.MouseButton.RightButton:
            self.pinned.emit(best_of(self._behind(number)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.Wheel and isinstance(event, QWheelEvent):
            self._zoom(event)
            return True
        if kind == QEvent.Type.ToolTip and self._at is not None:
            return True  # the card says more
        if kind == QEvent.Type.Leave:
            if not self.card.underMouse():
                self._soon.stop()
                self.card.hide()
                self.point_to(None)
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._on_key(event)
        return super().eventFilter(watched, event)

    def _zoom(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() or event.angleDelta().x()  # Shift turns it in some systems
        if not turned or self._canvas is None:
            return
        place = self._view.mapSceneToView(self._canvas.mapToScene(event.position().toPoint()))
        factor = 1.02 ** (-turned / 8)
        self._is_fitted = False
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._view.scaleBy(y=factor, center=place)
        else:
            self._view.scaleBy(x=factor, center=place)
        self.moved.emit()
        event.accept()

    # -- keys

    def _on_key(self, event: QKeyEvent) -> bool:
        """Arrows walk along a curve and between curves; Enter opens, P pins."""
        if self.is_empty:
            return False
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._walk(1 if key == Qt.Key.Key_Right else -1)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._change_curve(key == Qt.Key.Key_Up)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.looked_at is not None:
            self.chosen.emit(self.looked_at)
        elif key == Qt.Key.Key_P and self.looked_at is not None:
            self.pinned.emit(self.looked_at)
        elif key == Qt.Key.Key_Escape and not self.card.isHidden():
            self.card.hide()
            self._lead_to_card()
        elif key == Qt.Key.Key_0:
            self.fit()
        else:
            return False
        return True

    def _walk(self, step: int) -> None:
        number = next_on_line(self._xs, self._ys, self._line_of, self._at, step)
        if number is not None:
            self._look_at(number)

    def _change_curve(self, up: bool) -> None:
        if self._at is None:
            self._walk(1)
            return
        rect = self._view.viewRect()
        scale = max(rect.width(), 1e-12), max(rect.height(), 1e-12)
        number = nearest_beside(self._xs, self._ys, self._line_of, self._at, up, scale)
        if number is not None:
            self._look_at(number)

    def _look_at(self, number: int) -> None:
        self.point_to(number)
        self._show_card()


def _around(corner: tuple[float, float], box: QRectF) -> QRectF:
    """The room that a box takes there, with a little air."""
    return QRectF(QPointF(*corner), box.size()).adjusted(-6, -6, 6, 6)


def _marks_in(places: tuple[Floats, Floats], room: QRectF) -> int:
    """How many of the places on the scene lie in a part of it."""
    across, down = places
    is_in = (across > room.left()) & (across < room.right())
    return int((is_in & (down > room.top()) & (down < room.bottom())).sum())
