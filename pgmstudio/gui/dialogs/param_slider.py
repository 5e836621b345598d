"""A slider beside a number with two bounds: for trying; the field has the exact value."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSlider

from pgmstudio.core.params import ParamKind, ParamSpec

STEPS = 200
# A number that may not be 0 matters by its order of magnitude: this many powers of ten.
DECADES = 4


def has_slider(spec: ParamSpec) -> bool:
    """Numbers between two bounds have one."""
    return spec.kind is ParamKind.NUMBER and spec.low is not None and spec.high is not None


class ParamSlider(QSlider):
    """Says the value it is moved to; shows the value it is told."""

    moved_to = Signal(float)

    def __init__(self, spec: ParamSpec) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        assert spec.low is not None
        assert spec.high is not None
        self._spec, self._low, self._high = spec, float(spec.low), float(spec.high)
        self.setObjectName(f"slider.{spec.name}")
        self.setAccessibleName(f"{spec.title}, slider")
        self.setToolTip(spec.help)
        self.setRange(1 if spec.low_open else 0, STEPS - 1 if spec.high_open else STEPS)
        self.valueChanged.connect(self._on_moved)

    def value_at(self, step: int) -> float:
        """The number a place stands for, with two digits that tell."""
        share = step / STEPS
        if self._spec.low_open and self._low == 0:
            value = self._high * 10 ** (DECADES * (share - 1))
        else:
            value = self._low + (self._high - self._low) * share
        return float(f"{value:.2g}")

    def show_value(self, value: float | None) -> None:
        """Stand where this number is, without telling anybody; None leaves it."""
        if value is None:
            return
        if self._spec.low_open and self._low == 0:
            share = 1 + math.log10(max(value, 1e-300) / self._high) / DECADES
        else:
            share = (value - self._low) / (self._high - self._low)
        self.blockSignals(True)
        self.setValue(round(STEPS * min(1.0, max(0.0, share))))
        self.blockSignals(False)

    def _on_moved(self, step: int) -> None:
        self.moved_to.emit(self.value_at(step))
