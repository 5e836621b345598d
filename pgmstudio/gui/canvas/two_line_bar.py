"""A bar of two lines over a canvas: what it is about above, what can be done below."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.elided_label import ElidedLabel


class TwoLineBar(QFrame):
    """Tells what is wished; shows what it is told. Hidden until there is something to show."""

    _heading: ElidedLabel

    def __init__(self, name: str, spoken: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("role", "surface")
        self.setAccessibleName(spoken)

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
        theme().changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        """The colours and sizes are others."""
