"""Boxes for numbers, with the name, range and texts that every one of them has."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSizePolicy, QSpinBox

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import named
from pgmstudio.gui.widgets.wheel_focus import need_focus_for_wheel

B = TypeVar("B", QSpinBox, QDoubleSpinBox)


def whole_box(
    name: str,
    title: str,
    tip: str,
    low: int,
    high: int,
    value: int = 0,
    *,
    suffix: str = "",
    lowest_text: str = "",
) -> QSpinBox:
    """A box for whole numbers; `lowest_text` is shown instead of the lowest number."""
    box = QSpinBox()
    box.setRange(low, high)
    box.setValue(value)
    return _named(box, name, title, tip, suffix, lowest_text)


def decimal_box(
    name: str,
    title: str,
    tip: str,
    low: float,
    high: float,
    value: float = 0.0,
    *,
    decimals: int = 2,
    step: float = 1.0,
    suffix: str = "",
    lowest_text: str = "",
) -> QDoubleSpinBox:
    """A box for numbers with so many decimals; `lowest_text` as for whole numbers."""
    box = QDoubleSpinBox()
    box.setDecimals(decimals)
    box.setRange(low, high)
    box.setSingleStep(step)
    box.setValue(value)
    return _named(box, name, title, tip, suffix, lowest_text)


def _named(box: B, name: str, title: str, tip: str, suffix: str, lowest_text: str) -> B:
    named(box, name, title, tip)
    need_focus_for_wheel(box)
    box.setSuffix(suffix)
    box.setSpecialValueText(lowest_text)
    return box


def shrinking(box: QAbstractSpinBox, least: int) -> None:
    """Let a box be as wide as there is space, at least so many px at 100 %."""
    box.setMinimumWidth(round(least * theme().scale))
    box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
