"""Fields that find something; they begin with a lens."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit

from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme

_EDGE = 8  # px between the edge of the field and its lens


class LensField(QLineEdit):
    """Search field whose lens scales with the font; Qt's own icon in a field has a fixed size."""

    def __init__(self) -> None:
        super().__init__()
        theme().changed.connect(self._set_text_margins)
        self._set_text_margins()

    @property
    def lens(self) -> QRect:
        """Where the lens stands."""
        side = theme().px("icon")
        return QRect(_EDGE, (self.height() - side) // 2, side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        icon("magnifying-glass").paint(painter, self.lens)
        painter.end()

    def _set_text_margins(self) -> None:
        self.setTextMargins(theme().px("icon") + _EDGE // 2, 0, 0, 0)
        self.update()


class SearchField(LensField):
    """To find something in the list below it; can be emptied by one click."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setPlaceholderText(text)
        self.setAccessibleName(text)
        self.setClearButtonEnabled(True)
