"""An inline editor for node names on the canvas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.view import CanvasView


class NameEditor(QLineEdit):
    """A line edit over a node: Enter or losing focus accepts, Esc or an empty name cancels."""

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view.viewport())
        self._view = view
        self._done: Callable[[str], None] | None = None
        self.scene_rect = QRectF()
        self.setObjectName("nameEditor")
        self.setAccessibleName("Name of the node")
        self.setToolTip("Enter accepts the name, Esc cancels.")
        self.setPlaceholderText("Name")
        self.hide()

    def begin(self, rect: QRectF, text: str, done: Callable[[str], None]) -> None:
        """Open over a rectangle of the scene."""
        self.scene_rect, self._done = rect, done
        box = self._view.mapFromScene(rect).boundingRect()
        width = max(box.width(), 120)
        self.setGeometry(box.center().x() - width // 2, box.top(), width, max(28, box.height()))
        self.setText(text)
        self.selectAll()
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._end(self.text().strip())
        elif event.key() == Qt.Key.Key_Escape:
            self._end("")
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._end(self.text().strip())

    def _end(self, name: str) -> None:
        done, self._done = self._done, None
        self.hide()
        if done is not None:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)
            if name:
                done(name)
