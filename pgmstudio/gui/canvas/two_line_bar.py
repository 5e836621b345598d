"""A bar of two lines over a canvas: its subject above, its controls below."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from pgmstudio.gui.widgets.elided_label import ElidedLabel


class TwoLineBar(QFrame):
    """The base class of two-line bars; hidden until there is something to show."""

    _heading: ElidedLabel

    def __init__(self, name: str, accessible_name: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("role", "surface")
        self.setAccessibleName(accessible_name)

    @property
    def heading(self) -> str:
        return self._heading.text()

    def _lay_out(self, top: QHBoxLayout, below: QHBoxLayout) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 5, 10, 5)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addLayout(below)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()
