"""Flat titles of the panels; at the bottom the tabs say the name, so only a grip is left."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from pgmstudio.gui.app.layout import BOTTOM, PanelSpec
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import label

GRIP_HEIGHT = 4


class DockTitle(QWidget):
    """Ignores the mouse, so that the dock below it can be dragged."""

    def __init__(self, spec: PanelSpec) -> None:
        super().__init__()
        self._is_grip = spec.area == BOTTOM or not spec.titled
        self.setToolTip(spec.tip)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 0, 8, 0)
        if not self._is_grip:
            layout.addWidget(label(spec.title, "heading", size="dense"))

    def sizeHint(self) -> QSize:
        return QSize(40, GRIP_HEIGHT if self._is_grip else theme().px("panel_head"))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()
