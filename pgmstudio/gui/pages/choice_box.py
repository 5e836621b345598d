"""A combo box over keys and words that is filled again only when the words are others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox

from pgmstudio.gui.style.combo import Combo, offer


class ChoiceBox(Combo):
    """`picked` tells the key a person chose; showing choices tells nobody."""

    picked = Signal(object)  # a key, a text or None

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setMinimumContentsLength(14)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(self._on_activated)

    def show_choices(self, words: Mapping[Any, str], chosen: str | None) -> None:
        shown = [(self.itemData(k), self.itemText(k)) for k in range(self.count())]
        if shown != list(words.items()):
            offer(self, words, chosen)
        self.setCurrentIndex(list(words).index(chosen) if chosen in words else 0)

    def _on_activated(self, place: int) -> None:
        self.picked.emit(self.itemData(place))
