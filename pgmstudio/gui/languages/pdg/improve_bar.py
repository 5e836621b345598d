"""The bar of a stepwise search: step, run, pause, and the effect of the last step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import button
from pgmstudio.gui.widgets.elided_label import ElidedLabel


@dataclass(frozen=True)
class StepBarTexts:
    """How a bar of steps speaks; `name` begins the names of its parts."""

    name: str
    title: str
    first: str  # before the first step
    step_tip: str
    run_tip: str


class StepBar(QFrame):
    """Step, run, pause and further buttons, with the effect of the last step.

    With `more` buttons the message has a line of its own.
    """

    step_requested = Signal()
    run_requested = Signal(bool)  # False pauses

    def __init__(
        self, texts: StepBarTexts, more: Sequence[QWidget] = (), last: Sequence[QWidget] = ()
    ) -> None:
        super().__init__()
        self._texts = texts
        self.setObjectName(f"{texts.name}Bar")
        self.setProperty("role", "surface")
        self.setAccessibleName(texts.title)
        self.message = ElidedLabel(texts.first)
        self.message.setObjectName(f"{texts.name}Message")
        self.message.elide = Qt.TextElideMode.ElideRight  # the score is in the middle
        self._step = button(
            "Step",
            self.step_requested.emit,
            icon_name="skip-forward",
            name=f"{texts.name}Step",
            tip=texts.step_tip,
        )
        self._run = button(
            "Run", self._on_run, icon_name="play", name=f"{texts.name}Run", tip=texts.run_tip
        )
        layout = self._grid = QGridLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.setHorizontalSpacing(8)
        layout.setVerticalSpacing(6)
        before, after = (self._step, self._run, *more), tuple(last)
        for index, widget in enumerate(before):
            layout.addWidget(widget, 0, index)
        layout.setColumnStretch(len(before), 1)
        if more:
            layout.addWidget(self.message, 1, 0, 1, -1)
        else:
            layout.addWidget(self.message, 0, len(before))
        for index, widget in enumerate(after, len(before) + 1):
            layout.addWidget(widget, 0, index)
        self._is_running = False

    @property
    def is_running(self) -> bool:
        return self._is_running

    def keep_clear(self, right: int) -> None:
        """Keep the message and the buttons out of so many pixels at the right."""
        self._grid.setContentsMargins(12, 6, 8 + right, 6)

    def show_text(self, text: str) -> None:
        self.message.setText(text)
        self.message.setToolTip(text)

    def show_running(self, running: bool, *, is_busy: bool = False) -> None:
        """While a step is looked for, another cannot be asked for."""
        self._is_running = running
        self._run.setText("Pause" if running else "Run")
        self._run.setIcon(icon("pause" if running else "play", "text_secondary"))
        tip = "Stop after this step." if running else self._texts.run_tip
        self._run.setToolTip(tip)
        self._run.setAccessibleName(tip)
        self._step.setEnabled(not running and not is_busy)

    def show_end(self) -> None:
        """There are no more steps."""
        self.show_running(False, is_busy=True)
        self._run.setEnabled(False)

    def _on_run(self) -> None:
        self.run_requested.emit(not self._is_running)
