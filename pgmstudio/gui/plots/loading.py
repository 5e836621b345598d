"""pyqtgraph takes a third of a second to load: a thread does it while the first run starts.

It takes every class of Qt into its hands. PySide makes a class when it is first asked for, and two
threads that do so at the same time crash. So the window's thread makes them all beforehand.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from PySide6.QtCore import QObject, QTimer, Signal

# After every module the window gets its turn.
BREATH_SECONDS = 0.001
LOOK_MS = 15
# Those that pyqtgraph imports, and how long the window may be held up to make classes of them.
MODULES = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtOpenGL", "QtOpenGLWidgets", "QtTest")
SLICE_SECONDS = 0.004


class PlotLibrary(QObject):
    """Loads once; whoever draws asks early and draws when `loaded` is told."""

    loaded = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._is_loaded = "pyqtgraph" in sys.modules
        self._thread: threading.Thread | None = None
        self._classes = _made_classes()
        # The thread knows nothing of Qt: a signal from it could arrive where nobody is left.
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
    try:
        with _breathing():
            import pyqtgraph  # noqa: F401
    except ImportError:
        pass  # whoever draws imports it once more and says so in the window


@cache
def plot_library() -> PlotLibrary:
    """The one of the application."""
    return PlotLibrary()


@contextmanager
def _breathing() -> Iterator[None]:
    finder = _Breath(threading.get_ident())
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Breath(MetaPathFinder):
    """Finds nothing, but lets other threads work before each module that one thread imports."""

    def __init__(self, thread: int) -> None:
        self._thread = thread

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if threading.get_ident() == self._thread:
            time.sleep(BREATH_SECONDS)
        return None
