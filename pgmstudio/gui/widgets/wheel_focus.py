"""Fields that change by the wheel only with the focus: without it, the page is scrolled."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget


class _WheelNeedsFocus(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Wheel or not isinstance(watched, QWidget):
            return False
        if watched.hasFocus():
            return False
        event.ignore()  # goes on to what the field stands on
        return True


def need_focus_for_wheel(field: QWidget) -> None:
    """Let the wheel change a field only where it has the focus, which the wheel does not give."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_WheelNeedsFocus(field))
