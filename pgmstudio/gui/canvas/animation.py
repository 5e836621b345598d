"""Animations of the canvas: one for all bars, one for all node positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

from pgmstudio.gui.theme.theme import theme


class Slide(QObject):
    """An animation that calls `step` with fractions from 0 to 1, or once with 1 if motion is
    reduced."""

    def __init__(self, name: str, parent: QObject) -> None:
        """`name` is the animation in the token file: "bars" or "layout"."""
        super().__init__(parent)
        self._name = name
        self._step: Callable[[float], None] | None = None
        self._clock = QVariantAnimation(self)
        self._clock.setStartValue(0.0)
        self._clock.setEndValue(1.0)
        self._clock.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._clock.valueChanged.connect(self._on_tick)

    @property
    def is_running(self) -> bool:
        return self._clock.state() == QVariantAnimation.State.Running

    def start(self, step: Callable[[float], None]) -> None:
        """Start the animation; one that is still running stops where it is."""
        self.stop()
        duration = theme().motion_ms(self._name)
        if duration == 0:
            step(1.0)
            return
        self._step = step
        self._clock.setDuration(duration)
        self._clock.start()

    def stop(self) -> None:
        self._step = None
        self._clock.stop()

    def finish(self) -> None:
        """Jump to the end."""
        if self.is_running and self._step is not None:
            step = self._step
            self.stop()
            step(1.0)

    def _on_tick(self, fraction: Any) -> None:
        if self._step is not None:
            self._step(float(fraction))


Values = tuple[float, ...]


def between(
    start: Mapping[str, Values], end: Mapping[str, Values], fraction: float
) -> dict[str, Values]:
    """Values interpolated from `start` to `end`; exactly `end` at 1."""
    if fraction >= 1:
        return dict(end)
    return {
        key: tuple(a + (b - a) * fraction for a, b in zip(start[key], values, strict=True))
        for key, values in end.items()
    }
