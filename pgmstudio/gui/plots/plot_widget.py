"""Base classes of plots of curves: a styled canvas, a legend and a line of text.

pyqtgraph takes a third of a second to load: a thread does it while the first run starts.

It uses every class of Qt. PySide makes a class on first access, and two threads that do so at the
same time crash. So the window's thread makes them all beforehand.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from html import escape
from importlib import import_module
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.number_format import THIN
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label

LOOK_MS = 15
# Those that pyqtgraph imports, and how long the window may be held up to make classes of them.
MODULES = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtOpenGL", "QtOpenGLWidgets", "QtTest")
SLICE_SECONDS = 0.004


class PlotLibrary(QObject):
    """Loader of pyqtgraph: plots ask for it early and draw on the signal `loaded`."""

    loaded = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._is_loaded = "pyqtgraph" in sys.modules
        self._thread: threading.Thread | None = None
        self._classes = _made_classes()
        # The thread does not use Qt: its signal could arrive after the receiver is gone.
        self._look = QTimer(self)
        self._look.timeout.connect(self._on_look)

    @property
    def is_loaded(self) -> bool:
        """From now on `import pyqtgraph` costs nothing."""
        return self._is_loaded

    def ask(self) -> bool:
        """Whether it is there; else it will be soon."""
        if not self._is_loaded and not self._look.isActive():
            self._look.start()
        return self._is_loaded

    def _on_look(self) -> None:
        if self._thread is None:
            self._make_classes()
        elif not self._thread.is_alive():
            self._look.stop()
            self._is_loaded = True
            self.loaded.emit()

    def _make_classes(self) -> None:
        """Some of them; after the last one the thread may begin."""
        end = time.perf_counter() + SLICE_SECONDS
        for _ in self._classes:
            if time.perf_counter() > end:
                return
        self._thread = threading.Thread(target=_load, daemon=True, name="plots")
        self._thread.start()
        self._look.setInterval(LOOK_MS)


def _made_classes() -> Iterator[object]:
    for name in MODULES:
        try:
            module = import_module(f"PySide6.{name}")
        except ImportError:
            continue  # pyqtgraph does without it, too
        for each in dir(module):
            yield getattr(module, each)


def _load() -> None:
    with suppress(ImportError):  # the plot imports it again and reports the error in the window
        import pyqtgraph  # noqa: F401


@cache
def plot_library() -> PlotLibrary:
    """The one of the application."""
    return PlotLibrary()


_THOUSANDS = re.compile(r"(?<=\d)(?=(?:\d{3})+$)")
HOW_TO_MOVE = "Wheel zooms, drag pans, double-click fits"
_LEGEND_GAP = 8
# Right or left, low or high: the first of those that hide least.
_CORNERS = ((True, True), (False, False), (False, True), (True, False))
Curve = tuple[list[float], list[float]]


def new_canvas(name: str, *, across: bool = False, axes: dict[str, Any] | None = None) -> Any:
    """An empty plot without the library's own menu; `across`: lines up from the bottom too."""
    import pyqtgraph

    pyqtgraph.setConfigOptions(antialias=True)
    canvas = pyqtgraph.PlotWidget(axisItems=axes)
    canvas.setObjectName(name)
    canvas.setToolTip(f"{HOW_TO_MOVE}.")
    canvas.setMenuEnabled(False)
    canvas.hideButtons()
    canvas.showGrid(x=across, y=True, alpha=0.15)
    for side in ("left", "bottom"):
        axis = canvas.getAxis(side)
        axis.tickStrings = partial(_tick_labels, axis.tickStrings)
    return canvas


def _tick_labels(plain: Callable[..., list[str]], *ticks: Any) -> list[str]:
    """As everywhere: a true minus, and thousands grouped."""
    parts = [text.replace("-", "−").partition(".") for text in plain(*ticks)]
    return [_THOUSANDS.sub(THIN, whole) + dot + rest for whole, dot, rest in parts]


def dress(canvas: Any) -> None:
    """Its ground and axes in the present colours and sizes."""
    look = theme()
    canvas.setBackground(look.color("surface"))
    for side in ("left", "bottom"):
        axis = canvas.getAxis(side)
        # Switched off alone, a visible axis would still show 0.05 as 50, without a note.
        axis.setSIPrefixEnableRanges(((0.0, 0.0),))
        axis.enableAutoSIPrefix(False)
        axis.setPen(look.color("border_control"))
        axis.setTextPen(look.color("text_secondary"))
        axis.setTickFont(look.font("caption"))


def points_along(
    curves: Sequence[Curve], others: Sequence[Curve] = ()
) -> tuple[list[float], list[float]]:
    """Points on and between the marks of curves, as fractions of the range of all curves."""
    import numpy as np

    parts = np.linspace(0, 1, 12, endpoint=False)
    points = []
    for curve in curves:
        marks = np.array(curve)  # 2 × marks, thinned where there are very many
        marks = marks[:, np.linspace(0, marks.shape[1] - 1, min(200, marks.shape[1])).astype(int)]
        between = marks[:, :-1, None] + np.diff(marks)[:, :, None] * parts
        points.append(np.hstack((between.reshape(2, -1), marks[:, -1:])))
    every = np.hstack(points)
    spanned = np.hstack([every, *(np.array(curve) for curve in others)])
    low = spanned.min(axis=1, keepdims=True)
    every = (every - low) / np.maximum(spanned.max(axis=1, keepdims=True) - low, 1e-300)
    return every[0].tolist(), every[1].tolist()


def show_as_text(legend: Any) -> None:
    """Names stand in a legend as they are; the library would take them for HTML."""
    add = legend.addItem
    legend.addItem = lambda item, name: add(item, escape(name))


