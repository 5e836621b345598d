"""Combo boxes: eliding long texts, and filled again only when the choices change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

from pgmstudio.gui.widgets.basic import named
from pgmstudio.gui.widgets.wheel_focus import need_focus_for_wheel

_AIR = 4  # between the text and the arrow


class Combo(QComboBox):
    """The list has the names whole."""

    def __init__(self) -> None:
        super().__init__()
        need_focus_for_wheel(self)

    def showPopup(self) -> None:
        wide = self.view().sizeHintForColumn(0) + 2 * _AIR
        if self.count() > self.maxVisibleItems():
            wide += self.view().verticalScrollBar().sizeHint().width()
        self.view().setMinimumWidth(min(wide, self.screen().availableGeometry().width() // 2))
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        control = QStyle.ComplexControl.CC_ComboBox
        painter.drawComplexControl(control, option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        space = self.style().subControlRect(control, option, part, self).width() - _AIR
        text = str(option.currentText)
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, space)
        option.currentText = shown
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


def chooser(name: str, tip: str, characters: int = 8) -> Combo:
    """An empty combo box with the width of so many characters, however long its texts are."""
    combo = named(Combo(), name, tip, tip)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(characters)
    return combo


def offer(combo: QComboBox, titles: Mapping[Any, str], wanted: object = None) -> None:
    """Fill a combo box with keys and titles, without emitting signals.

    Chosen is `wanted`, else what was chosen before, else the first.
    """
    chosen = combo.currentData() if wanted is None else wanted
    quiet = QSignalBlocker(combo)
    combo.clear()
    for key, text in titles.items():
        combo.addItem(text, key)
    combo.setCurrentIndex(
        list(titles).index(chosen) if chosen in titles else min(0, len(titles) - 1)
    )
    quiet.unblock()


class ChoiceBox(Combo):
    """Combo box of keys; `picked` only when the user chooses, not when choices are shown."""

    picked = Signal(object)  # a key, a text or None

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        named(self, name, tip, tip)
        self.setMinimumContentsLength(14)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(self._on_activated)

    def show_choices(self, titles: Mapping[Any, str], chosen: str | None) -> None:
        shown = [(self.itemData(k), self.itemText(k)) for k in range(self.count())]
        if shown != list(titles.items()):
            offer(self, titles, chosen)
        self.setCurrentIndex(list(titles).index(chosen) if chosen in titles else 0)

    def _on_activated(self, rect: int) -> None:
        self.picked.emit(self.itemData(rect))
