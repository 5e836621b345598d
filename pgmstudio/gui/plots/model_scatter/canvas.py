"""Canvas of a scatter plot of models: axes, layers and the visible range."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFontMetricsF,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QGraphicsView,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.gui.plots.log_axis import new_axes, plain_functions, set_log
from pgmstudio.gui.plots.model_scatter.layers import Frame, Layer, MarksLayer, RingsLayer
from pgmstudio.gui.plots.model_scatter.overlays import LegendBox, LegendEntry
from pgmstudio.gui.plots.plot_widget import dress, new_canvas, plot_library
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label

Floats = NDArray[np.float64]

EDGE = 0.03  # fraction of the margin at each side that may fill before the range is fitted again
MIN_FILL = 0.9  # the range is fitted again when the marks fill less than this fraction
TIP = "Click to open a model, right-click to pin it.\nWheel zooms, drag pans, 0 fits."


class MarkCanvas(QWidget):
    """Base of scatter plots; shows a text as long as there is nothing to draw."""

    moved = Signal()  # the user has changed the visible range

    def __init__(self, name: str, empty_text: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._canvas: Any = None
        self._is_fitted = True
        self._plain: dict[str, tuple[Any, Any]] = {}
        self._look: object = None  # theme, scale and background of the axes
        self._is_for_file = False
        self._titles: tuple[Sequence[str], Sequence[str]] = ((), ())
        self._named: tuple[str, ...] | None = None
        self._logs: tuple[bool, bool] | None = None
        self._legend_state: object = None
        self._fitted_logs: object = None
        self._empty = label(empty_text, "secondary", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self._empty, 1)
        plot_library().loaded.connect(self.refresh)
        theme().changed.connect(self.refresh)

    # -- overridden by subclasses

    def _build(self) -> None:
        """Put the items on the new canvas."""

    def _draw(self) -> None:
        """Show what there is, in the present colours."""

    def _bounds(self) -> QRectF | None:
        """What must be seen, in numbers of the axes."""
        return None

    def _on_range(self, *_: object) -> None:
        """The visible range has changed."""
        self._arrange_overlays()

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
        self._arrange_overlays()

    def draw_on(self, background: str | None) -> None:
        """Draw for a file in the present colours, on this background or on none."""
        if self.canvas is not None:
            self._is_for_file = True
            self._dress(background)
            self._draw()
            self._arrange_overlays()

    def _dress(self, background: str | None) -> None:
        """Style the axes, only when the look has changed: it lays them out again."""
        look = (theme().shade, theme().scale, background)
        if look != self._look:
            self._look = look
            dress(self._canvas)
            if background != "surface":
                self._canvas.setBackground(
                    None if background is None else theme().color(background)
                )
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
        """Set the axis titles; of several wordings the first that fits is shown."""
        self._titles = _wordings(bottom), _wordings(left)
        self._canvas.setAccessibleName(accessible)
        self._show_titles()

    def _show_titles(self) -> None:
        """Set the titles, only when they have changed: it lays the axes out again."""
        area = self._view.sceneBoundingRect()
        named = tuple(
            _fitting(wordings, length)
            for wordings, length in zip(self._titles, (area.width(), area.height()), strict=True)
        )
        if self._named == named or not any(named):
            return
        self._named = named
        ink = theme().color("text_secondary").name()
        size = f"{theme().font('caption').pixelSize()}px"
        for side, wordings in zip(("bottom", "left"), named, strict=True):
            axis = self._canvas.getAxis(side)
            axis.label.setFont(theme().font("caption"))
            axis.setLabel(escape(wordings), color=ink, **{"font-size": size})
            axis.resizeEvent()  # the axis centres its title only when it gets another size

    def _set_logs(self, bottom: bool, left: bool) -> None:
        if self._logs == (bottom, left):
            return
        self._logs = bottom, left
        for side, is_log in (("bottom", bottom), ("left", left)):
            set_log(self._canvas.getAxis(side), is_log, self._plain[side])

    def _legend_of(self, entries: Sequence[LegendEntry]) -> None:
        if (state := (tuple(entries), self._look)) != self._legend_state:
            self._legend_state = state
            self.legend.set_entries(entries)

    # -- the visible range

    def fit(self) -> None:
        """Show all marks."""
        self._is_fitted = True
        self._fit(exactly=True)
        self.moved.emit()

    def follow(self, other: MarkCanvas) -> None:
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

    def _arrange_overlays(self) -> None:
        if self._canvas is None:
            return
        self._show_titles()
        frame = self._frame
        for layer in self._layers:
            layer.set_frame(frame)

    @property
    def _frame(self) -> Frame:
        return Frame(self._view.viewRect(), self._view.sceneBoundingRect())


def _wordings(title: str | Sequence[str]) -> Sequence[str]:
    return (title,) if isinstance(title, str) else title


def _fitting(wordings: Sequence[str], length: float) -> str:
    """The first of the wordings that is no longer than an axis; else the last, the shortest."""
    metrics = QFontMetricsF(theme().font("caption"))
    fitting = (each for each in wordings if metrics.horizontalAdvance(each) <= length)
    return next(fitting, wordings[-1] if wordings else "")
