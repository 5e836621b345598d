"""Likelihood sliders: P(observation | state), one per state."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QVBoxLayout, QWidget

from pgmstudio.core.inference.base import SCALED_LIKELIHOODS, Likelihood
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.widgets.basic import label, named, text_width, vbox
from pgmstudio.gui.widgets.elided_label import ElidedLabel

STEPS = 100
MIN_STEP = 1  # 0 would exclude the state, for which there is another gesture


class LikelihoodSliders(QWidget):
    """Sliders for soft evidence; the beliefs are updated while a slider is dragged."""

    weights_requested = Signal(str, object)  # variable, weight by state

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._variable = ""
        self._states: tuple[str, ...] = ()
        self._sliders: list[QSlider] = []
        self._numbers: list[QLabel] = []
        self._holder = QWidget()
        vbox(
            self,
            label(
                f"How likely is the observation in each state? {SCALED_LIKELIHOODS}",
                "tertiary",
                size="dense",
                wrap=True,
            ),
            self._holder,
            spacing=4,
        )

    def show_variable(self, subject: ActiveModel, name: str) -> None:
        variable = subject.variable(name)
        if (name, variable.states) != (self._variable, self._states):
            self._variable, self._states = name, variable.states
            self._rebuild(subject.title(name))
        finding = subject.live.evidence.get(name)
        if isinstance(finding, Likelihood):
            given = dict(finding.weights)
            largest = max(1.0, *given.values())
            steps = [round(STEPS * given.get(state, 0.0) / largest) for state in variable.states]
        else:
            steps = [STEPS] * variable.cardinality
        for slider, step in zip(self._sliders, steps, strict=True):
            if not slider.isSliderDown():
                with QSignalBlocker(slider):
                    slider.setValue(max(MIN_STEP, step))
        self._show_numbers()

    def _rebuild(self, title: str) -> None:
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        old, self._holder = self._holder, QWidget()
        layout.replaceWidget(old, self._holder)
        old.hide()
        old.deleteLater()
        grid = QGridLayout(self._holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(0, 2)
        grid.setColumnStretch(1, 5)
        self._sliders, self._numbers = [], []
        for row, state in enumerate(self._states):
            slider = named(QSlider(Qt.Orientation.Horizontal), f"likelihood.{state}")
            slider.setRange(MIN_STEP, STEPS)
            slider.setPageStep(5)
            slider.setAccessibleName(f"Likelihood of {title} = {state}")
            slider.setToolTip(f"Likelihood of {title} = {state}; only the ratios count.")
            slider.valueChanged.connect(self._on_moved)
            number = label("", "secondary", size="dense")
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            number.setMinimumWidth(text_width(number, "0.00") + 2)
            name = ElidedLabel(state)
            grid.addWidget(name, row, 0)
            grid.addWidget(slider, row, 1)
            grid.addWidget(number, row, 2)
            self._sliders.append(slider)
            self._numbers.append(number)

    def _weights(self) -> dict[str, float]:
        return {
            state: slider.value() / STEPS
            for state, slider in zip(self._states, self._sliders, strict=True)
        }

    def _show_numbers(self) -> None:
        for number, weight in zip(self._numbers, self._weights().values(), strict=True):
            number.setText(f"{weight:.2f}")

    def _on_moved(self) -> None:
        self._show_numbers()
        self.weights_requested.emit(self._variable, self._weights())
