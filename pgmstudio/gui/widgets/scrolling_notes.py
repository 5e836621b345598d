"""Notes above buttons that scroll when they are higher than a part of the window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

_MAX_OF_WINDOW = 4  # of which this is one part; more is scrolled


class ScrollingNotes(QScrollArea):
    """Notes one below the other; with large fonts in a small window they scroll."""

    def __init__(self, text: Sequence[QWidget]) -> None:
        super().__init__()
        self.setObjectName("footWords")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._content = QWidget()
        self._layout = QVBoxLayout(self._content)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        for widget in text:
            self._layout.addWidget(widget)
        self.setWidget(self._content)
        self._content.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        needed = self._layout.totalHeightForWidth(self.width())
        if needed < 0:  # nothing here wraps
            needed = self._layout.totalSizeHint().height()
        self.setFixedHeight(min(needed, self.window().height() // _MAX_OF_WINDOW))
