"""Long work of the window's thread in slices, between which the window answers."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

TURN_MS = 1
SLICE_SECONDS = 0.004


class TimeSlices(QObject):
    """Runs an iterator, as many steps in a turn of the event loop as fit into a slice."""

    finished = Signal()

    def __init__(self, steps: Iterator[object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps = steps
        self._is_done = False
        self._turns = QTimer(self)
        self._turns.setInterval(TURN_MS)
        self._turns.timeout.connect(self._on_turn)

    @property
    def is_active(self) -> bool:
        """Whether it was started and is not at its end."""
        return self._turns.isActive()

    def start(self) -> None:
        if not self._is_done:
            self._turns.start()

    def finish(self) -> None:
        """Do what is left at once."""
        if not self._is_done:
            self._run(float("inf"))

    def _on_turn(self) -> None:
        self._run(time.perf_counter() + SLICE_SECONDS)

    def _run(self, end: float) -> None:
        for _ in self._steps:
            if time.perf_counter() > end:
                return
        self._is_done = True
        self._turns.stop()
        self.finished.emit()
