"""Debouncing: calls that are delayed and happen once, however often they are requested."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

# For what can wait until new beliefs are painted.
AFTER_PAINT_MS = 30


def one_shot(owner: QObject, slot: Callable[..., object], milliseconds: int = 0) -> QTimer:
    """Calls `slot`, a method of an object of Qt, so long after its last start."""
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(slot)
    return timer


class BeforePaint(QObject):
    """Calls `slot`, a method of an object of Qt, after what is going on and before a paint.

    A timer that is due at once comes after the next paint: what it changes is painted apart.
    """

    _asked = Signal()
    _due = Signal()

    def __init__(self, owner: QObject, slot: Callable[..., object]) -> None:
        super().__init__(owner)
        self._is_requested = False
        self._asked.connect(self._call, Qt.ConnectionType.QueuedConnection)
        self._due.connect(slot)

    def start(self) -> None:
        """Once more is once."""
        if not self._is_requested:
            self._is_requested = True
            self._asked.emit()

    def stop(self) -> None:
        """It is done already."""
        self._is_requested = False

    def _call(self) -> None:
        if self._is_requested:
            self._is_requested = False
            self._due.emit()
