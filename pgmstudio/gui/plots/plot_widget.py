"""Loading pyqtgraph, and its empty canvas in the look of the window.

pyqtgraph takes a third of a second to load: PySide makes each class of Qt on first access, and the
package imports a hundred modules. The window's thread makes the classes a few at a time and then
runs the package a statement at a time. Not in another thread: two threads that make classes at the
same time crash.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from itertools import chain
from typing import Any

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.number_format import THIN
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.time_slices import TimeSlices

LIBRARY = "pyqtgraph"
# Those that pyqtgraph imports.
MODULES = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtOpenGL", "QtOpenGLWidgets", "QtTest")


class PlotLibrary(QObject):
    """Loader of pyqtgraph: plots ask for it early and draw on the signal `loaded`."""

    loaded = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._is_loaded = LIBRARY in sys.modules
        self._loading = TimeSlices(chain(_made_classes(), _run_statements()), self)
        self._loading.finished.connect(self._on_loaded)

    @property
    def is_loaded(self) -> bool:
        """From now on `import pyqtgraph` costs nothing."""
        return self._is_loaded

    @property
    def is_loading(self) -> bool:
        """Whether it was asked for and is not there."""
        return self._loading.is_active

    def ask(self) -> bool:
        """Whether it is there; else it will be soon."""
        if not self._is_loaded and not self._loading.is_active:
            self._loading.start()
        return self._is_loaded

    def load(self) -> None:
        """Have it there from now on."""
        if not self._is_loaded:
            self._loading.finish()

    def _on_loaded(self) -> None:
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


def _run_statements() -> Iterator[object]:
    """Import the package as Python does, but stop after each statement of its `__init__`.

    It is not there before the end, so charts use it only once it is loaded. Where it fails, or has
    no source, the import of the chart does it, and reports the error in the window.
    """
    if LIBRARY in sys.modules:
        return
    spec = find_spec(LIBRARY)
    get_source = getattr(spec and spec.loader, "get_source", None)
    source = None if get_source is None else get_source(LIBRARY)
    if spec is None or source is None:
        return
    package = sys.modules[LIBRARY] = module_from_spec(spec)
    try:
        for statement in ast.parse(source).body:
            code = compile(ast.Module([statement], []), spec.origin or LIBRARY, "exec")
            exec(code, vars(package))
            yield statement
    except Exception:  # the import of the chart meets it again
        del sys.modules[LIBRARY]


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
