"""Whether a person has done something in a window since a moment."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

_INPUT = (
    QEvent.Type.MouseButtonPress,
    QEvent.Type.KeyPress,
    QEvent.Type.Wheel,
    QEvent.Type.DragEnter,
)


class InputWatch(QObject):
    """Begins when it is made; a dialog or menu that is open counts as use."""

    def __init__(self, window: QWidget) -> None:
        super().__init__()
        self._was_used = False
        handle = window.windowHandle()
        if handle is not None:
            handle.installEventFilter(self)

    @property
    def was_used(self) -> bool:
        is_asked = QApplication.activeModalWidget() or QApplication.activePopupWidget()
        return self._was_used or is_asked is not None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _INPUT:
            self._was_used = True
            watched.removeEventFilter(self)
        return False
