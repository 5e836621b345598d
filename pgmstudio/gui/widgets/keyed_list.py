"""List whose rows have keys."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from pgmstudio.gui.widgets.basic import named

KEY = Qt.ItemDataRole.UserRole


class KeyedList(QListWidget):
    """List of rows as wide as the list, looked up and selected by key."""

    def __init__(self, name: str, title: str, tip: str) -> None:
        super().__init__()
        named(self, name, title, tip)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.ensurePolished()  # rows laid out before that keep their unstyled height

    def choose(self, key: str | None) -> None:
        """Make a row the current one; a key that is not listed changes nothing."""
        for item in self._items():
            if item.data(KEY) == key:
                self.setCurrentItem(item)

    def _items(self) -> list[QListWidgetItem]:
        match = (self.item(number) for number in range(self.count()))
        return [item for item in match if item is not None]
