"""Base of charts: a canvas of pyqtgraph in the look of the window, made late, also for files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QGraphicsView, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from pgmstudio.gui.plots.items import Frame, PlotItems
from pgmstudio.gui.plots.plot_widget import dress, new_canvas, plot_library
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label

_WAITING = "The plot is being drawn…"


class Chart(QWidget):
    """Base of charts; shows a text as long as there is nothing to draw."""

    across = True  # with grid lines up from the bottom, too
    can_wait = True  # pyqtgraph is loaded in the background
    background: str | None = "surface"  # colour of the background; None: that of the page

    def __init__(self, name: str, empty_text: str = "") -> None:
        super().__init__()
        self.setObjectName(name)
        self._canvas: Any = None
        self._view: Any = None
        self._look: object = None  # theme, scale and background of the axes
        self._is_for_file = False
        self._titles: tuple[Sequence[str], Sequence[str]] = ((), ())
        self._named: tuple[str, ...] | None = None
        self._empty_text = empty_text
        self._empty = label(empty_text, "secondary", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self._empty, 1)
        plot_library().loaded.connect(self.refresh)
        theme().changed.connect(self.refresh)

    # -- overridden by subclasses

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return True

    def _may_have_content(self) -> bool:
        """Whether a canvas is worth while; some charts are empty until they are drawn."""
        return not self.is_empty

    def _new_canvas(self) -> Any:
        return new_canvas(f"{self.objectName()}Canvas", across=self.across)

    def _build(self) -> None:
        """Put the items on the new canvas."""

    def _draw(self) -> None:
        """Show what there is, in the present colours."""

    def _arrange_overlays(self) -> None:
        """Put what stands over the plot where it belongs."""

    # -- the canvas

    @property
    def canvas(self) -> QGraphicsView | None:
        """The plot itself, when there is something in it."""
        return self._canvas if self._canvas is not None and not self._canvas.isHidden() else None

    def picture_size(self) -> QSizeF:
        """Size of the chart in a file, in px."""
        return QSizeF(self._canvas.size())

    def refresh(self, *_: object) -> None:
        """Draw again; pyqtgraph is loaded with the first chart."""
        if self._canvas is None:
            if not self._may_have_content():
                return
            is_late = self.can_wait and not plot_library().ask()
            self._empty.setText(_WAITING if is_late and not self.is_empty else self._empty_text)
            if is_late:
                return
            plot_library().load()
            self._canvas = self._new_canvas()
            self._view = self._canvas.getViewBox()
            self._build()
            self._empty.hide()  # it would have half of the height until all is laid out again
            self._layout.insertWidget(self._layout.indexOf(self._empty), self._canvas, 1)
            self._layout.activate()
        self._is_for_file = False
        self._dress(self.background)
        self._draw()
        self._empty.setText(self._empty_text)
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

    def _name_axes(
        self, bottom: str | Sequence[str], left: str | Sequence[str], accessible: str = ""
    ) -> None:
        """Set the axis titles; of several wordings the first that fits is shown."""
        self._titles = _wordings(bottom), _wordings(left)
        self._canvas.setAccessibleName(accessible or f"{left} against {bottom}")
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
        for side, wording in zip(("bottom", "left"), named, strict=True):
            axis = self._canvas.getAxis(side)
            axis.label.setFont(theme().font("caption"))
            axis.setLabel(escape(wording), color=ink, **{"font-size": size})
            axis.resizeEvent()  # the axis centres its title only when it gets another size


def _wordings(title: str | Sequence[str]) -> Sequence[str]:
    return (title,) if isinstance(title, str) else title


def _fitting(wordings: Sequence[str], length: float) -> str:
    """The first of the wordings that is no longer than an axis; else the last, the shortest."""
    metrics = QFontMetricsF(theme().font("caption"))
    fitting = (each for each in wordings if metrics.horizontalAdvance(each) <= length)
    return next(fitting, wordings[-1] if wordings else "")


SIDES = ("left", "top", "right", "bottom")


@cache
def _axis_type() -> type:
    import pyqtgraph

    class WholeAxis(pyqtgraph.AxisItem):  # type: ignore[misc]
        """The library leaves out labels at the ends of an axis with a grid."""

        def boundingRect(self) -> QRectF:
            rect: QRectF = super().boundingRect()
            return rect.adjusted(-60, -20, 60, 20)

    return WholeAxis


class StillChart(Chart):
    """Chart that fits its widget and is not zoomed; the widget itself gets mouse and keys."""

    scales: tuple[str, ...] = ()  # sides with an axis
    across = False
    background: str | None = None

    def __init__(self, name: str, empty_text: str = "") -> None:
        super().__init__(name, empty_text)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.items: PlotItems
        self._page: QSizeF | None = None  # of a file that is drawn for
        self._drawn_frame: Frame | None = None  # while something is drawn

    # -- overridden by subclasses

    def _margins(self) -> tuple[float, float, float, float]:
        """Px at the left, top, right and bottom of the plot, for axes and texts."""
        return (0.0, 0.0, 0.0, 0.0)

    def _seen(self, area: QRectF) -> QRectF:
        """The range of the axes that fills an area."""
        return QRectF(0, 0, 1, 1)

    def text_at(self, position: QPointF) -> str:
        """Tooltip of what is under the pointer."""
        return self.toolTip()

    # -- geometry

    @property
    def frame(self) -> Frame:
        """The visible range, known also before anything is drawn."""
        if self._drawn_frame is not None:
            return self._drawn_frame
        left, top, right, bottom = self._margins()
        area = QRectF(QPointF(), self._size).adjusted(left, top, -right, -bottom)
        area.setSize(area.size().expandedTo(QSizeF(1, 1)))
        return Frame(self._seen(area), area)

    @property
    def _size(self) -> QSizeF:
        return self._page or QSizeF(self.size())

    @property
    def shows_focus(self) -> bool:
        """Whether the focus is drawn: never in a file."""
        return self.hasFocus() and not self._is_for_file

    # -- drawing

    def _new_canvas(self) -> Any:
        axes = {side: _axis_type()(side) for side in self.scales}
        canvas = new_canvas(f"{self.objectName()}Canvas", across=self.across, axes=axes)
        canvas.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        canvas.setToolTip("")
        canvas.setStyleSheet("background: transparent")  # without a background the page is seen
        canvas.setMinimumSize(0, 0)
        canvas.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        for side in SIDES:
            canvas.showAxis(side, side in self.scales)
        for side in self.scales:
            axis = canvas.getAxis(side)
            axis.setStyle(tickLength=0)
            axis.setGrid(255)
            axis.setZValue(-1)  # its grid lies under the marks
        return canvas

    def _dress(self, background: str | None) -> None:
        super()._dress(background)
        for side in self.scales:
            axis = self._canvas.getAxis(side)
            axis.setPen(QPen(Qt.PenStyle.NoPen))
            axis.setTickPen(QPen(theme().color("border")))
            axis.setTickFont(theme().font("caption"))
            axis.setTextPen(theme().color("text_secondary"))

    def _build(self) -> None:
        self._view.disableAutoRange()
        self._view.setMouseEnabled(False, False)
        self.items = PlotItems(self._view)

    def refresh(self, *_: object) -> None:
        self.setMinimumSize(self.minimumSizeHint())
        self.updateGeometry()
        if self._page is not None:
            self._page = None
            self._canvas.resize(self.size())
        super().refresh()

    def picture_size(self) -> QSizeF:
        return QSizeF(self.size())

    def draw_on(self, background: str | None) -> None:
        if self.canvas is not None:
            self._page = self.picture_size()
            self._canvas.resize(self._page.toSize())
        super().draw_on(background)

    def _draw(self) -> None:
        if self.is_empty:
            return
        self._drawn_frame = frame = self.frame
        layout, margins = (
            self._canvas.getPlotItem().layout,
            dict(zip(SIDES, self._margins(), strict=True)),
        )
        for side in self.scales:
            axis, room = self._canvas.getAxis(side), margins[side]
            (axis.setWidth if side in ("left", "right") else axis.setHeight)(room)
            margins[side] = 0.0
        layout.setContentsMargins(*margins.values())
        layout.activate()
        self._view.setRange(frame.seen, padding=0.0)
        self._draw_items(frame)
        self.items.remove_unused()
        self._drawn_frame = None

    def _draw_items(self, frame: Frame) -> None:
        """Draw everything; what is not drawn again is removed."""

    def redraw(self) -> None:
        """Draw again what has changed since, such as a selection."""
        if self._canvas is not None:
            self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.redraw()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self.text_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), text, self) if text else QToolTip.hideText()
            return True
        is_done = super().event(event)
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.redraw()
        return is_done
