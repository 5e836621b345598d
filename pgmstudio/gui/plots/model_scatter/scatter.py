"""Scatter plot whose markers are models: axes, visible range, hover card, click, pin, keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QEvent,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSizeF,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPen, QResizeEvent, QWheelEvent

from pgmstudio.core.arrays import Floats
from pgmstudio.core.experiments.curve_chart import Behind, MarkIndex, best_of
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.gui.plots.chart import Chart
from pgmstudio.gui.plots.items import Frame, PlotItems
from pgmstudio.gui.plots.legend_spot import count_in, free_spot
from pgmstudio.gui.plots.log_axis import new_axes, plain_functions, set_log
from pgmstudio.gui.plots.model_scatter.hover_card import CardFacts, MarkCard
from pgmstudio.gui.plots.model_scatter.overlays import LegendBox
from pgmstudio.gui.plots.plot_widget import new_canvas
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.debounce import one_shot

Numbers = NDArray[np.int64]
Part = tuple[int, Floats, Floats, Sequence[Behind]]

EDGE = 0.03  # fraction of the margin at each side that may fill before the range is fitted again
MIN_FILL = 0.9  # the range is fitted again when the marks fill less than this fraction
TIP = "Click to open a model, right-click to pin it.\nWheel zooms, drag pans, 0 fits."
REACH = 12.0  # px within which a mark is meant
CARD_MS = 80
POINTED_Z = 40


def next_on_line(xs: Floats, ys: Floats, line_of: Numbers, at: int | None, step: int) -> int | None:
    """Index of the mark so many steps to the right on the same line; the first without `at`."""
    usable = np.flatnonzero(np.isfinite(ys))
    if not len(usable):
        return None
    if at is None:
        return int(usable[0])
    own = usable[line_of[usable] == line_of[at]]
    own = own[np.argsort(xs[own], kind="stable")]
    matches = np.flatnonzero(own == at)
    index = int(matches[0]) + step if len(matches) else 0
    return int(own[index]) if 0 <= index < len(own) else None


def nearest_on_other_line(
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


class ModelScatter(Chart):
    """Base of scatter plots of models."""

    moved = Signal()  # the user has changed the visible range
    chosen = Signal(object)  # CurvePoint: to be opened
    pinned = Signal(object)  # CurvePoint: to be pinned, or no longer
    pointed = Signal(object)  # CurvePoint or None

    def __init__(self, name: str, empty_text: str) -> None:
        super().__init__(name, empty_text)
        self._is_fitted = True
        self._plain: dict[str, tuple[Any, Any]] = {}
        self._logs: tuple[bool, bool] | None = None
        self._fitted_logs: object = None
        self._xs: Floats = np.empty(0)
        self._ys: Floats = np.empty(0)
        self._line_of: Numbers = np.empty(0, dtype=np.int64)
        self._parts: list[Part] = []
        self._begins: Numbers = np.zeros(1, dtype=np.int64)
        self._positions: Mapping[str, MarkIndex] = {}
        self._at: int | None = None
        self.make_card: Callable[[Behind], CardFacts] | None = None
        self.card = MarkCard(self)
        self.card.left.connect(self._point_to_none)
        self._soon = one_shot(self, self._show_card, CARD_MS)

    # -- overridden by subclasses

    def _bounds(self) -> QRectF | None:
        """What must be seen, in numbers of the axes."""
        return None

    def _on_range(self, *_: object) -> None:
        """The visible range has changed."""
        self._arrange_overlays()

    # -- the canvas

    @property
    def is_empty(self) -> bool:
        return not len(self._xs)

    def _may_have_content(self) -> bool:
        return True

    def _new_canvas(self) -> Any:
        return new_canvas(f"{self.objectName()}Canvas", across=True, axes=new_axes())

    def _build(self) -> None:
        canvas = self._canvas
        canvas.setToolTip(TIP)
        canvas.setFocusPolicy(Qt.FocusPolicy.WheelFocus)
        for side in ("left", "bottom"):
            self._plain[side] = plain_functions(canvas.getAxis(side))
        self._view.disableAutoRange()
        self._view.sigRangeChanged.connect(self._on_range)
        self._view.sigResized.connect(self._on_range)
        self._view.sigRangeChangedManually.connect(self._on_moved_by_hand)
        self.curves = PlotItems(self._view)
        self.rings = PlotItems(self._view)  # and lines besides the curves
        self.legend = LegendBox()
        scene = canvas.scene()
        scene.addItem(self.legend)
        scene.sigMouseMoved.connect(self._on_pointer)
        scene.sigMouseClicked.connect(self._on_click)
        canvas.viewport().installEventFilter(self)
        canvas.installEventFilter(self)

    def _set_logs(self, bottom: bool, left: bool) -> None:
        if self._logs == (bottom, left):
            return
        self._logs = bottom, left
        for side, is_log in (("bottom", bottom), ("left", left)):
            set_log(self._canvas.getAxis(side), is_log, self._plain[side])

    # -- the visible range

    def fit(self) -> None:
        """Show all marks."""
        self._is_fitted = True
        self._fit(exactly=True)
        self.moved.emit()

    def follow(self, other: ModelScatter) -> None:
        """Show the same range as another plot with the same axes."""
        if self._canvas is not None and other._canvas is not None:
            self._is_fitted = other._is_fitted
            self._view.setRange(other._view.viewRect(), padding=0.0)

    def _fit(self, *, exactly: bool = False) -> None:
        """Fit the range; while marks arrive it stays until too small or much too large."""
        bounds = self._bounds()
        if self._canvas is None or bounds is None or not self._is_fitted:
            return
        seen, logs = self._view.viewRect(), self._logs
        wide, tall = bounds.width(), bounds.height()
        needed = bounds.adjusted(EDGE * wide, EDGE * tall, -EDGE * wide, -EDGE * tall)
        is_near = self._fitted_logs == logs and seen.contains(needed)
        is_near = is_near and wide > MIN_FILL * seen.width() and tall > MIN_FILL * seen.height()
        if exactly or not is_near:
            self._fitted_logs = logs
            self._view.setRange(bounds, padding=0.0)

    def _on_moved_by_hand(self, *_: object) -> None:
        self._is_fitted = False
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange_overlays()

    @property
    def _frame(self) -> Frame:
        return Frame(self._view.viewRect(), self._view.sceneBoundingRect())

    def _arrange_overlays(self) -> None:
        if self._canvas is not None:
            self._show_titles()
            self._place_legend()
            self._lead_to_card()

    # -- the marks

    def _take_marks(
        self,
        parts: Sequence[Part],
        positions: Mapping[str, MarkIndex],
    ) -> None:
        """Set the marks: of each curve its number, x, y and the models of each mark;
        `positions` are the curve and mark of every model."""
        before = self._behind(self._at) if self._at is not None else None
        self._xs = np.concatenate([xs for _, xs, _, _ in parts] or [np.empty(0)])
        self._ys = np.concatenate([ys for _, _, ys, _ in parts] or [np.empty(0)])
        numbers = [np.full(len(part[1]), number) for number, part in enumerate(parts)]
        self._line_of = np.concatenate(numbers or [np.empty(0, dtype=np.int64)])
        self._parts, self._positions = list(parts), positions
        self._begins = np.cumsum([0, *(len(xs) for _, xs, _, _ in parts)])
        self._at = None
        if before is not None:  # the mark that was pointed at stays so where it is still there
            self._at = self._index_of(before[0].key)
        self._show_ring()

    def _place_legend(self) -> None:
        area = self._view.sceneBoundingRect().adjusted(12, 10, -8, -10)
        box = self.legend.boundingRect().size()
        self.legend.setPos(free_spot(self._on_scene(), box, area))

    def _on_scene(self) -> tuple[Floats, Floats]:
        """Positions of all marks on the scene, in px."""
        frame = self._frame
        return frame.across(self._xs), frame.down(self._ys)

    def _index_of(self, key: str, *, last: bool = False) -> int | None:
        """Index of the first or last mark of a model; None when it has none."""
        position = self._positions.get(key)
        if position is None:
            return None
        curve, index = position
        parts = zip(self._begins, self._parts, strict=False)
        own = [begin for begin, part in parts if part[0] == curve]
        return None if not own else int(own[-1 if last else 0]) + index

    def _behind(self, number: int) -> Behind:
        """The models of one mark."""
        part = int(np.searchsorted(self._begins, number, side="right")) - 1
        return self._parts[part][3][number - int(self._begins[part])]

    def _scene_position(self, number: int) -> QPointF:
        point = QPointF(float(self._xs[number]), float(self._ys[number]))
        result: QPointF = self._view.mapViewToScene(point)
        return result

    # -- pointing

    def mark_at(self, position: QPointF) -> int | None:
        """Index of the nearest mark within reach of a position on the scene."""
        if self._canvas is None or not len(self._xs):
            return None
        if not self._view.sceneBoundingRect().contains(position):
            return None
        across, down = self._on_scene()
        apart = np.hypot(across - position.x(), down - position.y())
        apart[np.isnan(apart)] = math.inf
        nearest = int(np.argmin(apart))
        return nearest if apart[nearest] <= REACH else None

    def point_to(self, number: int | None) -> None:
        """Highlight the mark with this index, or none."""
        if number == self._at:
            return
        self._at = number
        self._show_ring()
        self.pointed.emit(None if number is None else best_of(self._behind(number)))

    @property
    def looked_at(self) -> CurvePoint | None:
        return None if self._at is None else best_of(self._behind(self._at))

    def position_on_screen(self, point: CurvePoint) -> QPoint | None:
        """Position of the mark of a model on the viewport; None when it has none."""
        number = self._index_of(point.key)
        if number is None or self._canvas is None:
            return None
        return QPoint(self._canvas.mapFromScene(self._scene_position(number)))

    def _show_ring(self) -> None:
        if self._at is None or not np.isfinite(self._ys[self._at]):
            self.rings.remove("pointed")
            self.rings.remove("to the card")
            return
        at, ink = [self._at], theme().color("accent")
        xs, ys = self._xs[at], self._ys[at]
        self.rings.marks("pointed", xs, ys, POINTED_Z, size=16, ink=ink, width=2)

    def _on_pointer(self, position: QPointF) -> None:
        number = self.mark_at(position)
        if number is None:
            if not self.card.isHidden() and self.card.underMouse():
                return
            self._point_to_none()
            return
        if number != self._at or self.card.isHidden():
            self.point_to(number)
            self._soon.start()

    def _point_to_none(self) -> None:
        self._soon.stop()
        self.card.hide()
        self.point_to(None)

    def _show_card(self) -> None:
        if self._at is None or self.make_card is None or self._canvas is None:
            return
        shown = self._canvas.mapFromScene(self._view.sceneBoundingRect()).boundingRect()
        area = QRect(self._canvas.viewport().mapTo(self, shown.topLeft()), shown.size())
        facts = self.make_card(self._behind(self._at))
        self.card.show_facts(facts, self._widget_position(self._at), area, self._crowd)
        self._lead_to_card()

    def _widget_position(self, number: int) -> QPoint:
        """Position of a mark on this widget."""
        seen = self._canvas.mapFromScene(self._scene_position(number))
        return QPoint(self._canvas.viewport().mapTo(self, seen))

    def _lead_to_card(self) -> None:
        """A line from the mark to a card that stands apart from it."""
        is_shown = self._at is not None and not self.card.isHidden()
        end = self.card.leads_from(self._widget_position(self._at or 0)) if is_shown else None
        if end is None or self._at is None:
            self.rings.remove("to the card")
            return
        there = self._canvas.mapToScene(self._canvas.viewport().mapFrom(self, end))
        other: QPointF = self._view.mapSceneToView(there)
        xs = np.array([float(self._xs[self._at]), other.x()])
        ys = np.array([float(self._ys[self._at]), other.y()])
        pen = QPen(theme().color("text_tertiary"), 1)
        self.rings.line("to the card", xs, ys, pen, POINTED_Z)

    def _crowd(self, rect: QRect) -> int:
        """Number of marks under a rectangle of this widget."""
        corner = self._canvas.viewport().mapFrom(self, rect.topLeft())
        area = QRectF(self._canvas.mapToScene(corner), QSizeF(rect.size()))
        return count_in(self._on_scene(), area)

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
            return True  # the card shows more
        if kind == QEvent.Type.Leave:
            if not self.card.underMouse():
                self._point_to_none()
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._on_key(event)
        return super().eventFilter(watched, event)

    def _zoom(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() or event.angleDelta().x()  # Shift turns it in some systems
        if not turned or self._canvas is None:
            return
        center = self._view.mapSceneToView(self._canvas.mapToScene(event.position().toPoint()))
        factor = 1.02 ** (-turned / 8)
        self._is_fitted = False
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._view.scaleBy(y=factor, center=center)
        else:
            self._view.scaleBy(x=factor, center=center)
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
        number = nearest_on_other_line(self._xs, self._ys, self._line_of, self._at, up, scale)
        if number is not None:
            self._look_at(number)

    def _look_at(self, number: int) -> None:
        self.point_to(number)
        self._show_card()
