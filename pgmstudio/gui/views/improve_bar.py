"""The bar that improves a decision graph one step at a time."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from pgmstudio.gui.panels.elided_label import ElidedLabel
from pgmstudio.gui.style.widgets import button, tool_button


class ImproveBar(QFrame):
    """Step, run, pause; says what the last step brought."""

    step_wished = Signal()
    run_wished = Signal(bool)  # False pauses
    close_wished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("improveBar")
        self.setProperty("role", "surface")
        self.setAccessibleName("Improve step by step")
        self.words = ElidedLabel("Each step takes the merge, split or redirection worth most.")
        self.words.setObjectName("improveWords")
        self._step = button(
            "Step",
            self.step_wished.emit,
            icon_name="skip-forward",
            name="improveStep",
            tip="Take the one step that raises the score most; it can be undone.",
        )
        self._run = button(
            "Run",
            self._on_run,
            icon_name="play",
            name="improveRun",
            tip="Step after step until none raises the score.",
        )
        close = tool_button("x", "Close (the steps stay)", self.close_wished.emit, name="improveNo")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.setSpacing(8)
        layout.addWidget(self._step)
        layout.addWidget(self._run)
        layout.addWidget(self.words, 1)
        layout.addWidget(close)
        self._is_running = False
        self.hide()

    @property
    def is_running(self) -> bool:
        return self._is_running

    def tell(self, words: str) -> None:
        self.words.setText(words)
        self.words.setToolTip(words)

    def show_running(self, running: bool, *, is_busy: bool = False) -> None:
        """While a step is looked for, another cannot be asked for."""
        self._is_running = running
        self._run.setText("Pause" if running else "Run")
        tip = "Stop after this step." if running else "Step after step until none raises the score."
        self._run.setToolTip(tip)
        self._run.setAccessibleName(tip)
        self._step.setEnabled(not running and not is_busy)

    def _on_run(self) -> None:
        self.run_wished.emit(not self._is_running)
