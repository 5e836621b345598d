"""How long old beliefs are shown as if they were new: a blink of grey would only disturb."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from pgmstudio.gui.document.live_beliefs import LiveBeliefs
from pgmstudio.gui.workers.one_shot import one_shot

# Beliefs that take longer are greyed while they are computed.
STALE_AFTER_MS = 200


class Patience(QObject):
    """`ended` when beliefs have been waited for so long that they are called stale."""

    ended = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.is_over = False
        self._timer = one_shot(self, self._on_time, STALE_AFTER_MS)

    def watch(self, live: LiveBeliefs) -> None:
        """Begin to wait, go on waiting, or be content."""
        if live.is_stale and live.is_waiting:
            if not self._timer.isActive() and not self.is_over:
                self._timer.start()
        else:
            self._timer.stop()
            self.is_over = False

    def _on_time(self) -> None:
        self.is_over = True
        self.ended.emit()
