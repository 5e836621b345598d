"""Loading pyqtgraph, and its empty canvas in the look of the window.

pyqtgraph takes a third of a second to load, most of it for the classes of Qt that it uses: PySide
makes a class on first access. The window's thread makes them a few at a time and loads the rest,
less than a tenth of a second, in one go. Not in another thread: two threads that make classes at
the same time crash.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from pgmstudio.core.number_format import THIN
from pgmstudio.gui.theme.theme import theme

TURN_MS = 1
# Those that pyqtgraph imports, and how long the window may be held up to make classes of them.
MODULES = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtOpenGL", "QtOpenGLWidgets", "QtTest")
SLICE_SECONDS = 0.004


class PlotLibrary(QObject):
    """Loader of pyqtgraph: plots ask for it early and draw on the signal `loaded`."""

    loaded = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._is_loaded = "pyqtgraph" in sys.modules
        self._classes = _made_classes()
        self._turns = QTimer(self)
        self._turns.setInterval(TURN_MS)
        self._turns.timeout.connect(self._on_turn)

    @property
    def is_loaded(self) -> bool:
        """From now on `import pyqtgraph` costs nothing."""
        return self._is_loaded

    @property
    def is_loading(self) -> bool:
        """Whether it was asked for and is not there."""
        return self._turns.isActive()

    def ask(self) -> bool:
        """Whether it is there; else it will be soon."""
        if not self._is_loaded and not self._turns.isActive():
            self._turns.start()
        return self._is_loaded

    def _on_turn(self) -> None:
        """Make some classes; after the last one load the library."""
        end = time.perf_counter() + SLICE_SECONDS
        for _ in self._classes:
            if time.perf_counter() > end:
                return
        self._turns.stop()
        with suppress(ImportError):  # the plot imports it again and reports the error in the window
            import pyqtgraph  # noqa: F401
        self._is_loaded = True
        self.loaded.emit()


def _made_classes() -> Iterator[object]:
    for name in MODULES:
        try:
            module = import_module(f"PySide6.{name}")
        except ImportError:
            continue  # pyqtgraph does without it, too
        for each in dir(module):
            yield getattr(module, each)


@cache
def plot_library() -> PlotLibrary:
    """The one of the application."""
    return PlotLibrary()


_THOUSANDS = re.compile(r"(?<=\d)(?=(?:\d{3})+$)")
HOW_TO_MOVE = "Wheel zooms, drag pans, double-click fits"


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
    """Its background and axes in the present colours and sizes."""
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
