"""A field to find something in the list below it."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QLineEdit

from pgmstudio.gui.style.icons import icon
from pgmstudio.gui.style.theme import theme


class SearchField(QLineEdit):
    """Begins with a lens, can be emptied by one click."""

    def __init__(self, name: str, words: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setPlaceholderText(words)
        self.setAccessibleName(words)
        self.setClearButtonEnabled(True)
        self._lens = self.addAction(QIcon(), QLineEdit.ActionPosition.LeadingPosition)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self._lens.setIcon(icon("magnifying-glass"))