class CurvePlot(QWidget):
    """Base of plots of curves; subclasses draw them once pyqtgraph is loaded."""

    across = False
    may_hide = ""  # a curve that only shows how it should be
    can_wait = False  # pyqtgraph is loaded in the background; meanwhile a text is shown

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._plot: Any = None
        self._legend: Any = None
        self._avoided: list[Curve] = []  # what else the legend should not hide
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._hint = label("", "tertiary", size="dense", wrap=True)
        self._hint.setObjectName(f"{name}Hint")
        self._layout.addWidget(self._hint)
        self._wait = label("The plot is being drawn…", "secondary", size="dense")
        self._wait.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout.addWidget(self._wait, 1)
        self._wait.hide()
        if self.can_wait:
            plot_library().loaded.connect(self._draw)
        theme().changed.connect(self._draw)

    @property
    def curves(self) -> dict[str, tuple[list[float], list[float]]]:
        """What is drawn, by its name in the legend."""
        if self._plot is None:
            return {}
        curves = {}
        for item in self._plot.listDataItems():
            if item.name():
                xs, ys = item.getData()
                curves[item.name()] = (list(map(float, xs)), list(map(float, ys)))
        return curves

    @property
    def hint(self) -> str:
        return self._hint.text()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return True

    def _draw_curves(self) -> None:
        """Draw on the clean canvas."""

    def _draw(self) -> None:
        if self.is_empty:
            return
        is_late = self.can_wait and not plot_library().ask()
        self._wait.setVisible(is_late)
        if is_late:
            return
        if self._plot is None:
            self._plot = new_canvas(f"{self.objectName()}Canvas", across=self.across)
            self._legend = self._plot.addLegend(offset=(-_LEGEND_GAP, -_LEGEND_GAP), verSpacing=-4)
            show_as_text(self._legend)
            self._plot.getViewBox().sigResized.connect(self._place_legend)
            self._layout.insertWidget(0, self._plot, 1)
        self._plot.clear()
        dress(self._plot)
        look = theme()
        self._legend.setLabelTextColor(look.color("text"))
        self._legend.setLabelTextSize(f"{look.font('caption').pixelSize()}px")
        self._legend.setBrush(look.color("surface", 0.85))
        self._draw_curves()
        self._plot.autoRange()
        self._place_legend()

    def _place_legend(self, *_: object) -> None:
        """Into the corner where it hides least of the curves, the lower right one if it may."""
        if self._plot is None:
            return
        drawn = {name: one for name, one in self.curves.items() if one[0]}
        others = [one for name, one in drawn.items() if name == self.may_hide]
        curves = [one for name, one in drawn.items() if name != self.may_hide]
        if not curves:
            return
        view, box = self._plot.getViewBox().boundingRect(), self._legend.boundingRect()
        wide = min(0.9, (box.width() + 3 * _LEGEND_GAP) / max(view.width(), 1.0))
        high = min(0.9, (box.height() + 3 * _LEGEND_GAP) / max(view.height(), 1.0))
        points = list(zip(*points_along([*curves, *self._avoided], others), strict=True))
        crowds = [
            sum(
                (x > 1 - wide if right else x < wide) and (y < high if low else y > 1 - high)
                for x, y in points
            )
            for right, low in _CORNERS
        ]
        right, low = _CORNERS[crowds.index(min(crowds))]
        gap = _LEGEND_GAP
        self._legend.setOffset((-gap if right else gap, -gap if low else gap))

    def _name_axes(self, bottom: str, left: str) -> None:
        ink = theme().color("text_secondary").name()
        size = f"{theme().font('caption').pixelSize()}px"
        for side, text in (("bottom", bottom), ("left", left)):
            self._plot.getAxis(side).label.setFont(theme().font("caption"))
            self._plot.setLabel(side, escape(text), color=ink, **{"font-size": size})
        self._plot.setAccessibleName(f"{left} against {bottom}")


class PointPlot(CurvePlot):
    """Plot of points that can be clicked; `chosen` sends the number of the point."""

    across = True
    chosen = Signal(int)

    def _draw_points(
        self,
        index: int,
        name: str,
        symbol: str,
        numbers: Sequence[int],
        xs: Sequence[float],
        ys: Sequence[Any],
    ) -> None:
        """A line through points with these numbers; what was trained on stands back."""
        import pyqtgraph

        line = theme().category(index, "line")
        style = Qt.PenStyle.DashLine if name == "training" else Qt.PenStyle.SolidLine
        item = self._plot.plot(
            list(xs),
            list(ys),
            name=name,
            pen=pyqtgraph.mkPen(line, width=1.2 if name == "training" else 2, style=style),
            symbol=symbol,
            symbolSize=6 if name == "training" else 9,
            symbolBrush=theme().color("surface") if name == "training" else line,
            symbolPen=pyqtgraph.mkPen(line, width=1.2),
            data=list(numbers),
        )
        item.scatter.opts["tip"] = None
        item.sigPointsClicked.connect(self._on_clicked)

    def _ring(self, index: int, x: float, y: float) -> None:
        """Around the best point of a line."""
        import pyqtgraph

        ring = pyqtgraph.ScatterPlotItem(
            [x],
            [y],
            symbol="o",
            size=20,
            brush=None,
            pen=pyqtgraph.mkPen(theme().category(index, "ink"), width=1.6),
        )
        ring.setZValue(20)
        self._plot.addItem(ring)

    def _on_clicked(self, _item: Any, points: Any, *_: object) -> None:
        for point in points:
            if point.data() is not None:
                self.chosen.emit(int(point.data()))
                return
