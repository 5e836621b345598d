"""The toast: a message at the bottom left for a few seconds, with Undo where possible."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMainWindow, QPushButton

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import named
from pgmstudio.gui.widgets.debounce import one_shot


class Toast(QFrame):
    """Child of the window, so that it never takes the focus."""

    undo_requested = Signal()

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self.setObjectName("toast")
        self.setProperty("role", "card")
        self._label = named(QLabel(), "toastText")
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._undo = QPushButton("Undo")
        self._undo.setProperty("role", "link")
        self._undo.setToolTip("Undo the last change")
        self._undo.clicked.connect(self._on_undo)
        self._row = layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.addWidget(self._label, 1)
        layout.addWidget(self._undo)
        self._timer = one_shot(self, self.hide)
        self.hide()

    def show_message(self, message: str, undo: object = None) -> None:
        self._label.setText(message)
        self._undo.setVisible(undo is not None)
        self.show()
        self.update_position()
        self.raise_()
        self._timer.start(max(6000, theme().motion_ms("toast_stay")))

    def update_position(self) -> None:
        window = self.parentWidget()
        if window is None or not self.isVisible():
            return
        self.setMinimumWidth(min(320, window.width() // 3))
        self.setMaximumWidth(max(320, window.width() // 2))
        self.adjustSize()
        self.resize(self.width(), self._row.totalHeightForWidth(self.width()))
        self.move(16, window.height() - self.height() - theme().px("status_bar") - 16)

    def _on_undo(self) -> None:
        self.undo_requested.emit()
        self.hide()
