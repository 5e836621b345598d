"""Cycles of objects are collected in the window thread only.

Python collects them in whichever thread happens to allocate; a widget or timer that dies in a
worker thread takes the program with it.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 1000


class WindowGarbage(QObject):
    """Replaces the automatic collection of the process; one for the program."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        self._timer.start(EVERY_MS)

    def collect(self) -> None:
        """The oldest generation that is full, with the younger ones, as Python would."""
        limits = gc.get_threshold()
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > limits[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Python collects again by itself."""
        self._timer.stop()
        gc.enable()
