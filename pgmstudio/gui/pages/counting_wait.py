"""While columns are counted: how far it is, and a way to stop."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import button, label
from pgmstudio.gui.workers.share import Share

LOOK_EVERY_MS = 100
_COUNTING = "Counting all pairs of columns…"
_STOPPED = "Stopped. No pairs were counted."


class CountingWait(QWidget):
    """A bar with words and *Stop*; after that, *Count the pairs*."""

    stopped = Signal()
    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("countingWait")
        self._share = Share()
        self._words = label(_COUNTING, "secondary")
        self._words.setObjectName("countingWords")
        self._bar = QProgressBar()
        self._bar.setObjectName("countingShare")
        self._bar.setAccessibleName("Share of the rows that has been counted")
        self._bar.setToolTip("Share of the rows that has been counted.")
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setMaximumWidth(theme().px("right_min"))
        self._deed = button("Stop", self._on_deed, name="countingStop")
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look)
        layout = QVBoxLayout(self)
        layout.addStretch(1)
        for widget in (self._words, self._bar, self._deed):
            layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)
        self.end()

    def begin(self) -> Share:
        """Another counting; it tells the share that is returned how far it is."""
        self._share = Share()
        self._timer.start()
        self._show(_COUNTING, "Stop", "Stop counting.")
        self._look()
        return self._share

    def end(self) -> None:
        self._timer.stop()

    def _on_deed(self) -> None:
        if self._timer.isActive():
            self.end()
            self._show(_STOPPED, "Count the pairs", "Count all pairs of columns from the start.")
            self.stopped.emit()
        else:
            self.wanted.emit()

    def _show(self, words: str, deed: str, tip: str) -> None:
        self._words.setText(words)
        self._deed.setText(deed)
        self._deed.setToolTip(tip)
        self._deed.setAccessibleName(tip)
        self._bar.setVisible(self._timer.isActive())

    def _look(self) -> None:
        self._bar.setValue(round(1000 * self._share.done))
