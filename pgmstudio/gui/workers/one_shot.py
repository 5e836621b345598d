"""Timers that fire once: for what may be done a little later, however often it is asked for."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def one_shot(owner: QObject, slot: Callable[..., object], milliseconds: int = 0) -> QTimer:
    """Calls `slot`, a method of an object of Qt, so long after its last start."""
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(slot)
    return timer
