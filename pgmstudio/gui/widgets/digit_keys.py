"""The digit keys that choose a state, with and without Shift."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

Key = Qt.Key

# What Shift makes of the digits on a US keyboard.
_SHIFTED = {
    Key.Key_Exclam: 0,
    Key.Key_At: 1,
    Key.Key_NumberSign: 2,
    Key.Key_Dollar: 3,
    Key.Key_Percent: 4,
    Key.Key_AsciiCircum: 5,
    Key.Key_Ampersand: 6,
    Key.Key_Asterisk: 7,
    Key.Key_ParenLeft: 8,
}


def digit_of(event: QKeyEvent) -> int | None:
    """The index of a digit key: 0 for the key 1, … 8 for the key 9; None for other keys."""
    key = Key(event.key())
    if Key.Key_1 <= key <= Key.Key_9:
        return int(key) - int(Key.Key_1)
    return _SHIFTED.get(key) if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else None
