"""A line of words that changes often: nothing around it is laid out again for that."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pgmstudio.gui.panels.elided_label import ElidedLabel


class StillWords(QWidget):
    """As wide as there is room, and as high as its letters.

    A label in a layout tells the window of every other word, and the window would lay out all of
    its panels again, several times a second while something runs.
    """

    def __init__(self, name: str, role: str = "secondary") -> None:
        super().__init__()
        self.label = ElidedLabel(parent=self)
        self.label.setObjectName(name)
        self.label.setProperty("role", role)
        self.label.elide = Qt.TextElideMode.ElideRight
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """What stands there."""
        return self.label.text()

    def setText(self, words: str) -> None:
        """Also as its tooltip, since it may be cut."""
        if words != self.label.text():
            self.label.setText(words)
            self.label.setToolTip(words)

    def sizeHint(self) -> QSize:
        return QSize(24, self.label.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.label.setFixedSize(event.size())
